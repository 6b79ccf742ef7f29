"""The law of attacks in closed form: what `attacks` and `defence` decide, as exact integers and without walking paths.

Damage counts 1 for a wound and 3 for a grievous wound. A law is a tuple of whole numbers by damage (0, 1, 2, …) with
the number they are parts of. It is the same law as that of the walked rules, which is what its tests are for; it is
there for looking at many attacks at once.

Cover turns the faces (f, s, c) of a die into (f + s, c, 0). The better of several dice has products of the faces up to
a result. Dice that are each applied, and attacks that follow each other, multiply as polynomials in the damage; for
many attacks a polynomial is one whole number with its coefficients side by side, so that one product multiplies all.
"""

from fractions import Fraction
from functools import lru_cache
from math import prod
from struct import Struct
from typing import Literal

from arbiter.value import Value
from services.blackstone_fortress.book import action_die
from services.blackstone_fortress.profiles import DieName

Dice = tuple[DieName, ...]
Weights = tuple[int, ...]
"""Parts of a whole by damage, or by result from failure to critical success."""

Law = tuple[Weights, int]
"""Weights and what they add up to."""


class AttackDice(Value, frozen=True):
    """One attack as far as dice go: attack dice, cover, re-rolls, the target's defence dice, and the readings of dice.

    Without `defence` the target is a hostile, who has none.
    """

    dice: Dice
    in_cover: bool = False
    reroll: bool = False
    defence: Dice = ()
    defence_reroll: bool = False
    sniping: bool = False
    two_dice: Literal["best", "each"] = "best"
    reroll_scope: Literal["whole-roll", "failed-dice"] = "whole-roll"
    reroll_cover: Literal["after-cover", "before-cover"] = "after-cover"


def one(pool: AttackDice) -> Law:
    """Give the law of the damage that one attack causes."""
    each = pool.two_dice == "each" and len(pool.dice) > 1
    wounds, lessened = _wounds_left(pool.defence, pool.defence_reroll, pool.two_dice, pool.reroll_scope)
    whole = wounds[0] + wounds[1]
    grievous: Weights = (lessened[0], lessened[1], 0, lessened[2])
    if pool.sniping:
        wounds, grievous, whole = (wounds[0] * whole, wounds[1] * whole), _product(grievous, wounds), whole * whole
    if not each:
        (failure, success, critical), ways = _struck(pool.dice, pool.in_cover, pool.reroll, pool.reroll_cover)
        weights = [critical * weight for weight in grievous]
        weights[0] += failure * whole + success * wounds[0]
        weights[1] += success * wounds[1]
        return tuple(weights), ways * whole
    return _each(pool, wounds, grievous, whole)


def several(pool: AttackDice, attacks: int, cap: int) -> Law:
    """Give the law of the damage that several such attacks cause together; the last weight is for `cap` or more."""
    weights, whole = one(pool)
    ways = whole**attacks
    below = weights[:cap]
    most = attacks * (len(below) - 1)
    if most < _SHORT and ways < _WORD:
        # Every coefficient fits a machine word, and so the words are laid side by side and read back all at once.
        base = int.from_bytes(_words(len(below)).pack(*below), "little")
        under = _words(most + 1).unpack((base**attacks).to_bytes(8 * (most + 1), "little"))[:cap]
    else:
        bits = ways.bit_length()
        base = _pack(below, bits)
        power = base**attacks if most < _SHORT else _power(base, attacks, (1 << bits * cap) - 1)
        coefficient = (1 << bits) - 1
        under = tuple(power >> place & coefficient for place in range(0, bits * min(cap, most + 1), bits))
    return (*under, *(0,) * (cap - len(under)), ways - sum(under)), ways


_WORD = 1 << 64


@lru_cache(maxsize=256)
def _words(count: int) -> Struct:
    return Struct(f"<{count}Q")


_SHORT = 100
"""Of a polynomial of a lower degree all coefficients are worked out, for cutting it short takes longer."""


def _power(base: int, exponent: int, below: int) -> int:
    """Raise a packed polynomial, and keep only the coefficients below the cap, by squaring."""
    power = 1
    while exponent:
        if exponent & 1:
            power = power * base & below
        base = base * base & below
        exponent >>= 1
    return power


def expected(pool: AttackDice) -> Fraction:
    """Give the expected damage of one attack."""
    weights, whole = one(pool)
    return Fraction(sum(damage * weight for damage, weight in enumerate(weights)), whole)


def chances(law: Law) -> dict[int, Fraction]:
    """Give a law as the exact chance of each damage that can come."""
    weights, whole = law
    return {damage: Fraction(weight, whole) for damage, weight in enumerate(weights) if weight}


