"""Events along a path: the pieces of ground it crosses, where, and for how long; where it may be intercepted.

Everything refers to the path of the base's centre, in thousandths of the table's unit. The game decides the cost of
climbing, jumping and falling; this module finds where they begin and end, and their lengths.
"""

from cmath import phase, rect
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import acos, cos, dist, pi, sqrt, tau

import shapely

from arbiter.geometry.plane.paths.room import TOUCH, Polygon, ahead, clearance, turn
from arbiter.geometry.plane.paths.shortest import Leg, Path, Point
from arbiter.value import Value

ARC_CHORDS = 64
# Far more than the error of measurements in floating-point numbers.
SURELY = 0.01
# Paths and polygons that a process remembers as lines and areas: one path is measured against several pieces.
LINES_KEPT, AREAS_KEPT = 16, 1_024

Box = tuple[float, float, float, float]
"""The smallest x and y, and the largest."""


class Stay(Value, frozen=True):
    """One stretch of a path inside one piece: the piece's number, and where along the path it begins and ends."""

    piece: int
    enters: float
    leaves: float
    entry: Point
    exit: Point

    @property
    def length(self) -> float:
        """The length of the path in this stretch."""
        return self.leaves - self.enters


class Spot(Value, frozen=True):
    """A place on a path, and how far along it lies."""

    along: float
    at: Point


def straight(a: Point, b: Point) -> Path:
    """Give the straight path between two points, ignoring obstacles."""
    length = dist(a, b)
    legs = (Leg(a, b, length),) if length else ()
    return Path(a, b, length, length, legs)


def polyline(places: Sequence[Point]) -> Path:
    """Give the path straight from place to place; places that follow themselves are no legs of it."""
    legs = tuple(Leg(a, b, dist(a, b)) for a, b in pairwise(places) if a != b)
    length = sum(leg.length for leg in legs)
    return Path(places[0], places[-1], length, length, legs)


def clipped(path: Path, since: float, until: float) -> Path:
    """Give the part of a path between two of its lengths."""
    legs = []
    begun = 0.0
    for leg in path.legs:
        first, last = max(since - begun, 0.0), min(until - begun, leg.length)
        if last > first:
            angle = leg.angle * (last - first) / leg.length
            legs.append(Leg(leg.at(first), leg.at(last), last - first, leg.centre, leg.radius, angle))
        begun += leg.length
    length = sum(leg.length for leg in legs)
    return Path(path.at(since), path.at(until), length, length, tuple(legs))


def nearest(path: Path, piece: Polygon) -> float:
    """Measure the least distance of the middle of a base to a polygon along a path; 0 if it enters it.

    Arcs are taken as `ARC_CHORDS` chords, which come nearer by less than a thousandth of the radius.
    """
    return float(shapely.distance(_line(path), _area(piece)))


def nearer(path: Path, pieces: Sequence[Polygon], least: float) -> tuple[int, ...]:
    """Find the polygons to which the middle of a base comes nearer than `least` on a path, by their numbers."""
    return tuple(number for number, piece in enumerate(pieces) if comes_nearer(path, piece, least))


def comes_nearer(path: Path, piece: Polygon, least: float) -> bool:
    """Tell whether the middle of a base comes nearer to a polygon than `least` on a path, as `nearest` measures it.

    What lies aside of each leg is not measured.
    """
    return not _lies_aside(path, piece, least + SURELY) and nearest(path, piece) < least


def _lies_aside(path: Path, piece: Polygon, keep: float) -> bool:
    """Tell whether a polygon lies aside of each leg of a path, or each leg beyond a side of it, farther than `keep`."""
    legs = [(leg.start, leg.end, keep + _bend(leg)) for leg in path.legs] or [(path.start, path.start, keep)]
    return all(_aside(a, b, piece, far) or _beyond(a, b, piece, far) for a, b, far in legs)


def _beyond(a: Point, b: Point, piece: Polygon, keep: float) -> bool:
    """Tell whether a straight leg lies farther than `keep` beyond a side that has the whole polygon behind it."""
    return any(
        x * a[0] + y * a[1] - edge >= keep and x * b[0] + y * b[1] - edge >= keep for x, y, edge in _faces(piece)
    )


