"""The battlefield: a scene that has been checked, with its ground prepared and its cards at hand.

Rules read it and give a new one; nothing is changed in place. Every coordinate is in the scheme of the posted board.
"""

from dataclasses import dataclass
from typing import Any, Final

from msgspec.structs import replace

from arbiter import option
from arbiter.caching import CachedAttribute
from arbiter.nowhere import NOWHERE
from arbiter.option import Option
from arbiter.text import UnitName
from services.blackstone_fortress.book import Book
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.profiles import HostileProfile, Side
from services.blackstone_fortress.scene import Discovery, Explorer, Hex, Hostile, Scene

Unit = Explorer | Hostile


@dataclass(frozen=True, eq=False)
class Battlefield:
    """A valid scene: `ground` answers for the board, `book` for the cards, `units` are looked up by id.

    Battlefields are equal when their scenes are, so that walks of all paths can merge.
    """

    ground: Ground
    book: Book
    scene: Scene
    units: dict[str, Unit]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Battlefield) and self.scene == other.scene

    def __hash__(self) -> int:
        return hash(self.scene)

    @CachedAttribute
    def explorers(self) -> tuple[Explorer, ...]:
        """The explorers that stand on the battlefield, in the scene's order."""
        return tuple([unit for unit in self.scene.explorers if unit.hex is not None and not unit.out_of_action])

    @CachedAttribute
    def hostiles(self) -> tuple[Hostile, ...]:
        """The hostiles that stand on the battlefield, in the scene's order."""
        return tuple([unit for unit in self.scene.hostiles if unit.hex is not None and not unit.slain])

    @CachedAttribute
    def cards(self) -> dict[str, tuple[str, ...]]:
        """The ids of those whom each initiative card activates; explorers come before a group of the same name."""
        explorers: dict[str, tuple[str, ...]] = {}
        for explorer in self.scene.explorers:
            card = explorer.card or explorer.id
            explorers[card] = (*explorers.get(card, ()), explorer.id)
        groups: dict[str, tuple[str, ...]] = {}
        for hostile in self.scene.hostiles:
            groups[hostile.group] = (*groups.get(hostile.group, ()), hostile.id)
        return {**groups, **explorers}

    @CachedAttribute
    def places(self) -> dict[str, int]:
        """The place that each unit has among its own side in the scene, counted from 0."""
        sides: tuple[tuple[Unit, ...], ...] = (self.scene.explorers, self.scene.hostiles)
        return {unit.id: place for side in sides for place, unit in enumerate(side)}

    @CachedAttribute
    def names(self) -> dict[str, str]:
        """The name a player would use for each unit: the card's name, and the id where it says more."""
        return {id_: self._named(unit) for id_, unit in self.units.items()}

    @CachedAttribute
    def explorers_in(self) -> frozenset[Hex]:
        """The hexes in which explorers stand."""
        return frozenset([unit.hex for unit in self.explorers if unit.hex is not None])

    @CachedAttribute
    def hostiles_in(self) -> frozenset[Hex]:
        """The hexes in which hostiles stand."""
        return frozenset([unit.hex for unit in self.hostiles if unit.hex is not None])

    @CachedAttribute
    def standing(self) -> dict[Hex, tuple[str, ...]]:
        """The ids of those who stand in each hex, explorers before hostiles, in the scene's order."""
        ids: dict[Hex, tuple[str, ...]] = {}
        units: tuple[Unit, ...] = (*self.explorers, *self.hostiles)
        for unit in units:
            if unit.hex is not None:
                ids[unit.hex] = (*ids.get(unit.hex, ()), unit.id)
        return ids

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

    def enemies_in(self, unit: Unit) -> frozenset[Hex]:
        """Give the hexes in which enemies of a unit stand."""
        return self.hostiles_in if isinstance(unit, Explorer) else self.explorers_in

    def friends_in(self, unit: Unit) -> frozenset[Hex]:
        """Give the hexes, but for a unit's own, in which others of its side stand."""
        return (self.explorers_in if isinstance(unit, Explorer) else self.hostiles_in) - {unit.hex}

    def friends(self, unit: Unit) -> tuple[Unit, ...]:
        """Give the others of a unit's own side that stand on the battlefield."""
        side: tuple[Unit, ...] = self.explorers if isinstance(unit, Explorer) else self.hostiles
        return tuple([other for other in side if other.id != unit.id])

    def at(self, hex_: Hex) -> tuple[Unit, ...]:
        """Give everyone who stands in a hex."""
        return tuple([self.units[id_] for id_ in self.standing.get(hex_, ())])

    def side(self, explorer: Explorer) -> Side:
        """Give the side of the explorer's card that is up."""
        return self.book.side(explorer)

    def card(self, hostile: Hostile) -> HostileProfile:
        """Give the hostile's reference card."""
        return self.book.hostiles[hostile.profile]

    def kind(self, unit: Unit) -> str:
        """Give what a unit counts as for the hex limits: a size, `explorer` or `twin`."""
        return self.book.kind(unit)

    def measures(self, *ids: str) -> bool:
        """Decide whether the board shows what facts say of these units: there is a board, and each has its hex."""
        return not self.scene.is_partial

    def place(self, unit: str) -> Hex | None:
        """Give the hex of the unit of an id; None for one that is not on the battlefield, and for a marker."""
        return self.units[unit].hex if unit in self.units else None

    @property
    def by_id(self) -> dict[str, Unit]:
        """All units of the scene."""
        return self.units

    def name(self, unit: Unit | str) -> str:
        """Give the name a player would use: the card's name, and the id where it says more."""
        return self.names[unit] if isinstance(unit, str) else self.names.get(unit.id) or self._named(unit)

    def _named(self, unit: Unit) -> str:
        title = self.card(unit).name if isinstance(unit, Hostile) else self.book.explorers[unit.profile].name
        return UnitName(unit.id, title)

    def option(self, id_: str) -> Option:
        """Give what an option means that is a unit."""
        name = self.name(self.units[id_])
        return Option(id_, str(name), {"unit": name})

    def put(self, *changed: Unit) -> "Battlefield":
        """Give the battlefield with these units in place of those of the same id, profile and initiative card."""
        units, scene, places = self.units.copy(), self.scene, self.places
        explorers, hostiles = scene.explorers, scene.hostiles
        ours: list[Explorer] = []
        theirs: list[Hostile] = []
        moved = False
        for unit in changed:
            id_ = unit.id
            moved = moved or unit.hex != units[id_].hex
            units[id_] = unit
            if isinstance(unit, Explorer):
                ours = ours or list(explorers)
                ours[places[id_]] = unit
            else:
                theirs = theirs or list(hostiles)
                theirs[places[id_]] = unit
        explorers = tuple(ours) if ours else explorers
        hostiles = tuple(theirs) if theirs else hostiles
        after = self._with(replace(scene, explorers=explorers, hostiles=hostiles))
        its = after.__dict__
        its["units"] = units
        if ours:
            its.pop("explorers", None)
        if theirs:
            its.pop("hostiles", None)
        if moved:
            its.pop("explorers_in", None)
            its.pop("hostiles_in", None)
            its.pop("standing", None)
        return after

    def change(self, unit: Unit, **changes: Any) -> "Battlefield":
        """Give the battlefield with these fields of a unit changed."""
        return self.put(replace(unit, **changes))

    def _with(self, scene: Scene) -> "Battlefield":
        """Give this battlefield with another scene, every cached attribute included, valid or not."""
        after = Battlefield.__new__(Battlefield)
        its = after.__dict__
        its.update(self.__dict__)
        its["scene"] = scene
        return after

    def with_(self, **changes: Any) -> "Battlefield":
        """Give the battlefield with these fields of the scene changed; the board stays."""
        scene = replace(self.scene, **changes)
        return Battlefield(self.ground, self.book, scene, _by_id(scene))

    def with_turn(self, **changes: Any) -> "Battlefield":
        """Give the battlefield with these facts about the turn changed."""
        # The cached attributes depend on the units alone, and no fact about the turn changes those.
        return self._with(replace(self.scene, turn=replace(self.scene.turn, **changes)))

    def with_board(self, **changes: Any) -> "Battlefield":
        """Give the battlefield with the board changed, and its ground prepared anew."""
        board = replace(self.scene.board, **changes)
        scene = replace(self.scene, board=board)
        return Battlefield(Ground.of(board), self.book, scene, self.units)


