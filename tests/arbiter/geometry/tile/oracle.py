"""A second, slow answer to every question of lines and moves over tiles, which shares no code with the library.

A tile is a convex polygon with its centre at its own pair: on squares half a tile to either side, on hexes (in axial
units) with a corner in the middle of each triangle of centres. What a segment shares with a closed polygon is an
interval of the segment, in fractions of its length, found by clipping.
"""

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

Tile = tuple[int, int]
Point = tuple[Fraction, Fraction]

AROUND: dict[str, tuple[Tile, ...]] = {
    "hex": ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)),
    "square-4": ((1, 0), (0, 1), (-1, 0), (0, -1)),
    "square-8": ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)),
}
"""The steps to neighbours, one after the other around the tile."""


class Shared(NamedTuple):
    first: Fraction
    last: Fraction
    inside: bool
    hand: int


SIXTHS = 6
"""Corners lie at halves and thirds of tiles: measured in sixths, everything is whole."""


@cache
def outline(grid: str) -> tuple[tuple[int, int], ...]:
    """The corners of a tile, from its centre, in sixths of a tile."""
    if grid != "hex":
        return (3, -3), (3, 3), (-3, 3), (-3, -3)
    steps = AROUND[grid]
    return tuple((2 * (a[0] + b[0]), 2 * (a[1] + b[1])) for a, b in zip(steps, (*steps[1:], steps[0]), strict=True))


def polygon(grid: str, tile: Tile) -> list[Point]:
    return [(tile[0] + Fraction(x, SIXTHS), tile[1] + Fraction(y, SIXTHS)) for x, y in outline(grid)]


@cache
def shared(grid: str, a: Tile, b: Tile, tile: Tile) -> Shared | None:
    """What the segment from a to b shares with a closed tile, whether inside it, and the hand of the tile's centre.

    Every reading of grazes needs the same answer, so it is cached.
    """
    a, b, centre = ((SIXTHS * x, SIXTHS * y) for x, y in (a, b, tile))
    corners = [(centre[0] + x, centre[1] + y) for x, y in outline(grid)]
    first, last, inside = Fraction(0), Fraction(1), True
    for p, q in zip(corners, [*corners[1:], corners[0]], strict=True):
        keeps = _side(p, q, centre)
        start, end = _side(p, q, a) * keeps, _side(p, q, b) * keeps
        if start == end:
            if start < 0:
                return None
            inside = inside and start > 0
        elif start < end:
            first = max(first, Fraction(start, start - end))
        else:
            last = min(last, Fraction(start, start - end))
    if first > last:
        return None
    hand = _side(a, b, centre)
    return Shared(first, last, inside and first < last, (hand > 0) - (hand < 0))


def stopped(grid: str, a: Tile, b: Tile, blockers: Collection[Tile], grazes: str) -> bool:
    """Both: two blockers on different hands share some point of the line."""
    box = list(zip(a, b, strict=True))
    near = [
        tile
        for tile in {*blockers} - {a, b}
        if all(min(ends) - 1 <= at <= max(ends) + 1 for at, ends in zip(tile, box, strict=True))
    ]
    met = [found for tile in near if a != b and (found := shared(grid, a, b, tile))]
    if any(found.inside for found in met):
        return True
    match grazes:
        case "either":
            return bool(met)
        case "both":
            return any(
                one.hand > other.hand and one.first <= other.last and other.first <= one.last
                for one, other in product(met, met)
            )
    return False


def around(grid: str, tile: Tile) -> Iterator[Tile]:
    for x, y in AROUND[grid]:
        yield tile[0] + x, tile[1] + y


def steps(
    grid: str, tiles: Collection[Tile], blocked: Collection[Tile], squeezing: bool
) -> Iterator[tuple[Tile, Tile]]:
    """Every step between two tiles of the board, whether or not they are blocked themselves."""
    for a in tiles:
        for b in around(grid, a):
            beside = {(a[0], b[1]), (b[0], a[1])} - {a, b}
            narrow = grid != "hex" and beside and all(c not in tiles or c in blocked for c in beside)
            if b in tiles and (squeezing or not narrow):
                yield a, b


def cheapest(
    edges: Collection[tuple[Tile, Tile]], ends: Mapping[Tile, int], costs: Mapping[Tile, int], backwards: bool = False
) -> dict[Tile, int]:
    """Bellman and Ford: go through all the steps until no cost falls any more. Entering b from a costs what b costs."""
    found = dict(ends)
    falling = True
    while falling:
        falling = False
        for a, b in edges:
            known, other = (b, a) if backwards else (a, b)
            if known in found:
                total = found[known] + costs.get(b, 1)
                if total < found.get(other, total + 1):
                    found[other] = total
                    falling = True
    return found


def _side(p: Tile, q: Tile, at: Tile) -> int:
    return (q[0] - p[0]) * (at[1] - p[1]) - (q[1] - p[1]) * (at[0] - p[0])
