"""What the hexes of a battlefield alone decide for sight and range: its edges by either definition, and counts over it.

A ground remembers what is found out here. No rules stand here.
"""

from typing import Literal

from msgspec.structs import replace

from arbiter.caching import held_by_first
from arbiter.geometry.hex import coordinates as hexes
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.scene import Hex

EdgeDefinition = Literal["rim", "listed-only"]

COUNTS_KEPT = 4_096
"""Counts from one hex to another that a ground remembers, in each of two generations."""

STARTS_KEPT = 8
"""Hexes of which a ground remembers the counts to all others, in each of two generations."""


def edged(ground: Ground, definition: EdgeDefinition) -> Ground:
    """Give the ground with its edges as a definition has them: those listed, with the rim of the battlefield or not.

    A board that lists none has its rim for edges anyway, so most grounds are given back as they are.
    """
    if (ground.posted.edges is None) == (definition == "rim"):
        return ground
    return _edged_otherwise(ground) or ground


@held_by_first(1)
def _edged_otherwise(ground: Ground) -> Ground | None:
    """Give the ground with no edges where it has its rim, and with its rim where it lists some; None if that is it."""
    board = ground.posted
    listed = board.edges
    if listed is None:
        return Ground.of(replace(board, edges=()))
    axial = [ground.axial(hex_) for hex_ in board.hexes]
    listed_sides = {hexes.side(ground.axial(a), ground.axial(b)) for a, b in listed}
    more = sorted(hexes.rim(axial) - listed_sides)
    rim = tuple((ground.posted_hex(a), ground.posted_hex(b)) for a, b in more)
    return Ground.of(replace(board, edges=(*listed, *rim))) if rim else None


@held_by_first(COUNTS_KEPT)
def count_on_board(ground: Ground, a: Hex, b: Hex) -> int:
    """Count the hexes from one to another over hexes of the battlefield alone, whatever lies on or between them."""
    straight = ground.distance(a, b)
    if straight <= 1 or _straight_on_board(ground, a, b):
        return straight
    return _counts(ground, a).get(b, straight)


def _straight_on_board(ground: Ground, a: Hex, b: Hex) -> bool:
    """Say whether some way that is no longer than the plain count stays on the battlefield.

    Such ways take steps in two directions only, in any order, and so fill a parallelogram, which is gone through row by
    row.
    """
    on_board = ground.board.hexes
    (q, r), (bq, br) = ground.axial(a), ground.axial(b)
    dq, dr = bq - q, br - r
    sign_q, sign_r = (dq > 0) - (dq < 0), (dr > 0) - (dr < 0)
    if sign_q * sign_r >= 0:
        first, times, second, rows = (sign_q, 0), abs(dq), (0, sign_r), abs(dr)
    else:
        slant = min(abs(dq), abs(dr))
        first, times = (sign_q, sign_r), slant
        second, rows = ((sign_q, 0), abs(dq) - slant) if abs(dq) > abs(dr) else ((0, sign_r), abs(dr) - slant)
    # Nearly always one of the two ways with a single bend stays on the battlefield, and the rest need not be tried.
    for one, of_one, other, of_other in ((first, times, second, rows), (second, rows, first, times)):
        bend = q + of_one * one[0], r + of_one * one[1]
        before = [(q + step * one[0], r + step * one[1]) for step in range(of_one + 1)]
        after = [(bend[0] + step * other[0], bend[1] + step * other[1]) for step in range(of_other + 1)]
        if on_board.issuperset(before) and on_board.issuperset(after):
            return True
    reachable = [True] + [False] * times
    for row in range(rows + 1):
        here = False
        for step in range(times + 1):
            here = (here or reachable[step]) and (
                (q + step * first[0] + row * second[0], r + step * first[1] + row * second[1]) in on_board
            )
            reachable[step] = here
        if not any(reachable):
            return False
    return reachable[times]


@held_by_first(STARTS_KEPT)
def _counts(ground: Ground, start: Hex) -> dict[Hex, int]:
    counts = {start: 0}
    edge = [start]
    while edge:
        further = []
        for hex_ in edge:
            for near in ground.neighbours(hex_):
                if near not in counts:
                    counts[near] = counts[hex_] + 1
                    further.append(near)
        edge = further
    return counts
