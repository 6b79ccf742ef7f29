"""Morale: whether a model has to test, whether it passes, and how far it flees by failing."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault, Faults, pointer
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.checks import on_battlefield
from services.size_skirmish.rules import morale, nerve
from services.size_skirmish.scene import Place, Scene


class MoraleCase(FactCase, frozen=True):
    """A `model` that may have to test its morale.

    `lost_before` are the hit points that it had lost before its last losses, and `cause` is who did that to it. Without
    `lost_before` it is tested as at its activation, because it flees.
    """

    scene: Scene
    model: Id
    lost_before: Annotated[int, Meta(ge=0, le=100)] | None = None
    cause: Id | None = None


class MoraleAnswer(Value, frozen=True):
    """Whether the model had to test, and what it does: it stays, flees, or may act (or not) after it has rallied.

    A flight because of losses is made at once, to the place `at`; that of an activation is the action that follows.
    """

    tested: bool
    does: Literal["stays", "flees", "acts", "spent"]
    fleeing: bool
    at: Place | None
    hit_points: Annotated[int, Meta(description="What the model has left.")]


@dataclass(frozen=True)
class MoraleState:
    """The battlefield, and the case."""

    field: Battlefield
    case: MoraleCase


def prepare_morale(case: MoraleCase) -> MoraleState:
    """Find the model and the cause, and see that the losses fit; raises `Faults`."""
    named = (("model", case.model), *((("cause", case.cause),) if case.cause is not None else ()))
    field = on_battlefield(case.scene, *named)
    model, faults = field.unit(case.model), []
    if case.cause == case.model:
        faults.append(
            Fault(pointer("case", "cause"), "itself", "a model cannot flee from itself", case.cause, "another")
        )
    if case.lost_before is not None and case.lost_before > model.hit_points_lost:
        faults.append(
            Fault(
                pointer("case", "lost_before"),
                "hit-points",
                f"{model.id} has not lost so many hit points",
                case.lost_before,
                f"at most {model.hit_points_lost}",
            )
        )
    if case.lost_before is None and model.fleeing is None:
        faults.append(
            Fault(
                pointer("case", "lost_before"),
                "not-fleeing",
                f"{model.id} is not fleeing and does not test on activation",
                None,
                "a number",
            )
        )
    if faults:
        raise Faults(faults)
    return MoraleState(field, case)


def decide_morale(table: Table, state: MoraleState) -> Decided[MoraleAnswer]:
    """Answer the question `morale`: the test, and what follows from it."""
    field, case = state.field, state.case
    if case.lost_before is None:
        field, does = table.call(morale.activated, field, case.model)
        return _decided(field, case.model, True, does)
    tested = nerve.shaken(table, field, case.lost_before, case.model)
    if not tested:
        nerve.steady(table, field, case.lost_before, case.model)
        return _decided(field, case.model, False, "stays")
    passed, field = table.call(morale.tested, field, case.model, case.cause)
    return _decided(field, case.model, True, "stays" if passed else "flees")


def _decided(
    field: Battlefield, model_id: str, tested: bool, does: Literal["stays", "flees", "acts", "spent"]
) -> Decided[MoraleAnswer]:
    model = field.unit(model_id)
    answer = MoraleAnswer(tested, does, model.fleeing is not None, model.at, field.hit_points(model))
    return Decided(answer, field.scene)


QUESTIONS = (
    Question(
        name="morale",
        gist="Does this model have to test its morale, does it pass, and how far does it flee if not?",
        case=MoraleCase,
        answer=MoraleAnswer,
        prepare=prepare_morale,
        rule=decide_morale,
        dice=True,
    ),
)