@lru_cache(maxsize=AREAS_KEPT)
def _faces(piece: Polygon) -> tuple[tuple[float, float, float], ...]:
    """List the directions out of the sides of a polygon that have all of it behind them, with how far it reaches."""
    faces = []
    for (ax, ay), (bx, by) in zip(piece, piece[1:] + piece[:1], strict=True):
        if not (length := dist((ax, ay), (bx, by))):
            continue
        x, y = (by - ay) / length, (ax - bx) / length
        depths = [x * (corner_x - ax) + y * (corner_y - ay) for corner_x, corner_y in piece]
        hand = 1.0 if max(depths) <= SURELY else -1.0 if min(depths) >= -SURELY else 0.0
        if hand:
            faces.append(
                (hand * x, hand * y, max(hand * (x * corner_x + y * corner_y) for corner_x, corner_y in piece))
            )
    return tuple(faces)


def _bend(leg: Leg) -> float:
    """Measure how far a leg is from the straight line between its ends at most."""
    return 0.0 if leg.centre is None else leg.radius * (1.0 - cos(min(abs(leg.angle) / 2, pi)))


def _aside(a: Point, b: Point, piece: Polygon, keep: float) -> bool:
    """Tell whether a polygon lies wholly on one side of a straight leg, before or beyond it, farther than `keep`."""
    length = dist(a, b)
    ux, uy = ((b[0] - a[0]) / length, (b[1] - a[1]) / length) if length else (1.0, 0.0)
    across = [ux * (y - a[1]) - uy * (x - a[0]) for x, y in piece]
    if min(across) >= keep or max(across) <= -keep:
        return True
    along = [ux * (x - a[0]) + uy * (y - a[1]) for x, y in piece]
    return min(along) >= length + keep or max(along) <= -keep


def _spots(path: Path) -> list[Point]:
    """Give the places between which a path is taken as straight: the ends of its legs, and some on each arc."""
    spots = [path.start]
    for leg in path.legs:
        count = 1 if leg.centre is None else ARC_CHORDS
        spots += [leg.at(leg.length * part / count) for part in range(1, count + 1)]
    return spots


@lru_cache(maxsize=LINES_KEPT)
def _line(path: Path) -> shapely.Geometry:
    spots = _spots(path)
    return shapely.LineString(spots) if len(spots) > 1 else shapely.Point(path.start)


@lru_cache(maxsize=AREAS_KEPT)
def _area(piece: Polygon) -> shapely.Geometry:
    return shapely.Polygon(piece)


def stays(path: Path, pieces: Sequence[Polygon]) -> tuple[Stay, ...]:
    """Find where a path goes over pieces of ground: each stretch inside a piece, in the order in which they begin.

    A path that only touches a piece or runs along its border, to within a billionth of a unit, is not inside it.
    """
    found = []
    left, low, right, high = box_around(path)
    for number, piece in enumerate(pieces):
        at_left, at_low, at_right, at_high = _box(piece)
        if at_left > right or at_right < left or at_low > high or at_high < low:
            continue
        cuts = {0.0, path.length}
        begun = 0.0
        for leg in path.legs:
            cuts |= {begun, *(begun + cut for cut in _cuts(leg, piece))}
            begun += leg.length
        ordered = sorted(cuts)
        stretches: list[tuple[float, float]] = []
        for since, until in pairwise(ordered):
            x, y = path.at((since + until) / 2)
            in_box = at_left < x < at_right and at_low < y < at_high
            if in_box and clearance(complex(x, y), piece) < -TOUCH:
                if stretches and stretches[-1][1] == since:
                    since = stretches.pop()[0]
                stretches.append((since, until))
        found += [Stay(number, since, until, path.at(since), path.at(until)) for since, until in stretches]
    return tuple(sorted(found, key=lambda stay: (stay.enters, stay.piece)))


