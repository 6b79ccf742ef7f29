"""The law of matched dice in closed form: against every face of every die, the walked rules, icepool, known values."""

from fractions import Fraction
from typing import Any

import icepool
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.odds.exact import Budget, PathBudgetExceeded, law
from arbiter.table import Table
from services.size_skirmish.attacks import DicePool, RollOutcome
from services.size_skirmish.laws import matching_law
from services.size_skirmish.rules import dice, matching
from tests.arbiter.forms import in_both_ways
from tests.effort import cases
from tests.services.size_skirmish.dicing import (
    SIZES,
    ann,
    anybody,
    bob,
    chosen,
    most_negated,
    readings,
    slow_damages,
    slow_outcomes,
)

D6 = icepool.d(6)


def outcomes(who: DicePool, against: DicePool, **options: str) -> dict[RollOutcome, Fraction]:
    found = matching_law.outcomes(readings(**options).__getitem__, who, against, "melee")
    assert found is not None
    return {outcome: chance for outcome, chance in found.items() if chance}


def damage_of(found: dict[RollOutcome, Fraction]) -> dict[int, Fraction]:
    """Return the law of the damage alone."""
    damage: dict[int, Fraction] = {}
    for outcome, chance in found.items():
        damage[outcome.damage] = damage.get(outcome.damage, Fraction(0)) + chance
    return damage


def mean(found: dict[RollOutcome, Fraction]) -> Fraction:
    return sum((outcome.damage * chance for outcome, chance in found.items()), Fraction(0))


def spread(*chances: str) -> dict[int, Fraction]:
    return {damage: Fraction(chance) for damage, chance in enumerate(chances)}


# Known values


def test_one_die_against_one() -> None:
    known = spread("50321/62208", "27835/186624", "2663/69984", "991/279936", "1/2916")
    assert damage_of(outcomes(ann(1), bob(1))) == known


def test_four_dice_against_four_without_explosions() -> None:
    """Without the passages on sixes there is no closed form, and the rules are walked."""
    known = spread("9890053/13436928", "86833/419904", "337853/6718464", "913/139968", "4865/13436928")
    with dice.exploded.switched_off():
        walked = law(lambda table: table.call(matching.attacked, ann(4), bob(4), "melee"), readings=readings())
    assert damage_of(walked) == known


@pytest.mark.parametrize(
    ("attacker", "target", "rows", "means"),
    [
        ("M", "M", "attacker", ("1/4", "1/6", "25/216")),
        ("M", "M", "target", ("1/4", "1/6", "25/216")),
        ("XS", "XL", "attacker", ("5/36", "25/216", "125/1296")),
        ("XS", "XL", "target", ("5/36", "5/72", "55/1296")),
        ("XL", "XS", "attacker", ("5/36", "5/72", "55/1296")),
        ("XL", "XS", "target", ("5/36", "25/216", "125/1296")),
        ("M", "L", "attacker", ("2/9", "1/6", "41/324")),
        ("M", "L", "target", ("2/9", "7/54", "1/12")),
    ],
)
def test_mean_damage_of_one_die_without_explosions(
    attacker: str, target: str, rows: str, means: tuple[str, ...]
) -> None:
    """Whose size stands at the left decides who profits from armour."""
    with dice.exploded.switched_off():
        for armour, known in enumerate(means):
            walked = law(
                lambda table, armour=armour: table.call(
                    matching.attacked, ann(1, attacker), bob(armour, target), "melee"
                ),
                readings=readings(table_rows=rows),
            )
            assert mean(walked) == Fraction(known)


# Every face of every die


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("armour", [0, 1, 2])
@pytest.mark.parametrize("hits", [1, 2, 3])
def test_damage_dice_by_every_face(size: str, hits: int, armour: int) -> None:
    """M against the five sizes needs 2, 3, 4, 5 and 6 for damage."""
    least = 2 + SIZES.index(size)
    found = matching_law.damages(readings().__getitem__, ann(0), hits, bob(armour, size), "melee")
    assert found == slow_damages(hits, least, armour)


