"""Fronts, lines of sight and distances by the geometry: borders, symmetry, and what hides in which way."""

from math import hypot
from typing import Any, get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.geometry.plane.shapes import Figure, in_front
from arbiter.ruling import Ruling
from services.size_skirmish.geometry import lines
from services.size_skirmish.ground import Ground, as_piece
from services.size_skirmish.rules import view
from services.size_skirmish.scene import Board, Piece
from tests.services.size_skirmish.field import ask, box, field_of, scene, table, walled, with_model, with_models

ADA = Figure("ada", (10_000, 10_000), 500, 2_000, 0, (1, 0))
BOB = Figure("bob", (20_000, 10_000), 500, 2_000, 0, (-1, 0))

PLACES = st.tuples(st.integers(0, 48_000), st.integers(0, 48_000))
FACINGS = st.tuples(st.integers(-1000, 1000), st.integers(-1000, 1000)).filter(any)


def ground(*pieces: Piece) -> Ground:
    return Ground(Board(pieces=pieces))


def piece(id_: str, x: float, y: float, to_x: float, to_y: float, height: float = 3, **rest: Any) -> Piece:
    return Piece(id_, ((x, y), (to_x, y), (to_x, to_y), (x, to_y)), height=height, **rest)


# Front


@pytest.mark.parametrize(
    ("at", "centre", "any_part"),
    [
        # In front, on the border, with the rim over it, touching it with the rim, and behind: with and without border.
        ((10_001, 20_000), (True, True), (True, True)),
        ((10_000, 20_000), (True, False), (True, True)),
        ((9_999, 20_000), (False, False), (True, True)),
        ((9_500, 20_000), (False, False), (True, False)),
        ((9_499, 20_000), (False, False), (False, False)),
    ],
)
def test_what_lies_ahead(at: tuple[int, int], centre: tuple[bool, bool], any_part: tuple[bool, bool]) -> None:
    target = replace(BOB, at=at)
    borders = get_args(lines.Border)
    assert tuple(lines.ahead(ADA, target, "centre", border) for border in borders) == centre
    assert tuple(lines.ahead(ADA, target, "any-part", border) for border in borders) == any_part


def test_a_slanting_border_is_exact() -> None:
    # Facing (3, 4), 5 long: the border runs along (4, -3), and a rim of 500 behind it touches it 300 and 400 back.
    body = replace(ADA, facing=(3, 4))
    on, behind = replace(BOB, at=(14_000, 7_000)), replace(BOB, at=(13_700, 6_600))
    assert [lines.ahead(body, on, "centre", border) for border in get_args(lines.Border)] == [True, False]
    assert [lines.ahead(body, behind, "any-part", border) for border in get_args(lines.Border)] == [True, False]
    assert not lines.ahead(body, behind, "centre", "included")


@given(PLACES, PLACES, FACINGS)
def test_a_place_is_ahead_or_behind(at: tuple[int, int], other: tuple[int, int], facing: tuple[int, int]) -> None:
    body, target = replace(ADA, at=at, facing=facing), replace(BOB, at=other)
    turned = replace(body, facing=(-facing[0], -facing[1]))
    assert lines.ahead(body, target, "centre", "included") == in_front(body, other)
    assert lines.ahead(body, target, "centre", "included") != lines.ahead(turned, target, "centre", "excluded")
    # What is ahead by its centre is so by some part of it.
    assert not lines.ahead(body, target, "centre", "included") or lines.ahead(body, target, "any-part", "excluded")
    # Facing is a direction: how long its vector is says nothing.
    longer = replace(body, facing=(7 * facing[0], 7 * facing[1]))
    for of, border in ((of, border) for of in get_args(lines.FrontOf) for border in get_args(lines.Border)):
        assert lines.ahead(body, target, of, border) == lines.ahead(longer, target, of, border)


@given(PLACES, FACINGS)
def test_any_part_of_a_base_is_ahead_if_it_reaches_over_the_border(
    other: tuple[int, int], facing: tuple[int, int]
) -> None:
    deep = ((other[0] - 10_000) * facing[0] + (other[1] - 10_000) * facing[1]) / hypot(*facing)
    assume(abs(deep + 500) > 1e-6)
    body, target = replace(ADA, facing=facing), replace(BOB, at=other)
    assert lines.ahead(body, target, "any-part", "included") == (deep > -500)


# Distance


@given(PLACES, PLACES, st.integers(0, 9_000))
def test_distances_run_from_centre_to_centre(at: tuple[int, int], other: tuple[int, int], up: int) -> None:
    a, b = replace(ADA, at=at), replace(BOB, at=other, elevation=up)
    flat = hypot(at[0] - other[0], at[1] - other[1])
    assert float(lines.distance(a, b, "plan")) == pytest.approx(flat)
    assert float(lines.distance(a, b)) == pytest.approx(hypot(flat, up))
    assert lines.distance(a, b) == lines.distance(b, a)


