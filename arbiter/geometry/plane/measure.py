"""Distances on the table, compared exactly: between bases, centres, lines and pieces.

A distance is kept as a square root less a whole number (from centre to centre, less the radii), so that "within 3" is
decided exactly at a distance of 3. Everything is measured in plan; heights do not count.
"""

from fractions import Fraction
from math import isqrt
from typing import Any, Literal

from arbiter.geometry.plane.roots import Ordered, plain_root, sign, sign_of_roots
from arbiter.geometry.plane.shapes import Exact, Figure, Piece, Point, edges, whereabouts
from arbiter.value import Value

Ends = Literal["bases", "centres"]
"""The ends of a measurement: from edge to edge of the bases, or from centre to centre."""

_FINER = 10**12


class Distance(Ordered, Value, frozen=True, eq=False):
    """A distance in thousandths: the root of `squared`, less `less`, and never below zero.

    Distances are compared exactly with each other, whatever their ends, and with whole numbers.
    """

    squared: Exact
    less: int = 0

    @property
    def is_zero(self) -> bool:
        """Whether the two touch, or are in each other."""
        return self.squared <= self.less * self.less

    def __float__(self) -> float:
        """Give it as a floating-point number of thousandths, for display only."""
        if self.is_zero:
            return 0.0
        top, under = self.squared.numerator, self.squared.denominator
        # Whole numbers are divided as exactly as fractions are turned into floating numbers.
        return (isqrt(top * under * _FINER * _FINER) - self.less * under * _FINER) / (under * _FINER)

    def written(self) -> tuple[Fraction, Fraction]:
        if self.is_zero:
            return Fraction(0), Fraction(0)
        root = plain_root(self.squared)
        return (Fraction(-self.less), Fraction(self.squared)) if root is None else (root - self.less, Fraction(0))

    def compared(self, other: Any) -> int | None:
        if isinstance(other, int):
            if other <= 0:
                return 1 if other < 0 else 1 - self.is_zero
            # Of two numbers that are not negative the larger has the larger square.
            top, reach = self.squared.numerator, self.squared.denominator * (other + self.less) ** 2
            return -1 if self.is_zero else (top > reach) - (top < reach)
        if not isinstance(other, Distance):
            return None
        if self.is_zero or other.is_zero:
            return other.is_zero - self.is_zero
        if self.less == other.less and type(other) is Distance:
            return sign(self.squared - other.squared)
        return sign_of_roots(other.less - self.less, 1, self.squared, -1, other.squared)


def between(a: Figure, b: Figure, ends: Ends = "bases") -> Distance:
    """Measure from figure to figure."""
    return Distance(_squared(a.at, b.at), a.radius + b.radius if ends == "bases" else 0)


def are_within(a: Figure, b: Figure, reach: int) -> bool:
    """Decide whether two bases are within `reach` of each other, as measured by `between`."""
    return _squared(a.at, b.at) <= (a.radius + b.radius + reach) ** 2


def to_point(a: Figure, point: Point, ends: Ends = "bases") -> Distance:
    """Measure from a figure to a point."""
    return Distance(_squared(a.at, point), a.radius if ends == "bases" else 0)


def in_contact(a: Figure, piece: Piece, gap: int = 0) -> bool:
    """Decide whether a figure's base touches a piece or reaches into it, or is at most `gap` away from it."""
    reach = a.radius + gap
    xs, ys = [x for x, _ in piece.outline], [y for _, y in piece.outline]
    x, y = a.at
    near = min(xs) - reach <= x <= max(xs) + reach and min(ys) - reach <= y <= max(ys) + reach
    if not near:
        return False
    return any(near_segment(a.at, *edge, reach) for edge in edges(piece.outline)) or (
        whereabouts(a.at, piece.outline) == "inside"
    )


def near_segment(point: Point, a: Point, b: Point, reach: int) -> bool:
    """Decide in whole numbers whether a point is within `reach` of a segment."""
    dx, dy, x, y = b[0] - a[0], b[1] - a[1], point[0] - a[0], point[1] - a[1]
    along, length = dx * x + dy * y, dx * dx + dy * dy
    if along <= 0:
        return x * x + y * y <= reach * reach
    if along >= length:
        return (point[0] - b[0]) ** 2 + (point[1] - b[1]) ** 2 <= reach * reach
    return (dx * y - dy * x) ** 2 <= reach * reach * length


def squared_to_outline(point: Point, outline: tuple[Point, ...]) -> Fraction:
    """Compute the square of the distance from a point to a polygon, 0 inside."""
    if whereabouts(point, outline) != "outside":
        return Fraction(0)
    return min(squared_to_segment(point, a, b) for a, b in edges(outline))


def squared_to_segment(point: Point, a: Point, b: Point) -> Fraction:
    """Compute the square of the distance from a point to a segment, which may have no length."""
    dx, dy, x, y = b[0] - a[0], b[1] - a[1], point[0] - a[0], point[1] - a[1]
    along, length = dx * x + dy * y, dx * dx + dy * dy
    if along <= 0:
        return Fraction(x * x + y * y)
    if along >= length:
        return Fraction(_squared(point, b))
    return Fraction((dx * y - dy * x) ** 2, length)


def share_nearest(point: Point, a: Point, b: Point) -> Fraction:
    """Tell how far along a segment, from 0 at a to 1 at b, it comes nearest to a point."""
    across, along = b[0] - a[0], b[1] - a[1]
    length = across * across + along * along
    if not length:
        return Fraction(0)
    share = Fraction((point[0] - a[0]) * across + (point[1] - a[1]) * along, length)
    return min(max(share, Fraction(0)), Fraction(1))


def passing(start: Point, end: Point, radius: int, other: Figure) -> Distance:
    """Measure the least distance to another figure's base as the centre moves straight from start to end."""
    return Distance(squared_to_segment(other.at, start, end), radius + other.radius)


def _squared(a: Point, b: Point) -> int:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
