"""The turn: initiative, who may activate in a phase and together with whom, and what a figure may do."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.rule import Reason
from arbiter.skirmish.cases import case_fault, forbid
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.checks import absent
from services.stargrave.questions.cases import State, prepared
from services.stargrave.rules import activation, histories, initiative, power_figures, swimming
from services.stargrave.rules import turn as turns
from services.stargrave.rules.activation import Action, ActionOption
from services.stargrave.scene import Phase, Place, Scene

# Initiative


class InitiativeCase(Value, frozen=True):
    """In which order the players go: at the beginning of a turn, or in one of its phases.

    At the beginning of a turn that follows a creature phase nobody has activated any more, and stuns are over that
    count for the turn before.
    """

    scene: Scene
    phase: Phase = "initiative"


class InitiativeAnswer(Value, frozen=True):
    """The crews in the order in which they go, and who goes first."""

    first: Id
    order: tuple[Id, ...]


def _crew_faults(field: Battlefield, _: "InitiativeCase | TurnCase") -> Iterator[Fault]:
    if not initiative.crews_of_scene(field):
        text = "there is no crew to roll for initiative"
        yield case_fault("scene/figures", "no-crew", text, [], "figures of a crew")


def decide_initiative(table: Table, state: State[InitiativeCase]) -> Decided[InitiativeAnswer]:
    """In which order the players go, at the beginning of a turn or in one of its phases."""
    field, phase = state.field, state.case.phase
    order = initiative.order(table, field, phase)
    if phase == "initiative" and field.scene.turn.phase == turns.PHASES[-1]:
        field = turns.over(table, field)
    return Decided(InitiativeAnswer(order[0], order), field.with_turn(phase=phase, order=order).scene)


# Phases


class TurnCase(FactCase, frozen=True):
    """Who may activate in a `phase` of the turn; the crews come in the order of the scene's turn, or of its figures."""

    scene: Scene
    phase: Phase


class Lead(Value, frozen=True):
    """A figure that may activate, and the soldiers that may do so together with it, if it leads."""

    figure: Id
    companions: tuple[Id, ...] = ()


class CrewTurn(Value, frozen=True):
    """What a crew may activate in a phase; creatures that nobody controls have no crew."""

    crew: Id | None
    figures: tuple[Lead, ...]


class TurnAnswer(Value, frozen=True):
    """The crews in order with whom they may activate, and the phase after this one."""

    crews: tuple[CrewTurn, ...]
    next: Annotated[Phase | None, Meta(description="The next phase of the turn; null after the last.")]


def decide_turn(table: Table, state: State[TurnCase]) -> Decided[TurnAnswer]:
    """Who may activate in a phase of the turn, crew by crew, and which phase follows."""
    field, phase = state.field, state.case.phase
    order = initiative.crews(field)
    crew_turns: list[CrewTurn] = []
    match phase:
        case "captain" | "first-mate":
            crew_turns += [CrewTurn(crew, _leads(table, field, crew, phase)) for crew in order]
        case "soldier":
            crew_turns += [CrewTurn(crew, _plain(turns.soldier_phase(table, field, crew))) for crew in order]
        case "creature":
            crew_turns.append(CrewTurn(None, _plain(turns.creature_phase(table, field, order[0]))))
        case "initiative":
            pass
    return Decided(TurnAnswer(tuple(crew_turns), turns.next_phase(table, phase)))


def _plain(ids: tuple[str, ...]) -> tuple[Lead, ...]:
    return tuple(Lead(id_) for id_ in ids)


def _leads(table: Table, field: Battlefield, crew: str, phase: turns.Leading) -> tuple[Lead, ...]:
    return tuple(
        Lead(
            leader,
            tuple(
                figure.id
                for figure in field.friends(field.figure(leader))
                if figure.role == "soldier" and not turns.companion_violations(table, field, leader, figure.id)
            ),
        )
        for leader in turns.leaders(table, field, crew, phase)
    )


# Activation


class ActivationCase(FactCase, frozen=True):
    """Whether a captain or first mate (`leader`) may activate together with `companions`, or a soldier alone.

    `group` declares a group activation. `began_at` is where the leader stood when it began to activate, if it has done
    so already; else it must not have activated yet. Where the scene says the phase, it has to be the leader's.
    """

    scene: Scene
    leader: Id
    companions: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    group: bool = False
    began_at: Place | None = None
    called: Annotated[bool, Meta(description="Whether Command calls the leader, who activates in any phase then.")] = (
        False
    )


