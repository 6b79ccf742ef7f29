"""Reach: every tile that a unit can aim at with a weapon, a grenade or an ability."""

from functools import partial

from arbiter.geometry.tile.board import Grazes
from arbiter.readings import settled
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import Method, TargetedCard
from services.warleague.rules import observed, targeting
from services.warleague.rules.targeting import FRIENDS, GRAZES, METRIC, OVER
from services.warleague.scene import Tile


def tiles(
    table: Table,
    field: Battlefield,
    attacker: str,
    card: TargetedCard,
    among: frozenset[Tile] | None = None,
    here: Tile | None = None,
) -> frozenset[Tile]:
    """Give every tile that a unit reaches with a weapon, a grenade or an ability, as `targeting.violations` has it.

    `among` are the tiles that matter, by default all; `here` is from where, by default its own tile. Where only the
    players see the tiles, it is every one that it could reach: those of enemies, of an ability all.
    """
    with table.without_findings():
        here = field.at(attacker) if here is None else here
        if observed.is_somewhere(here):
            others = field.units if card.targeting is None else field.enemies(field.unit(attacker))
            return frozenset(field.at(unit.id) for unit in others)
        most = targeting.range_of(table, field, attacker, card)
        near = field.ground.tiles
        if most is not None:
            near = settled(table, partial(field.ground.area, here, most), METRIC)
        if among is not None:
            near &= among
        if card.method is None and card.is_melee:
            ring = frozenset(field.ground.neighbours(here))
            if near <= ring | {here}:
                # Next to the bearer all methods are alike; on its own tile nothing is in the way of a line.
                return near & (ring if table.readings["melee-method"] == "direct" else ring | {here})
        thrown = card.targeting == "thrown"
        return _open(table, field, attacker, here, targeting.method(table, card), near, thrown)


def _open(
    table: Table, field: Battlefield, attacker: str, here: Tile, how: Method, near: frozenset[Tile], thrown: bool
) -> frozenset[Tile]:
    """Give which of some tiles a unit reaches from a tile by a method."""
    if how == "direct":
        return near & frozenset(field.ground.neighbours(here))
    if how == "limitless":
        return near
    if near <= {here}:
        return near  # nothing is in the way of a line to its own tile

    def clear(grazes: Grazes, friendly: str) -> frozenset[Tile]:
        return near & field.ground.visible_from(here, targeting.blockers(field, attacker, friendly), grazes)

    def lobbed(grazes: Grazes, over: str) -> frozenset[Tile]:
        free = thrown and over == "pass"
        return near if free else near & field.ground.visible_from(here, field.obstacles, grazes)

    return settled(table, clear, GRAZES, FRIENDS) if how == "clear-line" else settled(table, lobbed, GRAZES, OVER)
