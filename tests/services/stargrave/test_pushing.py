"""Pushing: where a push ends, against straight lines drawn with another geometry."""

from itertools import product
from math import cos, hypot, radians, sin
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from shapely import LineString, Point, box

from services.stargrave.rules import combat, pushing
from services.stargrave.scene import Figure
from tests.effort import cases
from tests.services.stargrave.asking import ask
from tests.services.stargrave.brawl import box as piece
from tests.services.stargrave.brawl import field_of, fighter, scene, table, walls

THOUSANDTH = 0.001


def pushed(posted: dict[str, Any], id_: str = "rob", away_from: str = "kel", **options: str) -> Figure:
    return pushing.pushed(table(**options), field_of(posted), id_, away_from).figure(id_)


def at(figure: Figure) -> tuple[float, float]:
    assert figure.at is not None
    return figure.at


def test_a_push_goes_one_inch_straight_back() -> None:
    posted = scene(fighter("kel", [10, 10]), fighter("rob", [10.6, 10.8], "blue"))
    assert at(pushed(posted)) == (11.2, 11.6)


def test_a_push_ends_where_the_base_meets_another() -> None:
    posted = scene(fighter("kel", [10, 10]), fighter("rob", [11, 10], "blue"), fighter("wal", [12.25, 10], "blue"))
    assert at(pushed(posted)) == (11.25, 10)


def test_a_push_of_a_base_that_touches_a_wall_goes_along_it() -> None:
    wall = piece("wall", 9, 10.5, 14, 11)
    posted = scene(fighter("kel", [10, 10]), fighter("rob", [11, 10], "blue"), board=walls(wall))
    assert at(pushed(posted)) == (12, 10)


def test_a_push_into_a_wall_that_is_touched_goes_nowhere() -> None:
    wall = piece("wall", 11.5, 8, 12, 12)
    posted = scene(fighter("kel", [10, 10]), fighter("rob", [11, 10], "blue"), board=walls(wall))
    assert at(pushed(posted)) == (11, 10)


def test_a_push_along_a_slanting_wall_is_not_stopped_by_rounding() -> None:
    """The wall runs from (0, 0) through (3, 4); both bases lie half an inch beside it."""
    slab = {"id": "slab", "outline": [[0, 0], [12, 16], [13, 15.25]]}
    beside = [(3 - 0.4, 4 + 0.3), (3.6 - 0.4, 4.8 + 0.3)]
    posted = scene(fighter("kel", beside[0]), fighter("rob", beside[1], "blue"), board=walls(slab))
    x, y = at(pushed(posted))
    assert hypot(x - beside[1][0], y - beside[1][1]) > 0.99


def test_a_winner_pushes_the_other_along_a_third_base_that_both_leave_where_it_is() -> None:
    """Bo goes up along 3 : 4, square to the line to rob's middle, and touches rob's base as he begins."""
    figures = [fighter("tov", [17, 7.8]), fighter("bo", [16.2, 8.4], "blue"), fighter("rob", [15.6, 7.6], "blue")]
    ruling = ask(
        "attack",
        {"scene": scene(*figures), "fighter": "tov", "opponent": "bo"},
        dice={"hand": {"tov: combat": [15], "bo: combat": [8]}},
        choices={"tov: after the fight": ["push-opponent"]},
    )
    assert [event.values["to"] for event in ruling.effects.events if event.name == "pushed"] == [(15.4, 9.0)]


SQUARE = [
    (x * i, y * j)
    for a, b in ((600, 800), (280, 960), (352, 936), (0, 1000))
    for x, y in ((a, b), (b, a))
    for i in (1, -1)
    for j in (1, -1)
]
"""Ways of an inch whose ends are whole thousandths: by the triangles 3-4-5, 7-24-25 and 44-117-125, and straight."""


MIDDLE = (12_000, 12_000)


def three(x: int, y: int, third: tuple[int, int]) -> dict[str, Any]:
    """Give Rob in the middle, Kel behind him, and Wal at a third place; all in thousandths."""
    places = [("kel", "red", (12_000 - x, 12_000 - y)), ("rob", "blue", MIDDLE), ("wal", "blue", third)]
    return scene(*(fighter(id_, [u / 1000, v / 1000], crew) for id_, crew, (u, v) in places))


