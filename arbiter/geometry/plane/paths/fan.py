"""Straight legs from one place to many others, all measured at once: what they pass, and what surely bars them.

Whatever is said of a leg is said with a margin far beyond rounding: what is not sure is left to those who look at the
leg by itself.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arbiter.geometry.plane.shapes import Point, is_convex

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

MARGIN = 1.0
"""Thousandths: by far more than rounding comes to."""


class Circles(NamedTuple):
    """Circles, by their middles and radii."""

    centres: Floats
    radii: Floats


class Outlines(NamedTuple):
    """The corners of some polygons one after the other, where each polygon begins, and which of them are convex."""

    corners: Floats
    since: NDArray[np.int64]
    convex: Flags


class Crossings(NamedTuple):
    """How each leg lies to each polygon: surely apart from it, surely through it, surely within reach of a corner."""

    apart: Flags
    through: Flags
    brushing: Flags


class Fan:
    """The legs from a place to others."""

    def __init__(self, start: Point, ends: Floats) -> None:
        self.start = np.array(start, dtype=float)
        ways = ends - self.start
        self.lengths: Floats = np.hypot(ways[:, 0], ways[:, 1])
        self._ways = ways / np.maximum(self.lengths, MARGIN)[:, None]

    def _beside(self, places: Floats) -> tuple[Floats, Floats]:
        """Measure how far along each leg, and how far beside it, each of some places lies."""
        to = places - self.start
        x, y = self._ways[:, :1], self._ways[:, 1:]
        return x * to[:, 0] + y * to[:, 1], x * to[:, 1] - y * to[:, 0]

    def enters(self, circles: Circles) -> Flags:
        """Tell which legs come nearer to the middle of some circle than its radius."""
        if not len(circles.radii):
            return np.zeros(len(self.lengths), dtype=bool)
        along, across = self._beside(circles.centres)
        beyond = along - np.clip(along, 0.0, self.lengths[:, None])
        return np.asarray((across * across + beyond * beyond < circles.radii * circles.radii).any(axis=1))

    def goes_on(self, circles: Circles, beyond: float) -> Flags:
        """Tell which legs come into some circle from outside and end past where they are nearest to its middle.

        They end more than `beyond` past it.
        """
        if not len(circles.radii):
            return np.zeros(len(self.lengths), dtype=bool)
        along, across = self._beside(circles.centres)
        outside = np.hypot(*(circles.centres - self.start).T) > circles.radii + MARGIN
        past = (along > 0.0) & (along < self.lengths[:, None] - beyond - MARGIN)
        return np.asarray((outside & past & (np.abs(across) < circles.radii - MARGIN)).any(axis=1))

    def crosses(self, outlines: Outlines, reach: float) -> Crossings:
        """Tell how the legs lie to polygons, within `reach` of their corners or not."""
        along, across = self._beside(outlines.corners)
        since, lengths = outlines.since, self.lengths[:, None]
        left, right = np.maximum.reduceat(across, since, axis=1), np.minimum.reduceat(across, since, axis=1)
        far, near = np.maximum.reduceat(along, since, axis=1), np.minimum.reduceat(along, since, axis=1)
        beside = (right > MARGIN) | (left < -MARGIN)
        apart = beside | (near > lengths + MARGIN) | (far < -MARGIN)
        through = outlines.convex & (right < -MARGIN) & (left > MARGIN) & (near >= 0.0) & (far <= lengths)
        close = (np.abs(across) < reach) & (along >= 0.0) & (along <= lengths)
        return Crossings(apart, through, np.logical_or.reduceat(close, since, axis=1))


def circles(every: Sequence[tuple[Point, float]]) -> Circles:
    """Give circles as arrays."""
    return Circles(
        np.array([at for at, _ in every], dtype=float).reshape(-1, 2), np.array([radius for _, radius in every])
    )


def outlines(polygons: Sequence[tuple[Point, ...]]) -> Outlines:
    """Give polygons, of which there is at least one, as arrays."""
    sizes = [len(polygon) for polygon in polygons]
    return Outlines(
        np.array([corner for polygon in polygons for corner in polygon], dtype=float),
        np.cumsum([0, *sizes[:-1]]),
        np.array([is_convex(polygon) for polygon in polygons], dtype=bool),
    )
