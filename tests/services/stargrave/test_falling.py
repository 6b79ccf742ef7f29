"""Falls, against the arithmetic of fractions."""

from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.stargrave.rules import falling
from tests.services.stargrave.asking import field_of, table
from tests.services.stargrave.yard import empty, kel


@given(st.integers(0, 40_000))
def test_a_fall_does_one_and_a_half_points_an_inch_rounded_down(height: int) -> None:
    inches = Fraction(height, 1000)
    expected = 0 if inches <= 3 else floor(inches * 3 / 2)
    assert falling.damage(table(), height) == expected
    assert falling.damage(table(**{"exactly-three-inches": "hurts"}), height) == (4 if inches == 3 else expected)
    rounded = 0 if inches <= 3 else floor(Fraction(3, 2) * floor(inches))
    assert falling.damage(table(**{"fall-rounding": "height"}), height) == rounded


@given(st.integers(0, 40_000), st.integers(0, 40_000))
def test_a_deeper_fall_never_hurts_less(a: int, b: int) -> None:
    low, high = sorted((a, b))
    assert falling.damage(table(), low) <= falling.damage(table(), high)


@pytest.mark.parametrize(("health", "height", "left"), [(16, 7.0, 6), (10, 7.0, 0), (1, 2.9, 1), (4, 3.0, 4)])
def test_who_falls_loses_health_and_leaves_the_game_at_none(health: int, height: float, left: int) -> None:
    field = field_of(empty(kel((4, 4), health=health)))
    after = falling.fall(table(), field, "kel", round(1000 * height))
    assert after.health(after.figure("kel")) == left
    assert (after.figure("kel").at is None) == (left == 0)
