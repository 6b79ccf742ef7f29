"""The inventory of a unit: what it has where, whether there is room, and where an item goes that it gets."""

from typing import Literal

from msgspec.structs import replace

from arbiter.rule import rule
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import ItemCard
from services.warleague.scene import Item, LyingItem

Place = Literal["slots", "inventory"]
PLACES: tuple[Place, ...] = ("slots", "inventory")


def stored(field: Battlefield, actor: str, place: Place) -> tuple[Item, ...]:
    """Give the items that a unit has in a place."""
    unit = field.unit(actor)
    return unit.slots if place == "slots" else unit.inventory


@rule("items.taken", cites="crate/loot", neutral=lambda field, unit, item: field)
def take(table: Table, field: Battlefield, unit: str, item: Item) -> Battlefield:
    """Decide where an item goes that a unit gets: into its inventory, and without room there onto its tile."""
    each, name = field.unit(unit), named(field.book.items[item.item])
    if not room(field, unit):
        table.find("{unit} has no room for {item}, and it lies on the tile", unit=field.name(unit), item=name)
        return field.with_(items=(*field.scene.items, LyingItem(field.at(unit), item.item, item.left)))
    table.find("{unit} takes {item}", unit=field.name(unit), item=name)
    table.event("item-taken", unit=unit, item=item.item)
    return field.put(replace(each, inventory=(*each.inventory, item)))


def room(field: Battlefield, unit: str) -> bool:
    """Say whether a unit has room in its inventory for one more thing."""
    each = field.unit(unit)
    return len(each.inventory) + len(each.spare) < field.profile(each).inventory


def named(card: ItemCard) -> str:
    """Name an item."""
    return card.name or card.id
