"""Cells in pictures lie where the geometry has them, in the coordinates of the posted board."""

from math import sqrt

import pytest

from arbiter.drawing import Area
from arbiter.geometry.hex import coordinates as hexes
from arbiter.skirmish.cells import CellBoard, pair


def test_squares_lie_at_their_column_and_row() -> None:
    board = CellBoard("square", [(0, 0), (2, 1)], lambda at: at)
    assert board.cells.centres() == {(0, 0): (0.0, 0.0), (2, 1): (2.0, 1.0)}
    assert board.outline([2, 1]) == ((2.5, 0.5), (1.5, 0.5), (1.5, 1.5), (2.5, 1.5))


def test_hexes_lie_where_their_axial_coordinates_say() -> None:
    board = CellBoard("pointy", [(0, 1), (1, 1)], lambda at: hexes.from_offset(*at, "odd-r"))
    assert board.centre((1, 1)) == pytest.approx((1.5, sqrt(3) / 2))
    assert board.point(1, 1) == board.centre([1, 1])
    assert len(board.outline((0, 1))) == 6


def test_a_cell_is_paler_the_more_it_costs_to_come_there() -> None:
    board = CellBoard("square", [(0, 0)], lambda at: at)
    near, far = (board.reached([0, 0], cost, pair([0, 0]), "end", str(cost)) for cost in (1, 9))
    assert isinstance(near, Area)
    assert (near.title, near.rings) == ("0,0", (board.outline((0, 0)),))
    assert near.strength > far.strength > 0
