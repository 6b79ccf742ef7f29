"""Routes over several moves and threat maps of Blackstone Fortress on a 50 by 50 board: routes compared with scipy.

For scipy a state is a hex with the steps of the current move; a step into a new move weighs a thousand more,
so that its shortest paths have the fewest moves and then the fewest hexes. Its graph is built once and not counted,
where ours starts from the posted battlefield. Both find the moves and hexes to every hex.
"""

from random import Random

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from arbiter.dice_sources import HandedDice
from arbiter.geometry.hex.coordinates import Hex, neighbours, side
from arbiter.table import Chooser, OneTable
from benchmarks.geometry.hex_boards import random_board
from benchmarks.measure import Row, side_by_side, table, timed
from services.blackstone_fortress.arbiter import ARBITER
from services.blackstone_fortress.battlefield import Battlefield, prepare
from services.blackstone_fortress.questions import maps, maps_threat
from services.blackstone_fortress.rules import marches, movement
from services.blackstone_fortress.scene import Board, Explorer, Hostile, Scene
from services.blackstone_fortress.strides import Arrival

SIZE = 50
MOVES = 200
NEW_MOVE = 1000
SCIPY = "scipy dijkstra, built"


class Graph:
    """Every state of a mover that halts next to enemies, as a graph for scipy."""

    def __init__(self, field: Battlefield, start: Hex, move: int, enemies: set[Hex]) -> None:
        board = field.ground.board
        self.hexes = sorted(board.hexes - board.obstructions - enemies)
        index = {hex_: number for number, hex_ in enumerate(self.hexes)}
        halting = {near for enemy in enemies for near in neighbours(enemy)}
        self.size, self.move = len(self.hexes), move
        begins, ends, weights = [], [], []
        for a in self.hexes:
            for b in neighbours(a):
                if b in index and side(a, b) not in board.walls:
                    for walked in range(move):
                        if walked + 1 < move and a not in halting:
                            begins.append(walked * self.size + index[a])
                            ends.append((walked + 1) * self.size + index[b])
                            weights.append(1)
                        begins.append(walked * self.size + index[a])
                        ends.append(index[b])
                        weights.append(NEW_MOVE + 1)
        # One more state is the start, where no move has begun.
        self.start = move * self.size
        for b in neighbours(start):
            if b in index and side(start, b) not in board.walls:
                begins.append(self.start)
                ends.append(index[b])
                weights.append(NEW_MOVE + 1)
        shape = (self.start + 1, self.start + 1)
        self.graph = csr_array((np.array(weights, dtype=float), (begins, ends)), shape=shape)

    def arrivals(self) -> dict[Hex, Arrival]:
        found = dijkstra(self.graph, indices=self.start)[: self.start].reshape(self.move, self.size).min(axis=0)
        near = np.flatnonzero(np.isfinite(found))
        totals = found[near].astype(int).tolist()
        return {self.hexes[at]: Arrival(*divmod(total, NEW_MOVE)) for at, total in zip(near, totals, strict=True)}


def battlefield(hostiles: int) -> Battlefield:
    """Make a board of 50 by 50 hexes with one explorer and this many hostiles, at random."""
    drawn = random_board(11, SIZE, SIZE, walls=0.05, cover=0.05, obstructions=0.05)
    start, *places = Random(12).sample(sorted(drawn.hexes - drawn.obstructions), hostiles + 1)
    board = Board(
        tuple(sorted(drawn.hexes)),
        walls=tuple(sorted(drawn.walls)),
        cover=tuple(sorted(drawn.cover)),
        obstructions=tuple(sorted(drawn.obstructions)),
    )
    foes = (Hostile(f"foe-{at}", "foes", "traitor-guardsman", hex_) for at, hex_ in enumerate(places))
    return prepare(Scene(board, (Explorer("janus", "janus-draik", start),), tuple(foes)))


def rows() -> list[Row]:
    found = []
    for hostiles in (5, 23):
        field = battlefield(hostiles)
        start = movement.place(field.units["janus"])

        def asked() -> OneTable:
            return OneTable(HandedDice({}), Chooser({}, {}), ARBITER.readings.defaults)

        def ours(field: Battlefield = field) -> dict[Hex, Arrival]:
            foot = marches.everywhere(asked(), field, "janus")
            return marches.reached(asked(), field, "janus", 2, foot, MOVES).arrivals

        graph = Graph(field, start, 2, {movement.place(hostile) for hostile in field.hostiles})
        if {**graph.arrivals(), start: Arrival(0, 0)} != ours():
            raise AssertionError("moves and hexes of movement differ")
        far = max(ours(), key=ours().__getitem__)

        def route(field: Battlefield = field, far: Hex = far) -> object:
            return maps.routes(asked(), maps.RoutesState(field, "janus", (far,), None, 20, 6))

        def whole_map(field: Battlefield = field) -> object:
            case = maps_threat.ThreatMapCase(field.scene, "janus", moves_per_activation=6)
            return maps_threat.threat_map(asked(), maps_threat.ThreatMapState(field, case))

        took = side_by_side({"ours": ours, "scipy": graph.arrivals, "route": route}, rounds=5)
        of_map = side_by_side({"map": whole_map}, rounds=3)
        on = f"{SIZE} by {SIZE}, {hostiles} hostiles"
        found += [
            timed(f"all moves to every hex, {on}", took["ours"], SCIPY, took["scipy"]),
            timed(f"`routes` to the farthest hex, {on}", took["route"]),
            timed(f"`threat-map`, {on}", of_map["map"]),
        ]
    return found


if __name__ == "__main__":
    print(table(rows()))
