"""Every path of a rule, one by one and without any merging: an independent second way to its law.

It knows nothing of `arbiter.law`: each path is a plain game at a `OneTable` whose dice follow a script.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from arbiter.dice import Die, Face
from arbiter.ruling import Origin
from arbiter.table import Chooser, Dice, OneTable, Policy, first


class TooManyPaths(Exception):
    """The rule has more paths than were to be walked."""


class ScriptedDice(Dice):
    """Dice that fall as the script says, then on their first face; they keep the chance of it all."""

    def __init__(self, script: Sequence[int]) -> None:
        self.script = script
        self.taken: list[tuple[int, int]] = []
        self.chance = Fraction(1)

    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Face, Origin]:
        place = len(self.taken)
        pick = self.script[place] if place < len(self.script) else 0
        kinds = sorted(set(die.faces), key=die.faces.index)
        self.taken.append((pick, len(kinds)))
        self.chance *= Fraction(die.faces.count(kinds[pick]), len(die.faces))
        return kinds[pick], "handed"


def brute_law(
    rule: Callable[..., Any],
    *args: Any,
    policies: Mapping[str, tuple[str, Policy]] | None = None,
    readings: Mapping[str, str] | None = None,
    most: int = 100_000,
) -> dict[Any, Fraction]:
    """Give the law of `rule(table, *args)`, path by path; raises `TooManyPaths` over `most` of them."""
    found: dict[Any, Fraction] = {}
    script: list[int] = []
    for _ in range(most):
        dice = ScriptedDice(script)
        chooser = Chooser({}, policies or {"*": ("first", first)})
        result = rule(OneTable(dice, chooser, readings or {}, keep=False), *args)
        found[result] = found.get(result, Fraction(0)) + dice.chance
        taken = dice.taken
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        if not taken:
            return found
        script = [pick for pick, _ in taken]
        script[-1] += 1
    raise TooManyPaths(f"more than {most} paths")
