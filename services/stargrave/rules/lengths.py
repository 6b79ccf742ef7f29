"""How far figures are from each other and from points, in plan or through space, compared exactly.

Lengths are thousandths of an inch. In space the base of one figure is so much higher than the other's, and the straight
line runs from rim to rim, or from middle to middle.
"""

from fractions import Fraction
from math import hypot
from typing import Any, Literal

from arbiter.geometry.plane.measure import Distance, between, to_point
from arbiter.geometry.plane.roots import plain_root, sign_of_roots
from arbiter.geometry.plane.shapes import PER_UNIT, Exact, Figure, Point
from arbiter.text import Quantity

From = Literal["edges", "centres"]
Height = Literal["space", "plan"]


class Slant(Distance, frozen=True, eq=False):
    """A distance in plan, as `Distance` has it, and a rise at its end: the straight line through space.

    Its square is squared + less² + rise² - 2 · less · √squared where the rims are apart, and rise² where they are not;
    so that two of them are compared by their squares, in whole numbers and roots.
    """

    rise: int = 0

    @property
    def is_zero(self) -> bool:
        return not self.rise and self.squared <= self.less * self.less

    def __float__(self) -> float:
        return hypot(float(Distance(self.squared, self.less)), self.rise)

    def written(self) -> tuple[Fraction, Fraction]:
        plain, times, root = _square(self)
        under = times * times * root
        if (exact := plain_root(under)) is not None:
            length = plain_root(plain - exact)
            return (length, Fraction(0)) if length is not None else (Fraction(0), plain - exact)
        # The root of plain - √under may be √squared - less, and is written then as the plain distance that it equals.
        if (apart := plain_root(plain * plain - under)) is not None:
            less = plain_root((plain - apart) / 2)
            if less is not None:
                return -less, (plain + apart) / 2
        return Fraction(plain), Fraction(-under)

    def compared(self, other: Any) -> int | None:
        if isinstance(other, int):
            return 1 if other < 0 else self.compared(Distance(other * other))
        if not isinstance(other, Distance):
            return None
        plain, times, root = _square(self)
        more_plain, more_times, more_root = _square(other)
        return sign_of_roots(plain - more_plain, times, root, -more_times, more_root)


def _square(distance: Distance) -> tuple[Exact, int, Exact]:
    """Give the square of a distance as plain + times · √root."""
    rise = distance.rise if isinstance(distance, Slant) else 0
    if distance.squared <= distance.less * distance.less:
        return rise * rise, 0, 0
    return distance.squared + distance.less**2 + rise * rise, -2 * distance.less, distance.squared


def inches(length: float) -> Quantity:
    """Give thousandths as inches with their unit, for sentences."""
    return in_inches(round(length) / PER_UNIT)


def in_inches(length: float) -> Quantity:
    """Give a number of inches with its unit, for sentences."""
    return Quantity(length, "inch", "inches")


def between_figures(a: Figure, b: Figure, ends: From, height: Height) -> Distance:
    """Measure from figure to figure."""
    flat = between(a, b, "bases" if ends == "edges" else "centres")
    return slanted(flat, a.elevation - b.elevation, height)


def from_point(a: Figure, point: Point, elevation: int, ends: From, height: Height) -> Distance:
    """Measure from a figure to a point at an elevation."""
    flat = to_point(a, point, "bases" if ends == "edges" else "centres")
    return slanted(flat, a.elevation - elevation, height)


def slanted(flat: Distance, rise: int, height: Height) -> Distance:
    """Give a distance in plan as the line through space, where that is what counts."""
    return Slant(flat.squared, flat.less, abs(rise)) if rise and height == "space" else flat
