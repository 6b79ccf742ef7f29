"""How far a round base can move over even ground: what each place costs, and the area as polygons.

What a place costs is exact. The area is drawn: it is swept by straight lines, from the start in all directions and from
every arc along its tangents, each as far as the allowance and the obstacles let it. Lines are laid closer wherever two
neighbours end at different things. Arcs become chords that lie outside the area, so that the drawing leaves nothing
out. Then its border is simplified: points that are hardly seen are left out, and it grows a little, so that still
nothing that can be reached is left out. It exceeds the area by the `error` that it states.
"""

from cmath import phase
from collections.abc import Callable
from functools import cached_property
from math import ceil, cos, hypot, pi, tau
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from arbiter.geometry.plane.paths.room import TOUCH
from arbiter.geometry.plane.paths.search import GOAL, START, Arrival, Search
from arbiter.geometry.plane.paths.shortest import Obstacles, Path, Point, path_of
from arbiter.value import Value

Floats = NDArray[np.float64]
Points = NDArray[np.complex128]

# The angle between two lines of the sweep, and how often it is halved where they end at different things.
STEP = pi / 180
HALVINGS = 14
CHORDS_A_QUARTER = 32
SILHOUETTE = 1e-7

SIMPLER = 5.0
"""Thousandths up to which points off a straight border are left out of it."""

SHARP = 2.0
"""How many times as far as elsewhere the border may grow at a corner."""


class Sample(Value, frozen=True):
    """A place that can be reached, and what it costs to get there."""

    at: Point
    cost: float


class Shape(Value, frozen=True):
    """A polygon with holes; the rings do not repeat their first point."""

    outside: tuple[Point, ...]
    holes: tuple[tuple[Point, ...], ...] = ()


class Area(Value, frozen=True):
    """The places where a base may stop with an allowance.

    All of them lie in the shapes; no point of these that is clear of obstacles costs more than the allowance and
    `error`, and none lies by more than `error` inside what obstacles keep clear.
    """

    allowance: float
    shapes: tuple[Shape, ...]
    samples: tuple[Sample, ...]
    error: float


class Sweep(NamedTuple):
    """Lines that leave a point or an arc, by an angle: where each begins, its direction and how long it may be."""

    angles: Floats
    begins: Callable[[Floats], Points]
    ways: Callable[[Floats], Points]
    limits: Callable[[Floats], Floats]


