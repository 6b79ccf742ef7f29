"""Cards: what is known of a size, a model, a weapon or an ability. Shipped as data, or given by a scene instead."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.skirmish.fields import Card, Id, Text
from arbiter.value import Value

Length = Annotated[float, Meta(ge=0, le=200, description="In the scene's unit; read to the nearest thousandth.")]
Dice = Annotated[int, Meta(ge=0, le=40, description="A number of dice.")]

Size = Literal["XS", "S", "M", "L", "XL"]
Roll = Literal["hit", "damage", "defence", "morale"]
NpcKind = Literal["active", "passive", "scenario"]


class Build(Card, frozen=True, cache_hash=True):
    """What a size (`id`) is on the table: how far its `base` is across, and the `height` of its models."""

    id: Size
    base: Annotated[float, Meta(gt=0, le=20)]
    height: Annotated[float, Meta(gt=0, le=100)]
    name: Text = ""


class Band(Value, frozen=True, cache_hash=True):
    """A range band: up to which distance it goes, and its modifier, which is better the higher it is."""

    up_to: Length
    modifier: Annotated[int, Meta(ge=-20, le=20)] = 0


class Weapon(Card, frozen=True, cache_hash=True):
    """A weapon of a `kind`: its attack dice, and how far it goes.

    A melee weapon has a `reach`, a ranged one its `bands` from the nearest on; beyond the last one it does not shoot.
    What has a `reload` is unloaded by a shot, and loaded again by an action of that name.
    """

    id: Id
    kind: Literal["melee", "ranged"]
    attack_dice: Dice
    name: Text = ""
    reach: Length | None = None
    bands: Annotated[tuple[Band, ...], Meta(max_length=10)] = ()
    reload: Literal["none", "fast", "slow"] = "none"


class Ability(Card, frozen=True, cache_hash=True):
    """An ability: the rolls (`rerolls`) in which its bearer may roll ones again, once."""

    id: Id
    rerolls: Annotated[tuple[Roll, ...], Meta(max_length=4)]
    name: Text = ""


class Profile(Card, frozen=True, cache_hash=True):
    """The card of a model: its `size`, its values, what it carries, and its `abilities`.

    `movement` is B, `hit_points` are LP; `armour` are its dice for defence, `morale` those for morale. It begins with
    the first of its `weapons` in hand.
    """

    id: Id
    size: Size
    movement: Length
    hit_points: Annotated[int, Meta(ge=1, le=100)]
    name: Text = ""
    armour: Dice = 0
    morale: Dice = 0
    weapons: Annotated[tuple[Id, ...], Meta(max_length=10)] = ()
    abilities: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()


class NpcAction(Value, frozen=True, cache_hash=True):
    """An action that a scenario gives its NPCs, as `actions` of a model names it.

    It takes the NPC's one action of the round; a simple one may also be a reaction. What it does beyond that is the
    scenario's matter, and `gist` says it in a sentence.
    """

    id: Id
    name: Text = ""
    gist: Text = ""
    type: Literal["simple", "complex"] = "simple"


class Profiles(Value, frozen=True, cache_hash=True):
    """What a scene brings along; it takes the place of shipped rows of the same id."""

    sizes: Annotated[tuple[Build, ...], Meta(max_length=5)] = ()
    models: Annotated[tuple[Profile, ...], Meta(max_length=60)] = ()
    weapons: Annotated[tuple[Weapon, ...], Meta(max_length=60)] = ()
    abilities: Annotated[tuple[Ability, ...], Meta(max_length=60)] = ()
    npc_actions: Annotated[tuple[NpcAction, ...], Meta(max_length=60)] = ()
