"""Movement: align, walk, disengage, march, run, pursue, climb and squeeze through, and what moves for attacks.

Follows "Movement" and its table. Where a way may lead stands in `paths`, how far in `ranges`.
"""

from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import whole
from arbiter.nowhere import ELSEWHERE, NOWHERE
from arbiter.skirmish.plane import bends, rounded_place
from arbiter.table import Table
from services.size_skirmish.actions import Action, ActionContext, ActionOutcome, Done, Violations
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import courses, ways
from services.size_skirmish.rules import climbing, leaving, paths, turns
from services.size_skirmish.scene import Place

Way = tuple[Place, ...]


def violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Violations:
    """Return every violation of a movement now."""
    if violations := leaving.no_melee(table, field, action):
        return violations
    if by_hand(field, action):
        return paths.no_target(table, field, action)
    against = climbing.violations if turns.row(field, action).path == "climb" else paths.violations
    return table.held(against, field.layout, action)


def done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Carry out a movement as far as possible."""
    field, way = moved(table, field, action, context)
    return field, ActionOutcome(action, distance=context.distance, way=way)


def moved(table: Table, field: Battlefield, action: Action, context: ActionContext) -> tuple[Battlefield, Way]:
    """Return the battlefield after a movement as far as possible, with its turns, and the way."""
    leads = turns.row(field, action).path
    if by_hand(field, action):
        if leads == "none":
            return field, ()
        return leaving.disengaged(table, elsewhere(table, field, action.model), action), ()
    if leads == "climb":
        field, path = climbing.climbed(table, field, action)
    else:
        path = paths.made(table, field, action, context.distance)
    facing = field.unit(action.model).facing
    begun = facing if leads == "none" else turns.begins(table, field, action)
    field = shifted(table, field, action.model, path)
    turned = turns.ends(table, field, action, begun) or begun
    if not ways.alike(turned, facing):
        table.event("turned", model=action.model, facing=turned)
        field = field.changed(action.model, facing=turned)
    return leaving.disengaged(table, field, action), tuple(bends(path)) if path.length else ()


def end(path: Path | None) -> Place:
    """Return where a path ends; nowhere without one."""
    return NOWHERE if path is None else rounded_place(path.end)


def shifted(table: Table, field: Battlefield, mover: str, path: Path | None) -> Battlefield:
    """Return the battlefield with a model at the end of a path, facing as before."""
    if path is None:
        return elsewhere(table, field, mover)
    if not path.length:
        return field
    field = ways.put(field, field.unit(mover), whole(path.end))
    table.event("moved", model=mover, at=field.unit(mover).at)
    return field


def step(field: Battlefield, mover: str, target: str) -> Path | None:
    """Return the straight way of a model into contact with another, as far as it is free; None if there is none."""
    body, them = field.solid(mover), field.solid(target)
    path = courses.as_far(field, body, courses.straight_to(body, them), ways.bases(field, body))
    return path if path.length else None


def by_hand(field: Battlefield, action: Action) -> bool:
    """Return whether the players move a model themselves: it has no place in the scene, and no way is posted."""
    return not (action.way or action.goal) and not field.measures(action.model)


def elsewhere(table: Table, field: Battlefield, mover: str) -> Battlefield:
    """Return the battlefield with a model that the players move: facts about it are asked for anew."""
    table.event("moved", model=mover, at=NOWHERE)
    return field.changed(mover, at=ELSEWHERE)
