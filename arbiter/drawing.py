"""Drawings: the marks of a picture of a table, as frozen values that are independent of any picture format.

A game turns its scene, and the additions of an answer, into a `Drawing`; the pen in `rendering/pictures` turns that
into SVG. Marks are placed in the units of their board. On a `Plane` these are its lengths, y from south to north. On
`Cells` the centres of neighbouring cells are 1 apart, and y grows downwards, as rows are counted.

Only objects that every player may see become marks: no mark can show the content of a crate or a deck.
"""

from collections.abc import Iterable, Mapping
from math import sqrt
from typing import Any, Literal

from arbiter.value import Value

Point = tuple[float, float]
Place = tuple[int, int]
"""A cell by its coordinates, in the board's own scheme."""

Ring = tuple[Point, ...]

Ground = Literal[
    "solid",
    "obscuring",
    "open",
    "rough",
    "water",
    "wall",
    "column",
    "deadly",
    "hole",
    "off",
    "zone",
    "chamber",
    "smoke",
]
"""The appearance of a piece of ground: the pen has a fill for each."""

Verdict = Literal["seen", "cover", "blocked", "aimed"]
"""The result of a line: its target is seen, is seen with cover, or is not seen."""

ROOT = sqrt(3) / 2
"""The distance between rows of pointy-top hexes whose centres are 1 apart in a row."""

NEUTRAL = -1
"""The side of neutral units."""


class Plane(Value, frozen=True):
    """An open board: its width and depth in a unit; units snap to `step`, and there is a line at every `grid`.

    `origin` is the position of its south-west corner.
    """

    width: float
    depth: float
    unit: str
    step: float = 0.5
    grid: float = 6.0


class Cell(Value, frozen=True):
    """One cell: its coordinates in the board's scheme, and its centre."""

    at: Place
    centre: Point


Grid = Literal["pointy", "flat", "square"]


class Cells(Value, frozen=True, cache_hash=True):
    """A board of cells: hexes with pointy or flat tops, or squares."""

    shape: Grid
    cells: tuple[Cell, ...]

    def corners(self, centre: Point) -> Ring:
        """Give the corners of the cell with this centre."""
        x, y = centre
        return tuple((x + dx, y + dy) for dx, dy in _CORNERS[self.shape])

    def centres(self) -> Mapping[Place, Point]:
        """Give the centre of every cell by its coordinates."""
        return {cell.at: cell.centre for cell in self.cells}


_SIDE = 1 / sqrt(3)
_POINTY = ((0.5, -_SIDE / 2), (0.0, -_SIDE), (-0.5, -_SIDE / 2), (-0.5, _SIDE / 2), (0.0, _SIDE), (0.5, _SIDE / 2))
_CORNERS: dict[str, Ring] = {
    "pointy": _POINTY,
    "flat": tuple((y, x) for x, y in _POINTY),
    "square": ((0.5, -0.5), (-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)),
}


def hex_point(q: float, r: float, *, flat: bool = False) -> Point:
    """Place a point that is given in axial units: (q, r) is the centre of that hex."""
    return (ROOT * q, r + q / 2) if flat else (q + r / 2, ROOT * r)


class Shape(Value, frozen=True):
    """A piece of ground with its outline; `height` if it has one, `text` is written into it."""

    outline: Ring
    ground: Ground
    title: str
    legend: str = ""
    height: float | None = None
    text: str = ""


class Edge(Value, frozen=True):
    """A hexside or the side of a tile, with the object on it."""

    a: Point
    b: Point
    kind: Literal["wall", "cover", "portal"]
    title: str
    legend: str = ""


class Token(Value, frozen=True):
    """A marker on the board: a few letters, and its description."""

    at: Point
    kind: Literal["loot", "crate", "unknown", "objective", "warning", "item"]
    title: str
    legend: str = ""
    text: str = ""


