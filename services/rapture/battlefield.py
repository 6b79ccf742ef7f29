"""The battlefield: a scene that has been checked, with its ground prepared and its tables at hand.

Rules read it and give a new one; nothing is changed in place. Lengths in the scene are centimetres; what the geometry
gives is in thousandths of them. Battlefields are equal when their scenes are, so that walks of all paths know one
again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from arbiter.geometry.plane import shapes
from arbiter.option import Option
from arbiter.text import Listing, UnitName
from services.rapture.book import Book
from services.rapture.ground import Ground, solids
from services.rapture.profiles import Profile
from services.rapture.scene import Scene, Side, Unit


@dataclass(frozen=True, eq=False, slots=True)
class Battlefield:
    """A valid scene: `ground` answers for the table, `book` for the tables, `by_id` are all units of the scene."""

    ground: Ground
    book: Book
    scene: Scene
    by_id: dict[str, Unit]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Battlefield):
            return NotImplemented
        return self is other or (self.ground is other.ground and self.book is other.book and self.scene == other.scene)

    def __hash__(self) -> int:
        return hash(self.scene)

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units in play, in the scene's order: with models on the battlefield, and not disabled."""
        return tuple(unit for unit in self.scene.units if in_play(unit))

    def unit(self, id_: str) -> Unit:
        """Give the unit of that id, in play or not."""
        return self.by_id[id_]

    def profile(self, unit: Unit) -> Profile:
        """Give the card of a unit."""
        return self.book.profiles[unit.profile]

    def name(self, unit: Unit) -> str:
        """Give the name of a unit for players: that of its card, and the id."""
        return unit_name(self.book, unit)

    def option(self, id_: str) -> Option:
        """Give what an option means that is a unit."""
        name = self.name(self.unit(id_))
        return Option(id_, str(name), {"unit": name})

    def names(self, ids: Iterable[str]) -> Listing:
        """Give the names of several units for players, as one listing."""
        return Listing(self.name(self.unit(id_)) for id_ in ids)

    def ability_name(self, id_: str) -> str:
        """Give the name of an ability for players."""
        return self.book.abilities[id_].name or id_

    def side(self, unit: Unit) -> Side:
        """Give the side of a unit."""
        return next(side for side in self.scene.sides if side.id == unit.side)

    def after(self, side: str) -> str:
        """Give the side that comes after a side in the order of activation."""
        sides = self.scene.order or tuple(each.id for each in self.scene.sides)
        return sides[(sides.index(side) + 1) % len(sides)]

    def player(self, id_: str) -> str:
        """Give the id of the side that decides for a unit."""
        return self.by_id[id_].side

    def enemies(self, unit: Unit) -> tuple[Unit, ...]:
        """Give the units in play of all other sides."""
        return tuple(other for other in self.units if other.side != unit.side)

    def friends(self, unit: Unit) -> tuple[Unit, ...]:
        """Give the other units in play of a unit's own side."""
        return tuple(other for other in self.units if other.side == unit.side and other.id != unit.id)

    def apprentices(self, id_: str) -> tuple[Unit, ...]:
        """Give the units in play that go with a leader."""
        return tuple(unit for unit in self.units if unit.leader == id_)

    def solids(self, unit: Unit) -> tuple[shapes.Figure, ...]:
        """Give the models of a unit as the geometry takes them."""
        return solids(unit, self.profile(unit))

    def put(self, *changed: Unit) -> "Battlefield":
        """Give the battlefield with these units in place of those of the same id."""
        news = {unit.id: unit for unit in changed}
        return self.with_(units=tuple(news.get(unit.id, unit) for unit in self.scene.units))

    def with_(self, **changes: Any) -> "Battlefield":
        """Give the battlefield with these fields of the scene changed; board and profiles stay."""
        scene = replace(self.scene, **changes)
        return Battlefield(self.ground, self.book, scene, {unit.id: unit for unit in scene.units})


def in_play(unit: Unit) -> bool:
    """Decide whether a unit is on the battlefield and not disabled."""
    return bool(unit.models) and unit.disabled is None


def unit_name(book: Book, unit: Unit) -> str:
    """Give the name of a unit's card, and its id."""
    return UnitName(unit.id, book.profiles[unit.profile].name)


def prepare(scene: Scene) -> Battlefield:
    """Give the battlefield of a valid scene; `checks.checked` validates it."""
    return Battlefield(Ground.of(scene.board), Book.of(scene.profiles), scene, {unit.id: unit for unit in scene.units})
