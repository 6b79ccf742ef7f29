"""The tables of the game: shipped as data, overlaid with what a scene brings along."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from arbiter.caching import BOOKS_KEPT
from arbiter.skirmish.book import SkirmishBook
from arbiter.sources.rows import Rows
from arbiter.value import Value
from services.size_skirmish.scene import Ability, Build, NpcKind, Profile, Profiles, Size, Weapon

_ROWS = Rows(Path(__file__).parent / "data")
table, number = _ROWS.table, _ROWS.number


class ActionEntry(Value, frozen=True):
    """A row of the action table: its type, which for a move is in another table, and whether it may be a reaction."""

    id: str
    name: str
    type: Literal["simple", "complex"] | None
    reaction: bool
    gist: str = ""


class Movement(Value, frozen=True):
    """A row of the movement table: its range, so many times B and so many d6, its type, and where it leads.

    `needs` is what has to be so for it (`melee`, `fleeing`, `climbable`, `drop`); `then` what follows it in the same
    action.
    """

    id: str
    name: str
    b: Literal["0", "1/2", "1", "2"]
    dice: int
    type: Literal["simple", "complex"]
    reaction: bool
    path: Literal["none", "free", "front", "towards", "away", "pursuit", "climb", "fall", "through"]
    needs: str | None = None
    then: Literal["strike", "shoot"] | None = None

    @property
    def times(self) -> Fraction:
        """How many times B it goes, without the dice."""
        return _times(self.b)


_times = lru_cache(maxsize=None)(Fraction)


class Npc(Value, frozen=True):
    """A kind of NPC: whether it may be attacked, whether it may react, and who decides for it in the NPC phase."""

    id: NpcKind
    name: str
    attackable: bool
    reacts: bool
    decided_by: Literal["players", "scenario"]


@dataclass(frozen=True, eq=False, slots=True)
class Book(SkirmishBook):
    """The cards of the game, its tables of actions and movements, and the actions that a scenario gives its NPCs."""

    sizes: Mapping[Size, Build]
    profiles: Mapping[str, Profile]
    weapons: Mapping[str, Weapon]
    abilities: Mapping[str, Ability]
    actions: Mapping[str, ActionEntry]
    movements: Mapping[str, Movement]
    npcs: Mapping[NpcKind, Npc]
    npc_actions: Mapping[str, ActionEntry]

    @staticmethod
    def of(profiles: Profiles) -> "Book":
        """Return the book with a scene's own rows laid over the shipped ones."""
        return _book(profiles)


@cache
def _shipped() -> Book:
    return Book.shipped(_ROWS, npc_actions={})


@lru_cache(maxsize=BOOKS_KEPT)
def _book(profiles: Profiles) -> Book:
    npc_actions = {
        row.id: ActionEntry(row.id, row.name or row.id, row.type, row.type == "simple", row.gist)
        for row in profiles.npc_actions
    }
    book = _shipped().overlaid(profiles, models="profiles")
    return replace(book, npc_actions=npc_actions) if npc_actions else book


class Cell(Value, frozen=True):
    """A cell of a table: the lowest face that is a success, and where that stands."""

    least: int
    cites: tuple[str, ...]


@cache
def cells(name: str) -> dict[tuple[Size, Size], Cell]:
    """Give the cells of the hit table or the damage table, by the sizes in row and column."""
    return {(row["row"], row["column"]): Cell(row["least"], tuple(row["cites"])) for row in table(name)}
