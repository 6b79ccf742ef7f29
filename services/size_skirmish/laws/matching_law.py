"""The law of an attack in a closed form, beside the rules of `matching` that roll it; and that of a morale test.

It has the law of the walked rules under every reading, without a single path; tests hold it to them. What counts of a
die is whether it is a *top*, which nothing but another top can negate (a 6), or a *middle*, from the number of the
damage dice up to 5; what is lower is worth nothing on either side. A die that is thrown, with the reroll and the extra
die that may come of it, comes to two of them at most. Middles are alike: each of their faces is as likely, however the
die came to lie. So the law is made of three parts:

- how many tops and middles come of a damage die, and of a defence die (`_die`);
- how middle dice pair off, for every number of them on either side (`pairing_law`);
- the sum over all dice, a damage die at a time, of polynomials that are packed into whole numbers (`_Fight`).

Chances are whole numbers of a power of six until the very end.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm
from typing import NamedTuple

from arbiter.rule import Read
from services.size_skirmish.attacks import DicePool, Kind, RollOutcome
from services.size_skirmish.book import number as number_of
from services.size_skirmish.laws import pairing_law
from services.size_skirmish.rules import tables
from services.size_skirmish.rules.dice import EXPLODES, FAILS

TWO = 2
"""So many tops and middles come of one die at most: itself, or its reroll, and an extra die."""

MORALE = number_of("morale-success")

MOST, MOST_RANKED = 120, 30
"""With more damage dice and defence dice together no law is worked out: with pairs at their best, and in ranks."""

Worth = tuple[int, int]
"""How many tops and how many middles come of a die."""

_Law = dict[Worth, Fraction]


def outcomes(read: Read, attacker: DicePool, target: DicePool, kind: Kind) -> dict[RollOutcome, Fraction] | None:
    """Return the chance of each outcome of `matching.attacked`; None if there are too many dice."""
    number = max(FAILS, tables.cell(read, tables.HIT, attacker.size, target.size).least - attacker.plus)
    if not attacker.dice or number >= tables.NEVER:
        return {RollOutcome(0, 0): Fraction(1)}
    rolls = read("attack-rolls")
    ones = _ones(read, "hit" in attacker.rerolls)
    if rolls != "two-rolls":
        if rolls == "both-at-once":
            number = max(number, tables.cell(read, tables.DAMAGE, attacker.size, target.size).least)
        fight = _fight(read, number, ones, target)
        if fight.too_large(attacker.dice):
            return None
        whole = fight.cases(attacker.dice)
        *_, law = fight.laws(attacker.dice, by_dice=True)
        return {RollOutcome(*left): Fraction(ways, whole) for left, ways in law.items()}
    hit = _die(1, EXPLODES - max(number, FAILS + 1), ones)
    fight = _damage_fight(read, attacker, target)
    if fight.too_large(TWO * attacker.dice):
        return None
    chances: dict[RollOutcome, Fraction] = {}
    for hits, (ways, law) in enumerate(zip(hit.successes(attacker.dice), fight.laws(TWO * attacker.dice), strict=True)):
        whole = hit.cases**attacker.dice * fight.cases(hits)
        chances |= {RollOutcome(hits, damage): Fraction(ways * share, whole) for (_, damage), share in law.items()}
    return chances


def damages(read: Read, attacker: DicePool, hits: int, target: DicePool, kind: Kind) -> dict[int, Fraction] | None:
    """Return the chance of each damage of a number of hits, for `matching.damaged`; None if there are too many dice."""
    if not hits:
        return {0: Fraction(1)}
    fight = _damage_fight(read, attacker, target)
    if fight.too_large(hits):
        return None
    *_, law = fight.laws(hits)
    return {damage: Fraction(ways, fight.cases(hits)) for (_, damage), ways in law.items()}


def successes(read: Read, model_id: str, name: str, dice: int, rerolls: bool) -> dict[int, Fraction]:
    """Return the chance of each number of successes of a morale test, for `nerve.succeeding`."""
    die = _die(1, EXPLODES - MORALE, _ones(read, rerolls and dice > 0))
    return {many: Fraction(ways, die.cases**dice) for many, ways in enumerate(die.successes(dice))}


class _Ones(NamedTuple):
    """Whether ones are rolled again, whether a 6 explodes that comes of it, and whether ones of extra dice are."""

    again: bool = False
    exploding: bool = False
    extra: bool = False


def _ones(read: Read, rerolls: bool) -> _Ones:
    if not rerolls:
        return _Ones()
    return _Ones(True, read("rerolled-six") == "explodes", read("extra-ones") == "rerolled")


class _Die(NamedTuple):
    """What comes of a die: so many tops and middles in so many of all cases.

    Middles have so many `faces`. As these are alike, only the cases of any one of them are counted.
    """

    worths: tuple[tuple[int, int, int], ...]
    cases: int
    faces: int

    def successes(self, dice: int) -> list[int]:
        """Return in how many cases so many tops and middles together come of several dice, from none on."""
        width = _bytes(self.cases**dice)
        one = sum(ways * self.faces**middles << 8 * width * (tops + middles) for tops, middles, ways in self.worths)
        return _digits(one**dice, width, TWO * dice + 1)


@lru_cache(maxsize=256)
def _die(top: int, middle: int, ones: _Ones) -> _Die:
    """Return what comes of a die of which so many faces are tops, a 6 among them, and so many are middles."""

    nothing: _Law = {(0, 0): Fraction(1)}
    lone: _Law = {(1, 0): Fraction(1)}

    def thrown(one: _Law, six: _Law) -> _Law:
        """Return the law of a throw, by what comes of a 1 and of a 6."""
        rest = EXPLODES - FAILS - top - middle
        parts = ((1, one), (1, six), (top - 1, lone), (middle, {(0, 1): Fraction(1)}), (rest, nothing))
        chances: _Law = {}
        for many, law in parts:
            for worth, chance in law.items():
                chances[worth] = chances.get(worth, Fraction(0)) + chance * many / EXPLODES
        return chances

    extra = thrown(nothing, lone)
    if ones.extra:
        extra = thrown(extra, lone)
    six = {(tops + 1, middles): chance for (tops, middles), chance in extra.items()}
    again = thrown(nothing, six if ones.exploding else lone)
    law = thrown(again if ones.again else nothing, six)
    each = [(tops, middles, chance / (middle if middles else 1)) for (tops, middles), chance in law.items() if chance]
    cases = lcm(*(chance.denominator for *_, chance in each))
    return _Die(tuple((tops, middles, int(chance * cases)) for tops, middles, chance in each), cases, middle)


class _Fight(NamedTuple):
    """Damage dice against defence dice: what comes of either die, and how many of the latter there are.

    `shown` says of each middle face, from the lowest on, whether a defence die may show it.
    """

    attack: _Die
    defence: _Die
    dice: int
    shown: tuple[bool, ...]
    ranked: bool

    def too_large(self, dice: int) -> bool:
        """Return whether it would take seconds to work out so many damage dice."""
        return dice + self.dice > (MOST_RANKED if self.ranked else MOST)

    def cases(self, dice: int) -> int:
        """Return how many cases there are with so many damage dice."""
        cases: int = self.attack.cases**dice * self.defence.cases**self.dice
        return cases

    @property
    def defending(self) -> int:
        """The most middle defence dice."""
        return self.dice if any(self.shown) else 0

    def laws(self, most: int, *, by_dice: bool = False) -> Iterator[dict[tuple[int, int], int]]:
        """Return in how many cases so much damage is left, for so many damage dice thrown from none on.

        `by_dice` tells the cases apart by how many damage dice stand as well; without it these count as none.
        """
        zero = 0 if self.ranked else TWO * self.dice
        span = TWO * most + zero + self.dice + 1
        width = _bytes(self.cases(most))
        for land in (self._ranked if self.ranked else self._matched)(most, span if by_dice else 0):
            ways_by: dict[tuple[int, int], int] = {}
            for power, ways in enumerate(_digits(land, width)):
                if ways:
                    stand, left = divmod(power, span)
                    ways_by[stand, max(0, left - zero)] = ways_by.get((stand, max(0, left - zero)), 0) + ways
            yield ways_by

    def _matched(self, most: int, span: int) -> Iterator[int]:
        """Return the polynomials for so many damage dice from none on, when as many as can be are negated.

        The power is what is left: damage dice, less defence dice, more those of these that are spare, and twice the
        dice that are thrown in defence, so that it is never below none. It counts each damage die that stands `span`
        times more.
        """
        width = 8 * _bytes(self.cases(most))
        table = pairing_law.spare(self.shown, most if self.shown else 0, self.defending, width)
        standing = self._standing(width)
        row = [sum(way * spare for way, spare in zip(standing, spares, strict=True)) for spares in table]
        for _ in range(most):
            yield row[0]
            row = [
                sum(
                    ways * row[place + middles] << width * (1 + span) * (tops + middles)
                    for tops, middles, ways in self.attack.worths
                )
                for place in range(max(1, len(row) - 1))
            ]
        yield row[0]

    def _standing(self, width: int) -> list[int]:
        """Return the cases for each number of middle defence dice; the power is what they lack of two each."""
        none, some = (
            sum(
                ways << width * (TWO - tops - middles) for tops, middles, ways in self.defence.worths if middles == many
            )
            for many in (0, 1)
        )
        numbers = range(self.defending + 1)
        return [comb(self.dice, many) * none ** (self.dice - many) * some**many for many in numbers]

    def _ranked(self, most: int, span: int) -> Iterator[int]:
        """Return the polynomials for so many damage dice from none on, when the highest meets the highest, and so on.

        The power is the damage. It counts each damage die that stands `span` times more.
        """
        width = 8 * _bytes(self.cases(most))
        middles, defending = most if self.shown else 0, self.defending
        surpluses = pairing_law.ranked(self.shown, middles, defending, width)
        standing = [_digits(standing, width // 8) for standing in self._standing(width)]

        def left(over: int, tops: int, many: int) -> int:
            """Sum up over the tops of the defence dice, of which so many are middles."""
            total = 0
            for lacking, ways in enumerate(standing[many]):
                beyond = tops - (TWO * self.dice - lacking - many)
                surplus = min(max(beyond + over - many, -defending), middles)
                total += ways * surpluses[surplus + defending][over][many] << width * max(0, beyond)
            return total

        rows = [
            [sum(left(over, tops, many) for many in range(defending + 1)) for over in range(middles + 1)]
            for tops in range(TWO * most + 1)
        ]
        for _ in range(most):
            yield rows[0][0]
            rows = [
                [
                    sum(
                        ways * rows[place + tops][column + middles] << width * span * (tops + middles)
                        for tops, middles, ways in self.attack.worths
                    )
                    for column in range(max(1, len(rows[0]) - 1))
                ]
                for place in range(len(rows) - TWO)
            ]
        yield rows[0][0]


def _damage_fight(read: Read, attacker: DicePool, target: DicePool) -> _Fight:
    least = tables.cell(read, tables.DAMAGE, attacker.size, target.size).least
    return _fight(read, least, _ones(read, "damage" in attacker.rerolls), target)


def _fight(read: Read, least: int, ones: _Ones, target: DicePool) -> _Fight:
    """Return damage dice that have to show so much against defence dice.

    Where successes are taken from successes, every die that is as high as that is a top.
    """
    least = max(least, FAILS + 1)
    # A 6 can be negated by a 6 alone, under every reading.
    differ = target.dice and least < EXPLODES
    apart = differ and read("defence") == "successes"
    ranked = bool(differ and not apart and read("defence-pairs") == "highest-first")
    highest = least if apart else EXPLODES
    top, middle = EXPLODES + 1 - highest, highest - least
    shown = tuple(face - target.plus > FAILS for face in range(least, highest))
    tops = sum(face + target.plus >= highest for face in range(FAILS + 1, EXPLODES + 1))
    defence = _die(tops, sum(shown), _ones(read, bool(target.dice) and "defence" in target.rerolls))
    return _Fight(_die(top, middle, ones), defence, target.dice, shown, ranked)


def _bytes(most: int) -> int:
    """Return how many bytes hold every whole number up to the most."""
    return (most.bit_length() + 7) // 8


def _digits(packed: int, width: int, many: int = 0) -> list[int]:
    """Return at least `many` coefficients of a polynomial, `width` bytes each, from the lowest power on."""
    many = max(many, -(-packed.bit_length() // (8 * width)))
    data = packed.to_bytes(many * width, "little")
    return [int.from_bytes(data[place : place + width], "little") for place in range(0, len(data), width)]
