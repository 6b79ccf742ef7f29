"""Kit: what the members of a crew carry and wear, and whether it fits their gear slots.

An item is a weapon, armour or gear of the tables, or a weapon that a scene brings along.
"""

from collections.abc import Iterator

from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Quantity, Signed
from services.stargrave.battlefield import Ids
from services.stargrave.book import Armour, Book, Gear
from services.stargrave.profiles import Weapon

BOTH_KINDS: Ids = ("grenades",)
EACH_KIND: Ids = ("fragmentation-grenade", "smoke-grenade")


def item(book: Book, id_: str) -> Weapon | Armour | Gear:
    """Give the row of an item; `KeyError` if there is none."""
    row: Weapon | Armour | Gear | None = book.weapons.get(id_) or book.armour.get(id_)
    return row or book.gear[id_]


@rule("kit.grenades", cites="grenades/both-kinds", neutral=lambda who, items, officer: items)
def grenades(table: Table, who: str, items: Ids, officer: bool) -> Ids:
    """Decide how grenades are carried: both kinds in one slot by captains and first mates, a slot each by others."""
    others = tuple(id_ for id_ in items if id_ not in (*BOTH_KINDS, *EACH_KIND))
    if officer and others != items:
        table.find("{who} carries both kinds of grenade in one slot", who=who)
        return (*others, *BOTH_KINDS)
    if officer or not set(BOTH_KINDS) & set(items):
        return items
    table.find("{who} is not an officer and needs a slot for each kind of grenade", who=who)
    return (*others, *EACH_KIND)


@rule("kit.free_knife", cites="weapons/free-knife", neutral=0)
def free_knife(table: Table, who: str, items: Ids, officer: bool) -> int:
    """Decide how many knives take no slot: the first one of a captain or first mate."""
    if not officer or "knife" not in items:
        return 0
    table.find("The first knife of {who} takes no slot", who=who)
    return 1


@rule("kit.slots", cites="crew/gear-slots", neutral=0)
def slots(table: Table, book: Book, who: str, items: Ids, officer: bool, most: int) -> int:
    """Decide how many gear slots the items fill; `most` is how many there are."""
    filled = sum(item(book, id_).slots for id_ in items)
    filled -= free_knife(table, who, items, officer) * item(book, "knife").slots if officer else 0
    table.find("{who} uses {filled} of {most} gear slots", who=who, filled=filled, most=most)
    return filled


@violations_rule("kit.too_much", cites="crew/gear-slots")
def too_much(table: Table, who: str, filled: int, most: int) -> Iterator[Reason]:
    """Decide why the gear does not fit: it fills more slots than there are."""
    if filled > most:
        text = "{who} uses {filled} but has {most}"
        yield table.reason(text, who=who, filled=Quantity(filled, "gear slot"), most=most)


@violations_rule("kit.soldiers_knife", cites="weapons/soldiers-knife")
def soldiers_knife(table: Table, who: str, listed: Ids, items: Ids) -> Iterator[Reason]:
    """Decide why a soldier may not have a knife: it has one only if its profile lists one."""
    if "knife" in items and "knife" not in listed:
        yield table.reason("{who} has no knife in its profile and cannot carry one", who=who)


@violations_rule("kit.barred", cites="armour/shield-bars")
def barred(table: Table, book: Book, who: str, items: Ids) -> Iterator[Reason]:
    """Decide which weapons are too large to be carried beside a shield."""
    text = "{who} carries a {armour} and cannot carry a weapon of {slots} slots with it: {weapon}"
    worn = [book.armour[id_] for id_ in items if id_ in book.armour]
    weapons = [book.weapons[id_] for id_ in items if id_ in book.weapons]
    for each in worn:
        for weapon in weapons:
            if each.bars_slots is not None and weapon.slots >= each.bars_slots:
                yield table.reason(text, who=who, armour=each.name, slots=each.bars_slots, weapon=weapon.name)


@rule("kit.protection", cites=("armour/light", "armour/heavy", "armour/combat"), neutral=0)
def protection(table: Table, book: Book, who: str, items: Ids) -> int:
    """Decide how much Armour what is worn adds; whether several add up is the reading `armour-together`."""
    worn = [book.armour[id_] for id_ in items if id_ in book.armour and book.armour[id_].armour]
    if not worn:
        return 0
    added = [armour.armour for armour in worn]
    more = sum(added) if len(worn) > 1 and table.read("armour-together") == "sum" else max(added)
    names = " and ".join(armour.name for armour in worn)
    units = tuple(f"armour/{armour.id.removesuffix('-armour')}" for armour in worn)
    table.find("{names}: {more} Armour for {who}", cites=units, names=names, who=who, more=Signed(more))
    return more
