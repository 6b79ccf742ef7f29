"""The rolls of a shooting attack: who wins, criticals and jams, and the damage.

Follows "Shooting" from the rolls to the damage, in numbers alone: what is added to the dice is settled before, what
becomes of the figures afterwards.
"""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.dice import D20
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Added, Signed, UnitName
from arbiter.value import Value

More = Annotated[int, Meta(ge=-20, le=20)]
"""What players add to a roll or to damage, or take from it."""

CRITICAL, JAM = 20, 1
"""The faces of the shooting roll that are a critical hit, and a jam."""

CRITICAL_MORE, CRITICAL_TIMES = 5, 2
"""What a critical adds before Armour, and by what it multiplies what Armour leaves, by two of its readings."""


class Modifier(Value, frozen=True):
    """One modifier of the table of shooting, with what it adds to the combat roll of the target."""

    id: str
    value: int


Modifiers = tuple[Modifier, ...]


class Shot(Value, frozen=True):
    """One attack in numbers: what is added to both dice and to the damage, the Armour, and what natural rolls can do.

    `times` is what multiplies the damage, `critical_from` the least face that is a critical. `criticals` and `jams` say
    whether the attack can be a critical hit and jam a weapon, `immune` that the target takes no extra damage from
    criticals. `modifiers` are those of `defence`, for the record.
    """

    shoot: int
    defence: int
    damage: int
    armour: int
    immune: bool = False
    criticals: bool = True
    jams: bool = True
    times: int = 1
    critical_from: int = CRITICAL
    modifiers: Modifiers = ()


class ShotExtra(Value, frozen=True):
    """What the players add to an attack by shooting: to both rolls and the damage, and what multiplies the damage."""

    shoot: More = 0
    defence: More = 0
    damage: More = 0
    multiplier: Annotated[int, Meta(ge=1, le=10)] = 1


NOTHING = ShotExtra()

EXTRA = "extra"
"""The name of what the players add among the modifiers of a shot."""


class ShotOutcome(Value, frozen=True):
    """The outcome of the rolls: whether the attack hits, by a critical, whether the weapon jams, and the damage."""

    hit: bool
    critical: bool = False
    jammed: bool = False
    damage: int = 0


MISS = ShotOutcome(False)


@rule(
    "shot_rolls.with_extra",
    cites=("shooting/defence-modifiers", "shooting/damage-modifiers", "shooting/multipliers"),
    neutral=lambda shot, *_: shot,
)
def with_extra(table: Table, shot: Shot, extra: ShotExtra) -> Shot:
    """Decide what an attack becomes by the modifiers that the players supply, as powers and scenarios have them."""
    if extra == NOTHING:
        return shot
    if extra.shoot or extra.defence:
        text = "The players add {shoot} to the shooting roll and {defence} to the roll of the target"
        table.find(text, cites="shooting/defence-modifiers", shoot=Signed(extra.shoot), defence=Signed(extra.defence))
    return replace(
        shot,
        shoot=shot.shoot + extra.shoot,
        defence=shot.defence + extra.defence,
        damage=shot.damage + extra.damage,
        times=shot.times * extra.multiplier,
        modifiers=(*shot.modifiers, Modifier(EXTRA, extra.defence)),
    )


def attack_roll(table: Table, shooter: str) -> int:
    """Roll the die of an attack."""
    face: int = table.roll(D20, f"{shooter}: shooting")
    return face


def exchange(table: Table, shooter: str, target: str, shot: Shot) -> ShotOutcome:
    """Give the outcome of one attack, from the rolls to the damage; `shooter` and `target` label the dice."""
    face = attack_roll(table, shooter)
    outcome: ShotOutcome = against(table, target, shot, face)
    how = "critical hit" if outcome.critical else "hit" if outcome.hit else "miss"
    jammed, total = ", jam" if outcome.jammed else "", face + shot.shoot
    table.record(f"{shooter}: shooting", modifiers={"shoot": shot.shoot}, total=total, outcome=how + jammed)
    return outcome


@rule("shot_rolls.against", cites=("shooting/shooting-roll", "shooting/combat-roll"), neutral=MISS)
def against(table: Table, target: str, shot: Shot, face: int) -> ShotOutcome:
    """Decide what an attack of which the die is rolled comes to: the target rolls, and both totals are compared."""
    own: int = table.roll(D20, f"{target}: combat")
    attack, defence = face + shot.shoot, own + shot.defence
    text = "Shooting roll: {face} {bonus} = {total}"
    table.find(text, cites="shooting/shooting-roll", face=face, bonus=Added(shot.shoot), total=attack)
    text, bonus = "Combat roll of the target: {face} {bonus} = {total}", Added(shot.defence)
    table.find(text, cites="shooting/combat-roll", target=UnitName(target), face=own, bonus=bonus, total=defence)
    named = {each.id: each.value for each in shot.modifiers}
    parts = {"fight": shot.defence - sum(named.values()), **named}
    table.record(f"{target}: combat", modifiers=parts, total=defence, against=attack)
    criticals = critical(table, target, shot, face, own, attack > defence)
    hit = criticals or wins(table, target, attack, defence)
    # The target's natural 20 may save it from a plain hit; a 20 on both dice cancels out.
    natural = own == CRITICAL and not (face == CRITICAL and shot.criticals)
    if hit and not criticals and natural and table.read("critical-by-target") == "yes":
        hit = False
    jammed = jams(table, shot, face)
    if jammed and hit and table.read("jam") == "misses":
        table.find("The weapon has not fired", cites="shooting/jam")
        hit = False
    if not hit:
        return ShotOutcome(False, jammed=jammed)
    return ShotOutcome(True, criticals, jammed, damage(table, target, shot, attack, criticals))


