"""The ground: the table as it is posted, and what it alone decides, by the kernel's geometry. No rules stand here.

Fighters stand at whole inches on round bases of one inch; the geometry takes thousandths.
"""

from functools import lru_cache
from typing import Annotated

from msgspec import Meta

from arbiter import drawing
from arbiter.geometry.plane.measure import between, in_contact
from arbiter.geometry.plane.paths.reach import Reach
from arbiter.geometry.plane.paths.room import Round
from arbiter.geometry.plane.paths.shortest import prepared
from arbiter.geometry.plane.shapes import PER_UNIT, Figure, Piece, Point
from arbiter.geometry.plane.sight import Screen
from arbiter.value import Value

RADIUS = PER_UNIT // 2
HEIGHT = PER_UNIT
ROCK_HEIGHT = 2 * PER_UNIT

BASE: float | None = RADIUS / PER_UNIT
"""The radius of a base as it is drawn."""

Coordinate = Annotated[int, Meta(ge=0, le=72)]
Place = tuple[Coordinate, Coordinate]
"""A place in plan: whole inches along the table and across it."""


class Rock(Value, frozen=True):
    """A rock of two inches in height: its `outline`, the corners in plan."""

    outline: Annotated[tuple[Place, ...], Meta(min_length=3, max_length=20)]


Closed = frozenset[Place | Rock]


class Ground(Value, frozen=True, kw_only=True):
    """The table: its size in inches, and the rocks on it."""

    width_in: Annotated[int, Meta(ge=2, le=72, description="Inches from side to side.")]
    depth_in: Annotated[int, Meta(ge=2, le=72, description="Inches from end to end.")]
    rocks: Annotated[tuple[Rock, ...], Meta(max_length=100)] = ()

    @property
    def drawn(self) -> drawing.Plane:
        """The table as it is drawn: fighters stand at whole inches."""
        return drawing.Plane(self.width_in, self.depth_in, "in", 1.0)

    @property
    def extent(self) -> str:
        """Where a base is wholly on the table, in words."""
        return f"a place from (1, 1) to ({self.width_in - 1}, {self.depth_in - 1})"

    def holds(self, place: Place) -> bool:
        """Decide whether a base is wholly on the table."""
        return 1 <= place[0] < self.width_in and 1 <= place[1] < self.depth_in

    def is_rock(self, place: Place) -> bool:
        """Decide whether a base reaches into a rock; it may touch one."""
        middle = Figure("base", _point(place), RADIUS - 1, HEIGHT)
        return any(in_contact(middle, _piece(rock)) for rock in self.rocks)

    def sees(self, a: Place, b: Place) -> bool:
        """Decide whether the line between the tops of two fighters meets no rock, and touches none."""
        return not _screen(self.rocks).stops((*_point(a), HEIGHT), (*_point(b), HEIGHT))

    def reach(self, start: Place, inches: int, closed: Closed) -> tuple[Place, ...]:
        """Find the whole inches at most so far away on the shortest way; nearest first, without the start.

        No base passes through what is closed, and all stay wholly on the table.
        """
        rocks = tuple(sorted(_piece(each).outline for each in closed if isinstance(each, Rock)))
        others = sorted(each for each in closed if not isinstance(each, Rock) and each != start)
        obstacles = prepared(
            rocks,
            RADIUS,
            (self.width_in * PER_UNIT, self.depth_in * PER_UNIT),
            tuple(Round(_point(other), RADIUS) for other in others),
        )
        samples = Reach(obstacles, _point(start), inches * PER_UNIT).samples(PER_UNIT)
        places = {(round(x) // PER_UNIT, round(y) // PER_UNIT) for x, y in (sample.at for sample in samples)}
        return tuple(sorted(places - {start}, key=lambda place: (distance(start, place), place)))


def point(place: Place) -> drawing.Point:
    """Give a place as it is drawn."""
    return float(place[0]), float(place[1])


def spot(place: Place) -> drawing.Ring:
    """Give a mark for a place: a small square."""
    x, y = point(place)
    return (x - 0.25, y - 0.25), (x + 0.25, y - 0.25), (x + 0.25, y + 0.25), (x - 0.25, y + 0.25)


def rock_outline(rock: Rock) -> drawing.Ring:
    """Give the outline of a rock as it is drawn."""
    return tuple(map(point, rock.outline))


def distance(a: Place, b: Place) -> float:
    """Measure from middle to middle in inches, to be shown and to sort by; nothing is decided by it."""
    return float(between(_figure(a), _figure(b), "centres")) / PER_UNIT


def within(a: Place, b: Place, inches: int) -> bool:
    """Decide whether two places are at most so many inches apart, from middle to middle."""
    return between(_figure(a), _figure(b), "centres") <= inches * PER_UNIT


def _point(place: Place) -> Point:
    return place[0] * PER_UNIT, place[1] * PER_UNIT


def _figure(place: Place) -> Figure:
    return Figure("base", _point(place), RADIUS, HEIGHT)


def _piece(rock: Rock) -> Piece:
    return Piece("rock", tuple(_point(corner) for corner in rock.outline), ROCK_HEIGHT)


@lru_cache(maxsize=32)
def _screen(rocks: tuple[Rock, ...]) -> Screen:
    return Screen([_piece(rock) for rock in rocks])
