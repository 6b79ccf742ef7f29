"""The table for battles in bulk: the same rules and the same dice, but what was decided before is not decided again.

A rule is pure, so that one which neither rolls a die nor lets anyone choose decides the same for the same arguments,
always. `Table.once` marks such questions; here their answers are remembered, from one question to the next and from one
battle to the next. Nothing is written down: no throws, findings, choices or events, and not which readings were
consulted.
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
    """What tables have decided under one choice of readings, to be shared by the battles that one process plays.

    It forgets everything when a rule is switched on or off, and when a table comes with other readings.
    """

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._readings: Mapping[str, str] = {}
        self._switches = -1
        self._known: Memory[tuple[Any]] = Memory(most)
        self.mark = object()
        """Marks what is held elsewhere as decided under the same readings and rules."""

    def under(self, readings: Mapping[str, str]) -> Memory[tuple[Any]]:
        """Give what is known under these readings and with the rules as they are switched now."""
        if self._switches != Rule.switches or self._readings != readings:
            self._known, self._readings, self._switches = Memory(self._most), dict(readings), Rule.switches
            self.mark = object()
        return self._known


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Let Python's search for cycles rest while games are played inside the block, and catch up after it.

    Games make values without cycles, which go as soon as nothing refers to them; the search would walk over all that is
    remembered again and again, and find next to nothing.
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
    """One path through the rules, as at a `OneTable` that keeps nothing: equal dice and choices give equal results.

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
        """Decide anew, and remember the answer unless a die fell or somebody chose on the way to it."""
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
        # A policy puts to the test what it looks at; where one candidate passes, it is what the policy picks.
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
        """Give a reason whose text is not filled in: battles ask whether there is one, and nobody reads it."""
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