hex_option: Final = option.place("hex", "hex {}")
"""Gives what an option means that is a hex."""


def place(unit: Unit | Discovery) -> Hex:
    """Give the hex of a unit or marker that is on the battlefield; ValueError for one that is not."""
    if unit.hex is None:
        raise ValueError(f"{unit.id} is not on the battlefield")
    return unit.hex


def placed(scene: Scene) -> Scene:
    """Give the scene with a place for everything in play: without a board each thing is somewhere."""
    if not scene.is_partial:
        return scene
    return replace(
        scene,
        explorers=tuple(
            [one if one.out_of_action or one.hex else replace(one, hex=NOWHERE) for one in scene.explorers]
        ),
        hostiles=tuple([one if one.slain or one.hex else replace(one, hex=NOWHERE) for one in scene.hostiles]),
        discoveries=tuple([replace(marker, hex=NOWHERE) for marker in scene.discoveries]),
    )


def _by_id(scene: Scene) -> dict[str, Unit]:
    units: tuple[Unit, ...] = (*scene.explorers, *scene.hostiles)
    return {unit.id: unit for unit in units}


def prepare(scene: Scene) -> Battlefield:
    """Give the battlefield of a scene that is known to be sound; `checks.check` says whether it is."""
    scene = placed(scene)
    return Battlefield(Ground.of(scene.board), Book.of(scene.profiles), scene, _by_id(scene))
