"""Medicine: who may use a medic kit on whom, and what it does.

The sheet leaves gear out; this stands in the research notes.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import beside, violations_rule
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield, Reasons
from services.stargrave.rules import combat, sight
from services.stargrave.rules.lengths import in_inches

KIT = "medic-kit"

State = Literal["stunned", "wounded"]


def violations(table: Table, field: Battlefield, medic: str, patient: str) -> Reasons:
    """List the violations of using a medic kit on another figure, or on oneself."""
    robot = robots(table, field, patient)
    return (*beside(robot, lambda: may_tend(table, field, medic, patient), ()), *robot)


@violations_rule("medicine.may_tend", cites="gear/medic-kit")
def may_tend(table: Table, field: Battlefield, medic: str, patient: str) -> Iterator[Reason]:
    """Decide whether a figure has a medic kit, and its patient within 2 inches, neither of them in combat."""
    names = {"name": field.name(medic), "patient": field.name(patient)}
    barred = () if has_kit(field, medic) else (table.reason("{name} has no medic kit", **names),)
    yield from barred
    yield from beside(barred, lambda: tuple(_in_the_way(table, field, medic, patient)), ())


def _in_the_way(table: Table, field: Battlefield, medic: str, patient: str) -> Iterator[Reason]:
    """Find what keeps a figure from tending another: that it is too far away, or that one of them is in combat."""
    names = {"name": field.name(medic), "patient": field.name(patient)}
    reach = field.book.gear[KIT].range_in or 0.0
    if medic != patient and not sight.within(table, field, medic, patient, reach):
        yield table.reason("{patient} is not within {reach} of {name}", reach=in_inches(reach), **names)
    for id_ in dict.fromkeys((medic, patient)):
        if combat.in_combat(table, field, id_):
            yield table.reason("{who} is in combat", who=field.name(id_))


def has_kit(field: Battlefield, medic: str) -> bool:
    """Check whether a figure has a medic kit."""
    return KIT in field.profile(field.figure(medic)).gear


@violations_rule("medicine.robots", cites="gear/medic-kit-robots")
def robots(table: Table, field: Battlefield, patient: str) -> Iterator[Reason]:
    """Decide whether a medic kit does anything for a figure: it does nothing for robots."""
    figure = field.figure(patient)
    if field.has(figure, "robot"):
        yield table.reason("A medic kit has no effect on {name}, a robot", name=field.name(figure))


@rule("medicine.tended", cites="gear/medic-kit-effect", neutral=lambda field, *_: field)
def tended(table: Table, field: Battlefield, patient: str) -> Battlefield:
    """Decide what a medic kit does for a figure: it is neither stunned nor wounded any longer, nor poisoned."""
    figure = field.figure(patient)
    for removed in removes(field, patient):
        table.find("{name} is no longer {removed}", name=field.name(figure), removed=removed)
    table.event("tended", figure=patient)
    return field.put(replace(figure, stunned=False, wounded=False))


def removes(field: Battlefield, patient: str) -> tuple[State, ...]:
    """Give what a medic kit takes from a figure."""
    figure = field.figure(patient)
    states: tuple[tuple[State, bool], ...] = (("stunned", figure.stunned), ("wounded", figure.wounded))
    return tuple(state for state, holds in states if holds)


@rule("medicine.instead_of_move", cites="gear/medic-kit-move", neutral=False)
def instead_of_move(table: Table) -> bool:
    """Decide whether using a medic kit takes the place of the Move that an activation has to have: it may."""
    table.find("Using a medic kit may replace the Move")
    return True
