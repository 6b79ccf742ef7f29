"""Reload: which weapons are loaded again by which of the two actions.

Follows the two rows of the action table: a slow reload is complex, a fast one simple.
"""

from arbiter.rule import Reason, rule
from arbiter.table import Table
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.deeds import Deed, Did, Run
from services.size_skirmish.model import Model

Done = tuple[Battlefield, Did]


@rule(
    "reload.reasons",
    cites=("actions/slow-reload", "actions/fast-reload"),
    without=lambda field, deed, run: (),
)
def reasons(table: Table, field: Battlefield, deed: Deed, run: Run) -> tuple[Reason, ...]:
    """Decide whether a weapon is reloaded by this action: it has to be unloaded, and of that kind."""
    model, cites = field.model(deed.model), f"actions/{deed.action}"
    weapon = _weapon(field, model, deed)
    name = field.name(model)
    if weapon is None:
        return (table.reason("{name} has no weapon to reload", cites=cites, name=name),)
    row = field.book.weapons[weapon]
    if weapon not in model.unloaded:
        return (table.reason("the {weapon} is loaded", cites=cites, weapon=row.name or row.id),)
    if deed.action != f"{row.reload}-reload":
        text = "the {weapon} is reloaded by a {kind} reload"
        return (table.reason(text, cites=cites, weapon=row.name or row.id, kind=row.reload),)
    table.find("{name} can reload the {weapon}", cites=cites, name=name, weapon=row.name or row.id)
    return ()


def done(table: Table, field: Battlefield, deed: Deed, run: Run) -> Done:
    """Carry out a reload: the weapon is loaded again."""
    model = field.model(deed.model)
    weapon = _weapon(field, model, deed)
    table.event("reloaded", model=model.id, weapon=weapon)
    left = tuple(each for each in model.unloaded if each != weapon)
    return field.changed(model.id, unloaded=left), Did(deed)


def _weapon(field: Battlefield, model: Model, deed: Deed) -> str | None:
    """Give the weapon that is to be reloaded: the one named, else the one in hand."""
    in_hand = field.weapon(model)
    return deed.weapon or (in_hand.id if in_hand is not None else None)