class Reach:
    """Everything that a base can reach from one place with one allowance."""

    def __init__(self, obstacles: Obstacles, start: Point, allowance: float) -> None:
        """Find it. ValueError: the start is not free, or the allowance is below zero."""
        if allowance < 0:
            raise ValueError(f"an allowance is not below zero, as {allowance} is")
        if not obstacles.free(start):
            raise ValueError(f"a base cannot be at {start}")
        self.obstacles = obstacles
        self.start = start
        self.allowance = allowance
        self._search = Search(obstacles.tangents, complex(*start), None, allowance)
        self._search.everything()

    def cost(self, at: Point) -> float | None:
        """Give the length of the shortest path to a place; None if it is too long, or one may not stop there."""
        last = self._last(at)
        return last and last.cost

    def path(self, at: Point) -> Path | None:
        """Give the shortest path to a place; None if it is too long, or one may not stop there."""
        last = self._last(at)
        return last and path_of(self._search, last)

    def samples(self, spacing: int) -> tuple[Sample, ...]:
        """Give the places within reach whose coordinates are multiples of `spacing`, column by column, with costs."""
        x, y = self.start
        columns, rows = (
            range(ceil((middle - self.allowance) / spacing), int((middle + self.allowance) // spacing) + 1)
            for middle in (x, y)
        )
        spots = [(float(column * spacing), float(row * spacing)) for column in columns for row in rows]
        found = ((at, self.cost(at)) for at in spots if hypot(at[0] - x, at[1] - y) <= self.allowance + TOUCH)
        return tuple(Sample(at, cost) for at, cost in found if cost is not None)

    def area(self, spacing: int | None = None) -> Area:
        """Draw the area within reach, with samples on a grid if a spacing is given."""
        swept = shapely.union_all([self._swept(sweep) for sweep in self._sweeps()])
        room = self.obstacles.room
        near = shapely.Point(self.start).buffer(self.allowance + 2 * room.radius)
        kept = [
            shapely.buffer(shapely.Polygon(polygon), room.radius, quad_segs=CHORDS_A_QUARTER)
            for polygon in room.polygons
            if near.intersects(shapely.Polygon(polygon))
        ]
        kept += [
            shapely.buffer(shapely.Point(thing.at), thing.radius + room.radius, quad_segs=CHORDS_A_QUARTER)
            for thing in room.rounds
        ]
        clear = shapely.difference(swept, shapely.union_all(kept))
        drawn = self._simpler(clear)
        parts = [part for part in shapely.get_parts(drawn) if part.geom_type == "Polygon" and part.area > TOUCH]
        shapes = tuple(Shape(points_of(part.exterior), tuple(map(points_of, part.interiors))) for part in parts)
        largest = max((corner.reach for corner in room.corners), default=0.0)
        error = self.allowance * STEP * STEP / 4 + largest * (1 - cos(pi / 4 / CHORDS_A_QUARTER)) + 1.0
        error += SIMPLER + SHARP * (SIMPLER + 1)
        return Area(self.allowance, shapes, self.samples(spacing) if spacing else (), error)

    def _simpler(self, area: shapely.Geometry) -> shapely.Geometry:
        """Leave out points of a border. The area loses nothing, not even where places are rounded to thousandths."""
        (left, low), (right, high) = self.obstacles.room.low, self.obstacles.room.high
        grown = shapely.buffer(shapely.simplify(area, SIMPLER), SIMPLER + 1, join_style="mitre", mitre_limit=SHARP)
        return shapely.intersection(grown, shapely.box(left, low, right, high))

    def _last(self, at: Point) -> Arrival | None:
        if not self.obstacles.standing(at):
            return None
        goal, tangents, room = complex(*at), self.obstacles.tangents, self.obstacles.room
        candidates = []
        for number, arrival in enumerate(self._search.arrivals):
            if arrival.turn == START:
                candidates.append((abs(goal - arrival.at), number, 0.0, arrival.at))
                continue
            tangent = tangents.to_point(arrival.turn, goal)
            if tangent is None:
                continue
            sweep = tangents.sweep(arrival.turn, arrival.on, tangent.leaving)
            if sweep >= 0.0:
                cost = arrival.cost + sweep * abs(tangents.signed[arrival.turn]) + tangent.length
                candidates.append((cost, number, sweep, tangents.point(arrival.turn, tangent.leaving)))
        for cost, number, sweep, leaves in sorted(candidates, key=lambda one: one[:2]):
            if cost > self.allowance + TOUCH:
                return None
            arrival = self._search.arrivals[number]
            signed = -sweep if arrival.turn & 1 else sweep
            open_arc = not sweep or room.open_arc(arrival.turn >> 1, arrival.on, signed)
            if open_arc and room.blocker(leaves, goal) < 0:
                return Arrival(cost, GOAL, 0j, number, sweep, goal)
        return None

    def _sweeps(self) -> list[Sweep]:
        """Lay the lines of the sweep: evenly, and on either side of wherever one passes by an obstacle."""
        tangents = self.obstacles.tangents
        turns = self._search.turns
        found = []
        start, allowance = complex(*self.start), self.allowance
        seen = [tangents.from_point(start, turn) for turn in turns]
        events = [
            phase(tangents.point(turn, leg.arriving) - start)
            for turn, leg in zip(turns, seen, strict=True)
            if leg and leg.length <= allowance
        ]
        found.append(
            Sweep(
                _spread(-pi, pi, events),
                lambda angles: np.full(len(angles), start),
                lambda angles: np.exp(1j * angles),
                lambda angles: np.full(len(angles), allowance),
            )
        )
        for arrival in self._search.arrivals[1:]:
            found.append(self._along(arrival))
        return found

    def _along(self, arrival: Arrival) -> Sweep:
        """Lay the lines that leave the arc which begins where a leg arrived, as long as the path may bend."""
        tangents, room = self.obstacles.tangents, self.obstacles.room
        centre, radius = tangents.centres[arrival.turn], abs(tangents.signed[arrival.turn])
        corner = room.corners[arrival.turn >> 1]
        way = -1.0 if arrival.turn & 1 else 1.0
        first = phase(arrival.on)
        rest = self.allowance - arrival.cost
        most = min(rest / radius, tau)
        if corner.before:
            # The last direction in which a path still bends is square to the side ahead.
            edge = corner.after if way > 0 else corner.before
            most = min(most, max(way * phase(edge * -1j * way / arrival.on), 0.0))
        for since, until in room.shut(arrival.turn >> 1):
            stop = (since - first) if way > 0 else (first - until)
            most = min(most, max(stop, 0.0) if abs(stop) < TOUCH / radius else stop % tau)
        legs = [tangents.between(arrival.turn, turn) for turn in self._search.turns]
        events = [way * phase(leg.leaving / arrival.on) for leg in legs if leg and leg.length <= rest]
        return Sweep(
            _spread(0.0, most, events),
            lambda angles: centre + radius * np.exp(1j * (first + way * angles)),
            lambda angles: way * 1j * np.exp(1j * (first + way * angles)),
            lambda angles: np.maximum(rest - radius * angles, 0.0),
        )

    def _swept(self, sweep: Sweep) -> shapely.Geometry:
        """Draw what the lines of a sweep cover."""
        angles = sweep.angles
        middle, farthest = complex(sweep.begins(angles[:1])[0]), float(sweep.limits(angles[:1])[0])
        bounds = self._bounds_near(middle, farthest)
        ends, stops = self._ends(sweep, angles, bounds)
        for _ in range(HALVINGS):
            apart = np.flatnonzero((stops[1:] != stops[:-1]) & (np.diff(angles) > SILHOUETTE / 4))
            if not len(apart):
                break
            more = (angles[apart] + angles[apart + 1]) / 2
            more_ends, more_stops = self._ends(sweep, more, bounds)
            angles, ends = np.insert(angles, apart + 1, more), np.insert(ends, apart + 1, more_ends)
            stops = np.insert(stops, apart + 1, more_stops)
        begins = sweep.begins(angles)
        ring = np.concatenate([begins, ends[::-1]]) if begins[0] != begins[-1] else ends
        if len(ring) < 3:
            return shapely.Polygon()
        return shapely.make_valid(shapely.Polygon(np.column_stack([ring.real, ring.imag])))

    def _ends(self, sweep: Sweep, angles: Floats, bounds: tuple[Points, Points]) -> tuple[Points, NDArray[np.int64]]:
        """Find where lines of a sweep end, and at what: -1 at the allowance, else the number of a side or a circle.

        At the allowance they end where the tangents of the true border meet, just outside it.
        """
        begins, ways, limits = sweep.begins(angles), sweep.ways(angles), sweep.limits(angles)
        walls, circles = bounds
        hits = np.full((len(angles), len(walls) + len(circles) + 1), np.inf)
        hits[:, 0] = limits
        if len(walls):
            start, along, length = (walls[:, i] for i in range(3))
            outward = -1j * along
            to = start[None, :] - begins[:, None]
            into = (ways[:, None] * outward.conj()[None, :]).real
            with np.errstate(divide="ignore", invalid="ignore"):
                far = (to * outward.conj()[None, :]).real / into
                spot = begins[:, None] + far * ways[:, None]
                share = ((spot - start[None, :]) * along.conj()[None, :]).real
            met = (into < -1e-9) & (far > -1e-4) & (share > -1e-4) & (share < length.real[None, :] + 1e-4)
            hits[:, 1 : len(walls) + 1] = np.where(met, np.maximum(far, 0.0), np.inf)
        if len(circles):
            centre, reach = circles[:, 0], circles[:, 1].real
            to = centre[None, :] - begins[:, None]
            turned = to * ways.conj()[:, None]
            rest = reach[None, :] ** 2 - turned.imag**2
            far = turned.real - np.sqrt(np.maximum(rest, 0.0))
            met = (rest > 2e-4 * reach[None, :]) & (turned.real > 0) & (far > -1e-4)
            hits[:, len(walls) + 1 :] = np.where(met, np.maximum(far, 0.0), np.inf)
        stops = np.argmin(hits, axis=1)
        lengths = hits[np.arange(len(angles)), stops]
        lengths = np.where(stops == 0, lengths * (1 + STEP * STEP / 7), lengths)
        return begins + lengths * ways, np.asarray(stops, dtype=np.int64) - 1

    @cached_property
    def _bounds(self) -> tuple[Points, Points]:
        """Give the sides of everything near, moved outwards: start, direction, length; and circles: centre, radius."""
        room, start = self.obstacles.room, complex(*self.start)
        walls: list[tuple[complex, complex, complex]] = []
        for number, polygon in enumerate(room.polygons):
            piece = room.pieces[number]
            if hypot(piece.x - start.real, piece.y - start.imag) > self.allowance + piece.around:
                continue
            corners = [complex(*corner) for corner in polygon]
            for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
                along = (b - a) / abs(b - a)
                walls.append((a - 1j * along * room.radius, along, abs(b - a) + 0j))
        (left, low), (right, high) = room.low, room.high
        # Wound so that the table lies where for a piece the outside does.
        frame = [complex(left, low), complex(left, high), complex(right, high), complex(right, low)]
        walls += [(a, (b - a) / abs(b - a), abs(b - a) + 0j) for a, b in zip(frame, frame[1:] + frame[:1], strict=True)]
        circles = [
            (corner.at, corner.reach + 0j)
            for corner in room.corners
            if abs(corner.at - start) <= self.allowance + corner.reach
        ]
        return np.array(walls), np.array(circles, dtype=complex).reshape(-1, 2)

    def _bounds_near(self, middle: complex, within: float) -> tuple[Points, Points]:
        walls, circles = self._bounds
        half = walls[:, 2].real / 2
        near = np.abs(walls[:, 0] + half * walls[:, 1] - middle) <= within + half
        return walls[near], circles[np.abs(circles[:, 0] - middle) <= within + circles[:, 1].real]


def _spread(low: float, high: float, events: list[float]) -> Floats:
    even = np.linspace(low, high, max(ceil((high - low) / STEP), 1) + 1)
    beside = np.array([event + shift for event in events for shift in (-SILHOUETTE, SILHOUETTE)])
    both = np.concatenate([even, beside[(beside > low) & (beside < high)]]) if len(beside) else even
    return np.unique(both)


def points_of(ring: shapely.LinearRing) -> tuple[Point, ...]:
    """Give the points of a ring, the first one not repeated."""
    return tuple((x, y) for x, y in shapely.get_coordinates(ring)[:-1].tolist())
