"""Attacks in numbers: the dice of either side and their result, as values for laws."""

from typing import Literal

from arbiter.value import Value
from services.size_skirmish.scene import Roll, Size

Kind = Literal["melee", "ranged", "fall"]
"""The kind of an attack: hand to hand, from afar, or by the ground."""


class DicePool(Value, frozen=True, cache_hash=True):
    """The dice of one side in an attack: id, name and size of the model, and the number of dice.

    Ones are rerolled in the rolls named in `rerolls`. `plus` lowers an attacker's number on the hit table
    and is added to each die of a defender.
    """

    id: str
    name: str
    size: Size
    dice: int
    rerolls: tuple[Roll, ...] = ()
    plus: int = 0


class RollOutcome(Value, frozen=True, cache_hash=True):
    """The result of an attack roll: its damage dice, and the damage.

    With two rolls there is a damage die for each hit; with one roll each success is a damage die.
    """

    hits: int
    damage: int
