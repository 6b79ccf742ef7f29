"""Traps, crates and concealed tiles: what is under them, which card is drawn, and what a trap does."""

from typing import Any, Literal

from msgspec.structs import replace

from arbiter.dice import Die
from arbiter.nowhere import Somewhere
from arbiter.option import Option
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Belonging, UnitName
from services.warleague.battlefield import Battlefield, in_play
from services.warleague.profiles import TrapCard
from services.warleague.rules import damage, effects, intensity, items, targeting
from services.warleague.rules.happenings import (
    Blast,
    Blow,
    Happening,
    HappeningOutcome,
    Loss,
    Springing,
    Throwing,
    uneventful,
)
from services.warleague.scene import Deck, Holds, Item, LyingItem, Tile

HOLDS: tuple[Holds, ...] = ("trap", "loot", "nothing")

# What others ask for


@rule("traps.stops", cites=("concealed/stepped-on", "crate/opened"), neutral=False)
def stops(table: Table, field: Battlefield, unit: str) -> bool:
    """Decide whether a unit that has revealed something on its tile has to stop there: `reveal-stops`."""
    if table.read("reveal-stops") == "goes-on":
        return False
    table.find("{unit} reveals something and stops", unit=field.name(unit))
    return True


# Arriving


def here(field: Battlefield, unit: str, at: Tile) -> bool:
    """Say whether a unit is in play and on a tile."""
    each = field.unit(unit)
    return in_play(each) and each.at == at


@rule("traps.opened", cites=("crate/opened", "concealed/stepped-on"), neutral=uneventful)
def opened(table: Table, field: Battlefield, unit: str, at: Tile) -> HappeningOutcome:
    """Decide what a unit does that moves onto a crate or a concealed tile: it opens or reveals it."""
    if at not in field.hidden:
        return HappeningOutcome(field)
    words = {"unit": field.name(unit), "tile": targeting.tile(at)}
    if field.crate(at) is not None:
        table.find("{unit} opens the crate on {tile}", cites="crate/opened", **words)
    else:
        table.find("{unit} reveals the concealed ground on {tile}", cites="concealed/stepped-on", **words)
    field, holds = revealed(table, field, at)
    return content(table, field, at, holds, unit, taker=unit)


def content(
    table: Table, field: Battlefield, at: Tile, holds: Holds, unit: str | None, taker: str | None
) -> HappeningOutcome:
    """Give what comes of what was revealed: a trap works on the unit, loot goes to its taker, or lies on the tile."""
    on = () if unit is None else (unit,)
    if holds == "trap":
        field, card = draw(table, field, at)
        return HappeningOutcome(field) if card is None else HappeningOutcome(field, (Springing(card, at, on),))
    if holds == "loot":
        return looted(table, field, at, on, taker)
    return HappeningOutcome(field)


@rule("traps.stepped_into", cites="attack/indirect", neutral=uneventful)
def stepped_into(table: Table, field: Battlefield, unit: str, at: Tile) -> HappeningOutcome:
    """Decide whether traps that lie open go off when a unit comes to their tile: `open-trap`."""
    open_traps = [trap for trap in field.scene.traps if trap.at == at]
    if not open_traps or table.read("open-trap") == "rests":
        return HappeningOutcome(field)
    table.find("{unit} enters an open trap on {tile}", unit=field.name(unit), tile=targeting.tile(at))
    left = tuple(trap for trap in field.scene.traps if trap.at != at)
    return HappeningOutcome(field.with_(traps=left), tuple(Springing(trap.trap, at, (unit,)) for trap in open_traps))


# Revealing and drawing


