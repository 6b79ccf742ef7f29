"""What can be drawn: the marks of a picture of a table, as frozen values that know of no form of picture.

A game turns its scene, and what an answer adds to it, into a `Drawing`; the pen in `rendering/pictures` turns that into
SVG. Marks are placed in the units of their board. On a `Plane` these are its lengths, y from south to north. On `Cells`
the centres of neighbouring cells are 1 apart, and y grows downwards, as rows are counted.

Only what every player may see becomes a mark: nothing here has a place for what a crate or a deck holds.
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
"""What a piece of ground is to the eye: the pen has a filling for each."""

Verdict = Literal["seen", "cover", "blocked", "aimed"]
"""How a line ends: what it leads to is seen, is seen with cover, or is not seen."""

ROOT = sqrt(3) / 2
"""How far apart the rows of hexes with pointy tops are, whose centres are 1 apart in a row."""

NEUTRAL = -1
"""The side of those who have none."""


class Plane(Value, frozen=True):
    """An open board: so wide, so deep, in a unit; units snap to steps of so much, and there is a line at every `grid`.

    `origin` is the place of its south-west corner.
    """

    width: float
    depth: float
    unit: str
    step: float = 0.5
    grid: float = 6.0


class Cell(Value, frozen=True):
    """One cell: its coordinates in the board's scheme, and where its centre lies."""

    at: Place
    centre: Point


Grid = Literal["pointy", "flat", "square"]


class Cells(Value, frozen=True, cache_hash=True):
    """A board of cells: hexes with pointy or flat tops, or squares."""

    shape: Grid
    cells: tuple[Cell, ...]

    def corners(self, centre: Point) -> Ring:
        """Give the corners of the cell whose centre lies there."""
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
    """A piece of ground in its outline; `height` where it has one, `text` is written into it."""

    outline: Ring
    ground: Ground
    title: str
    legend: str = ""
    height: float | None = None
    text: str = ""


class Edge(Value, frozen=True):
    """A hexside or the side of a tile, with what stands on it."""

    a: Point
    b: Point
    kind: Literal["wall", "cover", "portal"]
    title: str
    legend: str = ""


class Token(Value, frozen=True):
    """A marker that lies on the board: a few letters, and what it is."""

    at: Point
    kind: Literal["loot", "crate", "unknown", "objective", "warning", "item"]
    title: str
    legend: str = ""
    text: str = ""


class Unit(Value, frozen=True):
    """A unit, or one model of a squad, where it stands.

    `pointer` leads to its place in the scene. `letters` are written on it. `radius` is that of its base, none on cells.
    `facing` is in degrees, counter-clockwise from the east as it is drawn. `lost` are wounds. `level` is how high above
    the table it stands. The models of one `squad` share a label and a hull. `asks`: the question is about what it does.
    `verdict` is drawn as a ring around it. `by_rules`: no player decides what it does, but the rules of its behaviour.
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
    """A place where a line meets something: it blocks, it gives cover, or it is touched and does not count."""

    at: Point
    kind: Literal["blocks", "cover", "touched"]
    title: str


class Line(Value, frozen=True):
    """A line of sight, or the aim of an attack, with what it meets; `text` is written beside its end.

    `about` is the id of whom it leads to, `how` what `title` says beside the name: how it ends, and why.
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
    """What is laid on the table for an effect: a circle of a radius around a place, or an outline."""

    title: str
    legend: str
    at: Point | None = None
    radius: float = 0.0
    outline: Ring = ()


class Way(Value, frozen=True):
    """The way somebody goes, or is thrown, from its first point to its last."""

    points: Ring
    title: str
    legend: str = "way"


class Label(Value, frozen=True):
    """A few words at a place."""

    at: Point
    text: str


Mark = Shape | Edge | Token | Unit | Line | Area | Template | Way | Label


class Die(Value, frozen=True):
    """A die as it fell: its face, whose it is, and what for."""

    face: str
    side: int
    title: str
    text: str = ""


class Bar(Value, frozen=True):
    """An outcome with its chance; `came`: it is the one that came."""

    title: str
    chance: float
    verdict: Verdict | None = None
    came: bool = False


class Drawing(Value, frozen=True):
    """A picture to be drawn: its title, one sentence that says what it shows, the board, and the marks on it.

    `sides` are the names of the sides, in the order of their numbers; `neutral` that of those who have none.
    """

    title: str
    description: str
    board: Plane | Cells
    marks: tuple[Mark, ...]
    sides: tuple[str, ...]
    neutral: str = "nobody's"


class Shown(Value, frozen=True):
    """What a question and its answer add to a scene: the case as it was decoded, answer and events as JSON."""

    question: str
    case: Any
    answer: Any
    events: tuple[Mapping[str, Any], ...] = ()
    verdict: str = ""


def letters(id_: str, taken: Iterable[str]) -> str:
    """Give the two letters by which an id is known on a board where others are `taken`.

    They are its first letter and the number it ends in, if it has one, and else its first two letters.
    """
    used = set(taken)
    plain = [letter for letter in id_ if letter.isalnum()] or ["?"]
    first, last = plain[0].upper(), plain[-1].lower()
    wanted = first + last if last.isdigit() and len(plain) > 1 else first + "".join(plain[1:2]).lower()
    others = (first + letter for letter in [*map(str.lower, plain[2:]), *"123456789abcdefghijklmnopqrstuvwxyz"])
    return next((each for each in (wanted, *others) if each not in used), wanted)
