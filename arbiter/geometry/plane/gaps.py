"""Lines between two bases that may bound a gap: past two corners, past a corner and along a rim, and along both rims.

They are found in floating point with a margin, many together, and returned exactly. A line past two corners is exact,
and so is one along both rims that a corner touches. Any other point on a rim is rounded to a thousandth towards the
middle.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import hypot, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arbiter.geometry.plane.shapes import ExactPoint, Figure, Piece, Point, edges

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
Pairs = NDArray[np.int64]

SURE = 2.0
"""The distance in thousandths from which floating point decides on which side of a line a point lies."""

AT_ONCE = 250_000
"""Pairs of corners, and of lines and sides, that are tested together."""


class Line(NamedTuple):
    """A line in plan from a place of one base to a place of the other."""

    start: ExactPoint
    end: ExactPoint


def perhaps_free(a: Figure, b: Figure, pieces: Sequence[Piece]) -> Iterator[Line]:
    """Give the lines that may bound a gap, except those that clearly cross a piece which overtops both models."""
    top = max(a.height, b.height)
    corners = [side for piece in pieces if piece.height > top for side in edges(piece.outline)]
    sides = np.array(corners, dtype=float).reshape(-1, 4)
    many = max(1, AT_ONCE // max(1, len(sides)))
    given: set[Line] = set()
    for points in _candidates(a, b, pieces):
        for part in np.split(points, range(many, len(points), many)):
            for (x, y), (to_x, to_y) in part[~_cross_clearly(a, b, part, sides)].tolist():
                for line in _through(a, b, (x, y), (to_x, to_y)):
                    if line not in given:
                        given.add(line)
                        yield line


def _cross_clearly(a: Figure, b: Figure, points: Pairs, sides: Numbers) -> Flags:
    """Decide which of the lines through pairs of points clearly cross a side between two bases.

    Rounding cannot change these. If it could, because the line meets the bases nearly side by side, the line stays.
    """
    one = points[:, 0].astype(float)
    ahead = points[:, 1] - one
    length = np.hypot(*ahead.T)
    sure = length > 0
    ahead /= np.where(sure, length, 1.0)[:, None]
    feet, reaches = [], []
    for base in (a, b):
        x, y = (np.array(base.at) - one).T
        aside = ahead[:, 0] * y - ahead[:, 1] * x
        feet.append(ahead[:, 0] * x + ahead[:, 1] * y)
        reaches.append(np.sqrt(np.maximum(base.radius**2 - aside**2, 0.0)) * 0.999999)
    way = np.sign(feet[1] - feet[0])
    start, end = feet[0] + way * reaches[0], feet[1] - way * reaches[1]
    # Of bases that are met side by side the feet are the ends.
    sure &= (np.abs(feet[1] - feet[0]) > SURE) & (np.abs(end - start) > SURE)
    overlap = (end - start) * way <= 0
    start, end = np.where(overlap, feet[0], start), np.where(overlap, feet[1], end)
    ends = np.stack((one + start[:, None] * ahead, one + end[:, None] * ahead), axis=1).reshape(-1, 4)
    crossed = _astride(ends[:, None], sides[None]) & _astride(sides[None], ends[:, None])
    clearly: Flags = sure & crossed.any(axis=1)
    return clearly


def _astride(lines: Numbers, points: Numbers) -> Flags:
    """Decide whether two points lie clearly on opposite sides of the line through two others."""
    x, y, to_x, to_y = np.moveaxis(lines, -1, 0)
    dx, dy = to_x - x, to_y - y
    here = dx * (points[..., 1] - y) - dy * (points[..., 0] - x)
    there = dx * (points[..., 3] - y) - dy * (points[..., 2] - x)
    apart: Flags = (np.minimum(np.abs(here), np.abs(there)) > SURE * np.hypot(dx, dy)) & (here * there < 0)
    return apart


def _candidates(a: Figure, b: Figure, pieces: Sequence[Piece]) -> Iterator[Pairs]:
    """Give the lines that may bound a gap, in batches, each by two of its points.

    They run past two corners, past a corner and along a rim, and along both rims.
    """
    corners = sorted({corner for piece in pieces for corner in piece.outline})
    places = np.array(corners, dtype=np.int64).reshape(-1, 2)
    many = max(1, AT_ONCE // max(1, len(corners)))
    for first in range(0, len(corners), many):
        rows, columns = np.triu_indices(min(many, len(corners) - first), 1, len(corners) - first)
        one, other = places[first + rows], places[first + columns]
        meets = _meets(a, one, other) & _meets(b, one, other)
        yield np.stack((one[meets], other[meets]), axis=1)
    along = [(place, corner) for corner in corners for base in (a, b) for place in _tangents(base, corner)]
    along += _bitangents(a, b)
    for corner in corners:
        if (ahead := _along_both_rims(a, b, corner)) is not None:
            along.append((corner, (corner[0] + ahead[0], corner[1] + ahead[1])))
    yield np.array(along).reshape(-1, 2, 2)


def _meets(base: Figure, one: Pairs, other: Pairs) -> Flags:
    """Decide which of the lines through two points come near a base; a few others may be included."""
    (dx, dy), (x, y) = (other - one).T, (np.array(base.at) - one).T
    near: Flags = np.abs(dx * y - dy * x) <= (base.radius + SURE) * np.hypot(dx, dy)
    return near


def _through(a: Figure, b: Figure, one: Point, other: Point) -> Iterator[Line]:
    """Give the shortest line from base to base through two points, if it meets both."""
    dx, dy = other[0] - one[0], other[1] - one[1]
    square = dx * dx + dy * dy
    if not square:
        return
    start, end = _foot(a, one, dx, dy, square), _foot(b, one, dx, dy, square)
    if start is None or end is None or start[0] == end[0]:
        return
    ahead = 1 if end[0] > start[0] else -1
    at, to = start[0] + ahead * start[1], end[0] - ahead * end[1]
    # Bases that do not touch may still be met side by side: then the feet are as near as they get.
    if (to - at) * ahead <= 0:
        at, to = start[0], end[0]
    yield Line((one[0] + at * dx, one[1] + at * dy), (one[0] + to * dx, one[1] + to * dy))


def _foot(base: Figure, one: Point, dx: int, dy: int, square: int) -> tuple[Fraction, Fraction] | None:
    """Give the point of a line nearest to the middle of a base, and how far the base reaches from there.

    Both are shares of (dx, dy); None if the line misses the base. The reach is rounded down.
    """
    x, y = base.at[0] - one[0], base.at[1] - one[1]
    aside = dx * y - dy * x
    left = base.radius * base.radius * square - aside * aside
    if left < 0:
        return None
    reach = Fraction(int(sqrt(left) * 0.999999), square)
    return Fraction(dx * x + dy * y, square), reach


def _tangents(base: Figure, at: Point) -> Iterator[Point]:
    """Give the places where lines from a point run along the rim of a base, a little inside of it."""
    dx, dy = at[0] - base.at[0], at[1] - base.at[1]
    away = hypot(dx, dy)
    r = max(0.0, base.radius - 1.0)
    if away <= base.radius:
        return
    along, aside = r * r / away, r * sqrt(away * away - r * r) / away
    for hand in (1, -1):
        u, v = along * dx - hand * aside * dy, along * dy + hand * aside * dx
        yield base.at[0] + int(u / away), base.at[1] + int(v / away)


def _along_both_rims(a: Figure, b: Figure, at: Point) -> Point | None:
    """Give the direction of the line through a point that runs exactly along both rims on one hand, if there is one.

    A corner that reaches up to that line from between leaves no other. Crossing over, there are always others.
    """
    x, y = ((b.radius - a.radius) * at[i] - b.radius * a.at[i] + a.radius * b.at[i] for i in (0, 1))
    aside = x * (a.at[1] - at[1]) - y * (a.at[0] - at[0])
    exact = aside * aside == a.radius * a.radius * (x * x + y * y)
    return (x, y) if exact and (x or y) else None


def _bitangents(a: Figure, b: Figure) -> Iterator[tuple[Point, Point]]:
    """Give where the lines touch that run along both rims, on one hand or crossing over, a little inside."""
    across, along = ahead_of(a.at, b.at)
    apart = sqrt(squared(a.at, b.at))
    r, s = max(0.0, a.radius - 1.0), max(0.0, b.radius - 1.0)
    for end in (s, -s):
        ahead = (r - end) / apart
        aside = sqrt(max(0.0, 1 - ahead * ahead))
        for hand in (1, -1):
            u, v = ahead * across - hand * aside * along, ahead * along + hand * aside * across
            yield (a.at[0] + int(r * u), a.at[1] + int(r * v)), (b.at[0] + int(end * u), b.at[1] + int(end * v))


def ahead_of(a: Point, b: Point) -> tuple[float, float]:
    """Give the direction from one point to another, of length 1."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = hypot(dx, dy)
    return (dx / length, dy / length) if length else (1.0, 0.0)


def squared(a: Point, b: Point) -> int:
    """Give the square of the distance between two points."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
