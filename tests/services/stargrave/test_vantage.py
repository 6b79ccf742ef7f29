"""The quick ways of the geometry of sight, against the explicit ones; and what a battlefield keeps of its figures."""

from fractions import Fraction
from typing import Literal
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.faults import piece_faults
from arbiter.geometry.plane.measure import in_contact, squared_to_outline
from arbiter.geometry.plane.view import hidden_share
from arbiter.geometry.plane.witness import contacts
from services.stargrave.checks import checked
from services.stargrave.geometry import grazing, vantage
from services.stargrave.geometry.look import look, rim
from services.stargrave.ground import as_piece
from services.stargrave.scene import Board, Figure, Piece, Scene

SMALL = 12

places = st.tuples(st.integers(0, SMALL), st.integers(0, SMALL))


@st.composite
def pieces(draw: st.DrawFn) -> shapes.Piece:
    outline = tuple(draw(st.lists(places, min_size=3, max_size=6, unique=True)))
    piece = shapes.Piece("piece", outline, 5)
    assume(not tuple(piece_faults((piece,), SMALL, SMALL, "/")))
    return piece


@given(pieces(), places, places)
def test_a_line_meets_a_piece_where_it_has_a_contact(piece: shapes.Piece, a: shapes.Point, b: shapes.Point) -> None:
    assert vantage.meets_line(piece, a, b) == bool(contacts((*a, 0), (*b, 0), piece))


@given(pieces(), places, st.integers(1, 6), st.integers(0, 3))
def test_contact_with_a_piece_is_a_distance(piece: shapes.Piece, at: shapes.Point, radius: int, gap: int) -> None:
    figure = shapes.Figure("figure", at, radius, 1)
    assert in_contact(figure, piece, gap) == (squared_to_outline(at, piece.outline) <= Fraction(radius + gap) ** 2)


@given(pieces(), places, places, st.sampled_from(["blocks", "obscures"]))
def test_the_best_view_is_the_best_of_all_places(
    piece: shapes.Piece, a: shapes.Point, b: shapes.Point, sight: Literal["blocks", "obscures"]
) -> None:
    assume(a != b)
    wide = tuple((x / 2, y / 2) for x, y in piece.outline)
    board = Board(20.0, 20.0, (Piece("piece", wide, 1.0, sight),))
    looker, target = (
        shapes.Figure(id_, (x * 500, y * 500), 300, 1200) for id_, (x, y) in (("looker", a), ("target", b))
    )
    assume(max(abs(a[0] - b[0]), abs(a[1] - b[1])) > 1)
    ground = checked(Scene(board)).ground
    result = look(ground, (), looker, target, (), ()).sighting("body", "no")
    hiding = [as_piece(board.pieces[0])]
    blocking = hiding if sight == "blocks" else []
    shares = [
        (1 - plain(eye, target, blocking), 1 - plain(eye, target, hiding)) for eye in (looker, *rim(looker, target))
    ]
    best = max(shares)
    assert (round(float(result.visible), 9), round(float(result.clear), 9)) == (round(best[0], 9), round(best[1], 9))
    named = look(ground, (), looker, target, (), ()).hiding("body", "no")
    assert named == {*result.hiding, *result.obscuring}


spots = st.tuples(st.integers(2, 22), st.integers(2, 22)).map(lambda at: (at[0] * 500, at[1] * 500))
bodies = st.builds(
    shapes.Figure, st.just("body"), spots, st.just(500), st.sampled_from((800, 1000, 1500)), st.sampled_from((0, 500))
)
crates = st.builds(
    lambda at, wide, deep, high, sight: Piece(
        "", tuple((at[0] + x, at[1] + y) for x, y in ((0, 0), (wide, 0), (wide, deep), (0, deep))), high, sight
    ),
    st.tuples(st.integers(0, 8), st.integers(0, 8)),
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from((0.9, 1.0, 1.5, 3.0)),
    st.sampled_from(("blocks", "obscures")),
)


