"""Paths of bases on open tables: places in whole and in floating numbers, steps from place to place, bases in the way.

Lengths are thousandths of the scene's unit.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import dist, floor

from arbiter.geometry.plane.paths.room import Round
from arbiter.geometry.plane.paths.shortest import Leg, Obstacles, Path
from arbiter.geometry.plane.shapes import Figure, Point
from arbiter.skirmish.plane import Place, point

Base = tuple[Figure, int, bool]
"""A base in the way: how far away from it another one keeps, and whether it may be passed through."""


def rounded(at: tuple[float, float]) -> Point:
    """Give the place of whole thousandths nearest to another."""
    return round(at[0]), round(at[1])


def floats(at: Point) -> tuple[float, float]:
    """Give a place in floating numbers."""
    return float(at[0]), float(at[1])


def straight_legs(body: Figure, places: Sequence[Place]) -> Path:
    """Give the path of a base from where it stands, straight from place to place."""
    here, legs = floats(body.at), []
    start = here
    for step in places:
        to = floats(point(step))
        if length := dist(here, to):
            legs.append(Leg(here, to, length))
        here = to
    whole_way = sum(leg.length for leg in legs)
    return Path(start, here, whole_way, whole_way, tuple(legs))


def start_of(ways: Obstacles, body: Figure) -> tuple[float, float]:
    """Give where a base stands, moved onto the table where rounding has put its rim beyond."""
    (left, low), (right, high) = ways.room.low, ways.room.high
    return min(max(float(body.at[0]), left), right), min(max(float(body.at[1]), low), high)


def rounds(body: Figure, bases: Iterable[Base]) -> Iterator[Round]:
    """Give what a base goes around; what it stands beside or in by rounding leaves it free to go."""
    for other, gap, passable in bases:
        radius = min(other.radius + gap, floor(dist(body.at, other.at)) - body.radius)
        if radius > 0:
            yield Round(other.at, radius, passable)
