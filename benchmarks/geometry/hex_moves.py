"""Legal moves of one unit on a 40 by 40 board of hexes, with enemies, halting and full hexes: ours and scipy.

Both keep the data that depends on the board alone: ours its links, scipy its arrays of neighbours. Data that depends on
the units has to be rebuilt for each question, which for scipy means the graph: steps into enemies and out of halting
hexes are left out, and a compressed sparse graph is made with its fastest constructor. The answers must be the same.
"""

from random import Random

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from arbiter.geometry.hex.board import HexBoard
from arbiter.geometry.hex.coordinates import Hex, neighbours, side
from arbiter.geometry.hex.paths import Reach, reach, routes
from benchmarks.geometry.hex_boards import random_board
from benchmarks.measure import Row, side_by_side, table, timed

SCIPY = "scipy dijkstra with its build"


class Graph:
    """The board for scipy: neighbours as arrays of indices."""

    def __init__(self, board: HexBoard) -> None:
        self.hexes = sorted(board.hexes)
        self.index = {a: i for i, a in enumerate(self.hexes)}
        free = board.hexes - board.obstructions
        steps = [
            (self.index[a], self.index[b])
            for a in self.hexes
            for b in neighbours(a)
            if a in free and b in free and side(a, b) not in board.walls
        ]
        self.start, self.end = (np.array(ends, dtype=np.int32) for ends in zip(*steps, strict=True))
        self.ones = np.ones(len(steps))
        self.around = {self.index[a]: [self.index[b] for b in neighbours(a) if b in board.hexes] for a in self.hexes}

    def distances(self, start: Hex, steps: int, enemies: list[Hex], full: list[Hex]) -> np.ndarray:
        """Give the steps to every hex, infinite if no move may end there."""
        size = len(self.hexes)
        here = self.index[start]
        held = [self.index[a] for a in enemies]
        shut = np.zeros(size, dtype=bool)
        shut[held] = True
        halting = np.zeros(size, dtype=bool)
        halting[[b for a in held for b in self.around[a]]] = True
        halting[here] = False
        kept = ~(shut[self.end] | halting[self.start])
        ends = self.end[kept]
        begins = np.zeros(size + 1, dtype=np.int32)
        np.cumsum(np.bincount(self.start[kept], minlength=size), out=begins[1:])
        graph = csr_array((self.ones[: len(ends)], ends, begins), shape=(size, size))
        found = dijkstra(graph, indices=here, limit=steps)
        found[[self.index[a] for a in full]] = np.inf
        found[here] = 0
        return np.asarray(found)

    def by_hex(self, start: Hex, steps: int, enemies: list[Hex], full: list[Hex]) -> dict[Hex, int]:
        """Give the same as a dictionary."""
        found = self.distances(start, steps, enemies, full)
        near = np.flatnonzero(np.isfinite(found))
        hexes = self.hexes
        return dict(zip([hexes[i] for i in near.tolist()], found[near].astype(int).tolist(), strict=True))


def rows() -> list[Row]:
    board = random_board(11, 40, 40, walls=0.05, obstructions=0.05)
    graph = Graph(board)
    random = Random(12)
    free = sorted(board.hexes - board.obstructions)
    scenes = []
    for _ in range(20):
        start, *others = random.sample(free, 21)
        scenes.append((start, others[:10], others[10:]))
    found = []
    for steps in (4, 8, 100):

        def ours(steps: int = steps) -> list[Reach]:
            return [reach(board, start, steps, enemies=enemies, full=full) for start, enemies, full in scenes]

        def ours_by_hex(steps: int = steps) -> list[dict[Hex, int]]:
            return [reach(board, start, steps, enemies=enemies, full=full).costs for start, enemies, full in scenes]

        def theirs(steps: int = steps) -> list[np.ndarray]:
            return [graph.distances(start, steps, enemies, full) for start, enemies, full in scenes]

        def theirs_by_hex(steps: int = steps) -> list[dict[Hex, int]]:
            return [graph.by_hex(start, steps, enemies, full) for start, enemies, full in scenes]

        if ours_by_hex() != theirs_by_hex():
            raise AssertionError(f"moves of {steps} differ")
        took = side_by_side({"ours": ours, "ours by hex": ours_by_hex, "scipy": theirs, "scipy by hex": theirs_by_hex})
        each = {name: seconds / len(scenes) for name, seconds in took.items()}
        move = f"move of {steps}" if steps < 100 else "move without limit"
        at_least = 5 if steps < 100 else None
        found += [
            timed(f"{move}, each in its own form", each["ours"], SCIPY, each["scipy"], at_least=at_least),
            timed(
                f"{move}, as steps by hex",
                each["ours by hex"],
                SCIPY,
                each["scipy by hex"],
                at_least=at_least if steps < 8 else None,
            ),
        ]
    targets = [start for start, _, _ in scenes[:4]]
    took = side_by_side({"routes": lambda: routes(board, targets)})
    return [*found, timed("routes from every hex to the nearest of four", took["routes"])]


if __name__ == "__main__":
    print(table(rows()))
