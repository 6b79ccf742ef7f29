"""Any action with the reactions to it: announced, answered, checked and carried out, step by step."""

from arbiter.facts import FactCase
from arbiter.question import Decided, Question
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish import actionchecks
from services.size_skirmish.actionchecks import Announced
from services.size_skirmish.actions import Action, Actions
from services.size_skirmish.questions import outcomes
from services.size_skirmish.questions.outcomes import Course
from services.size_skirmish.rules import procedure
from services.size_skirmish.scene import Scene


class ActionCase(FactCase, frozen=True):
    """An action, and the reactions to it in their order; without them, the passive players choose."""

    scene: Scene
    deed: Action
    reactions: Actions | None = None


class ActionAnswer(Value, frozen=True):
    """Whether the announced action was carried out, at least in part, and its course; a flight is another action."""

    done: bool
    course: Course


def prepare_action(case: ActionCase) -> Announced:
    """Check the actions; raises `Faults`."""
    return actionchecks.checked_announcement(case.scene, case.deed, case.reactions)


def decide_action(table: Table, state: Announced) -> Decided[ActionAnswer]:
    """Answer the question `action`: whether it may be announced, and the whole of it."""
    field, result = procedure.carry_out(table, state.field, state.announcement)
    course = outcomes.course(state.field, field, result)
    return Decided(ActionAnswer(outcomes.done(state.announcement.action, result), course), field.scene)


QUESTIONS = (
    Question(
        name="action",
        gist="How does this action go, whatever it is, with all reactions to it?",
        case=ActionCase,
        answer=ActionAnswer,
        prepare=prepare_action,
        rule=decide_action,
        dice=True,
        worth=outcomes.worth,
    ),
)
