"""Lotteries: the ends of paths with their exact mass, at a result or at an open decision."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from arbiter.option import Means, plain
from arbiter.table import Tally
from arbiter.value import Value

Before = tuple[tuple[str, Any], ...]
"""The events before a decision, in order: the label of dice or of a choice, or the id of a rule, and its outcome."""

Lottery = dict[Any, Fraction]
"""The ends of paths with their mass: at a result, or `Ahead` of an open decision."""


@dataclass(frozen=True, eq=False, slots=True)
class Decision:
    """An open choice, with the lottery after each option. `serial` is above those of all later ones."""

    who: str
    label: str
    options: tuple[Any, ...]
    lotteries: tuple[Lottery, ...]
    serial: int
    means: Means = plain


@dataclass(frozen=True, slots=True)
class Ahead:
    """The end of a path at a decision, with the events since the last one before it."""

    before: Before
    decision: Decision


def add(lottery: Lottery, end: Any, mass: Fraction) -> None:
    """Add mass to an end."""
    lottery[end] = lottery[end] + mass if end in lottery else mass


def still_open(lottery: Lottery) -> bool:
    """Decide whether there is an open decision before the results."""
    return any(isinstance(end, Ahead) for end in lottery)


def decisions_in(lottery: Lottery) -> list[Decision]:
    """Give every decision that may be reached, later ones first."""
    met: dict[Decision, None] = {}
    waiting = [lottery]
    while waiting:
        for end in waiting.pop():
            if isinstance(end, Ahead) and end.decision not in met:
                met[end.decision] = None
                waiting.extend(end.decision.lotteries)
    return sorted(met, key=lambda decision: decision.serial)


def results_of(lottery: Lottery) -> tuple[Any, ...]:
    """Give every possible result, whatever is decided."""
    lotteries = [lottery, *(option for decision in decisions_in(lottery) for option in decision.lotteries)]
    return tuple(dict.fromkeys(end for each in lotteries for end in each if not isinstance(end, Ahead)))


def prepend(before: Before, lottery: Lottery) -> Lottery:
    """Prepend events to the first end on each path."""
    if not before or not still_open(lottery):
        return lottery
    return {
        Ahead(before + end.before, end.decision) if isinstance(end, Ahead) else end: mass
        for end, mass in lottery.items()
    }


def readable_event(label: str, value: Any) -> Before:
    """Give the outcome of dice, a rule or a choice if it has a name and is readable; states of a game are not."""
    if isinstance(value, Tally):
        value = tuple(sorted(value.counts, key=str))
    return ((label, value),) if label and _plain(value) else ()


def _plain(value: Any) -> bool:
    if isinstance(value, Value):
        return all(_plain(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, tuple):
        return all(map(_plain, value))
    return value is None or isinstance(value, int | str)
