"""Who rolls in an attack, and what comes of it, in values that a law can carry."""

from typing import Literal

from arbiter.value import Value
from services.size_skirmish.profiles import Roll, Size

Kind = Literal["melee", "ranged", "fall"]
"""How somebody is attacked: hand to hand, from afar, or by the ground."""


class DicePool(Value, frozen=True, cache_hash=True):
    """One who rolls in an attack: the id and the name, the size, and so many dice, of the weapon or of the armour.

    Ones may be rolled again in the rolls named in `rerolls`. `plus` is what an attacker's number on the hit table goes
    down by, and what is added to each die of a defender.
    """

    id: str
    name: str
    size: Size
    dice: int
    rerolls: tuple[Roll, ...] = ()
    plus: int = 0


class RollOutcome(Value, frozen=True, cache_hash=True):
    """What comes of an attack: how many damage dice it had, and the damage.

    Where two rolls are made, there is a damage die for each hit; where one is made, each die that stands is one.
    """

    hits: int
    damage: int
