"""A second, slow answer to questions of lines and views on the open table, which shares no code with the library.

Lines are decided in fractions: every place where the line may begin or cease to meet a piece is found by solving for
it, and the places and the stretches between them are examined one by one. Winding numbers decide what is inside, in
whole numbers: a place and the corners are first multiplied by what makes the place whole.
Views are worked out column by column in floating numbers.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise
from math import atan2, hypot, lcm, pi
from random import Random

import pytest

Corner = tuple[int, int]
Outline = tuple[Corner, ...]
Prism = tuple[Outline, int]
Spot = tuple[int, int, int]
Exact = Fraction | int


def sides(outline: Outline) -> list[tuple[Corner, Corner]]:
    return [(outline[k - 1], outline[k]) for k in range(len(outline))]


def on_side(x: int, y: int, side: tuple[Corner, Corner], unit: int = 1) -> bool:
    """Whether a place lies on a side; the place is measured in so many parts of the side's unit."""
    (ax, ay), (bx, by) = side
    to_ax, to_ay, to_bx, to_by = x - ax * unit, y - ay * unit, x - bx * unit, y - by * unit
    return (bx - ax) * to_ay == (by - ay) * to_ax and to_ax * to_bx <= 0 and to_ay * to_by <= 0


def winding(x: int, y: int, outline: Outline, unit: int = 1) -> int:
    """Count the turns of an outline around a point that is not on it."""
    turns = 0
    for (ax, ay), (bx, by) in sides(outline):
        hand = (bx - ax) * (y - ay * unit) - (by - ay) * (x - ax * unit)
        if ay * unit <= y < by * unit and hand > 0:
            turns += 1
        if by * unit <= y < ay * unit and hand < 0:
            turns -= 1
    return turns


