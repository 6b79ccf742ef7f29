"""Rolls of action dice: one die or several together, how their results combine, and failed rolls rolled again.

A result is `failure`, `success` or `critical`. Attack, defence, vitality and agility rolls are all made here.
"""

from typing import Literal

from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from services.blackstone_fortress.book import action_die
from services.blackstone_fortress.profiles import DieName

Result = Literal["failure", "success", "critical"]
Rolled = tuple[tuple[DieName, Result], ...]
"""Each die with the result that it counts as."""

RESULTS: tuple[Result, ...] = ("failure", "success", "critical")

NAMES: dict[Result, str] = {"failure": "failure", "success": "success", "critical": "critical success"}
"""The results as the text calls them."""


def roll(table: Table, label: str, dice: tuple[DieName, ...]) -> Rolled:
    """Roll action dice together, equal ones as a pool."""
    if len(dice) == 1:
        return ((dice[0], table.roll(action_die(dice[0]), label)),)
    kinds = dict.fromkeys(dice)
    return tuple((kind, face) for kind in kinds for face in table.pool(dice.count(kind), action_die(kind), label))


def record(table: Table, label: str, results: tuple[Result, ...]) -> None:
    """Write down which results of a roll count."""
    outcome = ", ".join(NAMES[result] for result in results) or NAMES["failure"]
    table.record(label, kept=results, successes=len(results), outcome=outcome)


def best_of(rolled: Rolled) -> Result:
    """Give the best result of a roll."""
    return rolled[0][1] if len(rolled) == 1 else max((result for _, result in rolled), key=RESULTS.index)


def counting(table: Table, rolled: Rolled) -> tuple[Result, ...]:
    """Give the results of a roll that are applied, failures left out; see `applied` for dice rolled together."""
    if len(rolled) != 1:
        return applied(table, rolled)
    ((_, result),) = rolled
    return () if result == "failure" else (result,)


@rule(
    "action_rolls.applied",
    cites=("dice/two-dice", "attack-roll/one-or-two"),
    neutral=lambda rolled: tuple(result for _, result in rolled[:1] if result != "failure"),
)
def applied(table: Table, rolled: Rolled) -> tuple[Result, ...]:
    """Decide which results of dice rolled together are applied, best first, failures left out.

    How two dice combine is the reading `two-dice`; it matters only where two of them have not failed.
    """
    results = tuple(sorted((result for _, result in rolled if result != "failure"), key=RESULTS.index, reverse=True))
    if len(results) > 1 and table.read("two-dice") == "best":
        results = results[:1]
    text = "the roll of {rolled} counts as {results}"
    table.find(text, rolled=_join(tuple([result for _, result in rolled])), results=_join(results))
    return results


@rule("action_rolls.rolled_again", cites="dice/two-dice", neutral=lambda rolled, failed: failed)
def rolled_again(table: Table, rolled: Rolled, failed: tuple[bool, ...]) -> tuple[bool, ...]:
    """Decide which dice of a roll are rolled again when failed rolls are: all that failed, if the roll has failed.

    A roll in which only some dice failed has failed in part where the reading `two-dice` applies each result, and then
    the reading `reroll-scope` says whether those dice are rolled again.
    """
    if all(failed) or not any(failed):
        return failed
    if table.read("two-dice") == "each" and table.read("reroll-scope") == "failed-dice":
        text = "rolled again, because they failed: {failed} of {dice}"
        table.find(text, failed=Quantity(sum(failed), "die", "dice"), dice=len(failed))
        return failed
    table.find("one die did not fail, so the roll is no failure and nothing is rolled again", failed=0)
    return tuple(False for _ in rolled)


def roll_again(table: Table, label: str, rolled: Rolled, again: tuple[bool, ...]) -> Rolled:
    """Roll the marked dice again and keep the others as they lie."""
    unchanged = tuple(die for die, repeated in zip(rolled, again, strict=True) if not repeated)
    return unchanged + roll(
        table, label, tuple(die for (die, _), repeated in zip(rolled, again, strict=True) if repeated)
    )


def _join(results: tuple[Result, ...]) -> Listing | str:
    return Listing([NAMES[result] for result in results]) or "failure"
