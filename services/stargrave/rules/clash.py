"""The clash: both combat rolls of a fight, who wins, what a natural 20 does, and the damage.

Follows "Combat" from the rolls to the damage, in numbers alone: who is where is settled before, what becomes of the
figures afterwards. What a natural 20 does in a fight stands in the research notes.
"""

from typing import Literal

from arbiter.dice import D20
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Added, Signed
from arbiter.value import Value

NATURAL = 20
"""The face that is a critical."""

CRITICAL_MORE = 5
"""What a critical adds before Armour by one of its readings."""

MOST_AGAIN = 20
"""How often equal rolls are made again; equal 20 times over, once in 10**26 fights, nobody does damage."""


class Side(Value, frozen=True):
    """A fighter in numbers: what it adds to its die and to its damage, its Armour, and how its damage is multiplied."""

    id: str
    name: str
    bonus: int
    damage: int
    armour: int
    multiplier: int = 1
    immune: bool = False


class Clash(Value, frozen=True):
    """How a clash went: who won it, what each of the two loses, and whether it was by a critical.

    `again` says that the rolls were equal and have to be made once more.
    """

    winner: Literal["fighter", "opponent", "nobody"]
    to_fighter: int = 0
    to_opponent: int = 0
    critical: bool = False
    again: bool = False


class Round(Value, frozen=True):
    """Two sides and how they fared last."""

    fighter: Side
    opponent: Side
    clash: Clash


def clash(table: Table, fighter: Side, opponent: Side) -> Clash:
    """Give how a fight between two sides goes, down to the damage."""
    first: Clash = table.call(rolls, fighter, opponent)
    if not first.again:
        return first
    last = table.iterate(_once_more, Round(fighter, opponent, first), lambda state: not state.clash.again, MOST_AGAIN)
    return last.clash if not last.clash.again else Clash("nobody")


def _once_more(table: Table, state: Round) -> Round:
    return Round(state.fighter, state.opponent, table.call(rolls, state.fighter, state.opponent))


@rule("clash.rolls", cites="combat/rolls", neutral=Clash("nobody"))
def rolls(table: Table, fighter: Side, opponent: Side) -> Clash:
    """Decide one round of combat rolls: both roll a die and add their Fight and modifiers; the winner does damage.

    What equal rolls do is the reading `fight-tie`.
    """
    faces = [table.roll(D20, f"{side.id}: combat") for side in (fighter, opponent)]
    totals = (faces[0] + fighter.bonus, faces[1] + opponent.bonus)
    for side, face, total in zip((fighter, opponent), faces, totals, strict=True):
        text = "{name} rolls {face} {bonus} = {total}"
        table.find(text, name=side.name, face=face, bonus=Added(side.bonus), total=total)
    critical = criticals(table, faces[0], faces[1])
    for side, total, other in zip((fighter, opponent), totals, totals[::-1], strict=True):
        table.record(f"{side.id}: combat", modifiers={"fight": side.bonus}, total=total, against=other)
    best = winner(table, (fighter, opponent), totals, critical)
    if best == "fighter":
        return Clash(best, to_opponent=damage(table, fighter, opponent, totals[0], critical[0]), critical=critical[0])
    if best == "opponent":
        return Clash(best, to_fighter=damage(table, opponent, fighter, totals[1], critical[1]), critical=critical[1])
    option = table.read("fight-tie")
    if option in ("again", "nobody"):
        return Clash("nobody", again=option == "again")
    to_fighter = damage(table, opponent, fighter, totals[1], critical[1])
    return Clash("nobody", to_fighter, damage(table, fighter, opponent, totals[0], critical[0]), any(critical))


@rule("clash.criticals", cites=("combat/critical", "shooting/critical"), neutral=(False, False))
def criticals(table: Table, first: int, second: int) -> tuple[bool, bool]:
    """Decide which of two combat rolls is a critical: a natural 20.

    Whether there are criticals in fights is the reading `critical-in-fights`, whether there are when both dice show it
    the reading `critical-both`.
    """
    result = (first == NATURAL, second == NATURAL)
    if not any(result) or table.read("critical-in-fights") == "no":
        return False, False
    if all(result) and table.read("critical-both") == "totals":
        table.find("Both dice show {natural}: neither is a critical", cites="shooting/critical-both", natural=NATURAL)
        return False, False
    table.find("A natural {natural} is a critical", natural=NATURAL)
    return result


@rule("clash.winner", cites=("combat/winner", "combat/critical"), neutral="nobody")
def winner(
    table: Table, sides: tuple[Side, Side], totals: tuple[int, int], critical: tuple[bool, bool]
) -> Literal["fighter", "opponent", "nobody"]:
    """Decide who wins a fight: the only critical, else the higher combat roll; nobody where they are equal."""
    if critical[0] != critical[1]:
        best = 0 if critical[0] else 1
        table.find("{name} wins with the critical", cites="combat/critical", name=sides[best].name)
    elif totals[0] != totals[1]:
        best = 0 if totals[0] > totals[1] else 1
        table.find("{name} wins", cites="combat/winner", name=sides[best].name)
    else:
        table.find("The combat rolls are equal", cites="combat/winner")
        return "nobody"
    return "fighter" if best == 0 else "opponent"


@rule(
    "clash.damage",
    cites=("combat/damage-modifiers", "combat/armour", "combat/multipliers", "combat/damage", "combat/no-damage"),
    neutral=0,
)
def damage(table: Table, striker: Side, struck: Side, total: int, critical: bool) -> int:
    """Decide what a figure loses to a combat roll of that total: damage modifiers first, then Armour, then multipliers.

    What a critical adds is the reading `critical-damage`.
    """
    if striker.damage:
        text = "With a damage modifier of {damage}, {name} has {total}"
        values = {"name": striker.name, "damage": Signed(striker.damage), "total": total + striker.damage}
        table.find(text, cites="combat/damage-modifiers", **values)
    left = total + striker.damage - struck.armour
    text = "Armour {armour} of {name} leaves {left}"
    table.find(text, cites="combat/armour", name=struck.name, armour=struck.armour, left=max(0, left))
    parts = {"roll": total, "damage": striker.damage, "armour": -struck.armour}
    if critical:
        before, left = left, worsened(table, struck, left)
        parts["critical"] = left - before
    if striker.multiplier != 1:
        left *= striker.multiplier
        table.find("Multiplied by {times}: {left}", cites="combat/multipliers", times=striker.multiplier, left=left)
    outcome = f"{struck.name}: {max(0, left)} damage"
    table.record("damage", modifiers=parts, times=striker.multiplier, total=left, outcome=outcome)
    if left <= 0:
        table.find("{name} takes no damage", cites="combat/no-damage", name=struck.name)
        return 0
    table.find("{name} takes {damage} damage", cites="combat/damage", name=struck.name, damage=left)
    return left


@rule(
    "clash.worsened",
    cites=("combat/critical", "combat/multipliers", "critical/immune"),
    neutral=lambda struck, left: left,
)
def worsened(table: Table, struck: Side, left: int) -> int:
    """Decide what a critical makes of what Armour has left, unless the figure that is struck is immune to criticals."""
    if struck.immune:
        table.find("{name} is immune to criticals", cites="critical/immune", name=struck.name)
        return left
    options = {"double": 2 * left if left > 0 else left, "five": left + CRITICAL_MORE, "none": left}
    if len({max(0, more) for more in options.values()}) == 1:
        return left
    option = table.read("critical-damage")
    more = options[option]
    if more != left:
        cites = ("combat/critical", "combat/multipliers") if option == "double" else ("combat/critical",)
        table.find("The critical makes it {left}", cites=cites, left=more)
    return more
