"""A second, slow answer to every question of hex sight, cover and movement, which shares no code with the library.

Hex (q, r) is the point (3q, 3r); a hexside between two hexes joins the middles of the two triangles that they form with
the hexes adjacent to both. A line and a hexside are two closed segments, and what they share is an interval of the
line, in fractions of its length.
"""

from collections.abc import Collection, Iterable
from fractions import Fraction
from itertools import product

Hex = tuple[int, int]
Pair = tuple[Hex, Hex]
Shared = tuple[Fraction, Fraction, frozenset[int]]

AROUND = tuple((q, r) for q, r in product((-1, 0, 1), repeat=2) if q != r)


def around(a: Hex) -> set[Hex]:
    return {(a[0] + q, a[1] + r) for q, r in AROUND}


def ends(pair: Pair) -> list[tuple[int, int]]:
    a, b = pair
    thirds = around(a) & around(b)
    assert len(thirds) == 2
    return [(a[0] + b[0] + c[0], a[1] + b[1] + c[1]) for c in sorted(thirds)]


def sides(a: Hex) -> set[Pair]:
    return {(min(a, b), max(a, b)) for b in around(a)}


def rim(hexes: Collection[Hex]) -> set[Pair]:
    return {pair for a in hexes for pair in sides(a) if (pair[0] in hexes) != (pair[1] in hexes)}


def shared(a: Hex, b: Hex, pair: Pair) -> Shared | None:
    """What the closed segment from a to b shares with a closed hexside: from, to, and the hands it reaches out to."""
    (px, py), (qx, qy) = ends(pair)
    ax, ay, dx, dy = 3 * a[0], 3 * a[1], 3 * (b[0] - a[0]), 3 * (b[1] - a[1])
    if a == b:
        return None
    hand_p, hand_q = dx * (py - ay) - dy * (px - ax), dx * (qy - ay) - dy * (qx - ax)
    if hand_p * hand_q > 0:
        return None
    length = dx * dx + dy * dy

    def at(x: Fraction | int, y: Fraction | int) -> Fraction:
        return Fraction(dx * (x - ax) + dy * (y - ay)) / length

    if hand_p == hand_q == 0:
        first, last = sorted((at(px, py), at(qx, qy)))
    else:
        share = Fraction(hand_p, hand_p - hand_q)
        first = last = at(px + share * (qx - px), py + share * (qy - py))
    first, last = max(first, Fraction(0)), min(last, Fraction(1))
    if first > last:
        return None
    return first, last, frozenset((hand > 0) - (hand < 0) for hand in (hand_p, hand_q) if hand)


def stopped(a: Hex, b: Hex, screen: Iterable[Pair], corners: str) -> bool:
    """Touch: anything is shared. Cross: something connected is shared from which the screen leaves on both hands."""
    found = sorted((s for s in (shared(a, b, pair) for pair in screen) if s), key=lambda s: (s[0], s[1]))
    if corners == "touch":
        return bool(found)
    end, hands = Fraction(-1), set[int]()
    for first, last, reached in found:
        if first > end:
            hands = set()
        hands |= reached
        end = max(end, last)
        if hands == {-1, 1}:
            return True
    return False


def blocking(
    hexes: Collection[Hex], walls: Iterable[Pair], obstructions: Iterable[Hex], edges: Iterable[Pair] | None
) -> set[Pair]:
    found = {(min(pair), max(pair)) for pair in walls} | set().union(*(sides(a) for a in obstructions))
    return found | (rim(hexes) if edges is None else {(min(pair), max(pair)) for pair in edges})


def covering(attacker: Hex, cover: Iterable[Pair]) -> set[Pair]:
    return {(min(pair), max(pair)) for pair in cover} - sides(attacker)
