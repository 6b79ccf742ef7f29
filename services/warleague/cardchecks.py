"""What makes a posted card or the record of a unit impossible, each by itself."""

from collections.abc import Collection, Iterator

from arbiter.fault import Fault
from arbiter.skirmish.faults import SCENE, repeated_ids, unknown_id, unknown_ids
from arbiter.text import Quantity
from services.warleague.battlefield import full
from services.warleague.book import Book
from services.warleague.profiles import AbilityCard, ItemCard, Profiles, TrapCard, UnitCard, WeaponCard
from services.warleague.scene import Board, Hand, Item, LyingItem, Unit

Card = UnitCard | WeaponCard | ItemCard | AbilityCard | TrapCard


# Cards


def profile_faults(own: Profiles, book: Book) -> Iterator[Fault]:
    """Find what is impossible about the cards that a scene brings along."""
    kinds = {"units": "profile", "weapons": "weapon", "items": "item", "abilities": "ability", "traps": "trap"}
    for name, kind in kinds.items():
        rows: tuple[Card, ...] = getattr(own, name)
        yield from repeated_ids(rows, f"{SCENE}/profiles/{name}", kind)
        for index, row in enumerate(rows):
            yield from card_faults(row, book, f"{SCENE}/profiles/{name}/{index}")


def card_faults(card: Card, book: Book, here: str) -> Iterator[Fault]:
    """Find what is impossible about one card."""
    if not isinstance(card, UnitCard) and len(card.damage) == 2:
        text, asked = f"{card.id} has two values of damage", "none, one, or three: critical, high, low"
        yield Fault(f"{here}/damage", "damage", text, list(card.damage), asked)
    match card:
        case UnitCard():
            yield from _unit_card(card, book, here)
        case WeaponCard():
            yield from _weapon(card, book, here)
        case ItemCard():
            yield from _item(card, here)
        case AbilityCard() if card.method is None:
            yield Fault(f"{here}/method", "method", f"the ability {card.id} has no targeting method", None, "a method")


def _unit_card(card: UnitCard, book: Book, here: str) -> Iterator[Fault]:
    if card.health is None and card.armor is None:
        text = f"{card.id} has neither health nor armor"
        yield Fault(f"{here}/health", "no-layers", text, None, "health, armor, or both")
    yield from unknown_ids("weapon", card.weapons, f"{here}/weapons", book.weapons)
    yield from unknown_ids("ability", card.abilities, f"{here}/abilities", book.abilities)
    yield from _held(card, tuple(Hand(weapon) for weapon in card.weapons), book, f"{here}/weapons")


def _weapon(card: WeaponCard, book: Book, here: str) -> Iterator[Fault]:
    yield from unknown_ids("ability", card.abilities, f"{here}/abilities", book.abilities)
    if (card.ammo is None) != (card.magazine is None):
        text = f"{card.id} needs both a magazine and a type of ammunition, or neither"
        yield Fault(f"{here}/magazine", "magazine", text, card.magazine, "ammo and magazine, or neither")
    if card.self_powered and card.ammo is not None:
        text = f"{card.id} is self-powered and takes no ammunition"
        yield Fault(f"{here}/ammo", "self-powered", text, card.ammo, "no ammo")


def _item(card: ItemCard, here: str) -> Iterator[Fault]:
    if (card.kind == "ammo") != (card.ammo is not None):
        text = f"only ammunition has a type, and it must have one; {card.id} is {card.kind}"
        yield Fault(f"{here}/ammo", "ammo", text, card.ammo, "a type of ammunition with the kind `ammo`, else null")
    needs = {"ammo": "rounds", "energy-shield": "level", "armor-upgrade": "armor", "repair": "repairs"}.get(card.kind)
    if needs is not None and not getattr(card, needs):
        yield Fault(f"{here}/{needs}", "empty-item", f"{card.id} is of no use without {needs}", 0, "at least 1")
    if card.kind == "armor-upgrade" and card.threshold > card.armor:
        text = f"the threshold of {card.id} is above its armor"
        yield Fault(f"{here}/threshold", "threshold", text, card.threshold, f"at most {card.armor}")


# Units


def unit_faults(
    unit: Unit, sides: Collection[str], board: Board, directions: int, book: Book, here: str
) -> Iterator[Fault]:
    """Find what is impossible about a unit by itself; `directions` is how many the grid has."""
    yield from unknown_id("side", unit.side, f"{here}/side", sides)
    yield from unknown_id("profile", unit.profile, f"{here}/profile", book.units)
    yield from _facing(unit, board, directions, here)
    unknown = list(_unknown(unit, book, here))
    yield from unknown
    card = book.units.get(unit.profile)
    if card is None:
        return
    yield from _fate(unit, card, here)
    if unknown or not book.weapons.keys() >= set(card.weapons):
        return  # what weapons and items add cannot be told
    yield from _counters(unit, book, here)
    yield from _held(card, unit.hands or (), book, f"{here}/hands")
    for member in ("slots", "inventory"):
        stored: tuple[Item, ...] = getattr(unit, member)
        most: int = getattr(card, member)
        count = len(stored) + (len(unit.spare) if member == "inventory" else 0)
        if count > most:
            text = f"{unit.id} has {Quantity(count, 'item')} there and room for {most}"
            yield Fault(f"{here}/{member}", "too-many-items", text, count, f"at most {most}")
        for index, item in enumerate(stored):
            yield from left_faults(item, book, f"{here}/{member}/{index}")
    for member, weapons in (("hands", unit.hands or ()), ("spare", unit.spare)):
        for index, hand in enumerate(weapons):
            yield from _tags(hand, book, f"{here}/{member}/{index}", spare=member == "spare")


