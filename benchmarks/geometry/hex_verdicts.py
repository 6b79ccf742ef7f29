"""Wrong verdicts on sight: the usual line-drawing algorithm and ours, judged by exact fractions.

The usual algorithm steps from hex to hex along the line, rounding to the nearest, and is blocked by an obstruction, by
the end of the board, and by a wall between two hexes in a row. Nudged, it moves both ends slightly off the centres, so
that ties are always broken to the same side. It was not designed for a rule in which touching blocks; the figures show
its errors under that rule.
"""

from itertools import pairwise
from random import Random

from arbiter.geometry.hex.board import HexBoard
from arbiter.geometry.hex.coordinates import Hex, distance, side
from arbiter.geometry.hex.sight import READINGS
from benchmarks.geometry.hex_boards import random_board
from benchmarks.measure import Row, table
from tests.arbiter.geometry.hex import oracle

# The number of pairs of each board for the usual algorithm, and of all pairs for the oracle, in both readings.
DRAWN, JUDGED = 20_000, 300

NUDGE = 1e-6


def drawn_line(a: Hex, b: Hex, nudge: float) -> list[Hex]:
    """List the hexes of a line by the usual algorithm."""
    steps = distance(a, b)
    line = []
    for step in range(steps + 1):
        share = step / steps if steps else 0.0
        q = a[0] + nudge + (b[0] - a[0]) * share
        r = a[1] + nudge + (b[1] - a[1]) * share
        s = -q - r
        near_q, near_r, near_s = round(q), round(r), round(s)
        off_q, off_r, off_s = abs(near_q - q), abs(near_r - r), abs(near_s - s)
        if off_q > off_r and off_q > off_s:
            near_q = -near_r - near_s
        elif off_r > off_s:
            near_r = -near_q - near_s
        line.append((near_q, near_r))
    return line


def drawn_verdict(board: HexBoard, a: Hex, b: Hex, nudge: float) -> bool:
    """Decide sight the usual way."""
    line = drawn_line(a, b, nudge)
    if any(c not in board.hexes or c in board.obstructions for c in line):
        return False
    stopping = board.walls | board.edges
    return not any(c != d and side(c, d) in stopping for c, d in pairwise(line))


def judged(board: HexBoard, random: Random) -> tuple[int, int]:
    """Count our wrong verdicts on sight and cover, and the verdicts given, over random pairs in both readings."""
    hexes = sorted(board.hexes)
    blocking = oracle.blocking(board.hexes, board.walls, board.obstructions, board.edges)
    wrong = asked = 0
    for corners in READINGS:
        pairs = board.all_pairs(corners)
        for _ in range(JUDGED):
            a, b = random.choice(hexes), random.choice(hexes)
            visible = not oracle.stopped(a, b, blocking, corners)
            covered = oracle.stopped(a, b, oracle.covering(a, board.cover), corners)
            wrong += [visible] * 2 != [board.sees(a, b, corners), pairs.sees(a, b)]
            wrong += [covered] * 2 != [board.in_cover(a, b, corners), pairs.in_cover(a, b)]
            asked += 2
    return wrong, asked


def usual_algorithm() -> list[Row]:
    found = []
    for what, board in (
        ("20 by 20, 8 % obstructions", random_board(3, 20, 20, obstructions=0.08)),
        ("20 by 20, 8 % wall hexsides", random_board(4, 20, 20, walls=0.08)),
        ("40 by 40, 8 % of both", random_board(5, 40, 40, walls=0.08, obstructions=0.08)),
        ("20 by 20, 8 % wall hexsides, no edges", random_board(6, 20, 20, walls=0.08, edges=False)),
    ):
        random = Random(what)
        free = sorted(board.hexes - board.obstructions)
        pairs = [(random.choice(free), random.choice(free)) for _ in range(DRAWN)]
        plain = sum(drawn_verdict(board, a, b, 0.0) != board.sees(a, b) for a, b in pairs)
        nudged = sum(drawn_verdict(board, a, b, NUDGE) != board.sees(a, b) for a, b in pairs)
        wrong, asked = judged(board, random)
        found.append(
            Row(
                f"wrong verdicts, {what}",
                f"{wrong} of {asked:,}",
                f"{plain / DRAWN:.1%} line drawing, {nudged / DRAWN:.1%} nudged",
                None,
                "0 wrong",
                wrong == 0,
            )
        )
    return found


def small_boards() -> list[Row]:
    random = Random(8)
    rows = []
    for edges in (True, False):
        wrong = asked = 0
        for seed in range(12):
            columns, height, share = random.randrange(3, 12), random.randrange(3, 12), random.choice((0.02, 0.1, 0.25))
            board = random_board(seed, columns, height, walls=share, cover=share, obstructions=share / 2, edges=edges)
            more_wrong, more_asked = judged(board, random)
            wrong, asked = wrong + more_wrong, asked + more_asked
        blocking = "edges block" if edges else "edges do not block"
        rows.append(
            Row(f"wrong verdicts, small boards, {blocking}", f"{wrong} of {asked:,}", "", None, "0 wrong", not wrong)
        )
    return rows


def rows() -> list[Row]:
    return [*usual_algorithm(), *small_boards()]


if __name__ == "__main__":
    print(table(rows()))
