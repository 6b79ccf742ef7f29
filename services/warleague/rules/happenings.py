"""Blows and attacks, and happenings that set off one another: explosions, traps, throws, arrivals; their outcomes."""

from dataclasses import dataclass
from typing import Literal

from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import Damage, Layer, LayerModifier, TargetedCard, Targeting, Throw
from services.warleague.rules.intensity import Intensity
from services.warleague.scene import Tile

# Attacks and damage


class Blow(Value, frozen=True):
    """Damage before it meets a layer, with the bonuses of the attacker included.

    `why` says in words what does it, `attacker` is the unit that does it, `named` whom that has named as its target.
    What is `melee` goes through energy shields; `bypasses` are layers that it passes, `against` what is added to it
    against one layer.
    """

    amount: int
    why: str
    attacker: str | None = None
    melee: bool = False
    bypasses: tuple[Layer, ...] = ()
    against: tuple[LayerModifier, ...] = ()
    named: str | None = None

    @property
    def passed(self) -> tuple[Layer, ...]:
        """The layers that it passes."""
        return (*self.bypasses, "energy-shield") if self.melee else self.bypasses


class Loss(Value, frozen=True):
    """How much a layer of a unit has taken in; `died` with the last loss of a unit that is dead or downed by it."""

    unit: str
    layer: Layer
    points: int
    died: bool = False


@dataclass(frozen=True)
class DamageOutcome:
    """The battlefield after a blow, the losses, and the damage that no unit was left to take."""

    field: Battlefield
    losses: tuple[Loss, ...]
    left: int


class Strike(Value, frozen=True):
    """An attack: who makes it, with the weapons in which hands, and against which tile.

    The weapon of the other hand may be aimed at another tile, `also`, where the readings allow it. `on` and `also_on`
    are who is named there as the target.
    """

    actor: str
    hands: tuple[int, ...]
    to: Tile
    also: Tile | None = None
    on: str | None = None
    also_on: str | None = None

    @property
    def targets(self) -> tuple[Tile, ...]:
        """The tile of each weapon used."""
        return tuple(self.to if index == 0 or self.also is None else self.also for index in range(len(self.hands)))


@dataclass(frozen=True)
class AttackOutcome:
    """How an attack went: the battlefield after it, its intensity, and the losses of each unit.

    `intensity` is null where nothing was rolled for and nothing was critical. `amounts` is the damage of each weapon,
    null for one that explodes; `parried` what was taken off in all, and `backlash` what came back.
    """

    field: Battlefield
    intensity: Intensity | None
    flanked: bool
    amounts: tuple[int | None, ...]
    parried: int
    backlash: int
    losses: tuple[Loss, ...]
    blasts: int


# What sets off what


class Blast(Value, frozen=True):
    """An explosion: where, how far and how hard, and what explodes, in words.

    `attacker` is the unit whose bonuses count, `origin` the tile from which it aims. A `value` is damage that needs no
    roll, `behind` what replaces it on the tile aimed at if the explosion comes from behind. `source` is the
    epicentre of the explosion that sets this one off, `away` how far it is from the first of its chain, once measured.
    `trap` is the card that goes off by it, unless a unit has set it off before.

    On the tile aimed at, `named` is the target, `first` is who takes the damage first and `on_tile` how much it is,
    where they are settled already. What is `melee` goes through energy shields.
    """

    epicentre: Tile
    radius: int
    damage: Damage
    why: str
    attacker: str | None = None
    origin: Tile | None = None
    targeting: Targeting | None = None
    bypasses: tuple[Layer, ...] = ()
    against: tuple[LayerModifier, ...] = ()
    throw: Throw | None = None
    value: int | None = None
    behind: int | None = None
    source: Tile | None = None
    away: int | None = None
    trap: str | None = None
    named: str | None = None
    first: str | None = None
    on_tile: int | None = None
    melee: bool = False

    @staticmethod
    def of(card: TargetedCard, at: Tile, why: str, attacker: str | None = None, origin: Tile | None = None) -> "Blast":
        """Give the explosion of a weapon, an item or an ability on a tile."""
        radius, special = card.explosion_radius or 0, (card.bypasses, card.against, card.throw)
        return Blast(at, radius, card.damage, why, attacker, origin, card.targeting, *special, melee=card.is_melee)


class Springing(Value, frozen=True):
    """A trap card that works, on a tile and on those who set it off; afterwards it lies with its deck's discards."""

    trap: str
    at: Tile
    on: tuple[str, ...] = ()
    deck: Literal["trap_deck", "loot_deck"] = "trap_deck"


class Throwing(Value, frozen=True):
    """A unit that is catapulted, seen from `origin`: `why` names what throws it, `attacker` the unit that does."""

    unit: str
    throw: Throw
    why: str
    origin: Tile | None = None
    attacker: str | None = None


class Arrival(Value, frozen=True):
    """A unit that has come to a tile: on foot, or thrown, perhaps by an `attacker`."""

    unit: str
    at: Tile
    thrown: bool
    attacker: str | None = None


Happening = Blast | Springing | Throwing | Arrival


@dataclass(frozen=True)
class HappeningOutcome:
    """The outcome of one happening: the battlefield, what it sets off in its order, and the losses.

    `tiles` are those of an explosion, `reached` the damage with which it came to each unit.
    """

    field: Battlefield
    more: tuple[Happening, ...] = ()
    losses: tuple[Loss, ...] = ()
    tiles: tuple[Tile, ...] = ()
    reached: tuple[tuple[str, int], ...] = ()


def uneventful(field: Battlefield, *others: object) -> HappeningOutcome:
    """Give the outcome of a happening that does nothing: what holds without its rule."""
    return HappeningOutcome(field)


@dataclass(frozen=True)
class ChainOutcome:
    """The outcome of a chain: the battlefield, all losses, all explosions with their tiles, and the traps."""

    field: Battlefield
    losses: tuple[Loss, ...]
    blasts: tuple[Blast, ...]
    tiles: tuple[Tile, ...]
    traps: tuple[Springing, ...]
