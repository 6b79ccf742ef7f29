"""Every path of a rule, one by one and without any merging: an independent second way to its law.

It knows nothing of `arbiter.odds.exact`: each path is a plain game at a `OneTable` whose dice follow a script.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import prod
from random import Random
from typing import Any

from arbiter.dice import Die, Face
from arbiter.ruling import Origin
from arbiter.table import Chooser, Dice, OneTable, Policy, first


class TooManyPaths(Exception):
    """The rule has more paths than were to be walked."""


class _TooUnlikely(Exception):
    """The path is less likely than any that was to be walked."""


class ScriptedDice(Dice):
    """Dice that fall as the script says, then on their first face; they keep the chance of it all."""

    def __init__(self, script: Sequence[int], least: Fraction = Fraction(0)) -> None:
        self.script, self.least = script, least
        self.taken: list[tuple[int, int]] = []
        self.ways, self.whole = 1, 1

    @property
    def chance(self) -> Fraction:
        return Fraction(self.ways, self.whole)

    def pick(self, place: int, kinds: int) -> int:
        """Say which of so many different faces the next die falls on."""
        return self.script[place] if place < len(self.script) else 0

    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Face, Origin]:
        kinds = die.kinds
        pick = self.pick(len(self.taken), len(kinds))
        face, sides = kinds[pick]
        self.taken.append((pick, len(kinds)))
        self.ways *= sides
        self.whole *= len(die.faces)
        if self.ways * self.least.denominator < self.whole * self.least.numerator:
            raise _TooUnlikely
        return face, "handed"


class _AnyDice(ScriptedDice):
    """Dice that fall on each of their different faces as readily as on any other."""

    def __init__(self, source: Random) -> None:
        super().__init__(())
        self.source = source

    def pick(self, place: int, kinds: int) -> int:
        return self.source.randrange(kinds)


def about_how_many(
    rule: Callable[..., Any], *args: Any, readings: Mapping[str, str] | None = None, descents: int = 12
) -> Fraction:
    """Estimate how many paths `brute_law` has to walk, by a few paths at random; the same paths each time.

    A path that is found by picking evenly between so many branches at each fork stands for their product; the mean of
    such products is right on the average.
    """
    source, paths = Random(0), 0
    for _ in range(descents):
        dice = _AnyDice(source)
        rule(OneTable(dice, Chooser({}, {"*": ("first", first)}), readings or {}, keep=False), *args)
        if not dice.taken:
            # Nothing forks, so that every other descent is this one again.
            return Fraction(1)
        paths += prod(kinds for _, kinds in dice.taken)
    return Fraction(paths, descents)


def brute_law(
    rule: Callable[..., Any],
    *args: Any,
    policies: Mapping[str, tuple[str, Policy]] | None = None,
    readings: Mapping[str, str] | None = None,
    most: int = 100_000,
) -> dict[Any, Fraction]:
    """Give the law of `rule(table, *args)`, path by path; raises `TooManyPaths` over `most` of them."""
    return brute_bounds(rule, *args, policies=policies, readings=readings, most=most)[0]


def brute_bounds(
    rule: Callable[..., Any],
    *args: Any,
    policies: Mapping[str, tuple[str, Policy]] | None = None,
    readings: Mapping[str, str] | None = None,
    most: int = 100_000,
    least: Fraction = Fraction(0),
) -> tuple[dict[Any, Fraction], Fraction]:
    """Give the chances of all results by paths that are no less likely than `least`, and the chance of all others.

    So a law can be held to account where equal rolls are made again without end. Raises `TooManyPaths` over `most`.
    """
    found: dict[Any, Fraction] = {}
    left = Fraction(0)
    script: list[int] = []
    for _ in range(most):
        dice = ScriptedDice(script, least)
        chooser = Chooser({}, policies or {"*": ("first", first)})
        try:
            result = rule(OneTable(dice, chooser, readings or {}, keep=False), *args)
        except _TooUnlikely:
            left += dice.chance
        else:
            found[result] = found.get(result, Fraction(0)) + dice.chance
        taken = dice.taken
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        if not taken:
            return found, left
        script = [pick for pick, _ in taken]
        script[-1] += 1
    raise TooManyPaths(f"more than {most} paths")
