"""The tables of the game: shipped as data, overlaid with what a scene brings along."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from arbiter.source import load_yaml
from arbiter.value import Value
from services.size_skirmish.profiles import Ability, Build, NpcKind, Profile, Profiles, Size, Weapon

T = TypeVar("T", bound=msgspec.Struct)


class Action(Value, frozen=True):
    """A row of the action table: its type, which for a move is in another table, and whether it may be a reaction."""

    id: str
    name: str
    type: Literal["simple", "complex"] | None
    reaction: bool


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
        return Fraction(self.b)


class Npc(Value, frozen=True):
    """A kind of NPC: whether it may be attacked, whether it may react, and who decides for it in the NPC phase."""

    id: NpcKind
    name: str
    attackable: bool
    reacts: bool
    decided_by: Literal["players", "scenario"]


@dataclass(frozen=True, eq=False, slots=True)
class Book:
    """Every row by id; compared by identity, and shared by all scenes that bring the same profiles."""

    sizes: Mapping[Size, Build]
    profiles: Mapping[str, Profile]
    weapons: Mapping[str, Weapon]
    abilities: Mapping[str, Ability]
    actions: Mapping[str, Action]
    movements: Mapping[str, Movement]
    npcs: Mapping[NpcKind, Npc]

    @staticmethod
    def of(profiles: Profiles) -> "Book":
        """Give the book with a scene's own rows laid over the shipped ones."""
        return _book(profiles)


@cache
def table(name: str) -> tuple[dict[str, Any], ...]:
    """Give the rows of one data file, read once."""
    return tuple(load_yaml(Path(__file__).parent / "data" / f"{name}.yaml"))


@cache
def number(id_: str) -> int:
    """Give a single number of the rules by its id."""
    return next(int(row["value"]) for row in table("numbers") if row["id"] == id_)


def _typed(name: str, type_: type[T]) -> dict[Any, T]:
    """Give the rows of a file as cards; what is told about a row (cites, confidence) stays in the catalogue."""
    fields = {field.encode_name for field in msgspec.structs.fields(type_)}
    return {
        row["id"]: msgspec.convert({key: value for key, value in row.items() if key in fields}, type_)
        for row in table(name)
    }


@cache
def _shipped() -> Book:
    return Book(
        _typed("sizes", Build),
        _typed("profiles", Profile),
        _typed("weapons", Weapon),
        _typed("abilities", Ability),
        _typed("actions", Action),
        _typed("movements", Movement),
        _typed("npcs", Npc),
    )


@lru_cache(maxsize=256)
def _book(profiles: Profiles) -> Book:
    shipped = _shipped()
    if profiles == Profiles():
        return shipped
    return Book(
        {**shipped.sizes, **{row.id: row for row in profiles.sizes}},
        {**shipped.profiles, **{row.id: row for row in profiles.models}},
        {**shipped.weapons, **{row.id: row for row in profiles.weapons}},
        {**shipped.abilities, **{row.id: row for row in profiles.abilities}},
        shipped.actions,
        shipped.movements,
        shipped.npcs,
    )
