"""The tables of the game: shipped as data, overlaid with what a scene brings along."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from arbiter.caching import BOOKS_KEPT
from arbiter.sources.rows import Rows, laid_over
from services.warleague.profiles import AbilityCard, ItemCard, Profiles, TrapCard, UnitCard, WeaponCard

_ROWS = Rows(Path(__file__).parent / "data")
table, number = _ROWS.table, _ROWS.number


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
def _shipped() -> Book:
    return Book(
        _ROWS.typed("units", UnitCard),
        _ROWS.typed("weapons", WeaponCard),
        _ROWS.typed("items", ItemCard),
        _ROWS.typed("abilities", AbilityCard),
        _ROWS.typed("traps", TrapCard),
    )


@lru_cache(maxsize=BOOKS_KEPT)
def _book(profiles: Profiles) -> Book:
    shipped = _shipped()
    if profiles == Profiles():
        return shipped
    return Book(
        laid_over(shipped.units, profiles.units),
        laid_over(shipped.weapons, profiles.weapons),
        laid_over(shipped.items, profiles.items),
        laid_over(shipped.abilities, profiles.abilities),
        laid_over(shipped.traps, profiles.traps),
    )
