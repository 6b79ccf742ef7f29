"""Why an action is closed to a unit: the reasons for each weapon, item or tile that it could use."""

from collections.abc import Iterator
from itertools import product

from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import TargetedCard
from services.warleague.rules import abilities, actions, ammo, items, points, targeting
from services.warleague.rules.abilities import Cast
from services.warleague.rules.ammo import Reload
from services.warleague.rules.items import Use

CLOSED = {
    "reload": ("No reload is possible", "{unit} has no ammunition, or no weapon to reload", "reload/needed"),
    "attack": ("No attack is possible", "{unit} has no weapon in its hands", "attack/direct"),
    "parry": ("No parry can be reserved", "{unit} has no weapon in its hands", "parry/active"),
    "ability": ("No ability can be used", "{unit} has no ability", "attack/weapon-abilities"),
    "item": ("No item can be used", "{unit} has no item", "item/inventory"),
    "swap": ("No weapon can be swapped", "{unit} has no other weapon", "swap/per-hand"),
    "pick-up": ("Nothing can be picked up", "{unit} has nothing to pick up on {tile}", "item/inventory"),
    "move": ("No move is possible", "{unit} has no free tile next to {tile} within its AP", "move/free-tile"),
    "turn": ("No turn on the spot is possible", "{unit} faces no direction on this board", "flanking/from-behind"),
}
"""What is closed, in words, and why where there is no way to take it."""


@rule("availability.violations", cites=("ap/pay", "item/inventory"), neutral=())
def violations(table: Table, field: Battlefield, unit: str, kind: str) -> tuple[Reason, ...]:
    """Decide why an action is closed: every reason against each way to take it, or that there is no way."""
    with table.without_findings():
        tried = tuple(dict.fromkeys(_tried(table, field, unit, kind)))
    closed, text, cites = CLOSED[kind]
    if not tried:
        tried = (table.reason(text, cites=cites, unit=field.name(unit), tile=targeting.tile(field.at(unit))),)
    for reason in tried:
        table.find("{action}: {why}", action=closed, why=reason, cites=reason.cites)
    return tried


def _tried(table: Table, field: Battlefield, unit: str, kind: str) -> Iterator[Reason]:
    held = range(len(field.hands(unit)))
    match kind:
        case "reload":
            for hand, (place, index) in product(held, field.places(unit)):
                yield from ammo.reload_violations(table, field, Reload(unit, (hand,), place, index))
        case "attack":
            for hand, weapon in enumerate(field.weapons(unit)):
                short = points.violations(table, field, unit, weapon.ap)
                reasons = (*ammo.violations(table, field, unit, hand), *short)
                yield from reasons or out_of_reach(table, field, unit, weapon)
        case "ability":
            for ability in field.abilities(unit):
                reasons = abilities.unready(table, field, Cast(unit, ability, field.at(unit)))
                yield from reasons or out_of_reach(table, field, unit, field.book.abilities[ability])
        case "item":
            for place, index in field.places(unit):
                yield from _item(table, field, Use(unit, place, index))
        case "parry" | "swap" | "pick-up":
            for action in actions.KINDS[kind].listed(table, field, unit):
                yield from actions.violations(table, field, action)


def _item(table: Table, field: Battlefield, use: Use) -> Iterator[Reason]:
    card = items.card(field, use)
    if card.kind != "grenade" or items.unused(table, field, use):
        yield from items.violations(table, field, use)
        return
    reasons = points.violations(table, field, use.actor, items.price(table, field, use))
    yield from reasons or out_of_reach(table, field, use.actor, card)


@violations_rule("availability.out_of_reach", cites="targeting/in-range")
def out_of_reach(table: Table, field: Battlefield, unit: str, card: TargetedCard) -> Iterator[Reason]:
    """Decide why an affordable weapon, item or ability cannot be used: it has no valid target in reach."""
    yield table.reason("{unit} has no valid target for {card} in reach", unit=field.name(unit), card=card.title)
