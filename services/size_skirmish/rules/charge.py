"""Charge: the movements that lead towards a target and end in a strike or a shot.

Follows the rows "Attack" and "Run and Shoot" of the movement table. Where they may lead stands in `paths`.
"""

from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Series
from services.size_skirmish.actions import Action, ActionContext, ActionOutcome, Done, Violations, undone
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.rules import melee, movement, paths, shooting, targets


def violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Violations:
    """Return every violation of a movement towards a target now."""
    violations = targets.target_violations(table, field, action.model, action.target or "")
    return violations or movement.violations(table, field, action, context)


def done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Carry out a movement towards a target, with the strike that ends it, or with the shot after it or before it."""
    before, follows, outcome = field, paths.then(table, field, action), ActionOutcome(action)
    shot = paths.shot_when(table, field, action) if follows == "shoot" else None
    if shot == "before":
        field, outcome = shoots(table, field, action, context)
    field, way = table.call(movement.moved, field, action, context)
    if follows == "strike":
        field, outcome = strikes(table, field, action, context, before)
    elif shot == "after":
        field, outcome = shoots(table, field, action, context)
    blows, in_vain = outcome.blows, outcome.violations
    return field, ActionOutcome(action, distance=context.distance, blows=blows, way=way, in_vain=in_vain)


@rule(
    "charge.strikes",
    cites="move/attack-like-march-and-strike",
    neutral=lambda field, action, context, before: (field, ActionOutcome(action)),
)
def strikes(table: Table, field: Battlefield, action: Action, context: ActionContext, before: Battlefield) -> Done:
    """Decide the strike that ends a charge, if a target can be struck from there.

    `before` is the battlefield at the start of the charge. Models that strike back do so in any case.
    """
    own = Action(action.model, "strike", target=action.target, closing=action.closing)
    if violations := melee.violations(table, field, own, context):
        _in_vain(table, "There is no strike: {why}", "move/attack-like-march-and-strike", violations)
        field, blows = melee.answered(table, field, action.model, context.blows_back)
        return field, ActionOutcome(own, violations, blows=blows)
    table.find("The charge of {name} ends in a strike", name=field.name(action.model))
    return melee.done(table, field, own, context, before)


@rule("charge.shoots", cites="move/run-and-shoot-like-walking", neutral=undone)
def shoots(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Decide the shot of run and shoot, if it is possible from the place of the model then."""
    own = Action(action.model, "shoot", target=action.target)
    if violations := shooting.violations(table, field, own, context):
        _in_vain(table, "There is no shot: {why}", "move/run-and-shoot-like-walking", violations)
        return field, ActionOutcome(own, violations)
    table.find("{name} shoots on the run", name=field.name(action.model))
    return shooting.done(table, field, own, context)


def _in_vain(table: Table, text: str, row: str, violations: Violations) -> None:
    """Find that nothing follows a movement, with every violation."""
    units = dict.fromkeys((row, *(unit for reason in violations for unit in reason.cites)))
    table.find(text, cites=tuple(units), why=Series(violations))
