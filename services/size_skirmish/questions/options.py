"""What a model can do from where it stands: whom it sees, which actions are open, and who may react to them."""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.facts import FactCase
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.question import Decided, Question
from arbiter.rule import Why
from arbiter.skirmish.cases import CaseState
from arbiter.skirmish.fields import Id
from arbiter.skirmish.lines import in_units
from arbiter.skirmish.sight import Contact, Spot, observe
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish import actionchecks
from services.size_skirmish.actionchecks import Announced
from services.size_skirmish.actions import Action
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.checks import ModelCase, on_battlefield, on_board, prepared
from services.size_skirmish.rules import reactions, rows, view
from services.size_skirmish.rules.rows import ActionRow
from services.size_skirmish.scene import MOST_MODELS, Scene


class LineOfSightCase(Value, frozen=True):
    """What an `observer` sees of others. Without `targets` it is all models in play of other sides, and all NPCs."""

    scene: Scene
    observer: Id
    targets: Annotated[tuple[Id, ...], Meta(max_length=MOST_MODELS)] = ()


class Line(Value, frozen=True):
    """What there is between the observer and one target.

    It is `seen` if it is `ahead`, in the front of the observer, and the line of sight is `free`. If that is not,
    `blocked_by` are the pieces and models that hide some of it. The line is drawn from `start`, the eye of the
    observer, to `end`, a place of the target that is seen, or else its middle. `contacts` are what hides a part of the
    target, each where the line to that part meets it; it counts where it is why the line is not free.
    """

    target: Id
    seen: bool
    ahead: bool
    free: bool
    blocked_by: tuple[str, ...]
    distance: Annotated[float, Meta(description="In the scene's unit, rounded to thousandths.")]
    start: Spot
    end: Spot
    contacts: tuple[Contact, ...]


class LineOfSightAnswer(Value, frozen=True):
    """How many targets are seen, and the line to each."""

    seen: int
    lines: tuple[Line, ...]


def prepare_line_of_sight(case: LineOfSightCase) -> CaseState[Battlefield, LineOfSightCase]:
    """Find the observer and the targets on the battlefield; raises `Faults`."""
    named = ((f"targets/{index}", id_) for index, id_ in enumerate(case.targets))
    field = on_battlefield(on_board(case.scene), ("observer", case.observer), *named)
    targets = observe(field, case.observer, case.targets, "the observer cannot be its own target")
    return CaseState(field, replace(case, targets=targets))


def line_of_sight(table: Table, state: CaseState[Battlefield, LineOfSightCase]) -> Decided[LineOfSightAnswer]:
    """What does this model see in its front, what hides the others, and how far away are they?"""
    lines = tuple(_line(table, state.field, state.case.observer, target) for target in state.case.targets)
    return Decided(LineOfSightAnswer(sum(line.seen for line in lines), lines))


def _line(table: Table, field: Battlefield, observer: str, target: str) -> Line:
    away = view.distance(table, field, observer, target)
    seen = view.view(table, field, observer, target)
    drawn = view.drawn(table, field, observer, target, seen.free)
    far, start, end = round(float(away)) / PER_UNIT, in_units(drawn.start), in_units(drawn.end)
    return Line(target, seen.seen, seen.ahead, seen.free, seen.by, far, start, end, drawn.contacts)


class ActionsCase(ModelCase, frozen=True):
    """What a `model` may do now."""


class ActionsAnswer(Value, frozen=True):
    """The ids of what is open, all rows one by one, and whether the model flees and so has to test first."""

    open: tuple[Id, ...]
    tests_first: bool
    rows: tuple[ActionRow, ...]


def decide_actions(table: Table, state: CaseState[Battlefield, ActionsCase]) -> Decided[ActionsAnswer]:
    """What may this model do now, at whom, and why not the rest?"""
    field, model = state.field, state.case.model
    result = rows.overview(table, field, model)
    tests_first = field.unit(model).fleeing is not None
    return Decided(ActionsAnswer(tuple(row.action for row in result if row.open), tests_first, result))


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


def decide_reactions(table: Table, state: Announced) -> Decided[ReactionsAnswer]:
    """Who may react to this action, with what, and why not the others?"""
    field, action, _ = state
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
    Question("line-of-sight", LineOfSightCase, prepare_line_of_sight, line_of_sight),
    Question("actions", ActionsCase, prepared("model"), decide_actions),
    Question(
        "reactions",
        ReactionsCase,
        lambda case: actionchecks.checked_announcement(case.scene, case.deed),
        decide_reactions,
    ),
)
