"""Areas that are cut down: squares and discs whose areas are known."""

from math import pi

import pytest
import shapely

from arbiter.geometry.plane.cut import Disc, Outlines, cut
from arbiter.geometry.plane.paths.reach import Shape

SQUARE = Shape(((0.0, 0.0), (1000.0, 0.0), (1000.0, 1000.0), (0.0, 1000.0)), ())


def area(
    pieces: tuple[tuple[tuple[tuple[float, float], ...], tuple[tuple[tuple[float, float], ...], ...]], ...],
) -> float:
    return sum(shapely.Polygon(outside, holes).area for outside, holes in pieces)


def test_without_bounds_everything_is_kept() -> None:
    assert area(cut([SQUARE], [])) == 1_000_000


def test_outlines_keep_what_lies_on_any_of_them() -> None:
    left = ((-10.0, 0.0), (100.0, 0.0), (100.0, 500.0), (-10.0, 500.0))
    right = ((900.0, 0.0), (2000.0, 0.0), (2000.0, 100.0), (900.0, 100.0))
    pieces = cut([SQUARE], [Outlines((left, right))])
    assert (len(pieces), area(pieces)) == (2, 100 * 500 + 100 * 100)


def test_a_disc_about_a_corner_keeps_a_quarter() -> None:
    assert area(cut([SQUARE], [Disc((0.0, 0.0), 400.0)])) == pytest.approx(pi * 400**2 / 4, rel=0.001)


def test_all_bounds_hold_at_once_and_what_lies_apart_leaves_nothing() -> None:
    assert cut([SQUARE], [Disc((0.0, 0.0), 100.0), Disc((1000.0, 1000.0), 100.0)]) == ()


def test_holes_stay_holes() -> None:
    hole = ((400.0, 400.0), (600.0, 400.0), (600.0, 600.0), (400.0, 600.0))
    ((_, holes),) = cut([Shape(SQUARE.outside, (hole,))], [Disc((500.0, 500.0), 450.0)])
    assert shapely.Polygon(holes[0]).area == 200 * 200
