"""Items that are used, and what grenades and abilities do to a tile: an explosion, or damage and a throw."""

from msgspec.structs import replace

from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Belonging
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import TargetedCard
from services.warleague.rules import chains, damage, flanking, intensity, items, points
from services.warleague.rules.happenings import Blast, Blow, Throwing
from services.warleague.rules.items import Use
from services.warleague.scene import Tile


def use_item(table: Table, field: Battlefield, use: Use) -> Battlefield:
    """Use an item: pay for it, do what it does, and lay it aside."""
    item = items.card(field, use)
    field = points.paid(table, field, use.actor, items.price(table, field, use), item.title)
    table.event("item-used", unit=use.actor, item=item.id)
    field = items.spent(table, field, use)
    if item.kind == "grenade":
        at = field.at(use.actor) if use.to is None else use.to
        return effect(table, field, use.actor, item, at, use.on)
    return items.helped(table, field, item, use.on or use.actor)


def effect(
    table: Table, field: Battlefield, attacker: str, card: TargetedCard, to: Tile, on: str | None
) -> Battlefield:
    """Give what a grenade or an ability does to a tile; `on` is who is thrown, without it whoever is listed first."""
    origin, why = field.at(attacker), Belonging(card.title, field.name(attacker))
    if card.explodes:
        blast = replace(Blast.of(card, to, why, attacker, origin), named=on)
        return chains.resolve(table, field, blast).field
    who = target(field, to, on)
    if card.damage:
        field = harmed(table, field, attacker, card, to, on)
    if who is None or card.throw is None or field.unit(who).at is None:
        return field
    return chains.resolve(table, field, Throwing(who, card.throw, why, origin, attacker)).field


def target(field: Battlefield, to: Tile, on: str | None) -> str | None:
    """Give the unit that something aimed at a tile affects: the named one, or the first one there."""
    there = [unit.id for unit in field.on(to)]
    return on if on in there else next(iter(there), None)


@rule("tile_effects.harmed", cites="attack/direct", neutral=unchanged)
def harmed(
    table: Table, field: Battlefield, attacker: str, card: TargetedCard, to: Tile, on: str | None
) -> Battlefield:
    """Decide what damage a grenade that does not explode, or an ability, does to those on a tile.

    A grenade is critical from behind the unit that is hit first, as a weapon is; for abilities it does not matter where
    the target faces.
    """
    there = tuple(unit.id for unit in field.on(to) if not unit.downed)
    if not there:
        return field
    why, first, critical = Belonging(card.title, field.name(attacker)), None, False
    blow = Blow(0, why, attacker, bypasses=card.bypasses, against=card.against, named=on)
    if len(card.damage) > 1:
        first = None if card.targeting is None else damage.first_hit(table, field, there, blow)
        critical = flanking.behind(table, field, attacker, first or there[0], field.at(attacker), card.targeting)
    amount = intensity.value(table, card.damage, f"{attacker}: {card.id}", critical)
    amount = intensity.modified(table, field, attacker, card.targeting, amount)
    table.find("{why} does {amount} damage", why=why, amount=amount)
    return damage.on_units(table, field, there, replace(blow, amount=amount), first).field
