"""Lines of sight between bases, held against walls worked out by hand and against many lines drawn with shapely."""

from math import cos, hypot, pi, sin
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import LineString, Polygon
from shapely.ops import unary_union

from arbiter.geometry.plane.shapes import Figure, Piece, standing
from services.rapture import lines
from tests.effort import cases

HIGH = 10_000


def model(id_: str, x: int, y: int, radius: int = 1500, height: int = 5000) -> Figure:
    return Figure(id_, (x, y), radius, height)


def wall(x: int, y: int, to_x: int, to_y: int, height: int = HIGH, id_: str = "wall") -> Piece:
    return Piece(id_, ((x, y), (to_x, y), (to_x, to_y), (x, to_y)), height)


def seen(a: Figure, b: Figure, *pieces: Piece, bodies: tuple[Figure, ...] = (), **how: Any) -> bool:
    options = {"origin": "any-point", "grazes": "cross", "heights": "plan", **how}
    tall = lines.in_the_way(a, b, (*pieces, *map(standing, bodies)), options["heights"])
    return lines.free_line(a, b, tall, options["origin"], options["grazes"]) is not None


ADA, BOB = model("ada", 10_000, 10_000), model("bob", 30_000, 10_000)


def test_nothing_in_between_hides_nothing() -> None:
    assert seen(ADA, BOB)
    assert seen(ADA, BOB, wall(15_000, 20_000, 16_000, 40_000), origin="centre", grazes="touch")


@pytest.mark.parametrize(("top", "free"), [(8_500, True), (10_000, True), (11_498, True), (11_501, False)])
def test_a_wall_hides_when_it_passes_both_rims(top: int, free: bool) -> None:
    """Both bases reach up to y = 11.5: a wall of a thousandth more hides all of them."""
    barrier = wall(19_000, 0, 21_000, top)
    assert seen(ADA, BOB, barrier) is free
    assert seen(ADA, BOB, barrier, grazes="touch") is free


def test_a_wall_up_to_both_rims_leaves_no_line_that_touches_nothing() -> None:
    assert not seen(ADA, BOB, wall(19_000, 0, 21_000, 11_500), grazes="touch")


def test_between_centres_a_wall_up_to_the_line_is_grazed() -> None:
    barrier = wall(19_000, 0, 21_000, 10_000)
    assert seen(ADA, BOB, barrier, origin="centre")
    assert not seen(ADA, BOB, barrier, origin="centre", grazes="touch")
    assert not seen(ADA, BOB, wall(19_000, 0, 21_000, 10_001), origin="centre")


def test_a_slit_that_no_fixed_place_looks_through_is_found() -> None:
    """A slit of a twentieth of a millimetre on a slant, through which one line between the two corners leads."""
    low = wall(19_900, 0, 20_000, 10_733, id_="low")
    high = wall(20_000, 10_738, 20_100, 30_000, id_="high")
    assert seen(ADA, BOB, low, high)
    assert not seen(ADA, BOB, low, wall(20_000, 10_733, 20_100, 30_000, id_="high"))


# Each spire reaches from below up to the line along both upper rims, or a little beyond it. In the second pair that
# line runs 3 to the north for 4 to the east, 1.5 cm from the middles: (18, 16), half-way, plus 1.5 * (-3, 4) / 5. In
# the third the radii are 1.5 and 7.5, the middles 10 cm apart: it rises by 3 for 4 from (7.5, 10), where both look the
# same size.
@pytest.mark.parametrize(
    ("bob", "apex", "free"),
    [
        (BOB, (20_000, 11_500), True),
        (BOB, (20_000, 11_501), False),
        (model("bob", 26_000, 22_000), (17_100, 17_200), True),
        (model("bob", 26_000, 22_000), (17_099, 17_202), False),
        (model("bob", 20_000, 10_000, 7_500), (11_500, 13_000), True),
        (model("bob", 20_000, 10_000, 7_500), (11_500, 13_001), False),
    ],
)
def test_a_spire_up_to_the_line_along_both_rims_leaves_that_line_alone(
    bob: Figure, apex: tuple[int, int], free: bool
) -> None:
    spire = Piece("spire", ((2_000, -30_000), apex, (50_000, -30_000)), HIGH)
    assert seen(ADA, bob, spire) is free
    assert seen(bob, ADA, spire) is free
    assert not seen(ADA, bob, spire, grazes="touch")


def test_two_walls_with_gaps_too_far_apart_hide() -> None:
    """The gap of the first is above both bases, that of the second below: no straight line takes both."""
    first = [wall(15_000, 0, 16_000, 14_000, id_="a"), wall(15_000, 15_000, 16_000, 90_000, id_="b")]
    second = [wall(24_000, 0, 25_000, 5_000, id_="c"), wall(24_000, 6_000, 25_000, 90_000, id_="d")]
    assert not seen(ADA, BOB, *first, *second)
    assert lines.blockers(ADA, BOB, (*first, *second), (), "cross", "plan") == ("a", "d")


