"""Shortest paths of a round base over an open table, among polygons and round obstacles that it may touch, not enter.

Everything is in thousandths of the table's unit: whole corners, centres and radii in, floats out. A path is straight
legs and true arcs around the corners, so that it is never shorter than the true one, beyond the tolerance of
`planepathsroom`: a leg may come nearer to an obstacle than the base's radius by a billionth of a unit at most. A gap as
wide as the base is passable, and one narrower is not.
"""

from cmath import rect
from collections.abc import Iterable, Sequence
from copy import copy
from functools import lru_cache
from math import inf

from arbiter.geometry.plane.paths.room import Polygon, Room, Round, Whole
from arbiter.geometry.plane.paths.search import Arrival, Search, Tangents
from arbiter.value import Value

Point = tuple[float, float]

PREPARED_KEPT = 32
"""Obstacles that a process keeps prepared; the results for a full table may take several megabytes."""


class Leg(Value, frozen=True):
    """One piece of a path: straight, or along a circle around `centre`, by an angle that is positive to the left."""

    start: Point
    end: Point
    length: float
    centre: Point | None = None
    radius: float = 0.0
    angle: float = 0.0

    def at(self, distance: float) -> Point:
        """Give the point at a distance along this leg."""
        share = distance / self.length if self.length else 0.0
        if self.centre is None:
            (ax, ay), (bx, by) = self.start, self.end
            return ax + share * (bx - ax), ay + share * (by - ay)
        centre = complex(*self.centre)
        spot = centre + (complex(*self.start) - centre) * rect(1.0, share * self.angle)
        return spot.real, spot.imag


class Path(Value, frozen=True):
    """The way of a base's centre: its legs in order, their length, and what they cost.

    The cost is the length where the ground is even. It exceeds the least cost by `error` at most, apart from rounding.
    """

    start: Point
    end: Point
    length: float
    cost: float
    legs: tuple[Leg, ...]
    error: float = 0.0

    def at(self, distance: float) -> Point:
        """Give the place that lies a distance along the path; its ends beyond them."""
        rest = max(distance, 0.0)
        for leg in self.legs:
            if rest <= leg.length:
                return leg.at(rest)
            rest -= leg.length
        return self.end


class Obstacles:
    """A table's obstacles, prepared for bases of one radius; later queries reuse the results of earlier ones."""

    def __init__(self, polygons: Sequence[Polygon], radius: int, table: Whole, rounds: Iterable[Round] = ()) -> None:
        """Prepare polygons and round obstacles, for bases that stay wholly on a table of some width and height.

        Polygons may touch and overlap. ValueError: a polygon that crosses or touches itself, or has no area; no radius.
        """
        self.room = Room(polygons, radius, table, rounds)
        self.tangents = Tangents(self.room)

    def with_rounds(self, rounds: tuple[Round, ...]) -> "Obstacles":
        """Give these obstacles, which are polygons alone, with round ones laid over them."""
        obstacles = copy(self)
        obstacles.room = self.room.with_rounds(rounds)
        obstacles.tangents = Tangents(obstacles.room, self.tangents)
        return obstacles

    def free(self, at: Point) -> bool:
        """Tell whether the base may pass over a place: on the table, and no piece or impassable thing entered."""
        return self.room.free(complex(*at))

    def standing(self, at: Point) -> bool:
        """Tell whether the base may stop at a place: it is free, and no passable thing stands there."""
        for x, y, square in self.room.no_stops:
            if (at[0] - x) ** 2 + (at[1] - y) ** 2 < square:
                return False
        return self.free(at)

    def clear(self, a: Point, b: Point) -> bool:
        """Tell whether the base may go straight from one place to another."""
        return self.free(a) and self.free(b) and self.room.blocker(complex(*a), complex(*b)) < 0

    def path(self, start: Point, goal: Point, at_most: float = inf) -> Path | None:
        """Find the shortest path between two places.

        None if one of them is not free, one may not stop at the goal, or every path is longer than `at_most`.
        """
        if not self.free(start) or not self.standing(goal):
            return None
        search = Search(self.tangents, complex(*start), complex(*goal), at_most)
        last = search.to_goal()
        return last and path_of(search, last)

    def path_to_nearest(self, start: Point, centre: Point, goals: Iterable[Point]) -> Path | None:
        """Find the shortest of all paths to some places around a centre; None if no path leads to any of them."""
        open_ = [complex(*goal) for goal in goals if self.standing(goal)]
        if not open_ or not self.free(start):
            return None
        search = Search(self.tangents, complex(*start), complex(*centre), goals=open_)
        last = search.to_goal()
        return last and path_of(search, last)


@lru_cache(maxsize=PREPARED_KEPT)
def prepared(polygons: tuple[Polygon, ...], radius: int, table: Whole, rounds: tuple[Round, ...] = ()) -> Obstacles:
    """Give obstacles; the most recently used ones come from a cache, with the results of earlier queries."""
    return _polygons(polygons, radius, table).with_rounds(rounds)


@lru_cache(maxsize=PREPARED_KEPT)
def _polygons(polygons: tuple[Polygon, ...], radius: int, table: Whole) -> Obstacles:
    return Obstacles(polygons, radius, table)


def path_of(search: Search, last: Arrival) -> Path:
    """Write down the path that a search found, from its last leg backwards."""
    chain = [last]
    while chain[-1].before >= 0:
        chain.append(search.arrivals[chain[-1].before])
    legs = []
    here = search.start
    for before, arrival in zip(chain[:0:-1], chain[-2::-1], strict=True):
        if arrival.sweep:
            centre = search.tangents.centres[before.turn]
            radius = abs(search.tangents.signed[before.turn])
            angle = -arrival.sweep if before.turn & 1 else arrival.sweep
            there = centre + (before.at - centre) * rect(1.0, angle)
            legs.append(Leg(as_point(here), as_point(there), radius * arrival.sweep, as_point(centre), radius, angle))
            here = there
        if length := abs(arrival.at - here):
            legs.append(Leg(as_point(here), as_point(arrival.at), length))
        here = arrival.at
    return Path(as_point(search.start), as_point(last.at), last.cost, last.cost, tuple(legs))


def as_point(at: complex) -> Point:
    """Write a place as the pair of its coordinates."""
    return at.real, at.imag
