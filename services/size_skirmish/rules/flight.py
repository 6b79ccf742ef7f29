"""Fleeing: where a model runs after a failed morale test, and what stops it.

Follows the row of fleeing in the table of movements. Lengths are thousandths of the scene's unit.
"""

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import Figure
from arbiter.nowhere import NOWHERE
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.plane import bends
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.size_skirmish.actions import Action, ActionContext, ActionOutcome, Done, Violations
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.geometry import courses, ways
from services.size_skirmish.geometry.courses import Stopped
from services.size_skirmish.rules import leaving, movement, ranges, straight, view
from services.size_skirmish.scene import NPC, Direction, Flight


def violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Violations:
    """Return every violation of fleeing."""
    return (*chosen(table, field, action), *no_turns(table, field, action))


@violations_rule("flight.chosen", cites=("move/flee", "morale/flight"))
def chosen(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Decide whether a model may flee: only if it is fleeing already, or by the reading `flee-chosen`."""
    if field.unit(action.model).fleeing is None and table.read("flee-chosen") != "chosen":
        yield table.reason("{name} may not choose to flee", name=field.name(action.model))


@violations_rule("flight.no_turns", cites="move/rotation-not-fleeing")
def no_turns(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Decide whether a fleeing model may turn: it may not."""
    if action.turned is not None or action.facing is not None:
        yield table.reason("{name} flees and may not turn", name=field.name(action.model))


def done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Carry out a flight; a model that chooses it runs from the model it reacts to, or from the target."""
    return _fled(table, field, action, context.answering or action.target, context.distance or 0)


def fled(table: Table, field: Battlefield, mover: str, cause: str | None) -> Done:
    """Return the battlefield after an immediate flight, with its range rolled."""
    action = Action(mover, "move", "flee")
    return _fled(table, field, action, cause, ranges.determined(table, field, action) or 0)


def _fled(table: Table, field: Battlefield, action: Action, cause: str | None, far: int) -> Done:
    id_ = action.model
    body, fleeing = field.solid(id_), field.unit(id_).fleeing
    if fleeing is not None:
        cause = fleeing.cause
    direction = kept(table, field, id_) or away(table, field, id_, cause)
    field = left_melee(table, field.changed(id_, fleeing=Flight(direction, cause)), id_)
    table.event("flees", model=id_, direction=direction, cause=cause)
    search = partial(course, table, field, body, direction)
    gone = path, _, stopped = straight.gone(table, field, id_, far, search)
    outcome = ActionOutcome(action, distance=far, way=tuple(bends(path)) if path and path.length else ())
    if stopped == "edge" and leaves(table, field, id_):
        table.event("left", model=id_, out="fled")
        return leaving.gone(table, field.parted(id_), id_, "fled", movement.end(path)), outcome

    def turned(field: Battlefield) -> Battlefield:
        return field if path is None else faced(table, field, id_, direction)

    field, blows = straight.ended(table, field, id_, gone, direction, "flight-drop", turned)
    return field, replace(outcome, blows=blows)


@rule("flight.kept", cites="move/flee-direction-kept", neutral=None)
def kept(table: Table, field: Battlefield, mover: str) -> Direction | None:
    """Decide whether a fleeing model keeps its direction: it does."""
    fleeing = field.unit(mover).fleeing
    if fleeing is None:
        return None
    table.find("{name} keeps fleeing in the same direction", name=field.name(mover), direction=fleeing.direction)
    return fleeing.direction


@rule("flight.away", cites="move/flee-away", neutral=lambda field, mover, cause: field.unit(mover).facing)
def away(table: Table, field: Battlefield, mover: str, cause: str | None) -> Direction:
    """Decide in which direction a model begins to flee: straight away from the cause.

    Without a cause on the table, it is the reading `causeless-flight`.
    """
    model = field.unit(mover)
    back = (-model.facing[0], -model.facing[1])
    direction: Direction = NOWHERE
    if cause is not None and in_play(field.unit(cause)):
        if field.measures(mover, cause):
            direction = ways.direction(field, cause, mover) or back
        table.find("{name} flees straight away from {cause}", name=field.name(mover), cause=field.name(cause))
        return direction
    if not field.measures(mover):
        table.find("{name} flees without a cause on the battlefield", name=field.name(mover), direction=direction)
        return direction
    origins = {other: ways.direction(field, other, mover) or back for other in _nearest_opponents(table, field, mover)}
    if set(origins.values()) <= {back} or table.read("causeless-flight") == "faced":
        table.find("{name} flees straight backwards, without a cause", name=field.name(mover), direction=back)
        return back
    nearest = next(iter(origins))
    if len(set(origins.values())) > 1:
        label = f"{mover}: flees from"
        nearest = table.choose(field.unit(mover).side, label, tuple(origins), about=field, means=field.option)
    text = "{name} flees without a cause, straight away from the nearest opponent: {other}"
    table.find(text, name=field.name(mover), other=field.name(nearest), direction=origins[nearest])
    return origins[nearest]


def _nearest_opponents(table: Table, field: Battlefield, mover: str) -> tuple[str, ...]:
    """Return the opponents nearest to a model, several if they are equally near; NPCs are no opponents."""
    opponents = [other.id for other in field.enemies(field.unit(mover)) if other.side != NPC]
    with table.without_findings():
        away = {other: view.distance(table, field, mover, other) for other in opponents}
    return tuple(other for other in opponents if away[other] == min(away.values()))


def course(table: Table, field: Battlefield, body: Figure, direction: Direction, far: float) -> tuple[Path, Stopped]:
    """Return how far a model flees and what stops it; which models block it is the reading `flight-blocked`.

    Whether friends let it pass, as they do with every movement, is the reading `through-friends`.
    """
    side = field.unit(body.id).side

    def fled_path(blocked: str, friends: str) -> tuple[Path, Stopped]:
        free = blocked == "opponents" and friends == "free"
        passable = [other.id for other in field.units if blocked == "passes" or (free and other.side == side)]
        return courses.straight_on(field.layout, body, direction, far, ways.bases(field, body, passable))

    blocked = ("flight-blocked", ("opponents", "stops", "passes"))
    return settled(table, fled_path, blocked, ("through-friends", ("free", "blocked")))


@rule("flight.leaves", cites="move/flee-direction-kept", neutral=False)
def leaves(table: Table, field: Battlefield, mover: str) -> bool:
    """Decide whether a flight that reaches the edge leaves the table: the reading `flight-edge`."""
    leaves_table = table.read("flight-edge") == "leaves"
    if leaves_table:
        table.find("{name} flees off the table", name=field.name(mover))
    return leaves_table


@rule("flight.faced", cites="move/rotation-not-fleeing", neutral=unchanged)
def faced(table: Table, field: Battlefield, mover: str, direction: Direction) -> Battlefield:
    """Decide how a model faces after its flight: it may not turn; see the reading `flee-facing`."""
    if ways.alike(field.unit(mover).facing, direction) or table.read("flee-facing") == "kept":
        return field
    table.find("{name} faces the direction of its flight", name=field.name(mover), facing=direction)
    table.event("turned", model=mover, facing=direction)
    return field.changed(mover, facing=direction)


@rule("flight.left_melee", cites=("melee/ends-disengaged", "move/flee-away"), neutral=unchanged)
def left_melee(table: Table, field: Battlefield, mover: str) -> Battlefield:
    """Decide whether a melee ends for a model that flees out of it: the reading `flight-ends-melee`."""
    if not field.opponents(mover) or table.read("flight-ends-melee") == "lasts":
        return field
    return leaving.ended(table, field, mover)
