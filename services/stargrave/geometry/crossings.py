"""Where a straight leg had better bend at the border of rough ground, of which parts of inches are paid as whole ones.

A leg that crosses a little more than some whole inches of it costs two inches less with a bend that leaves no more than
these to cross. Of a border, which is an edge of a piece, the best place for a number of inches is found by the
distances alone; what the bent leg costs, and whether it is open, is decided elsewhere. No rules stand here. Lengths are
thousandths of an inch.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import ceil, dist, hypot, inf, sqrt

from arbiter.caching import held_by_first
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.moves import stays, straight
from arbiter.geometry.plane.paths.room import clearance
from arbiter.geometry.plane.shapes import PER_UNIT, Point, floats, whole
from services.stargrave.ground import Ground

MARGINS = (0, 1, 3)
"""Thousandths by which a bent leg may stay below whole inches, since it bends at whole thousandths."""

EDGES, FEWER = 3, 2
"""How many edges are tried where a leg comes onto the ground or off it, and how many whole inches less."""

STEPS = 26
"""How often an interval is cut to find the least of a convex function in it."""

GOLDEN = (sqrt(5) - 1) / 2

BENT = 8
"""How many places of a leg to bend at are given, those that distances favour."""

BENDS_KEPT = 2_048
"""Legs over rough ground of which a ground remembers where they had better bend, in each of two generations."""

DOUBT = 1e-6
"""By how much a bound has to exceed what it is compared with, so that rounding cannot matter."""

TOO_FAR = 1e9
"""More than any way costs: added where an edge lies farther away than may be crossed."""

Edge = tuple[Point, Point]
Bends = tuple[Point, ...]
Spot = tuple[float, float]


@held_by_first(BENDS_KEPT)
def bends(ground: Ground, piece: str, start: Point, end: Point, rounded: bool) -> tuple[Bends, ...]:
    """List places at which a leg across rough ground may bend, the cheapest `BENT` of them, as far as distances tell.

    `rounded` says whether parts of inches are paid as whole ones. A leg with an end on the ground bends once, one that
    crosses it twice; none where all of it lies on the ground.
    """
    outline = ground.pieces[piece].outline
    inside = [clearance(complex(*at), outline) < 0 for at in (start, end)]
    edges = list(shapes.edges(outline))
    if all(inside):
        return ()
    found: list[tuple[float, Bends]] = []
    leg = straight(floats(start), floats(end))
    on_it = list(stays(leg, (outline,)))
    wholes = ceil(sum(stay.leaves - stay.enters for stay in on_it) / PER_UNIT)
    if any(inside):
        there, outside = (start, end) if inside[0] else (end, start)
        for edge in edges:
            found += _once(edge, there, outside, wholes, rounded)
    elif on_it:
        into, out = leg.at(on_it[0].enters), leg.at(on_it[-1].leaves)
        pairs = [(a, b) for a, b in product(_near(edges, into), _near(edges, out)) if a != b]
        found = _twice(pairs, start, end, wholes, rounded)
    return tuple(bent for _, bent in sorted(found)[:BENT])


def _near(edges: list[Edge], at: Spot) -> list[Edge]:
    """Give the edges that are nearest to where a straight leg crosses the border."""
    return sorted(edges, key=lambda edge: dist(at, _at(edge, _nearest(edge, at))))[:EDGES]


def _once(edge: Edge, there: Point, outside: Point, most: int, rounded: bool) -> Iterator[tuple[float, Bends]]:
    """Give the best places of an edge to come onto the ground on which one end of a leg lies."""
    nearest = dist(there, _at(edge, _nearest(edge, there)))
    if not rounded:
        share, cost = _least(lambda t: dist(outside, _at(edge, t)) + 2 * dist(there, _at(edge, t)), 0.0, 1.0)
        yield cost, (whole(_at(edge, share)),)
        return
    for inches, margin in product(range(ceil(nearest / PER_UNIT), most + 1), MARGINS):
        reach = _within(edge, there, inches * PER_UNIT - margin)
        if reach is not None:
            at = _at(edge, min(max(_nearest(edge, outside), reach[0]), reach[1]))
            yield dist(outside, at) + 2 * PER_UNIT * inches, (whole(at),)


def _twice(
    pairs: list[tuple[Edge, Edge]], start: Point, end: Point, wholes: int, rounded: bool
) -> list[tuple[float, Bends]]:
    """Give the best places of two edges to cross the ground between them, at least all of the cheapest `BENT`."""
    if not rounded:
        return [crossed for pair in pairs if (crossed := _crossing(*pair, start, end, inf))]
    lengths = [
        inches * PER_UNIT - margin for inches, margin in product(range(max(1, wholes - FEWER), wholes + 1), MARGINS)
    ]
    found: list[tuple[float, Bends]] = []
    worst = inf
    bounds = [(_cheapest(*pair, start, end, lengths), pair) for pair in pairs]
    for bound, (first, last), most in sorted(
        (bound, pair, most) for each, pair in bounds for bound, most in zip(each, lengths, strict=True)
    ):
        if bound > worst + DOUBT:
            break
        crossed = _crossing(first, last, start, end, most)
        if crossed is not None:
            found.append(crossed)
            worst = sorted(found)[BENT - 1][0] if len(found) >= BENT else inf
    return found


def _cheapest(first: Edge, last: Edge, start: Point, end: Point, lengths: Sequence[float]) -> Iterator[float]:
    """Bound from below what a leg costs that crosses between two edges with no more than each length on the ground."""
    apart, direct = _apart(first, last), dist(start, end)
    beside = dist(start, _at(first, _nearest(first, start))) + dist(end, _at(last, _nearest(last, end)))
    for most in lengths:
        paid = 2 * PER_UNIT * ceil(most / PER_UNIT)
        yield inf if apart > most + DOUBT else paid + max(beside, direct - most)


def _apart(one: Edge, other: Edge) -> float:
    """Measure how far two edges of a piece are from each other, which do not cross."""
    corners = [(at, other) for at in one] + [(at, one) for at in other]
    return min(dist(at, _at(edge, _nearest(edge, at))) for at, edge in corners)


def _crossing(first: Edge, last: Edge, start: Point, end: Point, most: float) -> tuple[float, Bends] | None:
    """Give the best places to cross from one edge to another with no more than a length on the ground, if there are."""
    if most == inf:
        share, least = _least(lambda t: dist(start, _at(first, t)) + _off(last, _at(first, t), end)[0], 0.0, 1.0)
        at = _at(first, share)
        return least, (whole(at), whole(_off(last, at, end)[1]))
    (first_x, first_y), (last_x, last_y) = first[0], last[0]
    dx, dy, ex, ey = first[1][0] - first_x, first[1][1] - first_y, last[1][0] - last_x, last[1][1] - last_y
    (start_x, start_y), (end_x, end_y) = start, end
    square, reach, aim = ex * ex + ey * ey, most * most, _nearest(last, end)
    paid = 2 * PER_UNIT * ceil(most / PER_UNIT)

    def cost(share: float) -> float:
        """Give what is paid from start to end by way of a place on the first edge, and on from there as best may be."""
        x, y = first_x + share * dx, first_y + share * dy
        foot = ((x - last_x) * ex + (y - last_y) * ey) / square
        aside = (x - last_x - foot * ex) ** 2 + (y - last_y - foot * ey) ** 2
        before = hypot(start_x - x, start_y - y)
        if aside <= reach:
            half = sqrt((reach - aside) / square)
            low, high = max(0.0, foot - half), min(1.0, foot + half)
            if low <= high:
                on = min(max(aim, low), high)
                return before + (paid + hypot(last_x + on * ex - end_x, last_y + on * ey - end_y))
        # Too far away, and further the worse: so that the least is looked for nearer.
        on = min(1.0, max(0.0, foot))
        return before + (TOO_FAR + hypot(x - last_x - on * ex, y - last_y - on * ey))

    share, least = _least(cost, 0.0, 1.0)
    if least >= TOO_FAR:
        return None
    at = _at(first, share)
    off = _within(last, at, most)
    return None if off is None else (least, (whole(at), whole(_at(last, min(max(aim, off[0]), off[1])))))


def _off(last: Edge, at: Spot, end: Point) -> tuple[float, Spot]:
    """Give what is paid from a place on the ground to an end by way of an edge, and where it leaves."""
    share, cost = _least(lambda t: 2 * dist(at, _at(last, t)) + dist(_at(last, t), end), 0.0, 1.0)
    return cost, _at(last, share)


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
    ends = [(low, function(low)), (high, function(high)), *zip(inner, values, strict=True)]
    return min(ends, key=lambda each: each[1])


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
