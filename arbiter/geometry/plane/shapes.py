"""The open table: terrain pieces as polygons with a height, figures on round bases, all in whole thousandths.

Every coordinate, radius and height is a whole number of thousandths of the unit in which a game measures (inches or
centimetres); the kernel does not ask which. x runs to the right and y along the other side, and a positive turn leads
from x to y. Heights are measured from the level of the table.

A piece stands on the table and rises straight up from its outline to its height: no overhangs, no slopes, no holes, no
round outlines (a round piece is posted as a polygon) and no walls without thickness. A figure is a disc in plan that
rises from its elevation, which is what it stands on, to its height above it; it looks out from its top.

No coordinate may exceed `LARGEST`, so that every product of two differences is a whole number below 2**53 and exact
in 64 bits, as integer and as floating number alike.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import lru_cache
from math import cos, pi, sin
from typing import Annotated, Literal, overload

from msgspec import Meta

from arbiter.value import Value

PER_UNIT = 1000
LARGEST = 1_000_000
MOST_CORNERS = 64
MOST_PIECES = 500
MOST_CORNERS_IN_ALL = 4_000
MOST_FIGURES = 100
LARGEST_RADIUS = 10_000
FIGURE_CORNERS = 32

STANDING_KEPT = 2_048
"""Figures whose pieces as obstacles a process caches, of 5 KB each."""

OUTLINES_KEPT = 4_096
"""Outlines whose convexity and orientation a process caches."""

Point = tuple[int, int]
"""A place in plan, in thousandths."""

Spot = tuple[int, int, int]
"""A place in space, in thousandths: x, y and the height above the table."""

Exact = int | Fraction
ExactPoint = tuple[Exact, Exact]
"""A place in plan that need not be a whole number of thousandths."""

ExactSpot = tuple[Exact, Exact, Exact]

Measure = Annotated[int, Meta(ge=0, le=LARGEST)]
Outline = Annotated[tuple[tuple[Measure, Measure], ...], Meta(min_length=3, max_length=MOST_CORNERS)]

Sight = Literal["blocks", "obscures", "open"]
Cover = Literal["solid", "soft", "none"]
Ground = Literal["even", "rough", "water", "impassable"]


class Piece(Value, frozen=True, cache_hash=True):
    """A piece of terrain: its outline as a simple polygon in either sense of turning, and its height.

    `sight`: what it does to lines that it is in the way of: it blocks them, obscures what lies behind, or does neither.
    `cover`: of which kind the cover is that it gives. `ground`: what it is to those who move in plan; `climbable`:
    whether its sides can be climbed. The game decides what follows from each.
    """

    id: str
    outline: Outline
    height: Measure
    sight: Sight = "blocks"
    cover: Cover = "solid"
    ground: Ground = "impassable"
    climbable: bool = True


class Figure(Value, frozen=True, cache_hash=True):
    """A figure: the centre of its round base, its radius, and its height above the elevation on which it stands.

    `facing` is the direction of its front as a vector of any length, where the game has fronts. `slack` is how far it
    may stand in another, or apart from it, and touch it: places are rounded.
    """

    id: str
    at: tuple[Measure, Measure]
    radius: Annotated[int, Meta(ge=1, le=LARGEST_RADIUS)]
    height: Annotated[int, Meta(ge=1, le=LARGEST)]
    elevation: Measure = 0
    facing: tuple[int, int] | None = None
    slack: int = 0

    @property
    def foot(self) -> Spot:
        """The middle of its base."""
        return (*self.at, self.elevation)

    @property
    def eye(self) -> Spot:
        """The place from which it looks: above the middle of its base, at its top."""
        return (*self.at, self.elevation + self.height)


# Typed, because an integer and an equal floating-point number may be written with different digits.
@lru_cache(maxsize=65_536, typed=True)
def thousandths(number: int | float | str | Decimal) -> int:
    """Give a posted number of inches or centimetres in whole thousandths.

    What is meant by a floating number is the shortest decimal that stands for it, so that 0.1 is exactly 100. Finer
    numbers go to the nearest thousandth, a half to the even one. ValueError for what is no finite number.
    """
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    if not exact.is_finite():
        raise ValueError(f"{number} is not a finite number")
    return int((exact * PER_UNIT).to_integral_value(rounding=ROUND_HALF_EVEN))


def units(whole: int) -> Decimal:
    """Give thousandths as the number of inches or centimetres that they are, exactly."""
    return Decimal(whole) / PER_UNIT


def floats(at: tuple[float, float]) -> tuple[float, float]:
    """Give a place in floating numbers."""
    return float(at[0]), float(at[1])


def whole(at: tuple[float, float]) -> Point:
    """Give the place of whole thousandths nearest to another."""
    return round(at[0]), round(at[1])


@overload
def cross(a: Point, b: Point, c: Point) -> int: ...
@overload
def cross(a: ExactPoint, b: ExactPoint, c: ExactPoint) -> Exact: ...
def cross(a: ExactPoint, b: ExactPoint, c: ExactPoint) -> Exact:
    """Tell on which hand of the line from a to b the point c lies: positive towards y from x, zero on the line."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def twice_area(outline: Sequence[Point]) -> int:
    """Work out twice the area of a polygon, negative where it turns from y to x."""
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(outline, (*outline[1:], outline[0]), strict=True))


