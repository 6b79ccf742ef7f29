"""Values of the open table: numbers as posted, points in polygons, fronts, and every fault of what is posted."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import hypot
from random import Random

import msgspec
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.plane.faults import figure_faults, overlap, piece_faults, self_crossing, size_faults
from arbiter.geometry.plane.shapes import (
    FIGURE_CORNERS,
    LARGEST,
    MOST_CORNERS,
    MOST_CORNERS_IN_ALL,
    MOST_FIGURES,
    MOST_PIECES,
    Figure,
    Piece,
    Point,
    in_front,
    standing,
    thousandths,
    twice_area,
    units,
    whereabouts,
)
from tests.arbiter.geometry.plane.test_oracle import Outline, place, random_outline

WIDTH, DEPTH = 36000, 24000
SQUARE: Outline = ((4000, 4000), (8000, 4000), (8000, 8000), (4000, 8000))


@pytest.mark.parametrize(
    ("posted", "expected"),
    [
        (3, 3000),
        (0.1, 100),
        (0.7, 700),
        (1.005, 1005),  # as a binary number it is a little less
        (2.675, 2675),
        (0.0004, 0),
        (0.0005, 0),  # a half goes to the even one
        (0.0015, 2),
        (0.0025, 2),
        (0.00251, 3),
        (-0.1, -100),
        ("12.3456", 12346),
        (Decimal("0.333"), 333),
        (1e-9, 0),
    ],
)
def test_posted_numbers_in_thousandths(posted: int | float | str | Decimal, expected: int) -> None:
    assert thousandths(posted) == expected


@given(st.integers(-LARGEST, LARGEST))
def test_thousandths_and_back(whole: int) -> None:
    assert thousandths(units(whole)) == thousandths(float(units(whole))) == thousandths(whole / 1000) == whole


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), Decimal("-Infinity")])
def test_numbers_that_are_none(wrong: float | Decimal) -> None:
    with pytest.raises(ValueError, match="not a finite number"):
        thousandths(wrong)


@given(st.integers(0, 2**32))
def test_points_in_polygons_against_winding_numbers(seed: int) -> None:
    random = Random(seed)
    outline = random_outline(random, 10, 10, 6, 1)
    for _ in range(20):
        point = random.randint(2, 18), random.randint(2, 18)
        assert whereabouts(point, outline) == whereabouts(point, outline[::-1]) == place(*point, outline)


def test_areas_have_a_sign() -> None:
    assert twice_area(SQUARE) == 2 * 4000 * 4000
    assert twice_area(SQUARE[::-1]) == -2 * 4000 * 4000


def test_the_front_half_and_its_border() -> None:
    figure = Figure("a", (5000, 5000), 500, 1000, facing=(3, 4))
    assert in_front(figure, (5003, 5004))
    assert in_front(figure, (5000 - 4, 5000 + 3))
    assert in_front(figure, (5000 + 4, 5000 - 3))
    assert not in_front(figure, (5000 - 5, 5000 + 3))
    assert not in_front(figure, (4000, 5000))
    for nowhere in (None, (0, 0)):
        with pytest.raises(ValueError, match="faces nowhere"):
            in_front(Figure("a", (5000, 5000), 500, 1000, facing=nowhere), (0, 0))


def test_eyes_and_feet() -> None:
    figure = Figure("a", (1, 2), 500, 1000, 300)
    assert (figure.foot, figure.eye) == ((1, 2, 300), (1, 2, 1300))


@pytest.mark.parametrize("radius", [1, 7, 250, 492, 1000, 10000])
def test_a_figure_in_the_way_is_a_prism_around_its_base(radius: int) -> None:
    piece = standing(Figure("a", (20000, 20000), radius, 1000, 500), "obscures", "soft")
    assert (piece.id, piece.height, piece.sight, piece.cover) == ("a", 1500, "obscures", "soft")
    around = [(x - 20000, y - 20000) for x, y in piece.outline]
    assert len(around) == FIGURE_CORNERS
    assert {(-y, x) for x, y in around} == {(y, x) for x, y in around} == set(around)
    for (ax, ay), (bx, by) in zip(around, (*around[1:], around[0]), strict=True):
        assert radius - 1 <= hypot(ax, ay) <= radius * 1.005 + 1
        if (ax, ay) != (bx, by):
            assert abs(ax * by - ay * bx) / hypot(bx - ax, by - ay) >= radius - 1


def codes(*pieces: Piece) -> list[tuple[str, str]]:
    return [(fault.pointer, fault.code) for fault in piece_faults(pieces, WIDTH, DEPTH, "/terrain")]


def piece(*outline: Point, height: int = 1000, name: str = "a") -> Piece:
    return Piece(name, outline, height)


def test_good_pieces_have_no_faults() -> None:
    star: Outline = ((0, 0), (36000, 0), (9000, 9000), (0, 24000))
    # Two pieces may overlap, and a corner may lie on a straight stretch.
    straight = piece((0, 0), (1000, 0), (2000, 0), (2000, 2000), name="b")
    assert codes(piece(*star), straight, Piece("c", SQUARE, 0), Piece("d", SQUARE[::-1], LARGEST)) == []


@pytest.mark.parametrize(
    ("outline", "expected"),
    [
        (((0, 0), (2000, 2000), (2000, 0), (0, 2000)), ["outline-crosses-itself"]),
        (((0, 0), (4000, 0), (4000, 4000), (2000, 0), (0, 4000)), ["outline-crosses-itself"]),  # a corner on an edge
        (((0, 0), (4000, 0), (1000, 0), (1000, 4000)), ["outline-crosses-itself"]),  # it turns back
        # Two squares that meet in a corner, in one line.
        (((0, 0), (20, 0), (20, 20), (40, 20), (40, 40), (20, 40), (20, 20), (0, 20)), ["outline-crosses-itself"]),
        (((0, 0), (1000, 1000), (3000, 3000)), ["no-area"]),
        (((0, 0), (1000, 1000), (3000, 3000), (2000, 2000)), ["no-area"]),
        (((0, 0), (0, 0), (1000, 1000)), ["corner-twice"]),
        (((0, 0), (1000, 0), (1000, 1000), (0, 0)), ["corner-twice"]),
        (((0, 0), (1000, 1000)), ["corners"]),
        (((0, 0),) * (MOST_CORNERS + 1), ["corners"]),
        (((0, 0), (36001, 0), (0, 24001)), ["off-the-table"] * 2),
        (((-1, 0), (36000, 0), (0, 24000)), ["off-the-table"]),
        (((-1, 0), (2000, 2000), (2000, 0), (0, 2000)), ["off-the-table", "outline-crosses-itself"]),
    ],
)
def test_faults_of_a_piece(outline: Sequence[Point], expected: list[str]) -> None:
    assert [code for _, code in codes(piece(*outline))] == expected


def test_faults_have_their_places() -> None:
    assert codes(
        piece(*SQUARE, height=-1),
        piece((0, 0), (40000, 0), (40000, 40000), name="b"),
        piece((0, 0), (2000, 2000), (2000, 0), (0, 2000)),
    ) == [
        ("/terrain/2/id", "same-id"),
        ("/terrain/0/height", "height"),
        ("/terrain/1/outline/1", "off-the-table"),
        ("/terrain/1/outline/2", "off-the-table"),
        ("/terrain/2/outline/2", "outline-crosses-itself"),
    ]


def test_too_many_pieces_are_not_looked_at() -> None:
    many = [Piece(str(k), ((0, 0),), -1) for k in range(MOST_PIECES + 1)]
    (fault,) = piece_faults(many, WIDTH, DEPTH, "/terrain")
    assert (fault.pointer, fault.code, fault.seen) == ("/terrain", "too-many-pieces", MOST_PIECES + 1)


def test_too_many_corners_in_all_are_not_looked_at() -> None:
    of_sixty = [Piece(str(k), ((0, 0),) * 60, 0) for k in range(MOST_CORNERS_IN_ALL // 60 + 1)]
    (fault,) = piece_faults(of_sixty, WIDTH, DEPTH, "/terrain")
    assert (fault.code, fault.seen) == ("too-many-corners", 60 * len(of_sixty))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=6, unique=True))
def test_outlines_that_meet_themselves_against_a_second_opinion(outline: list[Point]) -> None:
    assert (self_crossing(outline) is None) == shapely.LinearRing(outline).is_simple


def figure(x: int, y: int, radius: int = 500, name: str = "a", height: int = 1000, elevation: int = 0) -> Figure:
    return Figure(name, (x, y), radius, height, elevation)


def found(*figures: Figure) -> list[tuple[str, str]]:
    return [(fault.pointer, fault.code) for fault in figure_faults(figures, WIDTH, DEPTH, "/units")]


def test_good_figures_have_no_faults() -> None:
    # In corners of the table, touching each other, and one above the other.
    assert (
        found(
            figure(500, 500),
            figure(35500, 23500, name="b"),
            figure(1100, 1300, name="c"),
            figure(600, 600, name="d", elevation=1000),
        )
        == []
    )


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (figure(499, 500), ("/units/0/at", "off-the-table")),
        (figure(500, 23501), ("/units/0/at", "off-the-table")),
        (figure(12000, 12000, 0), ("/units/0/radius", "base-size")),
        (figure(12000, 12000, 10001), ("/units/0/radius", "base-size")),
        (figure(12000, 12000, height=0), ("/units/0/height", "height")),
        (figure(12000, 12000, elevation=-1), ("/units/0/elevation", "height")),
        (figure(12000, 12000, elevation=LARGEST), ("/units/0/elevation", "height")),
        (Figure("a", (5000, 5000), 500, 1000, facing=(0, 0)), ("/units/0/facing", "facing")),
        (Figure("a", (5000, 5000), 500, 1000, facing=(0, LARGEST + 1)), ("/units/0/facing", "facing")),
    ],
)
def test_faults_of_a_figure(wrong: Figure, expected: tuple[str, str]) -> None:
    assert found(wrong) == [expected]


def test_figures_overlap_by_more_than_a_touch() -> None:
    # 0.6 and 0.8 make 1, the sum of the radii.
    assert not overlap(figure(5000, 5000), figure(5600, 5800))
    assert overlap(figure(5000, 5000), figure(5600, 5799))
    assert overlap(figure(5000, 5000), figure(5600, 5799, elevation=999))
    assert not overlap(figure(5000, 5000), figure(5600, 5799, elevation=1000))
    assert not overlap(figure(5000, 5000, elevation=1000), figure(5600, 5799))
    assert overlap(figure(5000, 5000, elevation=900), figure(5000, 5000))
    assert found(figure(5000, 5000), figure(9000, 5000, name="b"), figure(9000, 5999, name="c")) == [
        ("/units/2/at", "figures-overlap")
    ]
    assert found(figure(5000, 5000), figure(5000, 5000)) == [
        ("/units/1/id", "same-id"),
        ("/units/1/at", "figures-overlap"),
    ]


def test_too_many_figures_are_not_looked_at() -> None:
    (fault,) = figure_faults([figure(0, 0)] * (MOST_FIGURES + 1), WIDTH, DEPTH, "/units")
    assert (fault.pointer, fault.code) == ("/units", "too-many-figures")


def test_the_size_of_a_table() -> None:
    assert size_faults(1, LARGEST) == ()
    assert [(fault.pointer, fault.code) for fault in size_faults(0, LARGEST + 1, "/board")] == [
        ("/board/width", "table-size"),
        ("/board/depth", "table-size"),
    ]


def test_posted_values_are_bounded() -> None:
    body = {"id": "a", "outline": [[0, 0], [1, 0], [0, 1]], "height": 5}
    assert msgspec.convert(body, Piece) == Piece("a", ((0, 0), (1, 0), (0, 1)), 5)
    for wrong in ({"outline": [[0, 0]] * 65}, {"outline": [[0, 0]] * 2}, {"height": -1}, {"outline": [[0, -1]] * 3}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(body | wrong, Piece)
    assert Fraction(units(1500)) == Fraction(3, 2)
