"""The ground: the board as it is posted, and what it alone decides, by the kernel's geometry. No rules stand here."""

from functools import lru_cache
from typing import Annotated

from msgspec import Meta

from arbiter.drawing import Cell, Cells, Point, Ring, hex_point
from arbiter.geometry.tile.board import TileBoard
from arbiter.geometry.tile.grid import Grid
from arbiter.geometry.tile.paths import reach
from arbiter.value import Value

GRID = Grid.HEX

BASE: float | None = None
"""The radius of a base as it is drawn; none where fighters fill a hex."""

Coordinate = Annotated[int, Meta(ge=-50, le=50)]
Hex = tuple[Coordinate, Coordinate]
Rock = Hex
Closed = frozenset[Hex]


class Ground(Value, frozen=True, kw_only=True):
    """The board: a hexagon of hexes around (0, 0), and the rocks on it."""

    radius_hexes: Annotated[int, Meta(ge=1, le=20, description="Hexes from the middle to the rim.")]
    rocks: Annotated[tuple[Rock, ...], Meta(max_length=400, description="Hexes with a rock.")] = ()

    @property
    def board(self) -> TileBoard:
        """The board as the geometry takes it."""
        return _board(self.radius_hexes)

    @property
    def drawn(self) -> Cells:
        """The board as it is drawn."""
        return Cells("pointy", tuple(Cell(hex_, point(hex_)) for hex_ in sorted(self.board.tiles)))

    @property
    def extent(self) -> str:
        """Which hexes belong to the board, in words."""
        return f"a hex at most {self.radius_hexes} from (0, 0)"

    def holds(self, hex_: Hex) -> bool:
        """Decide whether a hex belongs to the board."""
        return hex_ in self.board.tiles

    def is_rock(self, hex_: Hex) -> bool:
        """Decide whether nobody can stand in a hex because of a rock."""
        return hex_ in self.rocks

    def sees(self, a: Hex, b: Hex) -> bool:
        """Decide whether the line between the middles of two hexes passes no rock, nor between two.

        ValueError where a hex is not on the board.
        """
        return self.board.sees(a, b, self.rocks)

    def reach(self, start: Hex, steps: int, closed: Closed) -> tuple[Hex, ...]:
        """Find the hexes at most so many steps away, round what is closed; nearest first, without the start."""
        found = reach(GRID, self.board.tiles, start, steps, blocked=closed)
        return tuple(sorted(set(found) - {start}, key=lambda hex_: (distance(start, hex_), hex_)))


def point(hex_: Hex) -> Point:
    """Give the middle of a hex as it is drawn."""
    return hex_point(*hex_)


def spot(hex_: Hex) -> Ring:
    """Give the outline of a hex as it is drawn."""
    return Cells("pointy", ()).corners(point(hex_))


def rock_outline(rock: Rock) -> Ring:
    """Give the outline of a rock as it is drawn."""
    return spot(rock)


def distance(a: Hex, b: Hex) -> int:
    """Count the hexes from one to another as the crow flies."""
    return GRID.distance(a, b)


def within(a: Hex, b: Hex, hexes: int) -> bool:
    """Decide whether two hexes are at most so many hexes apart."""
    return distance(a, b) <= hexes


@lru_cache(maxsize=32)
def _board(radius_hexes: int) -> TileBoard:
    return TileBoard(GRID, GRID.within((0, 0), radius_hexes))
