"""Paths of bases on open tables: steps between positions, their start, their length, and bases in the way.

Lengths are thousandths of the scene's unit.
"""

from collections.abc import Callable, Iterable, Iterator
from math import cos, dist, floor, pi, sin

from arbiter.geometry.plane.paths.moves import polyline
from arbiter.geometry.plane.paths.room import Round
from arbiter.geometry.plane.paths.shortest import Obstacles, Path
from arbiter.geometry.plane.shapes import Figure, Point, floats, whole
from arbiter.skirmish.plane import Place, point

Base = tuple[Figure, int, bool]
"""A base in the way: the distance that another one keeps, and whether it may be passed through."""

FINE = 1e-3
"""How exactly a length is searched for."""


def stepped(body: Figure, places: Iterable[Place]) -> Path:
    """Give the path of a base from its position, straight from position to position; an empty step makes no leg."""
    return polyline([floats(body.at), *(floats(point(step)) for step in places)])


def start_of(ways: Obstacles, body: Figure) -> tuple[float, float]:
    """Give the position of a base, moved onto the table if rounding has put its rim beyond."""
    (left, low), (right, high) = ways.room.low, ways.room.high
    return min(max(float(body.at[0]), left), right), min(max(float(body.at[1]), low), high)


def last_length(holds: Callable[[float], bool], most: float) -> float:
    """Give the largest length up to which something holds that holds from the start on and then no longer."""
    if holds(most):
        return most
    low, high = 0.0, most
    while high - low > FINE:
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def ring(middle: Point, reach: int, many: int, since: float = 0.0) -> tuple[Point, ...]:
    """Give places at a distance all around another, from a direction on."""
    (x, y), turns = middle, (since + 2 * pi * number / many for number in range(many))
    return tuple([whole((x + reach * cos(turn), y + reach * sin(turn))) for turn in turns])


def rounds(body: Figure, bases: Iterable[Base]) -> Iterator[Round]:
    """Give the obstacles of a base; those that it touches or overlaps only by rounding do not block it."""
    for other, gap, passable in bases:
        radius = min(other.radius + gap, floor(dist(body.at, other.at)) - body.radius)
        if radius > 0:
            yield Round(other.at, radius, passable)
