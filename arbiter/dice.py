"""Dice as values: a name and the faces, each as often as it is on the die."""

from collections import Counter
from functools import cache

from arbiter.value import Value

Face = int | str
"""The face of a die: a number, or the name of a symbol."""


class Die(Value, frozen=True):
    """One kind of die: `faces` lists every side once, equally likely; equal faces may repeat."""

    name: str
    faces: tuple[Face, ...]

    @property
    def kinds(self) -> tuple[tuple[Face, int], ...]:
        """The different faces in their order on the die, with the number of sides that show each."""
        return _kinds(self)


@cache
def _kinds(die: Die) -> tuple[tuple[Face, int], ...]:
    return tuple(Counter(die.faces).items())


@cache
def numbered(sides: int) -> Die:
    """Give the die numbered from 1 to `sides`, named `d<sides>`."""
    return Die(f"d{sides}", tuple(range(1, sides + 1)))


D6 = numbered(6)
D20 = numbered(20)
