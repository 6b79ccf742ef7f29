"""Where units go in battles: into contact with a goal if they can, else as near to it as possible."""

from math import dist, inf
from typing import Final

from arbiter.geometry.plane.measure import between
from arbiter.geometry.plane.paths.moves import clipped
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import Figure, Point
from arbiter.skirmish.plane import point
from arbiter.table import Table
from services.rapture import ways
from services.rapture.battlefield import Battlefield
from services.rapture.book import Book
from services.rapture.ground import Ground
from services.rapture.rules import movement, routes
from services.rapture.scene import Scene, spot_of
from services.rapture.ways import Way

PARTS: Final = (1.0, 0.9, 0.75, 0.5, 0.25)
"""Shares of the movement that are tried when the whole of it has no place for all models."""

LEAST = 500
"""The least approach, in thousandths, that is worth an action."""


def goals(field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """Give the goals of a unit: opponents, escaping friends, and objectives, each in the scene's order."""
    unit = field.unit(unit_id)
    units = (
        *(enemy.id for enemy in field.enemies(unit)),
        *(friend.id for friend in field.friends(unit) if friend.escaping),
    )
    return (*units, *(row.id for row in field.scene.objectives if row.id not in field.by_id))


def towards(table: Table, field: Battlefield, unit_id: str, goal: str) -> Way | None:
    """Give a way that brings a unit into contact with another, onto an objective, or nearer to it.

    None where it comes no nearer.
    """
    far = movement.allowance(table, field, unit_id)
    return table.once(way_towards, field.ground, field.book, field.layout, unit_id, goal, far)


def way_towards(
    table: Table, ground: Ground, book: Book, layout: Scene, unit_id: str, goal: str, far: int
) -> Way | None:
    """Give such a way of a unit that can move so far; it hangs on nothing but the layout."""
    field = Battlefield.of(ground, book, layout)
    body = field.solids(field.unit(unit_id))[0]
    if goal in field.by_id:
        others = field.solids(field.unit(goal))
        other = min(others, key=lambda body_there: between(body, body_there))
        if min(between(body, body_there) for body_there in others) <= far:
            way = routes.way_into_contact(table, field, unit_id, goal, far)
            if way is not None and not movement.way_violations(table, field, unit_id, way, far):
                return way
        spot = other.at
    else:
        spot = next(point(spot_of(row)) for row in field.scene.objectives if row.id == goal)
    return _nearer(table, field, unit_id, body, spot, goal, far)


def _nearer(
    table: Table, field: Battlefield, unit_id: str, body: Figure, spot: Point, goal: str, far: int
) -> Way | None:
    """Give as much of the way to a place as a unit can move, short of contact with opponents."""
    path = _path(table, field, unit_id, body, spot, goal)
    if path is None:
        return None
    for part in PARTS:
        short = clipped(path, 0.0, min(far * part, path.length))
        if dist(short.end, body.at) < LEAST:
            return None
        way = routes.way_with(table, field, unit_id, short, at_most=far)
        if way is not None and not movement.way_violations(table, field, unit_id, way, far):
            return way
    return None


def _path(table: Table, field: Battlefield, unit_id: str, body: Figure, spot: Point, goal: str) -> Path | None:
    """Give the shortest path of a base to a place, past all units except the one at the place.

    Where a base cannot stand at the place of a unit, it leads to one beside it.
    """
    unit = field.unit(unit_id)
    band = {unit_id, goal, *(other.id for other in field.apprentices(unit_id))}
    bodies = tuple(
        [
            (other, gap, False)
            for whose, other in ways.others(field, band)
            if dist(other.at, spot)
            >= other.radius + body.radius + (gap := 0 if whose.side == unit.side else ways.apart(other))
        ]
    )
    spots = [spot] if ways.free(field, body, spot) else _beside(field, body, spot, goal)
    paths = (ways.shortest(field.ground, body, goal_spot, bodies, inf) for goal_spot in spots)
    return next((path for path in paths if path is not None), None)


def _beside(field: Battlefield, body: Figure, spot: Point, goal: str) -> list[Point]:
    """Give the places beside a unit at which a base can stand, the nearest to it first."""
    if goal not in field.by_id:
        return []
    other = next(solid for solid in field.solids(field.unit(goal)) if solid.at == spot)
    spots = ways.around(field, body, other, ())
    return sorted(spots, key=lambda at: (dist(at, body.at), at))
