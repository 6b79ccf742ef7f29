"""The legs of paths over rough ground: what they may touch, on which ground they lie, and what they cost.

A path is a row of straight legs, each over one kind of ground, between points of the rough ground's border and turns
around obstacles. The border is cut into straight intervals, and a leg between two of them stands for all legs between
their points. Rough ground costs a factor for every bit of length that the base's centre goes over it; its border is
even ground. Thousandths of the table's unit throughout.
"""

from collections.abc import Sequence
from math import inf, pi
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from arbiter.geometry.plane.paths.room import TOUCH, Polygon
from arbiter.geometry.plane.paths.shortest import Obstacles, Point, as_point

Floats = NDArray[np.float64]
Points = NDArray[np.complex128]

EVEN, ROUGH = 0, 1
LINE = 1
FINE_CHORDS = 64


class Nodes(NamedTuple):
    """What a path may pass: the start, the goal, intervals of borders, and turns around obstacles.

    `side` numbers the border that an interval belongs to, -1 for all else; `turn` the turn, -1 for points. An interval
    is its middle, its direction and half its length; a turn is its circle's centre.
    """

    at: Points
    along: Points
    half: Floats
    side: NDArray[np.int64]
    turn: NDArray[np.int64]

    def kept(self, which: NDArray[np.bool_]) -> "Nodes":
        """Give only some of the nodes."""
        return Nodes(self.at[which], self.along[which], self.half[which], self.side[which], self.turn[which])

    def halved(self) -> "Nodes":
        """Cut the longest intervals in two: those that are at least half as long as the longest."""
        cut = (self.half > 0) & (self.half >= self.half.max() / 2)
        left, right = self.kept(cut), self.kept(cut)
        step = left.half / 2 * left.along
        halves = (
            left._replace(at=left.at - step, half=left.half / 2),
            right._replace(at=right.at + step, half=left.half / 2),
        )
        return Nodes(*(np.concatenate(parts) for parts in zip(self.kept(~cut), *halves, strict=True)))


class Legs(NamedTuple):
    """All legs between nodes: lengths and directions, where on circles they touch, and on which ground they may lie.

    `may` says for either ground whether a leg between some points of the two nodes may lie on it; `legal` whether that
    between the middles is clear, and `price` what this one costs.
    """

    length: Floats
    way: Points
    leaving: Points
    arriving: Points
    may: NDArray[np.bool_]
    legal: NDArray[np.bool_]
    price: Floats
    slack: Floats


