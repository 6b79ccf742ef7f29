"""Lotteries: where paths end with their exact mass, at a result or at a decision that nobody has made yet."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from arbiter.option import Means, plain
from arbiter.table import Tally
from arbiter.value import Value

Before = tuple[tuple[str, Any], ...]
"""What came before a decision, in order: the label of dice or of a choice, or the id of a rule, and what came of it."""

Lottery = dict[Any, Fraction]
"""Where paths end with their mass: at a result, or `Ahead` of a decision that is still open."""


@dataclass(frozen=True, eq=False, slots=True)
class Decision:
    """A choice that is still open, with the lottery behind each option. `serial` is above those of all behind it."""

    who: str
    label: str
    options: tuple[Any, ...]
    lotteries: tuple[Lottery, ...]
    serial: int
    means: Means = plain


@dataclass(frozen=True, slots=True)
class Ahead:
    """Where a path meets a decision, and what came since the last one before it."""

    before: Before
    decision: Decision


def add(lottery: Lottery, end: Any, mass: Fraction) -> None:
    """Let more of the mass end there."""
    lottery[end] = lottery[end] + mass if end in lottery else mass


def still_open(lottery: Lottery) -> bool:
    """Say whether somebody has to decide on a way to the results."""
    return any(isinstance(end, Ahead) for end in lottery)


def decisions_in(lottery: Lottery) -> list[Decision]:
    """Give every decision that may be met, those behind others first."""
    met: dict[Decision, None] = {}
    waiting = [lottery]
    while waiting:
        for end in waiting.pop():
            if isinstance(end, Ahead) and end.decision not in met:
                met[end.decision] = None
                waiting.extend(end.decision.lotteries)
    return sorted(met, key=lambda decision: decision.serial)


def results_of(lottery: Lottery) -> tuple[Any, ...]:
    """Give every result that may come, whatever is decided."""
    lotteries = [lottery, *(option for decision in decisions_in(lottery) for option in decision.lotteries)]
    return tuple(dict.fromkeys(end for each in lotteries for end in each if not isinstance(end, Ahead)))


def prepend(before: Before, lottery: Lottery) -> Lottery:
    """Let something have come before whatever is met first."""
    if not before or not still_open(lottery):
        return lottery
    return {
        Ahead(before + end.before, end.decision) if isinstance(end, Ahead) else end: mass
        for end, mass in lottery.items()
    }


def readable_event(label: str, value: Any) -> Before:
    """Give what came of dice, a rule or a choice if it has a name and can be read; states of a game cannot."""
    if isinstance(value, Tally):
        value = tuple(sorted(value.counts, key=str))
    return ((label, value),) if label and _plain(value) else ()


def _plain(value: Any) -> bool:
    if isinstance(value, Value):
        return all(_plain(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, tuple):
        return all(map(_plain, value))
    return value is None or isinstance(value, int | str)
