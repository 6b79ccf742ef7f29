"""Readings asked for only where they make a difference: one case is decided under every option first."""

from collections.abc import Callable
from itertools import product
from typing import TypeVar

from arbiter.table import Table

T = TypeVar("T")

Options = tuple[str, tuple[str, ...]]
"""A reading, and its options."""


def settled(table: Table, decided: Callable[..., T], *readings: Options) -> T:
    """Decide by the table's readings, and consult only those that matter.

    `decided` takes one option of each reading, in the order of `readings`. A reading under which nothing comes out
    differently, given those consulted before it, is not asked for. In bulk nobody is told which were consulted, and the
    case is decided once.
    """
    if table.in_bulk:
        return decided(*(table.read(reading) for reading, _ in readings))
    found = {options: decided(*options) for options in product(*(options for _, options in readings))}
    every = iter(found.values())
    first = next(every)
    if all(value == first for value in every):
        return first
    for place, (reading, options) in enumerate(readings):
        kept = table.read(reading) if _matters(found, place, options) else options[0]
        found = {of: value for of, value in found.items() if of[place] == kept}
    (value,) = found.values()
    return value


def _matters(found: dict[tuple[str, ...], T], place: int, options: tuple[str, ...]) -> bool:
    first = {of: value for of, value in found.items() if of[place] == options[0]}
    return not all(
        found[(*of[:place], option, *of[place + 1 :])] == value for of, value in first.items() for option in options[1:]
    )
