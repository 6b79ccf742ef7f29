"""Sight and cover on a 40 by 40 board of hexes: one pair, all ordered pairs, and preparing a new shape.

The peer is shapely with a prepared geometry, fed the same whole lattice points, so that it gives the same verdicts
(the run stops if it does not). Its lines for all pairs are made beforehand and are not counted.
"""

from random import Random

import numpy as np
import shapely
from shapely.prepared import prep

from arbiter.geometry.hex import lines as hex_lines
from arbiter.geometry.hex import sight as hex_sight
from arbiter.geometry.hex.board import HexBoard
from arbiter.geometry.hex.coordinates import Hex, Side, centre, side_ends, sides_of
from benchmarks.geometry.hex_boards import large_board, rectangle
from benchmarks.measure import Row, side_by_side, table, timed

SHAPELY = "shapely prepared"

# Shapely answers for the pairs of one attacker in this many, and its time is multiplied.
ONE_IN = 16


def one_pair() -> list[Row]:
    board = large_board()
    board.prepare()
    sight = board.all_pairs()
    random = Random(2)
    hexes = sorted(board.hexes)
    pairs = [(random.choice(hexes), random.choice(hexes)) for _ in range(2000)]
    pairs = [(a, b) for a, b in pairs if a != b]
    # The same hexes as from a decoder: equal tuples, not the board's own.
    decoded = [((a[0], a[1]), (b[0], b[1])) for a, b in pairs]
    points = [(centre(a), centre(b)) for a, b in pairs]
    lines = [shapely.LineString(ends) for ends in points]
    walls = prep(_lines(_blocking(board)))
    for (a, b), line in zip(pairs, lines, strict=True):
        _agree(board.sees(a, b) == sight.sees(a, b) == (not walls.intersects(line)), a, b)

    def from_table() -> None:
        sees = sight.sees
        for a, b in pairs:
            sees(a, b)

    def from_table_decoded() -> None:
        sees = sight.sees
        for a, b in decoded:
            sees(a, b)

    def from_templates() -> None:
        sees = board.sees
        for a, b in pairs:
            sees(a, b)

    def from_templates_crossing() -> None:
        sees = board.sees
        for a, b in pairs:
            sees(a, b, "cross")

    def from_shapely() -> None:
        intersects, line_string = walls.intersects, shapely.LineString
        for ends in points:
            intersects(line_string(ends))

    def from_shapely_lines() -> None:
        intersects = walls.intersects
        for line in lines:
            intersects(line)

    took = side_by_side(
        {
            "table": from_table,
            "decoded": from_table_decoded,
            "templates": from_templates,
            "crossing": from_templates_crossing,
            "shapely": from_shapely,
            "lines": from_shapely_lines,
        },
        rounds=15,
    )
    each = {name: seconds / len(pairs) for name, seconds in took.items()}
    peer, peer_s, made = SHAPELY, each["shapely"], f"{SHAPELY}, lines made beforehand"
    return [
        timed("one pair, table of all pairs laid out", each["table"], peer, peer_s, at_least=50, at_most_s=1e-6),
        timed("the same, asked with equal tuples", each["decoded"], peer, peer_s, at_most_s=1e-6),
        timed("the same, line made beforehand", each["table"], made, each["lines"]),
        timed("one pair, templates only", each["templates"], peer, peer_s, at_most_s=1e-6),
        timed("one pair, templates only, reading 'cross'", each["crossing"], peer, peer_s, at_most_s=1e-6),
    ]


def all_pairs() -> list[Row]:
    board = large_board()
    hexes = sorted(board.hexes)
    attackers = hexes[::ONE_IN]
    later = {a: hexes[place * ONE_IN + 1 :] for place, a in enumerate(attackers)}
    walls = _lines(_blocking(board))
    shapely.prepare(walls)
    sight_lines = {a: _fan(a, later[a]) for a in attackers}
    cover_lines = {a: _fan(a, [b for b in hexes if b != a]) for a in attackers}
    board.prepare()

    def ours_laid_out() -> None:
        pairs = board.all_pairs()
        pairs.sees(hexes[0], hexes[1])

    def shapely_sight() -> dict[Hex, np.ndarray]:
        return {a: ~shapely.intersects(walls, fan) for a, fan in sight_lines.items()}

    def shapely_cover() -> dict[Hex, np.ndarray]:
        # All attackers with their own cover need a geometry without it.
        shared = _lines(board.cover)
        shapely.prepare(shared)
        found = {}
        for a, fan in cover_lines.items():
            own = board.cover & set(sides_of(a))
            met = _lines(board.cover - own) if own else shared
            shapely.prepare(met)
            found[a] = shapely.intersects(met, fan)
        return found

    pairs = board.all_pairs()
    for a, seen in shapely_sight().items():
        for b, verdict in zip(later[a], seen.tolist(), strict=True):
            _agree(pairs.sees(a, b) == verdict, a, b)
    for a, covered in shapely_cover().items():
        for b, verdict in zip([b for b in hexes if b != a], covered.tolist(), strict=True):
            _agree(pairs.in_cover(a, b) == verdict, a, b)
    took = side_by_side(
        {"ours": board.all_pairs, "laid out": ours_laid_out, "sight": shapely_sight, "cover": shapely_cover}, rounds=5
    )
    peer_s = ONE_IN * (took["sight"] + took["cover"])
    return [
        timed("sight and cover, all ordered pairs", took["ours"], SHAPELY, peer_s, at_least=50),
        timed("the same, laid out by hex for look-ups", took["laid out"], SHAPELY, peer_s),
    ]


def fresh_shape() -> list[Row]:
    hexes = rectangle(40, 40)

    def prepare() -> None:
        for known in (hex_sight.templates, hex_lines.canonical_line):
            known.cache_clear()
        HexBoard(hexes).prepare()

    given = large_board()

    def first_question() -> None:
        board = HexBoard(hexes, walls=given.walls, cover=given.cover, obstructions=given.obstructions)
        board.sees(hexes[0], hexes[-1])

    took = side_by_side({"prepare": prepare, "first": first_question}, rounds=9)
    return [
        timed("a fresh 40 by 40 shape made ready for all pairs", took["prepare"], at_most_s=0.1),
        timed("a board of a known shape, made and asked once", took["first"]),
    ]


def rows() -> list[Row]:
    return [*one_pair(), *all_pairs(), *fresh_shape()]


def _blocking(board: HexBoard) -> frozenset[Side]:
    return board.walls | board.edges | {of for filled in board.obstructions for of in sides_of(filled)}


def _lines(sides: frozenset[Side]) -> shapely.MultiLineString:
    return shapely.MultiLineString([side_ends(of) for of in sorted(sides)])


def _fan(a: Hex, others: list[Hex]) -> np.ndarray:
    ends = [[centre(a), centre(b)] for b in others]
    return np.asarray(shapely.linestrings(np.array(ends, dtype=float).reshape(-1, 2, 2)))


def _agree(same: bool, a: Hex, b: Hex) -> None:
    if not same:
        raise AssertionError(f"verdicts differ for {a} and {b}")


if __name__ == "__main__":
    print(table(rows()))
