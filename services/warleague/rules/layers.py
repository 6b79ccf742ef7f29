"""Layers of defense: what is left of each, what passes it, and how it takes damage in and comes back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from msgspec.structs import replace

from arbiter.option import Option
from arbiter.readings import Options, settled
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing, Quantity, Signed
from arbiter.value import Value
from services.warleague.battlefield import Battlefield, full
from services.warleague.book import Book
from services.warleague.profiles import ItemCard, Layer
from services.warleague.rules.happenings import Blow, DamageOutcome, Loss
from services.warleague.scene import Item, Place, Unit

Body = Literal["armor", "health"]
BODY: tuple[Body, ...] = ("armor", "health")
Absorption = tuple[int, Item | None]
"""How much something takes in, and what is left of it then; nothing where it is destroyed."""

NAMES: Mapping[Layer, str] = {
    "energy-shield": "energy shield",
    "armor-upgrade": "armor upgrade",
    "armor": "armor",
    "health": "health",
}
THRESHOLD: Options = ("upgrade-threshold", ("below", "at"))
LAST_HIT: Options = ("upgrade-last-hit", ("whole", "to-threshold"))
BONUS: Options = ("layer-bonus", ("base-first", "bonus-first", "carried"))
PENALTY: Options = ("layer-penalty", ("gone", "layer-alone"))


class LayersLeft(Value, frozen=True):
    """What is left of each layer of a unit."""

    energy_shield: int
    armor_upgrade: int
    armor: int
    health: int

    @property
    def by_layer(self) -> tuple[tuple[Layer, int], ...]:
        """What is left, by the names of the layers, the outermost first."""
        return tuple(zip(NAMES, (self.energy_shield, self.armor_upgrade, self.armor, self.health), strict=True))

    @property
    def body(self) -> int:
        """What the unit itself has left, without its equipment."""
        return self.armor + self.health

    @property
    def total(self) -> int:
        """What is left of all layers together."""
        return self.energy_shield + self.armor_upgrade + self.body


@dataclass(frozen=True)
class WornItem:
    """A shield or an upgrade that protects a unit, with where it is and what is left of it."""

    place: Place
    index: int
    card: ItemCard
    left: int


class Absorbed(Value, frozen=True):
    """What a layer takes in: of an `amount` so much comes to it, its bonus or penalty included, and so many points fit.

    `used_up`: nothing is left of the layer.
    """

    layer: Layer
    amount: int
    incoming: int
    points: int
    used_up: bool


def left(table: Table, field: Battlefield, unit_id: str) -> LayersLeft:
    """Give what is left of each layer of a unit, of equipment only what protects it."""
    with table.without_findings():
        shield, upgrade = (
            sum(worn.left for worn in equipment(table, field, unit_id, kind))
            for kind in ("energy-shield", "armor-upgrade")
        )
    return LayersLeft(shield, upgrade, remaining(field, unit_id, "armor"), remaining(field, unit_id, "health"))


def remaining(field: Battlefield, unit_id: str, layer: Body) -> int:
    """Give what a unit has left of its armor or health."""
    unit = field.unit(unit_id)
    return field.full(unit_id, layer) - (unit.armor_lost if layer == "armor" else unit.health_lost)


def with_lost(field: Battlefield, unit_id: str, layer: Body, points: int) -> Battlefield:
    """Give the battlefield on which a unit has lost so much more of its armor or health, or got it back."""
    unit = field.unit(unit_id)
    if layer == "armor":
        return field.put(replace(unit, armor_lost=unit.armor_lost + points))
    return field.put(replace(unit, health_lost=unit.health_lost + points))


def gone(table: Table, field: Battlefield, unit_id: str) -> bool:
    """Say whether a unit has lost so much that it dies: of what, is `death-when`."""
    armor, health = remaining(field, unit_id, "armor"), remaining(field, unit_id, "health")
    organic = field.profile(field.unit(unit_id)).health is not None

    def dead(when: str) -> bool:
        return health <= 0 if when == "health" and organic else armor <= 0 and health <= 0

    return settled(table, dead, ("death-when", ("both", "health")))


def capped(book: Book, unit: Unit) -> Unit:
    """Give a unit with no more action points and no more lost than its card, equipment and effects leave it."""
    return replace(
        unit,
        ap=None if unit.ap is None else min(unit.ap, full(book, unit, "ap")),
        health_lost=min(unit.health_lost, full(book, unit, "health")),
        armor_lost=min(unit.armor_lost, full(book, unit, "armor")),
    )


# Equipment


@rule("layers.equipment", cites="damage/equipment-first", neutral=())
def equipment(table: Table, field: Battlefield, unit_id: str, kind: Layer) -> tuple[WornItem, ...]:
    """Decide which shields or upgrades protect a unit: those in its slots, before it is hurt itself.

    Whether those in its inventory do is `equipment-where`.
    """
    unit = field.unit(unit_id)
    worn_items = _of_kind(field.book, "slots", unit.slots, kind)
    if (stored := _of_kind(field.book, "inventory", unit.inventory, kind)) and anywhere(table):
        worn_items += stored
    if worn_items:
        things = Listing(f"{worn.card.title} ({worn.left})" for worn in worn_items)
        table.find("{unit} is protected by {things}", unit=field.name(unit_id), things=things)
    return worn_items


def _of_kind(book: Book, place: Place, items: tuple[Item, ...], kind: Layer) -> tuple[WornItem, ...]:
    cards = ((index, item, book.items[item.item]) for index, item in enumerate(items))
    every = (WornItem(place, index, card, level(card, item)) for index, item, card in cards if card.kind == kind)
    return tuple(worn for worn in every if worn.left > 0)


def anywhere(table: Table) -> bool:
    """Say whether equipment in an inventory protects; called only where there is such equipment."""
    return table.read("equipment-where") == "anywhere"


def level(card: ItemCard, item: Item) -> int:
    """Give what is left of a shield or an upgrade, all of it where nothing is counted."""
    whole = card.level if card.kind == "energy-shield" else card.armor
    return whole if item.left is None else item.left


# Damage


def absorb(table: Table, field: Battlefield, unit_id: str, blow: Blow) -> DamageOutcome:
    """Give what the layers of a unit take in of a blow, one after another; nobody dies of it yet."""
    losses: tuple[Loss, ...] = ()
    amount, steps = blow.amount, {"damage": blow.amount}
    for name, layer in zip(NAMES.values(), (shields, upgrades, armor, health), strict=True):
        if amount <= 0:
            break
        dealt = layer(table, field, unit_id, blow, amount)
        steps[name] = dealt.left - amount
        field, losses, amount = dealt.field, losses + dealt.losses, dealt.left
    taken = sum(loss.points for loss in losses)
    table.record(f"{unit_id}: damage", modifiers=steps, total=amount, outcome=f"{taken} damage")
    return DamageOutcome(field, losses, amount)


def _unabsorbed(field: Battlefield, unit_id: str, blow: Blow, amount: int) -> DamageOutcome:
    return DamageOutcome(field, (), amount)


@rule("layers.shields", cites="damage/shield-layer", neutral=_unabsorbed)
def shields(table: Table, field: Battlefield, unit_id: str, blow: Blow, amount: int) -> DamageOutcome:
    """Decide what energy shields take in: they are the outermost layer, unless the blow passes them."""
    return _worn(table, field, unit_id, "energy-shield", blow, amount, tags_off)


@rule("layers.upgrades", cites=("damage/upgrade-extends", "damage/upgrade-second"), neutral=_unabsorbed)
def upgrades(table: Table, field: Battlefield, unit_id: str, blow: Blow, amount: int) -> DamageOutcome:
    """Decide what armor upgrades take in: they come after the shields, and before the unit's own armor."""
    return _worn(table, field, unit_id, "armor-upgrade", blow, amount, worn_down)


