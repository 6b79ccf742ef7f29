"""Laws of one rule in both ways: by its closed form, and walked as if no rule had one."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from arbiter.odds.exact import law
from arbiter.rule import rule
from arbiter.table import Table

Found = tuple[dict[Any, Fraction], dict[str, str]]
"""A law, and the readings that were consulted for it."""


@rule("forms.missing", cites="forms/missing", neutral=None)
def missing(table: Table) -> None:
    """Decide nothing: this rule is there to be missing, for no closed form holds while any rule is."""


@contextmanager
def forms_laid_aside() -> Iterator[None]:
    """Let every law inside the block be walked."""
    with missing.switched_off():
        yield


def in_both_ways(
    decided: Callable[..., Any], *args: Any, readings: Mapping[str, str] | None = None
) -> tuple[Found, Found]:
    """Give the law of a rule that is called, by its closed form and walked."""

    def called(table: Table) -> Any:
        return table.call(decided, *args)

    def found() -> Found:
        consulted: dict[str, str] = {}
        return law(called, readings=readings, read_ids=consulted), consulted

    by_form = found()
    with forms_laid_aside():
        return by_form, found()