def _facing(unit: Unit, board: Board, directions: int, here: str) -> Iterator[Fault]:
    if unit.facing is None:
        return
    if not board.facing:
        text = f"{unit.id} has a facing on a board without facing"
        yield Fault(f"{here}/facing", "facing", text, unit.facing, "null, or a board with facing")
    elif unit.facing >= directions:
        text = f"the grid {board.grid} has no direction {unit.facing}"
        yield Fault(f"{here}/facing", "facing", text, unit.facing, f"0 to {directions - 1}")


def _unknown(unit: Unit, book: Book, here: str) -> Iterator[Fault]:
    """Report weapons and items that do not exist."""
    for member, weapons in (("hands", unit.hands or ()), ("spare", unit.spare)):
        for index, hand in enumerate(weapons):
            yield from unknown_id("weapon", hand.weapon, f"{here}/{member}/{index}/weapon", book.weapons)
    for member, items in (("slots", unit.slots), ("inventory", unit.inventory)):
        for index, item in enumerate(items):
            yield from unknown_id("item", item.item, f"{here}/{member}/{index}/item", book.items)
    for index, cooldown in enumerate(unit.cooldowns):
        yield from unknown_id("ability", cooldown.ability, f"{here}/cooldowns/{index}/ability", book.abilities)


def _fate(unit: Unit, card: UnitCard, here: str) -> Iterator[Fault]:
    """Find the dead on the board, and downed units that are no heroes."""
    if unit.dead and unit.at is not None:
        text = f"{unit.id} is dead and still on the board"
        yield Fault(f"{here}/at", "dead-on-board", text, list(unit.at), "no `at`")
    if unit.downed and card.role != "hero":
        text = f"{unit.id} is not a hero: only heroes are downed"
        yield Fault(f"{here}/downed", "downed", text, True, "`dead` instead of `downed`")


def _counters(unit: Unit, book: Book, here: str) -> Iterator[Fault]:
    """Find counters beyond what the unit has, and units that should have died."""
    health, armor, ap = full(book, unit, "health"), full(book, unit, "armor"), full(book, unit, "ap")
    for member, count, most, text in (
        ("health_lost", unit.health_lost, health, "has lost {} health and has {} in all"),
        ("armor_lost", unit.armor_lost, armor, "has lost {} armor and has {} in all"),
        ("ap", unit.ap or 0, ap, "has {} AP left and only {} in all"),
    ):
        if count > most:
            message = f"{unit.id} {text.format(count, most)}"
            yield Fault(f"{here}/{member}", "counters", message, count, f"at most {most}")
    if unit.health_lost >= health and unit.armor_lost >= armor and not unit.dead and not unit.downed:
        message, asked = f"{unit.id} has neither health nor armor left and is not dead", f"less than {health}"
        hint = "send it as `dead` without `at`, a hero as `downed`"
        yield Fault(f"{here}/health_lost", "no-health", message, unit.health_lost, f"{asked}, or armor left", hint)


def _held(card: UnitCard, held: tuple[Hand, ...], book: Book, where: str) -> Iterator[Fault]:
    needed = sum(book.weapons[hand.weapon].hands for hand in held if hand.weapon in book.weapons)
    if needed > card.hands:
        text = f"the weapons need {Quantity(needed, 'hand')}, and {card.id} has {card.hands}"
        yield Fault(where, "hands", text, needed, f"weapons for {card.hands}")


def _tags(hand: Hand, book: Book, here: str, *, spare: bool) -> Iterator[Fault]:
    """Report ammo tags beyond the magazine, and parries reserved with weapons that cannot parry."""
    weapon = book.weapons[hand.weapon]
    if hand.ammo is not None and hand.ammo > (weapon.magazine or 0):
        asked = f"at most {weapon.magazine}" if weapon.magazine else "null: it has no magazine"
        text = f"{weapon.id} has {Quantity(hand.ammo, 'round')} and a magazine of {weapon.magazine or 0}"
        yield Fault(f"{here}/ammo", "ammo", text, hand.ammo, asked)
    if hand.parries and (spare or not weapon.is_melee):
        why = "is not in a hand" if spare else "is not a melee weapon"
        text = f"{weapon.id} {why}, so no parry can be reserved with it"
        yield Fault(f"{here}/parries", "parries", text, hand.parries, "0")


def left_faults(item: Item | LyingItem, book: Book, here: str) -> Iterator[Fault]:
    """Report items with more left than they have in all."""
    card = book.items[item.item]
    whole = {"ammo": card.rounds, "energy-shield": card.level, "armor-upgrade": card.armor}.get(card.kind)
    if item.left is not None and item.left > (whole or 0):
        asked = "null: nothing of it is counted" if whole is None else f"at most {whole}"
        text = f"the item {card.id} has {item.left} left and only {whole or 0} in all"
        yield Fault(f"{here}/left", "left", text, item.left, asked)
    least = max(1, card.threshold)
    if card.kind == "armor-upgrade" and item.left is not None and item.left < least:
        text = f"the item {card.id} has {item.left} left and is destroyed below {least}"
        yield Fault(f"{here}/left", "destroyed", text, item.left, f"at least {least}, or no such item")
