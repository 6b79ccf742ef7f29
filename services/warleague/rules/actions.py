"""Actions: all that a unit can do in its turn, what each costs, and why not the rest.

An action names all that belongs to it: which weapon, which tile, which item. The kinds are in the
book's order.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, get_args

from msgspec.structs import asdict, replace

from arbiter.option import Option
from arbiter.rule import Reason
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield, elsewhere
from services.warleague.rules import (
    abilities,
    ammo,
    attack,
    items,
    movement,
    observed,
    parry,
    points,
    striking,
    targeting,
    tile_effects,
    turn,
    weapons,
)
from services.warleague.rules.abilities import Cast
from services.warleague.rules.ammo import Reload
from services.warleague.rules.happenings import Strike
from services.warleague.rules.items import Use
from services.warleague.rules.weapons import Swap
from services.warleague.scene import Tile

ActionKind = Literal["reload", "attack", "parry", "ability", "item", "swap", "pick-up", "move", "turn", "end"]
ACTION_KINDS: tuple[ActionKind, ...] = get_args(ActionKind)


class Reserve(Value, frozen=True):
    """A parry that a unit reserves with the weapon in a hand."""

    actor: str
    hand: int


class PickUp(Value, frozen=True):
    """An item that a unit picks up, by its place among those that lie on the board."""

    actor: str
    lying: int


class Walk(Value, frozen=True):
    """A unit that goes a way, tile by tile."""

    actor: str
    way: tuple[Tile, ...]


class Turn(Value, frozen=True):
    """A unit that turns to face a direction."""

    actor: str
    facing: int


class End(Value, frozen=True):
    """A unit that ends its turn."""

    actor: str


Action = Strike | Reload | Reserve | Cast | Use | Swap | PickUp | Walk | Turn | End

KINDS: Final[dict[type[Action], ActionKind]] = {
    Reload: "reload",
    Strike: "attack",
    Reserve: "parry",
    Cast: "ability",
    Use: "item",
    Swap: "swap",
    PickUp: "pick-up",
    Walk: "move",
    Turn: "turn",
    End: "end",
}


# What is open


def time_violations(table: Table, field: Battlefield, unit: str, kind: ActionKind) -> tuple[Reason, ...]:
    """Give every reason why a unit may not act now with an action of a kind; for a parry that is `reserve-when`."""
    return (turn.player_turn_violations if kind == "parry" else turn.act_violations)(table, field, unit)


def at_hand(table: Table, field: Battlefield, unit: str) -> Battlefield:
    """Give the battlefield as it will be for a unit that begins its turn by its next action."""
    begins = turn.tracks_turns(field) and field.scene.active is None
    return field.put(replace(field.unit(unit), ap=None)) if begins and points.renews(table, field, unit) else field


def available(table: Table, field: Battlefield, unit: str, kind: ActionKind) -> tuple[Action, ...]:
    """Give every action of a kind that is open to a unit that may act, without findings."""
    with table.without_findings():
        return tuple(each(table, at_hand(table, field, unit), unit, kind))


def each(table: Table, field: Battlefield, unit: str, kind: ActionKind) -> Iterator[Action]:
    """Give the actions of a kind that are open to a unit whose turn has begun, one by one."""
    if kind in OPEN:
        return OPEN[kind](table, field, unit)
    return (action for action in _conceivable(field, unit, kind) if not violations(table, field, action))


def _conceivable(field: Battlefield, unit: str, kind: ActionKind) -> Iterable[Action]:
    """Give every conceivable action of a kind that is not in `OPEN`."""
    match kind:
        case "parry":
            return (Reserve(unit, hand) for hand in range(len(field.hands(unit))))
        case "swap":
            return weapons.swaps(field, unit)
        case "pick-up":
            lying = enumerate(field.scene.items)
            return (PickUp(unit, index) for index, item in lying if item.at == field.at(unit))
        case "turn":
            directions = range(len(field.ground.directions) if field.scene.board.facing else 0)
            return (Turn(unit, facing) for facing in directions if facing != field.unit(unit).facing)
        case _:
            return (End(unit),)


def violations(table: Table, field: Battlefield, action: Action) -> tuple[Reason, ...]:
    """Give every reason why a unit that may act may not reserve a parry, swap, pick up or turn so."""
    match action:
        case Reserve():
            return parry.reserve_violations(table, field, action.actor, action.hand)
        case Swap():
            return weapons.violations(table, field, action)
        case PickUp():
            return items.pick_up_violations(table, field, action.actor, action.lying)
        case Turn():
            return movement.turn_violations(table, field, action.actor, action.facing)
        case _:
            return ()


def _walks(table: Table, field: Battlefield, unit: str) -> Iterator[Walk]:
    if movement.move_violations(table, field, unit):
        return
    at = field.at(unit)
    if observed.is_somewhere(at):
        step = Walk(unit, (elsewhere(at),))
        short = points.violations(table, field, unit, price(table, field, step))
        if not short and observed.room(table, field, unit):
            yield step
        return
    reach = movement.reach(table, field, unit, points.left(field, unit))
    yield from (Walk(unit, way) for way in map(reach.path, reach) if way)


OPEN: Final[dict[ActionKind, Callable[[Table, Battlefield, str], Iterator[Action]]]] = {
    "reload": ammo.reloads,
    "attack": attack.strikes,
    "ability": abilities.casts,
    "item": items.uses,
    "move": _walks,
}
"""The open actions of the kinds of which a unit has many conceivable ones, one by one."""


# What it costs, and in words


def price(table: Table, field: Battlefield, action: Action) -> int:
    """Give the action points that an action costs."""
    with table.without_findings():
        match action:
            case Strike():
                return attack.price(table, field, action)
            case Reload():
                return ammo.reload_price(table, field, action)
            case Reserve():
                return parry.price(table, field, action.actor, action.hand)
            case Cast():
                return abilities.price(table, field, action)
            case Use():
                return items.price(table, field, action)
            case Swap():
                return weapons.price(table, field, action)
            case PickUp():
                return items.pick_up_price(table, field, action.actor)
            case Walk():
                return movement.price(table, field, action.way)
            case Turn():
                return movement.turn_price(table, field, action.actor, action.facing)
            case End():
                return 0


def describe(field: Battlefield, action: Action) -> str:
    """Describe an action in the words by which it is chosen, different for each action of a unit."""
    match action:
        case Strike():
            return f"{_hands(action.hands)} at {targeting.tile(action.to)}"
        case Reload():
            return f"{_hands(action.hands)} from {action.place} {action.item}"
        case Reserve():
            return _hands((action.hand,))
        case Cast():
            return f"{action.ability} at {targeting.tile(action.to)}"
        case Use():
            return f"{action.place} {action.item}" + ("" if action.to is None else f" at {targeting.tile(action.to)}")
        case Swap():
            return f"{_hands((action.hand,))} for " + ("nothing" if action.spare is None else f"spare {action.spare}")
        case PickUp():
            return f"item {action.lying}"
        case Walk():
            return f"to {targeting.tile(action.way[-1])}"
        case Turn():
            return field.ground.directions[action.facing]
        case End():
            return "end"


def option(field: Battlefield, action: Action, word: str) -> Option:
    """Give what an option means that is an action."""
    named = {name: value for name, value in asdict(action).items() if name != "actor"}
    return Option(word, _label(field, action), {"action": kind_of(action), "unit": field.name(action.actor), **named})


def _label(field: Battlefield, action: Action) -> str:
    """Describe an action to players."""
    unit, book = action.actor, field.book
    match action:
        case Strike():
            return f"attack {targeting.tile(action.to)} with {_held(field, unit, action.hands)}"
        case Reload():
            item = book.items[field.stored(unit, action.place)[action.item].item]
            place = f"{action.place}, place {action.item + 1}"
            return f"reload {_held(field, unit, action.hands)} from {item.title} ({place})"
        case Reserve():
            return f"reserve a parry with {_held(field, unit, (action.hand,))}"
        case Cast():
            return f"use {book.abilities[action.ability].title} at {targeting.tile(action.to)}"
        case Use():
            at = "" if action.to is None else f" at {targeting.tile(action.to)}"
            place = f"{action.place}, place {action.item + 1}"
            return f"use {items.card(field, action).title} ({place}){at}"
        case Swap():
            spare = None if action.spare is None else field.unit(unit).spare[action.spare].weapon
            name = "nothing" if spare is None else book.weapons[spare].title
            return f"take {name} in the {HANDS[action.hand]}"
        case PickUp():
            return f"pick up {book.items[field.scene.items[action.lying].item].title} ({action.lying + 1})"
        case Walk():
            return f"move to {targeting.tile(action.way[-1])}"
        case Turn():
            return f"face {field.ground.directions[action.facing]}"
        case End():
            return "end the turn"


def _held(field: Battlefield, unit: str, hands: tuple[int, ...]) -> str:
    return " and ".join(f"{field.weapon(unit, hand).title} ({HANDS[hand]})" for hand in hands)


HANDS: Final = ("first hand", "other hand")


def kind_of(action: Action) -> ActionKind:
    """Give the kind of an action."""
    return KINDS[type(action)]


def _hands(hands: tuple[int, ...]) -> str:
    return " and ".join(f"hand {hand}" for hand in hands)


# Doing it


def carry_out(table: Table, field: Battlefield, action: Action) -> Battlefield:
    """Carry out an allowed action; it begins the unit's turn if that has not begun, and ends it if the unit falls."""
    field = turn.ensure_begun(table, field, action.actor)
    return turn.after_action(table, field, _carry_out(table, field, action))


def _carry_out(table: Table, field: Battlefield, action: Action) -> Battlefield:
    match action:
        case Strike():
            return striking.resolve(table, field, action).field
        case Reload():
            return ammo.fill_magazines(table, _paid(table, field, action, "the reload"), action)
        case Reserve():
            return parry.reserved(table, _paid(table, field, action, "the parry"), action.actor, action.hand)
        case Cast():
            return abilities.use(table, field, action)
        case Use():
            return tile_effects.use_item(table, field, action)
        case Swap():
            return weapons.swapped(table, _paid(table, field, action, "the swap"), action)
        case PickUp():
            return items.pick_up(table, field, action.actor, action.lying)
        case Walk():
            return movement.walk(table, field, action.actor, action.way)
        case Turn():
            return movement.turn_to_face(table, field, action.actor, action.facing)
        case End():
            return turn.ended(table, field, action.actor)


def _paid(table: Table, field: Battlefield, action: Action, what: str) -> Battlefield:
    return points.paid(table, field, action.actor, price(table, field, action), what)
