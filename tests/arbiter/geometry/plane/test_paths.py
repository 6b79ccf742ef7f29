from fractions import Fraction
from math import dist, gcd, hypot, inf, isclose, pi, sqrt
from random import Random

import mpmath
import numpy as np
import pytest
import shapely
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from arbiter.geometry.plane.paths.room import Polygon
from arbiter.geometry.plane.paths.shortest import Obstacles, Path, Round
from tests.arbiter.geometry.plane.test_paths_oracle import Oracle
from tests.effort import cases

TABLE = (10_000, 10_000)
# A millionth of a unit, in thousandths.
CLOSE = 1e-3
# What rounding may do over a handful of legs.
ROUNDING = 1e-5


def box(left: int, low: int, right: int, high: int) -> Polygon:
    return (left, low), (right, low), (right, high), (left, high)


def length(path: Path | None) -> float:
    return inf if path is None else path.length


# By hand.


def test_nothing_in_between_is_a_straight_line() -> None:
    path = Obstacles([], 500, TABLE).path((1000, 1000), (4000, 5000))
    assert path is not None
    assert path.length == path.cost == 5000
    assert [(leg.start, leg.end, leg.centre) for leg in path.legs] == [((1000, 1000), (4000, 5000), None)]
    assert path.error == 0


def test_no_way_at_all_is_a_path_of_no_length() -> None:
    path = Obstacles([], 500, TABLE).path((1000, 1000), (1000, 1000))
    assert path == Path((1000, 1000), (1000, 1000), 0.0, 0.0, ())


@pytest.mark.parametrize("radius", [1, 125, 492, 500, 1000])
def test_around_one_corner_is_two_tangents_and_an_arc(radius: int) -> None:
    # A triangle whose tip at (5000, 4000) has to be passed on top; its lower side lies along the table's edge.
    obstacles = Obstacles([((4900, 0), (5100, 0), (5000, 4000))], radius, TABLE)
    path = obstacles.path((2000, 3000), (7500, 3500))
    assert path is not None
    with mpmath.workdps(50):
        a, b, r = mpmath.mpc(-3000, -1000), mpmath.mpc(2500, -500), mpmath.mpf(radius)
        # Clockwise over the top, from the direction of the start to that of the goal.
        angle = mpmath.arg(a / b) % (2 * mpmath.pi)
        arc = angle - mpmath.acos(r / abs(a)) - mpmath.acos(r / abs(b))
        true = mpmath.sqrt(abs(a) ** 2 - r**2) + mpmath.sqrt(abs(b) ** 2 - r**2) + r * arc
        assert abs(path.length - true) < 1e-9
    assert [leg.centre for leg in path.legs] == [None, (5000, 4000), None]
    assert isclose(path.legs[1].angle, -float(arc), rel_tol=1e-9)
    assert isclose(path.legs[1].length, float(arc) * radius, rel_tol=1e-9)


def test_between_two_round_things_the_path_crosses_over() -> None:
    # Two figures of radius 500, for a base of 500: circles of 1000 around (4000, 5000) and (7000, 5000). A wall above
    # the first and one below the second make the path pass below the first and above the second.
    walls = [box(3999, 5000, 4001, 10_000), box(6999, 0, 7001, 5000)]
    rounds = [Round((4000, 5000), 500), Round((7000, 5000), 500)]
    path = Obstacles(walls, 500, TABLE, rounds).path((1000, 5000), (9500, 5000))
    assert path is not None
    # From (1000, 5000), 3000 away: a tangent of sqrt(8), then an arc as far as the inner tangent, at acos(2000 / 3000)
    # from the line of centres; the same from the other end, 2500 away.
    inner = sqrt(3000**2 - 2000**2)
    turned = [pi - float(mpmath.acos(Fraction(1000, far))) - float(mpmath.acos(Fraction(2, 3))) for far in (3000, 2500)]
    legs = sqrt(3000**2 - 1000**2) + sqrt(2500**2 - 1000**2)
    assert abs(path.length - (legs + inner + 1000 * sum(turned))) < 1e-8
    assert [leg.angle > 0 for leg in path.legs if leg.centre] == [True, False]


@pytest.mark.parametrize(("gap", "open_"), [(1000, True), (999, False), (1001, True)])
def test_a_gap_as_wide_as_the_base_is_passable(gap: int, open_: bool) -> None:
    walls = [box(4000, 0, 6000, 5000), box(4000, 5000 + gap, 6000, 10_000)]
    path = Obstacles(walls, 500, TABLE).path((1000, 5500), (9000, 5500))
    assert (path is not None) is open_
    if gap == 1000:
        assert length(path) == 8000


