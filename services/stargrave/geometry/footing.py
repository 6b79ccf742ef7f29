"""Footing: whether a base has room where it is to stand, and where next to that place it has.

Bases may touch and not overlap, to the thousandth, for the table is posted again as it is left. Lengths are thousandths
of an inch. No rules stand here.
"""

from cmath import rect
from collections.abc import Iterable, Iterator
from itertools import combinations
from math import cos, dist, pi, sqrt

from msgspec.structs import replace

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.faults import overlap
from arbiter.geometry.plane.paths.moves import stays, straight
from arbiter.geometry.plane.paths.room import TOUCH, clearance
from arbiter.geometry.plane.paths.shortest import Point
from arbiter.geometry.plane.shapes import floats, whole
from services.stargrave.battlefield import Battlefield
from services.stargrave.geometry.overlaps import SLACK

LOW = 500
"""What is lower than this may be stepped over, and a base may brush it."""

ASIDE = 2
"""How many thousandths a base is put aside to each hand, at most, so that it does not stand in another."""

Line = tuple[Point, Point]
Circle = tuple[Point, float]


def on_table(field: Battlefield, body: shapes.Figure, at: Point) -> bool:
    """Check whether a base that stands at a place is on the table with all of it."""
    width, depth = field.ground.width, field.ground.depth
    return body.radius <= at[0] <= width - body.radius and body.radius <= at[1] <= depth - body.radius


def fits(field: Battlefield, body: shapes.Figure) -> bool:
    """Check whether a figure stands in nobody else."""
    return not any(other.id != body.id and overlap(body, other) for other in field.bodies)


def is_left_room(field: Battlefield, body: shapes.Figure, at: Point) -> bool:
    """Check whether nobody else keeps a figure from standing at a place, be it on the table or not."""
    return fits(field, body) or nearest_free_place(field, body, at) is not None


def nearest_free_place(field: Battlefield, body: shapes.Figure, at: Point) -> shapes.Point | None:
    """Give the nearest place of whole thousandths on the table at which a figure stands in nobody else.

    None where that is further than `ASIDE` away. `body` has the height at which the figure comes to stand.
    """
    x, y = whole(at)
    beside = [
        other
        for other in field.bodies
        if dist(other.at, at) < body.radius + other.radius + 2 * ASIDE
        and other.id != body.id
        and overlap(replace(body, at=other.at), other)
    ]
    # Places of equal distance are taken in one order.
    spots = sorted(
        ((x + i, y + j) for i in range(-ASIDE, ASIDE + 1) for j in range(-ASIDE, ASIDE + 1)),
        key=lambda spot: (dist(spot, at), spot),
    )
    for spot in spots:
        if on_table(field, body, spot) and not any(overlap(replace(body, at=spot), other) for other in beside):
            return spot
    return None


def pressing(field: Battlefield, body: shapes.Figure) -> tuple[shapes.Piece, ...]:
    """List the pieces that reach into a base where it stands, too high to be stepped on."""
    return tuple(
        piece
        for piece in _walls(field, body.elevation)
        if clearance(complex(*body.at), piece.outline) < body.radius - SLACK
    )


def support(pieces: Iterable[shapes.Piece], at: Point) -> int:
    """Give the height on which a base stands whose middle is at a place."""
    return max((piece.height for piece in pieces if clearance(complex(*at), piece.outline) < -TOUCH), default=0)


def nearest(field: Battlefield, body: shapes.Figure) -> shapes.Point | None:
    """Give the place nearest to a figure's at which its base has room, with no wall on the way there.

    None where there is none within the base's own width. It stays on its level. The nearest place lies square to a side
    of a wall, straight out of a corner or another base, or where two of these bounds meet.
    """
    walls = [
        piece
        for piece in _walls(field, body.elevation)
        if clearance(complex(*body.at), piece.outline) < 3 * body.radius
    ]
    at = floats(body.at)
    lines, circles = _bounds(field, body, walls)
    free = {*_square_to(at, lines, circles), *_meetings(lines, circles)}
    outlines = [piece.outline for piece in walls]
    solid = [piece for piece in field.ground.pieces.values() if piece.ground == "impassable"]
    for spot in sorted((spot for spot in free if dist(spot, at) <= 2 * body.radius), key=lambda spot: dist(spot, at)):
        to = nearest_free_place(field, body, spot)
        if to is not None and support(solid, to) == body.elevation and not pressing(field, replace(body, at=to)):
            way = straight(at, floats(to))
            if not stays(way, outlines):
                return to
    return None


