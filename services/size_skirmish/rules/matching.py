"""Attack and defence: the hit roll, the damage dice, and the defence dice matched with them.

These rules take who rolls in numbers instead of the battlefield, so that a law works out each attack once. They have a
closed form in `matching_law`: ask them by `table.call`.
"""

from typing import Final, Literal

from msgspec.structs import replace

from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.table import Table
from services.size_skirmish.attacks import DicePool, Kind, RollOutcome
from services.size_skirmish.laws import matching_law
from services.size_skirmish.rules import dice, tables
from services.size_skirmish.rules.dice import Faces, spelled
from services.size_skirmish.scene import Roll

NONE: Final = RollOutcome(0, 0)

LEFT: Final[dict[Kind, str]] = {"melee": "melee/damage", "ranged": "ranged/damage", "fall": "move/fall-attack-dice"}
"""The unit of the text on the remaining successes of each kind of attack."""


@rule(
    "matching.attacked",
    cites=("tables/sizes", "melee/damage", "ranged/damage"),
    neutral=NONE,
    law=matching_law.outcomes,
)
def attacked(table: Table, attacker: DicePool, target: DicePool, kind: Kind) -> RollOutcome:
    """Decide the result of an attack: dice are rolled by the two tables, and defence dice negate damage dice.

    How many rolls are read on the two tables is `attack-rolls`. The damage is not capped by hit points.
    """
    number = max(dice.FAILS, tables.to_hit(table, attacker.size, target.size) - attacker.plus)
    if not attacker.dice or number >= tables.NEVER:
        table.find("No die of {name} can hit", cites="tables/sizes", name=attacker.name)
        return NONE
    rolls = table.read("attack-rolls")
    if rolls == "two-rolls":
        hits = table.call(hit, attacker, number)
        return RollOutcome(hits, table.call(damaged, attacker, hits, target, kind))
    least = max(number, tables.to_damage(table, attacker.size, target.size)) if rolls == "both-at-once" else number
    faces = _succeeding(table, attacker, "hit", least)
    return RollOutcome(len(faces), _left(table, faces, least, target, kind))


@rule("matching.hit", cites=("tables/sizes", "dice/extra-die"), neutral=0)
def hit(table: Table, attacker: DicePool, number: int) -> int:
    """Decide how many attack dice hit: those that show the number of the hit table, extra dice among them."""
    return len(_succeeding(table, attacker, "hit", number))


@rule(
    "matching.damaged",
    cites=("tables/sizes", "melee/damage", "ranged/damage", "move/fall-attack-dice"),
    neutral=0,
    law=matching_law.damages,
)
def damaged(table: Table, attacker: DicePool, hits: int, target: DicePool, kind: Kind) -> int:
    """Decide the damage of a number of hits: each rolls on the damage table, and successes may be negated."""
    if not hits:
        table.find("{name} does not hit: damage 0", cites=LEFT[kind], name=attacker.name)
        return 0
    least = tables.to_damage(table, attacker.size, target.size)
    faces = _succeeding(table, replace(attacker, dice=hits), "damage", least)
    return _left(table, faces, least, target, kind)


@rule("matching.defending", cites="defence/negates", neutral=())
def defending(table: Table, target: DicePool) -> Faces:
    """Decide the faces of the defence dice with their modifier; a 1 stays a failure."""
    if not target.dice:
        table.find("{name} has no defence dice", name=target.name)
        return ()
    faces = _rolled(table, target, "defence")
    result = tuple(sorted((face + target.plus for face in faces), reverse=True))
    labels, modifiers = dice.labels(target.id, "defence"), {"each die": target.plus}
    table.record(*labels, kept=faces, modifiers=modifiers, outcome=spelled(result))
    table.find("{name}, defence roll: {faces}", name=target.name, faces=spelled(result))
    return result


@rule("matching.negated", cites="defence/negates", neutral=0)
def negated(table: Table, damage: Faces, defence: Faces, least: int) -> int:
    """Decide how many damage dice are negated by defence dice that are not lower, one by each.

    Whether they are compared die with die is `defence`, and how they are paired then `defence-pairs`.
    """

    def under(by: str, pairs: str) -> int:
        if by == "successes":
            return min(len(damage), sum(die >= least for die in defence))
        return paired(damage, defence) if pairs == "best" else ranked(damage, defence)

    result = settled(table, under, ("defence", ("matching", "successes")), ("defence-pairs", ("best", "highest-first")))
    text = "Defence dice ({defence}) negate {negated} of the damage dice ({damage})"
    table.find(text, defence=spelled(defence), negated=result, damage=spelled(damage))
    return result


def paired(damage: Faces, defence: Faces) -> int:
    """Return the most damage dice that can be negated, each by its own defence die that is not lower."""
    waiting = sorted(damage)
    made = 0
    for die in sorted(defence):
        # The lowest die still to be negated: if this one is too low for it, it is too low for all.
        if made < len(waiting) and die >= waiting[made]:
            made += 1
    return made


def ranked(damage: Faces, defence: Faces) -> int:
    """Return how many damage dice are negated when the highest meets the highest, the next the next, and so on."""
    both = zip(sorted(damage, reverse=True), sorted(defence, reverse=True), strict=False)
    return sum(defending >= die for die, defending in both)


def _left(table: Table, damage: Faces, least: int, target: DicePool, kind: Kind) -> int:
    """Return the damage that is left of damage dice; defence dice are rolled where there is something to negate."""
    less = negated(table, damage, defending(table, target), least) if damage else 0
    left, text = len(damage) - less, "Damage: {dice} \N{MINUS SIGN} {negated} negated = {damage}"
    table.find(text, cites=LEFT[kind], dice=len(damage), negated=less, damage=left)
    table.record("damage", modifiers={"dice": len(damage), "negated": -less}, total=left, outcome=f"{left} damage")
    return left


def _succeeding(table: Table, attacker: DicePool, roll: Literal["hit", "damage"], least: int) -> Faces:
    """Return the successes of a roll, extra dice included, the highest first."""
    faces = sorted(_rolled(table, attacker, roll), reverse=True)
    successes = tuple(face for face in faces if face >= least)
    table.record(*dice.labels(attacker.id, roll), kept=successes, needed=least, successes=len(successes))
    text = "{name}, {roll} roll: {dice}d6 on {least}+, successes {many}: {faces}"
    values = {"name": attacker.name, "dice": attacker.dice, "roll": roll, "least": least}
    table.find(text, cites="tables/sizes", **values, many=len(successes), faces=spelled(successes))
    return successes


def _rolled(table: Table, attacker: DicePool, roll: Roll) -> Faces:
    return dice.judged(table, attacker.id, attacker.name, roll, attacker.dice, roll in attacker.rerolls)
