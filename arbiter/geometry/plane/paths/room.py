"""Where the centre of a round base may be among polygons and round obstacles: clear lines, free points, open arcs.

Everything is in thousandths of the table's unit. Polygons have whole corners; what is computed are floats. The base may
touch everything and enter nothing, and it stays on the table whole. A distance that falls short of what the base needs
by less than `TOUCH` counts as touching; where that would open a gap that is too narrow by less than this, the whole
numbers decide, and a plug closes it.

Inside, a point of the plane is a complex number: turning, and the sides of a line, are products of two of them.
"""

from cmath import phase, rect
from collections.abc import Iterable, Sequence
from copy import copy
from itertools import pairwise
from math import acos, hypot, inf, pi, sqrt, tau
from typing import NamedTuple

import numpy as np
import shapely

from arbiter.caching import Memory
from arbiter.value import Value

Whole = tuple[int, int]
Polygon = tuple[Whole, ...]

# A billionth of a unit: what rounding cannot tell from touching.
TOUCH = 1e-6
# Beyond this the tolerance could swallow a whole thousandth between two corners.
LARGEST_RADIUS = 100_000
# Gaps whose width differs from the base's by less than this are decided in whole numbers.
DOUBTFUL = 1e-3
PLUG = 1e-2
# Round obstacles that usually lie over a table, for the size of its cells.
USUAL_ROUNDS = 16
# Round obstacles whose cells, and gaps to sides, a room remembers for all that it is laid under, in two generations.
CIRCLES_KEPT = 512


class Round(Value, frozen=True):
    """A round thing on the table, such as another figure's base; one that is `passable` only forbids to stop on it."""

    at: Whole
    radius: int
    passable: bool = False


class Corner(NamedTuple):
    """A circle that a taut path may run along: around a corner of a polygon, or a round obstacle grown by the base.

    `before` and `after` are the directions to the neighbouring corners; a path bends only where both lie behind it.
    """

    at: complex
    reach: float
    piece: int
    before: complex
    after: complex


class Piece(NamedTuple):
    """One obstacle: its corners, how far the centre stays away from them, a circle around it all, and its shape.

    `near` is the distance below which a point of the piece is too near; `around` that of the circle, grown.
    """

    number: int
    x: float
    y: float
    around: float
    near: float
    corners: tuple[tuple[float, float], ...]
    convex: bool


