"""Paths of bases on open tables: steps between positions, their start, and bases in the way.

Lengths are thousandths of the scene's unit.
"""

from collections.abc import Iterable, Iterator
from math import dist, floor

from arbiter.geometry.plane.paths.moves import polyline
from arbiter.geometry.plane.paths.room import Round
from arbiter.geometry.plane.paths.shortest import Obstacles, Path
from arbiter.geometry.plane.shapes import Figure, floats
from arbiter.skirmish.plane import Place, point

Base = tuple[Figure, int, bool]
"""A base in the way: the distance that another one keeps, and whether it may be passed through."""


def stepped(body: Figure, places: Iterable[Place]) -> Path:
    """Give the path of a base from its position, straight from position to position; an empty step makes no leg."""
    return polyline([floats(body.at), *(floats(point(step)) for step in places)])


def start_of(ways: Obstacles, body: Figure) -> tuple[float, float]:
    """Give the position of a base, moved onto the table if rounding has put its rim beyond."""
    (left, low), (right, high) = ways.room.low, ways.room.high
    return min(max(float(body.at[0]), left), right), min(max(float(body.at[1]), low), high)


def rounds(body: Figure, bases: Iterable[Base]) -> Iterator[Round]:
    """Give the obstacles of a base; those that it touches or overlaps only by rounding do not block it."""
    for other, gap, passable in bases:
        radius = min(other.radius + gap, floor(dist(body.at, other.at)) - body.radius)
        if radius > 0:
            yield Round(other.at, radius, passable)
