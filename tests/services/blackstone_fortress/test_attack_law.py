"""The closed form of attacks, the walked rules, and icepool have to agree on every law."""

from fractions import Fraction
from itertools import product
from typing import Any

import icepool
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.table import Table
from services.blackstone_fortress import attack_law
from services.blackstone_fortress.attack_law import AttackDice, chances, expected, one, several
from services.blackstone_fortress.profiles import DieName
from services.blackstone_fortress.rules import attacks, defence
from tests.services.blackstone_fortress.tabletop import guard, janus, marginal, odds, scene, walked

FACES: dict[DieName, tuple[int, int, int]] = {"d6": (4, 1, 1), "d8": (4, 2, 2), "d12": (4, 4, 4)}
"""Failures, successes and criticals, as the sources of the dice have them."""

POOLS: tuple[tuple[DieName, ...], ...] = (
    ("d6",),
    ("d8",),
    ("d12",),
    ("d6", "d6"),
    ("d8", "d8"),
    ("d12", "d12"),
    ("d8", "d12"),
    ("d6", "d8", "d12"),
)
DEFENCES: tuple[tuple[DieName, ...], ...] = ((), ("d6",), ("d8",), ("d12",), ("d12", "d12"))

pools = st.sampled_from(POOLS)
attack_dice = st.builds(
    AttackDice,
    dice=pools,
    in_cover=st.booleans(),
    reroll=st.booleans(),
    defence=st.sampled_from(DEFENCES),
    defence_reroll=st.booleans(),
    sniping=st.booleans(),
    two_dice=st.sampled_from(["best", "each"]),
    reroll_scope=st.sampled_from(["whole-roll", "failed-dice"]),
    reroll_cover=st.sampled_from(["after-cover", "before-cover"]),
)


# The walked rules


def damage_of(table: Table, pool: AttackDice) -> int:
    """One attack by the rules: the attack roll, and a defence roll against each wound."""
    wounds, grievous = table.call(attacks.strike, "a", pool.dice, pool.in_cover, pool.reroll, pool.sniping)
    kinds = defence.one_by_one(wounds, grievous)
    if pool.defence:
        kinds = tuple(table.call(defence.defended, "d", pool.defence, kind, pool.defence_reroll)[0] for kind in kinds)
    return kinds.count("wound") + 3 * kinds.count("grievous")


def volley_of(table: Table, pool: AttackDice, count: int, cap: int) -> int:
    """Several attacks one after the other, each only while damage is below the cap."""
    damage = 0
    for _ in range(count):
        if damage >= cap:
            break
        damage += table.call(damage_of, pool)
    return min(damage, cap)


def walk(rule: Any, pool: AttackDice, *rest: int) -> dict[int, Fraction]:
    return walked(
        rule, pool, *rest, two_dice=pool.two_dice, reroll_scope=pool.reroll_scope, reroll_cover=pool.reroll_cover
    )


@pytest.mark.parametrize("dice", POOLS)
def test_one_attack_has_the_law_of_the_walked_rules(dice: tuple[DieName, ...]) -> None:
    flags = (False, True)
    for in_cover, reroll, defending, again, sniping, two_dice, scope, cover in product(
        flags,
        flags,
        DEFENCES,
        flags,
        flags,
        ("best", "each"),
        ("whole-roll", "failed-dice"),
        ("after-cover", "before-cover"),
    ):
        idle = (again and not defending) or (scope == "failed-dice" and not (reroll or again))
        if idle or (cover == "before-cover" and not (reroll and in_cover)) or (sniping and len(dice) > 2):
            continue
        pool = AttackDice(dice, in_cover, reroll, defending, again, sniping, two_dice, scope, cover)
        assert chances(one(pool)) == walk(damage_of, pool), pool


@given(pool=attack_dice, count=st.integers(1, 4), cap=st.integers(1, 7))
def test_several_attacks_have_the_law_of_attacks_walked_one_after_the_other(
    pool: AttackDice, count: int, cap: int
) -> None:
    assert chances(several(pool, count, cap)) == walk(volley_of, pool, count, cap)


