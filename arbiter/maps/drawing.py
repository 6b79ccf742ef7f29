"""A map as it was drawn: its size, lines, closed shapes and doors in thousandths, before lines get a thickness.

The reader of a file format builds a `Drawn`, and reports every impossible value with its place. A `Sheet` gathers the
faults, counts the lines and points, and stops early on a file that is too large or has too many faults.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, NoReturn

from msgspec import Meta

from arbiter.fault import Fault, Faults
from arbiter.geometry.plane.shapes import LARGEST, PER_UNIT, Point
from arbiter.value import Value

MOST_FAULTS = 50
MOST_LINES = 5_000
MOST_POINTS = 20_000
MOST_SQUARES = 1_024
FARTHEST = 1_000_000
"""No number in a map may be larger: a picture has fewer pixels, and a map fewer squares."""


class MapScale(Value, frozen=True):
    """The scale of a map on the table, in thousandths of an inch or a centimetre.

    `square` is the side of one grid square; `thickness` is that of a wall, which a map draws as a line. A passage one
    square wide is narrower by that, so that bases as wide as a square need a larger square to pass.
    """

    square: Annotated[int, Meta(ge=1, le=100 * PER_UNIT)] = PER_UNIT
    thickness: Annotated[int, Meta(ge=10, le=PER_UNIT)] = 100


class MapNote(Value, frozen=True):
    """A part of a map that did not become terrain as drawn: the count, the kind, and what was done."""

    code: str
    message: str
    count: int


@dataclass(frozen=True, slots=True)
class Line:
    """A wall as drawn, corner after corner: whether it stops lines of sight, and whether it stops those who move."""

    points: tuple[Point, ...]
    sight: bool = True
    move: bool = True


@dataclass(frozen=True, slots=True)
class Door:
    """A door or an opening between two points; an open one stops nothing."""

    points: tuple[Point, ...]
    closed: bool


@dataclass(frozen=True, slots=True)
class Drawn:
    """The terrain of a map. `shapes` are closed, their last corner joined to the first."""

    width: int
    depth: int
    lines: tuple[Line, ...] = ()
    shapes: tuple[tuple[Point, ...], ...] = ()
    doors: tuple[Door, ...] = ()
    notes: tuple[MapNote, ...] = ()


@dataclass(slots=True)
class Sheet:
    """The state of reading: the faults found so far, and the counts."""

    faults: list[Fault] = field(default_factory=list)
    lines: int = 0
    points: int = 0

    def fault(self, at: str, code: str, message: str, seen: Any = None, expected: str = "", hint: str = "") -> None:
        """Record a fault; raises `Faults` if there are too many to continue."""
        self.faults.append(Fault(at, code, message, _short(seen), expected, hint))
        if len(self.faults) >= MOST_FAULTS:
            self.done()

    def done(self) -> None:
        """Raise `Faults` if there are any."""
        if self.faults:
            raise Faults(self.faults)

    def stop(self, at: str, code: str, message: str, seen: int, most: int) -> NoReturn:
        """Raise `Faults` for a file that is too large to continue."""
        self.faults.append(Fault(at, code, message, seen, f"at most {most}", "import a part of the map at a time"))
        raise Faults(self.faults)

    def rows(self, value: Any, at: str) -> Iterator[tuple[str, Any]]:
        """Give the rows of a list, each with its pointer; a missing list has none."""
        if value is None:
            return
        if not isinstance(value, list):
            self.fault(at, "not-a-list", "here stands no list", value, "a list")
            return
        for index, row in enumerate(value):
            yield f"{at}/{index}", row

    def count_line(self, at: str, points: int) -> None:
        """Count a line and its points; raises `Faults` if there are too many lines or points."""
        self.lines, self.points = self.lines + 1, self.points + points
        if self.lines > MOST_LINES:
            self.stop(at, "too-many-walls", "the map has too many walls", self.lines, MOST_LINES)
        if self.points > MOST_POINTS:
            self.stop(at, "too-many-points", "the walls of the map have too many points", self.points, MOST_POINTS)

    def member(self, value: Any, name: str, at: str) -> Any:
        """Give a member of an object; None if it is missing or there is no object."""
        if isinstance(value, dict):
            return value.get(name)
        self.fault(at, "not-an-object", "here stands no object", value, f"an object with the member {name!r}")
        return None

    def number(self, value: Any, at: str, *, least: int | None = None, most: int = FARTHEST) -> Fraction | None:
        """Give a number exactly as it is written, if it is one between the bounds."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fault(at, "not-a-number", "here stands no number", value, "a number")
            return None
        low = -most if least is None else least
        if not low <= value <= most:
            self.fault(at, "number-out-of-bounds", "the number is out of bounds", value, f"from {low} to {most}")
            return None
        # A floating-point number means its shortest decimal.
        return Fraction(repr(value))

    def size(self, squares: Fraction | None, scale: MapScale, at: str) -> int:
        """Give a side of the map in thousandths, from its number of squares."""
        if squares is None:
            return 0
        if not 0 < squares <= MOST_SQUARES:
            asked = f"more than 0 and at most {MOST_SQUARES} squares"
            self.fault(at, "map-size", "no map has such a side", float(squares), asked)
            return 0
        side = round(squares * scale.square)
        if not 0 < side <= LARGEST:
            asked = f"a side of 0.001 to {LARGEST // PER_UNIT} on the table"
            self.fault(
                at,
                "table-size",
                "the map does not fit a table at this scale",
                side / PER_UNIT,
                asked,
                "take a smaller square",
            )
        return side


def in_squares(x: Fraction, y: Fraction, scale: MapScale) -> Point:
    """Give a position in squares in thousandths, a half to the even one."""
    return round(x * scale.square), round(y * scale.square)


def _short(seen: Any) -> Any:
    """Show plain values as they are, and for anything else only its kind."""
    if isinstance(seen, str):
        return seen if len(seen) <= 40 else seen[:40] + "…"
    if isinstance(seen, int) and not isinstance(seen, bool) and abs(seen) >= 10**15:
        return f"a number of {seen.bit_length()} bits"
    if seen is None or isinstance(seen, bool | int | float):
        return seen
    return "a list" if isinstance(seen, list) else "an object"
