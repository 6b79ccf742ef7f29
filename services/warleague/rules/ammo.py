"""Ammunition and reload: which weapons can fire, what firing takes, and how a magazine is filled again."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.book import number
from services.warleague.profiles import ItemCard, WeaponCard
from services.warleague.rules import dual, points
from services.warleague.scene import Item, Place


class Reload(Value, frozen=True):
    """A reload: whose it is, of the weapons in which hands, and by which item of its slots or inventory."""

    actor: str
    hands: tuple[int, ...]
    place: Place
    item: int


# Firing


def left(field: Battlefield, actor: str, hand: int) -> int | None:
    """Give how many rounds a weapon in a hand has left; None where it needs none."""
    held = field.hands(actor)[hand]
    magazine = field.book.weapons[held.weapon].magazine
    return magazine if held.ammo is None else held.ammo


def violations(table: Table, field: Battlefield, actor: str, hand: int) -> tuple[Reason, ...]:
    """Give every reason why the weapon in a hand cannot fire: it needs ammunition and has none."""
    return empty(table, field, actor, hand) if needed(table, field, actor, hand) else ()


def needed(table: Table, field: Battlefield, actor: str, hand: int) -> bool:
    """Say whether the weapon in a hand takes rounds out of a magazine."""
    card = field.weapon(actor, hand)
    return not self_powered(table, card) and requires(table, card)


@rule("ammo.self_powered", cites="self-powered/no-ammunition", neutral=False)
def self_powered(table: Table, card: WeaponCard) -> bool:
    """Decide whether a weapon feeds itself, and fires without ammunition."""
    if card.self_powered:
        table.find("{weapon} is self-powered and needs no ammunition", weapon=card.title)
    return card.self_powered


@rule("ammo.requires", cites="ammo/required", neutral=False)
def requires(table: Table, card: WeaponCard) -> bool:
    """Decide whether a weapon needs ammunition: those that have a magazine do."""
    if card.magazine is not None:
        table.find("{weapon} needs ammunition of the type {ammo}", weapon=card.title, ammo=card.ammo)
    return card.magazine is not None


@violations_rule("ammo.empty", cites=("ammo/empty", "reload/needed"))
def empty(table: Table, field: Battlefield, actor: str, hand: int) -> Iterator[Reason]:
    """Decide whether a weapon is empty: it cannot fire then, before it is reloaded."""
    rounds, card = left(field, actor, hand) or 0, field.weapon(actor, hand)
    if rounds < number("rounds-a-shot"):
        yield table.reason("{weapon} is empty and must be reloaded", weapon=card.title)
    else:
        table.find("{weapon} has {rounds} left", weapon=card.title, rounds=Quantity(rounds, "round"))


def fire(table: Table, field: Battlefield, actor: str, hands: tuple[int, ...]) -> Battlefield:
    """Give the battlefield after the weapons in some hands have fired."""
    for hand in hands:
        if needed(table, field, actor, hand):
            field = spent(table, field, actor, hand)
    return field


@rule("ammo.spent", cites="ammo/one-a-shot", neutral=unchanged)
def spent(table: Table, field: Battlefield, actor: str, hand: int) -> Battlefield:
    """Decide what firing takes out of the magazine: one round."""
    card, rounds = field.weapon(actor, hand), (left(field, actor, hand) or 0) - number("rounds-a-shot")
    table.find("{weapon} fires and has {rounds} left", weapon=card.title, rounds=Quantity(rounds, "round"))
    table.event("rounds-spent", unit=actor, weapon=card.id, left=rounds)
    return field.hand_put(actor, hand, ammo=rounds)


# Reloading


def reload_violations(table: Table, field: Battlefield, reload: Reload) -> tuple[Reason, ...]:
    """Give every reason why a unit may not reload so, its action points included."""
    if reasons := item_violations(table, field, reload, _item(field, reload)):
        return reasons
    reasons = tuple(reason for hand in reload.hands for reason in magazine_violations(table, field, reload.actor, hand))
    if len(reload.hands) > 1:
        reasons += joint_violations(table, field, reload)
    return reasons or points.violations(table, field, reload.actor, reload_price(table, field, reload))


@violations_rule("ammo.item_violations", cites=("ammo/type", "ammo/energy-weapons"))
def item_violations(table: Table, field: Battlefield, reload: Reload, card: ItemCard) -> Iterator[Reason]:
    """Decide whether an item is ammunition for the weapons: of their own type, and no other."""
    fits = True
    for hand in reload.hands:
        weapon = field.weapon(reload.actor, hand)
        fits &= weapon.ammo is not None and weapon.ammo == card.ammo
        if weapon.ammo is None:
            yield table.reason("{weapon} takes no ammunition", weapon=weapon.title)
        elif weapon.ammo != card.ammo:
            words: dict[str, Any] = {"weapon": weapon.title, "needed": weapon.ammo, "item": card.title}
            text = "The card {item} is not ammunition"
            if card.ammo:
                text = "{weapon} takes ammunition of the type {needed}, and the card {item} is of the type {ammo}"
            yield table.reason(text, ammo=card.ammo, **words)
        else:
            table.find("The card {item} is ammunition for {weapon}", item=card.title, weapon=weapon.title)
    if fits and not item_rounds(field, reload):
        yield table.reason("The card {item} has no rounds left", cites="reload/limited", item=card.title)


@violations_rule("ammo.magazine_violations", cites="reload/needed")
def magazine_violations(table: Table, field: Battlefield, actor: str, hand: int) -> Iterator[Reason]:
    """Decide whether a weapon can be reloaded: rounds are missing; whether some may be left is `reload-early`."""
    weapon, rounds = field.weapon(actor, hand), left(field, actor, hand)
    if not _missing(field, actor, hand):
        yield table.reason("The magazine of {weapon} is full", weapon=weapon.title)
    elif rounds and table.read("reload-early") == "empty-only":
        yield table.reason("{weapon} still has {rounds}", weapon=weapon.title, rounds=Quantity(rounds, "round"))
    else:
        table.find("{weapon} has {rounds} of {full} rounds", weapon=weapon.title, rounds=rounds, full=weapon.magazine)


@violations_rule("ammo.joint_violations", cites=("reload/together", "reload/together-enough"))
def joint_violations(table: Table, field: Battlefield, reload: Reload) -> Iterator[Reason]:
    """Decide whether two weapons can be reloaded at once: a unit that wields both can, with enough rounds for both.

    From the inventory that is `reload-together-inventory`, with too few rounds `reload-together-short`.
    """
    yield from dual.wielder_violations(table, field, reload.actor)
    missing = sum(_missing(field, reload.actor, hand) for hand in reload.hands)
    rounds, card = item_rounds(field, reload), _item(field, reload)
    if missing > rounds and table.read("reload-together-short") == "forbidden":
        text = "Both weapons together need {missing}, and the card {item} has {rounds}"
        yield table.reason(text, missing=Quantity(missing, "round"), item=card.title, rounds=rounds)
    elif missing <= rounds:
        text = "The card {item} has {rounds}, and both weapons together need {missing}"
        table.find(text, item=card.title, rounds=Quantity(rounds, "round"), missing=missing)
    stored = reload.place == "inventory" and table.read("reload-together-one") != "card"
    if stored and table.read("reload-together-inventory") == "forbidden":
        yield table.reason("Two weapons cannot be reloaded at once from the inventory")


def reload_price(table: Table, field: Battlefield, reload: Reload) -> int:
    """Give what a reload costs: by where the ammunition is, and less for two weapons at once."""
    if len(reload.hands) > 1 and table.read("reload-together-one") == "point":
        return price_together(table, reload.place)
    return sum(price(table, reload.place) for _ in reload.hands)


@rule("ammo.price", cites=("reload/from-slot", "reload/from-inventory"), neutral=0)
def price(table: Table, place: Place) -> int:
    """Decide what it costs to reload a weapon: 1 point from a slot, 2 out of the inventory."""
    name, where = ("slot", "a slot") if place == "slots" else ("inventory", "the inventory")
    cost = number(f"reload-{name}")
    table.find("A reload from {place} costs {price} AP", cites=f"reload/from-{name}", place=where, price=cost)
    return cost


@rule("ammo.price_together", cites="reload/together", neutral=0)
def price_together(table: Table, place: Place) -> int:
    """Decide what it costs to reload two weapons at once: 1 point, out of the inventory `reload-together-inventory`."""
    cost = number("reload-together")
    if place == "inventory" and table.read("reload-together-inventory") == "two":
        cost += number("inventory-extra")
    table.find("Reloading both weapons at once costs {price} AP", price=cost)
    return cost


def fill_magazines(table: Table, field: Battlefield, reload: Reload) -> Battlefield:
    """Give the battlefield after a reload that is allowed; nothing is paid here.

    What becomes of rounds left over on the ammunition card is `reload-leftover`.
    """
    for hand in reload.hands:
        many = rounds_in(table, field, reload, hand)
        field = item_spent(table, tags_turned(table, field, reload.actor, hand, many), reload, many)
    if item_rounds(field, reload) and table.read("reload-leftover") != "spent":
        return field
    return field.stored_put(reload.actor, reload.place, reload.item)


@rule("ammo.rounds_in", cites=("reload/complete", "reload/limited"), neutral=1)
def rounds_in(table: Table, field: Battlefield, reload: Reload, hand: int) -> int:
    """Decide how many rounds are filled in: all that are missing, as far as the item has them."""
    missing, rounds = _missing(field, reload.actor, hand), item_rounds(field, reload)
    many = min(missing, rounds)
    text = "{weapon} needs {missing}, and the card {item} has {rounds}: the magazine gets {many}"
    weapon, item = field.weapon(reload.actor, hand).title, _item(field, reload).title
    table.find(text, weapon=weapon, missing=Quantity(missing, "round"), item=item, rounds=rounds, many=many)
    return many


@rule("ammo.tags_turned", cites="reload/tags-turned", neutral=unchanged)
def tags_turned(table: Table, field: Battlefield, actor: str, hand: int, many: int) -> Battlefield:
    """Decide what becomes of a weapon that is reloaded: as many tags as are filled in show their front again."""
    weapon, rounds = field.weapon(actor, hand), (left(field, actor, hand) or 0) + many
    table.find("{weapon} now has {rounds}", weapon=weapon.title, rounds=Quantity(rounds, "round"))
    table.event("reloaded", unit=actor, weapon=weapon.id, rounds=many)
    return field.hand_put(actor, hand, ammo=rounds)


@rule("ammo.item_spent", cites="reload/item-spent", neutral=unchanged)
def item_spent(table: Table, field: Battlefield, reload: Reload, many: int) -> Battlefield:
    """Decide what is left of an ammunition card: the rounds that are filled in come off it."""
    rest = item_rounds(field, reload) - many
    table.find("The card {item} has {rounds} left", item=_item(field, reload).title, rounds=Quantity(rest, "round"))
    return field.stored_put(reload.actor, reload.place, reload.item, replace(_stored(field, reload), left=rest))


def reloads(table: Table, field: Battlefield, actor: str) -> Iterator[Reload]:
    """Give every reload that is allowed to a unit, of each hand and of both, from its slots and its inventory."""
    held = range(len(field.hands(actor)))
    # What is full is not reloaded.
    wanting = [hand for hand in held if _missing(field, actor, hand)]
    for hands in [(hand,) for hand in wanting] + ([tuple(wanting)] if len(wanting) == len(held) > 1 else []):
        for place, index in field.places(actor):
            reload = Reload(actor, hands, place, index)
            if not reload_violations(table, field, reload):
                yield reload


def _item(field: Battlefield, reload: Reload) -> ItemCard:
    return field.book.items[_stored(field, reload).item]


def _stored(field: Battlefield, reload: Reload) -> Item:
    return field.stored(reload.actor, reload.place)[reload.item]


def item_rounds(field: Battlefield, reload: Reload) -> int:
    """Give how many rounds the ammunition card of a reload has left."""
    item = _stored(field, reload)
    return _item(field, reload).rounds if item.left is None else item.left


def _missing(field: Battlefield, actor: str, hand: int) -> int:
    return (field.weapon(actor, hand).magazine or 0) - (left(field, actor, hand) or 0)