@given(pool=attack_dice, count=st.integers(1, 30), cap=st.integers(1, 12))
def test_laws_are_whole(pool: AttackDice, count: int, cap: int) -> None:
    for weights, whole in (one(pool), several(pool, count, cap)):
        assert sum(weights) == whole
        assert min(weights) >= 0


# Known values and icepool


def test_reference_values() -> None:
    assert chances(one(AttackDice(("d12",), defence=("d8",)))) == {
        0: Fraction(7, 12),
        1: Fraction(1, 4),
        3: Fraction(1, 6),
    }
    assert chances(one(AttackDice(("d8", "d8"), defence=("d6",), two_dice="each"))) == {
        0: Fraction(25, 64),
        1: Fraction(25, 96),
        2: Fraction(25, 576),
        3: Fraction(5, 24),
        4: Fraction(5, 72),
        6: Fraction(1, 36),
    }


@pytest.mark.parametrize(
    ("die", "in_the_open", "in_cover"), [("d6", "4/6", "1/6"), ("d8", "8/8", "2/8"), ("d12", "16/12", "4/12")]
)
def test_expected_damage_of_single_dice(die: DieName, in_the_open: str, in_cover: str) -> None:
    assert expected(AttackDice((die,))) == Fraction(in_the_open)
    assert expected(AttackDice((die,), in_cover=True)) == Fraction(in_cover)


def die_of(name: DieName) -> icepool.Die[int]:
    return icepool.Die(dict(enumerate(FACES[name])))


def damage_by_icepool(dice: tuple[DieName, ...], in_cover: bool, defending: tuple[DieName, ...], each: bool) -> Any:
    """The same attack without re-rolls, put together from icepool's dice: 0 a failure, 1 a success, 2 a critical."""
    shift = 1 if in_cover else 0

    def left(result: int, *shields: int) -> int:
        result = max(0, result - shift)
        if not result or not shields:
            return (0, 1, 3)[result]
        eased = sum(shields) if each else max(shields)
        return 0 if eased >= result else 1 if result == 2 and eased else (0, 1, 3)[result]

    shields = [die_of(name) for name in defending]
    if each:
        return sum((icepool.map(left, die_of(name), *shields) for name in dice), start=icepool.Die([0]))
    return icepool.map(lambda *faces: left(max(faces[: len(dice)]), *faces[len(dice) :]), *map(die_of, dice), *shields)


def law_of(die: Any) -> dict[int, Fraction]:
    return {damage: Fraction(weight, die.denominator()) for damage, weight in die.items() if weight}


@pytest.mark.parametrize("two_dice", ["best", "each"])
@pytest.mark.parametrize("in_cover", [False, True])
@pytest.mark.parametrize("dice", POOLS)
def test_icepool_agrees_on_one_attack(dice: tuple[DieName, ...], in_cover: bool, two_dice: Any) -> None:
    for defending in DEFENCES:
        pool = AttackDice(dice, in_cover, defence=defending, two_dice=two_dice)
        assert chances(one(pool)) == law_of(damage_by_icepool(dice, in_cover, defending, two_dice == "each")), pool


@pytest.mark.parametrize("cap", [1, 2, 3, 4, 12])
def test_icepool_agrees_on_a_four_attack_volley(cap: int) -> None:
    for dice, in_cover in product(POOLS[:5], (False, True)):
        once = damage_by_icepool(dice, in_cover, (), False)
        together = (4 @ once).map(lambda damage: min(damage, cap))
        assert chances(several(AttackDice(dice, in_cover), 4, cap)) == law_of(together)


def test_icepool_agrees_on_a_roll_made_again() -> None:
    once = die_of("d8")
    again = icepool.map(lambda first, second: (0, 1, 3)[first or second], once, once)
    assert chances(one(AttackDice(("d8",), reroll=True))) == law_of(again)


# What always holds


@given(pool=attack_dice)
def test_cover_never_raises_the_expected_damage(pool: AttackDice) -> None:
    assert expected(replace(pool, in_cover=True)) <= expected(replace(pool, in_cover=False))


