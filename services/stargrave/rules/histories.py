"""Histories: which actions one activation can hold, and that a figure activates once a turn.

Follows "Activation", "Actions" and "Turn Order". An action is named as in `activation`.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.rule import Reason
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Quantity
from services.stargrave.battlefield import Battlefield
from services.stargrave.rules import activation
from services.stargrave.rules.activation import Actions


@every_reason
def violations(table: Table, field: Battlefield, actor: str, previous: Actions) -> Iterator[Reason]:
    """List what is impossible about the previous actions of an activation."""
    name = field.name(actor)
    yield from moved_once(table, name, previous)
    yield from ran_alone(table, name, previous)
    yield from with_its_power(table, name, previous)
    yield from in_number(table, field, actor, previous)


@violations_rule("histories.moved_once", cites=("actions/move-required", "actions/second-move"))
def moved_once(table: Table, name: str, previous: Actions) -> Iterator[Reason]:
    """Decide whether the Moves of an activation can have come so: one whole Move, and shorter ones after it alone."""
    if previous.count("move") > 1:
        yield table.reason("{name} makes one full Move in an activation; a second covers half", name=name)
    first = next((place for place, action in enumerate(previous) if action == "move"), len(previous))
    if "second-move" in previous[:first]:
        text = "{name} makes a second Move only after a first"
        yield table.reason(text, cites="actions/second-move", name=name)


@violations_rule("histories.ran_alone", cites=("movement/run-first-action", "movement/run-ends"))
def ran_alone(table: Table, name: str, previous: Actions) -> Iterator[Reason]:
    """Decide whether a figure can have run beside what else it has done: that comes first and ends it."""
    if "run" not in previous:
        return
    if previous[0] != "run":
        text = "{name} may run only as its first action"
        yield table.reason(text, cites="movement/run-first-action", name=name)
    if previous.index("run") < len(previous) - 1:
        yield table.reason("{name} has run, which ends its activation", cites="movement/run-ends", name=name)


@violations_rule("histories.with_its_power", cites=("powers/power-move", "powers/power-move-when"))
def with_its_power(table: Table, name: str, previous: Actions) -> Iterator[Reason]:
    """Decide whether the Power Moves of an activation can have been made: one with each power, before it or after."""
    if previous.count("power-move") > previous.count("power"):
        yield table.reason("{name} makes a Power Move only when it activates a power", name=name)


@violations_rule("histories.in_number", cites="activation/two-actions")
def in_number(table: Table, field: Battlefield, actor: str, previous: Actions) -> Iterator[Reason]:
    """Decide whether a figure can have done so much: no more than its actions.

    A wound may have come in this activation, and so takes nothing from what was done before.
    """
    figure = field.figure(actor)
    unhurt = field.put(replace(figure, wounded=False, health=None))
    with table.without_findings():
        whole = activation.actions(table, unhurt, actor)
        spent = activation.spent(table, previous)
    if spent > whole:
        text = "{name} has {whole}, but uses {spent}"
        yield table.reason(text, name=field.name(figure), whole=Quantity(whole, "action"), spent=spent)


@violations_rule(
    "histories.once_a_turn",
    cites=("turn-order/captain-phase", "turn-order/first-mate-phase", "turn-order/creature-phase"),
)
def once_a_turn(table: Table, field: Battlefield, actor: str) -> Iterator[Reason]:
    """Decide whether a figure may begin to activate: it has not done so in this turn."""
    figure = field.figure(actor)
    if figure.activated:
        cites = "turn-order/creature-phase" if figure.crew is None else f"turn-order/{figure.role}-phase"
        yield table.reason("{name} has already activated", cites=cites, name=field.name(figure))
