"""Tables measured in inches or centimetres: positions and bodies in whole thousandths, and the prepared ground.

Posted values are read to the nearest thousandth of their unit; the geometry uses only thousandths.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any

from msgspec.structs import replace

from arbiter.fault import Fault
from arbiter.geometry.plane.faults import figure_faults, piece_faults, size_faults
from arbiter.geometry.plane.near import Nearby
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import PER_UNIT, Figure, Piece, Point, thousandths, units
from arbiter.nowhere import NOWHERE
from arbiter.skirmish.faults import SCENE

Place = tuple[float, float]

BODIES_KEPT = 16_384
"""Units that a process caches in the geometry's form."""


class PlaneGround:
    """The part that the table alone decides: its pieces in the geometry's form."""

    def __init__(self, width: float, depth: float, pieces: Iterable[Piece]) -> None:
        self.width, self.depth = thousandths(width), thousandths(depth)
        self.pieces = {piece.id: piece for piece in pieces}

    def has_room(self, at: tuple[float, float], low: int) -> bool:
        """Decide whether a place is on the table, and not nearer than that to an edge of it."""
        return low <= at[0] <= self.width - low and low <= at[1] <= self.depth - low

    @cached_property
    def blocking(self) -> tuple[Piece, ...]:
        """The pieces that block lines of sight."""
        return tuple(piece for piece in self.pieces.values() if piece.sight == "blocks")

    @cached_property
    def impassable(self) -> tuple[Piece, ...]:
        """The pieces that are impassable at the level of the table."""
        return tuple(piece for piece in self.pieces.values() if piece.ground == "impassable")

    @cached_property
    def beside(self) -> Nearby:
        """The impassable pieces, indexed by nearness."""
        return Nearby(self.impassable)


def point(place: Place) -> Point:
    """Give a posted position in thousandths."""
    return thousandths(place[0]), thousandths(place[1])


def place(at: Point) -> Place:
    """Give a position in thousandths in the posted unit."""
    return float(units(at[0])), float(units(at[1]))


def rounded(length: float) -> float:
    """Give a length in thousandths in the posted unit, to the nearest thousandth."""
    return round(length) / PER_UNIT


def rounded_place(at: tuple[float, float]) -> Place:
    """Give a position between whole thousandths in the posted unit, to the nearest thousandth."""
    return rounded(at[0]), rounded(at[1])


def bends(path: Path, parts: int = 8) -> Iterator[Place]:
    """Give the start, the bends and the end of a path, in the posted unit, with some more points on arcs."""
    yield rounded_place(path.start)
    for leg in path.legs:
        count = 1 if leg.centre is None else parts
        yield from (rounded_place(leg.at(leg.length * part / count)) for part in range(1, count + 1))


@lru_cache(maxsize=BODIES_KEPT)
def body(
    id_: str,
    at: Place,
    across: float,
    height: float,
    elevation: float = 0.0,
    facing: tuple[int, int] | None = None,
    slack: int = 0,
) -> Figure:
    """Give a unit, or a model of one, in the geometry's form: `across` is the diameter of its base."""
    # Half a thousandth is lost if the diameter is an odd number of them.
    radius, high = max(1, thousandths(across) // 2), max(1, thousandths(height))
    return Figure(id_, point(at), radius, high, thousandths(elevation), facing, slack)


def somewhere(id_: str) -> Figure:
    """Give a unit in play without a position in the scene: measuring from it raises `PlaceNeeded`."""
    at: Any = NOWHERE
    return Figure(id_, at, 1, 1)


def off_table(what: str, at: Place, size: Place, where: str, unit: str = "") -> Iterator[Fault]:
    """Find a position off a table of a size; `where` points to the position."""
    (x, y), (width, depth) = point(at), point(size)
    if x > width or y > depth:
        inside = f"inside {size[0]:g} by {size[1]:g} {unit}".rstrip()
        yield Fault(where, "off-the-table", f"{what} lies off the table", list(at), inside)


def table_faults(width: float, depth: float, pieces: Iterable[Piece], members: tuple[str, str]) -> tuple[Fault, ...]:
    """Find the faults of the table of a scene; `members` are the names of its width and depth."""
    at, size = f"{SCENE}/board", (thousandths(width), thousandths(depth))
    return (*size_faults(*size, at, members), *piece_faults(tuple(pieces), *size, f"{at}/pieces"))


def standing_faults(
    bodies: Sequence[Figure], places: Sequence[str], size: Place, roster: str, touch: int = 0
) -> Iterator[Fault]:
    """Find bodies that overlap by more than a touch or their slack, or reach over the edge of a table.

    `places` are the pointers to the positions of the bodies, `roster` is the one to the list of all units. Repeated ids
    are not checked.
    """
    solid = [replace(body, radius=max(1, body.radius - max(touch, body.slack) // 2)) for body in bodies]
    for fault in figure_faults(solid, *point(size)):
        if fault.code != "same-id":
            place = fault.pointer.split("/")[1:2]
            yield replace(fault, pointer=places[int(place[0])] if place else roster)
