"""Morale: when a test is asked for, its law against a sum of its own, and what follows from it."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.table import Table
from services.size_skirmish.rules import nerve
from tests.arbiter.forms import in_both_ways
from tests.services.size_skirmish.dicing import readings
from tests.services.size_skirmish.field import ask, field_of, odds, table, walked, with_model, with_models


def chances(dice: int, rerolls: bool) -> dict[int, Fraction]:
    """Count the successes of dice by the twelfths of a single one, added up die by die.

    A die that shows a 1 and is rolled again shows any face, and so does the die that a 6 brings.
    """
    half = Fraction(1, 2)
    again = half + Fraction(1, 12) if rerolls else half  # an extra die that is a 1 gets another throw, too
    one = {0: 1 - again, 1: again}
    first: dict[int, Fraction] = {}

    def add(successes: int, chance: Fraction) -> None:
        first[successes] = first.get(successes, Fraction(0)) + chance

    def face(shown: int, chance: Fraction, may: bool) -> None:
        if shown == 1 and may:
            for anew in range(1, 7):
                face(anew, chance / 6, False)
        elif shown == 6:
            for extra, of_it in one.items():
                add(1 + extra, chance * of_it)
        else:
            add(int(shown >= 4), chance)

    for shown in range(1, 7):
        face(shown, Fraction(1, 6), rerolls)
    found = {0: Fraction(1)}
    for _ in range(dice):
        more: dict[int, Fraction] = {}
        for (a, p), (b, q) in product(found.items(), first.items()):
            more[a + b] = more.get(a + b, Fraction(0)) + p * q
        found = more
    return found


@pytest.mark.parametrize("rerolls", [False, True])
@pytest.mark.parametrize("dice", [0, 1, 2, 5, 40])
def test_the_law_of_successes_is_that_of_its_dice_one_by_one(dice: int, rerolls: bool) -> None:
    def called(table: Table) -> int:
        return table.call(nerve.succeeding, "ada", "Ada", dice, rerolls)

    assert walked(called) == chances(dice, rerolls)


@pytest.mark.parametrize("options", [{}, {"rerolled_six": "stays"}, {"extra_ones": "stays"}])
@pytest.mark.parametrize("rerolls", [False, True])
@pytest.mark.parametrize("dice", [0, 1, 2])
def test_the_closed_form_of_successes_is_the_walked_law(dice: int, rerolls: bool, options: dict[str, str]) -> None:
    by_form, by_walk = in_both_ways(nerve.succeeding, "ada", "Ada", dice, rerolls, readings=readings(**options))
    assert by_form == by_walk


def test_captains_who_strike_at_each_other_and_test_their_morale_have_an_exact_law() -> None:
    """Ole strikes back in the same exchange of blows, so that what ada does to it is as likely as without."""
    captains = [
        {"id": name, "side": side, "profile": "bell-captain", "at": [x, 10], "facing": [ahead, 0]}
        for name, side, x, ahead in (("ada", "red", 10, 1), ("ole", "blue", 11.5, -1))
    ]
    case = {"scene": {"sides": [{"id": "red"}, {"id": "blue"}], "models": captains}, "attacker": "ada", "target": "ole"}
    laws: list[dict[int, Fraction]] = []
    for reactions in ([], [{"model": "ole", "action": "strike", "target": "ada"}]):
        found: dict[int, Fraction] = {}
        for outcome in odds("attack", {**case, "reactions": reactions}, 5_000).outcomes:
            damage = outcome.answer.damage
            found[damage] = found.get(damage, Fraction(0)) + Fraction(outcome.mass)
        laws.append(found)
    alone, both = laws
    assert alone == both
    assert sum(both.values()) == 1
    assert max(both) == 5


@given(before=st.integers(0, 6), more=st.integers(0, 6))
def test_a_test_is_asked_for_by_losses_that_lead_beyond_half_or_lie_beyond_it(before: int, more: int) -> None:
    """Ole has 6 hit points: what counts is a loss after which there are fewer than 3 left."""
    lost = before + more
    if lost >= 6:
        return
    field = field_of(with_model("ole", hit_points_lost=lost))
    assert nerve.shaken(table(), field, before, "ole") == (more > 0 and lost > 3)


@pytest.mark.parametrize(("lost", "faces", "passed"), [(1, [4], True), (1, [3], False), (0, [1], True)])
def test_as_many_successes_as_hit_points_lost_in_all_pass(lost: int, faces: list[int], passed: bool) -> None:
    # Ole has two morale dice; the other one fails.
    field = field_of(with_model("ole", hit_points_lost=lost))
    assert nerve.passed(table({"ole: morale": [*faces, 2]}), field, "ole") is passed


def test_who_has_lost_more_than_the_dice_can_bring_cannot_pass() -> None:
    """Two dice have four successes at most, each a 6 with a success of its extra die."""
    field = field_of(with_model("ole", hit_points_lost=5))
    assert walked(nerve.passed, field, "ole") == {False: Fraction(1)}


def test_losses_that_are_restored_are_not_counted() -> None:
    field = field_of(with_model("ole", hit_points_lost=5, losses_restored=4))
    # Neither of two dice succeeds with a quarter.
    assert walked(nerve.passed, field, "ole") == {True: Fraction(3, 4), False: Fraction(1, 4)}


# Impossible cases


@pytest.mark.parametrize(
    ("case", "pointer", "code"),
    [
        ({"model": "ada", "lost_before": 2}, "/case/lost_before", "hit-points"),
        ({"model": "ada"}, "/case/lost_before", "not-fleeing"),
        ({"model": "ada", "lost_before": 0, "cause": "ada"}, "/case/cause", "itself"),
        ({"model": "ann", "lost_before": 0}, "/case/model", "unknown-model"),
    ],
)
def test_impossible_cases_are_faults_at_their_place(case: dict[str, object], pointer: str, code: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("morale", {"scene": with_models(ada={"hit_points_lost": 1}), **case})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [(pointer, code)]
