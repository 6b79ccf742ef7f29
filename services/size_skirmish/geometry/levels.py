"""Levels: where a model comes down from a piece, and how it climbs up and down the sides.

Lengths are thousandths of the scene's unit. This module holds no rules.
"""

from collections.abc import Iterator
from math import ceil, dist, hypot, inf
from typing import NamedTuple

from msgspec.structs import replace

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.measure import share_nearest
from arbiter.geometry.plane.near import gap
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import Figure, Point, whole
from arbiter.skirmish.paths import ring
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import courses, ways
from services.size_skirmish.scene import Direction

HOURS = 24
"""The number of directions in which a place to come down is searched."""

OUT = 2
"""The distance from an outline, in thousandths, at which a place is surely outside."""


class Side(NamedTuple):
    """A side of a piece: its point nearest to a place, and the direction outward, of length one."""

    foot: tuple[float, float]
    outward: tuple[float, float]

    def off(self, far: float) -> Point:
        """Return the place so far out from it, or so far in below zero."""
        return whole((self.foot[0] + far * self.outward[0], self.foot[1] + far * self.outward[1]))


class Landing(NamedTuple):
    """Where a model comes down: the place, how high that is, and how far it falls."""

    at: Point
    elevation: int
    height: int


def at_a_drop(field: Battlefield, body: Figure) -> bool:
    """Return whether the base of a model reaches over a brink or hangs at a side."""
    if not body.elevation:
        return False
    if not courses.firm(field, body):
        return True
    return any(
        dist(side.foot, body.at) <= body.radius + body.slack and field.ground.support(side.off(OUT)) < body.elevation
        for side in _near_sides(field, body)
    )


def landing(field: Battlefield, body: Figure, wish: Point) -> Landing | None:
    """Return where a model comes down nearest to a place; None if there is no room."""
    sides = _near_sides(field, replace(body, at=wish))
    near = [side.off(body.radius + more) for side in sides for more in (0, 1)]
    near += [spot for part in range(1, 9) for spot in ring(wish, ceil(body.radius * part / 2), HOURS)]
    spots = sorted(dict.fromkeys((wish, *near)), key=lambda spot: dist(spot, wish))
    return next((came for spot in spots if (came := lands(field, body, spot))), None)


def over(field: Battlefield, body: Figure, path: Path, direction: Direction) -> Landing | None:
    """Return where a model comes down that goes over the brink at the end of its path."""
    by, reach = hypot(*direction), body.radius + 1 if courses.firm(field, body) else 0
    wish = (path.end[0] + direction[0] / by * reach, path.end[1] + direction[1] / by * reach)
    return landing(field, body, whole(wish))


def lands(field: Battlefield, body: Figure, at: Point) -> Landing | None:
    """Return the landing of a model at exactly this place; None if it is not lower or there is no room."""
    below = field.ground.support(at)
    if below >= body.elevation:
        return None
    down = replace(body, elevation=below)
    if not courses.room(field, down, at, ways.others(field, down)):
        return None
    return Landing(at, below, body.elevation - below)


def _near_sides(field: Battlefield, body: Figure) -> Iterator[Side]:
    """Yield the sides of pieces under or beside a model."""
    for piece in field.ground.climbable:
        if gap(body.at, piece.outline) <= 2 * body.radius:
            yield from sides_of(piece, body.at)


def sides_of(piece: shapes.Piece, at: Point) -> Iterator[Side]:
    """Yield the sides of a piece, as they lie to a place."""
    hand = 1 if shapes.twice_area(piece.outline) > 0 else -1
    for a, b in shapes.edges(piece.outline):
        share = float(share_nearest(at, a, b))
        along, length = (b[0] - a[0], b[1] - a[1]), dist(a, b)
        foot = a[0] + share * along[0], a[1] + share * along[1]
        yield Side(foot, (hand * along[1] / length, -hand * along[0] / length))


def beside(field: Battlefield, body: Figure) -> tuple[shapes.Piece, ...]:
    """Return the pieces that a model can climb or climb down: those it touches or stands on."""
    near = field.ground.beside.within(body.radius + body.slack + 1, body.at, body.elevation - 1)
    return tuple(piece for piece in field.ground.climbable if near.get(piece.id, inf) <= body.radius + body.slack)


def climbed(field: Battlefield, body: Figure, at: Point, elevation: int) -> tuple[str, ...] | None:
    """Return the models in the way of a climb to a place and a height; None if the climber cannot be there.

    It stands there, or hangs at the side of something. On the way up or down it passes at the outer one of its places.
    """
    up = replace(body, elevation=elevation)
    below = field.ground.support(at)
    if below > elevation or (below < elevation and not _hangs(up, at, field)) or not ways.free(field.ground, up, at):
        return None
    low, high = sorted((body.elevation, elevation))
    outer = at if elevation < body.elevation else body.at
    column = replace(body, elevation=low, height=body.height + high - low)
    contacts = dict.fromkeys(ways.entered(at, body.radius, ways.others(field, up)))
    return tuple(contacts | dict.fromkeys(ways.entered(outer, body.radius, ways.others(field, column))))


def _hangs(body: Figure, at: Point, field: Battlefield) -> bool:
    """Return whether a model at a height would be at the side of a piece that is no lower."""
    return any(shapes.whereabouts(at, piece.outline) != "inside" for piece in beside(field, replace(body, at=at)))