class ActivationAnswer(Value, frozen=True):
    """That they may, in which manner, and how many actions each has."""

    group: Annotated[bool, Meta(description="Whether all of them move as their first action.")]
    figures: tuple[Id, ...]
    actions: Annotated[tuple[int, ...], Meta(description="How many actions each of them has.")]


def _activation_faults(field: Battlefield, case: ActivationCase) -> Iterator[Fault]:
    yield from absent(field, "leader", case.leader)
    for index, id_ in enumerate(case.companions):
        if id_ == case.leader or id_ in case.companions[:index]:
            where, text = f"companions/{index}", f"{id_} is named twice"
            yield case_fault(where, "repeated-figure", text, id_, "each figure once")


def decide_activation(table: Table, state: State[ActivationCase]) -> Decided[ActivationAnswer]:
    """Whether a captain or first mate may activate with some soldiers, or a soldier alone, and their actions."""
    case, field = state.case, state.field
    reasons: list[Reason] = []
    if case.began_at is None:
        reasons += histories.once_a_turn(table, field, case.leader)
    reasons += turns.in_phase(table, field, case.leader, case.called)
    reasons += turns.group_violations(table, field, case.leader, case.companions)
    if case.companions:
        measured = turns.measured(table, field, case.leader, case.began_at)
        for id_ in case.companions:
            reasons += turns.companion_violations(table, measured, case.leader, id_)
    forbid(reasons)
    together = (case.leader, *case.companions)
    in_group = activation.group(table, bool(case.companions), case.group)
    actions = tuple(_actions(table, field, id_) for id_ in together)
    for id_ in together:
        if not field.figure(id_).activated:
            field = activation.begin(table, field, id_)
    return Decided(ActivationAnswer(in_group, together, actions), field.scene)


def _actions(table: Table, field: Battlefield, actor: str) -> int:
    return 0 if power_figures.powered_down(table, field, actor) else activation.actions(table, field, actor)


# Actions


class ActionsCase(FactCase, frozen=True):
    """What a `figure` may do next.

    `done` is what it has done in this activation. `with_companions`: it activates with a leader, or leads; `group` says
    that a group activation was declared; `failed_to_swim` that its swimming roll has failed this turn.
    """

    scene: Scene
    figure: Id
    done: Annotated[tuple[Action, ...], Meta(max_length=10)] = ()
    with_companions: bool = False
    group: bool = False
    failed_to_swim: bool = False


class ActionsAnswer(Value, frozen=True):
    """How many actions the figure has left, which it may take now, and why not the others."""

    left: int
    open: tuple[Action, ...]
    shut: tuple[ActionOption, ...]


def decide_actions(table: Table, state: State[ActionsCase]) -> Decided[ActionsAnswer]:
    """What a figure may do next in its activation, and every reason why not the rest."""
    field, case = state.field, state.case
    in_group = activation.group(table, case.with_companions or case.group, case.group)
    if case.done and not field.figure(case.figure).activated:
        # A figure with previous actions has begun its activation, whatever the scene says.
        figure = field.figure(case.figure)
        field = field.put(replace(figure, activated=True, was_stunned=figure.stunned))
    forbid(histories.violations(table, field, case.figure, case.done))
    options = activation.action_options(table, field, case.figure, case.done, in_group)
    left = activation.actions_left(table, field, case.figure, case.done)
    idle = (
        *(swimming.no_actions(table, field, case.figure) if case.failed_to_swim else ()),
        *power_figures.powered_down(table, field, case.figure),
    )
    if idle:
        left, options = 0, tuple(ActionOption(each.action, (*idle, *each.reasons)) for each in options)
    return Decided(
        ActionsAnswer(
            left,
            tuple(each.action for each in options if not each.reasons),
            tuple(each for each in options if each.reasons),
        )
    )


QUESTIONS = (
    Question("initiative", InitiativeCase, prepared(faults=_crew_faults), decide_initiative, dice=True),
    Question("turn", TurnCase, prepared(faults=_crew_faults), decide_turn),
    Question(
        "activation",
        ActivationCase,
        prepared("leader", "companions", in_play=False, faults=_activation_faults),
        decide_activation,
    ),
    Question("actions", ActionsCase, prepared("figure"), decide_actions),
)
