"""Weapon swaps: which weapon goes into which hand, where the other goes, and what it costs."""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.readings import Options, settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.book import number
from services.warleague.profiles import WeaponCard
from services.warleague.rules import damage, layers

PRICE: Options = ("swap-price", ("hands", "weapons"))


class Swap(Value, frozen=True):
    """A swap: the weapon in a hand for a spare one, each by its place among them; without a spare it is put away.

    One place beyond the weapons in the hands is an empty hand. A weapon for two hands takes the place of all.
    """

    actor: str
    hand: int
    spare: int | None = None


def put_away(field: Battlefield, swap: Swap) -> tuple[int, ...]:
    """Give the places in the hands of the weapons that a swap puts away."""
    held = range(len(field.hands(swap.actor)))
    new = taken_up(field, swap)
    if new is not None and new.hands > 1:
        return tuple(held)
    return tuple(hand for hand in held if hand == swap.hand)


def taken_up(field: Battlefield, swap: Swap) -> WeaponCard | None:
    """Give the weapon that a swap takes up, if it is one."""
    return None if swap.spare is None else field.book.weapons[field.unit(swap.actor).spare[swap.spare].weapon]


@rule("weapons.price", cites="swap/per-hand", neutral=0)
def price(table: Table, field: Battlefield, swap: Swap) -> int:
    """Decide what a swap costs: 1 action point for each hand; how two-handed weapons count is `swap-price`."""
    held, new = field.hands(swap.actor), taken_up(field, swap)
    emptied = sum(field.book.weapons[held[hand].weapon].hands for hand in put_away(field, swap))
    changed = max(emptied, 0 if new is None else new.hands)
    new_weapons = 0 if new is None else 1
    many = settled(table, lambda counted: changed if counted == "hands" else new_weapons, PRICE)
    ap = many * number("swap")
    table.find("The weapon swap of {unit} costs {price} AP", unit=field.name(swap.actor), price=ap)
    return ap


@violations_rule("weapons.unfit", cites="swap/per-hand")
def unfit(table: Table, field: Battlefield, swap: Swap) -> Iterator[Reason]:
    """Decide whether weapons can be swapped so: there are hands for what is taken up, and room for what is put away."""
    unit, name = field.unit(swap.actor), field.name(swap.actor)
    held, new, away = field.hands(swap.actor), taken_up(field, swap), put_away(field, swap)
    if unit.downed:
        yield table.reason("{unit} is downed", unit=name, cites="kill/heroes")
    if not away and new is None:
        yield table.reason("{unit} has no weapon in that hand to put away", unit=name)
    card = field.profile(unit)
    in_use = sum(field.book.weapons[each.weapon].hands for hand, each in enumerate(held) if hand not in away)
    if new is not None and in_use + new.hands > card.hands:
        text = "{weapon} needs {hands}, and {unit} has {free} free"
        free = max(0, card.hands - in_use)
        yield table.reason(text, weapon=new.title, hands=Quantity(new.hands, "hand"), unit=name, free=free)
    stored = len(unit.inventory) + len(unit.spare) + len(away) - (new is not None)
    if len(away) > (new is not None) and stored > card.inventory:
        text = "{unit} has no room in its inventory for what it puts away"
        yield table.reason(text, unit=name, cites="item/inventory")


@rule("weapons.swapped", cites=("swap/per-hand", "attack/weapon-abilities"), neutral=unchanged)
def swapped(table: Table, field: Battlefield, swap: Swap) -> Battlefield:
    """Decide what a swap leaves in the hands and beside them: what was loaded stays so, reserved parries are gone.

    What a weapon gives its bearer goes with it: abilities, and what it changes. Nothing is paid here.
    """
    unit, held, away = field.unit(swap.actor), field.hands(swap.actor), put_away(field, swap)
    spare = tuple(hand for index, hand in enumerate(unit.spare) if index != swap.spare)
    stowed = tuple(replace(held[hand], parries=0) for hand in away)
    hands = tuple(hand for index, hand in enumerate(held) if index not in away)
    if swap.spare is not None:
        place = min(swap.hand, len(hands))
        hands = (*hands[:place], unit.spare[swap.spare], *hands[place:])
    names = Listing(field.book.weapons[hand.weapon].title for hand in hands)
    table.find("{unit} now holds {weapons}", unit=field.name(swap.actor), weapons=names or "nothing")
    new = taken_up(field, swap)
    if new is not None and new.abilities:
        words = {"weapon": new.title, "unit": field.name(swap.actor), "cites": "attack/weapon-abilities"}
        abilities = Listing(field.book.abilities[id_].title for id_ in new.abilities)
        table.find("{unit} can use {abilities} with the {weapon}", **words, abilities=abilities)
    table.event("swapped", unit=swap.actor, hand=swap.hand, weapon=None if new is None else new.id)
    changed = replace(unit, hands=hands, spare=(*spare, *stowed))
    return damage.lessened(table, field, field.put(layers.capped(field.book, changed)), swap.actor)


def swaps(table: Table, field: Battlefield, actor: str) -> tuple[Swap, ...]:
    """Give every conceivable swap of a unit: each hand with each spare weapon, and each hand emptied."""
    held, spare = len(field.hands(actor)), len(field.unit(actor).spare)
    empty = held < field.profile(field.unit(actor)).hands
    every = [Swap(actor, hand, index) for hand in range(held + empty) for index in range(spare)]
    return (*every, *(Swap(actor, hand) for hand in range(held)))
