"""The battlefield: a checked scene with its prepared ground and its tables.

Lengths in the scene are in its unit; what the geometry gives is in thousandths of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from msgspec.structs import asdict, replace

from arbiter.caching import BOOKS_KEPT, held_by_first
from arbiter.geometry.plane import shapes
from arbiter.nowhere import NOWHERE
from arbiter.skirmish.battlefield import SkirmishBattlefield
from arbiter.skirmish.plane import BODIES_KEPT
from services.size_skirmish.book import Book
from services.size_skirmish.ground import Ground, solid
from services.size_skirmish.scene import Build, Melee, Model, Profile, Roll, Scene, Side, Weapon

LAYOUTS_KEPT = 16
"""Layouts that a ground remembers, in each of two generations: a model and those who react to it ask for the same."""

NO_MATTER: Mapping[str, Any] = {
    "items": (),
    "round": 1,
    "phase": "action",
    "starting": None,
    "scenario_starts": None,
    "turn": None,
}
"""Fields of a scene that decide neither ways nor sights."""


def in_play(model: Model) -> bool:
    """Return whether a model is on the battlefield and not out."""
    return model.at is not None and model.out is None


def card(book: Book, model: Model) -> Profile:
    """Return the card of a model, with the values that are its own."""
    shared = book.profiles[model.profile]
    if model.own is None:
        return shared
    own = {name: value for name, value in asdict(model.own).items() if value is not None and name != "attack_dice"}
    return replace(shared, **own)


@dataclass(frozen=True, eq=False)
class Battlefield(SkirmishBattlefield[Ground, Book, Scene, Model]):
    """A valid scene: `ground` answers for the table, `book` for the tables, `by_id` are all models of the scene."""

    ROSTER = "models"

    in_play = staticmethod(in_play)

    def are_enemies(self, unit: Model, other: Model) -> bool:
        """Return whether two models are of different sides; NPCs have no friends."""
        return unit.side != other.side

    def profile(self, unit: Model) -> Profile:
        """Return the card of a model, with the values that are its own."""
        return self.book.profiles[unit.profile] if unit.own is None else card(self.book, unit)

    @cached_property
    def units(self) -> tuple[Model, ...]:
        """The models in play, in the scene's order."""
        return tuple(filter(in_play, self.scene.models))

    def build(self, model: Model) -> Build:
        """Return what the size of a model is on the table."""
        return self.book.sizes[self.profile(model).size]

    def weapon_name(self, id_: str) -> str:
        """Return the name a player uses for a weapon."""
        weapon = self.book.weapons.get(id_)
        return id_ if weapon is None else weapon.name or id_

    def solid(self, model: Model | str) -> shapes.Figure:
        """Return a model on the battlefield, or that of an id, as the geometry takes it."""
        return self._solids[self.by_id[model] if isinstance(model, str) else model]

    @cached_property
    def _solids(self) -> "Solids":
        return _solids(self.book, self.ground.slack)

    @property
    def layout(self) -> "Layout":
        """Where all stand and face, with what in hand, and who is in melee: what decides ways and sights."""
        return self._layout

    @cached_property
    def _layout(self) -> "Layout":
        models = tuple(map(_as_it_stands, self.scene.models))
        return _layout(self.ground, self.book, replace(self.scene, models=models, **NO_MATTER))

    @cached_property
    def bodies(self) -> tuple[shapes.Figure, ...]:
        """The models in play as the geometry takes them, in the scene's order."""
        return tuple(map(self.solid, self.units))

    def weapon(self, model: Model) -> Weapon | None:
        """Return the weapon that a model has in hand; None where its card has none."""
        weapons = self.profile(model).weapons
        in_hand = model.in_hand or (weapons[0] if weapons else None)
        if in_hand is None:
            return None
        weapon, own = self.book.weapons[in_hand], model.own
        return weapon if own is None or own.attack_dice is None else replace(weapon, attack_dice=own.attack_dice)

    def armed(self, id_: str, kind: Literal["melee", "ranged"]) -> Weapon | None:
        """Return the weapon of a kind that a model has in hand."""
        weapon = self.weapon(self.unit(id_))
        return weapon if weapon is not None and weapon.kind == kind else None

    def rerolls(self, model: Model, roll: Roll) -> bool:
        """Return whether an ability of its card lets a model roll its ones of a roll again."""
        return any(roll in self.book.abilities[id_].rerolls for id_ in self.profile(model).abilities)

    def hit_points(self, model: Model) -> int:
        """Return the hit points that a model has left; never less than none."""
        return max(0, self.profile(model).hit_points - model.hit_points_lost)

    def side(self, id_: str) -> Side:
        """Return the side of that id."""
        return next(side for side in self.scene.sides if side.id == id_)

    def after(self, side: str) -> tuple[str, ...]:
        """Return the sides in the order of their turns after that of a side, which comes last."""
        sides = tuple(each.id for each in self.scene.sides)
        place = sides.index(side) + 1
        return (*sides[place:], *sides[:place])

    def of_side(self, side: str) -> tuple[Model, ...]:
        """Return the models in play of a side, or the NPCs in play."""
        return tuple(model for model in self.units if model.side == side)

    def opponents(self, id_: str) -> tuple[str, ...]:
        """Return the models with which a model is in melee, in the order of the scene."""
        joined = {other for melee in self.scene.melees if (other := melee.against(id_)) is not None}
        return tuple([model.id for model in self.units if model.id in joined]) if joined else ()

    def joined(self, a: str, b: str) -> "Battlefield":
        """Return the battlefield with two models in melee with each other."""
        if any(melee.against(a) == b for melee in self.scene.melees):
            return self
        return self.with_(melees=(*self.scene.melees, Melee(a, b)))

    def parted(self, id_: str, others: tuple[str, ...] | None = None) -> "Battlefield":
        """Return the battlefield with a model in no melee, or in none with some others."""
        ended = self.opponents(id_) if others is None else others
        return self.with_(melees=tuple(melee for melee in self.scene.melees if melee.against(id_) not in ended))

    def put(self, *changed: Model) -> "Battlefield":
        """Return the battlefield with these models in place of those of the same id."""
        after = super().put(*changed)
        if all(_as_it_stands(model) == _as_it_stands(self.by_id[model.id]) for model in changed):
            self._hand_on(after, "bodies", "_layout")
        return after

    def with_(self, **changes: Any) -> "Battlefield":
        """Return the battlefield with these fields of the scene changed."""
        after = super().with_(**changes)
        if self.ROSTER not in changes:
            self._hand_on(after, "units", "bodies", *(("_layout",) if changes.keys() <= NO_MATTER.keys() else ()))
        return after

    def changed(self, id_: str, **changes: Any) -> "Battlefield":
        """Return the battlefield with these fields of one model changed; the same one where nothing changes."""
        model = self.by_id[id_]
        if all(getattr(model, name) == value for name, value in changes.items()):
            return self
        return self.put(replace(model, **changes))


