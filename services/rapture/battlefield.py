"""The battlefield: a scene that has been checked, with its ground prepared and its tables at hand.

Lengths in the scene are centimetres; what the geometry gives is in thousandths of them.
"""

from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from arbiter.caching import CachedAttribute
from arbiter.geometry.plane import shapes
from arbiter.nowhere import unplaced
from arbiter.skirmish.battlefield import SkirmishBattlefield
from arbiter.text import UnitName
from services.rapture.book import Book
from services.rapture.ground import Disc, Ground, discs, solids, touched
from services.rapture.profiles import Profile
from services.rapture.scene import Place, Scene, Side, Unit

PLACES_KEPT = 4_096
"""Units as they stand in layouts that a process remembers."""

_standing = attrgetter("models", "profile", "disabled", "side", "leader", "escaping")
"""What of a unit decides contacts and ways."""


def in_play(unit: Unit) -> bool:
    """Decide whether a unit is on the battlefield and not disabled."""
    return bool(unit.models) and unit.disabled is None


@dataclass(frozen=True, eq=False, init=False)
class Battlefield(SkirmishBattlefield[Ground, Book, Scene, Unit]):
    """A valid scene: `ground` answers for the table, `book` for the tables, `by_id` are all units of the scene."""

    in_play = staticmethod(in_play)

    def place(self, unit: str, /) -> Any:
        """Give where the models of the unit of an id are; None for what has no models."""
        return self.by_id[unit].models if unit in self.by_id else None

    def are_enemies(self, unit: Unit, other: Unit) -> bool:
        """Decide whether two units are of different sides."""
        return unit.side != other.side

    def profile(self, unit: Unit) -> Profile:
        """Give the card of a unit."""
        return self.book.profiles[unit.profile]

    def ability_name(self, id_: str) -> str:
        """Give the name of an ability for players."""
        return self.book.abilities[id_].name or id_

    def side(self, unit: Unit) -> Side:
        """Give the side of a unit."""
        return self._sides[unit.side]

    @property
    def order(self) -> tuple[str, ...]:
        """The sides in the order of activation, or in that of the scene before it is settled."""
        return self.scene.order or tuple(side.id for side in self.scene.all_sides)

    def after(self, side: str) -> str:
        """Give the side that comes after a side in the order of activation."""
        return self.order[(self.order.index(side) + 1) % len(self.order)]

    def player(self, id_: str) -> str:
        """Give the id of the side that decides for a unit."""
        return self.by_id[id_].side

    def apprentices(self, id_: str) -> tuple[Unit, ...]:
        """Give the units in play that go with a leader."""
        return tuple(unit for unit in self.units if unit.leader == id_)

    def enemies(self, unit: Unit) -> tuple[Unit, ...]:
        """Give the enemies of a unit that are in play."""
        known = self._enemies.get(unit.side)
        if known is None:
            known = self._enemies[unit.side] = tuple([other for other in self.units if other.side != unit.side])
        return known

    def solids(self, unit: Unit) -> tuple[shapes.Figure, ...]:
        """Give the models of a unit as the geometry takes them."""
        known = self._solids.get(unit.id)
        if known is not None and known[0] is unit.models and known[1] == unit.profile:
            return known[2]
        figures = solids(unit, self.book.profiles[unit.profile], self.ground.slack)
        self._solids[unit.id] = unit.models, unit.profile, figures
        return figures

    @CachedAttribute
    def units(self) -> tuple[Unit, ...]:
        """The units in play, in the scene's order."""
        return tuple(filter(in_play, self.scene.units))

    @CachedAttribute
    def bodies(self) -> tuple[tuple[Unit, shapes.Figure], ...]:
        """The models of all units in play as the geometry takes them, each with its unit."""
        return tuple([(unit, body) for unit in self.units for body in self.solids(unit)])

    def contacts(self, id_: str, reach: int = 0) -> tuple[str, ...]:
        """Give the ids of the units in play in base contact with the unit of an id, in the scene's order.

        With a reach it gives those that are less than that length away, too.
        """
        known = self._contacts.get((id_, reach))
        if known is None:
            others = touched(self.solids(self.by_id[id_]), self._discs, reach)
            known = self._contacts[id_, reach] = tuple(dict.fromkeys([other for other in others if other != id_]))
        return known

    @CachedAttribute
    def layout(self) -> Scene:
        """What of the scene decides ways: which models stand where, whose they are, and with whom they go."""
        units = [
            _place_in_layout(unit.id, unit.side, unit.profile, unit.leader, unit.models, unit.escaping)
            for unit in self.units
        ]
        scene = self.scene
        return Scene(units=tuple(units), board=scene.board, objectives=scene.objectives, profiles=scene.profiles)

    def put(self, *changed: Unit) -> "Battlefield":
        """Give the battlefield with these units in place of those of the same id; who stays stays in contact."""
        field = super().put(*changed)
        self._hand_on(field, "_solids")
        if all(_standing(unit) == _standing(self.by_id[unit.id]) for unit in changed):
            self._hand_on(field, "_contacts", "_discs", "layout")
        return field

    def with_(self, **changes: Any) -> "Battlefield":
        """Give the battlefield with these fields of the scene changed; board and profiles stay."""
        field = super().with_(**changes)
        self._hand_on(field, "_solids")
        if changes.keys().isdisjoint(("units", "objectives")):
            self._hand_on(field, "_contacts", "_discs", "_enemies", "layout", "units", "bodies")
        return field

    @CachedAttribute
    def _sides(self) -> dict[str, Side]:
        return {side.id: side for side in self.scene.all_sides}

    @CachedAttribute
    def _solids(self) -> dict[str, tuple[tuple[Place, ...], str, tuple[shapes.Figure, ...]]]:
        """The models of units as the geometry takes them, with the places and the card for which they are that."""
        return {}

    @CachedAttribute
    def _enemies(self) -> dict[str, tuple[Unit, ...]]:
        """The enemies in play of the sides that were asked about."""
        return {}

    @CachedAttribute
    def _discs(self) -> list[Disc]:
        """The bases of all units in play."""
        return discs((unit.id, body) for unit, body in self.bodies)

    @CachedAttribute
    def _contacts(self) -> dict[tuple[str, int], tuple[str, ...]]:
        """The contacts of the units that were asked about, by the reach that counts as one."""
        return {}


@lru_cache(maxsize=PLACES_KEPT)
def _place_in_layout(
    id_: str, side: str, profile: str, leader: str | None, models: tuple[Place, ...], escaping: bool
) -> Unit:
    """Give a unit of a layout; equal ones are one, for layouts that are remembered share most of their units."""
    return Unit(id_, side, profile, leader, models, escaping=escaping)


def unit_name(book: Book, unit: Unit) -> str:
    """Give the name of a unit's card, and its id."""
    return UnitName(unit.id, book.profiles[unit.profile].name)


def placed(scene: Scene) -> Scene:
    """Give the scene with all units in play: without a board their models are somewhere."""
    if not scene.is_partial:
        return scene
    cards = Book.of(scene.profiles).profiles
    units = tuple(
        replace(unit, models=unplaced(cards[unit.profile].models))
        if unit.disabled is None and unit.profile in cards
        else unit
        for unit in scene.units
    )
    return replace(scene, units=units)


def prepare(scene: Scene) -> Battlefield:
    """Give the battlefield of a valid scene; `checks.checked` validates it."""
    scene = placed(scene)
    return Battlefield.of(Ground.of(scene.board), Book.of(scene.profiles), scene)