def ring(at: shapes.Point, radius: int, count: int) -> list[shapes.Point]:
    """Give places around a circle where its tangents meet, so that the legs between them stay outside."""
    reach = radius / cos(pi / count)
    ways = (rect(1.0, 2 * pi * number / count) for number in range(count))
    return [(round(at[0] + reach * way.real), round(at[1] + reach * way.imag)) for way in ways]


def _walls(field: Battlefield, elevation: int) -> Iterator[shapes.Piece]:
    for piece in field.ground.pieces.values():
        if piece.ground == "impassable" and piece.height - elevation >= LOW:
            yield piece


def _bounds(field: Battlefield, body: shapes.Figure, walls: list[shapes.Piece]) -> tuple[list[Line], list[Circle]]:
    """Give the lines and circles on which the middle of a base is where it touches a wall, a base or the edge."""
    r = float(body.radius)
    wide, deep = field.ground.width - r, field.ground.depth - r
    lines: list[Line] = [((r, r), (r, deep)), ((wide, r), (wide, deep)), ((r, r), (wide, r)), ((r, deep), (wide, deep))]
    circles: list[Circle] = []
    for wall in walls:
        for a, b in shapes.edges(wall.outline):
            side = dist(a, b)
            ox, oy = (b[1] - a[1]) / side * r, (a[0] - b[0]) / side * r
            lines += [((a[0] + s * ox, a[1] + s * oy), (b[0] + s * ox, b[1] + s * oy)) for s in (1, -1)]
            circles.append((floats(a), r))
    circles += [(floats(them.at), r + them.radius) for them in field.bodies if them.id != body.id]
    near = 2 * body.radius
    return (
        [line for line in lines if dist(*line) > 0 and dist(body.at, _foot(body.at, line)) <= near],
        [circle for circle in circles if abs(dist(body.at, circle[0]) - circle[1]) <= near],
    )


def _square_to(at: Point, lines: list[Line], circles: list[Circle]) -> Iterator[Point]:
    for line in lines:
        yield _foot(at, line)
    for (x, y), radius in circles:
        apart = dist(at, (x, y))
        if apart:
            yield x + (at[0] - x) * radius / apart, y + (at[1] - y) * radius / apart


def _foot(at: Point, line: Line) -> Point:
    (ax, ay), (bx, by) = line
    x, y = bx - ax, by - ay
    share = ((at[0] - ax) * x + (at[1] - ay) * y) / (x * x + y * y)
    return ax + share * x, ay + share * y


def _meetings(lines: list[Line], circles: list[Circle]) -> Iterator[Point]:
    for one, other in combinations(lines, 2):
        (ax, ay), (bx, by) = one
        (cx, cy), (dx, dy) = other
        turn = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
        if abs(turn) > 1e-9 * dist(*one) * dist(*other):
            share = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / turn
            yield ax + share * (bx - ax), ay + share * (by - ay)
    for line in lines:
        (ax, ay), (bx, by) = line
        length = dist(*line)
        for centre, radius in circles:
            x, y = _foot(centre, line)
            across = dist(centre, (x, y))
            if across <= radius:
                half = sqrt(radius**2 - across**2) / length
                yield from ((x + s * half * (bx - ax), y + s * half * (by - ay)) for s in (1, -1))
    for (a, reach), (b, other_reach) in combinations(circles, 2):
        apart = dist(a, b)
        if apart and abs(reach - other_reach) <= apart <= reach + other_reach:
            along = (apart**2 + reach**2 - other_reach**2) / (2 * apart)
            half = sqrt(max(reach**2 - along**2, 0.0))
            ux, uy = (b[0] - a[0]) / apart, (b[1] - a[1]) / apart
            yield from ((a[0] + along * ux - s * half * uy, a[1] + along * uy + s * half * ux) for s in (1, -1))