@pytest.mark.parametrize(("high", "open_"), [(9000, True), (9001, False)])
def test_a_gap_along_the_edge_of_the_table_counts_too(high: int, open_: bool) -> None:
    assert (Obstacles([box(4000, 0, 6000, high)], 500, TABLE).path((1000, 500), (9000, 500)) is not None) is open_


@pytest.mark.parametrize(("gap", "open_"), [((600, 800), True), ((600, 799), False)])
def test_a_gap_between_two_corners_counts_too(gap: tuple[int, int], open_: bool) -> None:
    x, y = gap
    walls = [((5000, 5000), (0, 5000), (0, 4900)), ((5000 + x, 5000 + y), (10_000, 5000 + y), (10_000, 5001 + y))]
    assert (Obstacles(walls, 500, TABLE).path((1000, 1000), (9000, 9000)) is not None) is open_


@pytest.mark.parametrize("short", [True, False])
def test_a_gap_beside_a_slanting_side_is_decided_in_whole_numbers(short: bool) -> None:
    # A side along (run, rise), and a corner at such a distance from it that the gap is too narrow, or wide enough, by
    # less than floats are trusted to tell: across * across is as near to 1000 squared times the side's square as whole
    # numbers come.
    run, rise = slanting(short)
    side = hypot(run, rise)
    across = int(1000 * side) + (0 if short else 1)
    while (across**2 < 1000**2 * (run**2 + rise**2)) is not short:
        across += -1 if short else 1
    assert abs(across / side - 1000) < 1e-6
    # run * y - rise * x = across has a solution in whole numbers, and so has it with the foot near the side's middle.
    x = -across * pow(rise, -1, run) % run
    y = (across + rise * x) // run
    assert run * y - rise * x == across
    along = Fraction(run * x + rise * y, run**2 + rise**2)
    x, y = x - round(along - Fraction(1, 2)) * run, y - round(along - Fraction(1, 2)) * rise
    x, y = x + 20_000, y + 20_000
    low, high = (20_000 - 15 * run, 20_000 - 15 * rise), (20_000 + 16 * run, 20_000 + 16 * rise)
    table = (60_000, 60_000)
    slab = (low, (low[0] + 1000, low[1] - 60_000), (high[0] + 1000, high[1] - 60_000), high)
    # The side runs from edge to edge of the table, and a wedge comes down to the corner.
    wedge = ((x, y), (x + 10, 90_000), (x - 10, 90_000))
    left, right = (x - 3000, y + 3000), (x + 3000, y + 4000)
    assert (Obstacles([slab, wedge], 500, table).path(left, right) is not None) is not short
    # A base of twice the radius, whose centre is where the wedge's corner was, touches the side or enters it.
    assert Obstacles([slab], 1000, table).free((x, y)) is not short


def slanting(short: bool) -> tuple[int, int]:
    """A direction whose thousandfold length is nearly a whole number: a little more, or a little less."""
    for run in range(1500, 3000):
        for rise in range(100, 1000):
            part = 1000 * hypot(run, rise) % 1
            if gcd(run, rise) == 1 and 0 < (part if short else 1 - part) < 1e-3:
                return run, rise
    raise AssertionError("there is such a direction")


def test_contact_at_the_start_holds_nobody() -> None:
    obstacles = Obstacles([box(4000, 4000, 6000, 6000)], 500, TABLE)
    assert length(obstacles.path((3500, 5000), (3500, 9000))) == 4000
    assert length(obstacles.path((3500, 5000), (1000, 5000))) == 2500
    # At the corner itself: 300 and 400 away make 500.
    assert length(obstacles.path((3700, 3600), (1000, 3600))) == 2700


def test_contact_one_thousandth_too_near_is_not_free() -> None:
    obstacles = Obstacles([box(4000, 4000, 6000, 6000)], 500, TABLE, [Round((1000, 9000), 300)])
    assert not obstacles.free((3501, 5000))
    assert not obstacles.free((3700, 3601))
    assert not obstacles.free((1000, 9799 - 1598))
    assert obstacles.free((1000, 8200))
    assert obstacles.path((3501, 5000), (3500, 9000)) is None
    assert obstacles.path((3500, 9000), (5000, 5000)) is None


@pytest.mark.parametrize("at", [(499, 5000), (9501, 5000), (5000, 499), (5000, 9501), (-5000, 5000)])
def test_a_base_stays_on_the_table_whole(at: tuple[int, int]) -> None:
    obstacles = Obstacles([], 500, TABLE)
    assert not obstacles.free(at)
    assert obstacles.path((5000, 5000), at) is None


