"""Tables measured in inches or centimetres: places and bodies in whole thousandths, and the prepared ground.

What is posted is read to the nearest thousandth of its unit; the geometry counts in thousandths alone.
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
"""Units that a process remembers as the geometry takes them."""


class PlaneGround:
    """What the table alone decides: its pieces as the geometry takes them."""

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
    """Give a posted place in thousandths."""
    return thousandths(place[0]), thousandths(place[1])


def place(at: Point) -> Place:
    """Give a place in thousandths in the unit in which places are posted."""
    return float(units(at[0])), float(units(at[1]))


def rounded(length: float) -> float:
    """Give a length in thousandths in the unit in which places are posted, to the nearest of them."""
    return round(length) / PER_UNIT


def rounded_place(at: tuple[float, float]) -> Place:
    """Give a place between whole thousandths in the unit in which places are posted, to the nearest of them."""
    return rounded(at[0]), rounded(at[1])


def bends(path: Path, parts: int = 8) -> Iterator[Place]:
    """Give where a path begins, bends and ends, in the unit in which places are posted; of an arc some points more."""
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
    """Give a unit, or a model of one, as the geometry takes it: so far `across` at its base and so high."""
    # Half a thousandth is lost where the base is an odd number of them across.
    radius, high = max(1, thousandths(across) // 2), max(1, thousandths(height))
    return Figure(id_, point(at), radius, high, thousandths(elevation), facing, slack)


def somewhere(id_: str) -> Figure:
    """Give a unit in play whose place is not in the scene: whoever measures from it raises `PlaceNeeded`."""
    at: Any = NOWHERE
    return Figure(id_, at, 1, 1)


def off_table(what: str, at: Place, size: Place, where: str, unit: str = "") -> Iterator[Fault]:
    """Find a place off a table of a size; `where` points to the place."""
    (x, y), (width, depth) = point(at), point(size)
    if x > width or y > depth:
        inside = f"inside {size[0]:g} by {size[1]:g} {unit}".rstrip()
        yield Fault(where, "off-the-table", f"{what} lies off the table", list(at), inside)


def table_faults(width: float, depth: float, pieces: Iterable[Piece], members: tuple[str, str]) -> tuple[Fault, ...]:
    """Find what is impossible about the table of a scene; `members` are the names of its width and depth."""
    at, size = f"{SCENE}/board", (thousandths(width), thousandths(depth))
    return (*size_faults(*size, at, members), *piece_faults(tuple(pieces), *size, f"{at}/pieces"))


def standing_faults(
    bodies: Sequence[Figure], places: Sequence[str], size: Place, roster: str, touch: int = 0
) -> Iterator[Fault]:
    """Find bodies that stand in each other by more than a touch or their slack, or reach over the edge of a table.

    `places` are the pointers to where the bodies stand, `roster` is the one to the list of all units. That two have the
    same id is not looked for.
    """
    solid = [replace(body, radius=max(1, body.radius - max(touch, body.slack) // 2)) for body in bodies]
    for fault in figure_faults(solid, *point(size)):
        if fault.code != "same-id":
            place = fault.pointer.split("/")[1:2]
            yield replace(fault, pointer=places[int(place[0])] if place else roster)