@rule("layers.armor", cites="damage/armor", neutral=_unabsorbed)
def armor(table: Table, field: Battlefield, unit_id: str, blow: Blow, amount: int) -> DamageOutcome:
    """Decide what a unit's own armor takes in, when shields and upgrades are passed or used up."""
    return _body(table, field, unit_id, "armor", blow, amount)


@rule("layers.health", cites="damage/health", neutral=_unabsorbed)
def health(table: Table, field: Battlefield, unit_id: str, blow: Blow, amount: int) -> DamageOutcome:
    """Decide what falls on health: the rest, when there is no armor or none left."""
    return _body(table, field, unit_id, "health", blow, amount)


Absorb = Callable[[Table, Battlefield, str, WornItem, int], Absorption]


def _worn(
    table: Table, field: Battlefield, unit_id: str, layer: Layer, blow: Blow, amount: int, takes: Absorb
) -> DamageOutcome:
    """Let the equipment of one layer take damage in, one thing after another."""
    waiting = list(equipment(table, field, unit_id, layer))
    if not waiting or passes(table, field, unit_id, blow, layer):
        return DamageOutcome(field, (), amount)
    incoming, absorbed = against(table, blow, layer, amount), 0
    now: dict[tuple[Place, int], Item | None] = {}
    while waiting and absorbed < incoming:
        each = _next(table, field, unit_id, waiting, incoming - absorbed)
        waiting.remove(each)
        points, now[each.place, each.index] = takes(table, field, unit_id, each, incoming - absorbed)
        absorbed += points
    used_up = not waiting and not any(item is not None and item.left for item in now.values())
    after = _with_items(field, unit_id, now)
    _report(table, field, unit_id, layer, incoming, absorbed)
    return _dealt(table, after, unit_id, Absorbed(layer, amount, incoming, absorbed, used_up))


