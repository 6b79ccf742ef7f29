"""The tables of the game: shipped as data, overlaid with the rows of a scene."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from arbiter.skirmish.book import SkirmishBook, by_profiles
from arbiter.sources.rows import Rows
from arbiter.value import Value
from services.rapture.profiles import Ability, Mission, Profile, Profiles, Status

_ROWS = Rows(Path(__file__).parent / "data")
number = _ROWS.number


class Action(Value, frozen=True, cache_hash=True):
    """A row of the overview: its type, its limit in a round, its price, and what has to be so for it.

    A limit of null is none. Where `on_card` is true, limit and price stand on the card of the ability. A reaction
    `answers` an action of an opponent at a `moment` of it; `while_sheltered` says whether a sheltered unit can take it.
    `when` and `does` say so of a reaction in words.
    """

    id: str
    name: str
    type: Literal["action", "reaction"]
    limit_per_round: int | None
    ap: int
    rp: int
    mp: int
    on_card: bool
    answers: str | None
    moment: str | None
    needs: tuple[str, ...]
    while_sheltered: bool
    when: str | None = None
    does: str | None = None


class UnitKind(Value, frozen=True):
    """A kind of card: how many models it has, and how many a battlegroup may have."""

    id: str
    name: str
    least_models: int
    most_models: int | None
    most_in_battlegroup: int | None


@dataclass(frozen=True, eq=False, slots=True)
class Book(SkirmishBook):
    """The cards of the game, and its tables of actions and of kinds of units."""

    profiles: Mapping[str, Profile]
    abilities: Mapping[str, Ability]
    missions: Mapping[str, Mission]
    statuses: Mapping[str, Status]
    actions: Mapping[str, Action]
    unit_kinds: Mapping[str, UnitKind]

    @staticmethod
    def of(profiles: Profiles) -> "Book":
        """Give the book with a scene's own rows laid over the shipped ones."""
        return _book(profiles)


_book = by_profiles(lambda: Book.shipped(_ROWS), units="profiles")