@pytest.mark.parametrize(("attacker", "target"), [("XS", "XS"), ("XS", "XL"), ("S", "M"), ("XL", "S")])
@pytest.mark.parametrize(("attack", "armour"), [(1, 0), (1, 2), (2, 1)])
def test_attacks_by_every_face(attacker: str, target: str, attack: int, armour: int) -> None:
    number, least = {"XSXS": (4, 4), "XSXL": (2, 6), "SM": (3, 5), "XLS": (6, 2)}[attacker + target]
    slow = slow_outcomes(attack, number, least, armour)
    found = outcomes(ann(attack, attacker), bob(armour, target))
    assert found == {RollOutcome(*pair): chance for pair, chance in slow.items()}


@given(st.lists(st.integers(2, 6), max_size=5), st.lists(st.integers(2, 7), max_size=5))
def test_pairs_are_as_many_as_can_be(damage: list[int], defence: list[int]) -> None:
    best = most_negated(tuple(sorted(damage)), tuple(sorted(defence)))
    assert matching.paired(tuple(damage), tuple(defence)) == best
    assert matching.ranked(tuple(damage), tuple(defence)) <= best


# The walked rules


@given(anybody(ann, (0, 0, 1, -1, 5), 1), anybody(bob, (0, 0, 1, 2), 2), chosen)
@settings(max_examples=cases(40), deadline=None)
def test_the_closed_form_is_the_walked_law(who: DicePool, against: DicePool, options: dict[str, str]) -> None:
    by_form, walked = in_both_ways(matching.attacked, who, against, "melee", readings=options)
    assert by_form == walked


@given(anybody(bob, (0, 1, 2), 2), st.integers(0, 2), st.sampled_from(SIZES), st.booleans(), chosen)
@settings(max_examples=cases(25), deadline=None)
def test_the_closed_form_of_damage_is_the_walked_law(
    against: DicePool, hits: int, size: str, again: bool, options: dict[str, str]
) -> None:
    who = ann(0, size, rerolls=("damage",) if again else ())
    by_form, walked = in_both_ways(matching.damaged, who, hits, against, "fall", readings=options)
    assert by_form == walked


# Icepool


def of_icepool(die: Any) -> dict[Any, Fraction]:
    return {outcome: Fraction(ways, die.denominator()) for outcome, ways in die.items() if ways}


def thrown(count: int, *, again: bool, exploding: bool, extra: bool) -> Any:
    """Return how often each face comes of so many dice, as vectors added up."""

    def vector(*faces: int) -> Any:
        return tuple(faces.count(face) for face in range(1, 7))

    second = D6.map({1: D6}) if extra else D6
    six = second.map(lambda face: vector(6, face))
    plain = D6.map(lambda face: six if face == 6 else vector(face))
    rolled = D6.map(lambda face: (six if exploding else vector(6)) if face == 6 else vector(face))
    die = D6.map(lambda face: rolled if face == 1 and again else six if face == 6 else vector(face)) if again else plain
    return count @ die.map(icepool.Vector)


@pytest.mark.parametrize("exploding", [True, False])
@pytest.mark.parametrize("extra", [True, False])
def test_ones_rolled_again_on_both_sides_are_what_icepool_says(exploding: bool, extra: bool) -> None:
    """Three hits of M on S (3+) against two dice; both sides roll ones again."""

    def left(damage: Any, defence: Any) -> int:
        standing = [face for face in range(3, 7) for _ in range(damage[face - 1])]
        against = [face for face in range(1, 7) for _ in range(defence[face - 1])]
        return len(standing) - matching.paired(tuple(standing), tuple(against))

    dice_of = [thrown(count, again=True, exploding=exploding, extra=extra) for count in (3, 2)]
    options = readings(rerolled_six="explodes" if exploding else "stays", extra_ones="rerolled" if extra else "stays")
    who, against = ann(0, rerolls=("damage",)), bob(2, "S", rerolls=("defence",))
    assert matching_law.damages(options.__getitem__, who, 3, against, "melee") == of_icepool(
        icepool.map(left, *dice_of)
    )


# What holds for all


few = st.integers(0, 7)