def test_a_passable_figure_may_be_crossed_but_not_stopped_on() -> None:
    passable = Obstacles([], 500, TABLE, [Round((5000, 5000), 500, passable=True)])
    assert length(passable.path((1000, 5000), (9000, 5000))) == 8000
    assert passable.path((1000, 5000), (5000, 5999)) is None
    assert length(passable.path((5000, 1000), (5000, 4000))) == 3000
    assert passable.path((5000, 1000), (5000, 4001)) is None
    blocking = Obstacles([], 500, TABLE, [Round((5000, 5000), 500)])
    # Two tangents from 4000 away to a circle of 1000, and what is left of half a circle.
    true = 2 * sqrt(4000**2 - 1000**2) + 1000 * (pi - 2 * float(mpmath.acos(Fraction(1, 4))))
    assert abs(length(blocking.path((1000, 5000), (9000, 5000))) - true) < 1e-8


def test_a_path_longer_than_wanted_is_none() -> None:
    obstacles = Obstacles([box(4000, 0, 6000, 5000)], 500, TABLE)
    shortest = length(obstacles.path((1000, 1000), (9000, 1000)))
    assert obstacles.path((1000, 1000), (9000, 1000), at_most=shortest - 0.01) is None
    assert length(obstacles.path((1000, 1000), (9000, 1000), at_most=shortest)) == shortest


def test_a_place_that_is_walled_in_has_no_path() -> None:
    ring = [box(3000, 3000, 7000, 3100), box(3000, 6900, 7000, 7000), box(3000, 3000, 3100, 7000)]
    ring += [box(6900, 3000, 7000, 7000)]
    assert Obstacles(ring, 100, TABLE).path((5000, 5000), (1000, 1000)) is None
    assert Obstacles(ring[:3], 100, TABLE).path((5000, 5000), (1000, 1000)) is not None


def test_the_places_along_a_path() -> None:
    path = Obstacles([((4900, 0), (5100, 0), (5000, 4000))], 500, TABLE).path((4000, 3000), (6000, 3000))
    assert path is not None
    assert path.at(0) == path.at(-5) == (4000, 3000)
    assert path.at(path.length + 5) == (6000, 3000)
    middle = path.at(path.length / 2)
    assert abs(middle[0] - 5000) < 1e-9
    assert abs(middle[1] - 4500) < 1e-9


@pytest.mark.parametrize(
    ("polygons", "radius", "table"),
    [
        ([((0, 0), (1000, 1000), (1000, 0), (0, 1000))], 500, TABLE),
        ([((0, 0), (1000, 0))], 500, TABLE),
        ([((0, 0), (1000, 0), (2000, 0))], 500, TABLE),
        ([((0, 0), (0, 0), (1000, 0), (1000, 1000))], 500, TABLE),
        ([], 0, TABLE),
        ([], 100_001, TABLE),
        ([], 500, (0, 1000)),
    ],
)
def test_what_cannot_be_is_an_error(
    polygons: list[tuple[tuple[int, int], ...]], radius: int, table: tuple[int, int]
) -> None:
    with pytest.raises(ValueError, match=r"polygon|base|table"):
        Obstacles(polygons, radius, table)


# Against the second way, and against a fine grid.

on_grid = st.integers(0, 20).map(lambda n: n * 500)
anywhere = st.integers(0, 10_000)


@st.composite
def pieces(draw: st.DrawFn) -> Polygon:
    along = draw(st.sampled_from([on_grid, anywhere]))
    if draw(st.booleans()):
        left, low = draw(along), draw(along)
        wide, tall = (500 * draw(st.integers(1, 8)) for _ in "xy")
        return box(left, low, left + wide, low + tall)
    points = draw(st.lists(st.tuples(along, along), min_size=3, max_size=5, unique=True))
    assume(shapely.Polygon(points).is_valid and shapely.Polygon(points).area > 0)
    return tuple(points)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[list[tuple[tuple[int, int], ...]], int, list[Round], list[tuple[int, int]]]:
    polygons = draw(st.lists(pieces(), max_size=5))
    rounds = draw(st.lists(st.builds(Round, st.tuples(on_grid, on_grid), st.sampled_from([250, 400, 500])), max_size=2))
    spots = draw(st.lists(st.tuples(on_grid | anywhere, on_grid | anywhere), min_size=3, max_size=3))
    return polygons, draw(st.sampled_from([1, 250, 400, 500])), rounds, spots


