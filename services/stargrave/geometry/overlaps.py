"""Where along a path a base overlaps a piece of terrain, with straight legs and with arcs.

Lengths are thousandths of an inch. No rules stand here.
"""

from cmath import phase
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import dist, hypot, sqrt, tau
from typing import NamedTuple

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.room import TOUCH, clearance
from arbiter.geometry.plane.paths.shortest import Leg, Path, Point

Spell = tuple[float, float]
"""A stretch of a path, from one of its lengths to another."""

SLACK = 2
"""Places are whole thousandths: where a base stands that touches something on a slant, it may reach into it so far."""

NEARLY = 1.0
"""Thousandths, by far more than the floating numbers below are off."""

SIDES_KEPT = 4_096
"""Outlines and radii of which a process remembers the sides."""


def overlaps(path: Path, piece: shapes.Piece, radius: int) -> Iterator[Spell]:
    """Find the stretches of a path on which a base overlaps a piece, in order; at its ends by more than a slip."""
    near = [not _is_far(leg, piece.outline, radius) for leg in path.legs]
    if path.legs and not any(near):
        return
    cuts = {0.0, path.length}
    begun = 0.0
    for leg, is_near in zip(path.legs, near, strict=True):
        cuts.add(begun)
        if is_near:
            find = _straight_cuts if leg.centre is None else _arc_cuts
            cuts |= {begun + cut for reach in (radius, radius - SLACK) for cut in find(leg, piece.outline, reach)}
        begun += leg.length
    stretches: list[tuple[float, float, bool]] = []
    for since, until in pairwise(sorted(cuts)):
        room = clearance(complex(*path.at((since + until) / 2)), piece.outline)
        if room < radius - 2 * TOUCH:
            deep = room < radius - SLACK
            if stretches and stretches[-1][1] == since:
                since, _, before = stretches.pop()
                deep = deep or before
            stretches.append((since, until, deep))
    yield from ((since, until) for since, until, deep in stretches if deep or (since > 0 and until < path.length))


def touches(path: Path, at: Point, radius: float) -> Iterator[float]:
    """Find the lengths of a path at which it is just `radius` away from a place."""
    begun = 0.0
    for leg in path.legs:
        yield from (begun + cut for cut in _on_circle(leg, at, radius) if 0 <= cut <= leg.length)
        begun += leg.length


def _is_far(leg: Leg, outline: Sequence[shapes.Point], radius: int) -> bool:
    """Check whether a straight leg keeps a base surely off a piece: beside all of it, before it or beyond it."""
    if leg.centre is not None:
        return False
    x, y = leg.start
    ux, uy = (leg.end[0] - x) / leg.length, (leg.end[1] - y) / leg.length
    aside = [ux * (at_y - y) - uy * (at_x - x) for at_x, at_y in outline]
    if min(aside) > radius or max(aside) < -radius:
        return True
    along = [ux * (at_x - x) + uy * (at_y - y) for at_x, at_y in outline]
    return min(along) > leg.length + radius or max(along) < -radius


def _straight_cuts(leg: Leg, outline: tuple[shapes.Point, ...], radius: int) -> Iterator[float]:
    """Find the lengths of a straight leg at which the middle of a base is just its radius away from a piece.

    It is so far from a side, or from a corner beyond the ends of both sides that meet there.
    """
    (start_x, start_y), (end_x, end_y), length = leg.start, leg.end, leg.length
    wx, wy = (end_x - start_x) / length, (end_y - start_y) / length
    square = float(radius) ** 2
    for (x, y), (ux, uy), (vx, vy), until, ((ax, ay), (bx, by)) in _sides(outline, radius):
        tx, ty = x - start_x, y - start_y
        dx, dy = bx - ax, by - ay
        slope = wx * dy - wy * dx
        if slope > 1e-12 * until or -slope > 1e-12 * until:
            cut = ((ax - start_x) * dy - (ay - start_y) * dx) / slope
            if 0 < cut < length and -NEARLY <= (cut * wx - tx) * ux + (cut * wy - ty) * uy <= until:
                yield cut
        across = tx * wy - ty * wx
        if -radius <= across <= radius:
            foot, half = tx * wx + ty * wy, sqrt(square - across**2)
            for cut in (foot - half, foot + half):
                if 0 < cut < length:
                    off_x, off_y = cut * wx - tx, cut * wy - ty
                    if off_x * ux + off_y * uy <= NEARLY and off_x * vx + off_y * vy >= -NEARLY:
                        yield cut


