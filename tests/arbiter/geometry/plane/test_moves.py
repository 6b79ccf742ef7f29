from math import dist, inf, isclose, pi, sqrt
from random import Random

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.geometry.plane.paths.moves import Spot, Stay, first_within, stays, straight
from arbiter.geometry.plane.paths.reach import Reach
from arbiter.geometry.plane.paths.room import Polygon
from arbiter.geometry.plane.paths.shortest import Leg, Obstacles, Path, Round
from tests.effort import cases

TABLE = (12_000, 12_000)
ROUNDING = 1e-5


def box(left: int, low: int, right: int, high: int) -> Polygon:
    return (left, low), (right, low), (right, high), (left, high)


def test_where_a_straight_line_enters_and_leaves() -> None:
    path = straight((0, 1000), (10_000, 1000))
    pieces = (box(6000, 0, 7500, 2000), box(1000, 0, 2000, 2000), box(0, 5000, 9000, 6000))
    assert stays(path, pieces) == (
        Stay(1, 1000, 2000, (1000, 1000), (2000, 1000)),
        Stay(0, 6000, 7500, (6000, 1000), (7500, 1000)),
    )


def test_a_bay_makes_two_stays_of_one_piece() -> None:
    bay = ((0, 0), (4000, 0), (4000, 3000), (3000, 3000), (3000, 1000), (1000, 1000), (1000, 3000), (0, 3000))
    found = stays(straight((-1000, 2000), (5000, 2000)), (bay,))
    assert [(stay.enters, stay.leaves) for stay in found] == [(1000, 2000), (4000, 5000)]
    assert [stay.length for stay in found] == [1000, 1000]


def test_starting_and_ending_inside_counts_from_there() -> None:
    assert [(s.enters, s.leaves) for s in stays(straight((1000, 1000), (3000, 1000)), (box(0, 0, 5000, 5000),))] == [
        (0, 2000)
    ]


@pytest.mark.parametrize(
    ("a", "b"), [((0, 2000), (5000, 2000)), ((0, 3000), (2000, 1000 + 2000)), ((500, 2500), (1500, 1500 - 500))]
)
def test_touching_or_running_along_the_border_is_not_inside(a: tuple[int, int], b: tuple[int, int]) -> None:
    assert stays(straight(a, b), (box(1500, 0, 4000, 2000),)) == ()


def test_through_a_corner_and_along_the_diagonal() -> None:
    (stay,) = stays(straight((0, 0), (4000, 4000)), (box(1000, 1000, 2000, 2000),))
    assert isclose(stay.enters, 1000 * sqrt(2))
    assert isclose(stay.leaves, 2000 * sqrt(2))


def test_an_arc_over_a_piece() -> None:
    # Half a circle of 2000 around (5000, 5000), clockwise from the left; the piece begins where x is 6000, 60
    # degrees before the end.
    leg = Leg((3000, 5000), (7000, 5000), 2000 * pi, (5000, 5000), 2000, -pi)
    path = Path((3000, 5000), (7000, 5000), leg.length, leg.length, (leg,))
    (stay,) = stays(path, (box(6000, 4000, 9000, 9000),))
    assert isclose(stay.enters, 2000 * pi * 2 / 3)
    assert isclose(stay.leaves, leg.length)
    assert isclose(stay.entry[1], 5000 + 1000 * sqrt(3))


def test_no_path_at_all_stays_nowhere() -> None:
    assert stays(straight((10, 10), (10, 10)), (box(0, 0, 100, 100),)) == ()


def test_where_a_line_comes_within_reach() -> None:
    path = straight((0, 0), (10_000, 0))
    # 3-4-5: 4000 before the foot of a place that is 3000 aside.
    assert first_within(path, (6000, 3000), 5000) == Spot(2000, (2000, 0))
    assert first_within(path, (6000, 3000), 3000) == Spot(
        pytest.approx(6000, abs=0.1), (pytest.approx(6000, abs=0.1), 0)
    )
    assert first_within(path, (6000, 3000), 2999.999) is None
    assert first_within(path, (-1000, 0), 999) is None
    assert first_within(path, (-1000, 0), 1000) == Spot(0, (0, 0))
    spot = first_within(path, (12_000, 0), 2000)
    assert spot is not None
    assert isclose(spot.along, 10_000)
    assert first_within(path, (12_001, 0), 2000) is None


def test_where_an_arc_comes_within_reach() -> None:
    leg = Leg((3000, 5000), (7000, 5000), 2000 * pi, (5000, 5000), 2000, -pi)
    path = Path((3000, 5000), (7000, 5000), leg.length, leg.length, (leg,))
    # The place is the top of the circle; 2000 away from it on the circle is 60 degrees before: three equal sides.
    spot = first_within(path, (5000, 7000), 2000)
    assert spot is not None
    assert isclose(spot.along, 2000 * pi / 6, rel_tol=1e-8)
    assert first_within(path, (5000, 5000), 1999) is None
    assert first_within(path, (5000, 3500), 1999) is None


places = st.tuples(st.integers(600, 11_400), st.integers(600, 11_400))
SCENE = [
    box(2000, 2000, 4000, 9000),
    ((5000, 3000), (9000, 2500), (7000, 6000)),
    ((5200, 8000), (6200, 7000), (9000, 9600)),
]
FIGURES = [Round((4800, 10_000), 400), Round((10_000, 6000), 500), Round((8000, 11_000), 400, passable=True)]


