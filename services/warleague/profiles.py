"""Cards: the values of a unit, a weapon, an item, an ability or a trap. Shipped as data, or posted with a scene."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.skirmish.fields import Card, Id, Text
from arbiter.value import Value

Step = Annotated[int, Meta(ge=-50, le=50)]
Number = Annotated[int, Meta(ge=0, le=100)]
Tiles = Annotated[int, Meta(ge=0, le=100, description="A distance in tiles.")]
Rounds = Annotated[int, Meta(ge=1, le=100)]

Role = Literal["hero", "drone", "critter", "npc"]
Method = Literal["direct", "clear-line", "ballistics", "limitless"]
Targeting = Literal["ranged", "melee", "thrown"]
Layer = Literal["energy-shield", "armor-upgrade", "armor", "health"]
ItemKind = Literal["ammo", "energy-shield", "armor-upgrade", "stimulant", "repair", "grenade", "gear"]
Stat = Literal["ap", "health", "armor", "damage", "range"]

Damage = Annotated[
    tuple[Number, ...],
    Meta(max_length=3, description="One value, or three: critical, high, low. Empty where nothing is damaged."),
]


class Change(Value, frozen=True, cache_hash=True):
    """What is added to a value, `step` to a `stat`.

    It holds for damage and range of one targeting type, or with `generic` for that of the active one.
    """

    stat: Stat
    step: Step
    targeting: Literal["ranged", "melee", "thrown", "generic"] = "generic"


Changes = Annotated[tuple[Change, ...], Meta(max_length=10)]


class LayerModifier(Value, frozen=True, cache_hash=True):
    """The bonus or penalty, `step`, of damage against one `layer` of defence."""

    layer: Layer
    step: Step


class Throw(Value, frozen=True, cache_hash=True):
    """How far a target is catapulted, and which way, seen from what throws it: `away` throws, `towards` pulls."""

    tiles: Tiles
    way: Literal["away", "towards", "chosen"] = "away"


class NamedCard(Card, frozen=True, cache_hash=True):
    """What weapons, items, abilities and traps have in common: players call one by its name, or by its id."""

    id: Id
    name: Text = ""

    @property
    def title(self) -> str:
        """The name that players use."""
        return self.name or self.id


class TargetedCard(NamedCard, frozen=True, cache_hash=True):
    """What weapons, grenades and abilities have in common: how they reach a target, and what they do to it.

    `range` is the most tiles to the target, null is no limit. What
    has an `explosion_radius` damages an area around its target.
    """

    method: Annotated[
        Method | None, Meta(description="How it reaches its target; null is as its targeting type does.")
    ] = None
    range: Tiles | None = None
    ap: Number = 1
    damage: Damage = ()
    explosion_radius: Tiles | None = None
    bypasses: Annotated[tuple[Layer, ...], Meta(max_length=4, description="Layers of defence it goes past.")] = ()
    against: Annotated[tuple[LayerModifier, ...], Meta(max_length=4)] = ()
    throw: Throw | None = None

    @property
    def targeting(self) -> Targeting | None:
        """The targeting type: that of a weapon, that of what is thrown, or none, as of an ability."""
        return None

    @property
    def is_melee(self) -> bool:
        """Whether it is a melee weapon."""
        return self.targeting == "melee"

    @property
    def explodes(self) -> bool:
        """Whether it damages an area."""
        return self.explosion_radius is not None


class WeaponCard(TargetedCard, frozen=True, cache_hash=True, kw_only=True):
    """A weapon for one type of `targeting`.

    `ammo` is the type of ammunition it takes and `magazine` how many shots are in a full one. A self-powered weapon,
    and one whose `ammo` is null, has no magazine. While it is in a hand its `changes` hold, and its `abilities` can be
    used.
    """

    targeting: Targeting
    ammo: Id | None = None
    magazine: Annotated[int, Meta(ge=1, le=100)] | None = None
    self_powered: bool = False
    hands: Annotated[int, Meta(ge=1, le=2)] = 1
    abilities: Annotated[tuple[Id, ...], Meta(max_length=10)] = ()
    changes: Changes = ()


class ItemCard(TargetedCard, frozen=True, cache_hash=True, kw_only=True):
    """An item; which of its numbers count is a matter of its `kind`.

    Ammunition has a type, `ammo`, and so many `rounds`. An energy shield has a `level` and `regenerates` so much in
    each update phase. An armor upgrade has `armor`, and is destroyed below its `threshold`. A stimulant `heals` health,
    nano repair droids `repair` armor. A grenade is thrown. `ap` is what using it from a slot costs; `changes` hold
    while it is in a slot, or those of a stimulant for so many `lasts` after it was used.
    """

    kind: ItemKind
    ammo: Id | None = None
    rounds: Number = 0
    level: Number = 0
    regenerates: Number = 0
    armor: Number = 0
    threshold: Number = 0
    heals: Number = 0
    repairs: Number = 0
    changes: Changes = ()
    lasts: Rounds | None = None

    @property
    def targeting(self) -> Targeting | None:
        """Grenades are thrown."""
        return "thrown" if self.kind == "grenade" else None


class AbilityCard(TargetedCard, frozen=True, cache_hash=True, kw_only=True):
    """An ability. Its `changes` hold for the target for so many `lasts`, null is for good.

    After it was used it cannot be used for `cooldown` rounds.
    """

    cooldown: Number = 0
    changes: Changes = ()
    lasts: Rounds | None = None


class TrapCard(NamedCard, frozen=True, cache_hash=True):
    """A card of the trap deck: with an `explosion_radius` it is explosive, else it works on who set it off.

    Its `changes` hold for so many `lasts`, null is for good.
    """

    damage: Damage = ()
    explosion_radius: Tiles | None = None
    throw: Throw | None = None
    changes: Changes = ()
    lasts: Rounds | None = None


class UnitCard(Card, frozen=True, cache_hash=True):
    """The card of a unit: its `role` and the ids of its `abilities`.

    `health` or `armor` of null: it has no such layer. `ap` are its action points in a round. `slots` and `inventory`
    say how many items it has at hand and in store, `hands` how many it has for weapons; with `dual` it may use two at
    once. `rad` is the reward for killing it. `weapons` are in its hands where a scene says nothing else.
    """

    id: Id
    role: Role
    ap: Number
    name: Text = ""
    health: Annotated[int, Meta(ge=1, le=100)] | None = None
    armor: Annotated[int, Meta(ge=1, le=100)] | None = None
    slots: Number = 0
    inventory: Number = 0
    hands: Annotated[int, Meta(ge=0, le=2)] = 2
    dual: bool = False
    rad: Number = 0
    weapons: Annotated[tuple[Id, ...], Meta(max_length=2)] = ()
    abilities: Annotated[tuple[Id, ...], Meta(max_length=10)] = ()
    changes: Changes = ()


class Profiles(Value, frozen=True, cache_hash=True):
    """What a scene brings along; it takes the place of shipped rows of the same id."""

    units: Annotated[tuple[UnitCard, ...], Meta(max_length=60)] = ()
    weapons: Annotated[tuple[WeaponCard, ...], Meta(max_length=60)] = ()
    items: Annotated[tuple[ItemCard, ...], Meta(max_length=60)] = ()
    abilities: Annotated[tuple[AbilityCard, ...], Meta(max_length=60)] = ()
    traps: Annotated[tuple[TrapCard, ...], Meta(max_length=60)] = ()
