"""Best play: what it refuses, where it stops, and how much of it is told."""

from collections.abc import Callable
from fractions import Fraction
from itertools import count
from typing import Any

import pytest

from arbiter.dice import numbered
from arbiter.odds.best_play import best
from arbiter.odds.decisions import MOST_DECISIONS, MOST_SITUATIONS, best_play_of
from arbiter.odds.exact import Budget, ImpureRule, PathBudgetExceeded
from arbiter.rule import Forbidden
from arbiter.table import Choice, Table
from tests.arbiter.recursion import COIN, once_more, played, risk

# What is bounded, and what is refused


def test_the_budget_counts_paths_and_holds() -> None:
    spent = Budget(42)
    played(once_more, budget=spent)
    # Six faces, of which each is kept on one path and rolled again on six.
    assert spent.walked == 42
    with pytest.raises(PathBudgetExceeded):
        played(once_more, budget=Budget(41))


def test_the_budget_counts_what_is_put_behind_decisions_of_a_call() -> None:
    spent = Budget(10_000)
    played(lambda table: 50 * table.call(risk) + table.roll(numbered(50), "fortune"), budget=spent)
    # Three paths in the call and fifty after each of its two results; then fifty ends are put behind "no" and a hundred
    # behind "yes", and the decision itself is put anew.
    assert spent.walked == 3 + 2 * 50 + 50 + 100 + 1


@pytest.mark.parametrize(
    "asked",
    [
        lambda table: table.repeat(60, once_more)[6],
        lambda table: table.iterate(lambda again, state: 6 * state + again.call(once_more), 0, lambda _: False, 30),
    ],
)
def test_the_budget_holds_in_rules_that_are_repeated(asked: Callable[[Table], Any]) -> None:
    with pytest.raises(PathBudgetExceeded):
        played(asked, budget=Budget(5_000))


def test_equal_results_of_a_rule_that_chooses_merge() -> None:
    def parity(table: Table) -> int:
        return once_more(table) % 2

    spent = Budget(5_000)
    play = played(lambda table: sum(table.call(parity) for _ in range(6)), budget=spent)
    # Each of six is one with 1/2 + 1/2 * 1/2; a path for each of all faces would be 42 to the power of six.
    assert play.worths == {"red": Fraction(9, 2)}


def test_many_decisions_behind_each_other_need_no_deep_stack() -> None:
    def down(table: Table, state: int) -> int:
        table.choose("red", "step", ("left", "right"))
        return state - 1

    play = played(lambda table: table.iterate(down, 3_000, lambda state: state == 0, 5_000))
    assert play.law == {0: 1}
    # Each of them is worth the same whatever is chosen, so that they are told as one.
    assert [reached.mass for reached in play.reached] == [3_000]


def test_what_is_forbidden_on_a_path_is_forbidden() -> None:
    def barred(table: Table) -> int:
        if table.choose("red", "which", ("a", "b")) == "b":
            raise Forbidden
        return 1

    with pytest.raises(Forbidden):
        played(barred)


def test_a_worth_that_is_not_exact_is_refused() -> None:
    with pytest.raises(TypeError, match="exact worth"):
        played(once_more, worth=lambda answer, _: answer / 2)


def test_an_impure_rule_is_caught() -> None:
    calls = count()

    def asked(table: Table) -> Any:
        return table.choose("red", f"choice {next(calls)}", (1, 2))

    with pytest.raises(ImpureRule, match="must be pure"):
        played(asked)
    calls = count()
    with pytest.raises(ImpureRule, match="nothing more"):
        played(lambda table: table.choose("red", "which", (1, 2)) if next(calls) == 0 else 0)


def test_best_play_is_no_policy_of_a_single_game() -> None:
    with pytest.raises(LookupError, match="whole law"):
        best(Choice("red", "which", (1, 2)))


def test_readings_are_named_in_calls_too() -> None:
    def inner(table: Table) -> int:
        return int(table.choose("red", "which", (1, 2))) if table.read("odd") == "yes" else 0

    used: dict[str, str] = {}
    play = played(lambda table: table.call(inner), readings={"odd": "yes", "idle": "?"}, read_ids=used)
    assert (play.law, used) == ({2: 1}, {"odd": "yes"})


# As it is told


def test_of_many_decisions_the_likeliest_are_told() -> None:
    def many(table: Table) -> int:
        first = table.roll(numbered(MOST_DECISIONS), "first")
        if first > 1 and table.roll(COIN, "coin"):
            return 0
        return first * int(table.choose("red", "sign", (1, -1)))

    play = best_play_of(played(many))
    assert len(play.decisions) + play.more_decisions == MOST_DECISIONS
    assert play.more_decisions == 0
    assert play.decisions[0].mass == f"1/{MOST_DECISIONS}"
    assert all(decision.mass == f"1/{2 * MOST_DECISIONS}" for decision in play.decisions[1:])

    def more(table: Table) -> int:
        return int(table.roll(numbered(MOST_DECISIONS + 3), "first") * table.choose("red", "sign", (1, -1)))

    assert len(best_play_of(played(more)).decisions) == MOST_DECISIONS
    assert best_play_of(played(more)).more_decisions == 3


def test_of_many_situations_the_likeliest_are_told_and_of_too_many_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbiter.odds.decisions.MOST_FOLLOWED", 99)

    def blind(table: Table, dice: int) -> int:
        for index in range(dice):
            table.roll(numbered(10), f"die {index}")
        return int(table.choose("red", "which", (0, 1)))

    (decision,) = best_play_of(played(blind, 1)).decisions
    assert (len(decision.situations), decision.more_situations) == (MOST_SITUATIONS, 10 - MOST_SITUATIONS)
    assert decision.probability == 1
    (decision,) = best_play_of(played(blind, 2)).decisions
    assert (decision.situations, decision.more_situations, decision.mass) == ((), None, "1")
