"""Closed forms: where they are taken instead of walking, where they are not, and what is refused."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.dice import D6
from arbiter.dice_sources import SeededDice
from arbiter.odds.best_play import BEST, best, best_play
from arbiter.odds.exact import Budget, WrongForm, head_count, law
from arbiter.rule import Read, rule
from arbiter.table import Chooser, OneTable, Table, first
from tests.arbiter.forms import forms_laid_aside, in_both_ways

HALF = Fraction(1, 2)
READINGS = {"low": "counts"}


def binomial(read: Read, dice: int) -> dict[int, Fraction] | None:
    """Give the law of `high` for a few dice."""
    if dice > 12:
        return None
    good = 3 if read("low") == "misses" else 6
    whole = 6**dice
    return {
        hits: Fraction(comb(dice, hits) * good**hits * (6 - good) ** (dice - hits), whole) for hits in range(dice + 1)
    }


@rule("closed.high", cites="closed/high", neutral=lambda dice: dice, law=binomial)
def high(table: Table, dice: int) -> int:
    """Decide how many dice are high."""
    least = 4 if table.read("low") == "misses" else 1
    return sum(face >= least for face in table.pool(dice, D6, "high"))


def never(read: Read) -> dict[str, Fraction]:
    return {"heads": HALF, "tails": HALF, "edge": Fraction(0)}


@rule("closed.coin", cites="closed/coin", neutral="none", law=never)
def coin(table: Table) -> str:
    """Decide how a coin falls; whoever walks here is told so."""
    raise AssertionError("the coin was walked")


@rule("closed.short", cites="closed/short", neutral=0, law=lambda read: {1: HALF, 2: Fraction(1, 3)})
def short(table: Table) -> int:
    """Decide something whose form forgets a sixth of the cases."""
    return table.roll(D6, "short")


def tossed(table: Table) -> str:
    return table.call(coin)


@pytest.mark.parametrize("low", ["misses", "counts"])
@given(dice=st.integers(0, 5))
def test_a_form_has_the_walked_law_and_asks_for_the_same_readings(low: str, dice: int) -> None:
    by_form, walked = in_both_ways(high, dice, readings={"low": low})
    assert by_form == walked
    assert by_form[1] == {"low": low}


def test_a_called_rule_with_a_form_is_not_walked() -> None:
    assert law(tossed) == {"heads": HALF, "tails": HALF}, "and what has no chance does not come up"


def test_a_form_counts_as_one_path() -> None:
    budget = Budget(20)
    law(lambda table: table.call(high, 9) > 4, readings={"low": "misses"}, budget=budget)
    assert budget.walked == 1 + 10, "the form, and what follows each of its results"


def test_a_rule_that_is_not_called_is_walked() -> None:
    with pytest.raises(AssertionError, match="walked"):
        law(lambda table: coin(table))


def test_on_one_path_nothing_changes() -> None:
    with pytest.raises(AssertionError, match="walked"):
        OneTable(SeededDice("x"), Chooser({}, {}), {}).call(coin)


def test_repeat_and_iterate_take_forms_too() -> None:
    def twice(table: Table) -> int:
        return table.repeat(2, coin)["heads"]

    assert law(twice) == {0: Fraction(1, 4), 1: HALF, 2: Fraction(1, 4)}

    def form(read: Read, state: int) -> dict[int, Fraction]:
        return {state: HALF, state + 1: HALF}

    @rule("closed.step", cites="closed/step", neutral=lambda state: state, law=form)
    def step(table: Table, state: int) -> int:
        raise AssertionError("the step was walked")

    counted = law(lambda table: table.iterate(step, 0, lambda state: state == 2, 3))
    assert counted == {0: Fraction(1, 8), 1: Fraction(3, 8), 2: HALF}
    assert set(head_count(64, 3, lambda table: table.iterate(step, 0, lambda state: state == 2, 3))) <= {0, 1, 2}


def test_where_a_form_has_no_answer_the_rule_is_walked() -> None:
    budget = Budget(100_000)
    found = law(lambda table: table.call(high, 13), readings=READINGS, budget=budget)
    assert found == {13: Fraction(1)}
    assert budget.walked > comb(18, 5), "every fall of thirteen dice"


def test_a_rule_that_is_missing_has_no_form() -> None:
    with coin.switched_off():
        assert law(tossed) == {"none": Fraction(1)}


def test_no_form_holds_while_any_rule_is_missing() -> None:
    with forms_laid_aside(), pytest.raises(AssertionError, match="walked"):
        law(tossed)
    with forms_laid_aside(), forms_laid_aside():
        pass
    assert law(tossed) == {"heads": HALF, "tails": HALF}


def test_a_form_that_does_not_add_up_is_named() -> None:
    for walk in (lambda: law(lambda table: table.call(short)), lambda: head_count(9, 1, lambda t: t.call(short))):
        with pytest.raises(WrongForm, match=r"closed form of closed\.short gives chances that add up to 5/6"):
            walk()


def test_heads_are_split_by_the_form() -> None:
    counted = head_count(1_000_000, 7, tossed)
    assert sum(counted.values()) == 1_000_000
    # Five times the standard deviation of a fair coin.
    assert abs(counted["heads"] - 500_000) < 2_500
    assert counted == head_count(1_000_000, 7, tossed)
    assert sum(head_count(999, 7, lambda table: table.repeat(3, coin)).values()) == 999


def test_heads_remember_a_form_and_note_its_readings() -> None:
    asked: list[int] = []

    def form(read: Read, dice: int) -> dict[int, Fraction] | None:
        asked.append(dice)
        return binomial(read, dice)

    @rule("closed.kept", cites="closed/kept", neutral=lambda dice: dice, law=form)
    def kept(table: Table, dice: int) -> int:
        raise AssertionError("it was walked")

    used: dict[str, str] = {}

    def twice(table: Table) -> int:
        return table.call(kept, table.call(kept, 2))

    head_count(10_000, 1, twice, readings={"low": "misses", "idle": "?"}, read_ids=used)
    assert sorted(asked) == [0, 1, 2]
    assert used == {"low": "misses"}


def test_best_play_takes_forms() -> None:
    """Take one for certain, or what comes of three dice of which half are high: 1.5 on the average."""

    def dared(table: Table) -> int:
        return table.call(high, 3) if table.choose("red", "dare", (False, True)) else 1

    play = best_play(
        dared,
        worth=lambda answer, who: answer,
        policies={"red": (BEST, best), "*": ("first", first)},
        readings={"low": "misses"},
    )
    assert play.law == {0: Fraction(1, 8), 1: Fraction(3, 8), 2: Fraction(3, 8), 3: Fraction(1, 8)}
