"""Past which places a way of straight legs may bend because of terrain, and where there is room for a base.

No rules stand here. Lengths are thousandths of an inch.
"""

from cmath import phase, rect
from math import ceil, cos, pi

from arbiter.caching import held_by_first
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.barriers import Barriers
from arbiter.geometry.plane.paths.room import clearance
from arbiter.geometry.plane.shapes import Point
from services.stargrave.geometry.footing import LOW
from services.stargrave.geometry.overlaps import SLACK
from services.stargrave.ground import Ground

PER_CORNER = 4
"""Into how many parts half a turn around a corner is cut."""

RADII_KEPT, ROOM_KEPT = 4, 2_048
"""Bases of which a ground remembers past which places they go, and places where there is room, in two generations."""


@held_by_first(RADII_KEPT)
def corners_of(ground: Ground, radius: int) -> tuple[Point, ...]:
    """Give the places past which a way may bend because of terrain, where there is room for a base of a radius."""
    places = [place for piece in ground.impassable if piece.height >= LOW for place in _corners(piece, radius)]
    places += [corner for piece in ground.pieces.values() if piece.ground == "rough" for corner in piece.outline]
    return tuple(place for place in dict.fromkeys(places) if has_room(ground, place, radius))


@held_by_first(ROOM_KEPT)
def has_room(ground: Ground, at: Point, radius: int) -> bool:
    """Check whether there is room for a base at a place: on the table, and beside pieces that are not stepped over."""
    x, y = at
    if not (radius <= x <= ground.width - radius and radius <= y <= ground.depth - radius):
        return False
    for piece, (left, low, right, high) in ground.boxes:
        if piece.ground != "impassable" or piece.height < LOW:
            continue
        near = left - radius < x < right + radius and low - radius < y < high + radius
        if near and clearance(complex(*at), piece.outline) < radius - SLACK:
            return False
    return True


@held_by_first(ROOM_KEPT)
def is_near_climb(ground: Ground, at: Point, within: int) -> bool:
    """Check whether a piece that can be climbed comes as near to a place as some length."""
    return any(
        clearance(complex(*at), piece.outline) <= within
        for piece in ground.impassable
        if piece.climbable and piece.height
    )


@held_by_first(1)
def barriers(ground: Ground) -> Barriers:
    """Give what legs surely lead into, or over."""
    return Barriers(ground.pieces.values(), LOW, SLACK)


def _corners(piece: shapes.Piece, radius: int) -> list[Point]:
    """Give places around the corners of a piece, outside the arcs on which a base goes around them."""
    outline = piece.outline if shapes.twice_area(piece.outline) > 0 else piece.outline[::-1]
    corners = []
    for before, at, after in zip((outline[-1], *outline), outline, (*outline[1:], outline[0]), strict=False):
        if shapes.cross(before, at, after) <= 0:
            continue
        sides = complex(*at) - complex(*before), complex(*after) - complex(*at)
        first, last = (side / abs(side) * -1j for side in sides)
        turn = abs(phase(last / first))
        parts = max(1, ceil(turn / (pi / PER_CORNER)))
        reach = (radius + SLACK) / cos(turn / parts / 2)
        for part in range(parts):
            way = first * rect(1.0, turn * (part + 0.5) / parts)
            corners.append((round(at[0] + reach * way.real), round(at[1] + reach * way.imag)))
    return corners
