"""Actions: what a unit can do now, getting up and extinguishing fire, whose activation it is, and uses of abilities."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.question import Decided, Question
from arbiter.rule import Reason
from arbiter.skirmish.cases import CaseState, forbid
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.checks import prepared
from services.rapture.rules import abilities, actions, activation, boxes, uses
from services.rapture.rules.actions import ActionRow
from services.rapture.rules.prices import Price
from services.rapture.rules.uses import Left
from services.rapture.scene import Scene


class ActionsCase(FactCase, frozen=True):
    """A `unit` whose available actions are listed. Without an active unit, this one counts as about to be activated."""

    scene: Scene
    unit: Id


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


def decide_actions(table: Table, state: CaseState[Battlefield, ActionsCase]) -> Decided[ActionsAnswer]:
    """What can this unit do now, at which price, and why not the rest?"""
    field, unit = state.field, state.case.unit
    rows = tuple(actions.row(table, field, unit, action) for action in field.book.actions)
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


def decide_action(table: Table, state: CaseState[Battlefield, ActionCase]) -> Decided[ActionAnswer]:
    """Can this unit get up, extinguish its fire or end its activation, and what is the result?"""
    field, unit, action = state.field, state.case.unit, state.case.action
    if action == "end":
        head = activation.head(table, field, unit)
        reasons = activation.action_violations(table, field, head) or actions.end_violations(table, field, unit)
    else:
        reasons = actions.violations(table, field, unit, action)
    forbid(reasons)
    act = {"get-up": actions.get_up, "extinguish-fire": actions.extinguish_fire, "end": activation.end}[action]
    field = act(table, field, unit)
    ap, rp = boxes.points(table, field, unit)
    now = field.unit(unit)
    return Decided(ActionAnswer(ap, rp, now.shelter_markers, now.statuses, field.scene.turn), field.scene)


class ActivationCase(FactCase, frozen=True):
    """The side that activates next and, if a `unit` is named, whether that unit can be activated now."""

    scene: Scene
    unit: Id | None = None


class ActivationAnswer(Value, frozen=True):
    """The side that activates next, null when the phase is over, and its units that can be activated."""

    side: Id | None
    units: tuple[Id, ...]
    active: Annotated[Id | None, Meta(description="The unit that is active afterwards; of a band, its leader.")]


def decide_activation(table: Table, state: CaseState[Battlefield, ActivationCase]) -> Decided[ActivationAnswer]:
    """Which side activates next, and can this unit be activated?"""
    field, unit = state.field, state.case.unit
    side = activation.next_side(table, field)
    units = () if side is None else tuple(each.id for each in activation.ready_units(table, field, side))
    if unit is None:
        return Decided(ActivationAnswer(side, units, field.scene.active))
    forbid(activation.violations(table, field, unit))
    field = activation.begin(table, field, unit)
    return Decided(ActivationAnswer(side, units, field.scene.active), field.scene)


class AbilityCase(FactCase, frozen=True):
    """A `unit` uses an `ability` of its card or of its side's mission.

    `target` is a unit or an objective; abilities that work on their user take none.
    """

    scene: Scene
    unit: Id
    ability: Id
    target: Id | None = None


class AbilityAnswer(Value, frozen=True):
    """Whether the ability succeeds, its difficulty, how often it is left, and its effects.

    `crossed_own` and `crossed_others` are the boxes lost by the side of the user and by all other sides; a disabled
    unit loses all that it had left.
    """

    side: Id
    success: bool
    difficulty: Annotated[int | None, Meta(description="The lowest face that passes the test; null without one.")]
    left: Left
    crossed_own: int
    crossed_others: int
    disabled: tuple[Id, ...]
    escaping: tuple[Id, ...]


def decide_ability(table: Table, state: CaseState[Battlefield, AbilityCase]) -> Decided[AbilityAnswer]:
    """Can this unit use this ability, and what is the result?"""
    before, case = state.field, state.case
    forbid(abilities.violations(table, before, case.unit, case.ability, case.target))
    card, side = before.book.abilities[case.ability], before.unit(case.unit).side
    difficulty = None if card.test is None else abilities.difficulty(table, before, case.unit, case.ability)
    field, success = abilities.use(table, before, case.unit, case.ability, case.target)
    units, losses = field.scene.units, boxes.lost(before, field)
    answer = AbilityAnswer(
        side,
        success,
        difficulty,
        uses.left(table, field, case.unit, case.ability),
        losses[side],
        sum(many for other, many in losses.items() if other != side),
        tuple(unit.id for unit in units if unit.disabled and not before.unit(unit.id).disabled),
        tuple(unit.id for unit in units if unit.escaping and not before.unit(unit.id).escaping),
    )
    return Decided(answer, field.scene)


def worth(answer: AbilityAnswer, side: str) -> int:
    """Give the worth of an ability to a side: boxes lost by the others, minus its own."""
    gain = answer.crossed_others - answer.crossed_own
    return gain if side == answer.side else -gain


QUESTIONS = (
    Question("actions", ActionsCase, prepared("unit"), decide_actions),
    Question("action", ActionCase, prepared("unit"), decide_action),
    Question("activation", ActivationCase, prepared("unit", in_play=False), decide_activation),
    Question(
        "ability",
        AbilityCase,
        prepared("unit", "ability", "target", kinds={"ability": "ability", "target": "target"}, in_play=False),
        decide_ability,
        dice=True,
        worth=worth,
    ),
)