def first_within(path: Path, at: Point, within: float) -> Spot | None:
    """Find the first place on a path that is no farther than `within` from a place; None if no part of it is.

    Between bases this is the distance between them plus both radii. What exceeds it by less than a billionth of a unit
    is within.
    """
    if dist(path.start, at) <= within + TOUCH:
        return Spot(0.0, path.start)
    begun = 0.0
    for leg in path.legs:
        along = _first_on(leg, complex(*at), within)
        if along is not None:
            return Spot(begun + along, leg.at(along))
        begun += leg.length
    return None


def _first_on(leg: Leg, at: complex, within: float) -> float | None:
    """Find how far along a leg it first comes within a distance of a place that is farther from its start."""
    start = complex(*leg.start)
    if leg.centre is None:
        way = (complex(*leg.end) - start) / leg.length
        across, along = turn(way, at - start), ahead(way, at - start)
        if abs(across) > within + TOUCH:
            return None
        first = along - sqrt(max(within * within - across * across, 0.0))
        return min(max(first, 0.0), leg.length) if -TOUCH <= first <= leg.length + TOUCH else None
    centre = complex(*leg.centre)
    to = at - centre
    if not to or abs(abs(to) - leg.radius) > within + TOUCH:
        return None
    cosine = (leg.radius * leg.radius + abs(to) ** 2 - within * within) / (2 * leg.radius * abs(to))
    way = 1 if leg.angle > 0 else -1
    # Walking towards the place, the circle comes near enough before it passes it, as far as the angle says.
    first = way * phase(to * rect(1, -way * acos(min(max(cosine, -1.0), 1.0))) / (start - centre)) % tau * leg.radius
    return min(first, leg.length) if first <= leg.length + TOUCH else None


def box_around(path: Path) -> Box:
    """Give a box around a path, or one a little larger."""
    places = [path.start, *(leg.end for leg in path.legs)]
    # An arc bends out of the box of its ends by no more than its radius.
    wide = max((leg.radius for leg in path.legs), default=0.0) + TOUCH
    xs, ys = [x for x, _ in places], [y for _, y in places]
    return min(xs) - wide, min(ys) - wide, max(xs) + wide, max(ys) + wide


def _box(piece: Polygon) -> Box:
    """Give the box around a polygon."""
    xs, ys = zip(*piece, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _cuts(leg: Leg, piece: Polygon) -> list[float]:
    """Find how far along a leg it meets the sides of a piece; for one that runs along a side, where the side ends."""
    found = _straight_cuts(leg, piece) if leg.centre is None else _arc_cuts(leg, leg.centre, piece)
    return [cut for cut in found if 0 < cut < leg.length]


def _straight_cuts(leg: Leg, piece: Polygon) -> Iterator[float]:
    (x, y), (end_x, end_y) = leg.start, leg.end
    ux, uy = (end_x - x) / leg.length, (end_y - y) / leg.length
    bx, by = piece[-1][0] - x, piece[-1][1] - y
    beside = ux * by - uy * bx
    for to_x, to_y in piece:
        ax, ay, before = bx, by, beside
        bx, by = to_x - x, to_y - y
        beside = ux * by - uy * bx
        if -SURELY <= beside <= SURELY:
            yield ux * bx + uy * by
        # Both ends of the side lie beyond the line of the leg on one hand: it does not meet the side.
        if (before > SURELY and beside > SURELY) or (before < -SURELY and beside < -SURELY):
            continue
        side_x, side_y = bx - ax, by - ay
        slope = ux * side_y - uy * side_x
        if slope:
            yield (ax * side_y - ay * side_x) / slope


def _arc_cuts(leg: Leg, around: Point, piece: Polygon) -> Iterator[float]:
    start, centre = complex(*leg.start), complex(*around)
    corners = [complex(*corner) for corner in piece]
    for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
        side = b - a
        along, across = side / abs(side), turn(side, centre - a) / abs(side)
        if abs(across) <= leg.radius:
            half = sqrt(leg.radius * leg.radius - across * across)
            foot = ahead(along, centre - a)
            for spot in (a + along * (foot + half), a + along * (foot - half)):
                angle = phase((spot - centre) / (start - centre))
                yield (angle if leg.angle > 0 else -angle) % tau * leg.radius