def _arc_cuts(leg: Leg, outline: tuple[shapes.Point, ...], radius: int) -> Iterator[float]:
    """Find the lengths of an arc at which the middle of a base is just its radius away from a piece, likewise."""
    for side in _sides(outline, radius):
        (x, y), (ux, uy), (vx, vy), until, beside = side
        for cut in _arc_on_line(leg, *beside):
            if 0 < cut < leg.length:
                at_x, at_y = leg.at(cut)
                if -NEARLY <= (at_x - x) * ux + (at_y - y) * uy <= until:
                    yield cut
        for cut in _on_circle(leg, side.corner, float(radius)):
            if 0 < cut < leg.length:
                at_x, at_y = leg.at(cut)
                if (at_x - x) * ux + (at_y - y) * uy <= NEARLY and (at_x - x) * vx + (at_y - y) * vy >= -NEARLY:
                    yield cut


class _Side(NamedTuple):
    """A side of a piece: its first corner, its direction and that of the side before, and the line beside it.

    `until` is its length, and a little more.
    """

    corner: Point
    way: Point
    before: Point
    until: float
    beside: tuple[Point, Point]


@lru_cache(maxsize=SIDES_KEPT)
def _sides(outline: tuple[shapes.Point, ...], radius: int) -> tuple[_Side, ...]:
    """Give the sides of a piece, each with the line outside that is a radius away from it."""
    outward = radius if shapes.twice_area(outline) > 0 else -radius
    sides = []
    for before, a, b in zip((outline[-1], *outline), outline, (*outline[1:], outline[0]), strict=False):
        side = dist(a, b)
        out = (b[1] - a[1]) / side * outward, (a[0] - b[0]) / side * outward
        beside = (a[0] + out[0], a[1] + out[1]), (b[0] + out[0], b[1] + out[1])
        sides.append(_Side(shapes.floats(a), _way(a, b), _way(before, a), side + NEARLY, beside))
    return tuple(sides)


def _way(a: shapes.Point, b: shapes.Point) -> Point:
    """Give the direction from one place to another."""
    length = dist(a, b)
    return (b[0] - a[0]) / length, (b[1] - a[1]) / length


def _arc_on_line(leg: Leg, a: Point, b: Point) -> Iterator[float]:
    """Find where the circle of an arc meets the line through two points."""
    centre = leg.centre or leg.start
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = hypot(dx, dy)
    across = ((centre[0] - a[0]) * dy - (centre[1] - a[1]) * dx) / length
    if abs(across) <= leg.radius:
        half = sqrt(leg.radius**2 - across**2)
        foot = ((centre[0] - a[0]) * dx + (centre[1] - a[1]) * dy) / length
        for at in (foot + half, foot - half):
            yield _along_arc(leg, (a[0] + at * dx / length, a[1] + at * dy / length))


def _on_circle(leg: Leg, at: Point, radius: float) -> Iterator[float]:
    """Find where a leg is just `radius` away from a point."""
    if leg.centre is None:
        wx, wy = (leg.end[0] - leg.start[0]) / leg.length, (leg.end[1] - leg.start[1]) / leg.length
        tx, ty = at[0] - leg.start[0], at[1] - leg.start[1]
        foot, across = tx * wx + ty * wy, tx * wy - ty * wx
        if abs(across) <= radius:
            half = sqrt(radius**2 - across**2)
            yield from (foot - half, foot + half)
        return
    tx, ty = at[0] - leg.centre[0], at[1] - leg.centre[1]
    apart = hypot(tx, ty)
    if apart > TOUCH and abs(leg.radius - radius) <= apart <= leg.radius + radius:
        foot = (apart**2 + leg.radius**2 - radius**2) / (2 * apart)
        half = sqrt(max(leg.radius**2 - foot**2, 0.0))
        for sign in (1, -1):
            x, y = (foot * tx - sign * half * ty) / apart, (foot * ty + sign * half * tx) / apart
            yield _along_arc(leg, (leg.centre[0] + x, leg.centre[1] + y))


def _along_arc(leg: Leg, at: Point) -> float:
    """Give the length along an arc of a point on its circle."""
    centre = complex(*(leg.centre or leg.start))
    turn = (complex(*at) - centre) / (complex(*leg.start) - centre)
    return phase(turn if leg.angle > 0 else turn.conjugate()) % tau * leg.radius
