"""Reload: which weapons are loaded again by which of the two actions.

Follows the two rows of the action table: a slow reload is complex, a fast one simple.
"""

from collections.abc import Iterator

from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.size_skirmish.actions import Action, ActionContext, ActionOutcome, Done, undone
from services.size_skirmish.battlefield import Battlefield


@violations_rule("reload.violations", cites=("actions/slow-reload", "actions/fast-reload"))
def violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Iterator[Reason]:
    """Decide whether this action reloads a weapon: it has to be unloaded, and need this kind of reload."""
    model, cites, name = field.unit(action.model), f"actions/{action.action}", field.name(action.model)
    weapon = _weapon(field, action)
    if weapon is None or weapon not in field.profile(model).weapons:
        yield table.reason("{name} does not have this weapon", cites=cites, name=name)
        return
    row = field.book.weapons[weapon]
    values = {"name": name, "weapon": row.name or row.id}
    if weapon not in model.unloaded:
        yield table.reason("The {weapon} of {name} is already loaded", cites=cites, **values)
    elif action.action != f"{row.reload}-reload":
        yield table.reason("The {weapon} needs a {kind} reload", cites=cites, kind=row.reload, **values)


@rule("reload.done", cites=("actions/slow-reload", "actions/fast-reload"), neutral=undone)
def done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Decide what a reload does: the weapon is loaded again."""
    model, weapon = field.unit(action.model), _weapon(field, action)
    text = "{name} reloads {weapon}"
    table.find(
        text, cites=f"actions/{action.action}", name=field.name(model.id), weapon=field.weapon_name(weapon or "")
    )
    table.event("reloaded", model=model.id, weapon=weapon)
    left = tuple(each for each in model.unloaded if each != weapon)
    return field.changed(model.id, unloaded=left), ActionOutcome(action)


def _weapon(field: Battlefield, action: Action) -> str | None:
    """Return the weapon that is to be reloaded: the one named, else the one in hand."""
    in_hand = field.weapon(field.unit(action.model))
    return action.weapon or (in_hand.id if in_hand is not None else None)