@dataclass(frozen=True, eq=False)
class Layout(Battlefield):
    """A battlefield without what does not matter to where models may go, whom they see and whom they reach.

    Markers, losses, items and status tokens are left out, and where the game stands.
    """

    @property
    def layout(self) -> "Layout":
        """A layout is its own."""
        return self

    @cached_property
    def answers(self) -> dict[Any, Any]:
        """What tables have worked out of it."""
        return {}


# A layout refers to its ground: both go together, when the collector of cycles comes.
@held_by_first(LAYOUTS_KEPT)
def _layout(ground: Ground, book: Book, scene: Scene) -> Layout:
    return Layout.of(ground, book, scene)


@lru_cache(maxsize=BODIES_KEPT)
def _as_it_stands(model: Model) -> Model:
    return replace(model, hit_points_lost=0, losses_restored=0, items=(), statuses=(), acted=False, reacted=False)


class Solids(dict[Model, shapes.Figure]):
    """Models as the geometry takes them, by the cards of a book; those of `BODIES_KEPT` at most are remembered."""

    def __init__(self, book: Book, slack: int) -> None:
        super().__init__()
        self._book, self._slack = book, slack

    def __missing__(self, model: Model) -> shapes.Figure:
        if len(self) >= BODIES_KEPT:
            self.clear()
        self[model] = body = solid(model, self._book.sizes[card(self._book, model).size], self._slack)
        return body


_solids = lru_cache(maxsize=BOOKS_KEPT)(Solids)


def placed(scene: Scene) -> Scene:
    """Return the scene with a place for every model in play: without a board each of them is somewhere."""
    if not scene.is_partial:
        return scene
    models = tuple(map(_somewhere, scene.models))
    return replace(scene, models=models, items=tuple(replace(item, at=NOWHERE) for item in scene.items))


def _somewhere(model: Model) -> Model:
    if model.out is not None:
        return model
    return replace(model, at=NOWHERE, fleeing=model.fleeing and replace(model.fleeing, direction=NOWHERE))


def prepare(scene: Scene) -> Battlefield:
    """Return the battlefield of a scene that is known to be sound; `checks.checked` says whether it is."""
    scene = placed(scene)
    return Battlefield.of(Ground.of(scene.board), Book.of(scene.profiles), scene)
