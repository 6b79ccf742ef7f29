"""Walks that somebody watches: whatever the watch raises ends the walk, wherever its time goes."""

from collections.abc import Callable
from typing import Any

import pytest

from arbiter.dice import D6
from arbiter.odds.best_play import BEST, best, best_play
from arbiter.odds.exact import TICKS, Budget, head_count, law
from arbiter.table import Table, first

POLICIES = {"*": ("first", first)}
LONG = 200
"""Steps of each kind that a watch does not let pass unseen."""


class Enough(Exception):
    """The watch has seen enough."""


def never() -> None:
    raise Enough


def many_dice(table: Table) -> int:
    return sum(table.roll(D6, f"die {index}") for index in range(LONG))


def many_findings(table: Table) -> int:
    for index in range(LONG):
        table.find("{index} is counted", index=index)
    return 0


def many_events(table: Table) -> int:
    for index in range(LONG):
        table.event("counted", index=index)
    return 0


def many_choices(table: Table) -> int:
    return sum(table.choose("anybody", f"choice {index}", (0, 1)) for index in range(LONG))


def many_repeats(table: Table) -> int:
    return table.repeat(LONG, one_die).total(int)


def one_die(table: Table) -> int:
    return int(table.roll(D6, "the die"))


def many_rounds(table: Table) -> int:
    return table.iterate(lambda table, state: state + 1, 0, lambda state: state >= LONG, LONG)


WALKS: dict[str, Callable[..., Any]] = {
    "law": law,
    "heads": lambda rule, **how: head_count(1_000, 1, rule, **how),
    "best play": lambda rule, **how: best_play(
        rule, worth=lambda result, who: result, **{**how, "policies": {"*": (BEST, best)}}
    ),
}


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("rule", [many_dice, many_findings, many_events, many_choices, many_rounds, many_repeats])
def test_a_watch_ends_a_walk_whatever_it_is_about(walk: str, rule: Callable[[Table], int]) -> None:
    if rule is many_repeats and walk != "heads":
        # Of a law and of best play, one law is computed and raised to a power at once.
        assert WALKS[walk](one_die, policies=POLICIES, budget=Budget(10**9))
        return
    with pytest.raises(Enough):
        WALKS[walk](rule, policies=POLICIES, budget=Budget(10**9, watch=never))


def test_a_watch_that_raises_nothing_changes_nothing() -> None:
    looks = []
    budget = Budget(10**9, watch=lambda: looks.append(1))

    def three(table: Table) -> int:
        return sum(table.roll(D6, label) for label in "abc")

    assert law(three, budget=budget) == law(three)
    # Each of 216 paths is three rolls and an end.
    assert len(looks) == 4 * 216 // TICKS
