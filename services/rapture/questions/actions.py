"""Actions: what a unit can do now, getting up and extinguishing fire, and which side activates."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden, Reason
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.checks import checked_case, on_battlefield
from services.rapture.rules import abilities, actions, activation, boxes, uses
from services.rapture.rules.prices import Price
from services.rapture.rules.uses import Left
from services.rapture.scene import Scene

# What a unit can do


class ActionsCase(FactCase, frozen=True):
    """A `unit` whose available actions are listed. Without an active unit, this one counts as about to be activated."""

    scene: Scene
    unit: Id


class ActionRow(Value, frozen=True):
    """A row of the overview: whether it is available (`open`), its price, how often it is left this round, and why not.

    `left` is null without a limit; limits and prices of abilities are in their own rows.
    """

    action: Id
    type: Literal["action", "reaction"]
    open: bool
    price: Price
    left: int | None
    reasons: tuple[Reason, ...]


class AbilityRow(Value, frozen=True):
    """An ability of the card or the mission: whether it is available on any target, its price, limits and reasons."""

    ability: Id
    open: bool
    price: Price
    left: Left
    reasons: tuple[Reason, ...]


class ActionsAnswer(Value, frozen=True):
    """The ids of the available actions, the rows of the overview, the abilities, and the AP and RP left."""

    open: tuple[Id, ...]
    rows: tuple[ActionRow, ...]
    abilities: tuple[AbilityRow, ...]
    ap: int
    rp: int


@dataclass(frozen=True)
class ActionsState:
    """The battlefield and the unit."""

    field: Battlefield
    unit: str


def prepare_actions(case: ActionsCase) -> ActionsState:
    """Find the unit, which is in play; raises `Faults`."""
    return ActionsState(on_battlefield(case.scene, ("unit", case.unit)), case.unit)


def decide_actions(table: Table, state: ActionsState) -> Decided[ActionsAnswer]:
    """Decide which actions a unit can take now, row by row, and why not the others."""
    field, unit = state.field, state.unit
    rows = tuple(
        ActionRow(row.action, row.type, not row.reasons, row.price, row.left, row.reasons)
        for row in actions.overview(table, field, unit)
    )
    own = tuple(
        AbilityRow(
            id_,
            not (reasons := abilities.overview_violations(table, field, unit, id_)),
            abilities.price(table, field, id_),
            uses.left(table, field, unit, id_),
            reasons,
        )
        for id_ in (*field.profile(field.unit(unit)).abilities, *abilities.of_mission(field, unit))
    )
    ap, rp = boxes.points(table, field, unit)
    return Decided(ActionsAnswer(tuple(row.action for row in rows if row.open), rows, own, ap, rp))


ACTIONS = Question(
    name="actions",
    gist="What can this unit do now, at which price, and why not the rest?",
    case=ActionsCase,
    answer=ActionsAnswer,
    prepare=prepare_actions,
    rule=decide_actions,
    dice=False,
)


# Single actions


class ActionCase(FactCase, frozen=True):
    """A `unit` takes an `action`: it gets up, extinguishes its fire, or ends its activation."""

    scene: Scene
    unit: Id
    action: Literal["get-up", "extinguish-fire", "end"]


class ActionAnswer(Value, frozen=True):
    """The points, markers and statuses left, and the side that activates next; null when the phase is over."""

    ap: int
    rp: int
    shelter_markers: int
    statuses: tuple[Id, ...]
    turn: Id | None


@dataclass(frozen=True)
class ActionState:
    """The battlefield and the case."""

    field: Battlefield
    case: ActionCase


def prepare_action(case: ActionCase) -> ActionState:
    """Find the unit, which is in play; raises `Faults`."""
    return ActionState(on_battlefield(case.scene, ("unit", case.unit)), case)


def decide_action(table: Table, state: ActionState) -> Decided[ActionAnswer]:
    """Decide whether a unit can take an action, and the result."""
    field, unit, action = state.field, state.case.unit, state.case.action
    if action == "end":
        reasons = activation.action_violations(
            table, field, activation.head(table, field, unit)
        ) or actions.end_violations(table, field, unit)
    else:
        reasons = actions.violations(table, field, unit, action)
    if reasons:
        raise Forbidden(*reasons)
    match action:
        case "get-up":
            field = actions.get_up(table, field, unit)
        case "extinguish-fire":
            field = actions.extinguish_fire(table, field, unit)
        case _:
            field = activation.end(table, field, unit)
    ap, rp = boxes.points(table, field, unit)
    now = field.unit(unit)
    return Decided(ActionAnswer(ap, rp, now.shelter_markers, now.statuses, field.scene.turn), field.scene)


ACTION = Question(
    name="action",
    gist="Can this unit get up, extinguish its fire or end its activation, and what is the result?",
    case=ActionCase,
    answer=ActionAnswer,
    prepare=prepare_action,
    rule=decide_action,
    dice=False,
)


# Activation


class ActivationCase(FactCase, frozen=True):
    """The side that activates next and, if a `unit` is named, whether that unit can be activated now."""

    scene: Scene
    unit: Id | None = None


class ActivationAnswer(Value, frozen=True):
    """The side that activates next, null when the phase is over, and its units that can be activated."""

    side: Id | None
    units: tuple[Id, ...]
    active: Annotated[Id | None, Meta(description="The unit that is active afterwards; of a band, its leader.")]


@dataclass(frozen=True)
class ActivationState:
    """The battlefield and the case."""

    field: Battlefield
    case: ActivationCase


def prepare_activation(case: ActivationCase) -> ActivationState:
    """Check the scene and find the unit; raises `Faults`."""
    named = (("unit", "unit", case.unit),) if case.unit is not None else ()
    return ActivationState(checked_case(case.scene, *named), case)


def decide_activation(table: Table, state: ActivationState) -> Decided[ActivationAnswer]:
    """Decide which side activates next, and begin the activation of the named unit."""
    field, unit = state.field, state.case.unit
    side = activation.next_side(table, field)
    units = () if side is None else tuple(each.id for each in activation.ready_units(table, field, side))
    if unit is None:
        return Decided(ActivationAnswer(side, units, field.scene.active))
    if reasons := activation.violations(table, field, unit):
        raise Forbidden(*reasons)
    field = activation.begin(table, field, unit)
    return Decided(ActivationAnswer(side, units, field.scene.active), field.scene)


ACTIVATION = Question(
    name="activation",
    gist="Which side activates next, and can this unit be activated?",
    case=ActivationCase,
    answer=ActivationAnswer,
    prepare=prepare_activation,
    rule=decide_activation,
    dice=False,
)

QUESTIONS = (ACTIONS, ACTION, ACTIVATION)