@given(pool=attack_dice, count=st.integers(1, 4), cap=st.integers(1, 6))
def test_an_aimed_volley_is_never_worse(pool: AttackDice, count: int, cap: int) -> None:
    aimed, plain = several(replace(pool, in_cover=False), count, cap), several(replace(pool, in_cover=True), count, cap)
    for damage in range(cap + 1):
        assert at_least(aimed, damage) >= at_least(plain, damage)


@given(pool=attack_dice, more=st.sampled_from(DEFENCES[1:]))
def test_a_defence_roll_never_raises_the_damage(pool: AttackDice, more: tuple[DieName, ...]) -> None:
    bare = replace(pool, defence=())
    guarded = replace(pool, defence=more)
    twice = replace(pool, defence=(*more[:1], *more[:1]))
    for damage in range(1, 17):
        assert at_least(one(bare), damage) >= at_least(one(guarded), damage)
        if len(more) == 1:
            assert at_least(one(guarded), damage) >= at_least(one(twice), damage)


@given(pool=attack_dice)
def test_rolling_failures_again_never_lowers_the_damage(pool: AttackDice) -> None:
    for damage in range(1, 17):
        again, once = one(replace(pool, reroll=True)), one(replace(pool, reroll=False))
        assert at_least(again, damage) >= at_least(once, damage)


def at_least(law: attack_law.Law, damage: int) -> Fraction:
    weights, whole = law
    return Fraction(sum(weights[damage:]), whole)


# The whole question


@pytest.mark.parametrize("in_cover", [False, True])
def test_the_odds_of_a_whole_attack_are_those_of_the_closed_form(in_cover: bool) -> None:
    board = {"cover": [[[2, 2], [3, 2]]]} if in_cover else {}
    posted = scene([janus([1, 2])], [guard("guard", [4, 2])], board)
    by_explorer = odds(
        "attack",
        {"scene": posted, "attacker": "janus", "targets": ["guard"], "action": "pistol-and-rapier", "die": "free"},
    )
    assert marginal(by_explorer, "damage") == chances(one(AttackDice(("d8",), in_cover)))
    by_hostile = odds("attack", {"scene": posted, "attacker": "guard", "targets": ["janus"]})
    assert marginal(by_hostile, "damage") == chances(one(AttackDice(("d8",), in_cover, defence=("d8",))))


@pytest.mark.parametrize("wounds", [1, 2, 3, 4, 12])
@pytest.mark.parametrize("in_cover", [False, True])
def test_the_odds_of_a_four_attack_volley_are_those_of_the_closed_form(in_cover: bool, wounds: int) -> None:
    gun = {"id": "gun", "name": "Gun", "costs": [{"cost": 1, "attacks": 4}], "ranges": {"2-3": ["d12"]}}
    side = {"move": 2, "defence": ["d8"], "agility": ["d8"], "vitality": ["d8"], "weapon_actions": [gun]}
    brute = {
        "id": "brute",
        "name": "Brute",
        "size": "large",
        "move": 2,
        "wounds": wounds,
        "weapons": ["hammer"],
        "behaviour": "chaos-beastman",
    }
    posted = scene(
        [{"id": "gunner", "profile": "gunner", "hex": [1, 2]}],
        [{"id": "brute", "group": "brutes", "profile": "brute", "hex": [3, 2]}],
        {"cover": [[[2, 2], [3, 2]]]} if in_cover else {},
        profiles={
            "explorers": [{"id": "gunner", "name": "Gunner", "spaces": 4, "uninspired": side}],
            "hostiles": [brute],
        },
    )
    case = {"scene": posted, "attacker": "gunner", "targets": ["brute"], "action": "gun", "die": "free"}
    law = marginal(odds("attack", case), "damage")
    capped: dict[int, Fraction] = {}
    for damage, chance in law.items():
        capped[min(damage, wounds)] = capped.get(min(damage, wounds), Fraction(0)) + chance
    assert capped == chances(several(AttackDice(("d12",), in_cover), 4, wounds))
