"""Attacks, damage to a unit and its losses: the values that attacks, explosions, traps and layers share."""

from dataclasses import dataclass

from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import Layer, LayerModifier
from services.warleague.rules.intensity import Intensity
from services.warleague.scene import Tile


class Blow(Value, frozen=True):
    """Damage before it meets a layer, with the bonuses of the attacker included.

    `why` says in words what does it, `attacker` is the unit that does it. What is `melee` goes through energy shields;
    `bypasses` are layers that it passes, `against` what is added to it against one layer.
    """

    amount: int
    why: str
    attacker: str | None = None
    melee: bool = False
    bypasses: tuple[Layer, ...] = ()
    against: tuple[LayerModifier, ...] = ()


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


def capital(name: str) -> str:
    """Write a name as a sentence begins with it."""
    return name[:1].upper() + name[1:]
