"""The tables of the game: shipped as data, overlaid with what a scene brings along."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from arbiter.skirmish.book import SkirmishBook, by_profiles
from arbiter.sources.rows import Rows
from services.warleague.profiles import AbilityCard, ItemCard, Profiles, TrapCard, UnitCard, WeaponCard
from services.warleague.scene import Hand

_ROWS = Rows(Path(__file__).parent / "data")
table, number = _ROWS.table, _ROWS.number


@dataclass(frozen=True, eq=False)
class Book(SkirmishBook):
    """The cards of the game by id."""

    units: Mapping[str, UnitCard]
    weapons: Mapping[str, WeaponCard]
    items: Mapping[str, ItemCard]
    abilities: Mapping[str, AbilityCard]
    traps: Mapping[str, TrapCard]

    @cached_property
    def bare_hands(self) -> Mapping[str, tuple[Hand, ...]]:
        """The weapons in the hands of each unit by its card, where a scene says nothing else."""
        return {id_: tuple([Hand(weapon) for weapon in card.weapons]) for id_, card in self.units.items()}

    @staticmethod
    def of(profiles: Profiles) -> "Book":
        """Give the book with a scene's own rows laid over the shipped ones."""
        return _book(profiles)


_book = by_profiles(lambda: Book.shipped(_ROWS))
