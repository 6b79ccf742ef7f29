"""The transcript of a battle: the actions, the reactions, and what became of each model, in words."""

from collections.abc import Iterator

from services.size_skirmish.actions import ActionOutcome
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.rules import action_table
from services.size_skirmish.rules.procedure import ProcedureOutcome
from services.size_skirmish.scene import Model


def describe(field: Battlefield, result: ProcedureOutcome) -> str:
    """Describe the action of a model and the reactions to it."""
    answers = "; ".join(_deed(field, outcome) for outcome in result.reactions)
    return _deed(field, result.outcome) + (f" (answered by {answers})" if answers else "")


def _deed(field: Battlefield, outcome: ActionOutcome) -> str:
    """Describe one action, and whether it had no effect."""
    action = outcome.action
    what = action.use.replace("-", " ") if action.use is not None else action_table.row(field, action).name.lower()
    which = " ".join(part for part in (what, action.weapon, action.item) if part is not None)
    at = f" at {action.target}" if action.target is not None else ""
    return f"{action.model}: {which}{at}{'' if outcome.done else ', no effect'}"


def changes(before: Battlefield, after: Battlefield) -> Iterator[str]:
    """Describe what became of each model, the melees, and the victory points of each side."""
    for model in after.scene.models:
        old = before.unit(model.id)
        if model is not old and (text := ", ".join(_became(after, old, model))):
            yield f"{model.id} {text}"
    for melee in after.scene.melees:
        if melee not in before.scene.melees:
            yield f"{melee.one} and {melee.other} are in melee"
    for old_side, side in zip(before.scene.sides, after.scene.sides, strict=True):
        if side.victory_points != old_side.victory_points:
            yield f"{side.id} has {side.victory_points} victory points"


def _became(after: Battlefield, old: Model, new: Model) -> Iterator[str]:
    if new.out is not None and in_play(old):
        yield "is eliminated" if new.out == "eliminated" else "flees from the table"
        return
    if new.at != old.at and new.at is not None:
        yield f"moves to {new.at[0]:g}, {new.at[1]:g}"
    if new.height_above != old.height_above:
        yield f"is {new.height_above:g} above the table"
    if new.hit_points_lost > old.hit_points_lost:
        yield f"takes {new.hit_points_lost - old.hit_points_lost} damage, hit points left: {after.hit_points(new)}"
    if (new.fleeing is None) != (old.fleeing is None):
        yield "flees" if new.fleeing is not None else "stops fleeing"
    if new.in_hand != old.in_hand:
        yield f"has {new.in_hand} in hand"
    for weapon in sorted({*new.unloaded} ^ {*old.unloaded}):
        yield f"has {'unloaded' if weapon in new.unloaded else 'loaded'} {weapon}"
    for item in sorted({*new.items} ^ {*old.items}):
        yield f"{'takes' if item in new.items else 'leaves'} {item}"
    for status in sorted({*new.statuses} ^ {*old.statuses}):
        yield f"is {status}" if status in new.statuses else f"is no longer {status}"
