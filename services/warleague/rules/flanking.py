"""Flanking: whether an attack comes from behind its target, and what that means."""

from functools import partial

from arbiter.geometry.tile.grid import Rear
from arbiter.readings import Options, settled
from arbiter.rule import rule
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import Targeting
from services.warleague.rules import observed
from services.warleague.scene import Tile

REAR: Options = ("rear-sector", ("half", "edge", "three"))


def behind(
    table: Table, field: Battlefield, attacker: str, target: str, origin: Tile, targeting: Targeting | None
) -> bool:
    """Give whether an attack from a tile is critical since it comes from behind; without a type it is an ability."""
    if targeting is None:
        return not_asked(table, field, target, origin)
    return flanked(table, field, attacker, target, origin, targeting)


@rule("flanking.flanked", cites=("flanking/from-behind", "flanking/critical"), neutral=False)
def flanked(table: Table, field: Battlefield, attacker: str, target: str, origin: Tile, targeting: Targeting) -> bool:
    """Decide whether an attack with a weapon comes from behind its target, and so is critical without a roll.

    What is behind is `rear-sector`, what else it takes `flanked`, and which weapons it holds for `flanking-weapons`.
    """

    measure = partial(settled, table, partial(_behind, field, target, origin), REAR)
    if not observed.behind(table, field, attacker, target, measure):
        return False
    if not _engaged(table, field, attacker, target, origin):
        return False
    if targeting != "melee" and table.read("flanking-weapons") == "melee":
        return False
    table.find("{unit} is attacked from behind: critical damage without a roll", unit=field.name(target))
    return True


@rule(
    "flanking.not_asked",
    cites="flanking/abilities",
    neutral=lambda field, target, origin: _behind(field, target, origin, "half"),
)
def not_asked(table: Table, field: Battlefield, target: str, origin: Tile) -> bool:
    """Decide whether an ability is critical from behind: where its target faces does not matter."""
    table.find("The facing of {unit} does not matter for an ability", unit=field.name(target))
    return False


def _behind(field: Battlefield, target: str, origin: Tile, rear: Rear) -> bool:
    unit, here = field.unit(target), field.at(target)
    if unit.facing is None or origin == here:
        return False
    return field.ground.behind(here, unit.facing, origin, rear)


def _engaged(table: Table, field: Battlefield, attacker: str, target: str, origin: Tile) -> bool:
    """Say whether a target is engaged, if the reading `flanked` needs that: another enemy is next to it."""
    measure = partial(_beside, field, target, origin)
    if table.facts is None:
        return measure() or table.read("flanked") == "behind"
    return table.read("flanked") == "behind" or observed.engaged(table, field, attacker, target, measure)


def _beside(field: Battlefield, target: str, origin: Tile) -> bool:
    """Say whether an enemy of the target other than the attacker is next to it."""
    here, enemies = field.at(target), field.enemies(field.unit(target))
    near = [enemy for enemy in enemies if field.ground.adjacent(here, field.at(enemy.id))]
    attackers = [enemy for enemy in near if enemy.at == origin]
    return len(near) > min(1, len(attackers))
