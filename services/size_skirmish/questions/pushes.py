"""Questions about pushes and falls: where the model ends, and the damage."""

from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish import actionchecks
from services.size_skirmish.actionchecks import Announced
from services.size_skirmish.actions import Action, Actions
from services.size_skirmish.questions import outcomes
from services.size_skirmish.questions.outcomes import Course
from services.size_skirmish.rules import procedure
from services.size_skirmish.scene import Facing, Place, Scene


class PushCase(FactCase, frozen=True):
    """A model that pushes another, and the reactions to it; without them, the passive players choose."""

    scene: Scene
    model: Annotated[Id, Meta(description="The model that pushes.")]
    target: Annotated[Id, Meta(description="The model that is pushed.")]
    reactions: Actions | None = None


class FallCase(FactCase, frozen=True):
    """A model that falls on purpose, and the reactions to it; without them, the passive players choose.

    `goal` is where it comes down beside what it stands on or hangs at; without it, that is the nearest place with room.
    """

    scene: Scene
    model: Annotated[Id, Meta(description="The model that falls.")]
    goal: Place | None = None
    facing: Facing | None = None
    reactions: Actions | None = None


class PushAnswer(Value, frozen=True):
    """What became of a model that was pushed or fell.

    `distance` is what was rolled for a push. `damage` is that of a fall, null where nobody fell, and `lost` are the hit
    points that the model has lost by all of it; of one that is out, all that it had.
    """

    model: Id
    done: bool
    distance: float | None
    at: Annotated[Place | None, Meta(description="Null for a model that is out.")]
    height_above: float
    damage: int | None
    lost: int
    out: bool
    course: Course


def prepare_push(case: PushCase) -> Announced:
    """Check the actions; raises `Faults`."""
    action = Action(case.model, "push", target=case.target)
    return actionchecks.checked_announcement(case.scene, action, case.reactions, "")


def prepare_fall(case: FallCase) -> Announced:
    """Check the actions; raises `Faults`."""
    action = Action(case.model, "move", "fall", goal=case.goal, facing=case.facing)
    return actionchecks.checked_announcement(case.scene, action, case.reactions, "")


def moved(table: Table, state: Announced) -> Decided[PushAnswer]:
    """Answer the questions `push` and `fall`: whether it may be announced, and what becomes of the model."""
    before, action = state.field, state.announcement.action
    field, result = procedure.carry_out(table, before, state.announcement)
    model = field.unit(action.target or action.model)
    falls = [blow.damage for blow in result.outcome.blows if blow.kind == "fall"]
    answer = PushAnswer(
        model.id,
        outcomes.done(action, result),
        None if result.outcome.distance is None else result.outcome.distance / PER_UNIT,
        model.at,
        model.height_above,
        sum(falls) if falls else None,
        before.hit_points(before.unit(model.id)) - (field.hit_points(model) if model.out is None else 0),
        model.out is not None,
        outcomes.course(before, field, result),
    )
    return Decided(answer, field.scene)


QUESTIONS = (
    Question(
        name="push",
        gist="How far is this model pushed, what stops it, and does it fall?",
        case=PushCase,
        answer=PushAnswer,
        prepare=prepare_push,
        rule=moved,
        dice=True,
        worth=outcomes.worth,
    ),
    Question(
        name="fall",
        gist="Where does this model come down that falls, and how much does it suffer?",
        case=FallCase,
        answer=PushAnswer,
        prepare=prepare_fall,
        rule=moved,
        dice=True,
        worth=outcomes.worth,
    ),
)
