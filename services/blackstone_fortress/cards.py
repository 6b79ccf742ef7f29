"""Shipped cards that scenes do not bring as profiles: encounter cards, and the unique actions of explorers."""

from functools import cache
from typing import Annotated, Any

from msgspec import Meta

from arbiter.value import Value
from services.blackstone_fortress.book import table
from services.blackstone_fortress.profiles import Id, Text


class Member(Value, frozen=True):
    """A `count` of hostiles of one kind (`hostile`), by their profile."""

    hostile: Id
    count: Annotated[int, Meta(ge=1, le=20)]


class Entry(Value, frozen=True):
    """One entry of an encounter card: a hostile group, or else a `twist`, null where it is not known which."""

    group: Annotated[tuple[Member, ...], Meta(max_length=4)] = ()
    twist: Id | None = None


class EncounterCard(Value, frozen=True):
    """An encounter card: its entries for the discovery markers 1 to 4, and how often it is in the deck."""

    id: Id
    entries: Annotated[tuple[Entry, ...], Meta(min_length=4, max_length=4)]
    name: Text = ""
    copies: Annotated[int, Meta(ge=1, le=20)] = 1


@cache
def encounter_cards() -> tuple[EncounterCard, ...]:
    """Give the encounter cards that the data lists."""
    return tuple(
        EncounterCard(
            row["id"],
            tuple(Entry(tuple(Member(**member) for member in entry["group"])) for entry in row["entries"]),
            row["name"],
            row["copies"],
        )
        for row in table("encounters")
    )


class UniqueAction(Value, frozen=True):
    """A unique action of a card: `kind` is what it does, `limit` how often it may be taken."""

    id: str
    kind: str
    name: str
    cost: int
    limit: str | None = None


@cache
def unique_actions() -> dict[tuple[str, str, str], UniqueAction]:
    """Give the unique actions of the shipped cards, by card, side and kind, and the first of each kind by it alone."""
    actions: dict[tuple[str, str, str], UniqueAction] = {}
    for card in table("explorers"):
        for side in ("uninspired", "inspired"):
            for special in card[side]["special_rules"]:
                if special["cost"] is not None:
                    action = _action(special)
                    actions[card["id"], side, action.kind] = action
                    actions.setdefault(("", "", action.kind), action)
    return actions


def _action(special: dict[str, Any]) -> UniqueAction:
    return UniqueAction(special["id"], special["kind"], special["name"], special["cost"], special["limit"])
