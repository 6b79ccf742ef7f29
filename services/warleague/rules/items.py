"""Items: what it costs to use one, whom it helps, and how units pick items up."""

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import beside, violations_rule
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.book import number
from services.warleague.profiles import ItemCard
from services.warleague.rules import effects, observed, points, reach, recovery, targeting
from services.warleague.scene import Item, LyingItem, Place, Tile

USED = ("stimulant", "repair", "grenade")
"""The kinds of items that are used: the others work while they are worn, or are reloaded from."""


class Use(Value, frozen=True):
    """An item that a unit uses: the place where it is, and its index there.

    A grenade goes to a tile. `on` is the unit that the item helps (by default the user) or throws.
    """

    actor: str
    place: Place
    item: int
    to: Tile | None = None
    on: str | None = None


class PickUp(Value, frozen=True):
    """An item that a unit picks up, by its place among those that lie on the board."""

    actor: str
    lying: int


def card(field: Battlefield, use: Use) -> ItemCard:
    """Give the card of the item that is used."""
    return field.book.items[field.stored(use.actor, use.place)[use.item].item]


# Whether, and for how much


@rule("items.price", cites="item/inventory", neutral=lambda field, use: card(field, use).ap)
def price(table: Table, field: Battlefield, use: Use) -> int:
    """Decide what it costs to use an item: its own action points, and one more out of the inventory."""
    ap, extra = card(field, use).ap, number("inventory-extra")
    if use.place == "slots":
        return ap
    item = card(field, use).title
    table.find("Using {item} from the inventory costs {points} AP", item=item, points=ap + extra)
    return ap + extra


def violations(table: Table, field: Battlefield, use: Use) -> tuple[Reason, ...]:
    """Give every reason why a unit may not use an item so."""
    item = card(field, use)
    if reasons := unused(table, field, use):
        return reasons
    short = points.violations(table, field, use.actor, price(table, field, use))
    if item.kind != "grenade":
        reasons = (*short, *unhelped(table, field, use))
        return (*reasons, *beside(reasons, partial(unreached, table, field, use), ()))
    at = field.at(use.actor) if use.to is None else use.to
    aim = targeting.aim_violations(table, field, use.actor, item, at)
    measure = partial(targeting.violations, table, field, use.actor, item, at)
    return (*short, *beside((*short, *aim), measure, ()), *aim)


@violations_rule("items.unused", cites="defence/recovery-items")
def unused(table: Table, field: Battlefield, use: Use) -> Iterator[Reason]:
    """Decide whether an item is of a kind that units use as an action."""
    item = card(field, use)
    if item.kind not in USED:
        why = "weapons are reloaded from it" if item.kind == "ammo" else "it works while it is worn"
        yield table.reason("{item} cannot be used as an action: {why}", item=item.title, why=why)


@violations_rule("items.unhelped", cites=("defence/recovery-items", "damage/upgrade-no-repair"))
def unhelped(table: Table, field: Battlefield, use: Use) -> Iterator[Reason]:
    """Decide whether an item helps a unit: a stimulant needs health, repair droids need armor of the unit's own."""
    item, target = card(field, use), use.on or use.actor
    profile = field.profile(field.unit(target))
    words = {"item": item.title, "unit": field.name(target)}
    if item.kind == "stimulant" and item.heals and profile.health is None:
        yield table.reason("{unit} has no health for {item} to restore", cites="defence/recovery-items", **words)
    if item.kind == "repair" and profile.armor is None:
        if any(field.book.items[worn.item].kind == "armor-upgrade" for worn in field.unit(target).slots):
            text = "{unit} has only an armor upgrade, which {item} cannot repair"
            yield table.reason(text, cites="damage/upgrade-no-repair", **words)
        else:
            yield table.reason("{unit} has no armor for {item} to repair", cites="defence/recovery-items", **words)
    if target != use.actor and field.unit(target).downed:
        yield table.reason("{unit} is downed", cites="kill/heroes", **words)


@violations_rule("items.unreached", cites="targeting/mode")
def unreached(table: Table, field: Battlefield, use: Use) -> Iterator[Reason]:
    """Decide on whom a recovery item may be used: on the user, and on others if its card says how to reach them."""
    item = card(field, use)
    if use.on is None or use.on == use.actor:
        return
    if item.method is None:
        yield table.reason("{unit} can only use {item} on itself", unit=field.name(use.actor), item=item.title)
    else:
        yield from targeting.violations(table, field, use.actor, item, field.at(use.on))


def uses(table: Table, field: Battlefield, actor: str) -> Iterator[Use]:
    """Give every use of an item that is open to a unit, in the order of its slots, its inventory, and the tiles."""
    for place, index in field.places(actor):
        use = Use(actor, place, index)
        its_card = card(field, use)
        if its_card.kind == "grenade":
            yield from _throws(table, field, use, its_card)
        elif its_card.kind in USED and not violations(table, field, use):
            yield use


def _throws(table: Table, field: Battlefield, use: Use, grenade: ItemCard) -> Iterator[Use]:
    """Give each throw of a grenade that is open to a unit; on a board it goes to tiles in reach."""
    if unused(table, field, use) or points.violations(table, field, use.actor, price(table, field, use)):
        return
    for at in field.in_order(reach.tiles(table, field, use.actor, grenade)):
        throw = replace(use, to=at)
        measured = not observed.is_somewhere(at)
        aim = targeting.aim_violations(table, field, use.actor, grenade, at)
        if not aim and (measured or not violations(table, field, throw)):
            yield throw


# Using


