"""Distances and templates, by hand at exactly the limit, and against arithmetic with many digits elsewhere."""

from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from math import dist
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.plane.measure import (
    Distance,
    between,
    in_contact,
    passing,
    share_nearest,
    squared_to_outline,
    squared_to_segment,
    to_point,
)
from arbiter.geometry.plane.roots import plain_root, sign_of_root, sign_of_roots
from arbiter.geometry.plane.shapes import Figure, Piece, Point
from arbiter.geometry.plane.templates import Drop
from tests.arbiter.geometry.plane.test_oracle import random_outline

DIGITS = 60


def figure(x: int, y: int, radius: int = 500) -> Figure:
    return Figure(f"{x} {y}", (x, y), radius, 1000)


def digits(number: Fraction | int) -> Decimal:
    return Decimal(Fraction(number).numerator) / Decimal(Fraction(number).denominator)


@given(*[st.fractions(-50, 50, max_denominator=20)] * 2, st.integers(0, 99), st.fractions(-9, 9), st.integers(0, 99))
def test_signs_of_roots_against_many_digits(
    plain: Fraction, times: Fraction, root: int, more_times: Fraction, more_root: int
) -> None:
    with localcontext() as context:
        context.prec = DIGITS
        tiny = Decimal(10) ** -(DIGITS // 2)
        one = digits(plain) + digits(times) * Decimal(root).sqrt()
        two = one + digits(more_times) * Decimal(more_root).sqrt()
    assert sign_of_root(plain, times, root) == (one > tiny) - (one < -tiny)
    assert sign_of_roots(plain, times, root, more_times, more_root) == (two > tiny) - (two < -tiny)
    assert getcontext().prec < DIGITS


@pytest.mark.parametrize(
    ("roots", "expected"),
    [
        ((0, 0, 2, 0, 3), 0),
        ((-3, 1, 2, 1, 3), 1),  # 1.41421 + 1.73205 - 3
        ((-4, 1, 2, 1, 3), -1),
        ((0, 2, 2, -1, 8), 0),
        ((-5, 1, 4, 1, 9), 0),
        ((1, -1, 5, 1, 2), 1),  # 1 - 2.23607 + 1.41421
        ((1, 1, 2, -1, 6), -1),  # 1 + 1.41421 - 2.44949
        ((-1, -1, 2, 1, 6), 1),
    ],
)
def test_signs_of_roots_by_hand(roots: tuple[int, int, int, int, int], expected: int) -> None:
    assert sign_of_roots(*roots) == expected
    plain, times, root, more_times, more_root = roots
    assert sign_of_roots(plain, more_times, more_root, times, root) == expected
    assert sign_of_roots(-plain, -times, root, -more_times, more_root) == -expected


def test_roots_that_are_fractions() -> None:
    assert plain_root(Fraction(9, 4)) == Fraction(3, 2)
    assert plain_root(Fraction(0)) == 0
    assert plain_root(Fraction(2)) is None
    assert plain_root(Fraction(4, 3)) is None


def test_within_three_units_at_exactly_three() -> None:
    # 0.7 and 2.4 make 2.5; with radii of 0.5 and 0.5 that is 1.5 between the bases.
    a, b = figure(700, 0), figure(0, 2400)
    assert between(a, b) == 1500
    assert between(a, b, "centres") == 2500
    assert (between(a, b) <= 1500, between(a, b) < 1500, between(a, b) <= 1499) == (True, False, False)
    assert (float(between(a, b)), float(between(a, b, "centres"))) == (1500.0, 2500.0)
    # One thousandth aside makes it longer by less than a fifth of a thousandth.
    c = figure(699, 2400)
    assert between(c, figure(0, 0)) < 1500
    assert between(figure(701, 0), b) > 1500
    assert 1500.0 < float(between(figure(701, 0), b)) < 1500.3


def test_bases_that_touch_and_bases_in_each_other() -> None:
    assert between(figure(0, 0), figure(600, 800)) == 0
    assert between(figure(0, 0), figure(600, 800)).is_zero
    assert not between(figure(0, 0), figure(600, 801)).is_zero
    assert between(figure(0, 0), figure(100, 0)) == Distance(Fraction(0)) == 0
    assert float(between(figure(0, 0), figure(100, 0))) == 0.0
    assert between(figure(0, 0), figure(100, 0)) > -1


def test_distances_of_different_kinds_are_ordered_exactly() -> None:
    # √200 - 10 = 4.1421, √300 - 13 = 4.3205, √50 - 3 = 4.0711.
    three = [Distance(Fraction(200), 10), Distance(Fraction(300), 13), Distance(Fraction(50), 3)]
    assert sorted(three) == [three[2], three[0], three[1]]
    assert Distance(Fraction(9), 1) == Distance(Fraction(4)) == 2
    assert (
        len({Distance(Fraction(9), 1), Distance(Fraction(4)), Distance(Fraction(1), 1), Distance(Fraction(2), 5)}) == 2
    )
    assert Distance(Fraction(8), 0) != Distance(Fraction(9), 0)
    assert Distance(Fraction(4)) != "2"
    with pytest.raises(TypeError):
        assert Distance(Fraction(4)) < 2.5


@given(*[st.tuples(st.integers(0, 60), st.integers(1, 9))] * 2)
def test_the_order_of_distances_against_many_digits(a: tuple[int, int], b: tuple[int, int]) -> None:
    with localcontext() as context:
        context.prec = DIGITS
        one, two = (max(Decimal(squared).sqrt() - less, Decimal(0)) for squared, less in (a, b))
    first, second = (Distance(Fraction(squared), less) for squared, less in (a, b))
    assert ((first > second), (first < second), (first == second)) == (one > two, one < two, one == two)
    assert ((first >= second), (first <= second)) == (one >= two, one <= two)
    assert float(first) == pytest.approx(float(one), abs=1e-9)
    assert first != second or hash(first) == hash(second)


SQUARE = Piece("square", ((4000, 4000), (8000, 4000), (8000, 8000), (4000, 8000)), 1000)


def test_a_slanted_side_is_at_a_root() -> None:
    # From (0, 0) to the line x + 2y = 5: 5/√5 = √5.
    piece = Piece("slanted", ((3000, 1000), (1000, 2000), (3000, 3000)), 0)
    assert squared_to_outline((0, 0), piece.outline) == Fraction(5_000_000)
    assert share_nearest((0, 0), (3000, 1000), (1000, 2000)) == 1
    assert share_nearest((2500, 2500), (3000, 1000), (1000, 2000)) == Fraction(1, 2)


def test_contact_with_a_piece() -> None:
    assert in_contact(figure(3500, 6000), SQUARE)
    assert not in_contact(figure(3499, 6000), SQUARE)
    assert in_contact(figure(3499, 6000), SQUARE, gap=1)
    # At the corner: 0.3 and 0.4 make 0.5.
    assert in_contact(figure(3700, 3600), SQUARE)
    assert not in_contact(figure(3699, 3600), SQUARE)
    assert in_contact(figure(6000, 6000, 100), SQUARE)


def test_to_a_point() -> None:
    assert to_point(figure(0, 0), (3000, 4000)) == 4500
    assert to_point(figure(0, 0), (3000, 4000), "centres") == 5000


@pytest.mark.parametrize(
    ("start", "end", "limit", "comes_near"),
    [
        ((0, 2000), (9000, 2000), 1000, True),  # past it at 1 exactly between the bases
        ((0, 1999), (9000, 1999), 1000, False),
        ((0, 0), (2000, 4000), 1000, True),  # it ends where it is nearest
        ((0, 0), (1999, 4000), 1000, False),
        ((0, 0), (0, 0), 4657, True),  # √32 - 1 = 4.65685, without a step
        ((0, 0), (0, 0), 4656, False),
        ((2000, 4000), (0, 4000), 1000, True),  # it only leaves
        ((1999, 4000), (0, 4000), 1000, False),
    ],
)
def test_passing_by(start: Point, end: Point, limit: int, comes_near: bool) -> None:
    other = figure(4000, 4000)
    assert (passing(start, end, 500, other) <= limit) == comes_near
    assert (passing(end, start, 500, other) <= limit) == comes_near


@given(st.integers(0, 2**32))
def test_distances_to_segments_against_points_along_them(seed: int) -> None:
    random = Random(seed)
    point, a, b = ((random.randint(0, 99), random.randint(0, 99)) for _ in range(3))
    nearest = min(
        dist(point, (a[0] + share / 1000 * (b[0] - a[0]), a[1] + share / 1000 * (b[1] - a[1]))) for share in range(1001)
    )
    found = float(squared_to_segment(point, a, b)) ** 0.5
    assert found <= nearest + 1e-9
    assert nearest <= found + dist(a, b) / 2000 + 1e-9


@given(st.integers(0, 2**32))
def test_distances_to_pieces_against_their_sides(seed: int) -> None:
    random = Random(seed)
    piece = Piece("", random_outline(random, 5000, 5000, 9, 100), 0)
    one = Figure("", (random.randint(3000, 7000), random.randint(3000, 7000)), 400, 1)
    from_edges = min(
        squared_to_segment(one.at, piece.outline[k - 1], piece.outline[k]) for k in range(len(piece.outline))
    )
    found = squared_to_outline(one.at, piece.outline)
    assert found in (from_edges, 0)
    assert in_contact(one, piece) == (found <= one.radius**2)


# A cone from (0, 0) along x, 8 units long, with a round end of radius 1 around (7, 0).
CONE = Drop(origin=(0, 0), towards=(1, 0), length=8000, far_radius=1000)


@pytest.mark.parametrize(
    ("x", "y", "radius", "expected"),
    [
        (8500, 0, 500, True),  # at its end
        (8501, 0, 500, False),
        (-500, 0, 500, True),  # at its tip
        (-501, 0, 500, False),
        (7000, 1500, 500, True),
        (7000, 1501, 500, False),
        (7300, 1400, 432, True),  # past the end: √(0.3² + 1.4²) - 1 = 0.43178
        (7300, 1400, 431, False),
        (3500, 0, 1, True),
    ],
)
def test_a_cone_by_hand(x: int, y: int, radius: int, expected: bool) -> None:
    for side in (1, -1):
        assert CONE.touches(figure(x, side * y, radius)) == expected
    # Turned by a right angle, and to (3, 4), where the units are five times as long.
    turned = Drop((0, 0), (0, 7), 8000, 1000)
    assert turned.touches(figure(-y, x, radius)) == expected
    slanted = Drop((0, 0), (3, 4), 40000, 5000)
    assert slanted.touches(figure(3 * x - 4 * y, 4 * x + 3 * y, 5 * radius)) == expected


def test_the_flank_of_a_cone() -> None:
    # Its centres are 7 apart and its radii differ by 1, so that a point is (√48·y - x)/7 off its flank. For (4, 1) that
    # is 0.4183.
    assert CONE.touches(figure(4000, 1000, 419))
    assert not CONE.touches(figure(4000, 1000, 418))
    assert CONE.touches(figure(4000, 577, 0))  # 4/√48 = 0.57735
    assert not CONE.touches(figure(4000, 578, 0))


def test_a_flank_that_is_touched_exactly() -> None:
    # Radii of 0 and 3, 5 apart: the flank is (x, 3x/4), and square to it is (-3/5, 4/5).
    drop = Drop((0, 0), (1, 0), 8000, 3000)
    assert drop.touches(figure(1600 - 600, 1200 + 800, 1000))
    assert not drop.touches(figure(1600 - 600, 1200 + 800, 999))
    assert not drop.touches(figure(999, 2000, 1000))


def test_a_drop_that_begins_at_the_edge_of_a_base() -> None:
    # Aimed along (1, 1): the tip is half a unit from the origin.
    drop = Drop((1000, 1000), (5000, 5000), 8000, 1000, gap=500)
    # (1000 + 353, …) is 499.2 away, (1000 + 354, …) 500.6.
    assert not drop.touches(figure(1353, 1353, 0))
    assert drop.touches(figure(1354, 1354, 0))
    # Its end is 8.5 from the origin: 6010.4 along each axis.
    assert drop.touches(figure(7010, 7010, 0))
    assert not drop.touches(figure(7011, 7011, 0))


@given(st.integers(0, 2**32))
def test_drops_against_circles_along_them(seed: int) -> None:
    random = Random(seed)
    origin, towards = ((random.randint(0, 40), random.randint(0, 40)) for _ in range(2))
    if origin == towards:
        return
    near, far, gap = random.randint(0, 4), random.randint(0, 9), random.randint(0, 5)
    span = abs(far - near) + random.randint(1, 30)
    drop = Drop(origin, towards, near + span + far, far, near, gap)
    length = dist(origin, towards)
    u, v = (towards[0] - origin[0]) / length, (towards[1] - origin[1]) / length
    for _ in range(8):
        other = figure(random.randint(-20, 80), random.randint(-20, 80), random.randint(1, 9))
        gaps = []
        for step in range(1001):
            at = gap + near + span * step / 1000
            gaps.append(dist((origin[0] + at * u, origin[1] + at * v), other.at) - near - (far - near) * step / 1000)
        off = min(gaps) - other.radius
        # Circles along the drop are within it, and fill it but for a little.
        if off <= -1e-9:
            assert drop.touches(other)
        if off > span / 1000:
            assert not drop.touches(other)


@pytest.mark.parametrize(
    "wrong",
    [
        {"towards": (0, 0)},
        {"length": 2000},
        {"length": 1999},
        {"near_radius": 4000},
        {"gap": -1},
        {"far_radius": -1},
        {"near_radius": -1},
    ],
)
def test_drops_that_are_none(wrong: dict[str, int]) -> None:
    fields = {"origin": (0, 0), "towards": (1, 0), "length": 8000, "far_radius": 1000} | wrong
    with pytest.raises(ValueError, match="drop"):
        Drop(**fields)


def test_equal_distances_are_not_unequal() -> None:
    same = Distance(Fraction(9_000_000)), Distance(Fraction(16_000_000), 1000)
    assert same[0] == same[1]
    assert [same[0] != other for other in (same[1], 3000, 2999)] == [False, False, True]
