"""Areas: where a model can come by a movement, drawn as polygons, and the places within reach.

No rules stand here: what is drawn follows from those in `paths` and those for who is in melee. Lengths are thousandths.
"""

from collections.abc import Iterator
from math import dist
from typing import NamedTuple

from arbiter.geometry.plane.cut import Disc, Outlines, Ring, cut
from arbiter.geometry.plane.paths.reach import Reach
from arbiter.geometry.plane.paths.room import TOUCH as EQUAL
from arbiter.geometry.plane.shapes import Figure
from arbiter.table import Table
from services.size_skirmish.actions import Action, ActionContext
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import levels, ways
from services.size_skirmish.ground import place, point
from services.size_skirmish.rules import doing, flight, leaving, paths, turns
from services.size_skirmish.scene import Place

AREA_PATHS = ("free", "front", "towards", "pursuit", "through")
"""Movements that lead over an area, by their `path`."""


class Area(NamedTuple):
    """An area as rings, each shape with its holes; by how much it may be too large; and places, with their lengths."""

    shapes: tuple[tuple[Ring, tuple[Ring, ...]], ...] = ()
    error: float = 0.0
    samples: tuple[tuple[Place, float], ...] = ()


def area(table: Table, field: Battlefield, action: Action, allowed: int, spacing: int | None) -> Area:
    """Give where a movement of so much can lead, and, so far apart, the places within reach."""
    if turns.row(field, action).path not in AREA_PATHS or (reach := _reach(table, field, action, allowed)) is None:
        return Area()
    region = reach.area(spacing)
    places = ((place(ways.whole(sample.at)), allowed) for sample in region.samples)
    samples = ((to, length) for to, most in places if (length := reached(table, field, action, to, most)) is not None)
    return Area(cut(region.shapes, _bounds(table, field, action)), region.error, tuple(samples))


def reached(table: Table, field: Battlefield, action: Action, to: Place, allowed: int) -> float | None:
    """Give the length of the way of a movement to a place; None where it may not lead, or not so far."""
    body = field.solid(field.model(action.model))
    there = Action(action.model, action.action, action.movement, action.target, goal=to, turned=action.turned)
    with table.without_findings():
        if doing.violations(table, field, there, ActionContext()):
            return None
        match turns.row(field, action).path:
            case "away" | "none":
                return None
            case "climb" | "fall":
                return dist(body.at, point(to))
        path = paths.planned(table, field, there)
    return None if path is None or path.length > allowed + EQUAL else path.length


def end(table: Table, field: Battlefield, action: Action, allowed: int) -> Place | None:
    """Give where a movement leads of which no way is said: a fall, the flight of who flees, the way to a target."""
    body = field.solid(field.model(action.model))
    if turns.row(field, action).path == "fall":
        landing = levels.landing(field, body, body.at)
        return None if landing is None else place(landing.at)
    with table.without_findings():
        if turns.row(field, action).path == "away":
            fleeing = field.model(body.id).fleeing
            if fleeing is None:
                return None
            return place(ways.whole(flight.course(table, field, body, fleeing.direction, allowed)[0].end))
        if not turns.aimed(field, action):
            return None
        return place(ways.whole(paths.made(table, field, action, allowed).end))


def _reach(table: Table, field: Battlefield, action: Action, allowed: int) -> Reach | None:
    body = field.solid(field.model(action.model))

    def search(bases: tuple[ways.Base, ...], beyond: tuple[ways.Outline, ...]) -> Reach | None:
        obstacles = ways.obstacles(field, body, bases, beyond)
        start = ways.start_of(obstacles, body)
        return Reach(obstacles, start, float(allowed)) if obstacles.free(start) else None

    return paths.to(table, field, action, search, float(allowed))


def _bounds(table: Table, field: Battlefield, action: Action) -> Iterator[Disc | Outlines]:
    """Give what an area lies in beside what a model reaches on foot: its level, its melees, nearer to a target."""
    body = field.solid(field.model(action.model))
    if body.elevation:
        yield Outlines(tuple(top.outline for top in field.ground.climbable if top.height == body.elevation))
    opponents = () if turns.row(field, action).needs == "melee" else field.opponents(body.id)
    if opponents and table.read("leave-melee") == "disengage-only":
        for id_ in opponents:
            yield _disc(field, body, id_, leaving.reach(field, body.id, id_))
    if action.target is not None and turns.row(field, action).path in turns.AIMED:
        yield _disc(field, body, action.target, 0)


def _disc(field: Battlefield, body: Figure, other: str, reach: int) -> Disc:
    """Give the places within reach of a model, or at least as near as another is now."""
    at = field.solid(field.model(other)).at
    return Disc(at, max(float(reach), dist(at, body.at)))