@lru_cache(maxsize=OUTLINES_KEPT)
def is_convex(outline: tuple[Point, ...]) -> bool:
    """Decide whether an outline, which is simple, has no notch."""
    hands = [cross(outline[place - 2], outline[place - 1], at) for place, at in enumerate(outline)]
    return min(hands) >= 0 or max(hands) <= 0


@lru_cache(maxsize=OUTLINES_KEPT)
def turns_left(outline: tuple[Point, ...]) -> bool:
    """Decide whether a polygon turns from x to y."""
    return twice_area(outline) > 0


def edges(outline: Sequence[Point]) -> tuple[tuple[Point, Point], ...]:
    """List the edges of a polygon from corner to corner, the last one back to the first."""
    return tuple(zip(outline, (*outline[1:], outline[0]), strict=True))


def box(outline: Sequence[Point]) -> tuple[int, int, int, int]:
    """Give the box around a polygon: its left, its low, its right and its high side."""
    xs, ys = [x for x, _ in outline], [y for _, y in outline]
    return min(xs), min(ys), max(xs), max(ys)


def whereabouts(point: ExactPoint, outline: Sequence[Point]) -> Literal["inside", "border", "outside"]:
    """Tell whether a point lies inside a polygon, on its border, or outside."""
    x, y = point
    inside = False
    for a, b in edges(outline):
        hand = cross(a, b, point)
        if not hand and min(a[0], b[0]) <= x <= max(a[0], b[0]) and min(a[1], b[1]) <= y <= max(a[1], b[1]):
            return "border"
        if (a[1] > y) != (b[1] > y) and (hand > 0) == (b[1] > a[1]):
            inside = not inside
    return "inside" if inside else "outside"


def in_front(figure: Figure, point: Point) -> bool:
    """Decide whether a point lies in the front half of a figure's surroundings; the line between the halves is front.

    ValueError for a figure without facing.
    """
    if figure.facing is None or figure.facing == (0, 0):
        raise ValueError(f"figure {figure.id!r} faces nowhere: send its facing as a vector")
    (x, y), (across, along) = figure.at, figure.facing
    return (point[0] - x) * across + (point[1] - y) * along >= 0


def _ring() -> tuple[tuple[float, float], ...]:
    """Give the corners of a regular polygon around a circle of radius 1, the same from all eight sides."""
    eighth = FIGURE_CORNERS // 8
    # Half a step on: no corner lies on an axis or a diagonal, and mirroring in either maps the corners to each other.
    reach = 1 / cos(pi / FIGURE_CORNERS)
    first = [
        (reach * cos((2 * k + 1) * pi / FIGURE_CORNERS), reach * sin((2 * k + 1) * pi / FIGURE_CORNERS))
        for k in range(eighth)
    ]
    quarter = [*first, *((y, x) for x, y in reversed(first))]
    turned = [(-y, x) for x, y in quarter]
    half = [*quarter, *turned]
    return (*half, *((-x, -y) for x, y in half))


_RING = _ring()


@lru_cache(maxsize=STANDING_KEPT)
def standing(figure: Figure, sight: Sight = "blocks", cover: Cover = "solid") -> Piece:
    """Make the piece as which a figure stands in the way of lines between others: a prism of `FIGURE_CORNERS` sides.

    Its sides touch the base from outside, so that it is wider than the disc by half a hundredth of the radius at its
    corners, which are rounded to whole thousandths. It reaches down to the table, whatever the figure stands on.
    """
    x, y = figure.at
    outline = tuple((x + round(figure.radius * u), y + round(figure.radius * v)) for u, v in _RING)
    return Piece(figure.id, outline, figure.elevation + figure.height, sight, cover)
