"""Wounds and being stunned outside of attacks, and standing up."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.checks import State, checking, fault, standing
from services.blackstone_fortress.rules import wounds
from services.blackstone_fortress.rules.wounds import remaining
from services.blackstone_fortress.scene import Explorer, Scene

Few = Annotated[int, Meta(ge=0, le=6)]


class WoundsCase(FactCase, frozen=True):
    """Wounds that no attack causes: by a twist, a trap, a hostile's action, or by being stunned.

    Wounds come one by one, grievous ones first, and being stunned last.
    """

    scene: Scene
    unit: Annotated[Id, Meta(description="The explorer or hostile that suffers.")]
    wounds: Few = 0
    grievous: Few = 0
    stunned: Annotated[bool, Meta(description="Whether it is stunned.")] = False


class WoundsAnswer(Value, frozen=True):
    """What the unit has now.

    `wounds` and `grievous` are its counters; `remaining` is the damage that a hostile still stands, or an explorer's
    spaces without counters; `felled` says whether it is slain or out of action.
    """

    felled: bool
    remaining: int
    wounds: int
    grievous: int
    stunned: bool


def _wounds_faults(field: Battlefield, case: WoundsCase) -> Iterator[Fault]:
    yield from standing(field, "unit", case.unit, "unit")


def suffer(table: Table, state: State[WoundsCase]) -> Decided[WoundsAnswer]:
    """What wounds that no attack causes, or being stunned, do to a unit, after any defence rolls."""
    field, case = state.field, state.case
    if isinstance(field.units[case.unit], Explorer):
        field = wounds.wound_explorer(table, field, case.unit, case.wounds, case.grievous)
    elif case.wounds or case.grievous:
        field = wounds.wound_hostile(table, field, case.unit, case.wounds, case.grievous)
    if case.stunned and field.units[case.unit].hex is not None:
        field = wounds.stun(table, field, case.unit)
    return Decided(_state_of(field, case.unit), field.scene)


def _state_of(field: Battlefield, id_: str) -> WoundsAnswer:
    unit = field.units[id_]
    gone = unit.hex is None
    return WoundsAnswer(gone, 0 if gone else remaining(field, id_), unit.wounds, unit.grievous, unit.stunned)


class StandUpCase(Value, frozen=True):
    """A stunned `unit` whose activation comes up."""

    scene: Scene
    unit: Id


class StandUpAnswer(Value, frozen=True):
    """Whether the unit stands now, and the activation die that it discarded for it."""

    stands: bool
    discarded: int | None = None


def _stunned_faults(field: Battlefield, case: StandUpCase) -> Iterator[Fault]:
    id_ = case.unit
    yield from standing(field, "unit", id_, "unit")
    if id_ in field.units and not field.units[id_].stunned:
        yield fault("unit", "not-stunned", f"{id_} is not stunned", id_, "a unit that is stunned")


def stand_up(table: Table, state: State[StandUpCase]) -> Decided[StandUpAnswer]:
    """How a stunned unit stands up when its activation comes up."""
    field = wounds.stand_up(table, state.field, state.case.unit)
    before, after = (
        [die for one in side.scene.explorers for die in sorted(one.activation)] for side in (state.field, field)
    )
    lost = next((die for die in before if before.count(die) > after.count(die)), None)
    return Decided(StandUpAnswer(not field.units[state.case.unit].stunned, lost), field.scene)


QUESTIONS = (
    Question("wounds", WoundsCase, checking(_wounds_faults), suffer, dice=True),
    Question("stand-up", StandUpCase, checking(_stunned_faults), stand_up),
)