class Unit(Value, frozen=True):
    """A unit, or one model of a squad, at its position.

    `pointer` is the JSON Pointer of its position in the scene. `letters` are written on it. `radius` is that of its
    base, none on cells. `facing` is in degrees, counter-clockwise from the east as drawn. `lost` are wounds. `level` is
    its height above the table. The models of one `squad` share a label and a hull. `asks`: it is the acting unit of the
    question. `verdict` is drawn as a ring around it. `by_rules`: the rules of its behaviour decide for it, not a
    player.
    """

    id: str
    name: str
    side: int
    letters: str
    at: Point
    pointer: str
    radius: float | None = None
    facing: float | None = None
    lost: int = 0
    level: float | None = None
    activated: bool = False
    down: bool = False
    squad: str = ""
    notes: tuple[str, ...] = ()
    asks: bool = False
    verdict: Verdict | None = None
    by_rules: bool = False


class Contact(Value, frozen=True):
    """A contact of a line with an object that blocks, gives cover, or is touched without effect."""

    at: Point
    kind: Literal["blocks", "cover", "touched"]
    title: str


class Line(Value, frozen=True):
    """A line of sight, or the aim of an attack, with its contacts; `text` is written next to its end.

    `about` is the id of its target, `how` the part of the title after the name: the result, and the reason.
    """

    start: Point
    end: Point
    verdict: Verdict
    title: str
    contacts: tuple[Contact, ...] = ()
    legend: str = ""
    text: str = ""
    about: str = ""
    how: str = ""


class Area(Value, frozen=True):
    """An exact area: rings of which every second one inside another is a hole; the more `strength`, the darker."""

    rings: tuple[Ring, ...]
    title: str
    legend: str
    strength: float = 0.25
    text: str = ""


class Template(Value, frozen=True):
    """The template of an effect: a circle around a point, or an outline."""

    title: str
    legend: str
    at: Point | None = None
    radius: float = 0.0
    outline: Ring = ()


class Way(Value, frozen=True):
    """The route of a unit that moves or is thrown, from its first point to its last."""

    points: Ring
    title: str
    legend: str = "way"


class Label(Value, frozen=True):
    """A few words at a point."""

    at: Point
    text: str


Mark = Shape | Edge | Token | Unit | Line | Area | Template | Way | Label


class Die(Value, frozen=True):
    """A rolled die: its face, its owner, and its purpose."""

    face: str
    side: int
    title: str
    text: str = ""


class Bar(Value, frozen=True):
    """An outcome with its chance; `came`: it is the actual outcome."""

    title: str
    chance: float
    verdict: Verdict | None = None
    came: bool = False


class Drawing(Value, frozen=True):
    """A picture to draw: its title, a sentence that describes it, the board, and the marks on it.

    `sides` are the names of the sides, in the order of their numbers; `neutral` the name for units without a side.
    """

    title: str
    description: str
    board: Plane | Cells
    marks: tuple[Mark, ...]
    sides: tuple[str, ...]
    neutral: str = "nobody's"


class Shown(Value, frozen=True):
    """The additions of a question and its answer to a scene: the decoded case, answer and events as JSON."""

    question: str
    case: Any
    answer: Any
    events: tuple[Mapping[str, Any], ...] = ()
    verdict: str = ""


def letters(id_: str, taken: Iterable[str]) -> str:
    """Give the two letters for an id on a board where others are `taken`.

    They are its first letter and the number it ends in, if it has one, and else its first two letters.
    """
    used = set(taken)
    plain = [letter for letter in id_ if letter.isalnum()] or ["?"]
    first, last = plain[0].upper(), plain[-1].lower()
    wanted = first + last if last.isdigit() and len(plain) > 1 else first + "".join(plain[1:2]).lower()
    others = (first + letter for letter in [*map(str.lower, plain[2:]), *"123456789abcdefghijklmnopqrstuvwxyz"])
    return next((each for each in (wanted, *others) if each not in used), wanted)
