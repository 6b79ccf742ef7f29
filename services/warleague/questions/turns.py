"""Rounds and turns: the order of the sides, whose turn it is and who may begin one, passing, and the update phase."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.fault import Fault, Faults, pointer
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked, checked_case
from services.warleague.questions import losses
from services.warleague.rules import sequence, turn, update
from services.warleague.scene import Phase, Scene

# The order


class OrderCase(Value, frozen=True):
    """The order of the sides in a round. Sides whose die the scene has do not roll again."""

    scene: Scene


class OrderAnswer(Value, frozen=True):
    """The sides from first to last, whose turn it is then, and the phase that follows.

    Where nobody can act the round is over at once: there is no order any more, and nobody's turn.
    """

    order: tuple[Id, ...]
    turn: Id | None
    phase: Phase


def prepare_order(case: OrderCase) -> Battlefield:
    """Check the scene; raises `Faults`."""
    return checked(case.scene)


def decide_order(table: Table, before: Battlefield) -> Decided[OrderAnswer]:
    """Answer the question `order`: the dice, and the order by them."""
    if reasons := sequence.order_violations(table, before):
        raise Forbidden(*reasons)
    field = sequence.settle(table, before)
    return Decided(OrderAnswer(field.scene.order, field.scene.turn, field.scene.phase), field.scene)


# Turns


class TurnCase(Value, frozen=True):
    """Whose turn it is; with a `unit`, that it begins its turn, or ends it; with a `side`, that this passes."""

    scene: Scene
    step: Literal["look", "begin", "end", "pass"] = "look"
    unit: Id | None = None
    side: Id | None = None


class TurnAnswer(Value, frozen=True):
    """Where the round stands: phase, whose turn it is, the unit that has it, and who may begin one now.

    `side` and `active` are null where there is none; `units` are those of the side on turn.
    """

    phase: Phase
    round: int
    side: Id | None
    active: Id | None
    units: tuple[Id, ...]
    command_points: Annotated[int | None, Meta(description="Those of the side on turn.")]


@dataclass(frozen=True)
class TurnState:
    """The battlefield and the case."""

    field: Battlefield
    case: TurnCase


def prepare_turn(case: TurnCase) -> TurnState:
    """Check the scene, and find the unit or the side; raises `Faults`."""
    named = [("unit", "unit", case.unit)] if case.unit is not None else []
    named += [("side", "side", case.side)] if case.side is not None else []
    field = checked_case(case.scene, *named)
    needed = {"begin": "unit", "end": "unit", "pass": "side"}.get(case.step)
    if needed is not None and getattr(case, needed) is None:
        text = f"the step {case.step} needs a {needed}"
        raise Faults([Fault(pointer("case", needed), "missing", text, None, f"a {needed} of the scene")])
    return TurnState(field, case)


def decide_turn(table: Table, state: TurnState) -> Decided[TurnAnswer]:
    """Answer the question `turn`: whose turn it is after the step of the case."""
    before, case = state.field, state.case
    field = before
    if case.step == "begin" and case.unit is not None:
        if reasons := turn.violations(table, field, case.unit):
            raise Forbidden(*reasons)
        field = turn.begin(table, field, case.unit)
    elif case.step == "end" and case.unit is not None:
        if reasons := turn.end_violations(table, field, case.unit):
            raise Forbidden(*reasons)
        field = turn.ended(table, field, case.unit)
    elif case.step == "pass" and case.side is not None:
        if reasons := turn.pass_violations(table, field, case.side):
            raise Forbidden(*reasons)
        field = turn.pass_turn(table, field, case.side)
    return Decided(_standing(table, field), None if case.step == "look" else field.scene)


def _standing(table: Table, field: Battlefield) -> TurnAnswer:
    scene = field.scene
    side = turn.next_side(table, field) if scene.phase == "turns" else None
    units = turn.units_ready(table, field, side) if side is not None and scene.active is None else ()
    points = None if side is None else field.side(side).command_points
    return TurnAnswer(scene.phase, scene.round, side, scene.active, units, points)


# The update phase


class UpdateCase(Value, frozen=True):
    """The update phase of a round."""

    scene: Scene


class UpdateAnswer(Value, frozen=True):
    """The phase and the round that follow, how much Rad is left, and who has fallen in it."""

    phase: Phase
    round: int
    rads: Annotated[int, Meta(description="How many Rad tags are left on the map.")]
    fallen: tuple[Id, ...]


def prepare_update(case: UpdateCase) -> Battlefield:
    """Check the scene; raises `Faults`."""
    return checked(case.scene)


def decide_update(table: Table, before: Battlefield) -> Decided[UpdateAnswer]:
    """Answer the question `update`: all that an update phase brings."""
    if reasons := update.violations(table, before):
        raise Forbidden(*reasons)
    field = update.phase(table, before)
    scene = field.scene
    answer = UpdateAnswer(scene.phase, scene.round, len(scene.rads), losses.fallen(before, field))
    return Decided(answer, scene)


QUESTIONS = (
    Question(
        name="turn",
        gist="Whose turn is it, and may this unit begin or end its turn, or this side pass?",
        case=TurnCase,
        answer=TurnAnswer,
        prepare=prepare_turn,
        rule=decide_turn,
        dice=False,
    ),
    Question(
        name="order",
        gist="In which order do the sides act in this round?",
        case=OrderCase,
        answer=OrderAnswer,
        prepare=prepare_order,
        rule=decide_order,
        dice=True,
    ),
    Question(
        name="update",
        gist="What does the update phase bring: durations, shields, Rad, reactions?",
        case=UpdateCase,
        answer=UpdateAnswer,
        prepare=prepare_update,
        rule=decide_update,
        dice=False,
    ),
)
