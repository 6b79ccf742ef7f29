"""The tables of the game: shipped as data, overlaid with what a scene brings along."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from arbiter.source import load_yaml
from services.warleague.profiles import AbilityCard, ItemCard, Profiles, TrapCard, UnitCard, WeaponCard

T = TypeVar("T", bound=msgspec.Struct)


@dataclass(frozen=True, eq=False, slots=True)
class Book:
    """Every card by id; compared by identity, and shared by all scenes that bring the same profiles."""

    units: Mapping[str, UnitCard]
    weapons: Mapping[str, WeaponCard]
    items: Mapping[str, ItemCard]
    abilities: Mapping[str, AbilityCard]
    traps: Mapping[str, TrapCard]

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


def _typed(name: str, type_: type[T]) -> dict[str, T]:
    """Give the rows of a file as cards; what is told about a row (cites, confidence) stays in the catalogue."""
    told = {"gist", "cites", "confidence"}
    return {
        row["id"]: msgspec.convert({key: value for key, value in row.items() if key not in told}, type_)
        for row in table(name)
    }


@cache
def _shipped() -> Book:
    return Book(
        _typed("units", UnitCard),
        _typed("weapons", WeaponCard),
        _typed("items", ItemCard),
        _typed("abilities", AbilityCard),
        _typed("traps", TrapCard),
    )


@lru_cache(maxsize=256)
def _book(profiles: Profiles) -> Book:
    shipped = _shipped()
    if profiles == Profiles():
        return shipped
    return Book(
        {**shipped.units, **{row.id: row for row in profiles.units}},
        {**shipped.weapons, **{row.id: row for row in profiles.weapons}},
        {**shipped.items, **{row.id: row for row in profiles.items}},
        {**shipped.abilities, **{row.id: row for row in profiles.abilities}},
        {**shipped.traps, **{row.id: row for row in profiles.traps}},
    )
