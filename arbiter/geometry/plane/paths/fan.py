"""Straight legs, from one point to many or each from its own, measured together: their certain obstacles.

Every answer has a margin far beyond rounding errors. The caller decides undecided legs one at a time.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arbiter.geometry.plane.shapes import Point, is_convex

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

MARGIN = 1.0
"""Thousandths: far more than rounding errors."""


class Circles(NamedTuple):
    """Circles, by their middles and radii, and the radii of wider ones around them that a leg may only come into."""

    centres: Floats
    radii: Floats
    contacts: Floats


class Outlines(NamedTuple):
    """The corners of some polygons, their first ones and so on, and which of the polygons are convex.

    A polygon with fewer corners than others repeats its last one.
    """

    corners: Floats
    convex: Flags


class Crossings(NamedTuple):
    """Whether each leg is certainly apart from, through, or within reach of a corner of each polygon."""

    apart: Flags
    through: Flags
    brushing: Flags


class Fan:
    """Legs to some places, all from one place or each from its own: an array of one start, or of as many as ends.

    Of a leg without length nothing is sure.
    """

    def __init__(self, starts: Floats, ends: Floats) -> None:
        self.starts = starts
        ways = ends - starts
        self.lengths: Floats = np.hypot(ways[:, 0], ways[:, 1])
        self._ways = ways / np.maximum(self.lengths, MARGIN)[:, None]

    def _beside(self, places: Floats) -> tuple[Floats, Floats]:
        """Measure for each point and each leg how far along the leg the point lies, and how far to its side."""
        to = places[..., None, :, :] - self.starts[:, None]
        ahead, aside = to[..., 0], to[..., 1]
        x, y = self._ways[:, :1], self._ways[:, 1:]
        return x * ahead + y * aside, x * aside - y * ahead

    def enters(self, circles: Circles, beyond: float) -> Flags:
        """Tell which legs lead into some circle.

        They come nearer to its middle than its radius, or come from outside within the wider radius and end more than
        `beyond` past where they are nearest to the middle.
        """
        if not len(circles.radii):
            return np.zeros(len(self.lengths), dtype=bool)
        along, across = self._beside(circles.centres)
        lengths = self.lengths[:, None]
        past = along - np.clip(along, 0.0, lengths)
        into = across * across + past * past < circles.radii * circles.radii
        apart = circles.centres - self.starts[:, None]
        outside = np.hypot(apart[..., 0], apart[..., 1]) > circles.contacts + MARGIN
        reach = np.where(outside, circles.contacts - MARGIN, 0.0)
        on = (np.abs(across) < reach) & (along > 0.0) & (along < lengths - beyond - MARGIN)
        return np.asarray(((into | on) & (lengths > 0.0)).any(axis=1))

    def crosses(self, outlines: Outlines, reach: float) -> Crossings:
        """Tell how the legs lie to polygons, within `reach` of their corners or not."""
        along, across = self._beside(outlines.corners)
        lengths = self.lengths[:, None]
        left, right, far, near = across.max(axis=0), across.min(axis=0), along.max(axis=0), along.min(axis=0)
        apart = (right > MARGIN) | (left < -MARGIN) | (near > lengths + MARGIN) | (far < -MARGIN)
        through = outlines.convex & (right < -MARGIN) & (left > MARGIN) & (near >= 0.0) & (far <= lengths)
        close = (np.abs(across) < reach) & (along >= 0.0) & (along <= lengths) & (lengths > 0.0)
        return Crossings(apart, through, np.asarray(close.any(axis=0)))


def fan_from(start: Point, ends: Floats) -> Fan:
    """Give the legs from one place to others."""
    return Fan(np.array([start], dtype=float), ends)


def circles(every: Sequence[tuple[Point, float, float]]) -> Circles:
    """Give circles, each with its middle and both radii, as arrays; the wider one is 0 where there is none."""
    numbers = np.array([(*at, radius, contact) for at, radius, contact in every], dtype=float).reshape(-1, 4)
    return Circles(numbers[:, :2], numbers[:, 2], numbers[:, 3])


def outlines(polygons: Sequence[tuple[Point, ...]]) -> Outlines:
    """Give polygons, of which there is at least one, as arrays."""
    most = max(map(len, polygons))
    corners = [(*polygon, *polygon[-1:] * (most - len(polygon))) for polygon in polygons]
    return Outlines(
        np.array(corners, dtype=float).swapaxes(0, 1).copy(),
        np.array([is_convex(polygon) for polygon in polygons], dtype=bool),
    )