@pytest.mark.parametrize("eighths", [0, 1, 4, 8])
def test_a_push_along_a_base_goes_its_whole_way(eighths: int) -> None:
    for (x, y), side, option in product(SQUARE, (1, -1), ("stops", "forbidden")):
        third = (12_000 - side * y + eighths * x // 8, 12_000 + side * x + eighths * y // 8)
        rob = pushed(three(x, y, third), push_into_obstacle=option)
        assert at(rob) == ((12_000 + x) / 1000, (12_000 + y) / 1000), (x, y, side, option)


@pytest.mark.parametrize(
    ("third", "end"),
    [
        # It comes no nearer than 0.999 on its way, which is touching; where it would end so near it is put beside.
        ([11.05, 10.999], (12, 10)),
        ([12, 10.999], (12, 9.999)),
        # 0.998 is too near: it stops where it meets the base, √(1² - 0.998²) = 0.0632 before the middle.
        ([11.07, 10.998], (11.006, 10)),
        ([11.64, 10.8], (11.04, 10)),
    ],
)
def test_what_a_push_brushes_by_a_thousandth_does_not_stop_it(third: list[float], end: tuple[float, float]) -> None:
    figures = [fighter("kel", [10, 10]), fighter("rob", [11, 10], "blue"), fighter("wal", third, "blue")]
    assert at(pushed(scene(*figures))) == end


def test_a_push_passes_below_whoever_stands_above() -> None:
    figures = [fighter("kel", [10, 10]), fighter("rob", [11, 10], "blue")]
    assert at(pushed(scene(*figures, fighter("wal", [12, 10.2], "blue", elevation_in=3)))) == (12, 10)


@settings(max_examples=cases(150), deadline=None)
@given(st.integers(0, 359), st.integers(0, 3599), st.integers(0, 300))
def test_a_push_past_a_base_is_stopped_exactly_where_it_would_enter_it(push: int, spot: int, gap: int) -> None:
    x, y = round(1001 * cos(radians(push))), round(1001 * sin(radians(push)))
    far = 1001 + gap
    third = (12_000 + round(far * cos(radians(spot / 10))), 12_000 + round(far * sin(radians(spot / 10))))
    end = tuple(round(1000 * part) for part in at(pushed(three(x, y, third))))
    whole = (12_000 + x / hypot(x, y) * 1000, 12_000 + y / hypot(x, y) * 1000)
    nearest = LineString([MIDDLE, whole]).distance(Point(third))
    assume(abs(nearest - 999) > 1e-6)
    # Wherever it ends, it stands in nobody.
    assert (end[0] - third[0]) ** 2 + (end[1] - third[1]) ** 2 >= 1000**2
    if nearest > 999:
        assert hypot(end[0] - whole[0], end[1] - whole[1]) < 2.5
    else:
        assert hypot(end[0] - third[0], end[1] - third[1]) < 1002.5
        assert LineString([MIDDLE, whole]).distance(Point(end)) < 2


def test_a_low_wall_beside_a_roof_stops_nobody_on_the_roof() -> None:
    roof, low = piece("roof", 8, 8, 11.6, 12, height_in=3), piece("low", 12, 8, 13, 12, height_in=2)
    figures = [fighter("kel", [10, 10], elevation_in=3), fighter("rob", [11, 10], "blue", elevation_in=3)]
    rob = pushed(scene(*figures, board=walls(roof, low)))
    # Its middle goes over the edge of the roof at 11.6, and its base needs half an inch beside it.
    assert (at(rob), rob.elevation_in, rob.health) == ((12.1, 10), 2.0, None)


@pytest.mark.parametrize(("height", "health"), [(3, 14), (4, 8), (5, 7), (6, 5)])
def test_who_is_pushed_off_a_roof_takes_the_damage_of_the_fall(height: int, health: int) -> None:
    roof = piece("roof", 8, 8, 11.6, 12, height_in=height)
    figures = [fighter("kel", [10, 10], elevation_in=height), fighter("rob", [11, 10], "blue", elevation_in=height)]
    rob = pushed(scene(*figures, board=walls(roof)))
    assert rob.elevation_in == 0
    assert (rob.health or 14) == health


def test_nobody_falls_onto_somebody_below() -> None:
    roof = piece("roof", 8, 8, 11.6, 12, height_in=4)
    figures = [fighter("kel", [10, 10], elevation_in=4), fighter("rob", [11, 10], "blue", elevation_in=4)]
    rob = pushed(scene(*figures, fighter("low", [12.3, 10.4]), board=walls(roof)))
    assert (at(rob), rob.elevation_in, rob.health) == ((11.6, 10), 4, None)


def test_who_stands_on_nothing_that_is_posted_keeps_its_height() -> None:
    figures = [fighter("kel", [10, 10], elevation_in=4), fighter("rob", [11, 10], "blue", elevation_in=4)]
    assert pushed(scene(*figures)).elevation_in == 4


inches = st.integers(2_000, 8_000).map(lambda whole: whole / 1000)
sizes = st.integers(50, 1_500).map(lambda whole: whole / 1000)


@settings(max_examples=cases(60), deadline=None)
@given(
    inches,
    inches,
    st.lists(st.tuples(inches, inches, sizes, sizes), max_size=4),
    st.lists(st.tuples(inches, inches), max_size=3),
)
def test_a_push_goes_as_far_as_the_way_is_clear(
    x: float, y: float, blocks: list[tuple[float, float, float, float]], others: list[tuple[float, float]]
) -> None:
    """Neither does it enter anything, nor does it end before something is in its way."""
    assume(hypot(x - 5, y - 5) >= 1)
    shapes = [box(bx, by, bx + wide, by + deep) for bx, by, wide, deep in blocks]
    assume(all(shape.distance(Point(x, y)) >= 0.5 for shape in shapes))
    assume(all(hypot(x - ox, y - oy) >= 1 and hypot(5 - ox, 5 - oy) >= 1 for ox, oy in others))
    pieces = [piece(f"p{n}", bx, by, bx + wide, by + deep) for n, (bx, by, wide, deep) in enumerate(blocks)]
    figures = [fighter(f"o{n}", spot, "blue") for n, spot in enumerate(others)]
    posted = scene(fighter("kel", [5, 5]), fighter("rob", [x, y], "blue"), *figures, board=walls(*pieces))
    end = at(pushed(posted))
    length = hypot(end[0] - x, end[1] - y)
    assert length <= 1 + 2 * THOUSANDTH
    way = LineString([(x, y), end]) if length else Point(x, y)
    assert all(way.distance(shape) >= 0.5 - 2 * THOUSANDTH for shape in shapes)
    # Others it may brush by the thousandth that is lost in rounding, but it never ends in them.
    assert all(way.distance(Point(spot)) >= 1 - 2 * THOUSANDTH for spot in others)
    assert all(hypot(end[0] - ox, end[1] - oy) >= 1 - 1e-9 for ox, oy in others)
    if length < 1 - 2 * THOUSANDTH:
        apart = hypot(x - 5, y - 5)
        further = length + 5 * THOUSANDTH
        there = (x + (x - 5) / apart * further, y + (y - 5) / apart * further)
        longer = LineString([(x, y), there])
        met = [longer.distance(shape) < 0.5 + THOUSANDTH for shape in shapes]
        met += [longer.distance(Point(spot)) < 1 + THOUSANDTH for spot in others]
        assert any(met)


@settings(max_examples=cases(30), deadline=None)
@given(st.integers(0, 359))
def test_a_push_ends_combat_and_every_free_direction_leads_away(degrees: int) -> None:
    spot = [round(10 + 1.001 * cos(radians(degrees)), 3), round(10 + 1.001 * sin(radians(degrees)), 3)]
    field = field_of(scene(fighter("kel", [10, 10]), fighter("rob", spot, "blue")))
    here = table()
    assert combat.in_combat(here, field, "rob")
    after = pushing.pushed(here, field, "rob", "kel")
    assert not combat.in_combat(here, after, "rob")
    assert hypot(at(after.figure("rob"))[0] - 10, at(after.figure("rob"))[1] - 10) == pytest.approx(2.001, abs=0.003)