def _body(table: Table, field: Battlefield, unit_id: str, layer: Body, blow: Blow, amount: int) -> DamageOutcome:
    """Let the armor or the health of a unit take damage in."""
    has = remaining(field, unit_id, layer)
    if has <= 0 or passes(table, field, unit_id, blow, layer):
        return DamageOutcome(field, (), amount)
    incoming = against(table, blow, layer, amount)
    absorbed = min(incoming, has)
    _report(table, field, unit_id, layer, incoming, absorbed)
    after = counted(table, field, unit_id, layer, absorbed)
    return _dealt(table, after, unit_id, Absorbed(layer, amount, incoming, absorbed, absorbed == has))


def _report(table: Table, field: Battlefield, unit_id: str, layer: Layer, incoming: int, absorbed: int) -> None:
    text = "The {layer} of {unit} absorbs {taken} of {come} damage"
    table.find(text, layer=NAMES[layer], unit=field.name(unit_id), taken=absorbed, come=incoming)


def _dealt(table: Table, after: Battlefield, unit_id: str, taken: Absorbed) -> DamageOutcome:
    losses = (Loss(unit_id, taken.layer, taken.points),) if taken.points else ()
    if taken.points:
        table.event("damaged", unit=unit_id, layer=taken.layer, points=taken.points)
    return DamageOutcome(after, losses, goes_on(table, taken))


@rule("layers.passed", cites="damage/bypass", neutral=False)
def passed(table: Table, field: Battlefield, unit_id: str, blow: Blow, layer: Layer) -> bool:
    """Decide whether a blow bypasses a layer because of its weapon: it then hurts only the layers below."""
    if layer not in blow.bypasses:
        return False
    words = {"why": blow.why, "layer": NAMES[layer], "unit": field.name(unit_id)}
    table.find("The {layer} of {unit} does not stop {why}", **words)
    return True


@rule("layers.penetrated", cites="melee/through-shields", neutral=False)
def penetrated(table: Table, field: Battlefield, unit_id: str, blow: Blow, layer: Layer) -> bool:
    """Decide whether a blow goes through energy shields: all melee weapons do."""
    if not blow.melee or layer != "energy-shield":
        return False
    words = {"why": blow.why, "unit": field.name(unit_id)}
    table.find("The energy shield of {unit} does not stop a melee weapon: {why}", **words)
    return True


def passes(table: Table, field: Battlefield, unit_id: str, blow: Blow, layer: Layer) -> bool:
    """Say whether a blow bypasses a layer for any reason."""
    return penetrated(table, field, unit_id, blow, layer) or passed(table, field, unit_id, blow, layer)


@rule("layers.against", cites="defence/modifiers", neutral=lambda blow, layer, amount: amount)
def against(table: Table, blow: Blow, layer: Layer, amount: int) -> int:
    """Decide how much damage comes to a layer: that of the blow, with its bonus or penalty against this layer."""
    steps = [each.step for each in blow.against if each.layer == layer]
    if not steps:
        return amount
    come = max(0, amount + sum(steps))
    text, step = "{step} against the {layer} for {why}: {come} damage instead of {amount}", Signed(sum(steps))
    table.find(text, why=blow.why, step=step, layer=NAMES[layer], come=come, amount=amount)
    return come


@rule("layers.goes_on", cites="damage/layer-by-layer", neutral=lambda taken: taken.amount)
def goes_on(table: Table, taken: Absorbed) -> int:
    """Decide what goes on from a layer: what it has not taken in.

    What of a bonus against it does is `layer-bonus`, and what a penalty has taken off `layer-penalty`.
    """
    over = taken.incoming - taken.points

    def rest(bonus: str, penalty: str) -> int:
        if taken.incoming < taken.amount:
            return taken.amount - taken.points if penalty == "layer-alone" and taken.used_up else over
        left = {"base-first": max(0, taken.amount - taken.points), "bonus-first": min(taken.amount, over)}
        return left.get(bonus, over)

    points = settled(table, rest, BONUS, PENALTY)
    if taken.layer == "health":
        text = "{rest} damage is left over" if points else "No damage is left over"
    else:
        text = "{rest} damage gets past the {layer}" if points else "No damage gets past the {layer}"
    table.find(text, rest=points, layer=NAMES[taken.layer])
    return points


