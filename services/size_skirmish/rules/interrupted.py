"""What reactions do to the model that acts: it is out, or has no hit points left, or is put to flight.

Follows steps 6 and 7 of the procedure, with what "Melee", "Ranged Combat" and "Morale" say of such models.
"""

from arbiter.rule import Reason, rule
from arbiter.table import Table
from services.size_skirmish.actions import Action, Violations
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.rules import action_table


@rule("interrupted.waits", cites=("melee/result", "ranged/result"), neutral=False)
def waits(table: Table, field: Battlefield, action: Action) -> bool:
    """Decide whether tests for losses by a reaction wait for the result of the action's combat.

    A reaction has its own last step, and its tests with it; strikes that are held back have that of the exchange.
    """
    waiting = action_table.fights(field, action) and table.read("morale-when") == "action"
    if waiting:
        table.find("Morale is tested after the result of the action")
    return waiting


@rule("interrupted.spared", cites=("melee/without-hit-points", "ranged/without-hit-points"), neutral=())
def spared(table: Table, field: Battlefield, action: Action) -> tuple[str, ...]:
    """Decide who stays on the table for now: a model that is still to strike or shoot, even without hit points."""
    model = field.unit(action.model)
    if not in_play(model) or field.hit_points(model) or not action_table.fights(field, action):
        return ()
    if table.read("killed-by-reaction") == "lost":
        return ()
    table.find("{name} has no hit points left but still acts", name=field.name(model.id))
    return (action.model,)


def _out_of_play(before: Battlefield, field: Battlefield, action: Action) -> Violations:
    """Return why a model that is out cannot act, even without the rule."""
    why = Reason("interrupted.lost", f"{field.name(action.model)} is no longer in play", ("procedure/action-checked",))
    return () if in_play(field.unit(action.model)) else (why,)


@rule("interrupted.lost", cites="procedure/action-checked", neutral=_out_of_play)
def lost(table: Table, before: Battlefield, field: Battlefield, action: Action) -> Violations:
    """Decide whether a reaction costs a model its action: it is out, or by a reading it flees."""
    name = field.name(action.model)
    if violations := _out_of_play(before, field, action):
        table.find("{name} loses its action", name=name)
        return violations
    if _put_to_flight(before, field, action) and table.read("flight-by-reaction") == "lost":
        table.find("{name} flees and loses its action", cites="morale/flight", name=name)
        return (table.reason("{name} flees instead of acting", cites="morale/flight", name=name),)
    return ()


@rule(
    "interrupted.marker_back",
    cites=("morale/flight-free", "procedure/marked"),
    neutral=lambda before, field, action: field,
)
def marker_back(table: Table, before: Battlefield, field: Battlefield, action: Action) -> Battlefield:
    """Decide whether a model that a reaction puts to flight keeps its activation: the reading `flight-marker`."""
    if not in_play(field.unit(action.model)) or not _put_to_flight(before, field, action):
        return field
    if table.read("flight-by-reaction") == "acts" or table.read("flight-marker") == "stays":
        return field
    table.find("The flight of {name} is free: its marker is removed", name=field.name(action.model))
    table.event("marker_removed", model=action.model)
    return field.changed(action.model, acted=False)


def _put_to_flight(before: Battlefield, field: Battlefield, action: Action) -> bool:
    """Return whether a model flees now and did not before the reactions."""
    return field.unit(action.model).fleeing is not None and before.unit(action.model).fleeing is None
