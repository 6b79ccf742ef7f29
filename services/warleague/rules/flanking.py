"""Flanking: whether an attack comes from behind its target, and what that means."""

from typing import cast

from arbiter.geometry.tile.grid import Rear
from arbiter.readings import Options, settled
from arbiter.rule import rule
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import Targeting
from services.warleague.scene import Tile

REAR: Options = ("rear-sector", ("half", "edge", "three"))
FLANKED: Options = ("flanked", ("behind", "engaged"))
WEAPONS: Options = ("flanking-weapons", ("all", "melee"))


def behind(table: Table, field: Battlefield, target: str, origin: Tile, targeting: Targeting | None) -> bool:
    """Give whether an attack from a tile is critical since it comes from behind; without a type it is an ability."""
    if targeting is None:
        return not_asked(table, field, target, origin)
    return flanked(table, field, target, origin, targeting)


@rule("flanking.flanked", cites=("flanking/from-behind", "flanking/critical"), neutral=False)
def flanked(table: Table, field: Battlefield, target: str, origin: Tile, targeting: Targeting) -> bool:
    """Decide whether an attack with a weapon comes from behind its target, and so is critical without a roll.

    What is behind is `rear-sector`, what else it takes `flanked`, and which weapons it holds for `flanking-weapons`.
    """
    engaged = _engaged(field, target, origin)

    def decided(rear: str, needed: str, weapons: str) -> bool:
        fit = (weapons == "all" or targeting == "melee") and (needed == "behind" or engaged)
        return fit and _behind(field, target, origin, rear)

    critical = settled(table, decided, REAR, FLANKED, WEAPONS)
    if critical:
        table.find("{unit} is attacked from behind: critical damage without a roll", unit=field.name(target))
    return critical


@rule(
    "flanking.not_asked",
    cites="flanking/abilities",
    neutral=lambda field, target, origin: _behind(field, target, origin, "half"),
)
def not_asked(table: Table, field: Battlefield, target: str, origin: Tile) -> bool:
    """Decide whether an ability is critical from behind: where its target faces does not matter."""
    table.find("The facing of {unit} does not matter for an ability", unit=field.name(target))
    return False


def _behind(field: Battlefield, target: str, origin: Tile, rear: str) -> bool:
    unit, here = field.unit(target), field.at(target)
    if unit.facing is None or origin == here:
        return False
    return field.ground.behind(here, unit.facing, origin, cast(Rear, rear))


def _engaged(field: Battlefield, target: str, origin: Tile) -> bool:
    """Say whether an enemy of the target other than the attacker is next to it."""
    near = [
        enemy
        for enemy in field.enemies(field.unit(target))
        if field.ground.adjacent(field.at(target), field.at(enemy.id))
    ]
    attackers = [enemy for enemy in near if enemy.at == origin]
    return len(near) > min(1, len(attackers))
