"""Victory and defeat: which players have lost."""

from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing
from services.warleague.battlefield import Battlefield
from services.warleague.scene import Unit


def heroes(field: Battlefield, side: str) -> tuple[Unit, ...]:
    """Give the heroes of a side, the fallen included."""
    return tuple(unit for unit in field.scene.units if unit.side == side and unit.id in field.heroes)


def lost(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Give the sides that have lost, in the order of the scene."""
    return tuple(side.id for side in field.scene.sides if has_lost(table, field, side.id))


@rule("victory.has_lost", cites="hero/lost", neutral=False)
def has_lost(table: Table, field: Battlefield, side: str) -> bool:
    """Decide whether a player has lost: the hero is down for good; what of several heroes is `several-heroes`."""
    own = heroes(field, side)
    down = [unit for unit in own if for_good(table, field, unit)]
    if not down:
        return False
    if len(down) < len(own) and table.read("several-heroes") == "all":
        return False
    names = Listing(field.name(unit.id) for unit in down)
    text = "{side} loses: {heroes} are down for good" if len(down) > 1 else "{side} loses: {heroes} is down for good"
    table.find(text, heroes=names, side=side)
    return True


@rule("victory.for_good", cites=("hero/lost", "hero/recovery"), neutral=False)
def for_good(table: Table, field: Battlefield, unit: Unit) -> bool:
    """Decide whether a hero is down for good: dead, or downed and, by `downed-hero`, not to recover."""
    if unit.dead:
        return True
    return unit.downed and table.read("downed-hero") == "no"
