"""Areas clipped for drawing: the parts of shapes on outlines, or within a distance of a point.

No verdict depends on these: the arcs of discs are drawn with chords.
"""

from collections.abc import Iterable

import shapely

from arbiter.geometry.plane.paths.reach import Shape, points_of
from arbiter.value import Value

Ring = tuple[tuple[float, float], ...]

SEGMENTS = 32
"""Chords of a quarter of a circle."""

LEAST = 1
"""Square thousandths from which a piece is drawn."""


class Disc(Value, frozen=True):
    """All points within a distance of a point, in thousandths."""

    at: tuple[float, float]
    radius: float


class Outlines(Value, frozen=True):
    """All points on at least one of some outlines."""

    rings: tuple[tuple[tuple[float, float], ...], ...]


def cut(shapes: Iterable[Shape], bounds: Iterable[Disc | Outlines]) -> tuple[tuple[Ring, tuple[Ring, ...]], ...]:
    """Give the parts of the shapes within all bounds: each piece as its outside and its holes."""
    kept = shapely.union_all([shapely.Polygon(shape.outside, shape.holes) for shape in shapes])
    for bound in bounds:
        kept = shapely.intersection(kept, _drawn(bound))
    parts = [part for part in shapely.get_parts(kept) if part.geom_type == "Polygon" and part.area > LEAST]
    return tuple((points_of(part.exterior), tuple(map(points_of, part.interiors))) for part in parts)


def _drawn(bound: Disc | Outlines) -> shapely.Geometry:
    if isinstance(bound, Disc):
        return shapely.buffer(shapely.Point(bound.at), bound.radius, quad_segs=SEGMENTS)
    return shapely.union_all([shapely.Polygon(ring) for ring in bound.rings])
