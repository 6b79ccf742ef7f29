"""Profiles of figures, weapons and powers. Shipped as data, or given by a scene instead."""

from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import asdict, replace

from arbiter.skirmish.fields import Card, Id, Text
from arbiter.value import Value

Inches = Annotated[float, Meta(ge=0, le=120, description="Inches; read to the nearest thousandth.")]
Stat = Annotated[int, Meta(ge=-20, le=40)]
Amount = Annotated[int, Meta(ge=0, le=10_000)]


class KnownPower(Value, frozen=True):
    """A power that a figure knows, by its `id`, with its own Activation Number (`activation`) where it differs."""

    id: Id
    activation: Annotated[int, Meta(ge=1, le=40)] | None = None


class DisputedStat(Value, frozen=True):
    """A stat of a soldier, `field`, that is `value` under an `option` of a `reading`."""

    reading: Id
    option: Id
    field: Id
    value: Stat


class Hired(Card, frozen=True, kw_only=True):
    """What the catalogue tells of soldiers, captains and first mates for the making of crews; no game asks for it."""

    cost_credits: Amount = 0
    specialist: bool = False
    gear_slots: Amount = 0
    gear_known: bool = True
    expansion: bool = False
    disputed: Annotated[tuple[DisputedStat, ...], Meta(max_length=10)] = ()
    level: Amount = 0
    powers_known: Amount = 0
    core_powers: Annotated[tuple[Amount, ...], Meta(max_length=2)] = ()
    activation_core: Amount = 0
    activation_other: Amount = 0
    lowered_powers: Amount = 0


class Profile(Hired, frozen=True):
    """A kind of figure: its stats, the `weapons` it carries, the armour it has `worn`, and its `traits`.

    `core_powers` are the least and the most of an officer's powers that are of its background.
    `armour` counts what is worn already; `move_in` does too, except for captains and first mates. `gear` may name
    weapons and armour, too, as the catalogue does. `body` is a row of sizes, which a figure of the scene may overrule.
    """

    id: Id
    name: Text = ""
    move_in: Annotated[int, Meta(ge=0, le=20)] = 6
    fight: Stat = 0
    shoot: Stat = 0
    armour: Stat = 10
    will: Stat = 0
    health: Annotated[int, Meta(ge=1, le=100)] = 10
    weapons: Annotated[tuple[Id, ...], Meta(max_length=12)] = ()
    worn: Annotated[tuple[Id, ...], Meta(max_length=6)] = ()
    gear: Annotated[tuple[Id, ...], Meta(max_length=12)] = ()
    traits: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    powers: Annotated[tuple[KnownPower, ...], Meta(max_length=12)] = ()
    body: Id = "figure"


class Own(Value, frozen=True):
    """The numbers in which a figure differs from its profile, as one that has gained levels.

    `move_in`, `fight`, `shoot`, `armour`, `will` and `health` take the place of those of the profile.
    """

    move_in: Annotated[int, Meta(ge=0, le=20)] | None = None
    fight: Stat | None = None
    shoot: Stat | None = None
    armour: Stat | None = None
    will: Stat | None = None
    health: Annotated[int, Meta(ge=1, le=100)] | None = None

    def applied(self, profile: Profile) -> Profile:
        """Give a profile with these numbers."""
        return replace(profile, **{name: value for name, value in asdict(self).items() if value is not None})


class Weapon(Card, frozen=True):
    """A weapon: its kind, what it adds to the rolls and the Move of who has it, its range and number of targets.

    `attack` is the bonus of an attack that uses no stat, `template` a row of templates. `move_excused_by` are the kinds
    of armour that lift the loss of Move.
    """

    id: Id
    name: Text = ""
    kind: Literal["melee", "missile", "flame", "grenade", "launcher"] = "melee"
    damage: Stat | None = 0
    fight: Stat = 0
    shoot: Stat = 0
    range_in: Inches | None = None
    slots: Annotated[int, Meta(ge=0, le=10)] = 1
    move_in: Annotated[int, Meta(ge=-10, le=10)] = 0
    move_excused_by: Annotated[tuple[Id, ...], Meta(max_length=6)] = ()
    targets: Annotated[int, Meta(ge=1, le=10)] | None = 1
    attack: Stat | None = None
    template: Id | None = None


class Profiles(Value, frozen=True):
    """What a scene brings along; it takes the place of shipped rows of the same id."""

    figures: Annotated[tuple[Profile, ...], Meta(max_length=60)] = ()
    weapons: Annotated[tuple[Weapon, ...], Meta(max_length=40)] = ()
