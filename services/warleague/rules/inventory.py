"""The inventory of a unit: the items that it has in each place, and whether there is room for more."""

from typing import Literal

from services.warleague.battlefield import Battlefield
from services.warleague.profiles import ItemCard
from services.warleague.scene import Item

Place = Literal["slots", "inventory"]
PLACES: tuple[Place, ...] = ("slots", "inventory")


def stored(field: Battlefield, actor: str, place: Place) -> tuple[Item, ...]:
    """Give the items that a unit has in a place."""
    unit = field.unit(actor)
    return unit.slots if place == "slots" else unit.inventory


def room(field: Battlefield, unit: str) -> bool:
    """Say whether a unit has room in its inventory for one more thing."""
    each = field.unit(unit)
    return len(each.inventory) + len(each.spare) < field.profile(each).inventory


def named(card: ItemCard) -> str:
    """Name an item."""
    return card.name or card.id