@rule("traps.revealed", cites=("concealed/contents", "crate/flipped"), neutral=lambda field, at: (field, "nothing"))
def revealed(table: Table, field: Battlefield, at: Tile) -> tuple[Battlefield, Holds]:
    """Decide what a crate or a concealed tile holds: a trap, loot or nothing, as the scene knows or the table says."""
    crate, scene = field.crate(at), field.scene
    what = crate or field.concealed(at)
    if what is None:
        return field, "nothing"
    holds = what.holds or shown(table, field, at)
    words: dict[str, Any] = {"tile": targeting.tile(at), "holds": "a trap" if holds == "trap" else holds}
    if crate is None:
        table.find("The concealed ground on {tile} holds {holds}", cites="concealed/contents", **words)
        field = field.with_(concealed=tuple(each for each in scene.concealed if each.at != at))
    else:
        table.find("The tile of the crate on {tile} is flipped and shows {holds}", cites="crate/flipped", **words)
        field = field.with_(crates=tuple(each for each in scene.crates if each.at != at))
    table.event("revealed", at=at, holds=holds)
    return field, holds


def shown(table: Table, field: Battlefield, at: Tile) -> Holds:
    """Let the table choose what a tile shows if the scene does not say."""
    holds: Holds = table.choose(
        "table",
        f"{targeting.tile_label(at)}: shows",
        HOLDS,
        about=field,
        means=lambda holds: Option(holds, holds, {"at": at, "holds": holds}),
    )
    return holds


@rule("traps.draw", cites=("crate/trap", "explosion/trap-card"), neutral=lambda field, at: (field, None))
def draw(table: Table, field: Battlefield, at: Tile) -> tuple[Battlefield, str | None]:
    """Decide which trap is on a tile: the next card of the trap deck; what if it is empty is `deck-empty`."""
    deck = field.scene.trap_deck
    if not deck.cards and deck.discard and table.read("deck-empty") == "reshuffle":
        table.find("The discarded traps are shuffled into a new trap deck")
        deck = Deck(deck.discard, shuffled=True)
    if not deck.cards:
        table.find("No trap card is left for {tile}", tile=targeting.tile(at))
        return field, None
    card, deck = _top(table, deck, "trap deck")
    table.find("The trap card for {tile} is {card}", card=titled(field, card), tile=targeting.tile(at))
    table.event("trap-drawn", trap=card, at=at)
    return field.with_(trap_deck=deck), card


@rule("traps.looted", cites="crate/loot", neutral=uneventful)
def looted(table: Table, field: Battlefield, at: Tile, on: tuple[str, ...], taker: str | None) -> HappeningOutcome:
    """Decide what loot is: the next card of the loot deck, for the unit that revealed it on foot (`loot-taken`)."""
    deck = field.scene.loot_deck
    if not deck.cards:
        table.find("No loot card is left for {tile}", tile=targeting.tile(at))
        return HappeningOutcome(field)
    card, deck = _top(table, deck, "loot deck")
    field = field.with_(loot_deck=deck)
    if card not in field.book.items:
        return treasure(table, field, card, at, on)
    words: dict[str, Any] = {"card": field.book.items[card].title, "tile": targeting.tile(at)}
    table.find("The loot card for {tile} is {card}", **words)
    if taker is not None and table.read("loot-taken") == "taken":
        return HappeningOutcome(items.take(table, field, taker, Item(card)))
    return HappeningOutcome(field.dropped("items", LyingItem(at, card)))


@rule("traps.treasure", cites="trap/treasure", neutral=uneventful)
def treasure(table: Table, field: Battlefield, card: str, at: Tile, on: tuple[str, ...]) -> HappeningOutcome:
    """Decide what comes of a trap among the loot: it goes off as others do."""
    table.find("The loot on {tile} is a trap: {card}", tile=targeting.tile(at), card=titled(field, card))
    return HappeningOutcome(field, (Springing(card, at, on, "loot_deck"),))


def _top(table: Table, deck: Deck, name: str) -> tuple[str, Deck]:
    """Draw a card: the top one, or of a shuffled deck any."""
    cards = list(deck.cards)
    card = cards[0]
    if deck.shuffled and len(set(cards)) > 1:
        card = table.roll(Die(name, tuple(cards)), f"{name}: card")
    cards.remove(card)
    return card, replace(deck, cards=tuple(cards))


# What a trap does