@lru_cache(maxsize=4096)
def _struck(dice: Dice, in_cover: bool, reroll: bool, reroll_cover: str) -> Law:
    """Give how often the best of the dice is a failure, a success or a critical success, after cover."""
    return _reroll_law(
        _best(tuple(_faces_after_cover(die, in_cover) for die in dice)), dice, in_cover, reroll, reroll_cover
    )


def _reroll_law(law: Law, dice: Dice, in_cover: bool, reroll: bool, reroll_cover: str) -> Law:
    """Give the law of a roll whose outcome 0 is rolled again as a whole: all of it, or what has failed before cover."""
    if not reroll:
        return law
    weights, ways = law
    faces = [_faces(die) for die in dice]
    failed = prod(face[0] for face in faces) if in_cover and reroll_cover == "before-cover" else weights[0]
    again = tuple(weight * (ways + failed) for weight in weights)
    return (again[0] - failed * ways, *again[1:]), ways * ways


def _best(faces: tuple[tuple[int, int, int], ...]) -> Law:
    failure = prod(face[0] for face in faces)
    success = prod(face[0] + face[1] for face in faces)
    ways = prod(sum(face) for face in faces)
    return (failure, success - failure, ways - success), ways


def _faces(die: DieName) -> tuple[int, int, int]:
    faces = action_die(die).faces
    return faces.count("failure"), faces.count("success"), faces.count("critical")


@lru_cache(maxsize=64)
def _faces_after_cover(die: DieName, in_cover: bool) -> tuple[int, int, int]:
    failure, success, critical = _faces(die)
    return (failure + success, critical, 0) if in_cover else (failure, success, critical)


@lru_cache(maxsize=1024)
def _wounds_left(dice: Dice, reroll: bool, two_dice: str, reroll_scope: str) -> tuple[Weights, Weights]:
    """Give how often a wound is negated or kept, and how often a grievous wound is negated, a wound, or kept."""
    if not dice:
        return (0, 1), (0, 0, 1)
    if two_dice == "best" or len(dice) == 1:
        (failure, success, critical), ways = _reroll_law(
            _best(tuple(_faces(die) for die in dice)), dice, False, reroll, "after-cover"
        )
        return (ways - failure, failure), (critical, success, failure)
    # Each result is applied: by how many steps the wound is eased, a critical success being worth two.
    by_die = reroll and reroll_scope == "failed-dice"
    eased: Law = ((1,), 1)
    for die in dice:
        weights, ways = _reroll_law((_faces(die), len(action_die(die).faces)), (die,), False, by_die, "after-cover")
        eased = _product(eased[0], weights), eased[1] * ways
    if reroll and not by_die:
        eased = _reroll_law(eased, dice, False, True, "after-cover")
    steps, ways = eased
    return (ways - steps[0], steps[0]), (ways - steps[0] - steps[1], steps[1], steps[0])


def _each(pool: AttackDice, wounds: Weights, grievous: Weights, whole: int) -> Law:
    """Give the law of one attack whose dice are each applied."""
    by_die = pool.reroll and pool.reroll_scope == "failed-dice"
    weights: Weights = (1,)
    ways = 1
    for die in pool.dice:
        law: Law = (_faces_after_cover(die, pool.in_cover), len(action_die(die).faces))
        (failure, success, critical), sides = _reroll_law(law, (die,), pool.in_cover, by_die, pool.reroll_cover)
        damage = [critical * weight for weight in grievous]
        damage[0] += failure * whole + success * wounds[0]
        damage[1] += success * wounds[1]
        weights, ways = _product(weights, tuple(damage)), ways * sides * whole
    if not pool.reroll or by_die:
        return weights, ways
    failed = prod(
        (_faces(die) if pool.reroll_cover == "before-cover" else _faces_after_cover(die, pool.in_cover))[0]
        for die in pool.dice
    )
    # A roll of failures alone causes nothing, and stands for as many ways of the defence dice that are never rolled.
    failed *= whole ** len(pool.dice)
    again = tuple(weight * (ways + failed) for weight in weights)
    return (again[0] - failed * ways, *again[1:]), ways * ways


def _product(one_: Weights, other: Weights) -> Weights:
    weights = [0] * (len(one_) + len(other) - 1)
    for damage, weight in enumerate(one_):
        for more, chance in enumerate(other):
            weights[damage + more] += weight * chance
    return tuple(weights)


def _pack(weights: Weights, bits: int) -> int:
    packed = 0
    for weight in reversed(weights):
        packed = packed << bits | weight
    return packed
