"""Swimming: whether a figure in deep water can act."""

from typing import Annotated

from msgspec import Meta

from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.checks import on_table
from services.stargrave.questions.state import State
from services.stargrave.rules import activation, swimming
from services.stargrave.scene import Scene


class SwimCase(Value, frozen=True):
    """A `figure` in deep water makes its swimming roll, with the sum of the modifiers that the players know of."""

    scene: Scene
    figure: Id
    modifiers: Annotated[int, Meta(ge=-20, le=20)] = 0


class SwimAnswer(Value, frozen=True):
    """Whether it swims, what it loses, and how many actions it has."""

    success: bool
    damage: int
    health: int
    actions: int


def prepare_swim(case: SwimCase) -> State[SwimCase]:
    """Find the figure; raises `Faults`."""
    return State(on_table(case.scene, ("figure", case.figure)), case)


def decide_swim(table: Table, state: State[SwimCase]) -> Decided[SwimAnswer]:
    """Decide whether a figure in deep water can act, and what failing costs it."""
    field, id_ = state.field, state.case.figure
    after, short = swimming.swim(table, field, id_, state.case.modifiers)
    left = after.health(after.figure(id_))
    acts = swimming.may_act(table, short)
    actions = activation.actions(table, after, id_) if acts and left else 0
    if left and not acts:
        # The activation has begun, and there is nothing in it.
        after = activation.begin(table, after, id_)
    return Decided(SwimAnswer(not short, field.health(field.figure(id_)) - left, left, actions), after.scene)


SWIM = Question(
    name="swim",
    gist="Whether a figure in deep water swims: its Will roll, the damage, and the actions it has.",
    case=SwimCase,
    answer=SwimAnswer,
    prepare=prepare_swim,
    rule=decide_swim,
    dice=True,
)

QUESTIONS = (SWIM,)
