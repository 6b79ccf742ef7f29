"""Profiles: what is printed on cards. Shipped as data, or given in the scene instead."""

from typing import Annotated, Literal

from msgspec import Meta, field

from arbiter.skirmish.fields import Card, Id, Text
from arbiter.value import Value

DieName = Literal["d6", "d8", "d12"]
Dice = Annotated[tuple[DieName, ...], Meta(min_length=1, max_length=4, description="Action dice, all rolled together.")]
Size = Literal["small", "large", "huge"]


class Ranges(Value, frozen=True, cache_hash=True):
    """The dice of a weapon by range in hexes; null cannot attack.

    `1` is the same hex or an adjacent one, `2-3` is up to 3 hexes, `4+` is 4 and more.
    """

    near: Dice | None = field(name="1", default=None)
    middle: Dice | None = field(name="2-3", default=None)
    far: Dice | None = field(name="4+", default=None)

    def at(self, hexes: int) -> tuple[DieName, ...] | None:
        """Give the dice at a range in hexes; None where the weapon cannot attack."""
        return self.near if hexes <= 1 else self.middle if hexes <= 3 else self.far


class ActionCost(Value, frozen=True):
    """What an action costs: an activation dice of `cost` or more; a weapon action then makes `attacks` attacks."""

    cost: Annotated[int, Meta(ge=1, le=6)]
    attacks: Annotated[int, Meta(ge=1, le=6)] = 1


class WeaponAction(Card, frozen=True, cache_hash=True):
    """A weapon action on an explorer's card: its `name` and the `traits` that it has."""

    id: Id
    name: Text
    costs: Annotated[tuple[ActionCost, ...], Meta(min_length=1, max_length=6)]
    ranges: Ranges
    traits: Annotated[tuple[Id, ...], Meta(max_length=10)] = ()


class SpecialRule(Card, frozen=True):
    """A special rule as the catalogue has it, of a `kind`.

    Of a unique action, `cost` is the least die that pays for it, and `limit` says once in what it may be taken.
    """

    id: Id
    kind: Id
    name: Text = ""
    cost: Annotated[int, Meta(ge=1, le=6)] | None = None
    limit: Literal["turn", "first-turn", "activation-phase", "combat"] | None = None


class Side(Card, frozen=True):
    """One side of an explorer's card. Its special rules are `rules` by their kinds, or `special_rules` in full.

    `move` is in hexes. `assumed` names what the catalogue takes from elsewhere, since no source gives it.
    """

    move: Annotated[int, Meta(ge=0, le=12)]
    defence: Dice
    agility: Dice
    vitality: Dice
    weapon_actions: Annotated[tuple[WeaponAction, ...], Meta(max_length=8)] = ()
    rules: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    special_rules: Annotated[tuple[SpecialRule, ...], Meta(max_length=20)] = ()
    assumed: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()


class ExplorerProfile(Card, frozen=True):
    """An explorer's card: `name`, activation `spaces` and its two sides; `inspired` may be missing."""

    id: Id
    name: Text
    spaces: Annotated[int, Meta(ge=1, le=8)]
    uninspired: Side
    inspired: Side | None = None


class HostileProfile(Card, frozen=True):
    """A hostile's reference card: `name`, `size`, `move` in hexes, `wounds`, and the ids of `weapons` and `behaviour`.

    `unique_actions` and `tracks` are what the catalogue tells of them.
    """

    id: Id
    name: Text
    size: Size
    move: Annotated[int, Meta(ge=0, le=12)]
    wounds: Annotated[int, Meta(ge=1, le=60)]
    weapons: Annotated[tuple[Id, ...], Meta(max_length=8)]
    behaviour: Id
    unique_actions: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()
    tracks: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()


class Weapon(Card, frozen=True, cache_hash=True):
    """A weapon of hostiles: its `name` and `traits`; `carried_by` is what the catalogue tells of it.

    Several rows may share a `family`, the name by which a hostile carries it; `threat`, `empowered` and `overcharged`
    say in which state a row holds, null in any.
    """

    id: Id
    name: Text
    ranges: Ranges
    family: Id | None = None
    threat: Annotated[int, Meta(ge=0, le=3)] | None = None
    empowered: bool | None = None
    overcharged: bool | None = None
    traits: Annotated[tuple[Id, ...], Meta(max_length=10)] = ()
    carried_by: Annotated[tuple[Id, ...], Meta(max_length=40)] = ()

    def holds(self, threat: int, empowered: bool, overcharged: bool) -> bool:
        """Say whether this row holds in a state."""
        return (
            self.threat in (None, threat)
            and self.empowered in (None, empowered)
            and self.overcharged in (None, overcharged)
        )


class BehaviourColumn(Value, frozen=True):
    """One column of a behaviour table; `requires_weapon` names what a hostile has to carry for it."""

    id: Literal["hidden", "engaged", "in-cover", "close", "other"]
    requires_weapon: Id | None = None


class BehaviourRow(Value, frozen=True):
    """One row: the first and the last of its `rolls`, and `actions`, one for each column in order."""

    rolls: tuple[Annotated[int, Meta(ge=1, le=20)], Annotated[int, Meta(ge=1, le=20)]]
    actions: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=5)]


class DisputedCell(Value, frozen=True):
    """A cell, by its `column` and the `rolls` of its row, whose action is `action` under an `option` of a `reading`."""

    reading: Id
    option: Id
    column: Id
    rolls: tuple[int, int]
    action: Id


class BehaviourTable(Card, frozen=True):
    """A behaviour table: its columns in the card's order, its rows from 1 to 20, and the cells that sources dispute."""

    id: Id
    columns: Annotated[tuple[BehaviourColumn, ...], Meta(min_length=1, max_length=5)]
    rows: Annotated[tuple[BehaviourRow, ...], Meta(min_length=1, max_length=20)]
    disputed: Annotated[tuple[DisputedCell, ...], Meta(max_length=40)] = ()
    name: Text = ""


class Profiles(Value, frozen=True, cache_hash=True):
    """Profiles, weapons and tables given with the scene; one of the same id takes the place of the shipped one."""

    explorers: Annotated[tuple[ExplorerProfile, ...], Meta(max_length=20)] = ()
    hostiles: Annotated[tuple[HostileProfile, ...], Meta(max_length=40)] = ()
    weapons: Annotated[tuple[Weapon, ...], Meta(max_length=60)] = ()
    behaviours: Annotated[tuple[BehaviourTable, ...], Meta(max_length=40)] = ()
