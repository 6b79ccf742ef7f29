"""Rules: plain functions that carry their id and their source, and know what holds without them.

A rule takes the table as its first argument and reads nothing but its arguments and its table. `without` says what
would hold if the passage were not in the book; the house uses it to prove that each rule pulls its weight.

A rule may have a closed form beside it, `law`, which gives every result with its chance instead of walking there. It is
taken where all paths are walked and the rule is called, and never says more than the rule itself.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from inspect import Parameter, Signature, signature
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from arbiter.value import Value

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")


Read = Callable[[str], str]
"""Gives the option of a reading, and remembers that it mattered."""

Form = Callable[..., Mapping[Any, Fraction] | None]
"""A closed form, `form(read, *args)`: every result of a rule with its chance; None where it has no answer."""


class Keeper(Protocol):
    """What a rule asks of the table itself: to remember which rule is at work."""

    rule: "Rule[..., Any] | None"


T = TypeVar("T", bound=Keeper)


class Why(Value, frozen=True):
    """Why something is not allowed, in words, with the units of the source that it follows."""

    text: str
    cites: tuple[str, ...]


class Reason(Value, frozen=True):
    """Why the book forbids something: the rule that says so, in words, with the values and the citation."""

    rule: str
    text: str
    cites: tuple[str, ...]
    values: dict[str, Any] = {}

    def __hash__(self) -> int:
        """Let reasons be part of what rules give: the values, which cannot be hashed, are in the text already."""
        return hash((self.rule, self.text, self.cites))

    @property
    def why(self) -> Why:
        """The reason in short, for answers that list many."""
        return Why(self.text, self.cites)


class Forbidden(Exception):
    """The book forbids what was asked; carries every reason. An answer, not an error."""

    def __init__(self, *reasons: Reason) -> None:
        self.reasons = reasons
        super().__init__("; ".join(reason.text for reason in reasons))


class Rule(Generic[P, R_co]):
    """One rule of a book: call it with a table and its arguments.

    `switches` counts how often any rule was switched, `missing` how many are off now. A closed form, if there is one,
    is that of a book in which none is missing: it must give exactly the law of the rule, ask for the same readings, and
    stand for a rule in which nobody chooses.

    Battles call thousands of rules each, so that each rule is called in the very shape of its function: it has a class
    of its own, whose call names the parameters instead of packing and unpacking them.
    """

    switches: ClassVar[int] = 0
    missing: ClassVar[int] = 0

    def __new__(cls, function: Callable[..., R_co], *_: Any) -> "Rule[P, R_co]":
        """Give a rule of a class of its own."""
        own: type[Rule[P, R_co]] = type(cls.__name__, (cls,), {"__call__": _shaped(function)})
        return super().__new__(own)

    def __init__(
        self,
        function: Callable[..., R_co],
        id_: str,
        cites: tuple[str, ...],
        without: Callable[..., R_co],
        law: Form | None = None,
    ) -> None:
        self.function, self.id, self.cites, self.without, self.law = function, id_, cites, without, law
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.gist = (function.__doc__ or "").strip().split("\n")[0]
        self.module = self.__module__ = function.__module__
        self.off = False

    def __call__(self, table: Any, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Decide by this rule at the given table."""
        if self.off:
            return self.without(*args, **kwargs)
        outer, table.rule = table.rule, self
        try:
            return self.function(table, *args, **kwargs)
        finally:
            table.rule = outer

    def __repr__(self) -> str:
        return f"<rule {self.id}>"

    def __reduce__(self) -> str:
        return self.function.__qualname__

    @contextmanager
    def switched_off(self) -> Iterator[None]:
        """Let everything inside the block be decided as if this rule were not in the book."""
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


_CALL = """
def __call__(_rule, {parameters}):
    if _rule.off:
        return _rule.without({passed})
    _outer = {table}.rule
    {table}.rule = _rule
    try:
        return _rule.function({table}, {passed})
    finally:
        {table}.rule = _outer
"""


def _shaped(function: Callable[..., Any]) -> Any:
    """Write out the call of a rule with the parameters of its function; it does what `Rule.__call__` does."""
    table, *others = signature(function).parameters.values()
    passed = [f"{one.name}={one.name}" if one.kind is Parameter.KEYWORD_ONLY else one.name for one in others]
    bare = [one.replace(annotation=Parameter.empty, default=Parameter.empty) for one in (table, *others)]
    parameters = str(Signature(bare))[1:-1]
    written: dict[str, Any] = {}
    source = _CALL.format(parameters=parameters, table=table.name, passed=", ".join(passed))
    exec(compile(source, f"<rule {function.__qualname__}>", "exec"), written)
    call = written["__call__"]
    call.__defaults__, call.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return call


class Declare(Protocol):
    """What makes a rule of a function; the rule takes and gives what the function does."""

    def __call__(self, function: Callable[Concatenate[Any, P], R], /) -> Rule[P, R]: ...


def rule(id_: str, *, cites: str | tuple[str, ...], without: Callable[..., Any], law: Form | None = None) -> Declare:
    """Declare a function to be the rule `id_` of the cited units; `without(*args)` is what holds if it is not there.

    `law(read, *args)`, if given, is its closed form: where all paths are walked, `table.call` takes it.
    """
    units = (cites,) if isinstance(cites, str) else cites

    def declare(function: Callable[Concatenate[Any, P], R]) -> Rule[P, R]:
        return Rule(function, id_, units, without, law)

    return declare
