"""Actions: what a unit may do now and why not the rest, and the small ones: parry, swap, pick up, turn, end."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.rule import Reason
from arbiter.skirmish.cases import CaseState, case_fault, forbid
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import naming
from services.warleague.questions.moves import facing_faults
from services.warleague.rules import actions, availability, points
from services.warleague.rules.actions import Action, ActionKind, End
from services.warleague.rules.items import PickUp
from services.warleague.rules.movement import Turn
from services.warleague.rules.parry import Reserve
from services.warleague.rules.weapons import Swap
from services.warleague.scene import MOST_CARDS, MOST_ITEMS, Facing, Hand, Item, Phase, Scene

# What a unit may do


class ActionsCase(FactCase, frozen=True):
    """What a `unit` may do now.

    A scene that names no side on turn, no active unit and no order does not track turns: any unit that has not
    acted may act.
    """

    scene: Scene
    unit: Id


class ActionRow(Value, frozen=True):
    """An action: in how many ways it is open, the least that one of them costs, and why it is not open at all.

    A way is one weapon at one tile, one tile to go to, one item, and so on. `ap` is null where it is not open.
    """

    action: Id
    open: bool
    ways: int
    ap: int | None
    reasons: tuple[Reason, ...]


class ActionsAnswer(Value, frozen=True):
    """The actions that are open, every action in the book's order, the points at hand, and the abilities there are."""

    open: tuple[Id, ...]
    rows: tuple[ActionRow, ...]
    ap: int
    abilities: tuple[Id, ...]


def decide_actions(table: Table, state: CaseState[Battlefield, ActionsCase]) -> Decided[ActionsAnswer]:
    """What may this unit do now, at which price, and why not the rest?"""
    field, unit = state.field, state.case.unit
    rows = tuple(_row(table, field, unit, kind) for kind in actions.ACTION_KINDS)
    left = points.left(actions.at_hand(table, field, unit), unit)
    open_ = tuple(row.action for row in rows if row.open)
    return Decided(ActionsAnswer(open_, rows, left, field.abilities(unit)))


def _row(table: Table, field: Battlefield, unit: str, kind: ActionKind) -> ActionRow:
    if reasons := actions.time_violations(table, field, unit, kind):
        return ActionRow(kind, False, 0, None, reasons)
    if ways := actions.available(table, field, unit, kind):
        least = min(actions.price(table, field, action) for action in ways)
        return ActionRow(kind, True, len(ways), least, ())
    closed = availability.violations(table, actions.at_hand(table, field, unit), unit, kind)
    return ActionRow(kind, False, 0, None, closed)


# Single actions


class ActionCase(Value, frozen=True):
    """A `unit` reserves a parry, swaps weapons, picks up an item, turns, or ends its turn: the `action`.

    `hand` is the place of a weapon in its hands: that of the parry, or that which is swapped, one beyond for an empty
    hand. `spare` is the place of the weapon that is taken up among those it carries beside, null to put one away.
    `lying` is the place of an item among those of the scene. `facing` is where it turns.
    """

    scene: Scene
    unit: Id
    action: Literal["parry", "swap", "pick-up", "turn", "end"]
    hand: Annotated[int, Meta(ge=0, le=2)] = 0
    spare: Annotated[int, Meta(ge=0, lt=MOST_ITEMS)] | None = None
    lying: Annotated[int, Meta(ge=0, lt=MOST_CARDS)] | None = None
    facing: Facing | None = None


class ActionAnswer(Value, frozen=True):
    """What the unit paid and has then, and whose turn it is: null before it is settled, and between rounds."""

    ap: int
    left: Annotated[int, Meta(description="Action points.")]
    hands: tuple[Hand, ...]
    spare: tuple[Hand, ...]
    inventory: tuple[Item, ...]
    facing: Facing | None
    turn: Id | None
    phase: Phase
    round: int


def _faults(field: Battlefield, case: ActionCase) -> Iterator[Fault]:
    """Find what an action needs and a case does not name, or what does not exist."""
    held, spare = len(field.hands(case.unit)), len(field.unit(case.unit).spare)
    yield from facing_faults(field, case.facing)
    if case.action in ("parry", "swap") and case.hand >= held + (case.action == "swap"):
        yield _missing("hand", case.hand, f"{case.unit} holds {Quantity(held, 'weapon')}")
    if case.action == "swap" and case.spare is not None and case.spare >= spare:
        yield _missing("spare", case.spare, f"{case.unit} carries {spare} spare weapons")
    if case.action == "pick-up" and (case.lying is None or case.lying >= len(field.scene.items)):
        yield _missing("lying", case.lying, f"the board has {Quantity(len(field.scene.items), 'item')}")
    if case.action == "turn" and case.facing is None:
        yield _missing("facing", case.facing, "a turn needs a direction")


def _missing(member: str, seen: int | None, text: str) -> Fault:
    return case_fault(member, "missing", text, seen, f"a `{member}` that exists")


def _action(case: ActionCase) -> Action:
    match case.action:
        case "parry":
            return Reserve(case.unit, case.hand)
        case "swap":
            return Swap(case.unit, case.hand, case.spare)
        case "pick-up":
            return PickUp(case.unit, case.lying or 0)
        case "turn":
            return Turn(case.unit, case.facing or 0)
        case _:
            return End(case.unit)


def decide_action(table: Table, state: CaseState[Battlefield, ActionCase]) -> Decided[ActionAnswer]:
    """Reserving a parry, swapping weapons, picking up, turning, ending a turn: may this unit, and what then?"""
    field, kind, action = state.field, state.case.action, _action(state.case)
    why = actions.time_violations(table, field, action.actor, kind)
    forbid(why or actions.violations(table, actions.at_hand(table, field, action.actor), action))
    price = actions.price(table, field, action)
    field = actions.carry_out(table, field, action)
    unit, scene = field.unit(action.actor), field.scene
    answer = ActionAnswer(
        price,
        points.left(field, unit.id),
        field.hands(unit.id),
        unit.spare,
        unit.inventory,
        unit.facing,
        scene.turn,
        scene.phase,
        scene.round,
    )
    return Decided(answer, scene)


QUESTIONS = (
    Question("actions", ActionsCase, naming("unit"), decide_actions),
    Question("action", ActionCase, naming("unit", faults=_faults), decide_action),
)