@given(bodies, bodies, st.lists(crates, max_size=4), st.lists(bodies, max_size=2), st.booleans())
def test_the_first_of_the_best_places_is_found_by_bounds_as_by_exact_shares(
    looker: shapes.Figure, target: shapes.Figure, pieces: list[Piece], others: list[shapes.Figure], bodies_block: bool
) -> None:
    looker, target = replace(looker, id="looker"), replace(target, id="target")
    assume(looker.at != target.at)
    board = Board(12.0, 12.0, tuple(replace(piece, id=f"piece-{number}") for number, piece in enumerate(pieces)))
    ground = checked(Scene(board)).ground
    between = tuple(replace(body, id=f"body-{number}") for number, body in enumerate(others))
    figures = vantage.as_pieces(vantage.near(between, looker, target))
    blocking = [*ground.blocking, *(figures if bodies_block else ())]
    every = [*ground.blocking, *ground.obscuring, *figures]
    eyes = (looker, *rim(looker, target))
    shares = [tuple(hidden_share(eye, target, seen).rest for seen in (blocking, every)) for eye in eyes]
    best = look(ground, (), looker, target, between, ()).eye("body", "yes" if bodies_block else "no")
    assert best == eyes[shares.index(max(shares))]


lanes = st.tuples(st.sampled_from((8, 10, 12)), st.sampled_from((2, 18))).map(lambda at: (at[0] * 500, at[1] * 500))


@given(
    bodies,
    bodies,
    lanes,
    lanes,
    st.lists(crates, min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from(("body", "centre")),
)
def test_a_line_grazes_whether_the_quick_proof_is_asked_or_not(
    looker: shapes.Figure,
    target: shapes.Figure,
    here: shapes.Point,
    there: shapes.Point,
    pieces: list[Piece],
    in_lane: bool,
    origin: str,
) -> None:
    looker = replace(looker, id="looker", at=here if in_lane else looker.at)
    target = replace(target, id="target", at=there if in_lane else target.at)
    blocking = [as_piece(piece) for piece in pieces]
    quick = grazing.grazes(looker, target, blocking, origin)
    with patch.object(grazing, "is_barred", lambda *_: False):
        assert grazing.grazes(looker, target, blocking, origin) == quick


@pytest.mark.parametrize(("edge", "expected"), [(5.5, True), (5.499, True), (5.501, False)])
def test_a_line_along_a_wall_grazes_and_a_wall_a_hair_wider_bars_it(edge: float, expected: bool) -> None:
    looker, target = (shapes.Figure(id_, (5000, y), 500, 1200) for id_, y in (("looker", 5000), ("target", 11000)))
    wall = as_piece(Piece("wall", ((2.0, 7.0), (edge, 7.0), (edge, 8.0), (2.0, 8.0)), 3.0))
    assert grazing.grazes(looker, target, (wall,), "body") is expected


def plain(eye: shapes.Figure, target: shapes.Figure, hiding: list[shapes.Piece]) -> float:
    return float(hidden_share(eye, target, hiding))


def test_a_figure_that_has_been_moved_is_another_solid() -> None:
    field = checked(Scene(figures=(Figure("kel", "recruit", at=(5.0, 5.0), crew="red"),)))
    kel = field.figure("kel")
    assert field.solid(kel).at == (5000, 5000)
    assert field.solid(replace(kel, at=(6.0, 7.0))).at == (6000, 7000)
    moved = field.put(replace(kel, at=(8.0, 9.0), elevation_in=2.0))
    assert moved.solid(moved.figure("kel")).foot == (8000, 9000, 2000)
    assert field.solid(kel).foot == (5000, 5000, 0)
    assert moved.figures == (moved.figure("kel"),)


def test_equal_numbers_of_different_kinds_are_the_same_thousandths_as_they_were() -> None:
    assert shapes.thousandths(2**60) == 2**60 * 1000
    assert shapes.thousandths(float(2**60)) == 1152921504606847000 * 1000