@rule("shot_rolls.wins", cites=("shooting/winner", "shooting/miss", "shooting/tie"), neutral=False)
def wins(table: Table, target: str, attack: int, defence: int) -> bool:
    """Decide whether the shooter wins: its total must be the higher one; on equal totals the shot misses."""
    if attack > defence:
        table.find("The shooter wins", cites="shooting/winner")
    elif attack < defence:
        text, units = "The target wins: the shot misses", ("shooting/winner", "shooting/miss")
        table.find(text, cites=units, target=UnitName(target))
    else:
        table.find("The rolls are equal: the shot misses", cites="shooting/tie")
    return attack > defence


@rule(
    "shot_rolls.critical",
    cites=("shooting/critical", "shooting/critical-wins", "shooting/critical-both"),
    neutral=False,
)
def critical(table: Table, target: str, shot: Shot, face: int, own: int, wins_anyway: bool) -> bool:
    """Decide whether an attack is a critical hit, which hits whatever the totals: its die shows 20, or a power's face.

    What if the target's die shows 20 as well, is the reading `critical-both`. `wins_anyway` says that the totals would
    hit without it.
    """
    if not shot.criticals or face < shot.critical_from:
        return False
    if own == CRITICAL and face < CRITICAL:
        text = "The target rolls a natural {own}: the totals decide"
        table.find(text, cites="shooting/critical-both", own=own, target=UnitName(target))
        return False
    if own == CRITICAL and table.read("critical-both") == "totals":
        table.find("Both dice show {face}: the totals decide", cites="shooting/critical-both", face=CRITICAL)
        return False
    cites = ("shooting/critical",) if wins_anyway else ("shooting/critical", "shooting/critical-wins")
    table.find("A natural {face} is a critical hit", cites=cites, face=face)
    return True


@rule("shot_rolls.jams", cites="shooting/jam", neutral=False)
def jams(table: Table, shot: Shot, face: int) -> bool:
    """Decide whether the weapon jams: its die shows 1."""
    if not shot.jams or face != JAM:
        return False
    table.find("A natural {face} jams the weapon", face=JAM)
    return True


@rule(
    "shot_rolls.damage",
    cites=(
        "shooting/damage-modifiers",
        "shooting/armour",
        "shooting/multipliers",
        "shooting/damage",
        "shooting/no-damage",
    ),
    neutral=0,
)
def damage(table: Table, target: str, shot: Shot, attack: int, critical: bool) -> int:
    """Decide how much damage a hit does: the shooting roll with its modifiers, less Armour, and then multiplied.

    How much a critical adds is the reading `critical-damage`.
    """
    total = attack + shot.damage
    if shot.damage:
        text = "The damage modifier is {more}: {total}"
        table.find(text, cites="shooting/damage-modifiers", more=Signed(shot.damage), total=total)
    more, times = critical_damage(table, target, shot, total) if critical else (0, 1)
    times *= shot.times
    left = total + more - shot.armour
    table.find("Armour {armour} leaves {left}", cites="shooting/armour", armour=shot.armour, left=max(0, left))
    if left <= 0:
        times = 1
    if times != 1:
        left *= times
        table.find("Multiplied by {times}: {left}", cites="shooting/multipliers", times=times, left=left)
    parts = {"roll": attack, "damage": shot.damage, "critical": more, "armour": -shot.armour}
    table.record("damage", modifiers=parts, times=times, total=left, outcome=f"{max(0, left)} damage")
    if left > 0:
        table.find("The hit does {damage} damage", cites="shooting/damage", damage=left)
    else:
        table.find("The attack does no damage", cites="shooting/no-damage")
    return max(0, left)


@rule("shot_rolls.critical_damage", cites=("shooting/critical-damage", "critical/immune"), neutral=(0, 1))
def critical_damage(table: Table, target: str, shot: Shot, total: int) -> tuple[int, int]:
    """Decide what a critical hit adds before Armour, and by what it multiplies what Armour leaves."""
    if shot.immune:
        table.find("The target takes no extra damage from criticals", cites="critical/immune", target=UnitName(target))
        return 0, 1
    if total + CRITICAL_MORE <= shot.armour:
        return 0, 1
    option = table.read("critical-damage")
    if option == "none":
        return 0, 1
    if option == "double":
        table.find("A critical hit doubles what Armour leaves", cites="shooting/critical-damage")
        return 0, CRITICAL_TIMES
    table.find("A critical hit adds {more}", cites="shooting/critical-damage", more=CRITICAL_MORE)
    return CRITICAL_MORE, 1
