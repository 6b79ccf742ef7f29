"""A second method for best play: games on one path each, folded back by recursion; and small games to try it on.

The recursion shares nothing with the walkers.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import Any

from arbiter.dice import D6, Die
from arbiter.odds.best_play import best, best_play
from arbiter.odds.decisions import Play
from arbiter.rule import rule
from arbiter.ruling import Made
from arbiter.table import Choice, Chooser, Dice, OneTable, Policy, Table
from tests.brute import TooManyPaths

BEST: Mapping[str, tuple[str, Policy]] = {"*": ("best", best)}
COIN = Die("coin", (0, 1))


def itself(answer: Any, who: str) -> int:
    """The answer is what red wins of blue."""
    return int(answer) if who == "red" else -int(answer)


class Parting(Exception):
    """The script ends where the path parts."""

    def __init__(self, who: str | None, shares: Sequence[Fraction]) -> None:
        self.who, self.shares = who, shares


class Script(Dice, Chooser):
    """Dice and choices that follow a script of indices, and stop the game where it ends."""

    def __init__(self, script: Sequence[int], policies: Mapping[str, tuple[str, Policy]]) -> None:
        Chooser.__init__(self, {}, policies)
        self.steps = iter(script)

    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Any, Any]:
        step = next(self.steps, None)
        if step is None:
            raise Parting(None, [Fraction(1, len(die.faces))] * len(die.faces))
        return die.faces[step], "handed"

    def pick(self, choice: Choice) -> Made:
        name, policy = self.policies.get(choice.who) or self.policies["*"]
        if name != "best":
            return Made(choice.who, choice.label, 0, choice.means(policy(choice)), name)
        step = next(self.steps, None)
        if step is None:
            raise Parting(choice.who, [Fraction(0)] * len(choice.options))
        return Made(choice.who, choice.label, 0, choice.means(choice.options[step]), "best")


def solved(
    asked: Callable[..., Any],
    *args: Any,
    worth: Callable[[Any, str], Any] = itself,
    policies: Mapping[str, tuple[str, Policy]] = BEST,
    most: int = 100_000,
) -> dict[Any, Fraction]:
    """Give the law under best play; raises `TooManyPaths` when more games than `most` are begun."""
    begun = count(1)

    def below(script: tuple[int, ...]) -> dict[Any, Fraction]:
        if next(begun) > most:
            raise TooManyPaths
        hand = Script(script, policies)
        try:
            return {asked(OneTable(hand, hand, {}, keep=False), *args): Fraction(1)}
        except Parting as parting:
            branches = [below((*script, index)) for index in range(len(parting.shares))]
            if parting.who is not None:
                who = parting.who
                # The first of equals, for max keeps it.
                return max(branches, key=lambda lottery: expected(lottery, worth, who))
            mixed: dict[Any, Fraction] = {}
            for share, lottery in zip(parting.shares, branches, strict=True):
                for end, mass in lottery.items():
                    mixed[end] = mixed.get(end, Fraction(0)) + share * mass
            return mixed

    return below(())


def expected(lottery: Mapping[Any, Fraction], worth: Callable[[Any, str], Any], who: str) -> Fraction:
    return sum((mass * worth(end, who) for end, mass in lottery.items()), Fraction(0))


def played(asked: Callable[..., Any], *args: Any, worth: Any = itself, **more: Any) -> Play:
    return best_play(asked, *args, worth=worth, **{"policies": BEST, **more})


def once_more(table: Table) -> int:
    """Roll a die; keep it, or roll again and keep that."""
    face: int = table.roll(D6, "first")
    return face if table.choose("red", "again", ("keep", "roll")) == "keep" else table.roll(D6, "second")


@rule("toy.risk", cites="a/unit", neutral=0)
def risk(table: Table) -> int:
    return int(table.roll(COIN, "coin")) if table.choose("red", "risk", ("no", "yes")) == "yes" else 0
