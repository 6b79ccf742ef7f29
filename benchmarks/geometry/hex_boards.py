"""The random boards that the benchmarks of hex geometry share."""

from random import Random

from arbiter.geometry.hex.board import HexBoard
from arbiter.geometry.hex.coordinates import Hex, from_offset, sides_of


def rectangle(columns: int, rows: int) -> list[Hex]:
    """List the hexes of a pointy-top board with these columns and rows."""
    return [from_offset(column, row, "odd-r") for row in range(rows) for column in range(columns)]


def random_board(
    seed: int,
    columns: int,
    rows: int,
    *,
    walls: float = 0.0,
    cover: float = 0.0,
    obstructions: float = 0.0,
    edges: bool = True,
) -> HexBoard:
    """Make a board with these shares of all hexsides and hexes as walls, cover and obstructions."""
    random = Random(seed)
    hexes = rectangle(columns, rows)
    every = sorted({of for a in hexes for of in sides_of(a)})
    return HexBoard(
        hexes,
        walls=[of for of in every if random.random() < walls],
        cover=[of for of in every if random.random() < cover],
        obstructions=[a for a in hexes if random.random() < obstructions],
        edges=None if edges else (),
    )


def large_board(seed: int = 1) -> HexBoard:
    """Make the 40 by 40 board for the timings, with eight in a hundred of everything."""
    return random_board(seed, 40, 40, walls=0.08, cover=0.08, obstructions=0.08)
