"""Layers that come back: energy shields by themselves, health and armor by what is used for them."""

from msgspec.structs import replace

from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Quantity
from services.warleague.battlefield import Battlefield
from services.warleague.rules import layers
from services.warleague.scene import Item


@rule("recovery.shields", cites=("defence/regenerates", "damage/shield-recovers"), neutral=unchanged)
def shields(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what the energy shields of a unit get back: tags, as their cards say, up to their level.

    How many it is at once is `shield-recovery`, and whether a shield without any tag recovers `shield-empty`.
    """
    unit = field.unit(unit_id)
    slots = tuple(_regained(table, field, unit_id, item) for item in unit.slots)
    inventory = unit.inventory
    if any(_wants(field, item) for item in inventory) and layers.anywhere(table):
        inventory = tuple(_regained(table, field, unit_id, item) for item in inventory)
    return field.put(replace(unit, slots=slots, inventory=inventory))


def _wants(field: Battlefield, item: Item) -> bool:
    card = field.book.items[item.item]
    return card.kind == "energy-shield" and layers.level(card, item) < card.level


def _regained(table: Table, field: Battlefield, unit_id: str, item: Item) -> Item:
    if not _wants(field, item):
        return item
    card = field.book.items[item.item]
    has = layers.level(card, item)

    def tags(recovery: str, empty: str) -> int:
        if not has and empty == "no":
            return 0
        return card.level - has if recovery == "full" else min(card.regenerates, card.level - has)

    back = settled(table, tags, ("shield-recovery", ("rate", "full")), ("shield-empty", ("yes", "no")))
    text, many = "The {shield} of {unit} recovers {tags} and has {left}", Quantity(back, "tag")
    table.find(text, shield=card.title, unit=field.name(unit_id), tags=many, left=has + back)
    if back:
        table.event("recovered", unit=unit_id, layer="energy-shield", points=back)
    return Item(item.item, has + back)


@rule("recovery.healed", cites="defence/heal", neutral=unchanged)
def healed(table: Table, field: Battlefield, unit_id: str, points: int) -> Battlefield:
    """Decide how much health comes back: as much as is healed, and no more than was lost."""
    return _regained_body(table, field, unit_id, "health", min(points, field.unit(unit_id).health_lost))


@rule("recovery.repaired", cites="defence/repair", neutral=unchanged)
def repaired(table: Table, field: Battlefield, unit_id: str, points: int) -> Battlefield:
    """Decide how much armor comes back: as much as is repaired, and no more than was lost; of upgrades nothing."""
    return _regained_body(table, field, unit_id, "armor", min(points, field.unit(unit_id).armor_lost))


def _regained_body(table: Table, field: Battlefield, unit_id: str, layer: layers.Body, back: int) -> Battlefield:
    after = layers.with_lost(field, unit_id, layer, -back)
    text, left = "{unit} regains {points} {layer} and has {left}", layers.remaining(after, unit_id, layer)
    table.find(text, unit=after.name(unit_id), points=back, layer=layer, left=left)
    if back:
        table.event("recovered", unit=unit_id, layer=layer, points=back)
    return after
