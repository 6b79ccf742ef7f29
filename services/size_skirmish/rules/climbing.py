"""Climbing: up and down the sides of what can be climbed.

Follows the row of climbing in the table of movements. Lengths are thousandths of the scene's unit.
"""

from collections.abc import Iterator
from typing import NamedTuple

from arbiter.geometry.plane.near import gap
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import PER_UNIT, Figure, Point, thousandths, units
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.paths import stepped
from arbiter.skirmish.plane import place, point
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.size_skirmish.actions import Action, Violations
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import courses, levels
from services.size_skirmish.rules import fronts, leaving, ranges
from services.size_skirmish.rules.turns import row


class Climb(NamedTuple):
    """A climb: the model as it begins, its places from there on, and how high it ends."""

    body: Figure
    places: tuple[Point, ...]
    elevation: int

    @property
    def path(self) -> Path:
        """Its way in plan."""
        return stepped(self.body, [place(at) for at in self.places[1:]])

    @property
    def height(self) -> int:
        """How much is climbed, up or down."""
        return abs(self.elevation - self.body.elevation)


def planned(field: Battlefield, action: Action) -> Climb:
    """Return the announced climb; without a height, onto the ground under its end."""
    body = field.solid(action.model)
    way = action.way or ((action.goal,) if action.goal is not None else ())
    places = (body.at, *(point(at) for at in way))
    height = action.height_above
    return Climb(body, places, field.ground.support(places[-1]) if height is None else thousandths(height))


def violations(table: Table, field: Battlefield, action: Action) -> Violations:
    """Return every violation of a climb."""
    climb = planned(field, action)
    return no_hold(table, field, action, climb) or (
        *too_far(table, field, action, climb),
        *in_the_way(table, field, action, climb),
        *fronts.astray(table, field, action, climb.path),
        *leaving.held(table, field, action, climb.path),
    )


@violations_rule("climbing.no_hold", cites="move/climb")
def no_hold(table: Table, field: Battlefield, action: Action, climb: Climb) -> Iterator[Reason]:
    """Decide whether there is something to climb: one piece that the base touches all the way, as high as the end."""
    near, touched = climb.body.radius + climb.body.slack, levels.beside(field, climb.body)
    high = tuple(piece for piece in touched if piece.height >= climb.elevation)
    if any(all(gap(at, piece.outline) <= near for at in climb.places) for piece in high):
        return
    if not touched:
        text = "{name} touches nothing that can be climbed"
    elif not high:
        text = "{name} has nothing to climb that is high enough"
    else:
        text = "The climb of {name} leads away from what it holds on to"
    yield table.reason(text, name=field.name(action.model))


@violations_rule("climbing.too_far", cites="move/climb")
def too_far(table: Table, field: Battlefield, action: Action, climb: Climb) -> Iterator[Reason]:
    """Decide whether a climb is too far: half of B counts for the height, or by `climb-counts` for the whole way.

    Where it is for the height, the model comes on the level onto the top or beside the foot, and no farther than its
    base is across.
    """
    most, along = ranges.fixed(table, field, action.model, row(field, action)), climb.path.length

    def within(counts: str) -> bool:
        if counts == "whole":
            return climb.height + along <= most
        return climb.height <= most and along <= 2 * climb.body.radius + climb.body.slack

    if not settled(table, within, ("climb-counts", ("height", "whole"))):
        text = "{name} would climb {height:g} and move {along:g}; the maximum for climbing is {most:g}"
        height, far, limit = climb.height / PER_UNIT, round(along) / PER_UNIT, most / PER_UNIT
        yield table.reason(text, name=field.name(action.model), height=height, along=far, most=limit)


@violations_rule("climbing.in_the_way", cites="move/climb")
def in_the_way(table: Table, field: Battlefield, action: Action, climb: Climb) -> Iterator[Reason]:
    """Decide whether the end of a climb is free: on top or at the side, with no model there or in between."""
    contacts, name = levels.climbed(field, climb.body, climb.places[-1], climb.elevation), field.name(action.model)
    if contacts is None:
        yield table.reason("{name} can neither stand nor hang there", name=name)
    elif contacts:
        yield table.reason("The way of {name} is blocked by {others}", others=field.names(contacts), name=name)


@rule(
    "climbing.climbed",
    cites=("move/climb", "move/climb-free"),
    neutral=lambda field, action: (field, courses.stays_put(field.solid(action.model))),
)
def climbed(table: Table, field: Battlefield, action: Action) -> tuple[Battlefield, Path]:
    """Decide where a model comes by climbing: to the end of its climb, or nowhere if it is not possible any more.

    The path is that on the level.
    """
    climb = planned(field, action)
    with table.without_findings():
        if violations(table, field, action):
            return field, courses.stays_put(climb.body)
    above = float(units(climb.elevation))
    text, name = "{name} climbs {height:g} and is now {above:g} above the table", field.name(action.model)
    table.find(text, name=name, height=climb.height / PER_UNIT, above=above)
    table.event("climbed", model=action.model, height_above=above)
    return field.changed(action.model, height_above=above), climb.path
