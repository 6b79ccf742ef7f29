"""Histories: which actions one activation can hold, and that a figure activates once a turn.

Follows "Activation", "Actions" and "Turn Order". An action is named as in `activation`.
"""

from msgspec.structs import replace

from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Quantity
from services.stargrave.battlefield import Battlefield, Reasons
from services.stargrave.rules import activation
from services.stargrave.rules.activation import Actions


def violations(table: Table, field: Battlefield, actor: str, previous: Actions) -> Reasons:
    """List what is impossible about the previous actions of an activation."""
    name = field.name(actor)
    return (
        *moved_once(table, name, previous),
        *ran_alone(table, name, previous),
        *with_its_power(table, name, previous),
        *in_number(table, field, actor, previous),
    )


@rule("histories.moved_once", cites=("actions/move-required", "actions/second-move"), neutral=())
def moved_once(table: Table, name: str, previous: Actions) -> Reasons:
    """Decide whether the Moves of an activation can have come so: one whole Move, and shorter ones after it alone."""
    reasons = []
    if previous.count("move") > 1:
        reasons.append(table.reason("{name} makes one full Move in an activation; a second covers half", name=name))
    first = next((place for place, action in enumerate(previous) if action == "move"), len(previous))
    if "second-move" in previous[:first]:
        text = "{name} makes a second Move only after a first"
        reasons.append(table.reason(text, cites="actions/second-move", name=name))
    return tuple(reasons)


@rule("histories.ran_alone", cites=("movement/run-first-action", "movement/run-ends"), neutral=())
def ran_alone(table: Table, name: str, previous: Actions) -> Reasons:
    """Decide whether a figure can have run beside what else it has done: that comes first and ends it."""
    if "run" not in previous:
        return ()
    reasons = []
    if previous[0] != "run":
        text = "{name} may run only as its first action"
        reasons.append(table.reason(text, cites="movement/run-first-action", name=name))
    if previous.index("run") < len(previous) - 1:
        reasons.append(table.reason("{name} has run, which ends its activation", cites="movement/run-ends", name=name))
    return tuple(reasons)


@rule("histories.with_its_power", cites=("powers/power-move", "powers/power-move-when"), neutral=())
def with_its_power(table: Table, name: str, previous: Actions) -> Reasons:
    """Decide whether the Power Moves of an activation can have been made: one with each power, before it or after."""
    if previous.count("power-move") <= previous.count("power"):
        return ()
    return (table.reason("{name} makes a Power Move only when it activates a power", name=name),)


@rule("histories.in_number", cites="activation/two-actions", neutral=())
def in_number(table: Table, field: Battlefield, actor: str, previous: Actions) -> Reasons:
    """Decide whether a figure can have done so much: no more than its actions.

    A wound may have come in this activation, and so takes nothing from what was done before.
    """
    figure = field.figure(actor)
    unhurt = field.put(replace(figure, wounded=False, health=None))
    with table.without_findings():
        whole = activation.actions(table, unhurt, actor)
        spent = activation.spent(table, field, actor, previous)
    if spent <= whole:
        return ()
    text = "{name} has {whole}, but uses {spent}"
    return (table.reason(text, name=field.name(figure), whole=Quantity(whole, "action"), spent=spent),)


@rule(
    "histories.once_a_turn",
    cites=("turn-order/captain-phase", "turn-order/first-mate-phase", "turn-order/creature-phase"),
    neutral=(),
)
def once_a_turn(table: Table, field: Battlefield, actor: str) -> Reasons:
    """Decide whether a figure may begin to activate: it has not done so in this turn."""
    figure = field.figure(actor)
    if not figure.activated:
        return ()
    cites = "turn-order/creature-phase" if figure.crew is None else f"turn-order/{figure.role}-phase"
    return (table.reason("{name} has already activated", cites=cites, name=field.name(figure)),)