@given(few, few, st.sampled_from(SIZES), st.sampled_from(SIZES), chosen)
@settings(max_examples=cases(60), deadline=None)
def test_what_holds_for_every_attack(attack: int, armour: int, mine: str, yours: str, options: dict[str, str]) -> None:
    who, against = ann(attack, mine), bob(armour, yours)
    found = matching_law.outcomes(options.__getitem__, who, against, "melee")
    more = matching_law.outcomes(options.__getitem__, who, replace(against, dice=armour + 1), "melee")
    assert found is not None
    assert more is not None
    assert sum(found.values()) == 1
    assert all(0 <= outcome.damage <= 2 * outcome.hits <= 4 * attack for outcome, chance in found.items() if chance)
    whole = 36 ** (3 * attack + armour)
    assert all(whole % chance.denominator == 0 for chance in found.values())
    for least in range(1, 4 * attack + 1):
        with_more, with_less = (
            sum(chance for damage, chance in damage_of(law_of).items() if damage >= least) for law_of in (more, found)
        )
        assert with_more <= with_less, "one more defence die never raises a chance of so much damage"


@given(few, few, st.sampled_from(SIZES), st.sampled_from(SIZES))
@settings(max_examples=cases(30), deadline=None)
def test_pairs_at_their_best_leave_no_more_than_pairs_in_ranks(attack: int, armour: int, mine: str, yours: str) -> None:
    who, against = ann(attack, mine), bob(armour, yours)
    ranks, best, apart = (
        mean(outcomes(who, against, **options))
        for options in ({"defence_pairs": "highest-first"}, {}, {"defence": "successes"})
    )
    assert apart <= best <= ranks


def test_without_armour_it_does_not_matter_whose_size_stands_at_the_left() -> None:
    """The damage table is the hit table turned over, so that either way both numbers have to be reached."""
    rows = [outcomes(ann(1, "XS"), bob(0, "XL"), table_rows=rows) for rows in ("attacker", "target")]
    with dice.exploded.switched_off():
        plain = [
            law(
                lambda table: table.call(matching.attacked, ann(3, "XS"), bob(0, "XL"), "melee"),
                readings=readings(table_rows=rows),
            )
            for rows in ("attacker", "target")
        ]
    assert damage_of(plain[0]) == damage_of(plain[1])
    assert damage_of(rows[0]) != damage_of(rows[1]), "but explosions of a low hit roll are more dice for the other"


# How large


def test_twenty_dice_against_twenty_take_few_paths() -> None:
    def attacked(table: Table) -> RollOutcome:
        return table.call(matching.attacked, ann(20), bob(20), "melee")

    budget = Budget(2_000)
    found = law(attacked, readings=readings(), budget=budget)
    assert sum(found.values()) == 1
    # 41 numbers of hits, up to 80 damage dice.
    assert max(outcome.damage for outcome in found) == 80
    assert found[RollOutcome(40, 80)] > 0


def test_too_many_dice_are_walked_and_refused() -> None:
    for attack, armour, options in ((41, 40, {}), (10, 11, {"defence_pairs": "highest-first"})):
        form = matching_law.outcomes(readings(**options).__getitem__, ann(attack), bob(armour), "melee")
        assert form is None
        with pytest.raises(PathBudgetExceeded):
            law(
                lambda table, attack=attack, armour=armour: table.call(
                    matching.attacked, ann(attack), bob(armour), "melee"
                ),
                readings=readings(**options),
                budget=Budget(1_000),
            )
    assert matching_law.damages(readings().__getitem__, ann(0), 100, bob(21), "fall") is None


def test_the_numbers_that_no_die_reaches_are_no_hit_at_all() -> None:
    assert outcomes(ann(3, "XL", plus=-1), bob(0, "XS")) == {RollOutcome(0, 0): Fraction(1)}
    assert outcomes(ann(0), bob(0)) == {RollOutcome(0, 0): Fraction(1)}


def test_without_the_passage_on_defence_it_is_as_if_there_were_no_dice_for_it() -> None:
    with matching.negated.switched_off():
        walked = law(lambda table: table.call(matching.attacked, ann(1), bob(1), "melee"), readings=readings())
    assert damage_of(walked) == damage_of(outcomes(ann(1), bob(0)))