@settings(deadline=None, max_examples=cases(80))
@given(places, places, places, st.integers(100, 3000), st.tuples(places, places, places))
def test_stays_and_contacts_as_dense_samples_say(a, b, at, within: int, corners) -> None:
    path = Obstacles(SCENE, 400, TABLE, FIGURES).path(a, b) or straight(a, b)
    alongs = [path.length * part / 2000 for part in range(2001)]
    spots = [path.at(along) for along in alongs]
    near = [along for along, spot in zip(alongs, spots, strict=True) if dist(spot, at) <= within]
    found = first_within(path, at, within)
    if near:
        assert found is not None
        assert near[0] - path.length / 2000 - ROUNDING <= found.along <= near[0] + ROUNDING
    if found is not None:
        assert dist(found.at, at) <= within + ROUNDING
        assert dist(found.at, path.at(found.along)) < ROUNDING
    piece = shapely.Polygon(corners)
    if piece.area:
        # Samples on the border itself fall to either side as rounding has it.
        least, most = (
            shapely.contains(piece.buffer(by), shapely.points(spots)).mean() * path.length for by in (-0.001, 0.001)
        )
        slack = path.length / 250 + ROUNDING
        assert least - slack <= sum(stay.length for stay in stays(path, (corners,))) <= most + slack


@settings(deadline=None, max_examples=cases(12))
@given(places, st.integers(1, 6000), st.randoms(use_true_random=False))
def test_reach_holds_just_what_paths_reach(start: tuple[int, int], allowance: int, random: Random) -> None:
    obstacles = Obstacles(SCENE, 400, TABLE, FIGURES)
    if not obstacles.free(start):
        with pytest.raises(ValueError, match="cannot be"):
            Reach(obstacles, start, allowance)
        return
    reach = Reach(obstacles, start, allowance)
    area = reach.area()
    drawn = shapely.union_all([shapely.Polygon(shape.outside, shape.holes) for shape in area.shapes])
    # As answers have it, in whole thousandths.
    rounded = shapely.transform(drawn, np.round)
    assert area.error < 20
    for _ in range(60):
        at = tuple(part + random.randint(-allowance - 50, allowance + 50) for part in start)
        spot = shapely.Point(at)
        path = obstacles.path(start, at)
        if path is None or path.length > allowance:
            assert reach.cost(at) is None
            assert reach.path(at) is None
            if path is None or path.length > allowance + area.error:
                # What lies outside, or is held by an obstacle, is in no shape, but for chords beside arcs.
                assert not drawn.contains(spot) or drawn.boundary.distance(spot) <= area.error
        else:
            cost, way = reach.cost(at), reach.path(at)
            assert cost is not None
            assert abs(cost - path.length) < ROUNDING
            assert way is not None
            assert abs(way.length - path.length) < ROUNDING
            assert rounded.covers(spot)


def test_an_area_is_drawn_with_few_points_and_exceeds_the_whole_by_no_more_than_its_error(monkeypatch) -> None:
    obstacles = Obstacles(SCENE, 400, TABLE, FIGURES)
    reach = Reach(obstacles, (4500, 6500), 6000)
    area = reach.area()
    monkeypatch.setattr(Reach, "_simpler", lambda _, area: area)
    every = reach.area()
    drawn, whole = (
        shapely.union_all([shapely.Polygon(shape.outside, shape.holes) for shape in each.shapes])
        for each in (area, every)
    )
    assert shapely.get_num_coordinates(drawn) < shapely.get_num_coordinates(whole) / 4
    assert drawn.covers(shapely.intersection(whole, shapely.box(400, 400, 11_600, 11_600)))
    assert whole.buffer(area.error).covers(drawn)


def test_reach_over_an_empty_table_is_a_disc() -> None:
    area = Reach(Obstacles([], 500, (20_000, 20_000)), (10_000, 10_000), 6000).area(spacing=1000)
    (shape,) = area.shapes
    drawn = shapely.Polygon(shape.outside, shape.holes)
    assert drawn.contains(shapely.Point(10_000, 10_000).buffer(5999.999, quad_segs=200))
    assert shapely.Point(10_000, 10_000).buffer(6000 + area.error, quad_segs=400).contains(drawn)
    # Whole places within 6 of a whole place: 113 of them, by Gauss's count of circle points.
    assert len(area.samples) == 113
    assert {sample.cost for sample in area.samples if sample.at == (13_000, 14_000)} == {5000}


def test_reach_stops_at_the_edge_and_leaves_out_where_one_may_not_stop() -> None:
    obstacles = Obstacles([], 500, TABLE, [Round((6000, 6000), 500, passable=True)])
    area = Reach(obstacles, (4000, 6000), 20_000).area()
    (shape,) = area.shapes
    drawn = shapely.Polygon(shape.outside, shape.holes)
    assert len(shape.holes) == 1
    assert drawn.bounds == pytest.approx((500, 500, 11_500, 11_500))
    more = drawn.area - (11_000**2 - pi * 1000**2)
    assert 0 <= more <= 2 * pi * 1000 * area.error


def test_an_allowance_of_nothing_reaches_the_start() -> None:
    reach = Reach(Obstacles(SCENE, 400, TABLE), (1000, 1000), 0)
    assert reach.cost((1000, 1000)) == 0
    assert reach.cost((1001, 1000)) is None
    with pytest.raises(ValueError, match="below zero"):
        Reach(Obstacles(SCENE, 400, TABLE), (1000, 1000), -1)


def test_costs_go_on_around_every_corner() -> None:
    # Every place of a fine grid, by a search of its own each: what was swept must leave none out.
    obstacles = Obstacles(SCENE, 400, TABLE, FIGURES)
    reach = Reach(obstacles, (4500, 6500), 9000)
    reached = 0
    for x in range(430, 12_000, 610):
        for y in range(430, 12_000, 610):
            path = obstacles.path((4500, 6500), (x, y), at_most=9000)
            assert (reach.cost((x, y)) or inf) == pytest.approx(path.length if path else inf, abs=ROUNDING)
            reached += path is not None
    assert reached > 100