class Country:
    """One question: a start and a goal among obstacles and rough ground."""

    def __init__(
        self, obstacles: Obstacles, rough: Sequence[Polygon], factor: float, start: Point, goal: Point
    ) -> None:
        room = obstacles.room
        self.obstacles, self.factor = obstacles, factor
        self.rough_polygons = tuple(rough)
        self.start, self.goal = complex(*start), complex(*goal)
        self.rough = shapely.union_all([shapely.Polygon(piece) for piece in rough])
        self.polygons = shapely.union_all([shapely.Polygon(piece) for piece in room.polygons])
        self.rounds = [(shapely.Point(thing.at), thing.radius) for thing in room.rounds if not thing.passable]
        shapely.prepare(self.rough)
        self.border = shapely.boundary(self.rough)
        shapely.prepare(self.border)

    def nodes(self, at_most: float) -> Nodes:
        """List the start, the goal, and the borders and turns that a path of at most some length can pass."""
        room, tangents = self.obstacles.room, self.obstacles.tangents
        kept = [shapely.buffer(self.polygons, room.radius, quad_segs=FINE_CHORDS)]
        kept += [shapely.buffer(at, reach + room.radius, quad_segs=FINE_CHORDS) for at, reach in self.rounds]
        lines = shapely.difference(self.border, shapely.union_all(kept))
        lines = shapely.intersection(lines, shapely.box(*room.low, *room.high))
        sides = [
            (complex(*a), complex(*b))
            for line in shapely.get_parts(lines)
            if line.geom_type in ("LineString", "LinearRing")
            for a, b in zip(line.coords, line.coords[1:], strict=False)
        ]
        sides = [(a, b) for a, b in sides if self._detour(a, b) <= at_most + TOUCH and a != b]
        turns = [
            turn
            for turn in range(len(tangents.signed))
            if self._detour(tangents.centres[turn], tangents.centres[turn]) - 2 * abs(tangents.signed[turn]) <= at_most
        ]
        middles = [(a + b) / 2 for a, b in sides]
        return Nodes(
            np.array([self.start, self.goal, *middles, *(tangents.centres[turn] for turn in turns)]),
            np.array([1, 1, *((b - a) / abs(b - a) for a, b in sides), *(1 for _ in turns)], dtype=complex),
            np.array([0.0, 0.0, *(abs(b - a) / 2 for a, b in sides), *(0.0 for _ in turns)]),
            np.array([-1, -1, *range(len(sides)), *(-1 for _ in turns)]),
            np.array([-1, -1, *(-1 for _ in sides), *turns]),
        )

    def _detour(self, a: complex, b: complex) -> float:
        """Bound from below how long a path is that passes some point between two."""
        line = shapely.LineString([as_point(a), as_point(b)])
        return float(
            shapely.distance(line, shapely.Point(as_point(self.start)))
            + shapely.distance(line, shapely.Point(as_point(self.goal)))
        )

    def legs(self, nodes: Nodes) -> Legs:
        """Find all legs between nodes."""
        tangents, room = self.obstacles.tangents, self.obstacles.room
        count = len(nodes.at)
        signed = np.array([tangents.signed[turn] if turn >= 0 else 0.0 for turn in nodes.turn.tolist()])
        to = nodes.at[None, :] - nodes.at[:, None]
        square = np.abs(to) ** 2
        apart = signed[None, :] - signed[:, None]
        rest = square - apart * apart
        exists = (square > 0) & (rest > -1.0 * np.abs(apart) - TOUCH)
        length = np.sqrt(np.maximum(rest, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            way = np.where(exists, to * (length - 1j * apart) / square, 0)
        size = np.abs(way)
        way = np.where(size > 0, way / np.where(size > 0, size, 1), 0)
        leaving = -1j * way * np.where(signed < 0, -1, 1)[:, None]
        arriving = -1j * way * np.where(signed < 0, -1, 1)[None, :]
        half = np.maximum(nodes.half[:, None], nodes.half[None, :])
        # By how much the direction of a leg may differ from that between the middles, at a turn.
        slack = np.where(length > 2 * half, half / np.maximum(length - half, 1e-9), pi)
        radius = np.abs(signed)
        for ends, on in ((0, leaving), (1, arriving)):
            for i in np.flatnonzero(nodes.turn >= 0).tolist():
                corner = room.corners[int(nodes.turn[i]) >> 1]
                row = (i, slice(None)) if ends == 0 else (slice(None), i)
                for beside in (corner.before, corner.after):
                    exists[row] &= (on[row] * beside.conjugate()).real <= slack[row] + 1e-7
        turns = nodes.turn >= 0
        # No leg leaves the goal, and no leg leads to the start.
        exists[1, :] = exists[:, 0] = False
        first, second = np.nonzero(exists)
        a = nodes.at[first] + radius[first] * leaving[first, second]
        b = nodes.at[second] + radius[second] * arriving[first, second]
        lines = np.asarray(
            shapely.linestrings(
                np.stack([np.column_stack([a.real, a.imag]), np.column_stack([b.real, b.imag])], axis=1)
            )
        )
        give = np.where(turns[first] | turns[second], np.maximum(1.0, radius[first] + radius[second]), 1.0)
        give = np.minimum(slack[first, second] * give + half[first, second], 1e9)
        give = np.where(turns[first] | turns[second], give, half[first, second])
        gap = np.full(len(lines), inf)
        if not self.polygons.is_empty:
            gap = np.asarray(shapely.distance(lines, self.polygons)) - room.radius
        for at, reach in self.rounds:
            gap = np.minimum(gap, shapely.distance(lines, at) - reach - room.radius)
        legal_here = gap >= -TOUCH
        may_here = gap >= -TOUCH - 0.1 - give
        over = np.asarray(shapely.intersection(lines, self.rough))
        gives = _Gives(nodes, way, a, b, first, second, give, turns[first] | turns[second])
        on_rough = self._deep(over, gives)
        off_rough = self._deep(np.asarray(shapely.difference(lines, self.rough)), gives)
        may = np.zeros((2, count, count), dtype=bool)
        may[EVEN, first, second] = may_here & ~on_rough
        may[ROUGH, first, second] = may_here & ~off_rough
        legal = np.zeros((count, count), dtype=bool)
        price = np.full((count, count), inf)
        chosen = np.flatnonzero(legal_here)
        # A line along the border is even ground, though it lies in the closed polygon.
        rough = shapely.length(over[chosen]) - shapely.length(shapely.intersection(lines[chosen], self.border))
        legal[first[chosen], second[chosen]] = True
        price[first[chosen], second[chosen]] = length[first[chosen], second[chosen]] + (self.factor - 1) * rough
        return Legs(length, way, leaving, arriving, may, legal, price, slack)

    def _deep(self, stretches: NDArray[np.object_], gives: "_Gives") -> NDArray[np.bool_]:
        """Tell which lines go over stretches whose middle lies farther from the border than a line may give way."""
        parts, of = shapely.get_parts(stretches, return_index=True)
        lines = (shapely.get_type_id(parts) == LINE) & ~shapely.is_empty(parts)
        parts, of = parts[lines], of[lines]
        middles = shapely.line_interpolate_point(parts, 0.5, normalized=True)
        found = np.zeros(len(stretches), dtype=bool)
        found[of[shapely.distance(middles, self.border) > gives.at(of, middles) + TOUCH]] = True
        return found


class _Gives:
    """How far from a place on a leg between middles a leg between other points of the two intervals may pass."""

    def __init__(
        self,
        nodes: Nodes,
        way: Points,
        a: Points,
        b: Points,
        first: NDArray[np.int64],
        second: NDArray[np.int64],
        most: Floats,
        bluntly: NDArray[np.bool_],
    ) -> None:
        self.a, self.most, self.bluntly = a, most, bluntly
        self.way, self.length = way[first, second], np.abs(b - a)
        ends = [nodes.half[end] * nodes.along[end] * self.way.conj() for end in (first, second)]
        self.aside = [np.abs(end.imag) for end in ends]
        # Along the leg, its ends may shift by so much.
        self.shift = np.maximum(np.abs(ends[0].real), np.abs(ends[1].real))

    def at(self, of: NDArray[np.int64], places: NDArray[np.object_]) -> Floats:
        """Measure it for some legs, each at a place on it."""
        at = shapely.get_x(places) + 1j * shapely.get_y(places)
        along = ((at - self.a[of]) * self.way[of].conj()).real
        length, shift = self.length[of], self.shift[of]
        with np.errstate(divide="ignore", invalid="ignore"):
            share, apart = along / length, shift / length
            # The foot of the place on the other leg divides this one as that of the middles, but for the shift.
            bound = (1 - share + apart) * self.aside[0][of] + (share + apart) * self.aside[1][of]
        plain = self.bluntly[of] | (along <= shift) | (length - along <= shift)
        return np.asarray(np.where(plain, self.most[of], np.minimum(bound, self.most[of])))