def explosive(field: Battlefield, trap: str) -> bool:
    """Say whether a trap is an explosive one."""
    return _card(field, trap).explosion_radius is not None


def blast(field: Battlefield, trap: str, at: Tile, source: Tile | None = None) -> Blast:
    """Give the explosion of an explosive trap on its tile."""
    card = _card(field, trap)
    why, radius = named(field, trap, at), card.explosion_radius or 0
    return Blast(at, radius, card.damage, why, throw=card.throw, source=source, trap=trap)


def discard(field: Battlefield, trap: str, deck: Literal["trap_deck", "loot_deck"] = "trap_deck") -> Battlefield:
    """Lay a trap card with the discards of its deck."""
    pile: Deck = getattr(field.scene, deck)
    return field.with_(**{deck: replace(pile, discard=(*pile.discard, trap))})


def named(field: Battlefield, trap: str, at: Tile) -> str:
    """Name a trap on its tile."""
    if isinstance(at, Somewhere):
        return Belonging(f"{titled(field, trap)} on the tile", UnitName(at.of, at.title))
    return f"the {titled(field, trap)} on {targeting.tile(at)}"


def titled(field: Battlefield, trap: str) -> str:
    """Give the name of a trap."""
    return _card(field, trap).name or trap


@rule("traps.sprang", cites="attack/indirect", neutral=uneventful)
def sprang(table: Table, field: Battlefield, springing: Springing) -> HappeningOutcome:
    """Decide what a trap does without an attack: it explodes, or harms, changes and throws units that set it off."""
    trap, at = springing.trap, springing.at
    on = tuple(unit for unit in springing.on if in_play(field.unit(unit)))
    table.find("{trap} goes off", trap=named(field, trap, at))
    table.event("trap-sprung", trap=trap, at=at, unit=on[0] if on else None)
    field, card = discard(field, trap, springing.deck), _card(field, trap)
    field, losses = (field, ()) if explosive(field, trap) else harmed(table, field, springing)
    for unit in on:
        if card.changes and in_play(field.unit(unit)):
            field = changed(table, field, card, unit)
    return HappeningOutcome(field, _further(field, springing, on), losses)


def _further(field: Battlefield, springing: Springing, on: tuple[str, ...]) -> tuple[Happening, ...]:
    trap, at = springing.trap, springing.at
    throw, why = _card(field, trap).throw, named(field, trap, at)
    if explosive(field, trap):
        return (replace(blast(field, trap, at), trap=None),)
    return () if throw is None else tuple(Throwing(unit, throw, why, at) for unit in on if in_play(field.unit(unit)))


@rule("traps.harmed", cites="trap/damage", neutral=lambda field, springing: (field, ()))
def harmed(table: Table, field: Battlefield, springing: Springing) -> tuple[Battlefield, tuple[Loss, ...]]:
    """Decide what damage a trap that does not explode does at once, to each unit that set it off."""
    trap, at = springing.trap, springing.at
    losses: tuple[Loss, ...] = ()
    on = [unit for unit in springing.on if in_play(field.unit(unit)) and not damage.spared(table, field, unit)]
    card = _card(field, trap)
    if not on or not card.damage:
        return field, ()
    amount = intensity.value(table, card.damage, f"{targeting.tile_label(at)}: {trap}")
    for unit in on:
        words: dict[str, Any] = {"unit": field.name(unit), "amount": amount, "trap": named(field, trap, at)}
        table.find("{unit} takes {amount} damage from {trap}", **words)
        dealt = damage.on_unit(table, field, unit, Blow(amount, named(field, trap, at)))
        field, losses = dealt.field, losses + dealt.losses
    return field, losses


@rule("traps.changed", cites="trap/stat-change", neutral=unchanged)
def changed(table: Table, field: Battlefield, card: TrapCard, unit: str) -> Battlefield:
    """Decide which values a trap changes for the unit that set it off, and for how long."""
    return effects.add(table, field, unit, card.id, card.changes, card.lasts)


def _card(field: Battlefield, trap: str) -> TrapCard:
    return field.book.traps[trap]
