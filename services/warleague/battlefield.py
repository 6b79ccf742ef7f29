"""The battlefield: a scene that has been checked, with its ground prepared and its cards at hand."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeVar, cast

from msgspec.structs import replace

from arbiter.caching import CachedAttribute, held_by_first
from arbiter.nowhere import Nowhere, Somewhere
from arbiter.skirmish.battlefield import SkirmishBattlefield
from services.warleague.book import Book
from services.warleague.ground import Ground
from services.warleague.profiles import Change, Role, UnitCard, WeaponCard
from services.warleague.scene import (
    PLACES,
    Effect,
    Hand,
    Hidden,
    Item,
    LyingItem,
    Place,
    Rad,
    Scene,
    Side,
    Tile,
    Trap,
    Unit,
)

Supply = Literal["ap", "health", "armor"]
"""The values of a unit that are used up and filled again."""

CHANGES_KEPT = 1000
"""Sets of equipment and effects whose changes a book remembers, in each of two generations."""

WORN = ("energy-shield", "armor-upgrade", "gear")
"""The kinds of items whose changes hold while they are in a slot."""


V = TypeVar("V")

WORKED_OUT: dict[str, tuple[str, ...]] = {}
"""What a battlefield works out once, and the fields of the scene on which it hangs.

Of units some of it hangs on `OF_UNITS` alone.
"""

OF_UNITS = ("places", "cards", "equipment")
"""Where units are, of which side they are by which cards, and what they carry with what works on them."""


@lru_cache(maxsize=64)
def _lasting(changed: tuple[str, ...]) -> tuple[str, ...]:
    """Name what a battlefield works out that hangs on none of these."""
    return tuple(name for name, members in WORKED_OUT.items() if not set(changed).intersection(members))


def hangs_on(*members: str) -> Callable[[Callable[[Any], V]], CachedAttribute[V]]:
    """Declare that an attribute is worked out once, and holds for later battlefields until one of these changes."""

    def declare(worked_out: Callable[[Any], V]) -> CachedAttribute[V]:
        WORKED_OUT[worked_out.__name__] = members
        return CachedAttribute(worked_out)

    return declare


def _changed(old: Unit, new: Unit) -> tuple[str, ...]:
    """Give what of `OF_UNITS` differs between two states of a unit."""
    if new.side != old.side or new.profile != old.profile:
        return OF_UNITS
    places = ("places",) if new.at != old.at or new.dead != old.dead else ()
    alike = new.hands == old.hands and new.slots == old.slots and new.effects == old.effects
    return places if alike else (*places, "equipment")


def in_play(unit: Unit) -> bool:
    """Say whether a unit is on the board and not dead."""
    return unit.at is not None and not unit.dead


@dataclass(frozen=True, eq=False, init=False)
class Battlefield(SkirmishBattlefield[Ground, Book, Scene, Unit]):
    """A valid scene: `ground` answers for the board, `book` for the cards, `by_id` are all units of the scene.

    What many rules ask of it is worked out once: who is in play and where, what is closed, who is whose enemy.
    """

    # Units

    in_play = staticmethod(in_play)

    @hangs_on("units")
    def units(self) -> tuple[Unit, ...]:
        """The units in play, in the scene's order."""
        return tuple(filter(in_play, self.scene.units))

    def are_enemies(self, unit: Unit, other: Unit) -> bool:
        """Say whether two units are of sides that are enemies."""
        return self.opposed(unit.side, other.side)

    def profile(self, unit: Unit) -> UnitCard:
        """Give the card of a unit."""
        return self.book.units[unit.profile]

    def side(self, id_: str) -> Side:
        """Give the side of that id."""
        return self._sides[id_]

    @hangs_on("sides")
    def _sides(self) -> dict[str, Side]:
        return {side.id: side for side in self.scene.sides}

    def player(self, id_: str) -> str:
        """Give the id of the side that decides for a unit."""
        return self.by_id[id_].side

    def at(self, id_: str) -> Tile:
        """Give the tile of a unit that is in play."""
        tile = self.by_id[id_].at
        if tile is None:
            raise LookupError(f"{id_} is not on the board")
        return tile

    def stands(self, id_: str) -> bool:
        """Say whether a unit is in play and not downed."""
        unit = self.by_id[id_]
        return in_play(unit) and not unit.downed

    def place(self, unit: str, /) -> Any:
        """Give where a unit is; on a table that only the players see, whether it has moved within the ruling."""
        at = self.by_id[unit].at
        return at.moved if isinstance(at, Somewhere) else at

    def on(self, tile: Tile | None) -> tuple[Unit, ...]:
        """Give the units in play on a tile, in the scene's order."""
        return self._standing.get(tile, ())

    @hangs_on("units")
    def _standing(self) -> dict[Tile | None, tuple[Unit, ...]]:
        standing: dict[Tile | None, tuple[Unit, ...]] = {}
        for unit in self.units:
            standing[unit.at] = (*standing.get(unit.at, ()), unit)
        return standing

    def tiles_of(self, units: Iterable[Unit]) -> frozenset[Tile]:
        """Give the tiles on which some units in play stand."""
        return frozenset([unit.at for unit in units if unit.at is not None])

    def opposed(self, one: str, other: str) -> bool:
        """Say whether two sides are enemies: two different ones, that are not of one team."""
        return foes(self._sides[one], self._sides[other])

    def enemies(self, unit: Unit) -> tuple[Unit, ...]:
        """Give the enemies of a unit that are in play."""
        return self._enemies[unit.side]

    def friends(self, unit: Unit) -> tuple[Unit, ...]:
        """Give the other units in play that are no enemies of a unit."""
        opposed = self._opposed[unit.side]
        return tuple([other for other in self.units if other.id != unit.id and other.side not in opposed])

    def put(self, *changed: Unit) -> "Battlefield":
        """Give the battlefield with these units in place of those of the same id."""
        by_id = self.by_id | {unit.id: unit for unit in changed}
        field = Battlefield(self.ground, self.book, replace(self.scene, units=tuple(by_id.values())), by_id)
        hangs: tuple[str, ...] = ("units",)
        for unit in changed:
            hangs += _changed(self.by_id[unit.id], unit)
        return self._unchanged(field, hangs)

    def with_(self, **changes: Any) -> "Battlefield":
        """Give the battlefield with these fields of the scene changed; board and profiles stay."""
        hangs = (*changes, *OF_UNITS) if "units" in changes else tuple(changes)
        return self._unchanged(super().with_(**changes), hangs)

    def _unchanged(self, field: "Battlefield", changed: tuple[str, ...]) -> "Battlefield":
        """Give a later battlefield, with the cached attributes that depend on nothing that has changed."""
        self._hand_on(field, *_lasting(changed))
        return field

    @hangs_on("units", "sides")
    def _enemies(self) -> dict[str, tuple[Unit, ...]]:
        return {side: tuple([unit for unit in self.units if unit.side in of]) for side, of in self._opposed.items()}

    @hangs_on("places", "sides")
    def _tiles_of_enemies(self) -> dict[str, frozenset[Tile]]:
        return {side: self.tiles_of(self._enemies[side]) for side in self._opposed}

    def tiles_of_enemies(self, unit: Unit) -> frozenset[Tile]:
        """Give the tiles on which enemies of a unit stand."""
        return self._tiles_of_enemies[unit.side]

    def tiles_of_others(self, unit: Unit) -> frozenset[Tile]:
        """Give the tiles on which units in play stand that are not this one."""
        crowded = len(self.occupied) < len(self.units) and len(self.on(unit.at)) > 1
        return self.occupied if crowded else self.occupied - {unit.at}

    @hangs_on("sides")
    def _opposed(self) -> dict[str, frozenset[str]]:
        sides = self.scene.sides
        return {one.id: frozenset([other.id for other in sides if foes(one, other)]) for one in sides}

    def hands(self, id_: str) -> tuple[Hand, ...]:
        """Give the weapons that a unit holds: those of its card where the scene says nothing else."""
        return hands(self.book, self.by_id[id_])

    def weapons(self, id_: str, hands: Iterable[int] | None = None) -> tuple[WeaponCard, ...]:
        """Give the cards of the weapons that a unit holds, in all of its hands or in some."""
        held = self.hands(id_)
        used = held if hands is None else [held[hand] for hand in hands]
        return tuple([self.book.weapons[each.weapon] for each in used])

    def weapon(self, id_: str, hand: int) -> WeaponCard:
        """Give the card of the weapon in a hand of a unit."""
        return self.book.weapons[self.hands(id_)[hand].weapon]

    def hand_put(self, id_: str, hand: int, **changes: Any) -> "Battlefield":
        """Give the battlefield with what a unit has in a hand changed."""
        held = self.hands(id_)
        hands = (*held[:hand], replace(held[hand], **changes), *held[hand + 1 :])
        return self.put(replace(self.by_id[id_], hands=hands))

    def stored(self, id_: str, place: Place) -> tuple[Item, ...]:
        """Give the items that a unit has in a place."""
        items: tuple[Item, ...] = getattr(self.by_id[id_], place)
        return items

    def places(self, id_: str) -> list[tuple[Place, int]]:
        """Give where a unit has items: the places, and the index of each item there."""
        return [(place, index) for place in PLACES for index in range(len(self.stored(id_, place)))]

    def stored_put(self, id_: str, place: Place, index: int, *item: Item) -> "Battlefield":
        """Give the battlefield with another item, or none, in place of one that a unit has."""
        items = self.stored(id_, place)
        return self.put(replace(self.by_id[id_], **{place: (*items[:index], *item, *items[index + 1 :])}))

    def has_room(self, id_: str) -> bool:
        """Say whether a unit has room in its inventory for one more thing."""
        unit = self.by_id[id_]
        return len(unit.inventory) + len(unit.spare) < self.profile(unit).inventory

    def abilities(self, id_: str) -> tuple[str, ...]:
        """Give the abilities of a unit by their ids: those of its card, then those of the weapons that it holds."""
        card = self.profile(self.by_id[id_])
        held = (ability for weapon in self.weapons(id_) for ability in weapon.abilities)
        return tuple(dict.fromkeys((*card.abilities, *held)))

    def changes(self, id_: str) -> tuple[Change, ...]:
        """Give everything that is added to a unit's values: by its card, its equipment, and effects."""
        return changes(self.book, self.by_id[id_])

    def full(self, id_: str, supply: Supply) -> int:
        """Give what a unit has of a supply when none is used up, 0 where its card has none."""
        known = self._full.get((id_, supply))
        if known is None:
            known = self._full[id_, supply] = full(self.book, self.by_id[id_], supply)
        return known

    @hangs_on("equipment")
    def _full(self) -> dict[tuple[str, Supply], int]:
        return {}

    @hangs_on("cards")
    def heroes(self) -> frozenset[str]:
        """The ids of all heroes, in play or not."""
        return frozenset([unit.id for unit in self.scene.units if self.profile(unit).role == "hero"])

    @hangs_on("cards")
    def roles(self) -> dict[str, set[Role]]:
        """The roles of the units of each side, in play or not."""
        roles: dict[str, set[Role]] = {}
        for unit in self.scene.units:
            roles.setdefault(unit.side, set()).add(self.profile(unit).role)
        return roles

    # Tiles

    def in_order(self, tiles: frozenset[Tile]) -> list[Tile]:
        """Give some tiles by row and column; where only the players see them, in the order of the units there."""
        if self.scene.is_partial:
            return [unit.at for unit in self.units if unit.at is not None and unit.at in tiles]
        return sorted(tiles, key=lambda at: (at[1], at[0]))

    @hangs_on("obstacles")
    def obstacles(self) -> frozenset[Tile]:
        """The tiles that obstacles fill."""
        return frozenset(obstacle.at for obstacle in self.scene.obstacles)

    @hangs_on("crates")
    def crates(self) -> frozenset[Tile]:
        """The tiles on which crates stand."""
        return frozenset(crate.at for crate in self.scene.crates)

    @property
    def hidden(self) -> frozenset[Tile]:
        """The tiles on which something is hidden: those of all crates, and all concealed ones."""
        return self.crates | {each.at for each in self.scene.concealed}

    @hangs_on("obstacles")
    def closed(self) -> frozenset[Tile]:
        """The tiles over which nobody goes: those of obstacles, and those that kill."""
        return self.obstacles.union(self.ground.killing)

    @hangs_on("places")
    def occupied(self) -> frozenset[Tile]:
        """The tiles on which units in play stand."""
        return self.tiles_of(self.units)

    @hangs_on("obstacles", "crates")
    def solid(self) -> frozenset[Tile]:
        """The tiles on which things stand in the way of a line: obstacles and crates."""
        return self.obstacles | self.crates

    def crate(self, tile: Tile) -> Hidden | None:
        """Give the crate on a tile, if there is one."""
        return next((crate for crate in self.scene.crates if crate.at == tile), None)

    def concealed(self, tile: Tile) -> Hidden | None:
        """Give the concealed tile there, if it still is one."""
        return next((hidden for hidden in self.scene.concealed if hidden.at == tile), None)

    # Changes

    def dropped(self, member: str, thing: LyingItem | Rad | Trap) -> "Battlefield":
        """Give the battlefield with one more thing on a tile; what lies where only the players see it is theirs."""
        if isinstance(thing.at, Nowhere):
            return self
        return self.with_(**{member: (*getattr(self.scene, member), thing)})

    def side_put(self, changed: Side) -> "Battlefield":
        """Give the battlefield with this side in place of that of the same id."""
        return self.with_(sides=tuple(changed if side.id == changed.id else side for side in self.scene.sides))