relaxed = settings(max_examples=cases(100), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


@relaxed
@given(scenes())
def test_paths_are_as_long_as_the_second_way_says(scene) -> None:
    polygons, radius, rounds, (a, b, _) = scene
    assume(a != b)
    found = length(Obstacles(polygons, radius, TABLE, rounds).path(a, b))
    true = Oracle(polygons, radius, TABLE, [(*thing.at, thing.radius) for thing in rounds]).length(a, b)
    assert found == true or abs(found - true) < ROUNDING


def drawn(random: Random) -> tuple[Polygon, ...]:
    """A few triangles, stars and boxes of any size, on a grid that makes them touch or on none."""
    step, polygons = random.choice([1, 100, 500]), []
    while len(polygons) < random.randint(2, 6):
        x, y, size = random.randrange(0, 9000, step), random.randrange(0, 9000, step), random.choice([1000, 3000, 5000])
        if random.random() < 0.5:
            wide, tall = (random.randint(1, size // step) * step for _ in "xy")
            polygons.append(box(x, y, x + wide, y + tall))
            continue
        count = random.choice([3, 3, 4, 5])
        points = [
            (x + random.randrange(-size, size, step), y + random.randrange(-size, size, step)) for _ in range(count)
        ]
        if len(set(points)) == count and shapely.Polygon(points).is_valid and shapely.Polygon(points).area:
            polygons.append(tuple(points))
    return tuple(polygons)


def test_crowded_tables_as_the_second_way_says() -> None:
    random = Random(7)
    bent = 0
    for _ in range(cases(150)):
        polygons, step = drawn(random), random.choice([1, 100, 500])
        rounds = [
            Round((random.randrange(0, 10_000, step), random.randrange(0, 10_000, step)), random.randint(100, 600))
            for _ in range(random.choice([0, 0, 1, 3]))
        ]
        radius = random.choice([100, 200, 500, random.randint(50, 600)])
        obstacles = Obstacles(polygons, radius, TABLE, rounds)
        spots = [(x, y) for x in range(700, 10_000, 1720) for y in range(700, 10_000, 1720) if obstacles.free((x, y))]
        if len(spots) < 2:
            continue
        oracle = Oracle(polygons, radius, TABLE, [(*thing.at, thing.radius) for thing in rounds])
        for _ in range(2):
            a, b = random.sample(spots, 2)
            path = obstacles.path(a, b)
            true = oracle.length(a, b)
            assert length(path) == true or abs(length(path) - true) < ROUNDING, (polygons, radius, rounds, a, b)
            bent += path is not None and len(path.legs) > 1
    assert bent > cases(60)


@relaxed
@given(scenes(), st.lists(st.tuples(on_grid | anywhere, on_grid | anywhere), max_size=12))
def test_the_path_to_the_nearest_of_many_places_is_the_shortest_of_all(scene, goals: list[tuple[int, int]]) -> None:
    polygons, radius, rounds, (a, centre, b) = scene
    obstacles = Obstacles(polygons, radius, TABLE, rounds)
    goals = [b, *goals]
    path = obstacles.path_to_nearest(a, centre, goals)
    shortest = min(length(Obstacles(polygons, radius, TABLE, rounds).path(a, goal)) for goal in goals)
    assert length(path) == shortest or abs(length(path) - shortest) < ROUNDING
    assert path is None or path.end in goals
    assert obstacles.path_to_nearest(a, centre, ()) is None


@relaxed
@given(scenes())
def test_paths_are_legal_and_as_long_as_they_say(scene) -> None:
    polygons, radius, rounds, (a, b, _) = scene
    path = Obstacles(polygons, radius, TABLE, rounds).path(a, b)
    if path is None:
        return
    assert (path.legs[0].start, path.legs[-1].end) == (a, b) if path.legs else a == b
    line = shapely.LineString([path.at(path.length * part / 400) for part in range(401)])
    spots = shapely.points(shapely.get_coordinates(line))
    # No piece of the path is longer than the straight line between its ends, so that the sum cannot be too short.
    assert line.length <= path.length + ROUNDING
    assert isclose(sum(leg.length for leg in path.legs), path.length, abs_tol=ROUNDING)
    for polygon in polygons:
        assert (shapely.distance(spots, shapely.Polygon(polygon)) >= radius - 1e-5).all()
    for thing in rounds:
        assert (shapely.distance(spots, shapely.Point(thing.at)) >= radius + thing.radius - 1e-5).all()


@relaxed
@given(scenes())
def test_there_and_back_is_equally_far_and_no_stop_shortens_a_path(scene) -> None:
    polygons, radius, rounds, (a, b, c) = scene
    obstacles = Obstacles(polygons, radius, TABLE, rounds)
    there = length(obstacles.path(a, b))
    back = length(Obstacles(polygons, radius, TABLE, rounds).path(b, a))
    assert there == back or abs(there - back) < ROUNDING
    assert there >= dist(a, b) - ROUNDING
    if obstacles.clear(a, b):
        assert isclose(there, dist(a, b), rel_tol=1e-12)
    if obstacles.free(c):
        assert there <= length(obstacles.path(a, c)) + length(obstacles.path(c, b)) + ROUNDING


@relaxed
@given(scenes(), pieces(), st.integers(1, 200))
def test_more_obstacles_and_larger_bases_shorten_nothing(scene, piece, wider: int) -> None:
    polygons, radius, rounds, (a, b, _) = scene
    found = length(Obstacles(polygons, radius, TABLE, rounds).path(a, b))
    assert length(Obstacles([*polygons, piece], radius, TABLE, rounds).path(a, b)) >= found - ROUNDING
    assert length(Obstacles(polygons, radius + wider, TABLE, rounds).path(a, b)) >= found - ROUNDING


@relaxed
@given(scenes())
def test_mirrored_tables_have_mirrored_paths(scene) -> None:
    polygons, radius, rounds, (a, b, _) = scene
    found = length(Obstacles(polygons, radius, TABLE, rounds).path(a, b))
    mirrored = Obstacles(
        [tuple((10_000 - x, y) for x, y in polygon) for polygon in polygons],
        radius,
        TABLE,
        [Round((10_000 - thing.at[0], thing.at[1]), thing.radius) for thing in rounds],
    )
    other = length(mirrored.path((10_000 - a[0], a[1]), (10_000 - b[0], b[1])))
    assert found == other or abs(found - other) < ROUNDING


def test_no_grid_has_a_shorter_way() -> None:
    polygons = [box(2000, 0, 2500, 7000), box(4000, 3000, 7000, 3500), ((5000, 4500), (8500, 5000), (6000, 9000))]
    obstacles, spacing = Obstacles(polygons, 400, TABLE), 200
    axis = np.arange(400, 9601, spacing)
    spots = np.array([(x, y) for x in axis for y in axis])
    grown = shapely.union_all([shapely.Polygon(p) for p in polygons])
    number = {(x, y): i for i, (x, y) in enumerate(spots.tolist())}
    steps = [(dx, dy) for dx in range(-3, 4) for dy in range(-3, 4) if gcd(dx, dy) == 1]
    pairs = np.array(
        [
            (i, number[to])
            for (x, y), i in number.items()
            for dx, dy in steps
            if (to := (x + dx * spacing, y + dy * spacing)) in number
        ]
    )
    lines = shapely.linestrings(spots[pairs])
    kept = shapely.distance(lines, grown) >= 400
    pairs, far = pairs[kept], shapely.length(lines[kept])
    graph = csr_array((far, (pairs[:, 0], pairs[:, 1])), shape=(len(spots), len(spots)))
    start = (1000, 1000)
    over_grid = dijkstra(graph, indices=number[start])
    compared = 0
    for x, y in spots[:: 7 * 13].tolist():
        bound = over_grid[number[x, y]]
        if bound < inf:
            found = length(obstacles.path(start, (x, y)))
            # Such directions make a way longer by 1.4 in a hundred at most, and corners are not met exactly.
            assert found - ROUNDING <= bound <= 1.014 * found + 6 * spacing
            compared += 1
    assert compared > 15


def test_two_hundred_pieces_as_the_second_way_says() -> None:
    # Rows of small lozenges, close enough that most gaps are narrow and many are closed.
    polygons = []
    for i in range(14):
        for j in range(14):
            x, y, size = 350 + 700 * i, 350 + 700 * j, 100 + (37 * i * i + 53 * j) % 190
            polygons.append(((x - size, y), (x, y - size // 2), (x + size, y), (x, y + size // 2)))
    obstacles = Obstacles(polygons, 60, TABLE)
    near = [p for p in polygons if 1500 < p[1][0] < 5000 and 1500 < p[1][1] < 4500]
    start, goal = (2100, 2000), (4200, 3850)
    assert obstacles.free(start)
    assert obstacles.free(goal)
    found = length(obstacles.path(start, goal))
    # The shortest path stays where the pieces are that both know.
    assert abs(found - Oracle(near, 60, TABLE).length(start, goal)) < CLOSE
    assert found > dist(start, goal)
