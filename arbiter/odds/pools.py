"""Weights of results when equal dice are rolled together, or a rule is called several times."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, factorial, lcm
from typing import Any

from arbiter.dice import Die
from arbiter.table import Tally


def pools(count: int, die: Die) -> tuple[tuple[tuple[Any, ...], int], ...]:
    """Give the possible faces of `count` equal dice, in the die's order, each with its number of ways."""
    return tuple(
        (tuple(face for face, _ in picked), _ways(count, picked))
        for picked in combinations_with_replacement(die.kinds, count)
    )


def _ways(count: int, picked: Iterable[tuple[Any, int]]) -> int:
    ways = factorial(count)
    times: dict[Any, int] = {}
    for face, sides in picked:
        times[face] = times.get(face, 0) + 1
        ways *= sides
    for repeated in times.values():
        ways //= factorial(repeated)
    return ways


def tallies_of(count: int, kinds: int) -> int:
    """Count the tallies of this many results of this many kinds."""
    return comb(count + kinds - 1, kinds - 1)


def weights_of(law: Iterable[tuple[Any, Fraction]]) -> list[tuple[Any, int]]:
    """Give the results of a law with whole numbers in the proportion of their chances."""
    chances = list(law)
    whole = lcm(*(chance.denominator for _, chance in chances))
    return [(value, chance.numerator * (whole // chance.denominator)) for value, chance in chances]


def total(chances: Sequence[Fraction]) -> Fraction:
    """Add up chances over one denominator, which is much faster than one after the other."""
    if len(chances) == 1:
        return chances[0]
    whole = lcm(*(chance.denominator for chance in chances))
    return Fraction(sum([chance.numerator * (whole // chance.denominator) for chance in chances]), whole)


def tally_weights(count: int, law: Sequence[tuple[Any, Fraction]]) -> tuple[list[tuple[Tally[Any], int]], int]:
    """Give the multinomial weights of the tallies of `count` independent results, and what they add up to."""
    parts = weights_of(law)

    def spread(left: int, kind: int, weight: int, counts: tuple[tuple[Any, int], ...]) -> None:
        value, part = parts[kind]
        if kind == len(parts) - 1:
            last = ((value, left),) if left else ()
            tallies.append((Tally(frozenset(counts + last)), weight * part**left))
            return
        for times in range(left + 1):
            more = (*counts, (value, times)) if times else counts
            spread(left - times, kind + 1, weight * comb(left, times) * part**times, more)

    tallies: list[tuple[Tally[Any], int]] = []
    spread(count, 0, 1, ())
    return tallies, sum([part for _, part in parts]) ** count


def one_more(tally: Tally[Any], result: Any) -> Tally[Any]:
    """Give the tally with one result more."""
    counts = dict(tally.counts)
    counts[result] = counts.get(result, 0) + 1
    return Tally(frozenset(counts.items()))


@lru_cache(maxsize=4096)
def successes(count: int, good: int, sides: int) -> tuple[tuple[int, int], ...]:
    """Give the possible numbers of successes of `count` dice, each with its number of ways."""
    ways = (comb(count, many) * good**many * (sides - good) ** (count - many) for many in range(count + 1))
    return tuple((many, each) for many, each in enumerate(ways) if each)
