"""Damage to a unit and its losses: the values that attacks, explosions, traps and layers share."""

from dataclasses import dataclass

from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import Layer, LayerModifier


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
