"""Rules that find every reason against an action, as generators of reasons.

Where reasons are not read, as in battles, only the first is searched for.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from arbiter.facts import FactNeeded
from arbiter.rule import Reason, Rule
from arbiter.table import Table

P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")


class Declare(Protocol):
    """The decorator that makes a rule of a function that yields reasons."""

    def __call__(self, function: Callable[Concatenate[Table, P], Iterator[Reason]], /) -> Rule[P, tuple[Reason, ...]]:
        """Make the rule."""


def every_reason(
    function: Callable[Concatenate[Table, P], Iterator[Reason]],
) -> Callable[Concatenate[Table, P], tuple[Reason, ...]]:
    """Let a function give all reasons that it yields, or only the first where they are not read."""

    @wraps(function)
    def every(table: Table, /, *args: P.args, **kwargs: P.kwargs) -> tuple[Reason, ...]:
        return table.reasons(function(table, *args, **kwargs))

    return every


def beside(reasons: Sequence[Reason], measure: Callable[[], T], instead: U) -> T | U:
    """Give the result of `measure`, or `instead` if it needs a fact and there are `reasons` against the action already.

    So players are not asked for facts about a forbidden action.
    """
    try:
        return measure()
    except FactNeeded:
        if reasons:
            return instead
        raise


class ViolationsRule(Rule[P, tuple[Reason, ...]]):
    """A rule that finds every reason against an action; its function yields them one by one."""

    def __call__(self, table: Any, *args: P.args, **kwargs: P.kwargs) -> tuple[Reason, ...]:
        """Give all reasons, or only the first where they are not read."""
        if self.off:
            return ()
        # Like `Rule`, with `table.reasons` in the same call: battles call these rules more often than any others.
        outer, table.rule = table.rule, self
        try:
            found = self.function(table, *args, **kwargs) if kwargs else self.function(table, *args)
            reasons: tuple[Reason, ...] = table.reasons(found)
            return reasons
        finally:
            table.rule = outer


def violations_rule(id_: str, *, cites: str | tuple[str, ...]) -> Declare:
    """Declare a function that yields reasons to be the rule `id_`; without the rule there are none."""
    units = (cites,) if isinstance(cites, str) else cites

    def declare(function: Callable[Concatenate[Table, P], Iterator[Reason]]) -> Rule[P, tuple[Reason, ...]]:
        yields: Callable[..., Any] = function
        return ViolationsRule(yields, id_, units, ())

    return declare