def whole(x: Exact, y: Exact) -> tuple[int, int, int]:
    """Give a place in whole numbers, and in how many parts of the unit they are."""
    unit = lcm(x.denominator, y.denominator)
    return x.numerator * (unit // x.denominator), y.numerator * (unit // y.denominator), unit


def place(x: Exact, y: Exact, outline: Outline) -> str:
    across, along, unit = whole(x, y)
    if any(on_side(across, along, side, unit) for side in sides(outline)):
        return "border"
    return "inside" if winding(across, along, outline, unit) else "outside"


def at(start: Spot, end: Spot, share: Exact) -> tuple[Exact, Exact, Exact]:
    part, parts = share.numerator, share.denominator
    x, y, z = (Fraction(a * parts + part * (b - a), parts) for a, b in zip(start, end, strict=True))
    return x, y, z


@lru_cache(maxsize=1_000)
def shares(start: Spot, end: Spot, prism: Prism) -> frozenset[Fraction]:
    """Where a line may begin or cease to meet a prism."""
    outline, height = prism
    found = {Fraction(0), Fraction(1)}
    dx, dy, dz = (b - a for a, b in zip(start, end, strict=True))
    if dz:
        found.add(Fraction(height - start[2], dz))
    for (ax, ay), (bx, by) in sides(outline):
        # start + s·d = a + r·(b - a), by Cramer's rule; parallel sides meet the line at their ends or not at all.
        ex, ey = bx - ax, by - ay
        by_rule = dy * ex - dx * ey
        if by_rule:
            found.add(Fraction((ay - start[1]) * ex - (ax - start[0]) * ey, by_rule))
        if dx or dy:
            found.add(Fraction((ax - start[0]) * dx + (ay - start[1]) * dy, dx * dx + dy * dy))
    return frozenset(share for share in found if 0 <= share.numerator <= share.denominator)


def looked_at(found: frozenset[Fraction]) -> list[Fraction]:
    ordered = sorted(found)
    return sorted({*ordered, *((a + b) / 2 for a, b in pairwise(ordered))})


def touches(start: Spot, end: Spot, prism: Prism) -> bool:
    outline, height = prism
    for share in looked_at(shares(start, end, prism)):
        x, y, z = at(start, end, share)
        if z <= height and place(x, y, outline) != "outside":
            return True
    return False


def enters(start: Spot, end: Spot, prism: Prism) -> bool:
    outline, height = prism
    for share in looked_at(shares(start, end, prism)):
        x, y, z = at(start, end, share)
        if z < height and place(x, y, outline) == "inside":
            return True
    return False


def hand_at(start: Spot, end: Spot, prism: Prism, share: Fraction, near: Fraction) -> int:
    """On which hand of the line a prism lies that the line touches somewhere, but does not enter just there."""
    outline, height = prism
    x, y, z = at(start, end, share)
    if z >= height or place(x, y, outline) != "border":
        return 0
    around = [at(start, end, share + step) for step in (-near, near)]
    if any(place(u, v, outline) == "inside" for u, v, _ in around):
        return 0
    if share in (0, 1) and all(place(u, v, outline) == "outside" for u, v, _ in around):
        return 0
    dx, dy = end[0] - start[0], end[1] - start[1]
    # A little way off the line on either hand, and a little on along it, some point lies inside.
    hands = set()
    across, along, unit = whole(x, y)
    for corner in {corner for side in sides(outline) if on_side(across, along, side, unit) for corner in side}:
        hand = dx * (corner[1] - start[1]) - dy * (corner[0] - start[0])
        hands |= {(hand > 0) - (hand < 0)} - {0}
    if hands:
        assert len(hands) == 1
        return hands.pop()
    length = dx * dx + dy * dy
    off = Fraction(1, 10**9) / length
    left = place(x - off * dy, y + off * dx, outline) == "inside"
    right = place(x + off * dy, y - off * dx, outline) == "inside"
    assert left != right
    return 1 if left else -1


def pinched(start: Spot, end: Spot, one: Prism, other: Prism) -> bool:
    if start[:2] == end[:2]:
        return False
    found = shares(start, end, one) | shares(start, end, other)
    near = min((b - a for a, b in pairwise(sorted(found))), default=Fraction(1)) / 1000
    for share in looked_at(found):
        hand = hand_at(start, end, one, share, near)
        if hand and hand_at(start, end, other, share, near) == -hand:
            return True
    return False


def stopped_by(start: Spot, end: Spot, prisms: Sequence[Prism], reading: str) -> list[bool]:
    if reading == "touch":
        return [touches(start, end, prism) for prism in prisms]
    stops = [enters(start, end, prism) for prism in prisms]
    for a, b in combinations(range(len(prisms)), 2):
        if pinched(start, end, prisms[a], prisms[b]):
            stops[a] = stops[b] = True
    return stops


def hidden(eye: Spot, target: Spot, radius: int, height: int, prisms: Sequence[Prism], columns: int) -> float:
    """The hidden share of a silhouette, by the middle of so many columns, each taken as hidden up to one height."""
    dx, dy = target[0] - eye[0], target[1] - eye[1]
    length = hypot(dx, dy)
    total = 0.0
    for column in range(columns):
        aside = (2 * (column + 0.5) / columns - 1) * radius
        to_x, to_y = target[0] - aside * dy / length, target[1] + aside * dx / length
        up_to = 0.0
        for outline, top in prisms:
            cuts = [0.0, 1.0]
            for (ax, ay), (bx, by) in sides(outline):
                ex, ey = bx - ax, by - ay
                by_rule = (to_y - eye[1]) * ex - (to_x - eye[0]) * ey
                if by_rule:
                    cuts.append(((ay - eye[1]) * ex - (ax - eye[0]) * ey) / by_rule)
            ordered = sorted(cut for cut in cuts if 0 <= cut <= 1)
            for low, high in pairwise(ordered):
                if high - low < 1e-12:
                    continue
                middle = (low + high) / 2
                if turns(eye[0] + middle * (to_x - eye[0]), eye[1] + middle * (to_y - eye[1]), outline):
                    # The line to height h is at eye + share·(h - eye), and is met where that is below the top.
                    for share in (low, high):
                        reach = eye[2] + (top - eye[2]) / share if share else (1e12 if top > eye[2] else -1e12)
                        up_to = max(up_to, reach - target[2])
        total += min(up_to, height) / height
    return total / columns


def turns(x: float, y: float, outline: Outline) -> bool:
    """Whether an outline turns around a point, by adding up angles."""
    total = 0.0
    for (ax, ay), (bx, by) in sides(outline):
        turn = atan2(by - y, bx - x) - atan2(ay - y, ax - x)
        total += (turn + pi) % (2 * pi) - pi
    return abs(total) > pi


SQUARE: Outline = ((4, 4), (8, 4), (8, 8), (4, 8))


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ((0, 6, 1), (12, 6, 1), (True, True)),  # through the middle
        ((0, 4, 1), (12, 4, 1), (True, False)),  # along a side
        ((0, 8, 1), (8, 0, 1), (True, False)),  # touches the corner (4, 4) and nothing else
        ((0, 0, 1), (12, 12, 1), (True, True)),  # from corner to corner
        ((0, 12, 1), (12, 0, 1), (True, True)),  # from the other corner to the other
        ((0, 3, 1), (12, 3, 1), (False, False)),
        ((0, 6, 5), (12, 6, 5), (True, False)),  # level with the top
        ((0, 6, 6), (12, 6, 6), (False, False)),
        ((0, 6, 8), (12, 6, 2), (True, True)),  # comes down to 5 in the middle of the square
        ((0, 6, 9), (12, 6, 3), (True, False)),  # comes down to 5 where it leaves the square
    ],
)
def test_the_oracle_itself_by_hand(start: Spot, end: Spot, expected: tuple[bool, bool]) -> None:
    prism = (SQUARE, 5)
    assert (touches(start, end, prism), enters(start, end, prism)) == expected


def random_outline(random: Random, across: int, along: int, reach: int, step: int) -> Outline:
    """A star-shaped polygon around a point that lies inside it, its corners on a grid; often not convex."""
    while True:
        found = {
            (across + step * random.randint(-reach, reach), along + step * random.randint(-reach, reach))
            for _ in range(random.randint(3, 7))
        }
        by_angle: dict[float, Corner] = {}
        for corner in found - {(across, along)}:
            by_angle.setdefault(round(atan2(corner[1] - along, corner[0] - across), 9), corner)
        angles = sorted(by_angle)
        gaps = [(b - a) % (2 * pi) for a, b in zip(angles, (*angles[1:], *angles[:1]), strict=True)]
        if len(angles) >= 3 and max(gaps) < pi - 1e-6:
            return tuple(by_angle[angle] for angle in angles)
