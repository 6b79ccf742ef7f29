"""What can be done: the actions of a model now, and the reactions to an action, each with its violations."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.question import Decided, Question
from arbiter.rule import Why
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish import actionchecks
from services.size_skirmish.actionchecks import Announced
from services.size_skirmish.actions import Action
from services.size_skirmish.checks import OfModel, of_model
from services.size_skirmish.rules import reactions, rows
from services.size_skirmish.scene import Scene

# Actions


class ActionsCase(FactCase, frozen=True):
    """What a `model` may do now."""

    scene: Scene
    model: Id


class ActionRow(Value, frozen=True):
    """A row of the tables of actions and movements: whether it is open, and if not, why.

    `targets` are the possible targets now. For a movement, `range` is its range before dice, and
    `dice` is how many d6 are added; the question `moves` is about its way.
    """

    action: Id
    name: str
    type: Literal["simple", "complex"]
    open: bool
    targets: tuple[Id, ...]
    range: Annotated[float | None, Meta(description="In the scene's unit; null for what is no movement.")]
    dice: int
    why_not: tuple[Why, ...]


class ActionsAnswer(Value, frozen=True):
    """The ids of what is open, all rows one by one, and whether the model flees and so has to test first."""

    open: tuple[Id, ...]
    tests_first: bool
    rows: tuple[ActionRow, ...]


def prepare_actions(case: ActionsCase) -> OfModel:
    """Find the model, which is in play; raises `Faults`."""
    return of_model(case.scene, case.model)


def decide_actions(table: Table, state: OfModel) -> Decided[ActionsAnswer]:
    """Answer the question `actions`: row by row, what is open and why not the rest."""
    field = state.field
    result = tuple(
        ActionRow(
            row.id,
            row.name,
            row.type,
            not row.violations,
            row.targets,
            None if row.range is None else row.range / PER_UNIT,
            row.dice,
            tuple(reason.why for reason in row.violations),
        )
        for row in rows.overview(table, field, state.model)
    )
    tests_first = field.unit(state.model).fleeing is not None
    return Decided(ActionsAnswer(tuple(row.action for row in result if row.open), tests_first, result))


# Reactions


class ReactionsCase(FactCase, frozen=True):
    """An action that has been announced: who may react to it."""

    scene: Scene
    deed: Action


class Reactor(Value, frozen=True):
    """One model: whether it may react, and if not, why.

    `options` are the reactions that it could carry out now, by the names under which they are picked when they are
    chosen at the table. Movements are not among them: they are announced with their way.
    """

    model: Id
    may: bool
    options: tuple[str, ...]
    why_not: tuple[Why, ...]


class ReactionsAnswer(Value, frozen=True):
    """Who may react, and every model of the passive players and every NPC by itself."""

    may: tuple[Id, ...]
    models: tuple[Reactor, ...]


def prepare_reactions(case: ReactionsCase) -> Announced:
    """Check the action; raises `Faults`."""
    return actionchecks.checked_announcement(case.scene, case.deed)


def decide_reactions(table: Table, state: Announced) -> Decided[ReactionsAnswer]:
    """Answer the question `reactions`: model by model."""
    field, action = state.field, state.announcement.action
    own = field.unit(action.model).side
    reactors = []
    for model in field.units:
        if model.id == action.model or (model.npc is None and model.side == own):
            continue
        violations = reactions.violations(table, field, action, model.id)
        options = () if violations else tuple(reactions.Possible(table, field, action, model.id).names())
        reactors.append(Reactor(model.id, not violations, options, tuple(reason.why for reason in violations)))
    return Decided(ReactionsAnswer(tuple(row.model for row in reactors if row.may), tuple(reactors)))


QUESTIONS = (
    Question(
        name="actions",
        gist="What may this model do now, at whom, and why not the rest?",
        case=ActionsCase,
        answer=ActionsAnswer,
        prepare=prepare_actions,
        rule=decide_actions,
        dice=False,
    ),
    Question(
        name="reactions",
        gist="Who may react to this action, with what, and why not the others?",
        case=ReactionsCase,
        answer=ReactionsAnswer,
        prepare=prepare_reactions,
        rule=decide_reactions,
        dice=False,
    ),
)
