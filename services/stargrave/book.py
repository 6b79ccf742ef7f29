"""The tables of the game: shipped as data, overlaid with what a scene brings along."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from arbiter.caching import BOOKS_KEPT
from arbiter.skirmish.book import SkirmishBook
from arbiter.skirmish.fields import Id
from arbiter.sources.rows import Rows, as_typed
from arbiter.value import Value
from services.stargrave.profiles import Profile, Profiles, Stat, Weapon

_ROWS = Rows(Path(__file__).parent / "data")
table, row = _ROWS.table, _ROWS.row


class Armour(Value, frozen=True):
    """What is worn: what it adds to Armour and Move, and the size from which weapons are barred beside it."""

    id: Id
    name: str
    armour: Stat
    move_in: Stat
    slots: int
    upkeep_credits: int
    includes: tuple[Id, ...]
    bars_slots: int | None


class Gear(Value, frozen=True):
    """A piece of gear: the kind of loot that `bonus` helps to unlock, its reach, the damage that stuns who wears it."""

    id: Id
    name: str
    slots: int
    unlocks: Literal["physical", "data"] | None
    bonus: int | None
    range_in: float | None
    stuns_at: int | None


class Trait(Value, frozen=True):
    """A trait: what it adds where it counts, and the damage from which its figure is stunned."""

    id: Id
    name: str
    fight: Stat
    shoot: Stat
    damage: Stat
    stuns_at: int | None


class Body(Value, frozen=True):
    """The room a figure takes: how far its base is across, and its height, in inches."""

    id: Id
    name: str
    base_in: float
    height_in: float


class Template(Value, frozen=True):
    """A template: a circle `width_in` across, or a cone `length_in` long and `width_in` wide at its end."""

    id: Id
    name: str
    shape: Literal["circle", "cone"]
    length_in: float | None
    width_in: float
    height_in: float | None


class Resist(Value, frozen=True):
    """The roll with a stat by which a target resists a power."""

    stat: Literal["fight", "will"]
    target: int


class Power(Value, frozen=True):
    """A power: its Activation Number and Strain, on whom it works and how far, and what it does in numbers.

    `aim` are the words for what its target has to be, `needs` the members that a case of it has to name.
    """

    id: Id
    name: str
    activation: int
    strain: int
    classes: tuple[Id, ...]
    aim: tuple[Id, ...]
    needs: tuple[Id, ...]
    range_in: float | None
    move_in: float | None
    resist: Resist | None
    attack: int | None
    damage: int | None
    health: int | None
    stats: dict[str, int]
    one_of: dict[str, int]
    lasts: str
    numbers: dict[str, Any]
    gist: str


@dataclass(frozen=True, eq=False, slots=True)
class Book(SkirmishBook):
    """The tables of figures, of what they carry and wear, of powers, bodies and templates, each by id."""

    profiles: Mapping[str, Profile]
    weapons: Mapping[str, Weapon]
    armour: Mapping[str, Armour]
    gear: Mapping[str, Gear]
    traits: Mapping[str, Trait]
    bodies: Mapping[str, Body]
    templates: Mapping[str, Template]
    powers: Mapping[str, Power]

    @staticmethod
    def of(profiles: Profiles) -> "Book":
        """Give the book with a scene's own rows laid over the shipped ones."""
        return _book(profiles)


def modifier(id_: str) -> int:
    """Give a modifier of the tables by its id."""
    return int(row("modifiers", id_)["modifier"])


def target_number(id_: str) -> int:
    """Give the number that a roll with a stat has to reach."""
    return int(row("target_numbers", id_)["target"])


def with_built_in(items: Collection[str], armour: Mapping[str, Armour]) -> tuple[str, ...]:
    """Give the items, and after them what the armour among them has built in and is not there by itself."""
    inside = (id_ for item in items if item in armour for id_ in armour[item].includes)
    return (*items, *(id_ for id_ in dict.fromkeys(inside) if id_ not in items))


def _equipped(profile: Profile, weapons: Mapping[str, Weapon], armour: Mapping[str, Armour]) -> Profile:
    """Give a profile with each item of its gear where it belongs: among weapons, what is worn, or the rest."""
    if not any(item in weapons or item in armour for item in profile.gear):
        return profile
    carried = with_built_in(profile.gear, armour)
    return replace(
        profile,
        weapons=(*profile.weapons, *(item for item in carried if item in weapons)),
        worn=(*profile.worn, *(item for item in carried if item in armour)),
        gear=tuple(item for item in carried if item not in weapons and item not in armour),
    )


IN_GAMES = ("id", "name", "move_in", "fight", "shoot", "armour", "will", "health", "gear", "traits")
"""What a game asks of a figure of the catalogue; the rest is for the making of crews."""


def _of_catalogue(name: str) -> dict[str, Profile]:
    rows = [{column: row[column] for column in IN_GAMES if column in row} for row in table(name)]
    return {row["id"]: as_typed(row, Profile) for row in rows}


@cache
def _shipped() -> Book:
    weapons, armour = _ROWS.typed("weapons", Weapon), _ROWS.typed("armour", Armour)
    soldiers = {id_: _equipped(one, weapons, armour) for id_, one in _of_catalogue("soldiers").items()}
    profiles = {**soldiers, **_ROWS.typed("creatures", Profile), **_of_catalogue("officers")}
    return Book.shipped(_ROWS, profiles=profiles, weapons=weapons, armour=armour)


@lru_cache(maxsize=BOOKS_KEPT)
def _book(profiles: Profiles) -> Book:
    book = _shipped().overlaid(replace(profiles, figures=()), figures="profiles")
    figures = tuple(_equipped(profile, book.weapons, book.armour) for profile in profiles.figures)
    return book.overlaid(Profiles(figures), figures="profiles")
