"""Weapons that are swapped: what goes into which hand, where the other goes, and what it costs."""

from msgspec.structs import replace

from arbiter.readings import Options, settled
from arbiter.rule import Reason, rule
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.book import number
from services.warleague.profiles import WeaponCard
from services.warleague.rules import damage, layers, points
from services.warleague.scene import Hand

PRICE: Options = ("swap-price", ("hands", "weapons"))


class Swap(Value, frozen=True):
    """A swap: the weapon in a hand for a spare one, each by its place among them; without a spare it is put away.

    One place beyond the weapons in the hands is an empty hand. A weapon for two hands takes the place of all.
    """

    by: str
    hand: int
    spare: int | None = None


def put_away(field: Battlefield, swap: Swap) -> tuple[int, ...]:
    """Give the places in the hands of the weapons that a swap puts away."""
    held = range(len(field.hands(swap.by)))
    taken = taken_up(field, swap)
    if taken is not None and taken.hands > 1:
        return tuple(held)
    return tuple(hand for hand in held if hand == swap.hand)


def taken_up(field: Battlefield, swap: Swap) -> WeaponCard | None:
    """Give the weapon that a swap takes up, if it is one."""
    return None if swap.spare is None else field.book.weapons[field.unit(swap.by).spare[swap.spare].weapon]


@rule("weapons.price", cites="swap/per-hand", neutral=0)
def price(table: Table, field: Battlefield, swap: Swap) -> int:
    """Decide what a swap costs: 1 action point for each hand; how two-handed weapons count is `swap-price`."""
    held, taken = field.hands(swap.by), taken_up(field, swap)
    emptied = sum(field.book.weapons[held[hand].weapon].hands for hand in put_away(field, swap))
    changed = max(emptied, 0 if taken is None else taken.hands)
    taken_many = 0 if taken is None else 1
    many = settled(table, lambda counted: changed if counted == "hands" else taken_many, PRICE)
    asked = many * number("swap")
    table.find("the swap of {unit} costs {price} AP", unit=field.name(swap.by), price=asked)
    return asked


def violations(table: Table, field: Battlefield, swap: Swap) -> tuple[Reason, ...]:
    """Give every reason why a unit may not swap weapons so, its action points included."""
    return (*unfit(table, field, swap), *points.violations(table, field, swap.by, price(table, field, swap)))


@rule("weapons.unfit", cites="swap/per-hand", neutral=())
def unfit(table: Table, field: Battlefield, swap: Swap) -> tuple[Reason, ...]:
    """Decide whether weapons can be swapped so: there are hands for what is taken up, and room for what is put away."""
    unit, name, reasons = field.unit(swap.by), field.name(swap.by), []
    held, taken, away = field.hands(swap.by), taken_up(field, swap), put_away(field, swap)
    if unit.downed:
        reasons.append(table.reason("{unit} is downed", unit=name, cites="kill/heroes"))
    if not away and taken is None:
        reasons.append(table.reason("{unit} has nothing in that hand to put away", unit=name))
    card = field.profile(unit)
    kept = sum(field.book.weapons[each.weapon].hands for hand, each in enumerate(held) if hand not in away)
    if taken is not None and kept + taken.hands > card.hands:
        text = "{weapon} takes {needed} hands, and {unit} has {free} free"
        reasons.append(table.reason(text, weapon=taken.name or taken.id, needed=taken.hands, unit=name,
                                    free=max(0, card.hands - kept)))  # fmt: skip
    stored = len(unit.inventory) + len(unit.spare) + len(away) - (taken is not None)
    if len(away) > (taken is not None) and stored > card.inventory:
        text = "{unit} has no room in its inventory for what it puts away"
        reasons.append(table.reason(text, unit=name, cites="item/inventory"))
    return tuple(reasons)


@rule("weapons.swapped", cites=("swap/per-hand", "attack/weapon-abilities"), neutral=lambda field, swap: field)
def swapped(table: Table, field: Battlefield, swap: Swap) -> Battlefield:
    """Decide what a swap leaves in the hands and beside them: what was loaded stays so, reserved parries are gone.

    What a weapon gives its bearer goes with it: abilities, and what it changes. Nothing is paid here.
    """
    unit, held, away = field.unit(swap.by), field.hands(swap.by), put_away(field, swap)
    spare = tuple(hand for index, hand in enumerate(unit.spare) if index != swap.spare)
    stowed = tuple(replace(held[hand], parries=0) for hand in away)
    hands = tuple(hand for index, hand in enumerate(held) if index not in away)
    if swap.spare is not None:
        place = min(swap.hand, len(hands))
        hands = (*hands[:place], unit.spare[swap.spare], *hands[place:])
    words = ", ".join(map(_named, (_cards(field, hands)))) or "nothing"
    table.find("{unit} has {weapons} in its hands now", unit=field.name(swap.by), weapons=words)
    taken = taken_up(field, swap)
    if taken is not None and taken.abilities:
        table.find("{weapon} gives {unit} its abilities: {abilities}", weapon=_named(taken), unit=field.name(swap.by),
                   abilities=", ".join(taken.abilities), cites="attack/weapon-abilities")  # fmt: skip
    table.event("swapped", unit=swap.by, hand=swap.hand, weapon=None if taken is None else taken.id)
    changed = replace(unit, hands=hands, spare=(*spare, *stowed))
    return damage.lessened(table, field, field.put(layers.capped(field.book, changed)), swap.by)


def swaps(field: Battlefield, by: str) -> tuple[Swap, ...]:
    """Give every swap that could be thought of for a unit: of each hand, with each spare weapon, and to none."""
    held, spare = len(field.hands(by)), len(field.unit(by).spare)
    empty = held < field.profile(field.unit(by)).hands
    found = [Swap(by, hand, index) for hand in range(held + empty) for index in range(spare)]
    return (*found, *(Swap(by, hand) for hand in range(held)))


def _cards(field: Battlefield, hands: tuple[Hand, ...]) -> tuple[WeaponCard, ...]:
    return tuple(field.book.weapons[hand.weapon] for hand in hands)


def _named(weapon: WeaponCard) -> str:
    return weapon.name or weapon.id
