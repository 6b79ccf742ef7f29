"""Boards of cells in pictures: hexes or squares by their posted coordinates, and what is drawn in one of them."""

from collections.abc import Callable, Iterable
from typing import Any

from arbiter.drawing import Area, Cell, Cells, Grid, Place, Point, Ring, hex_point


class CellBoard:
    """A board of cells as it is drawn. A cell is named by the coordinates of the posted board, in a tuple or a list.

    `inner` gives those by which the geometry knows it: the axial ones of a hex, column and row of a square.
    """

    def __init__(self, shape: Grid, every: Iterable[Place], inner: Callable[[Place], Place]) -> None:
        self._shape, self._inner = shape, inner
        self.cells = Cells(shape, tuple(Cell(at, self.centre(at)) for at in every))

    def centre(self, at: Any) -> Point:
        """Give the centre of a cell."""
        return self.point(*self._inner((at[0], at[1])))

    def point(self, q: float, r: float) -> Point:
        """Give a point in the units of the geometry."""
        return (float(q), float(r)) if self._shape == "square" else hex_point(q, r, flat=self._shape == "flat")

    def outline(self, at: Any) -> Ring:
        """Give the corners of a cell."""
        return self.cells.corners(self.centre(at))

    def reached(self, at: Any, cost: int, title: str, legend: str, text: str) -> Area:
        """Draw a cell in which a move may end, the paler the more it costs."""
        return Area((self.outline(at),), title, legend, max(0.14, 0.38 - 0.05 * cost), text)


def pair(at: Any) -> str:
    """Write the coordinates of a cell."""
    return f"{at[0]},{at[1]}"
