"""Forks of paths, and the masses that walkers carry along them."""

from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

Share = tuple[int, int]
"""Part of a whole: numerator and denominator, seldom in lowest terms, because a path only multiplies them."""

M = TypeVar("M", Share, int)

ALL: Share = (1, 1)


class Fork(Generic[M]):
    """A fork of paths: what was asked there, by which rule, the branches, and the current one.

    `label` is the name of the roll or decision for players, if there is one.
    """

    __slots__ = ("asked", "branches", "label", "rule", "taken")

    def __init__(self, rule: str, asked: Hashable, branches: Sequence[tuple[Any, M]], label: str) -> None:
        self.rule, self.label = rule, label
        self.asked: Hashable = asked
        self.branches: Sequence[tuple[Any, M]] = branches
        self.taken = 0


class Conclusion(Generic[M]):
    """The end of a path that concludes with another rule: every result, with the mass that reaches it."""

    __slots__ = ("ends",)

    def __init__(self, ends: Sequence[tuple[Any, M]]) -> None:
        self.ends: Sequence[tuple[Any, M]] = ends


def parts_of(mass: Share, weights: Sequence[tuple[Any, int]], whole: int) -> list[tuple[Any, Share]]:
    """Split a mass over values by their weights, which add up to the whole."""
    if len(weights) == 1:
        return [(weights[0][0], mass)]
    share, of = mass[0], mass[1] * whole
    return [(value, (share * weight, of)) for value, weight in weights]
