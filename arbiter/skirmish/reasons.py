"""Rules that find every reason against something, as generators of reasons; and what holds without a rule that changes.

Where nobody reads reasons, as in battles, the first alone is looked for.
"""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from arbiter.rule import Reason, Rule, rule
from arbiter.table import Table

P = ParamSpec("P")
T = TypeVar("T")


class Declare(Protocol):
    """What makes a rule of a function that yields reasons."""

    def __call__(self, function: Callable[Concatenate[Table, P], Iterator[Reason]], /) -> Rule[P, tuple[Reason, ...]]:
        """Make the rule."""


def every_reason(
    function: Callable[Concatenate[Table, P], Iterator[Reason]],
) -> Callable[Concatenate[Table, P], tuple[Reason, ...]]:
    """Let a function give all reasons that it yields, or the first alone where nobody reads them."""

    @wraps(function)
    def every(table: Table, /, *args: P.args, **kwargs: P.kwargs) -> tuple[Reason, ...]:
        return table.reasons(function(table, *args, **kwargs))

    return every


def violations_rule(id_: str, *, cites: str | tuple[str, ...]) -> Declare:
    """Declare a function that yields reasons to be the rule `id_`; without it nothing speaks against it."""

    def declare(function: Callable[Concatenate[Table, P], Iterator[Reason]]) -> Rule[P, tuple[Reason, ...]]:
        return rule(id_, cites=cites, neutral=())(every_reason(function))

    return declare


def unchanged(first: T, *_: Any, **__: Any) -> T:
    """Give what a rule would change as it is: what holds without the rule."""
    return first
