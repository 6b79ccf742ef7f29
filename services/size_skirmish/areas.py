"""Areas: where a movement can lead, as polygons, and the places within reach.

This module holds no rules: areas follow from those in `paths` and `leaving`. Lengths are thousandths.
"""

from collections.abc import Iterator
from math import dist
from typing import NamedTuple

from arbiter.geometry.plane.cut import Disc, Outlines, Ring, cut
from arbiter.geometry.plane.paths.reach import Reach
from arbiter.geometry.plane.paths.room import TOUCH as EQUAL
from arbiter.geometry.plane.shapes import Figure
from arbiter.skirmish.paths import start_of
from arbiter.skirmish.plane import place, point, rounded_place
from arbiter.table import Table
from services.size_skirmish.actions import Action
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import levels, ways
from services.size_skirmish.rules import action_table, flight, leaving, paths, turns
from services.size_skirmish.scene import Place

AREA_PATHS = ("free", "front", "towards", "pursuit", "through")
"""Movements that lead over an area, by their `path`."""


class Area(NamedTuple):
    """An area as shapes with holes, its error in size, and sample places with the lengths of their ways."""

    shapes: tuple[tuple[Ring, tuple[Ring, ...]], ...] = ()
    error: float = 0.0
    samples: tuple[tuple[Place, float], ...] = ()


def area(table: Table, field: Battlefield, action: Action, allowed: int, spacing: int | None) -> Area:
    """Return where a movement can lead within its allowance, and sample places within reach at a spacing."""
    if turns.row(field, action).path not in AREA_PATHS or (reach := _reach(table, field, action, allowed)) is None:
        return Area()
    region = reach.area(spacing)
    places = (rounded_place(sample.at) for sample in region.samples)
    samples = ((to, length) for to in places if (length := reached(table, field, action, to, allowed)) is not None)
    return Area(cut(region.shapes, _bounds(table, field, action)), region.error, tuple(samples))


def reached(table: Table, field: Battlefield, action: Action, to: Place, allowed: int) -> float | None:
    """Return the length of the way of a movement to a place; None if it may not lead there or is too short."""
    body = field.solid(action.model)
    there = Action(action.model, action.action, action.movement, action.target, goal=to, turned=action.turned)
    with table.without_findings():
        if action_table.violations(table, field, there):
            return None
        match turns.row(field, action).path:
            case "away" | "none":
                return None
            case "climb" | "fall":
                return dist(body.at, point(to))
        path = paths.planned(table, field, there)
    return None if path is None or path.length > allowed + EQUAL else path.length


def end(table: Table, field: Battlefield, action: Action, allowed: int) -> Place | None:
    """Return where a movement without a posted way ends: a fall, a flight, the way to a target."""
    body = field.solid(action.model)
    if turns.row(field, action).path == "fall":
        landing = levels.landing(field, body, body.at)
        return None if landing is None else place(landing.at)
    with table.without_findings():
        if turns.row(field, action).path == "away":
            fleeing = field.unit(body.id).fleeing
            if fleeing is None:
                return None
            return rounded_place(flight.course(table, field, body, fleeing.direction, allowed)[0].end)
        if not turns.aimed(field, action):
            return None
        return rounded_place(paths.made(table, field, action, allowed).end)


def _reach(table: Table, field: Battlefield, action: Action, allowed: int) -> Reach | None:
    body = field.solid(action.model)

    def search(bases: tuple[ways.Base, ...], beyond: tuple[ways.Outline, ...]) -> Reach | None:
        obstacles = ways.obstacles(field.ground, body, bases, beyond)
        start = start_of(obstacles, body)
        return Reach(obstacles, start, float(allowed)) if obstacles.free(start) else None

    return paths.to(table, field, action, search, float(allowed))


def _bounds(table: Table, field: Battlefield, action: Action) -> Iterator[Disc | Outlines]:
    """Yield what else bounds an area: the level of the model, its melees, its target."""
    body = field.solid(action.model)
    if body.elevation:
        yield Outlines(tuple(top.outline for top in field.ground.climbable if top.height == body.elevation))
    opponents = () if turns.row(field, action).needs == "melee" else field.opponents(body.id)
    if opponents and table.read("leave-melee") == "disengage-only":
        for id_ in opponents:
            yield _disc(field, body, id_, leaving.reach(field, body.id, id_))
    if action.target is not None and turns.row(field, action).path in turns.AIMED:
        yield _disc(field, body, action.target, 0)


def _disc(field: Battlefield, body: Figure, other: str, reach: int) -> Disc:
    """Return the disc around another model that a mover may not leave, or its present distance if that is larger."""
    at = field.solid(other).at
    return Disc(at, max(float(reach), dist(at, body.at)))
