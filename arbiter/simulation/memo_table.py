"""The table for battles in bulk: the same rules and the same dice, but earlier decisions are remembered.

A rule is pure, so a rule without dice and choices always decides the same for the same arguments. `Table.once` marks
such calls; this table remembers their answers from one call to the next and from one battle to the next. It records
nothing: no throws, findings, choices, events or consulted readings.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from arbiter.caching import Holder, Memory
from arbiter.candidates import Candidates
from arbiter.dice import Die, Face
from arbiter.option import Means, plain
from arbiter.readings import Bounds, Options
from arbiter.rule import Reason, Rule
from arbiter.table import Choice, Chooser, Dice, OneTable

R = TypeVar("R")

MOST_REMEMBERED = 20_000
"""Answers in each of the two generations that are kept."""


class Experience:
    """The decisions of tables under one choice of readings, shared by the battles of one process.

    It is cleared when a rule is switched on or off, and when a table has different readings.
    """

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._readings: Mapping[str, str] = {}
        self._switches = -1
        self._known: Memory[tuple[Any]] = Memory(most)
        self.mark = object()
        """Marks results that are held elsewhere as decided under the same readings and rules."""

    def under(self, readings: Mapping[str, str]) -> Memory[tuple[Any]]:
        """Give the memory under these readings and the current switches of rules."""
        if self._switches != Rule.switches or self._readings != readings:
            self._known, self._readings, self._switches = Memory(self._most), dict(readings), Rule.switches
            self.mark = object()
        return self._known


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Pause Python's cycle collector while games are played inside the block, and run it afterwards.

    Games create values without cycles, which are freed as soon as nothing refers to them; the collector would
    repeatedly scan all remembered values and find almost nothing.
    """
    at_work = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if at_work:
            gc.enable()
            gc.collect(1)


class MemoTable(OneTable):
    """One path through the rules, like a `OneTable` that keeps nothing: equal dice and choices give equal results.

    Rules must not be switched on or off while a table is in use.
    """

    def __init__(
        self, dice: Dice, chooser: Chooser, readings: Mapping[str, str], experience: Experience | None = None
    ) -> None:
        super().__init__(dice, chooser, readings, keep=False)
        experience = experience or Experience()
        self._known, self._mark = experience.under(readings), experience.mark
        self._asked = 0

    def once(self, rule: Callable[..., R], *args: Any) -> R:
        found = self._known[rule, args]
        if found is None:
            return self._remember(rule, args)
        answer: R = found[0]
        return answer

    always = once

    def held(self, rule: Callable[..., R], holder: Holder, /, *args: Any) -> R:
        question = (rule, self._mark, args)
        found: tuple[R] | None = holder.answers.get(question)
        if found is not None:
            return found[0]
        asked = self._asked
        answer = self._decide(rule, (holder, *args))
        if self._asked == asked:
            holder.answers[question] = (answer,)
        return answer

    def _remember(self, rule: Callable[..., R], args: tuple[Any, ...]) -> R:
        """Decide again, and remember the answer unless a die was rolled or a player chose in the process."""
        asked = self._asked
        answer = self._decide(rule, args)
        if self._asked == asked:
            self._known.keep((rule, args), (answer,))
        return answer

    def _decide(self, rule: Callable[..., R], args: tuple[Any, ...]) -> R:
        outer = self.rule
        try:
            answer = rule(self, *args)
        finally:
            self.rule = outer
        if hasattr(answer, "__next__"):
            raise TypeError(f"{rule!r} gives an iterator, which can be gone through only once: give a tuple")
        return answer

    def read(self, reading: str) -> str:
        return self.readings[reading]

    def settle(self, decided: Callable[..., R], readings: Sequence[Options], bounds: Bounds = ()) -> R:
        return decided(*[self.readings[reading] for reading, _ in readings])

    def _roll(self, die: Die, label: str, missing: int) -> Face:
        self._asked += 1
        index = self._rolled.get(label, 0)
        self._rolled[label] = index + 1
        return self.dice.face(die, label, index, missing)[0]

    def choose(self, who: str, label: str, options: Sequence[Any], *, about: Any = None, means: Means = plain) -> Any:
        # A policy tests the candidates that it reads; if only one passes, the policy picks it.
        if not isinstance(options, Candidates) or options.is_one or not self.chooser.has_policy(who):
            options = tuple(options)
            if len(options) == 1:
                return options[0]
        self._asked += 1
        choice = Choice(who, label, options, about, means)
        if self.chooser.choices:
            return self.chooser.pick(choice).option.id
        return self.chooser.by_policy(choice)[1]

    def reason(self, text: str, *, cites: str | tuple[str, ...] = (), **values: Any) -> Reason:
        """Give a reason without its filled-in text: battles only check whether there is one."""
        rule = self.rule
        if rule is None:
            raise LookupError("a reason can be given only inside a rule")
        return Reason(rule.id, text, (cites,) if isinstance(cites, str) else cites or rule.cites, values)

    def reason_of(self, compose: Callable[..., Reason], *args: Any) -> Reason:
        return self.reason("")

    def reasons(self, every: Iterable[Reason]) -> tuple[Reason, ...]:
        for reason in every:
            return (reason,)
        return ()

    def find(self, text: str, *, cites: str | tuple[str, ...] = (), **values: Any) -> None:
        pass

    def record(
        self,
        label: str,
        *also: str,
        modifiers: Mapping[str, int] | None = None,
        kept: Sequence[Face] | None = None,
        **numbers: Any,
    ) -> None:
        pass

    def event(self, name: str, **values: Any) -> None:
        if self.on_event is not None:
            self.on_event(name, values)
