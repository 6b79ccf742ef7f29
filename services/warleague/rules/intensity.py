"""Damage intensity: what a die makes of the three values of a card, and what is added to the damage."""

from typing import Final, Literal

from arbiter.dice import D6
from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing, Signed
from services.warleague.battlefield import Battlefield
from services.warleague.book import number
from services.warleague.profiles import Damage, Targeting
from services.warleague.rules import targeting as aims

Intensity = Literal["critical", "high", "low"]

INTENSITIES: Final[tuple[Intensity, ...]] = ("critical", "high", "low")
"""The intensities in the order in which a card gives their values."""


@rule("intensity.of_face", cites=("intensity/critical", "intensity/high", "intensity/low"), neutral="low")
def of_face(table: Table, face: int) -> Intensity:
    """Decide how intense damage is by the face of a die: 5 and 6 are critical, 3 and 4 high, 1 and 2 low."""
    intensity: Intensity = "low"
    if face >= number("intensity-critical"):
        intensity = "critical"
    elif face >= number("intensity-high"):
        intensity = "high"
    table.find("A {face} means {intensity} damage", cites=f"intensity/{intensity}", face=face, intensity=intensity)
    return intensity


@rule("intensity.rolled", cites="intensity/roll", neutral="low")
def rolled(table: Table, label: str, dice: int = 1) -> Intensity:
    """Decide how intense damage is: by a die, or by the higher one of two."""
    face = table.roll(D6, label) if dice == 1 else higher(table, table.pool(dice, D6, label))
    table.find("Intensity roll: {face}", face=face)
    intensity: Intensity = of_face(table, face)
    table.record(label, kept=(face,), total=face, outcome=intensity)
    return intensity


@rule("intensity.higher", cites=("dual/two-dice", "dual/higher"), neutral=lambda faces: faces[0])
def higher(table: Table, faces: tuple[int, ...]) -> int:
    """Decide which of two dice counts for both weapons: the higher one."""
    table.find("Dice {faces}: the higher one counts for both weapons", faces=Listing(faces))
    return max(faces)


@rule("intensity.single", cites="intensity/single", neutral=False)
def single(table: Table, damage: Damage) -> bool:
    """Decide whether damage needs no roll: a single value counts as it is."""
    if len(damage) != 1:
        return False
    table.find("There is a single damage value, {damage}: no roll is needed", damage=damage[0])
    return True


def value(table: Table, damage: Damage, label: str, critical: bool = False) -> int:
    """Give the damage of a card, rolled for where it has three values; a `critical` one is not rolled for."""
    if single(table, damage):
        return damage[0]
    return at(damage, "critical" if critical else table.call(rolled, label))


def at(damage: Damage, intensity: Intensity) -> int:
    """Give the value of a card for an intensity; a single value is that of each."""
    return damage[INTENSITIES.index(intensity)] if len(damage) == len(INTENSITIES) else damage[0]


def modified(table: Table, field: Battlefield, attacker: str | None, targeting: Targeting | None, value: int) -> int:
    """Give damage with the bonuses and penalties of the attacker, if there is one."""
    if attacker is None:
        return value
    step = aims.bonus(table, field, attacker, "damage", targeting)
    damage = stepped(table, value, step)
    table.record("damage", modifiers={"card": value, "bonus": step}, total=value + step, outcome=f"{damage} damage")
    return damage


@rule("intensity.dealt", cites="intensity/card", neutral=0)
def dealt(table: Table, weapon: str, damage: Damage, intensity: Intensity, step: int) -> int:
    """Decide how much damage a weapon does: that of its card for the intensity, with bonuses and penalties."""
    bare = at(damage, intensity)
    total = stepped(table, bare, step)
    text = "The {weapon} does {total} damage: {bare} with {step}" if step else "The {weapon} does {total} damage"
    table.find(text, weapon=weapon, total=total, bare=bare, step=Signed(step))
    return total


def stepped(table: Table, value: int, step: int) -> int:
    """Give damage with a bonus or penalty; how far a penalty brings it down is `least-damage`."""
    if value + step > 0 or not step:
        return value + step
    return settled(table, lambda least: min(value, 1) if least == "one" else 0, ("least-damage", ("none", "one")))
