"""The battlefield: a scene that has been checked, with its ground prepared and its cards at hand.

Rules read it and give a new one; nothing is changed in place. Every coordinate is in the scheme of the posted board.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from services.blackstone_fortress.book import Book
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.model import Explorer, Hex, Hostile, Scene
from services.blackstone_fortress.profiles import HostileProfile, Side

Unit = Explorer | Hostile


@dataclass(frozen=True, eq=False, slots=True)
class Battlefield:
    """A valid scene: `ground` answers for the board, `book` for the cards, `units` are looked up by id."""

    ground: Ground
    book: Book
    scene: Scene
    units: dict[str, Unit]

    @property
    def explorers(self) -> tuple[Explorer, ...]:
        """The explorers that stand on the battlefield, in the scene's order."""
        return tuple(unit for unit in self.scene.explorers if unit.hex is not None and not unit.out_of_action)

    @property
    def hostiles(self) -> tuple[Hostile, ...]:
        """The hostiles that stand on the battlefield, in the scene's order."""
        return tuple(unit for unit in self.scene.hostiles if unit.hex is not None and not unit.slain)

    def explorer(self, id_: str) -> Explorer:
        """Give the explorer of that id."""
        unit = self.units[id_]
        if not isinstance(unit, Explorer):
            raise KeyError(id_)
        return unit

    def hostile(self, id_: str) -> Hostile:
        """Give the hostile of that id."""
        unit = self.units[id_]
        if not isinstance(unit, Hostile):
            raise KeyError(id_)
        return unit

    def enemies(self, unit: Unit) -> tuple[Unit, ...]:
        """Give the enemies of a unit that stand on the battlefield."""
        return self.hostiles if isinstance(unit, Explorer) else self.explorers

    def friends(self, unit: Unit) -> tuple[Unit, ...]:
        """Give the others of a unit's own side that stand on the battlefield."""
        side: tuple[Unit, ...] = self.explorers if isinstance(unit, Explorer) else self.hostiles
        return tuple(other for other in side if other.id != unit.id)

    def at(self, hex_: Hex) -> tuple[Unit, ...]:
        """Give everyone who stands in a hex."""
        units: tuple[Unit, ...] = (*self.explorers, *self.hostiles)
        return tuple(unit for unit in units if unit.hex == hex_)

    def side(self, explorer: Explorer) -> Side:
        """Give the side of the explorer's card that is up."""
        return self.book.side(explorer)

    def card(self, hostile: Hostile) -> HostileProfile:
        """Give the hostile's reference card."""
        return self.book.hostiles[hostile.profile]

    def kind(self, unit: Unit) -> str:
        """Give what a unit counts as for the hex limits: a size, `explorer` or `twin`."""
        if isinstance(unit, Hostile):
            return self.card(unit).size
        return "twin" if "twins-duo" in self.book.explorers[unit.profile].uninspired.rules else "explorer"

    def name(self, unit: Unit) -> str:
        """Give the name a player would use: the card's name, and the id where it says more."""
        title = self.card(unit).name if isinstance(unit, Hostile) else self.book.explorers[unit.profile].name
        return f"{title} ({unit.id})"

    def put(self, *changed: Unit) -> "Battlefield":
        """Give the battlefield with these units in place of those of the same id."""
        by_id: dict[str, Any] = {unit.id: unit for unit in changed}
        return self.with_(
            explorers=tuple(by_id.get(unit.id, unit) for unit in self.scene.explorers),
            hostiles=tuple(by_id.get(unit.id, unit) for unit in self.scene.hostiles),
        )

    def with_(self, **changes: Any) -> "Battlefield":
        """Give the battlefield with these fields of the scene changed; the board stays."""
        scene = replace(self.scene, **changes)
        return Battlefield(self.ground, self.book, scene, {unit.id: unit for unit in _units(scene)})

    def with_turn(self, **changes: Any) -> "Battlefield":
        """Give the battlefield with these facts about the turn changed."""
        return self.with_(turn=replace(self.scene.turn, **changes))

    def with_board(self, **changes: Any) -> "Battlefield":
        """Give the battlefield with the board changed, and its ground prepared anew."""
        board = replace(self.scene.board, **changes)
        scene = replace(self.scene, board=board)
        return Battlefield(Ground.of(board), self.book, scene, self.units)


def _units(scene: Scene) -> Iterator[Unit]:
    yield from scene.explorers
    yield from scene.hostiles


def prepare(scene: Scene) -> Battlefield:
    """Give the battlefield of a scene that is known to be sound; `checks.check` says whether it is."""
    return Battlefield(
        Ground.of(scene.board), Book.of(scene.profiles), scene, {unit.id: unit for unit in _units(scene)}
    )
