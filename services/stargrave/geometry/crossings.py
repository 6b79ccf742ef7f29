"""Where a straight leg had better bend at the border of rough ground, of which parts of inches are paid as whole ones.

A leg that crosses a little more than some whole inches of it costs two inches less with a bend that leaves no more than
these to cross. Of a border, which is an edge of a piece, the best place for a number of inches is found by the
distances alone; what the bent leg costs, and whether it is open, is decided elsewhere. No rules stand here. Lengths are
thousandths of an inch.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import ceil, dist, inf, sqrt

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.moves import stays, straight
from arbiter.geometry.plane.paths.room import clearance
from arbiter.geometry.plane.shapes import PER_UNIT, Point

MARGINS = (0, 1, 3)
"""Thousandths by which a bent leg may stay below whole inches, since it bends at whole thousandths."""

EDGES, FEWER = 3, 2
"""How many edges are tried where a leg comes onto the ground or off it, and how many whole inches less."""

STEPS = 26
"""How often an interval is cut to find the least of a convex function in it."""

GOLDEN = (sqrt(5) - 1) / 2

Edge = tuple[Point, Point]
Bends = tuple[Point, ...]
Spot = tuple[float, float]


def bends(piece: shapes.Piece, start: Point, end: Point, *, rounded: bool) -> list[Bends]:
    """List places at which a leg across rough ground may bend, the cheapest first, as far as distances tell.

    `rounded` says whether parts of inches are paid as whole ones. A leg with an end on the ground bends once, one that
    crosses it twice; none where all of it lies on the ground.
    """
    inside = [clearance(complex(*at), piece.outline) < 0 for at in (start, end)]
    edges = list(shapes.edges(piece.outline))
    if all(inside):
        return []
    found: list[tuple[float, Bends]] = []
    leg = straight(_floats(start), _floats(end))
    on_it = list(stays(leg, (piece.outline,)))
    wholes = ceil(sum(stay.leaves - stay.enters for stay in on_it) / PER_UNIT)
    if any(inside):
        there, outside = (start, end) if inside[0] else (end, start)
        for edge in edges:
            found += _once(edge, there, outside, wholes, rounded)
    elif on_it:
        into, out = leg.at(on_it[0].enters), leg.at(on_it[-1].leaves)
        for first, last in product(_near(edges, into), _near(edges, out)):
            if first != last:
                found += _twice(first, last, start, end, wholes, rounded)
    return [bent for _, bent in sorted(found)]


def _near(edges: list[Edge], at: Spot) -> list[Edge]:
    """Give the edges that are nearest to where a straight leg crosses the border."""
    return sorted(edges, key=lambda edge: dist(at, _at(edge, _nearest(edge, at))))[:EDGES]


def _once(edge: Edge, there: Point, outside: Point, most: int, rounded: bool) -> Iterator[tuple[float, Bends]]:
    """Give the best places of an edge to come onto the ground on which one end of a leg lies."""
    nearest = dist(there, _at(edge, _nearest(edge, there)))
    if not rounded:
        share, cost = _least(lambda t: dist(outside, _at(edge, t)) + 2 * dist(there, _at(edge, t)), 0.0, 1.0)
        yield cost, (_whole(_at(edge, share)),)
        return
    for inches, margin in product(range(ceil(nearest / PER_UNIT), most + 1), MARGINS):
        reach = _within(edge, there, inches * PER_UNIT - margin)
        if reach is not None:
            at = _at(edge, min(max(_nearest(edge, outside), reach[0]), reach[1]))
            yield dist(outside, at) + 2 * PER_UNIT * inches, (_whole(at),)


def _twice(
    first: Edge, last: Edge, start: Point, end: Point, wholes: int, rounded: bool
) -> Iterator[tuple[float, Bends]]:
    """Give the best places of two edges to cross the ground between them."""
    if not rounded:
        yield from _crossing(first, last, start, end, inf)
        return
    for inches, margin in product(range(max(1, wholes - FEWER), wholes + 1), MARGINS):
        yield from _crossing(first, last, start, end, inches * PER_UNIT - margin)


def _crossing(first: Edge, last: Edge, start: Point, end: Point, most: float) -> Iterator[tuple[float, Bends]]:
    def out(at: Spot) -> tuple[float, Spot]:
        """Give what is left from a place on the first edge, and where on the last it had better go."""
        if most == inf:
            share, cost = _least(lambda t: 2 * dist(at, _at(last, t)) + dist(_at(last, t), end), 0.0, 1.0)
            return cost, _at(last, share)
        reach = _within(last, at, most)
        if reach is None:
            # Too far away, and further the worse: so that the least is looked for nearer.
            return 1e9 + dist(at, _at(last, _nearest(last, at))), at
        to = _at(last, min(max(_nearest(last, end), reach[0]), reach[1]))
        return 2 * PER_UNIT * ceil(most / PER_UNIT) + dist(to, end), to

    share, cost = _least(lambda t: dist(start, _at(first, t)) + out(_at(first, t))[0], 0.0, 1.0)
    if cost < 1e9:
        at = _at(first, share)
        yield cost, (_whole(at), _whole(out(at)[1]))


def _least(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Find where a convex function is least between two numbers, and how much it is there."""
    inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
    values = [function(at) for at in inner]
    for _ in range(STEPS):
        if values[0] <= values[1]:
            high, inner[1], values[1] = inner[1], inner[0], values[0]
            inner[0] = high - GOLDEN * (high - low)
            values[0] = function(inner[0])
        else:
            low, inner[0], values[0] = inner[0], inner[1], values[1]
            inner[1] = low + GOLDEN * (high - low)
            values[1] = function(inner[1])
    return min(((at, function(at)) for at in (low, high, *inner)), key=lambda each: each[1])


def _within(edge: Edge, centre: Spot, radius: float) -> tuple[float, float] | None:
    """Give between which shares of an edge it lies within a circle; None where it does not."""
    (ax, ay), (bx, by) = edge
    dx, dy = bx - ax, by - ay
    square = dx * dx + dy * dy
    foot = ((centre[0] - ax) * dx + (centre[1] - ay) * dy) / square
    aside = (centre[0] - ax - foot * dx) ** 2 + (centre[1] - ay - foot * dy) ** 2
    if aside > radius * radius:
        return None
    half = sqrt((radius * radius - aside) / square)
    low, high = max(0.0, foot - half), min(1.0, foot + half)
    return (low, high) if low <= high else None


def _nearest(edge: Edge, to: Spot) -> float:
    """Give the share of an edge at which it is nearest to a place."""
    (ax, ay), (bx, by) = edge
    dx, dy = bx - ax, by - ay
    return min(1.0, max(0.0, ((to[0] - ax) * dx + (to[1] - ay) * dy) / (dx * dx + dy * dy)))


def _at(edge: Edge, share: float) -> Spot:
    (ax, ay), (bx, by) = edge
    return ax + share * (bx - ax), ay + share * (by - ay)


def _whole(at: Spot) -> Point:
    return round(at[0]), round(at[1])


def _floats(at: Sequence[float]) -> Spot:
    return float(at[0]), float(at[1])
