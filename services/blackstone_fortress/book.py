"""The cards and tables of the game: shipped as data, overlaid with the profiles given in a scene.

Scenes bring no encounter cards and no unique actions of explorers.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from arbiter.caching import BOOKS_KEPT
from arbiter.dice import Die, numbered
from arbiter.skirmish.fields import Id, Text
from arbiter.sources.rows import Rows, as_typed, laid_over
from arbiter.value import Value
from services.blackstone_fortress.profiles import (
    BehaviourTable,
    DieName,
    ExplorerProfile,
    HostileProfile,
    Profiles,
    Side,
    Weapon,
)
from services.blackstone_fortress.scene import Explorer, Hostile

_ROWS = Rows(Path(__file__).parent / "data")
table = _ROWS.table


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Book:
    """Every card and table by id; compared by identity, and shared by all scenes that bring the same profiles."""

    explorers: Mapping[str, ExplorerProfile]
    hostiles: Mapping[str, HostileProfile]
    weapons: Mapping[str, tuple[Weapon, ...]]
    behaviours: Mapping[str, BehaviourTable]

    @staticmethod
    def of(profiles: Profiles) -> "Book":
        """Give the book with a scene's own profiles laid over the shipped ones."""
        return _book(profiles)

    def side(self, explorer: Explorer) -> Side:
        """Give the side of the explorer's card that is up; a card without an inspired side keeps its front."""
        card = self.explorers[explorer.profile]
        return card.inspired if explorer.inspired and card.inspired is not None else card.uninspired

    def kind(self, unit: Explorer | Hostile) -> str:
        """Give what a unit counts as for the hex limits: a size, `explorer` or `twin`."""
        if isinstance(unit, Hostile):
            return self.hostiles[unit.profile].size
        return "twin" if "twins-duo" in self.explorers[unit.profile].uninspired.rules else "explorer"

    def weapon(self, hostile: Hostile, family: str, threat: int, *, overcharged: bool = False) -> Weapon:
        """Give the row of a weapon's family for the hostile's state; the plain one if it cannot be overcharged."""
        rows = self.weapons[family]
        plain = next(row for row in rows if row.holds(threat, hostile.empowered, overcharged=False))
        if not overcharged:
            return plain
        return next((row for row in rows if row.holds(threat, hostile.empowered, overcharged=True)), plain)


@lru_cache(maxsize=1024)
def fits(kinds: tuple[str, ...]) -> bool:
    """Say whether miniatures of these kinds may share a hex: sizes of hostiles, or `explorer` and `twin`.

    Explorers and hostiles never share one. Both Ratling Twins together count as one explorer.
    """
    counts = Counter(kinds)
    if not counts:
        return True
    if counts["explorer"] or counts["twin"]:
        if len(kinds) != counts["explorer"] + counts["twin"]:
            return False
        return any(
            counts["explorer"] + counts["twin"] <= row["explorers"]
            or (row["id"] == "twins-and-one" and counts["twin"] <= 2 and counts["explorer"] <= 1)
            for row in _limits()
        )
    return any(all(counts[size] <= row[size] for size in ("small", "large", "huge")) for row in _limits())


def disputed_fit(kinds: tuple[str, ...]) -> tuple[str, str] | None:
    """Give the reading, and the option of it, by which miniatures of these kinds may share a hex, if one lets them."""
    counts = Counter(kinds)
    if counts == {"huge": 1, "small": 1}:
        return "hex-limit-mixtures", "huge-and-small"
    if counts["twin"] and counts["twin"] + counts["explorer"] == len(kinds):
        return ("hex-limit-twins", "half-each") if counts["explorer"] + counts["twin"] // 2 <= 2 else None
    return None


@cache
def _limits() -> tuple[dict[str, Any], ...]:
    return table("hex_limits")


@cache
def basic_actions() -> tuple[dict[str, Any], ...]:
    """Give the rows of the basic actions, which any explorer can take, in the text's order."""
    return tuple(row for row in table("explorer_actions") if not row["extra"] and row["id"] != "gambit")


@cache
def activation_die() -> Die:
    """Give the die of the activation rolls."""
    return numbered(next(row["sides"] for row in table("numbered_dice") if row["id"] == "activation"))


@cache
def action_die(name: DieName) -> Die:
    """Give an action die: its faces are `failure`, `success` and `critical`, worst to best."""
    row = next(row for row in table("action_dice") if row["id"] == name)
    results = ("failure", "success", "critical")
    return Die(name, tuple(result for result in results for _ in range(row[result])))


def banded(name: str, roll: int) -> dict[str, Any]:
    """Give the row of a table of bands that holds a roll."""
    return next(row for row in table(name) if row["rolls"][0] <= roll <= row["rolls"][1])


def _played(card: ExplorerProfile) -> ExplorerProfile:
    """Give a card as rules read it: special rules in full count by their kinds."""
    return replace(
        card, uninspired=_side(card.uninspired), inspired=None if card.inspired is None else _side(card.inspired)
    )


def _side(side: Side) -> Side:
    kinds = (special.kind for special in side.special_rules)
    return replace(side, rules=tuple(dict.fromkeys((*side.rules, *kinds))), special_rules=())


@cache
def _shipped() -> Book:
    explorers = [_played(as_typed(row, ExplorerProfile)) for row in table("explorers")]
    return Book(
        {row.id: row for row in explorers},
        {row["id"]: as_typed(row, HostileProfile) for row in table("hostiles")},
        _families(tuple(as_typed(row, Weapon) for row in table("weapons"))),
        {row["id"]: as_typed(row, BehaviourTable) for row in table("behaviours")},
    )


def _families(weapons: tuple[Weapon, ...]) -> dict[str, tuple[Weapon, ...]]:
    families: dict[str, tuple[Weapon, ...]] = {}
    for weapon in weapons:
        family = weapon.family or weapon.id
        families[family] = (*families.get(family, ()), weapon)
    return families


@lru_cache(maxsize=BOOKS_KEPT)
def _book(profiles: Profiles) -> Book:
    shipped = _shipped()
    if profiles == Profiles():
        return shipped
    return Book(
        {**shipped.explorers, **{card.id: _played(card) for card in profiles.explorers}},
        {**shipped.hostiles, **{card.id: card for card in profiles.hostiles}},
        {**shipped.weapons, **_families(profiles.weapons)},
        laid_over(shipped.behaviours, profiles.behaviours),
    )


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
                    action = as_typed(special, UniqueAction)
                    actions[card["id"], side, action.kind] = action
                    actions.setdefault(("", "", action.kind), action)
    return actions
