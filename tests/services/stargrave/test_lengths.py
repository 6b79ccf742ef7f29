"""Lengths through space against decimals of many digits, and readings that are asked only where they matter."""

from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arbiter.geometry.plane.measure import Distance
from arbiter.geometry.plane.shapes import Figure
from arbiter.readings import settled
from services.stargrave.rules import lengths, sight
from services.stargrave.rules.lengths import Slant
from tests.services.stargrave.asking import field_of, figure, table


@pytest.fixture(autouse=True)
def many_digits() -> Iterator[None]:
    """Reckon with sixty digits here, and nowhere else."""
    with localcontext() as context:
        context.prec = 60
        yield


places = st.tuples(st.integers(0, 36_000), st.integers(0, 36_000))
bodies = st.builds(Figure, st.just("a"), places, st.integers(1, 2000), st.just(1200), st.integers(0, 9000))
slants = st.builds(Slant, st.integers(0, 10**6).map(Fraction), st.integers(0, 500), st.integers(0, 900))


def exact(distance: Distance) -> Decimal:
    """Work a distance out in sixty digits."""
    root = (Decimal(distance.squared.numerator) / Decimal(distance.squared.denominator)).sqrt() - distance.less
    rise = distance.rise if isinstance(distance, Slant) else 0
    return (max(root, Decimal(0)) ** 2 + rise * rise).sqrt()


@given(slants, slants)
def test_slanted_lengths_are_ordered_as_they_are(a: Slant, b: Slant) -> None:
    assume(abs(exact(a) - exact(b)) > Decimal("1e-40") or a == b)
    assert (a < b) == (exact(a) < exact(b))
    assert (a == b) == (abs(exact(a) - exact(b)) < Decimal("1e-40"))
    assert abs(float(a) - float(exact(a))) < 1e-6


@given(slants, st.integers(0, 2000))
def test_slanted_lengths_compare_with_whole_numbers_and_plain_ones(a: Slant, most: int) -> None:
    plain = Distance(Fraction(most * most))
    assert (a <= most) == (exact(a) <= most) == (a <= plain) == (plain >= a)


@pytest.mark.parametrize(
    ("slant", "equal"),
    [
        (Slant(Fraction(9), 0, 4), Distance(Fraction(25))),
        (Slant(Fraction(13 * 13), 10, 4), Distance(Fraction(25))),
        (Slant(Fraction(2), 1, 0), Distance(Fraction(2), 1)),
        (Slant(Fraction(1), 5, 0), Distance(Fraction(0))),
        (Slant(Fraction(4), 9, 7), Distance(Fraction(49))),
    ],
)
def test_equal_lengths_are_equal_and_hashed_alike(slant: Slant, equal: Distance) -> None:
    assert slant == equal
    assert equal == slant
    assert hash(slant) == hash(equal)


@given(bodies, bodies)
def test_plan_is_never_longer_than_space_nor_edges_than_centres(a: Figure, b: Figure) -> None:
    result = {
        (ends, height): lengths.between_figures(a, b, ends, height)
        for ends in ("edges", "centres")
        for height in ("space", "plan")
    }
    for ends in ("edges", "centres"):
        assert result[ends, "plan"] <= result[ends, "space"]
        assert (result[ends, "plan"] == result[ends, "space"]) == (a.elevation == b.elevation)
    for height in ("space", "plan"):
        assert result["edges", height] <= result["centres", height]
        assert lengths.between_figures(b, a, "edges", height) == result["edges", height]


def test_exactly_ten_inches_is_within_ten_and_a_thousandth_more_is_not() -> None:
    for y, near in ((21.0, True), (21.001, False)):
        field = field_of({"figures": [figure("kel", [10, 10]), figure("ivo", [10, y], "blue")]})
        assert sight.within(table(), field, "kel", "ivo", 10) is near
    slanting = {"figures": [figure("kel", [10, 10]), figure("ivo", [17, 18], "blue")]}
    field = field_of(slanting)
    # √113 - 1 is 9.6301…
    assert sight.within(table(), field, "kel", "ivo", 9.631)
    assert not sight.within(table(), field, "kel", "ivo", 9.63)


def test_readings_are_asked_only_where_they_matter() -> None:
    at = table()
    assert settled(at, lambda ends, height: 1, *sight.DISTANCE) == 1
    assert at.read_ids == {}
    assert settled(at, lambda ends, height: height, *sight.DISTANCE) == "space"
    assert at.read_ids == {"distance-in-height": "space"}
    # In height it matters from centre to centre alone, and that is not how it is read.
    at = table()
    assert settled(at, lambda ends, height: ends if ends == "edges" else height, *sight.DISTANCE) == "edges"
    assert at.read_ids == {"distance-from": "edges"}
    at = table(distance_from="centres", distance_in_height="plan")
    assert settled(at, lambda ends, height: ends if ends == "edges" else height, *sight.DISTANCE) == "plan"
    assert at.read_ids == {"distance-from": "centres", "distance-in-height": "plan"}
