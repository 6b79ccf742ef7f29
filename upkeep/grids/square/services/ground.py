"""The ground: the board as it is posted, and what it alone decides, by the kernel's geometry. No rules stand here."""

from functools import lru_cache
from typing import Annotated

from msgspec import Meta

from arbiter.drawing import Cell, Cells, Point, Ring
from arbiter.geometry.tile.board import TileBoard
from arbiter.geometry.tile.grid import Grid
from arbiter.geometry.tile.paths import reach
from arbiter.value import Value

GRID = Grid.SQUARE_4

BASE: float | None = None
"""The radius of a base as it is drawn; none where fighters fill a square."""

Coordinate = Annotated[int, Meta(ge=0, le=49)]
Square = tuple[Coordinate, Coordinate]
Rock = Square
Closed = frozenset[Square]


class Ground(Value, frozen=True, kw_only=True):
    """The board: columns and rows of squares, counted from (0, 0) in a corner, and the rocks on it."""

    columns: Annotated[int, Meta(ge=1, le=50, description="Squares from side to side.")]
    rows: Annotated[int, Meta(ge=1, le=50, description="Squares from end to end.")]
    rocks: Annotated[tuple[Rock, ...], Meta(max_length=400, description="Squares with a rock.")] = ()

    @property
    def board(self) -> TileBoard:
        """The board as the geometry takes it."""
        return _board(self.columns, self.rows)

    @property
    def drawn(self) -> Cells:
        """The board as it is drawn."""
        return Cells("square", tuple(Cell(square, point(square)) for square in sorted(self.board.tiles)))

    @property
    def extent(self) -> str:
        """Which squares belong to the board, in words."""
        return f"a square from (0, 0) to ({self.columns - 1}, {self.rows - 1})"

    def holds(self, square: Square) -> bool:
        """Decide whether a square belongs to the board."""
        return square in self.board.tiles

    def is_rock(self, square: Square) -> bool:
        """Decide whether nobody can stand in a square because of a rock."""
        return square in self.rocks

    def sees(self, a: Square, b: Square) -> bool:
        """Decide whether the line between the middles of two squares passes no rock, nor between two.

        ValueError where a square is not on the board.
        """
        return self.board.sees(a, b, self.rocks)

    def reach(self, start: Square, steps: int, closed: Closed) -> tuple[Square, ...]:
        """Find the squares at most so many steps away, round what is closed; nearest first, without the start."""
        found = reach(GRID, self.board.tiles, start, steps, blocked=closed)
        return tuple(sorted(set(found) - {start}, key=lambda square: (distance(start, square), square)))


def point(square: Square) -> Point:
    """Give the middle of a square as it is drawn."""
    return float(square[0]), float(square[1])


def spot(square: Square) -> Ring:
    """Give the outline of a square as it is drawn."""
    return Cells("square", ()).corners(point(square))


def rock_outline(rock: Rock) -> Ring:
    """Give the outline of a rock as it is drawn."""
    return spot(rock)


def distance(a: Square, b: Square) -> int:
    """Count the squares from one to another as the crow flies."""
    return GRID.distance(a, b)


def within(a: Square, b: Square, squares: int) -> bool:
    """Decide whether two squares are at most so many squares apart."""
    return distance(a, b) <= squares


@lru_cache(maxsize=32)
def _board(columns: int, rows: int) -> TileBoard:
    return TileBoard(GRID, ((x, y) for x in range(columns) for y in range(rows)))
