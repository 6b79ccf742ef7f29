"""Rules: plain functions with an id, a source, and the result that holds without them.

A rule takes the table as its first argument and reads nothing but its arguments and its table. `neutral` gives the
result that would hold if the passage were not in the book; tests use it to prove that some worked example depends on
each rule.

A rule may also have a closed form, `law`, which gives every result with its chance instead of a walk. It is used where
all paths are walked and the rule is called, and never gives more than the rule itself.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from arbiter.value import Value

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")


Read = Callable[[str], str]
"""Gives the option of a reading, and remembers that it mattered."""

Form = Callable[..., Mapping[Any, Fraction] | None]
"""A closed form, `form(read, *args)`: every result of a rule with its chance; None where it has no answer."""


class RuleContext(Protocol):
    """The part of a table that a rule itself needs: the current rule."""

    rule: "Rule[..., Any] | None"


T = TypeVar("T", bound=RuleContext)


class Why(Value, frozen=True):
    """Why an action is not allowed, in words, with its units of the source."""

    text: str
    cites: tuple[str, ...]


class Reason(Value, frozen=True):
    """Why the book forbids an action: the rule, the reason in words, the values and the citation."""

    rule: str
    text: str
    cites: tuple[str, ...]
    values: dict[str, Any] = {}

    def __format__(self, form: str) -> str:
        """Give the reason in words, for a finding that quotes it; as data it stays a reason."""
        return self.text

    def __hash__(self) -> int:
        """Let reasons be part of results of rules: the values cannot be hashed, but are in the text."""
        return hash((self.rule, self.text, self.cites))

    @property
    def why(self) -> Why:
        """The reason in short, for answers that list many."""
        return Why(self.text, self.cites)


class Forbidden(Exception):
    """The book forbids the action; contains every reason. An answer, not an error."""

    def __init__(self, *reasons: Reason) -> None:
        self.reasons = reasons
        super().__init__("; ".join(reason.text for reason in reasons))


class Rule(Generic[P, R_co]):
    """One rule of a book: call it with a table and its arguments.

    `switches` counts the switches of any rule, `missing` the rules that are off now. A closed form, if there is one, is
    valid only if no rule is off: it must give exactly the law of the rule, consult the same readings, and belong to a
    rule without choices.
    """

    switches: ClassVar[int] = 0
    missing: ClassVar[int] = 0

    def __init__(
        self,
        function: Callable[..., R_co],
        id_: str,
        cites: tuple[str, ...],
        neutral: Callable[..., R_co] | R_co,
        law: Form | None = None,
    ) -> None:
        self.function, self.id, self.cites, self.neutral, self.law = function, id_, cites, neutral, law
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.gist = (function.__doc__ or "").strip().split("\n")[0]
        self.module = self.__module__ = function.__module__
        self.off = False

    def __call__(self, table: Any, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Decide by this rule at the given table."""
        if self.off:
            return self.neutral(*args, **kwargs) if callable(self.neutral) else self.neutral
        outer, table.rule = table.rule, self
        try:
            return self.function(table, *args, **kwargs) if kwargs else self.function(table, *args)
        finally:
            table.rule = outer

    def __repr__(self) -> str:
        return f"<rule {self.id}>"

    def __reduce__(self) -> str:
        return self.function.__qualname__

    @contextmanager
    def switched_off(self) -> Iterator[None]:
        """Decide everything inside the block as if this rule were not in the book."""
        before = self.off
        self._switch(True)
        try:
            yield
        finally:
            self._switch(before)

    def _switch(self, off: bool) -> None:
        Rule.missing += off - self.off
        self.off = off
        Rule.switches += 1


class Declare(Protocol):
    """The decorator that makes a rule of a function with the same signature."""

    def __call__(self, function: Callable[Concatenate[Any, P], R], /) -> Rule[P, R]: ...


def rule(id_: str, *, cites: str | tuple[str, ...], neutral: Any, law: Form | None = None) -> Declare:
    """Declare a function to be the rule `id_` of the cited units; `neutral` is what holds if the book does not have it.

    `neutral` is a value, or a function of the rule's arguments without the table.

    `law(read, *args)`, if given, is its closed form: where all paths are walked, `table.call` uses it.
    """
    units = (cites,) if isinstance(cites, str) else cites

    def declare(function: Callable[Concatenate[Any, P], R]) -> Rule[P, R]:
        return Rule(function, id_, units, neutral, law)

    return declare


def name_of(rule: Callable[..., Any]) -> str:
    """Give the public name of a rule; a function that is not a rule has none."""
    return rule.id if isinstance(rule, Rule) else ""