class Room:
    """The places that the centre of a base of one radius may take on one table."""

    def __init__(self, polygons: Sequence[Polygon], radius: int, table: Whole, rounds: Iterable[Round] = ()) -> None:
        if not 1 <= radius <= LARGEST_RADIUS:
            raise ValueError(f"a base has a radius of 1 to {LARGEST_RADIUS} thousandths, not {radius}")
        if min(table) <= 0:
            raise ValueError(f"a table has a width and a height, not {table}")
        self.radius = radius
        self.table = table
        self.low = (float(radius), float(radius))
        self.high = (float(table[0] - radius), float(table[1] - radius))
        self.polygons = tuple(wound(polygon) for polygon in polygons)
        if not all(shapely.is_valid([shapely.Polygon(polygon) for polygon in self.polygons])):
            raise ValueError("a polygon crosses or touches itself")
        self.rounds: tuple[Round, ...] = ()
        self.pieces: list[Piece] = []
        self.corners: list[Corner] = []
        self.corners_of: list[tuple[int, ...]] = []
        for polygon in self.polygons:
            self._add_polygon(polygon)
        self._sides = [
            side for polygon in self.polygons for side in zip(polygon, polygon[1:] + polygon[:1], strict=True)
        ]
        self._tree = shapely.STRtree(
            np.asarray(shapely.linestrings(np.array(self._sides, dtype=float).reshape(-1, 2, 2)))
        )
        self._plugs_of: Memory[list[complex]] = Memory(CIRCLES_KEPT)
        self._cells_known: Memory[list[int]] = Memory(CIRCLES_KEPT)
        self._plug(0)
        self._lay_cells()
        self._shut: dict[int, tuple[tuple[float, float], ...]] = {}
        self._lay_over(tuple(rounds))

    def with_rounds(self, rounds: tuple[Round, ...]) -> "Room":
        """Give this room, which has polygons alone, with round obstacles laid over them; they stay as they are."""
        room = copy(self)
        room.pieces, room.corners, room.corners_of = [*self.pieces], [*self.corners], [*self.corners_of]
        room.cells, room._shut = [*self.cells], {}
        room._lay_over(rounds)
        return room

    def _lay_over(self, rounds: tuple[Round, ...]) -> None:
        """Add round obstacles, and sort them into the cells; bases cannot stop on passable ones (squared distances)."""
        self.rounds, corners, pieces = rounds, len(self.corners), len(self.pieces)
        self.no_stops = [(*thing.at, (thing.radius + self.radius - TOUCH) ** 2) for thing in rounds if thing.passable]
        for thing in rounds:
            if not thing.passable:
                self._add_round(thing)
        self._plug(corners)
        cells = self.cells
        for piece in self.pieces[pieces:]:
            circle = piece.x, piece.y, piece.near
            if (around := self._cells_known[circle]) is None:
                self._cells_known.keep(circle, around := self._cells_of(piece))
            for place in around:
                cells[place] += (piece,)

    def _add_polygon(self, polygon: Polygon) -> None:
        number = len(self.pieces)
        points = [complex(*at) for at in polygon]
        bends = []
        for i, at in enumerate(points):
            before, after = points[i - 1] - at, points[(i + 1) % len(points)] - at
            bends.append(turn(-before, after))
            if bends[-1] > 0:
                corner = Corner(at, float(self.radius), number, before / abs(before), after / abs(after))
                self.corners.append(corner)
        self._add_piece(tuple((float(x), float(y)) for x, y in polygon), float(self.radius), min(bends) >= 0)

    def _add_round(self, thing: Round) -> None:
        at, reach, number = complex(*thing.at), float(self.radius + thing.radius), len(self.pieces)
        self.pieces.append(Piece(number, at.real, at.imag, reach, reach - TOUCH, ((at.real, at.imag),), True))
        self.corners_of.append((len(self.corners),))
        self.corners.append(Corner(at, reach, number, 0j, 0j))

    def _add_piece(self, corners: tuple[tuple[float, float], ...], reach: float, convex: bool) -> None:
        number = len(self.pieces)
        xs, ys = zip(*corners, strict=True)
        x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
        around = max(hypot(at_x - x, at_y - y) for at_x, at_y in corners) + reach
        self.pieces.append(Piece(number, x, y, around, reach - TOUCH, corners, convex))
        since = next((numbers[-1] + 1 for numbers in reversed(self.corners_of) if numbers), 0)
        self.corners_of.append(tuple(range(since, len(self.corners))))

    def _plug(self, since: int) -> None:
        """Close the gaps between a side and corners from a number on that are too narrow by less than the tolerance."""
        circles = [(corner.at, corner.reach) for corner in self.corners[since:] if corner.reach]
        known = {circle: self._plugs_of[circle] for circle in circles}
        new = [circle for circle, plugs in known.items() if plugs is None]
        for circle, plugs in zip(new, self._find_plugs(new), strict=True):
            known[circle] = plugs
            self._plugs_of.keep(circle, plugs)
        for circle in circles:
            for plug in known[circle] or ():
                self._add_piece(((plug.real, plug.imag),), PLUG, True)

    def _find_plugs(self, circles: Sequence[tuple[complex, float]]) -> list[list[complex]]:
        """Find the gaps between a corner and a side that look as wide as the base and are narrower by less than that.

        They are listed for each circle around a corner. Between two corners, or a round obstacle and a corner, squares
        of whole numbers differ by at least one, which is more than the tolerance. Between a corner and a long slanting
        side the difference may be lost in it.
        """
        found: list[list[complex]] = [[] for _ in circles]
        if not circles or not self._sides:
            return found
        wanted = np.array([reach + self.radius for _, reach in circles])
        points = shapely.points([(at.real, at.imag) for at, _ in circles])
        of, to = self._tree.query(points, predicate="dwithin", distance=wanted + DOUBTFUL)
        far = shapely.distance(points[of], self._tree.geometries[to]) > wanted[of] - DOUBTFUL
        for i, j in zip(of[far].tolist(), to[far].tolist(), strict=True):
            ((ax, ay), (bx, by)), (at, reach) = self._sides[j], circles[i]
            x, y = int(at.real), int(at.imag)
            dx, dy = bx - ax, by - ay
            length = dx * dx + dy * dy
            along = dx * (x - ax) + dy * (y - ay)
            across = dx * (y - ay) - dy * (x - ax)
            if 0 < along < length and across * across < int(wanted[i]) ** 2 * length:
                foot = complex(ax + dx * along / length, ay + dy * along / length)
                found[i].append((at * self.radius + foot * reach) / wanted[i])
        return found

    def _lay_cells(self) -> None:
        """Sort the pieces into square cells, each with all pieces that a centre in the cell might come too near to."""
        width, height = self.table
        many = len(self.pieces) + USUAL_ROUNDS
        self.cell = max(sqrt(width * height / many), 4.0 * self.radius, max(width, height) / 64)
        self.columns, self.rows = int(width / self.cell) + 1, int(height / self.cell) + 1
        cells: list[list[Piece]] = [[] for _ in range(self.columns * self.rows)]
        for piece in self.pieces:
            for place in self._cells_of(piece):
                cells[place].append(piece)
        self.cells = [tuple(cell) for cell in cells]

    def _cells_of(self, piece: Piece) -> list[int]:
        """Give the cells in which a centre might come too near to a piece."""
        xs, ys = zip(*piece.corners, strict=True)
        margin = piece.near + 1
        rows = range(self.row(min(ys) - margin), self.row(max(ys) + margin) + 1)
        columns = range(self.column(min(xs) - margin), self.column(max(xs) + margin) + 1)
        return [column * self.rows + row for column in columns for row in rows]

    def column(self, x: float) -> int:
        """Give the column of cells of a place, the nearest one where it is off the table."""
        return min(max(int(x / self.cell), 0), self.columns - 1)

    def row(self, y: float) -> int:
        """Give the row of cells of a place, the nearest one where it is off the table."""
        return min(max(int(y / self.cell), 0), self.rows - 1)

    def near(self, at: complex, within: float) -> set[Piece]:
        """Find the pieces that may come nearer to a place than `within` beyond what they keep clear, and some more."""
        columns = range(self.column(at.real - within), self.column(at.real + within) + 1)
        rows = range(self.row(at.imag - within), self.row(at.imag + within) + 1)
        return {piece for column in columns for row in rows for piece in self.cells[column * self.rows + row]}

    def blocker(self, a: complex, b: complex) -> int:
        """Find a piece that keeps the centre from going straight between two places where it may be; -1 if none does.

        As both ends are far enough from all, only a corner that is too near in between, or a side that is crossed,
        can block.
        """
        px, py, qx, qy = a.real, a.imag, b.real, b.imag
        dx, dy = qx - px, qy - py
        length = hypot(dx, dy)
        if length < TOUCH:
            return -1
        ux, uy = dx / length, dy / length
        size, rows, cells = self.cell, self.rows, self.cells
        last = int(qx / size)
        column = int(px / size)
        step = 1 if last >= column else -1
        y = py
        while True:
            next_y = qy if column == last else py + ((column + (step > 0)) * size - px) * uy / ux
            low, high = (int(y / size), int(next_y / size)) if y < next_y else (int(next_y / size), int(y / size))
            for place in range(column * rows + low, column * rows + high + 1):
                for number, x, y_piece, around, near, corners, _ in cells[place]:
                    vx, vy = x - px, y_piece - py
                    across = ux * vy - uy * vx
                    if across >= around or -across >= around:
                        continue
                    along = ux * vx + uy * vy
                    if along <= -around or along >= length + around:
                        continue
                    x, y_piece = corners[-1]
                    vx, vy = x - px, y_piece - py
                    across_before = ux * vy - uy * vx
                    along_before = ux * vx + uy * vy
                    for x, y_piece in corners:
                        vx, vy = x - px, y_piece - py
                        across = ux * vy - uy * vx
                        along = ux * vx + uy * vy
                        if -near < across < near and 0.0 < along < length:
                            return number
                        if (across > 0.0) is not (across_before > 0.0):
                            at = along_before + (along - along_before) * across_before / (across_before - across)
                            if 0.0 < at < length:
                                return number
                        across_before, along_before = across, along
            if column == last:
                return -1
            column += step
            y = next_y

    def free(self, at: complex) -> bool:
        """Tell whether the centre may be somewhere: whole numbers are decided as such, others with the tolerance."""
        if not (
            self.low[0] - TOUCH <= at.real <= self.high[0] + TOUCH
            and self.low[1] - TOUCH <= at.imag <= self.high[1] + TOUCH
        ):
            return False
        whole = at.real.is_integer() and at.imag.is_integer()
        for piece in self.cells[self.column(at.real) * self.rows + self.row(at.imag)]:
            if hypot(at.real - piece.x, at.imag - piece.y) >= piece.around + DOUBTFUL:
                continue
            away = clearance(at, piece.corners)
            if away < piece.near:
                return False
            if whole and piece.near != PLUG - TOUCH and away < piece.near + 2 * DOUBTFUL and self._enters(at, piece):
                return False
        return True

    def _enters(self, at: complex, piece: Piece) -> bool:
        """Decide in whole numbers whether the base at a whole place comes too near to a piece."""
        x, y, reach = int(at.real), int(at.imag), round(piece.near)
        corners = [(int(corner_x), int(corner_y)) for corner_x, corner_y in piece.corners]
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
            dx, dy, vx, vy = bx - ax, by - ay, x - ax, y - ay
            if vx * vx + vy * vy < reach * reach:
                return True
            length, across = dx * dx + dy * dy, dx * vy - dy * vx
            if 0 < dx * vx + dy * vy < length and across * across < reach * reach * length:
                return True
        return False

    def shut(self, number: int) -> tuple[tuple[float, float], ...]:
        """Find the open intervals of angles at which the centre may not be on the circle of a corner.

        They are within -pi to pi, in order; angles at which the path would not bend are not looked at.
        """
        if number not in self._shut:
            self._shut[number] = self._find_shut(self.corners[number])
        return self._shut[number]

    def _find_shut(self, corner: Corner) -> tuple[tuple[float, float], ...]:
        at, reach = corner.at, corner.reach
        others = [
            piece
            for piece in self.near(at, reach)
            if (piece.number != corner.piece or not piece.convex)
            and hypot(piece.x - at.real, piece.y - at.imag) < piece.around + reach
            and clearance(at, piece.corners) < piece.near + reach
        ]
        inside = self.low[0] <= at.real - reach and at.real + reach <= self.high[0]
        inside = inside and self.low[1] <= at.imag - reach and at.imag + reach <= self.high[1]
        if not others and inside:
            return ()
        cuts = {-pi, pi}
        for direction in (corner.before, corner.after):
            cuts |= {phase(direction * 1j), phase(direction * -1j)} if direction else set()
        for piece in others:
            cuts |= _meetings(at, reach, piece)
        for bound, axis in ((self.low[0], -1), (self.high[0], 1), (self.low[1], -1j), (self.high[1], 1j)):
            distance = abs(bound - (at.real if axis in (1, -1) else at.imag))
            if distance < reach:
                cuts |= {phase(axis * rect(1, turned)) for turned in (acos(distance / reach), -acos(distance / reach))}
                cuts |= {phase(-axis * rect(1, turned)) for turned in (acos(distance / reach), -acos(distance / reach))}
        found: list[tuple[float, float]] = []
        ordered = sorted(cuts)
        for low, high in pairwise(ordered):
            middle = at + rect(reach, (low + high) / 2)
            if self._off(middle) or any(clearance(middle, piece.corners) < piece.near for piece in others):
                if found and found[-1][1] == low:
                    low = found.pop()[0]
                found.append((low, high))
        return tuple(found)

    def _off(self, at: complex) -> bool:
        return not (
            self.low[0] - TOUCH <= at.real <= self.high[0] + TOUCH
            and self.low[1] - TOUCH <= at.imag <= self.high[1] + TOUCH
        )

    def open_arc(self, number: int, start: complex, sweep: float) -> bool:
        """Tell whether the centre may run along a corner's circle from a direction, `sweep` of angle to the left."""
        shut = self.shut(number)
        if not shut:
            return True
        low = phase(start)
        high = low + sweep
        if sweep < 0:
            low, high = high, low
        slack = TOUCH / self.corners[number].reach
        return not any(
            low < until + shift - slack and high > since + shift + slack
            for since, until in shut
            for shift in (-tau, 0.0, tau)
        )

    def at_corner(self, number: int, direction: complex) -> bool:
        """Tell whether the centre may be on a corner's circle in a direction."""
        return self.open_arc(number, direction, 0.0)