@rule("layers.counted", cites="damage/counters", neutral=unchanged)
def counted(table: Table, field: Battlefield, unit_id: str, layer: Body, points: int) -> Battlefield:
    """Decide how damage is marked: the counter of the layer moves by as much."""
    after = with_lost(field, unit_id, layer, points)
    text = "{unit} has {left} {layer} left"
    table.find(text, unit=field.name(unit_id), left=remaining(after, unit_id, layer), layer=NAMES[layer])
    return after


@rule(
    "layers.tags_off",
    cites="damage/shield-loses",
    neutral=lambda field, unit_id, worn, come: (min(come, worn.left), Item(worn.card.id, worn.left)),
)
def tags_off(table: Table, field: Battlefield, unit_id: str, worn: WornItem, come: int) -> Absorption:
    """Decide what becomes of an energy shield: a tag goes for each damage that it takes in."""
    points = min(come, worn.left)
    text, left = "The {shield} of {unit} loses {tags} and has {left} left", worn.left - points
    unit, tags = field.name(unit_id), Quantity(points, "tag")
    table.find(text, shield=worn.card.title, unit=unit, tags=tags, left=left)
    return points, Item(worn.card.id, left)


@rule(
    "layers.worn_down",
    cites="damage/upgrade-breaks",
    neutral=lambda field, unit_id, worn, come: (min(come, worn.left), Item(worn.card.id, max(0, worn.left - come))),
)
def worn_down(table: Table, field: Battlefield, unit_id: str, worn: WornItem, come: int) -> Absorption:
    """Decide what an armor upgrade takes in, and whether it is destroyed: it is when it falls below its threshold."""
    card = worn.card

    def decided(threshold: str, last: str) -> tuple[int, bool]:
        points = min(come, worn.left)
        rest = worn.left - points
        breaks = rest < card.threshold or not rest or (threshold == "at" and rest == card.threshold)
        if breaks and last == "to-threshold":
            points = min(come, max(0, worn.left - card.threshold))
        return points, breaks

    points, breaks = settled(table, decided, THRESHOLD, LAST_HIT)
    left = worn.left - (min(come, worn.left) if breaks else points)
    text = "The {upgrade} of {unit} has {left} armor left against a threshold of {threshold} and "
    words: dict[str, Any] = {"upgrade": card.title, "unit": field.name(unit_id), "left": left}
    table.find(text + ("is destroyed" if breaks else "holds"), **words, threshold=card.threshold)
    if not breaks:
        return points, Item(card.id, left)
    table.event("upgrade-destroyed", unit=unit_id, item=card.id)
    return points, None


def _next(table: Table, field: Battlefield, unit_id: str, waiting: list[WornItem], come: int) -> WornItem:
    """Give the shield or upgrade that takes damage next; `equipment-order` says who chooses."""
    breakable = waiting[0].card.kind == "armor-upgrade"
    if len(waiting) == 1 or not (breakable or come < sum(worn.left for worn in waiting)):
        return waiting[0]
    if table.read("equipment-order") == "slots":
        return waiting[0]
    options = [f"{worn.place}/{worn.index}" for worn in waiting]
    means = {
        option: Option(option, f"{worn.card.title}, {worn.left} left", {"item": worn.card.id, "left": worn.left})
        for option, worn in zip(options, waiting, strict=True)
    }.__getitem__
    label = f"{unit_id}: {NAMES['armor-upgrade' if breakable else 'energy-shield']} that takes the damage"
    chosen = table.choose(field.player(unit_id), label, options, about=field, means=means)
    return waiting[options.index(chosen)]


def _with_items(field: Battlefield, unit_id: str, now: Mapping[tuple[Place, int], Item | None]) -> Battlefield:
    """Put equipment in place of what it was, and drop what is destroyed."""
    unit = field.unit(unit_id)

    def items(place: Place, stored: tuple[Item, ...]) -> tuple[Item, ...]:
        found = (now.get((place, index), item) for index, item in enumerate(stored))
        return tuple(item for item in found if item is not None)

    after = replace(unit, slots=items("slots", unit.slots), inventory=items("inventory", unit.inventory))
    return field.put(capped(field.book, after))