def test_heights_count_in_space_alone() -> None:
    low, level, high = (wall(19_000, 0, 21_000, 30_000, height) for height in (4_999, 5_000, 5_001))
    assert not seen(ADA, BOB, low)
    assert seen(ADA, BOB, low, heights="space")
    assert seen(ADA, BOB, level, heights="space")
    assert not seen(ADA, BOB, level, heights="space", grazes="touch")
    assert not seen(ADA, BOB, high, heights="space")


def test_models_block_when_they_are_given() -> None:
    between = model("eve", 20_000, 10_000, 1_600)
    assert not seen(ADA, BOB, bodies=(between,))
    assert seen(ADA, BOB, bodies=(model("eve", 20_000, 10_000, 1_400),))
    assert lines.near(ADA, BOB, (between, model("far", 20_000, 40_000))) == (between,)
    assert lines.blockers(ADA, BOB, (), (between,), "cross", "plan") == ("eve",)


def test_who_touches_is_seen_even_in_a_wood() -> None:
    assert seen(ADA, model("bob", 13_000, 10_000), wall(0, 0, 40_000, 40_000), grazes="touch", origin="centre")


places = st.integers(0, 40).map(lambda n: n * 500)
walls = st.tuples(places, places, st.integers(1, 14), st.integers(1, 14)).map(
    lambda at: wall(6_000 + at[0], 2_000 + at[1], 6_000 + at[0] + at[2] * 500, 2_000 + at[1] + at[3] * 500)
)


@settings(max_examples=cases(60), deadline=None)
@given(st.lists(walls, min_size=1, max_size=4), st.integers(5_000, 18_000), st.integers(600, 3_000))
def test_whatever_many_drawn_lines_find_is_seen(pieces: list[Piece], y: int, radius: int) -> None:
    """Forty places on either rim, and the middles: a line that crosses no wall by a thousandth shows the target."""
    a, b = ADA, model("bob", 30_000, y, radius)
    solid = unary_union([Polygon(piece.outline) for piece in pieces])

    def rim(of: Figure) -> list[tuple[float, float]]:
        turns = [2 * pi * k / 40 for k in range(40)]
        return [of.at, *((of.at[0] + of.radius * cos(t), of.at[1] + of.radius * sin(t)) for t in turns)]

    sampled = any(not LineString([p, q]).intersects(solid) for p in rim(a) for q in rim(b))
    result = {how: seen(a, b, *pieces, grazes=how) for how in ("touch", "cross")}
    if sampled:
        assert result["touch"]
    assert result["cross"] or not result["touch"]
    if result["cross"]:
        # Walls that are a little smaller leave the line that was found, and lines beside it.
        fewer = solid.buffer(-40)
        turns = [k * pi / 100 for k in range(200)]
        ends = [[(of.at[0] + of.radius * cos(t), of.at[1] + of.radius * sin(t)) for t in turns] for of in (a, b)]
        assert sampled or any(not LineString([p, q]).intersects(fewer) for p in ends[0] for q in ends[1])


@settings(max_examples=cases(60), deadline=None)
@given(st.lists(walls, min_size=1, max_size=4), st.integers(5_000, 18_000), st.integers(600, 3_000))
def test_the_line_that_shows_somebody_runs_from_base_to_base_past_all_walls(
    pieces: list[Piece], y: int, radius: int
) -> None:
    a, b = ADA, model("bob", 30_000, y, radius)
    line = lines.free_line(a, b, lines.in_the_way(a, b, pieces, "plan"), "any-point", "cross")
    assert (line is not None) == seen(a, b, *pieces)
    if line is not None:
        start, end = ((float(x), float(y)) for x, y in line)
        for at, base in ((start, a), (end, b)):
            assert hypot(at[0] - base.at[0], at[1] - base.at[1]) <= base.radius + 1
        # It may touch walls; those that are a little smaller it does not meet.
        assert not LineString([start, end]).intersects(unary_union([Polygon(p.outline) for p in pieces]).buffer(-2))


@settings(max_examples=cases(60), deadline=None)
@given(st.lists(walls, max_size=4), st.integers(5_000, 18_000), st.sampled_from(["any-point", "centre"]))
def test_sight_is_mutual_and_a_further_wall_shows_nobody(pieces: list[Piece], y: int, origin: str) -> None:
    a, b = ADA, model("bob", 30_000, y, 2_000)
    for how in ("touch", "cross"):
        assert seen(a, b, *pieces, grazes=how, origin=origin) == seen(b, a, *pieces, grazes=how, origin=origin)
        if pieces and seen(a, b, *pieces, grazes=how, origin=origin):
            assert seen(a, b, *pieces[1:], grazes=how, origin=origin)
