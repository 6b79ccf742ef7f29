"""Actions: all that a unit can do in its turn, what each costs, and why not the rest.

An action names all that belongs to it: which weapon, which tile, which item. The kinds are in the
book's order.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, Literal, NamedTuple, get_args

from msgspec.structs import asdict, replace

from arbiter.option import Option
from arbiter.rule import Forbidden, Reason
from arbiter.skirmish.reasons import beside, every_reason
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
from services.warleague.rules.items import PickUp, Use
from services.warleague.rules.movement import Turn
from services.warleague.rules.parry import Reserve
from services.warleague.rules.weapons import Swap
from services.warleague.scene import Tile

ActionKind = Literal["reload", "attack", "parry", "ability", "item", "swap", "pick-up", "move", "turn", "end"]
ACTION_KINDS: tuple[ActionKind, ...] = get_args(ActionKind)


class Walk(Value, frozen=True):
    """A unit that goes a way, tile by tile."""

    actor: str
    way: tuple[Tile, ...]


class End(Value, frozen=True):
    """A unit that ends its turn."""

    actor: str


Action = Strike | Reload | Reserve | Cast | Use | Swap | PickUp | Walk | Turn | End


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


def each(table: Table, field: Battlefield, unit: str, kind: ActionKind) -> Iterable[Action]:
    """Give the actions of a kind that are open to a unit whose turn has begun, one by one."""
    of = KINDS[kind]
    listed = of.listed(table, field, unit)
    return listed if of.are_open else (action for action in listed if not violations(table, field, action))


@every_reason
def violations(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Give every reason why a unit that may act may not do so, its action points included."""
    kind = KINDS[kind_of(action)]
    yield from kind.violations(table, field, action)
    if not kind.are_open:
        yield from points.violations(table, field, action.actor, kind.price(table, field, action))


def begun(table: Table, field: Battlefield, action: Action) -> Battlefield:
    """Give the battlefield on which the turn of a unit has begun whose action is allowed.

    Raises `Forbidden` with every reason why it may not act now, or not so.
    """
    reasons = turn.act_violations(table, field, action.actor)
    if reasons := (*reasons, *beside(reasons, partial(violations, table, field, action), ())):
        raise Forbidden(*reasons)
    return turn.ensure_begun(table, field, action.actor)


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


class Kind(NamedTuple):
    """How actions of a kind are listed, what speaks against one, what it costs, and how it is carried out.

    What is `listed` of a unit is conceivable, or where they `are_open` allowed; then the price is among what speaks
    against one. What is `paid_for` before it is carried out has a name there; the others are paid as they go.
    """

    action: type[Action]
    listed: Callable[[Table, Battlefield, str], Iterable[Action]]
    violations: Callable[[Table, Battlefield, Any], tuple[Reason, ...]]
    price: Callable[[Table, Battlefield, Any], int]
    carry_out: Callable[[Table, Battlefield, Any], Battlefield]
    are_open: bool = False
    paid_for: str = ""


KINDS: Final[Mapping[ActionKind, Kind]] = {
    "reload": Kind(
        Reload, ammo.reloads, ammo.reload_violations, ammo.reload_price, ammo.fill_magazines, True, "the reload"
    ),
    "attack": Kind(Strike, attack.strikes, attack.violations, attack.price, striking.struck, are_open=True),
    "parry": Kind(
        Reserve, parry.reservable, parry.weapon_violations, parry.price, parry.reserved, paid_for="the parry"
    ),
    "ability": Kind(Cast, abilities.casts, abilities.violations, abilities.price, abilities.use, are_open=True),
    "item": Kind(Use, items.uses, items.violations, items.price, tile_effects.use_item, are_open=True),
    "swap": Kind(Swap, weapons.swaps, weapons.unfit, weapons.price, weapons.swapped, paid_for="the swap"),
    "pick-up": Kind(PickUp, items.underfoot, items.beyond_reach, items.pick_up_price, items.picked_up),
    "move": Kind(
        Walk,
        _walks,
        lambda table, field, walk: movement.way_violations(table, field, walk.actor, walk.way),
        lambda table, field, walk: movement.price(table, field, walk.way),
        lambda table, field, walk: movement.walk(table, field, walk.actor, walk.way),
        are_open=True,
    ),
    "turn": Kind(
        Turn,
        movement.turns,
        lambda table, field, turning: movement.move_violations(table, field, turning.actor),
        movement.turn_price,
        movement.turn_to_face,
    ),
    "end": Kind(
        End,
        lambda table, field, unit: (End(unit),),
        lambda table, field, end: (),
        lambda table, field, end: 0,
        lambda table, field, end: turn.ended(table, field, end.actor),
    ),
}
"""All that units do in their turns, in the book's order."""

KIND_OF: Final[Mapping[type[Action], ActionKind]] = {kind.action: name for name, kind in KINDS.items()}


# What it costs, and in words


def price(table: Table, field: Battlefield, action: Action) -> int:
    """Give the action points that an action costs."""
    with table.without_findings():
        return KINDS[kind_of(action)].price(table, field, action)


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
    return KIND_OF[type(action)]


def _hands(hands: tuple[int, ...]) -> str:
    return " and ".join(f"hand {hand}" for hand in hands)


# Doing it


def carry_out(table: Table, field: Battlefield, action: Action) -> Battlefield:
    """Carry out an allowed action; it begins the unit's turn if that has not begun, and ends it if the unit falls."""
    kind = KINDS[kind_of(action)]
    before = field = turn.ensure_begun(table, field, action.actor)
    if kind.paid_for:
        field = points.paid(table, field, action.actor, price(table, field, action), kind.paid_for)
    return turn.after_action(table, before, kind.carry_out(table, field, action))
