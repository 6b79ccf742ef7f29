"""Readings that are consulted only if they make a difference: the case is first decided under every option."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Protocol, TypeVar

T = TypeVar("T")

Options = tuple[str, tuple[str, ...]]
"""A reading, and its options."""

Bounds = tuple[tuple[str, ...], ...]
"""The strictest options of some readings, and the most generous ones: if these agree, all others do as well."""


class Settles(Protocol):
    """A table that settles a case, and decides how many options it tries."""

    def settle(self, decided: Callable[..., T], readings: Sequence[Options], bounds: Bounds) -> T:
        """Decide a case by the options of this table."""


def settled(table: Settles, decided: Callable[..., T], *readings: Options, bounds: Bounds = ()) -> T:
    """Decide by the table's readings, and consult only those that matter.

    `decided` takes one option of each reading, in the order of `readings`. A reading that does not change the result,
    given those consulted before it, is not consulted. A table that does not record consulted readings decides the case
    once. If the options of `bounds` agree, no others are tried.
    """
    return table.settle(decided, readings, bounds)


def under_every_option(
    read: Callable[[str], str], decided: Callable[..., T], readings: Sequence[Options], bounds: Bounds = ()
) -> T:
    """Decide a case under every option of the readings, and read only those that matter."""
    if bounds:
        strictest = decided(*bounds[0])
        if all(decided(*options) == strictest for options in bounds[1:]):
            return strictest
    found = {options: decided(*options) for options in product(*(options for _, options in readings))}
    every = iter(found.values())
    first = next(every)
    if all(value == first for value in every):
        return first
    for place, (reading, options) in enumerate(readings):
        kept = read(reading) if _matters(found, place, options) else options[0]
        found = {of: value for of, value in found.items() if of[place] == kept}
    (value,) = found.values()
    return value


def _matters(found: dict[tuple[str, ...], T], place: int, options: tuple[str, ...]) -> bool:
    first = {of: value for of, value in found.items() if of[place] == options[0]}
    return not all(
        found[(*of[:place], option, *of[place + 1 :])] == value for of, value in first.items() for option in options[1:]
    )
