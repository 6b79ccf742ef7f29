"""Threat maps: for every hex a unit can reach, who sees it there, in what cover, and what both sides may inflict."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction as Exact
from math import sqrt
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress import attack_law, checks
from services.blackstone_fortress.battlefield import Battlefield, Unit, place
from services.blackstone_fortress.checks import State
from services.blackstone_fortress.profiles import DieName
from services.blackstone_fortress.questions.maps import (
    Activations,
    MovesPerActivation,
    activation_of,
    assumed,
    mover_faults,
)
from services.blackstone_fortress.questions.targets import Fraction, pool_of
from services.blackstone_fortress.rules import armoury, attacks, marches, movement, outlook, sight
from services.blackstone_fortress.rules.armoury import Attack
from services.blackstone_fortress.rules.outlook import Sightline
from services.blackstone_fortress.scene import MOST_HEXES, Explorer, Hex, Scene
from services.blackstone_fortress.strides import Arrival

ASSUMES = (
    "one attack action for each: a hostile's attack, or all attacks of an explorer's weapon action, on one target",
    "attackers take what is expected to do most, and have the die that pays for it",
    "no aiming, no overcharging, no re-roll bought with inspiration, no riposte, no overwatch",
    "damage counts 1 for a wound and 3 for a grievous wound, beyond what the target has left as well",
)


class ThreatMapCase(Value, frozen=True):
    """A unit whose reachable hexes are evaluated."""

    scene: Scene
    unit: Annotated[Id, Meta(description="The explorer or hostile that moves.")]
    activations: Activations = 20
    moves_per_activation: MovesPerActivation = 1
    die: Annotated[
        int, Meta(ge=1, le=6, description="The face of the die that an explorer spends on a weapon action.")
    ] = 6
    rows: Annotated[
        int, Meta(ge=1, le=MOST_HEXES, description="How many hexes are listed, the soonest reached first.")
    ] = MOST_HEXES


class Strike(Value, frozen=True):
    """What one attack action is expected to do to one target: how, with which dice, and how much in all its attacks.

    `by` is a weapon action of an explorer, at one of its costs, or a weapon of a hostile. `in_cover` says whether cover
    counts for the target.
    """

    attacker: Id
    target: Id
    by: Id
    dice: tuple[DieName, ...]
    in_cover: bool
    attacks: int
    expected: Fraction
    about: Annotated[float, Meta(description="The expected damage as a decimal.")]


class HexRow(Value, frozen=True):
    """One hex that the unit can reach. Numbers in `seen_by`, `in_cover_from`, `taken`, `given` count from 0.

    `seen_by` and `in_cover_from` count in `enemies`; `taken` and `given` count in `strikes`, with one strike for each
    enemy who can attack the unit there, and one for each whom the unit can attack from there.
    """

    hex: Hex
    activations: int
    moves: int
    hexes: Annotated[int, Meta(description="Hexes of movement in all moves together.")]
    seen_by: tuple[int, ...]
    in_cover_from: tuple[int, ...]
    taken: tuple[int, ...]
    expected_taken: Annotated[Fraction, Meta(description="The damage expected of all strikes in `taken` together.")]
    taken_about: float
    given: tuple[int, ...]
    best_given: Annotated[Fraction, Meta(description="The damage expected of the best strike in `given`.")]
    given_about: float


class ThreatMap(Value, frozen=True):
    """The hexes that a unit can reach, one row each, and the legends that the rows count in.

    `detailed_hex` is the hex whose strikes the findings list one by one: the one with the most damage to be taken, or
    else to be given.
    """

    unit: Id
    hexes: Annotated[int, Meta(description="How many hexes one move may take: the Move value.")]
    enemies: tuple[Id, ...]
    strikes: tuple[Strike, ...]
    rows: Annotated[tuple[HexRow, ...], Meta(description="The hexes, the soonest reached first, its own before all.")]
    left_out: Annotated[int, Meta(description="How many further hexes it can reach that are not listed.")]
    unreached: Annotated[int, Meta(description="How many hexes of the board it cannot stand in by then.")]
    detailed_hex: Hex | None
    assumes: Annotated[tuple[str, ...], Meta(description="What is taken for granted.")]


ThreatMapState = State[ThreatMapCase]


def _faults(field: Battlefield, case: ThreatMapCase) -> Iterator[Fault]:
    yield from mover_faults(field, case.unit, case.moves_per_activation)


prepare = checks.checking(_faults)


def threat_map(table: Table, state: ThreatMapState) -> Decided[ThreatMap]:
    """For every hex a unit can reach: in how many moves, seen by whom, in what cover, damage expected both ways."""
    field, case = state.field, state.case
    hexes = movement.allowance(table, field, case.unit)
    foot = marches.everywhere(table, field, case.unit)
    moves = case.activations * case.moves_per_activation
    arrivals = marches.reached(table, field, case.unit, hexes, foot, moves).arrivals
    shown = list(arrivals)[: case.rows]
    lines = outlook.sightlines(table, field, case.unit, shown)
    with table.without_findings():
        strike_table = _StrikeTable(table, field, case)
        rows = tuple(strike_table.row(hex_, arrivals[hex_], lines[hex_]) for hex_ in shown)
    worst = max(rows, key=lambda row: (row.taken_about, row.given_about))
    detailed_hex = worst.hex if worst.taken or worst.given else None
    if detailed_hex is not None:
        there = _put(field, case.unit, detailed_hex)
        for line in lines[detailed_hex]:
            enemy = strike_table.enemies[line.enemy]
            strongest(table, there, enemy.id, case.unit, case.die)
            strongest(table, there, case.unit, enemy.id, case.die)
    return Decided(
        ThreatMap(
            case.unit,
            hexes,
            tuple(enemy.id for enemy in strike_table.enemies),
            tuple(strike_table.indices),
            rows,
            len(arrivals) - len(rows),
            len(field.ground.hexes) - len(arrivals),
            detailed_hex,
            (*assumed(field, case.unit), *ASSUMES),
        )
    )


def _put(field: Battlefield, unit_id: str, hex_: Hex) -> Battlefield:
    return field.change(field.units[unit_id], hex=hex_)


class _StrikeTable:
    """The strikes evaluated so far, and for each situation the index of its strike.

    The effect of an attack depends on range and cover, on whether an enemy next to the unit binds it, and on which
    friends stand with it or next to it. So each situation is decided once, by the rules and with the unit put into the
    first such hex.
    """

    def __init__(self, table: Table, field: Battlefield, case: ThreatMapCase) -> None:
        self._table, self._field, self._case = table, field, case
        unit = field.units[case.unit]
        self.enemies = field.enemies(unit)
        self.indices: dict[Strike, int] = {}
        self._known: dict[tuple[object, ...], int | None] = {}
        self._sums: dict[tuple[int, ...], Exact] = {}
        self._exact: list[Exact] = []
        friends = {place(friend) for friend in field.friends(unit)}
        self._with_friends = friends | {near for hex_ in friends for near in field.ground.neighbours(hex_)}
        self._at = field

    def row(self, hex_: Hex, arrival: Arrival, lines: Sequence[Sightline]) -> HexRow:
        """Evaluate one hex."""
        friends = hex_ if hex_ in self._with_friends else None
        bound = any(line.range == 1 for line in lines)
        strikes_taken = self._all(
            hex_, [(line.enemy, (line.range, line.in_cover, friends)) for line in lines], taken=True
        )
        strikes_given = self._all(
            hex_, [(line.enemy, (line.range, line.enemy_in_cover, bound, friends)) for line in lines], taken=False
        )
        suffered = self._sum(strikes_taken)
        best = max((self._exact[index] for index in strikes_given), default=Exact(0))
        return HexRow(
            hex_,
            activation_of(arrival.moves, self._case.moves_per_activation),
            arrival.moves,
            arrival.hexes,
            tuple(line.enemy for line in lines),
            tuple(line.enemy for line in lines if line.in_cover),
            strikes_taken,
            str(suffered),
            float(suffered),
            strikes_given,
            str(best),
            float(best),
        )

    def _all(self, hex_: Hex, situations: Iterable[tuple[int, tuple[object, ...]]], *, taken: bool) -> tuple[int, ...]:
        """Give the strikes of or at each enemy in its situation, where there is one."""
        indices = []
        for enemy, situation in situations:
            key = (taken, enemy, *situation)
            if key not in self._known:
                self._known[key] = self._evaluate(hex_, self.enemies[enemy].id, taken)
            index = self._known[key]
            if index is not None:
                indices.append(index)
        return tuple(indices)

    def _evaluate(self, hex_: Hex, enemy_id: str, taken: bool) -> int | None:
        unit = self._case.unit
        if self._at.units[unit].hex != hex_:
            self._at = _put(self._field, unit, hex_)
        attacker, target = (enemy_id, unit) if taken else (unit, enemy_id)
        strike = strongest(self._table, self._at, attacker, target, self._case.die)
        if strike is None:
            return None
        if strike not in self.indices:
            self.indices[strike] = len(self.indices)
            self._exact.append(Exact(strike.expected))
        return self.indices[strike]

    def _sum(self, strikes: tuple[int, ...]) -> Exact:
        if strikes not in self._sums:
            self._sums[strikes] = sum((self._exact[index] for index in strikes), Exact(0))
        return self._sums[strikes]


def strongest(table: Table, field: Battlefield, attacker_id: str, target_id: str, die: int) -> Strike | None:
    """Give the attack action that is expected to do most to a target as both stand now; None if none may be made."""
    best: tuple[Exact, Strike] | None = None
    for means, attack, count in _actions(table, field, field.units[attacker_id], die):
        if attacks.violations(table, field, attacker_id, target_id, attack):
            continue
        hexes = sight.range_between(table, field, place(field.units[attacker_id]), place(field.units[target_id]))
        pool = pool_of(table, field, attacker_id, target_id, attack, hexes)
        expected = attack_law.expected(pool) * count
        if best is None or expected > best[0]:
            best = (
                expected,
                Strike(attacker_id, target_id, means, pool.dice, pool.in_cover, count, str(expected), float(expected)),
            )
    return best[1] if best else None


def _actions(table: Table, field: Battlefield, attacker: Unit, die: int) -> Iterator[tuple[str, Attack, int]]:
    """Give what an attacker may attack with: name, attack, and how many attacks it makes, the most that a die buys."""
    if isinstance(attacker, Explorer):
        for action in field.side(attacker).weapon_actions:
            payable = [price.attacks for price in action.costs if price.cost <= die]
            if payable:
                ready = armoury.explorer_attack(table, field, attacker.id, action, paid=die)
                yield action.id, ready, max(payable)
    else:
        for weapon in armoury.weapons_carried(field, attacker):
            yield weapon, armoury.hostile_attack(field, attacker, weapon=weapon), 1


def cost(state: ThreatMapState) -> float:
    """Estimate the milliseconds that a threat map takes on one core, from the hexes listed and the units on the board.

    The lines of sight take the most, on an open board; on one of many walls it is a third of that.
    """
    field, unit = state.field, state.field.units[state.case.unit]
    enemies, friends = len(field.enemies(unit)), len(field.friends(unit))
    hexes = min(len(field.ground.hexes), state.case.rows)
    beside_friends = min(hexes, 7 * friends)
    return 3.0 + 0.03 * hexes + enemies * (0.025 * hexes + 0.15 * sqrt(hexes) + 0.06 * beside_friends)


THREAT_MAP = Question("threat-map", ThreatMapCase, prepare, threat_map, cost=cost)

QUESTIONS = (THREAT_MAP,)
