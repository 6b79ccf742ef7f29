"""Wounds and being stunned outside of attacks, vitality rolls, and standing up."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault, pointer
from arbiter.question import Decided, Question
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.checks import checked_case, standing
from services.blackstone_fortress.profiles import Id
from services.blackstone_fortress.questions.explorers import ExplorerCase, ExplorerState, prepare_explorer
from services.blackstone_fortress.rules import vitality, wounds
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


@dataclass(frozen=True)
class WoundsState:
    """The battlefield and the case."""

    field: Battlefield
    case: WoundsCase


def prepare_wounds(case: WoundsCase) -> WoundsState:
    """Find the unit on the battlefield; raises `Faults`."""
    return WoundsState(checked_case(case.scene, lambda field: _presence_faults(field, case.unit)), case)


def _presence_faults(field: Battlefield, id_: str) -> Iterator[Fault]:
    yield from standing(field, "unit", id_, "unit")


def suffer(table: Table, state: WoundsState) -> Decided[WoundsAnswer]:
    """Decide what the wounds do, and then what being stunned does to whoever still stands."""
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


@dataclass(frozen=True)
class StandUpState:
    """The battlefield, and the unit's id."""

    field: Battlefield
    unit: str


def prepare_standing(case: StandUpCase) -> StandUpState:
    """Find the stunned unit; raises `Faults`."""
    return StandUpState(checked_case(case.scene, lambda field: _stunned_faults(field, case.unit)), case.unit)


def _stunned_faults(field: Battlefield, id_: str) -> Iterator[Fault]:
    yield from _presence_faults(field, id_)
    if id_ in field.units and not field.units[id_].stunned:
        yield Fault(pointer("case", "unit"), "not-stunned", f"{id_} is not stunned", id_, "a unit that is stunned")


def stand_up(table: Table, state: StandUpState) -> Decided[StandUpAnswer]:
    """Decide how the unit stands up, and at what price."""
    field = wounds.stand_up(table, state.field, state.unit)
    before, after = (
        [die for one in side.scene.explorers for die in sorted(one.activation)] for side in (state.field, field)
    )
    lost = next((die for die in before if before.count(die) > after.count(die)), None)
    return Decided(StandUpAnswer(not field.units[state.unit].stunned, lost), field.scene)


class VitalityAnswer(Value, frozen=True):
    """How many wounds were healed, and the counters that are left."""

    healed: int
    wounds: int
    grievous: int


def heal(table: Table, state: ExplorerState) -> Decided[VitalityAnswer]:
    """Decide what the vitality roll heals."""
    before = state.field.explorer(state.id)
    field = vitality.vitality_roll(table, state.field, state.id)
    after = field.explorer(state.id)
    healed = before.wounds + before.grievous - after.wounds - after.grievous
    return Decided(VitalityAnswer(healed, after.wounds, after.grievous), field.scene)


WOUNDS = Question(
    name="wounds",
    gist="What wounds that no attack causes, or being stunned, do to a unit, after any defence rolls.",
    case=WoundsCase,
    answer=WoundsAnswer,
    prepare=prepare_wounds,
    rule=suffer,
    dice=True,
)

STAND_UP = Question(
    name="stand-up",
    gist="How a stunned unit stands up when its activation comes up.",
    case=StandUpCase,
    answer=StandUpAnswer,
    prepare=prepare_standing,
    rule=stand_up,
    dice=False,
)

VITALITY = Question(
    name="vitality",
    gist="What an explorer's vitality roll heals.",
    case=ExplorerCase,
    answer=VitalityAnswer,
    prepare=prepare_explorer,
    rule=heal,
    dice=True,
)

QUESTIONS = (WOUNDS, STAND_UP, VITALITY)