def foes(one: Side, other: Side) -> bool:
    """Say whether two sides are enemies: two different ones, that are not of one team."""
    return one.id != other.id and (one.team is None or one.team != other.team)


def hands(book: Book, unit: Unit) -> tuple[Hand, ...]:
    """Give the weapons that a unit holds: those of its card where the scene says nothing else."""
    return book.bare_hands[unit.profile] if unit.hands is None else unit.hands


def changes(book: Book, unit: Unit) -> tuple[Change, ...]:
    """Give everything that is added to a unit's values: by its card, its equipment, and effects on it."""
    return _changes(book, unit.profile, hands(book, unit), unit.slots, unit.effects)


@held_by_first(CHANGES_KEPT)
def _changes(
    book: Book, profile: str, held: tuple[Hand, ...], slots: tuple[Item, ...], effects: tuple[Effect, ...]
) -> tuple[Change, ...]:
    sources: Iterable[tuple[Change, ...]] = (
        book.units[profile].changes,
        *(book.weapons[hand.weapon].changes for hand in held),
        *(book.items[item.item].changes for item in slots if book.items[item.item].kind in WORN),
        *(effect.changes for effect in effects),
    )
    return tuple(change for source in sources for change in source)


def full(book: Book, unit: Unit, supply: Supply) -> int:
    """Give what a unit has of a supply when none is used up, 0 where its card has none; never less than 0."""
    bare: int | None = getattr(book.units[unit.profile], supply)
    if bare is None:
        return 0
    return max(0, bare + sum([change.step for change in changes(book, unit) if change.stat == supply]))


def placed(scene: Scene) -> Scene:
    """Give the scene with a place for every unit in play: without a board each of them is somewhere."""
    if not scene.is_partial:
        return scene
    book = Book.of(scene.profiles)
    return replace(
        scene, units=tuple(unit if unit.dead else replace(unit, at=_somewhere(book, unit)) for unit in scene.units)
    )


def elsewhere(at: Tile) -> Tile:
    """Give another tile that only the players see, for a unit that has left its own."""
    return at.elsewhere if isinstance(at, Somewhere) else at


def _somewhere(book: Book, unit: Unit) -> Tile:
    """Give the tile of a unit whose place only the players see: whoever measures from it raises `PlaceNeeded`."""
    card = book.units.get(unit.profile)
    return cast(Tile, Somewhere(unit.id, card.name if card else ""))


def prepare(scene: Scene) -> Battlefield:
    """Give the battlefield of a valid scene; `checks.checked` decides whether it is valid."""
    scene = placed(scene)
    return Battlefield.of(Ground.of(scene.board), Book.of(scene.profiles), scene)
