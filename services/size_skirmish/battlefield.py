"""The battlefield: a checked scene with its prepared ground and its tables.

Rules read it and give a new one; nothing is changed in place. Lengths in the scene are in its unit; what the geometry
gives is in thousandths of it. Battlefields are equal when their scenes are, so that walks of all paths can merge them.
"""

from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from arbiter.geometry.plane import shapes
from arbiter.option import Option
from arbiter.text import UnitName
from services.size_skirmish.book import Book
from services.size_skirmish.ground import Ground, solid
from services.size_skirmish.profiles import Build, Profile, Roll, Weapon
from services.size_skirmish.scene import NPC, Melee, Model, Scene, Side


@dataclass(frozen=True, eq=False, slots=True)
class Battlefield:
    """A valid scene: `ground` answers for the table, `book` for the tables, `by_id` are all models of the scene."""

    ground: Ground
    book: Book
    scene: Scene
    by_id: dict[str, Model]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Battlefield):
            return NotImplemented
        return self is other or (self.ground is other.ground and self.book is other.book and self.scene == other.scene)

    def __hash__(self) -> int:
        return hash(self.scene)

    @property
    def models(self) -> tuple[Model, ...]:
        """The models in play, in the scene's order: on the battlefield, and not out."""
        return tuple(model for model in self.scene.models if in_play(model))

    def model(self, id_: str) -> Model:
        """Return the model of that id, in play or not."""
        return self.by_id[id_]

    def profile(self, model: Model) -> Profile:
        """Return the card of a model."""
        return self.book.profiles[model.profile]

    def build(self, model: Model) -> Build:
        """Return what the size of a model is on the table."""
        return self.book.sizes[self.profile(model).size]

    def name(self, id_: str) -> str:
        """Return the name a player uses for a model: that of its card, and the id."""
        return UnitName(id_, self.profile(self.by_id[id_]).name)

    def option(self, id_: str) -> Option:
        """Return what an option means that is a model."""
        name = self.name(id_)
        return Option(id_, str(name), {"model": name})

    def weapon_name(self, id_: str) -> str:
        """Return the name a player uses for a weapon."""
        weapon = self.book.weapons.get(id_)
        return id_ if weapon is None else weapon.name or id_

    def solid(self, model: Model) -> shapes.Figure:
        """Return a model on the battlefield as the geometry takes it."""
        return solid(model, self.build(model))

    def weapon(self, model: Model) -> Weapon | None:
        """Return the weapon that a model has in hand; None where its card has none."""
        weapons = self.profile(model).weapons
        in_hand = model.in_hand or (weapons[0] if weapons else None)
        return None if in_hand is None else self.book.weapons[in_hand]

    def rerolls(self, model: Model, roll: Roll) -> bool:
        """Return whether an ability of its card lets a model roll its ones of a roll again."""
        return any(roll in self.book.abilities[id_].rerolls for id_ in self.profile(model).abilities)

    def hit_points(self, model: Model) -> int:
        """Return the hit points that a model has left; never less than none."""
        return max(0, self.profile(model).hit_points - model.hit_points_lost)

    # Sides

    def side(self, id_: str) -> Side:
        """Return the side of that id."""
        return next(side for side in self.scene.sides if side.id == id_)

    def after(self, side: str) -> str:
        """Return the side whose turn comes after that of a side, in the order of the scene."""
        sides = tuple(each.id for each in self.scene.sides)
        return sides[(sides.index(side) + 1) % len(sides)]

    def player(self, id_: str) -> str:
        """Return the player of a model: its side, or `npc`."""
        return self.by_id[id_].side

    def enemies(self, model: Model) -> tuple[Model, ...]:
        """Return the models in play of all other sides; NPCs have no friends."""
        return tuple(other for other in self.models if other.side != model.side)

    def friends(self, model: Model) -> tuple[Model, ...]:
        """Return the other models in play of a model's own side."""
        return tuple(other for other in self.models if other.side == model.side and other.id != model.id)

    def of_side(self, side: str) -> tuple[Model, ...]:
        """Return the models in play of a side."""
        return tuple(model for model in self.models if model.side == side)

    @property
    def npcs(self) -> tuple[Model, ...]:
        """The NPCs in play."""
        return self.of_side(NPC)

    # Melee

    def opponents(self, id_: str) -> tuple[str, ...]:
        """Return the models with which a model is in melee, in the order of the scene."""
        return tuple(
            model.id for model in self.models if any(melee.joins(id_, model.id) for melee in self.scene.melees)
        )

    def joined(self, a: str, b: str) -> "Battlefield":
        """Return the battlefield with two models in melee with each other."""
        if any(melee.joins(a, b) for melee in self.scene.melees):
            return self
        return self.with_(melees=(*self.scene.melees, Melee(a, b)))

    def parted(self, id_: str) -> "Battlefield":
        """Return the battlefield with a model in no melee."""
        return self.with_(melees=tuple(melee for melee in self.scene.melees if id_ not in (melee.one, melee.other)))

    def parted_from(self, id_: str, others: tuple[str, ...]) -> "Battlefield":
        """Return the battlefield with a model in no melee with some others."""
        return self.with_(
            melees=tuple(melee for melee in self.scene.melees if not any(melee.joins(id_, other) for other in others))
        )

    # Changes

    def put(self, *changed: Model) -> "Battlefield":
        """Return the battlefield with these models in place of those of the same id."""
        news = {model.id: model for model in changed}
        return self.with_(models=tuple(news.get(model.id, model) for model in self.scene.models))

    def changed(self, id_: str, **changes: Any) -> "Battlefield":
        """Return the battlefield with these fields of one model changed."""
        return self.put(replace(self.by_id[id_], **changes))

    def with_(self, **changes: Any) -> "Battlefield":
        """Return the battlefield with these fields of the scene changed; board and profiles stay."""
        scene = replace(self.scene, **changes)
        return Battlefield(self.ground, self.book, scene, {model.id: model for model in scene.models})


def in_play(model: Model) -> bool:
    """Return whether a model is on the battlefield and not out."""
    return model.at is not None and model.out is None


def prepare(scene: Scene) -> Battlefield:
    """Return the battlefield of a scene that is known to be sound; `checks.checked` says whether it is."""
    return Battlefield(
        Ground.of(scene.board), Book.of(scene.profiles), scene, {model.id: model for model in scene.models}
    )
