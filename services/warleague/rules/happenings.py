"""Happenings that set off one another: explosions, traps, throws and arrivals, and the outcome of each."""

from dataclasses import dataclass
from typing import Literal

from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import Damage, Layer, LayerModifier, Targeting, Throw
from services.warleague.rules.blows import Loss
from services.warleague.scene import Tile


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


@dataclass(frozen=True)
class ChainOutcome:
    """The outcome of a chain: the battlefield, all losses, all explosions with their tiles, and the traps."""

    field: Battlefield
    losses: tuple[Loss, ...]
    blasts: tuple[Blast, ...]
    tiles: tuple[Tile, ...]
    traps: tuple[Springing, ...]