def turn(a: complex, b: complex) -> float:
    """Give the cross product of two directions: positive where the second lies to the left of the first."""
    return a.real * b.imag - a.imag * b.real


def ahead(a: complex, b: complex) -> float:
    """Give the dot product of two directions."""
    return a.real * b.real + a.imag * b.imag


def wound(polygon: Polygon) -> Polygon:
    """Wind a polygon to the left. ValueError: fewer than three corners, two equal neighbours, or no area."""
    if len(polygon) < 3:
        raise ValueError(f"a polygon has at least three corners, not {len(polygon)}")
    area = sum(ax * by - ay * bx for (ax, ay), (bx, by) in zip(polygon, polygon[1:] + polygon[:1], strict=True))
    if area == 0:
        raise ValueError(f"a polygon has an area, and {polygon} has none")
    if any(a == b for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True)):
        raise ValueError(f"a polygon has no corner twice in a row, as {polygon} has")
    return polygon if area > 0 else polygon[::-1]


def clearance(at: complex, corners: Sequence[tuple[float, float]]) -> float:
    """Measure how far a place is from a polygon or a point: below zero inside, by the distance to its border."""
    x, y = at.real, at.imag
    best = inf
    inside = False
    ax, ay = corners[-1]
    vx, vy = x - ax, y - ay
    for bx, by in corners:
        dx, dy = bx - ax, by - ay
        along = dx * vx + dy * vy
        # Before the first corner, past the second one, or next to the side between them.
        if along <= 0.0:
            away = hypot(vx, vy)
        else:
            length = dx * dx + dy * dy
            share = along / length if along < length else 1.0
            away = hypot(vx - share * dx, vy - share * dy)
        if away < best:
            best = away
        if (vy < 0.0) is not (by > y) and (dx * vy - dy * vx > 0) is (dy > 0):
            inside = not inside
        ax, ay, vx, vy = bx, by, x - bx, y - by
    return -best if inside else best


def _meetings(at: complex, reach: float, piece: Piece) -> set[float]:
    """Find the angles of a circle at which its distance from a piece is just what the piece keeps clear."""
    keep = piece.near + TOUCH
    found = set()
    corners = [complex(*corner) for corner in piece.corners]
    for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
        to, distance = a - at, abs(a - at)
        if distance and abs(reach - keep) <= distance <= reach + keep:
            cosine = (reach * reach + distance * distance - keep * keep) / (2 * reach * distance)
            bent = acos(min(max(cosine, -1.0), 1.0))
            found |= {phase(to * rect(1, bent)), phase(to * rect(1, -bent))}
        if a != b:
            along = (b - a) / abs(b - a)
            aside = turn(along, at - a)
            for side in (keep, -keep):
                cosine = (side - aside) / reach
                if abs(cosine) <= 1:
                    bent = acos(cosine)
                    found |= {phase(along * 1j * rect(1, bent)), phase(along * 1j * rect(1, -bent))}
    return found
