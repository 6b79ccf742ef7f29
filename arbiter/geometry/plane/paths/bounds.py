"""Bounds on routes without a search: the least length, and proof that there is none."""

from collections.abc import Iterable, Sequence
from math import dist, inf

import numpy as np

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import Point

Spot = tuple[float, float]

MOST_PLACES = 48
"""The most points behind the same circles as a goal; with more it does not count as cut off."""


def touching(start: Point, goal: Point, outline: Sequence[Point]) -> float:
    """Give the length of the shortest line from one place to another that touches an outline or what it encloses."""
    return min((_by_side(start, goal, a, b) for a, b in shapes.edges(outline)), default=inf)


def _by_side(start: Point, goal: Point, a: Point, b: Point) -> float:
    """Give the length of the shortest line from one place to another by way of a side.

    It meets the line through the side where it would go if both places lay beyond it, as light is reflected; beyond an
    end of the side it goes by that end.
    """
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    if not square:
        return dist(start, a) + dist(a, goal)
    along, across = [], []
    for at in (start, goal):
        x, y = at[0] - a[0], at[1] - a[1]
        along.append((x * dx + y * dy) / square)
        across.append(abs(x * dy - y * dx))
    both = across[0] + across[1]
    share = (along[0] * across[1] + along[1] * across[0]) / both if both else min(max(along[0], 0.0), along[1])
    share = min(max(share, 0.0), 1.0)
    spot = a[0] + share * dx, a[1] + share * dy
    return dist(start, spot) + dist(spot, goal)


def passes(start: Spot, end: Spot, circles: Iterable[tuple[Spot, float]]) -> bool:
    """Check whether a straight leg comes nearer to one of some places than the radius of a circle around it."""
    (x, y), dx, dy = start, end[0] - start[0], end[1] - start[1]
    square = dx * dx + dy * dy
    for (at_x, at_y), radius in circles:
        to_x, to_y = at_x - x, at_y - y
        along = to_x * dx + to_y * dy
        if along > 0.0:
            share = min(along / square, 1.0)
            to_x -= share * dx
            to_y -= share * dy
        if to_x * to_x + to_y * to_y < radius * radius:
            return True
    return False


def keeps_off(path: Path, circles: Iterable[tuple[Spot, float]]) -> bool:
    """Check whether a path certainly stays outside circles around some points.

    An arc is checked as its whole circle.
    """
    every = tuple(circles)
    for leg in path.legs:
        if leg.centre is None:
            if passes(leg.start, leg.end, every):
                return False
        elif any(abs(dist(leg.centre, at) - leg.radius) < radius for at, radius in every):
            return False
    return True


def cut_off(start: Point, goal: Point, places: Sequence[Point], circles: Sequence[tuple[Point, float]]) -> bool:
    """Check whether all routes of straight legs past these points to a goal pass through circles.

    True is proved; False may also mean that the proof takes too long.
    """
    spots = np.array([start, *places], dtype=float)
    centres = np.array([at for at, _ in circles], dtype=float).reshape(-1, 2)
    radii = np.array([radius for _, radius in circles])
    behind = np.zeros(len(spots), dtype=bool)
    waiting = [np.array(goal, dtype=float)]
    for _ in range(MOST_PLACES):
        if not waiting:
            return True
        at = waiting.pop()
        legs = spots - at
        square = np.maximum((legs**2).sum(axis=1), 1.0)[:, None]
        share = np.clip((legs @ (centres - at).T) / square, 0.0, 1.0)
        apart = np.hypot(*(at[:, None, None] + legs.T[:, :, None] * share - centres.T[:, None, :]))
        led = ~behind & (apart >= radii).all(axis=1)
        if led[0]:
            return False
        behind |= led
        waiting.extend(spots[led])
    return False
