"""Encounter cards: four entries each, and what the entry for a discovery marker brings: a hostile group or a twist.

A twist is a special rule for the rest of the combat. The shipped cards do not say which twist a twist entry means, so
that whoever holds the card is asked to read it off.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, count, islice
from typing import Any

from msgspec.structs import replace

from arbiter.dice import Die
from arbiter.option import Option
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.book import EncounterCard, Entry
from services.blackstone_fortress.book import table as rows
from services.blackstone_fortress.rules.payments import card_of
from services.blackstone_fortress.rules.turn import group_name
from services.blackstone_fortress.scene import Hostile


def without(cards: Iterable[EncounterCard], gone: Sequence[str]) -> tuple[EncounterCard, ...]:
    """Give the cards of a deck without those that are gone, each time one copy."""
    left = (replace(card, copies=card.copies - gone.count(card.id)) for card in cards)
    return tuple(card for card in left if card.copies > 0)


def deck_of(cards: Iterable[EncounterCard]) -> tuple[str, ...]:
    """Give the encounter deck by the ids of its cards, each as often as it is in it."""
    return tuple(card.id for card in cards for _ in range(card.copies))


@rule("encounters.draw", cites="deploy/card-per-marker", neutral=lambda cards, gone, drawer, cites: cards[0])
def draw(
    table: Table, cards: tuple[EncounterCard, ...], gone: tuple[str, ...], drawer: str, cites: str
) -> EncounterCard:
    """Draw the top card of the shuffled encounter deck without what is gone from it.

    `drawer` draws it, for the passage of the text in `cites`.
    """
    id_: str = table.roll(Die("encounter deck", deck_of(without(cards, gone))), f"{drawer}: encounter card")
    card = next(card for card in cards if card.id == id_)
    table.find("the encounter card drawn is {name}", cites=cites, name=name_of(card), card=id_)
    table.event("encounter-drawn", card=id_)
    return card


def name_of(card: EncounterCard) -> str:
    """Give what to call an encounter card."""
    return card.name or card.id


@rule(
    "encounters.entry_for",
    cites=("encounter/four-entries", "deploy/entry-by-draw"),
    neutral=lambda field, card, number: card.entries[0],
)
def entry_for(table: Table, field: Battlefield, card: EncounterCard, number: int) -> Entry:
    """Decide which of a card's four entries counts: the one with the number of the discovery marker."""
    entry = card.entries[number - 1]
    kinds = ((field.book.hostiles[member.hostile].name or member.hostile, member.count) for member in entry.group)
    brings = Listing(f"{name} × {count}" for name, count in kinds) or "a twist"
    table.find("entry {number} of {name} is {brings}", number=number, name=name_of(card), brings=brings, card=card.id)
    return entry


@rule("encounters.is_twist", cites="encounter/group-or-twist", neutral=False)
def is_twist(table: Table, entry: Entry) -> bool:
    """Decide whether an entry is a twist: it is when it lists no hostiles."""
    twist = not entry.group
    table.find("the entry is a twist" if twist else "the entry is a hostile group", twist=twist)
    return twist


def _twist(named: Mapping[str, Mapping[str, Any]], option: str) -> Option:
    return Option(option, f"{named[option]['name']}: {named[option]['gist']}", {"twist": option})


@rule("encounters.twisted", cites="twists/for-the-combat", neutral=lambda field, drawer, entry: (field, None))
def twisted(table: Table, field: Battlefield, drawer: str, entry: Entry) -> tuple[Battlefield, str | None]:
    """Decide what a twist does: its special rule holds until the combat is over. Which one is read off the card."""
    named = {row["id"]: row for row in rows("twists")}
    label, means = f"{drawer}: twist on the card", partial(_twist, named)
    twist: str = entry.twist or table.choose(drawer, label, tuple(named), about=field, means=means)
    table.find("the twist {name} applies for the rest of the combat", name=named[twist]["name"], twist=twist)
    if twist in field.scene.twists:
        return field, twist
    table.event("twist", twist=twist)
    return field.with_(twists=(*field.scene.twists, twist)), twist


@rule("encounters.mustered", cites="encounter/group-or-twist", neutral=lambda field, entry, name: (field, ()))
def mustered(table: Table, field: Battlefield, entry: Entry, name: str) -> tuple[Battlefield, tuple[str, ...]]:
    """Decide which hostiles an entry brings: one group of that name, not yet deployed; its groups are given as well.

    Whether several kinds are one group is the reading `encounter-mixed-group`.
    """
    apart = len(entry.group) > 1 and table.read("encounter-mixed-group") == "by-kind"
    hostiles: tuple[Hostile, ...] = ()
    for member in entry.group:
        group = f"{name}-{member.hostile}" if apart else name
        ids = {*field.units, *(hostile.id for hostile in hostiles)}
        free = (id_ for id_ in (f"{group}-{number}" for number in count(1)) if id_ not in ids)
        hostiles += tuple(Hostile(id_, member.hostile, group) for id_ in islice(free, member.count))
    groups = tuple(dict.fromkeys(hostile.group for hostile in hostiles))
    text = "to deploy for {groups}: {count}"
    table.find(text, count=Quantity(len(hostiles), "hostile"), groups=Listing(map(group_name, groups)))
    table.event("mustered", groups=groups, hostiles=tuple(hostile.id for hostile in hostiles))
    return field.with_(hostiles=(*field.scene.hostiles, *hostiles)), groups


def free_group(field: Battlefield, number: int) -> str:
    """Give a name for the group at a discovery marker that nobody and nothing else has."""
    used = {*field.units, *map(card_of, field.scene.explorers), *(hostile.group for hostile in field.scene.hostiles)}
    names = chain((f"group-{number}",), (f"group-{number}-{more}" for more in count(2)))
    return next(name for name in names if name not in used)
