"""Boards of tiles for the tests: a Hypothesis strategy, and random boards from a seed."""

from random import Random

from hypothesis import strategies as st

from arbiter.geometry.hex.coordinates import from_offset
from arbiter.geometry.tile.board import TileBoard
from arbiter.geometry.tile.grid import Grid

Tile = tuple[int, int]

grids = st.sampled_from(Grid)
some_tiles = st.sets(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=20)


def rectangle(grid: Grid, columns: int, rows: int) -> list[Tile]:
    """A full board, on hexes with its even rows to the left."""
    every = [(x, y) for y in range(rows) for x in range(columns)]
    return [from_offset(x, y, "odd-r") for x, y in every] if grid is Grid.HEX else every


def random_board(random: Random, grid: Grid, longest: int) -> tuple[TileBoard, list[Tile]]:
    """A board with holes, away from (0, 0), and blockers on it, in its holes and beside it."""
    columns, rows = random.randint(1, longest), random.randint(1, longest)
    at = random.randint(-5, 5), random.randint(-5, 5)
    full = [(x + at[0], y + at[1]) for x, y in rectangle(grid, columns, rows)]
    tiles = [tile for tile in full if random.random() < 0.9] or full
    share = random.choice((0.05, 0.2, 0.5))
    near = sorted({*full, *(other for tile in full for other in grid.neighbours(tile))})
    return TileBoard(grid, tiles), [tile for tile in near if random.random() < share]