@rule("items.spent", cites=("types/thrown", "defence/heal", "defence/repair"), neutral=unchanged)
def spent(table: Table, field: Battlefield, use: Use) -> Battlefield:
    """Decide whether an item is gone after it was used: `used-up`."""
    if table.read("used-up") == "no":
        return field
    cites = {"grenade": "types/thrown", "stimulant": "defence/heal"}.get(card(field, use).kind, "defence/repair")
    words = {"unit": field.name(use.actor), "item": card(field, use).title}
    table.find("{unit} uses up {item}", **words, cites=cites)
    return field.stored_put(use.actor, use.place, use.item)


def helped(table: Table, field: Battlefield, item: ItemCard, unit: str) -> Battlefield:
    """Give what a recovery item does for a unit: health or armor, and what it changes for a time."""
    field = recovers(table, field, item, unit)
    if item.kind == "repair":
        field = upgrades_kept(table, field, unit, item.repairs)
    return strengthened(table, field, item, unit) if item.changes else field


@rule("items.recovers", cites="defence/recovery-items", neutral=unchanged)
def recovers(table: Table, field: Battlefield, item: ItemCard, unit: str) -> Battlefield:
    """Decide which layer an item recovers: stimulants health, repair droids armor."""
    layer, many = ("armor", item.repairs) if item.kind == "repair" else ("health", item.heals)
    if not many:
        return field
    table.find("{item}: {unit} regains {layer}", item=item.title, unit=field.name(unit), layer=layer)
    return (recovery.repaired if layer == "armor" else recovery.healed)(table, field, unit, many)


def _mended(field: Battlefield, unit: str, many: int) -> Battlefield:
    """Give the battlefield as it would be if armor upgrades could be repaired."""
    each = field.unit(unit)
    items = ((item, field.book.items[item.item]) for item in each.slots)
    slots = tuple(
        item
        if card_.kind != "armor-upgrade" or item.left is None
        else replace(item, left=min(card_.armor, item.left + many))
        for item, card_ in items
    )
    return field.put(replace(each, slots=slots))


@rule("items.upgrades_kept", cites="damage/upgrade-no-repair", neutral=_mended)
def upgrades_kept(table: Table, field: Battlefield, unit: str, many: int) -> Battlefield:
    """Decide what repair droids do for armor upgrades: nothing."""
    damaged = [item.item for item in field.unit(unit).slots if item.left is not None]
    for id_ in damaged:
        if field.book.items[id_].kind == "armor-upgrade":
            table.find("{item} cannot be repaired", item=field.book.items[id_].title)
    return field


@rule("items.strengthened", cites="update/moves-on", neutral=unchanged)
def strengthened(table: Table, field: Battlefield, item: ItemCard, unit: str) -> Battlefield:
    """Decide what a stimulant changes beside healing, and for how long."""
    return effects.add(table, field, unit, item.id, item.changes, item.lasts)


# Taking up


@rule("items.take", cites="crate/loot", neutral=unchanged)
def take(table: Table, field: Battlefield, unit: str, item: Item) -> Battlefield:
    """Decide where a new item of a unit goes: into its inventory, or onto its tile if there is no room."""
    each, name = field.unit(unit), field.book.items[item.item].title
    if not field.has_room(unit):
        table.find("{unit} has no room for {item} and leaves the card on the tile", unit=field.name(unit), item=name)
        return field.dropped("items", LyingItem(field.at(unit), item.item, item.left))
    table.find("{unit} takes {item}", unit=field.name(unit), item=name)
    table.event("item-taken", unit=unit, item=item.item)
    return field.put(replace(each, inventory=(*each.inventory, item)))


def underfoot(table: Table, field: Battlefield, unit: str) -> Iterator[PickUp]:
    """Give every item that lies on the tile of a unit, for it to pick up."""
    return (PickUp(unit, index) for index, item in enumerate(field.scene.items) if item.at == field.at(unit))


@rule("items.pick_up_price", cites=("item/inventory", "rad/collected"), neutral=0)
def pick_up_price(table: Table, field: Battlefield, pick_up: PickUp) -> int:
    """Decide what it costs to pick up an item: nothing, or 1 action point, by `pick-up`."""
    ap = 1 if table.read("pick-up") == "point" else 0
    table.find("Picking up an item costs {unit} {points} AP", unit=field.name(pick_up.actor), points=ap)
    return ap


@violations_rule("items.beyond_reach", cites="item/inventory")
def beyond_reach(table: Table, field: Battlefield, pick_up: PickUp) -> Iterator[Reason]:
    """Decide whether a unit can take an item up: it is on its tile, and there is room in the inventory."""
    unit, loose = pick_up.actor, field.scene.items[pick_up.lying]
    words = {"unit": field.name(unit), "item": field.book.items[loose.item].title}
    if loose.at != field.at(unit):
        yield table.reason("{unit} is not on the tile of {item}", **words)
    if not field.has_room(unit):
        yield table.reason("{unit} has no room in its inventory for {item}", **words)


def picked_up(table: Table, field: Battlefield, pick_up: PickUp) -> Battlefield:
    """Let a unit pick up an item that lies on its tile, and pay for it."""
    unit, lying = pick_up.actor, pick_up.lying
    if price_ := pick_up_price(table, field, pick_up):
        field = points.paid(table, field, unit, price_, "picking up an item")
    items, loose = field.scene.items, field.scene.items[lying]
    field = field.with_(items=(*items[:lying], *items[lying + 1 :]))
    return take(table, field, unit, Item(loose.item, loose.left))