def test_exactly_a_distance_is_within_it() -> None:
    field = field_of(with_model("bob", at=[13, 14]))
    assert view.within(table(), field, "ada", "bob", 5_000)
    assert not view.within(table(), field, "ada", "bob", 4_999)


# Sight


def free(target: Figure, *pieces: Piece, bodies: tuple[Figure, ...] = (), **rest: Any) -> bool:
    how = {"to": "any-part", "grazes": "cross", "heights": "space", **rest}
    return lines.free(ground(*pieces), ADA, target, bodies, how["to"], how["grazes"], how["heights"])


@pytest.mark.parametrize(
    ("height", "seen"),
    # From an eye at 2 over an edge 6 away a line to the top of bob, also 2 high, passes at 2.
    [(1.999, True), (2.0, False), (3.0, False)],
)
def test_one_looks_over_what_is_lower(height: float, seen: bool) -> None:
    wall = piece("wall", 14, 5, 16, 15, height)
    assert free(BOB, wall) is seen
    assert not free(BOB, wall, heights="plan")


def test_the_middle_is_hidden_before_the_whole_is() -> None:
    # Bob's middle is 1 above the table, 10 away: the line from the eye at 2 passes an edge 6 away at 1.4.
    for height, middle in ((1.39, True), (1.41, False)):
        wall = piece("wall", 15, 5, 16, 15, height)
        assert free(BOB, wall)
        assert free(BOB, wall, to="centre") is middle


def test_a_gap_that_is_no_gap_shows_nothing() -> None:
    walls = piece("south", 14, 5, 16, 10), piece("north", 14, 10, 16, 15)
    assert not free(BOB, *walls)
    assert not free(BOB, *walls, to="centre")
    assert free(BOB, walls[0], piece("north", 14, 10.001, 16, 15))


def test_models_hide_as_high_as_they_are() -> None:
    ole = Figure("ole", (15_000, 10_000), 1_000, 4_000)
    goat = Figure("nan", (15_000, 10_000), 250, 500)
    assert not free(BOB, bodies=(ole,))
    assert free(BOB, bodies=(goat,))
    assert lines.blockers(ground(), ADA, BOB, (ole,), "space") == ("ole",)
    assert lines.blockers(ground(piece("wall", 12, 5, 13, 15)), ADA, BOB, (ole,), "space") == ("wall", "ole")


@given(PLACES, PLACES, st.integers(1, 6_000))
def test_who_is_out_of_the_strip_hides_nothing(at: tuple[int, int], other: tuple[int, int], height: int) -> None:
    target, body = replace(BOB, at=other), Figure("x", at, 700, height)
    assume(at != other and ADA.at not in (at, other))
    if not lines.between(ADA, target, (body,)):
        assert lines.free(ground(), ADA, target, (body,), "any-part", "cross", "plan")


@given(st.integers(0, 20_000), st.integers(500, 20_000), st.integers(1, 5_000))
def test_a_lower_wall_hides_no_more(y: int, wide: int, height: int) -> None:
    low = piece("wall", 14, y / 1000, 16, (y + wide) / 1000, height / 1000)
    high = piece("wall", 14, y / 1000, 16, (y + wide) / 1000, (height + 1) / 1000)
    assert not free(BOB, high) or free(BOB, low)
    assert not free(BOB, high, heights="plan") or free(BOB, high)


def test_pieces_that_do_not_block_are_looked_through() -> None:
    assert as_piece(piece("mire", 14, 5, 16, 15, blocks_sight=False)).sight == "open"
    assert free(BOB, piece("mire", 14, 5, 16, 15, blocks_sight=False))


# The rules on it


def looked(posted: dict[str, Any]) -> Ruling[Any]:
    """Ask what ada sees of bob."""
    return ask("line-of-sight", {"scene": posted, "observer": "ada", "targets": ["bob"]})


def test_seen_is_ahead_and_free() -> None:
    wall = box("wall", 14, 5, 16, 15, height=3)
    for posted, seen in (
        (scene(), True),
        (with_model("ada", facing=[-1, 0]), False),
        (walled(wall), False),
        (walled(wall, posted=with_model("ada", facing=[-1, 0])), False),
    ):
        assert looked(posted).answer.lines[0].seen is seen


def test_no_reading_is_asked_that_makes_no_difference() -> None:
    free = looked(scene())
    assert free.answer.lines[0].seen
    assert not free.readings
    hidden = looked(with_models(ole={"at": [15, 10]}))
    assert hidden.answer.lines[0].blocked_by == ("ole",)
    assert [reading.id for reading in hidden.readings] == ["models-block-sight"]
