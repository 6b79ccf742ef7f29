"""The battlefield: a valid scene with its prepared ground and its tables.

Rules read it and return a new one; nothing changes in place. Battlefields are equal if their scenes are, so that walks
of all paths can merge.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arbiter.option import Option
from arbiter.text import Listing, UnitName


class Named(Protocol):
    """A card with a name for players."""

    @property
    def name(self) -> str: ...


class Unit(Protocol):
    """A unit of a scene."""

    @property
    def id(self) -> str: ...


NAMES_KEPT = 4_096
"""Names of units that a process caches: battles repeatedly use the same ones."""

_unit_name = lru_cache(maxsize=NAMES_KEPT)(UnitName)

G = TypeVar("G")
B = TypeVar("B")
S = TypeVar("S", bound=Struct)
U = TypeVar("U", bound=Unit)


@dataclass(frozen=True, eq=False, init=False)
class SkirmishBattlefield(ABC, Generic[G, B, S, U]):
    """A valid scene: `ground` answers for the board, `book` for the tables, `by_id` are all units of the scene.

    A game declares which member of its scene lists the units, which of them are in play, and who opposes whom.
    """

    ROSTER: ClassVar[str] = "units"

    ground: G
    book: B
    scene: S
    by_id: dict[str, U]

    def __init__(self, ground: G, book: B, scene: S, by_id: dict[str, U]) -> None:
        # The attributes bypass __setattr__, which refuses; this is faster than the initialiser of a frozen dataclass.
        mine = self.__dict__
        mine["ground"], mine["book"], mine["scene"], mine["by_id"] = ground, book, scene, by_id

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self is other or (self.ground is other.ground and self.book is other.book and self.scene == other.scene)

    def __hash__(self) -> int:
        return hash(self.scene)

    @classmethod
    def of(cls, ground: G, book: B, scene: S) -> Self:
        """Give the battlefield of a valid scene on its prepared ground."""
        units: tuple[U, ...] = getattr(scene, cls.ROSTER)
        return cls(ground, book, scene, {unit.id: unit for unit in units})

    @staticmethod
    @abstractmethod
    def in_play(unit: U, /) -> bool:
        """Decide whether a unit is on the board and has not been lost."""

    @abstractmethod
    def are_enemies(self, unit: U, other: U) -> bool:
        """Decide whether two units are enemies."""

    @abstractmethod
    def profile(self, unit: U) -> Named:
        """Give the card of a unit."""

    def measures(self, *ids: str) -> bool:
        """Decide whether the board shows the facts about these units: there is a board, and each has a position."""
        return not getattr(self.scene, "is_partial", False)

    def place(self, unit: str, /) -> Any:
        """Give the position of a unit by id; None if it is not on the board, or has no position."""
        return getattr(self.by_id.get(unit), "at", None)

    @property
    def units(self) -> tuple[U, ...]:
        """The units in play, in the scene's order."""
        return tuple(filter(self.in_play, getattr(self.scene, self.ROSTER)))

    def unit(self, id_: str) -> U:
        """Give the unit of that id, in play or not."""
        return self.by_id[id_]

    def name(self, unit: U | str) -> str:
        """Give the name of a unit, or of a unit by id, for players: that of its card, and the id."""
        row = self.by_id[unit] if isinstance(unit, str) else unit
        return _unit_name(row.id, self.profile(row).name)

    def option(self, id_: str) -> Option:
        """Give the meaning of an option that is a unit."""
        name = self.name(id_)
        return Option(id_, str(name), {self.ROSTER.removesuffix("s"): name})

    def names(self, ids: Iterable[str]) -> Listing:
        """Give the names of several units for players, as one listing."""
        return Listing(map(self.name, ids))

    def enemies(self, unit: U) -> tuple[U, ...]:
        """Give the enemies of a unit that are in play."""
        return tuple([other for other in self.units if self.are_enemies(unit, other)])

    def friends(self, unit: U) -> tuple[U, ...]:
        """Give the other units in play that are not enemies of a unit."""
        return tuple([other for other in self.units if other.id != unit.id and not self.are_enemies(unit, other)])

    def _hand_on(self, after: "SkirmishBattlefield[Any, Any, Any, Any]", *names: str) -> None:
        """Copy cached attributes that also apply to a later battlefield."""
        own = self.__dict__
        after.__dict__.update({name: own[name] for name in names if name in own})

    def put(self, *changed: U) -> Self:
        """Give the battlefield with these units replacing those of the same id."""
        by_id = {**self.by_id, **{unit.id: unit for unit in changed}}
        units: tuple[U, ...] = getattr(self.scene, self.ROSTER)
        scene = replace(self.scene, **{self.ROSTER: tuple([by_id[unit.id] for unit in units])})
        return type(self)(self.ground, self.book, scene, by_id)

    def with_(self, **changes: Any) -> Self:
        """Give the battlefield with these fields of the scene changed; board and profiles stay the same."""
        scene = replace(self.scene, **changes)
        if self.ROSTER in changes:
            return self.of(self.ground, self.book, scene)
        return type(self)(self.ground, self.book, scene, self.by_id)
