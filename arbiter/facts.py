"""Facts: what a board decides, or at a table of wood the players, who see for themselves.

A rule that asks what only the table can show (who sees whom, how far it is, what is in cover) is declared a fact. Where
a board answers, the rule measures. Where players give the fact, it is taken from them; where neither does, the ruling
stops and asks, as it does for a die or a choice.
"""

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import update_wrapper
from typing import Annotated, Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypeVar

from msgspec import Meta

from arbiter.fault import Fault, Faults, pointer
from arbiter.rule import Rule
from arbiter.ruling import FactNeeds, FactUsed
from arbiter.text import Listing, worded
from arbiter.value import Value

P = ParamSpec("P")
R = TypeVar("R")

FactValue = bool | float | Annotated[str, Meta(max_length=60)] | Annotated[tuple[str, ...], Meta(max_length=60)]
GivenFacts = Annotated[
    dict[Annotated[str, Meta(min_length=1, max_length=200)], FactValue],
    Meta(
        max_length=200,
        description="What the players see for themselves, by the name of a fact; for some units alone, by its name, a "
        "colon and their ids with commas.",
    ),
]

BY_PLAYERS, ASSUMED = " (as the players say)", " (as usual)"


class FactCase(Value, frozen=True, kw_only=True):
    """A case in which players may give facts.

    Where a board shows something else, that is a fault, unless `given_wins`: then the players are believed. Of facts
    that nobody gives, `assume: usual` takes the usual value, where there is one, instead of asking.
    """

    given: GivenFacts = {}
    given_wins: bool = False
    assume: Literal["nothing", "usual"] = "nothing"


class Kind(Protocol):
    """What values a fact can have."""

    @property
    def asked(self) -> str:
        """Which values are taken, in words."""

    @property
    def samples(self) -> tuple[Any, ...]:
        """Some values, the usual one first, with which most goes on."""

    @property
    def has_usual(self) -> bool:
        """Whether the first sample may be assumed."""

    def read(self, value: Any) -> Any:
        """Give a posted value as the rule takes it; ValueError for one that the fact cannot have."""

    def same(self, given: Any, measured: Any) -> bool:
        """Decide whether a given value agrees with what a board shows."""

    def needs(self) -> dict[str, Any]:
        """Give what a client has to know in order to ask for a value: the members of `FactNeeds`."""


class YesNo(Value, frozen=True):
    """Something is so or not; `usual` is the answer with which most goes on."""

    usual: bool = True

    @property
    def asked(self) -> str:
        return "true or false"

    @property
    def samples(self) -> tuple[Any, ...]:
        return self.usual, not self.usual

    @property
    def has_usual(self) -> bool:
        return True

    def read(self, value: Any) -> Any:
        if not isinstance(value, bool):
            raise ValueError(self.asked)
        return value

    def same(self, given: Any, measured: Any) -> bool:
        return bool(given == measured)

    def needs(self) -> dict[str, Any]:
        return {"type": "yes-no"}


class OneOf(Value, frozen=True):
    """One of some options, the usual one first."""

    options: tuple[str, ...]

    @property
    def asked(self) -> str:
        return "one of " + ", ".join(self.options)

    @property
    def samples(self) -> tuple[Any, ...]:
        return self.options

    @property
    def has_usual(self) -> bool:
        return True

    def read(self, value: Any) -> Any:
        if not isinstance(value, str) or value not in self.options:
            raise ValueError(self.asked)
        return value

    def same(self, given: Any, measured: Any) -> bool:
        return bool(given == measured)

    def needs(self) -> dict[str, Any]:
        return {"type": "option", "options": self.options}


class Number(Value, frozen=True):
    """A number with its unit, from `least` to `most`; a board agrees with one that is off by `tolerance` at most."""

    unit: str
    least: float = 0.0
    most: float = 200.0
    whole: bool = False
    tolerance: float = 0.0
    usual: float | None = None

    @property
    def asked(self) -> str:
        return f"a {'whole ' if self.whole else ''}number of {self.unit} from {self.least:g} to {self.most:g}"

    @property
    def samples(self) -> tuple[Any, ...]:
        extremes = (self.least if self.usual is None else self.usual, self.least, self.most)
        return tuple(dict.fromkeys(int(each) if self.whole else each for each in extremes))

    @property
    def has_usual(self) -> bool:
        return self.usual is not None

    def read(self, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.least <= value <= self.most:
            raise ValueError(self.asked)
        if not self.whole:
            return float(value)
        if value != int(value):
            raise ValueError(self.asked)
        return int(value)

    def same(self, given: Any, measured: Any) -> bool:
        return bool(abs(given - measured) <= self.tolerance)

    def needs(self) -> dict[str, Any]:
        return {"type": "number", "unit": self.unit, "whole": self.whole, "least": self.least, "most": self.most}


class Units(Value, frozen=True):
    """Some units of the scene, by their ids, in the order in which they count; often none."""

    @property
    def asked(self) -> str:
        return "a list of ids of units, which may be empty"

    @property
    def samples(self) -> tuple[Any, ...]:
        return ((),)

    @property
    def has_usual(self) -> bool:
        return True

    def read(self, value: Any) -> Any:
        if not isinstance(value, tuple | list) or not all(isinstance(id_, str) for id_ in value):
            raise ValueError(self.asked)
        return tuple(value)

    def same(self, given: Any, measured: Any) -> bool:
        return sorted(given) == sorted(measured)

    def needs(self) -> dict[str, Any]:
        return {"type": "units"}


class FactNeeded(Exception):
    """Nobody has given a fact that the ruling needs."""

    def __init__(self, needs: FactNeeds, samples: tuple[Any, ...]) -> None:
        self.needs, self.samples = needs, samples
        super().__init__(needs.question)


class Subjects(Protocol):
    """A battlefield, as far as facts need it: whether the places of units are in the scene, and their names."""

    def measures(self, *ids: str) -> bool:
        """Decide whether a board is there, and these units have a place on it."""

    def name(self, unit: str, /) -> str:
        """Give the name of the unit of an id, for players."""


class Fact(Generic[P, R]):
    """A rule, or a question put to the ground, that players can answer as well.

    `question` and `says` are sentences with the subjects' names of `of` in braces; `says` has one for each value of a
    `YesNo` or one with `{value}`.
    """

    def __init__(
        self,
        function: Callable[..., R],
        name: str,
        question: str,
        of: tuple[str, ...],
        kind: Kind,
        says: str | tuple[str, str],
        cites: tuple[str, ...],
    ) -> None:
        self.function, self.name, self.question = function, name, question
        self.of, self.kind, self.says, self.cites = of, kind, says, cites
        self.rule = function if isinstance(function, Rule) else None
        update_wrapper(self, function, updated=())

    def __call__(self, table: Any, *args: P.args, **kwargs: P.kwargs) -> R:
        """Decide by what is given, or else by what the board shows."""
        facts: Facts | None = table.facts
        if facts is None:
            return self.function(table, *args, **kwargs)
        answer: R = facts.answer(self, table, args, kwargs)
        return answer

    def __reduce__(self) -> str:
        return self.function.__qualname__

    def statement(self, value: Any) -> str:
        """Give the sentence that says a value of it, with the names still to be filled in."""
        if isinstance(self.says, tuple):
            return self.says[0] if value else self.says[1]
        return self.says


def fact(
    name: str,
    question: str,
    *,
    of: Sequence[str],
    says: str | tuple[str, str],
    cites: str | tuple[str, ...],
    kind: Kind | None = None,
) -> Callable[[Callable[Concatenate[Any, P], R]], Fact[P, R]]:
    """Declare that a function `(table, field, *subjects, …)` decides a fact, which players may give as well.

    The first arguments after the battlefield are the subjects: ids of units, or whatever has an `id`.
    """
    units = (cites,) if isinstance(cites, str) else cites

    def declare(function: Callable[Concatenate[Any, P], R]) -> Fact[P, R]:
        return Fact(function, name, question, tuple(of), kind or YesNo(), says, units)

    return declare


class Facts:
    """The facts of one ruling: those that are given, and those that were used, each with where it came from."""

    def __init__(
        self, known: Mapping[str, Fact[..., Any]], given: Mapping[str, Any], *, given_wins: bool, assumes: bool
    ) -> None:
        self.known, self.given, self.given_wins, self.assumes = known, given, given_wins, assumes
        self.used: dict[str, FactUsed] = {}
        self._matched: set[str] = set()

    def answer(self, fact: Fact[..., Any], table: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Give the value of a fact; raises `FactNeeded` where nobody gives it, `Faults` where a board contradicts."""
        field: Subjects = args[0]
        ids = tuple([arg if isinstance(arg, str) else arg.id for arg in args[1 : 1 + len(fact.of)]])
        key = self._given_as(fact.name, ids)
        measures = field.measures(*ids)
        if key is None:
            if measures:
                value = fact.function(table, *args, **kwargs)
                self._use(fact, ids, field, value, "board", table)
                return value
            if not (self.assumes and fact.kind.has_usual):
                raise FactNeeded(self._needs(fact, field, ids, table.rule or fact.rule), fact.kind.samples)
            value = fact.kind.samples[0]
            self._use(fact, ids, field, value, "assumed", table)
            self._tell(fact, table, self._names(fact, field, ids), value, _shown(fact.kind, field, value), ASSUMED)
            return value
        value, names = fact.kind.read(self.given[key]), self._names(fact, field, ids)
        if measures and not self.given_wins:
            with table.without_findings():
                measured = fact.function(table, *args, **kwargs)
            if not fact.kind.same(value, measured):
                raise Faults([_contradiction(fact, key, names, value, measured, _shown(fact.kind, field, measured))])
        self._use(fact, ids, field, value, "given", table)
        self._tell(fact, table, names, value, _shown(fact.kind, field, value), BY_PLAYERS)
        return value

    def unneeded(self) -> tuple[str, ...]:
        """Give the places of given facts that no rule asked for."""
        return tuple(pointer("case", "given", key) for key in self.given if key not in self._matched)

    def faults(self) -> Iterator[Fault]:
        """Find given facts that no rule of the game asks for, and values that they cannot have."""
        for key, value in self.given.items():
            name = key.partition(":")[0]
            fact = self.known.get(name)
            if fact is None:
                near = difflib.get_close_matches(name, self.known, n=3)
                yield Fault(
                    pointer("case", "given", key),
                    "unknown-fact",
                    f"there is no fact {name!r}",
                    name,
                    "one of " + ", ".join(sorted(self.known)),
                    f"did you mean {' or '.join(map(repr, near))}?" if near else "",
                )
                continue
            try:
                fact.kind.read(value)
            except ValueError:
                text = f"{value!r} is no answer to this: {fact.question}"
                yield Fault(pointer("case", "given", key), "fact-value", text, value, fact.kind.asked)

    def _given_as(self, name: str, ids: tuple[str, ...]) -> str | None:
        keys = [f"{name}:{','.join(ids[start:])}" for start in range(len(ids))]
        found = next((key for key in (*keys, name) if key in self.given), None)
        if found is not None:
            self._matched.add(found)
        return found

    def _names(self, fact: Fact[..., Any], field: Subjects, ids: tuple[str, ...]) -> dict[str, Any]:
        return dict(zip(fact.of, map(field.name, ids), strict=True))

    def _use(
        self, fact: Fact[..., Any], ids: tuple[str, ...], field: Subjects, value: Any, origin: Any, table: Any
    ) -> None:
        key = f"{fact.name}:{','.join(ids)}"
        rule = table.rule or fact.rule
        rules = () if rule is None else (rule.id,)
        used = self.used.get(key)
        if used is not None:
            rules = tuple(dict.fromkeys((*used.rules, *rules)))
        names = {**self._names(fact, field, ids), "value": _shown(fact.kind, field, value)}
        text = worded(fact.statement(value), names)
        self.used[key] = FactUsed(fact.name, dict(zip(fact.of, ids, strict=True)), value, origin, text, rules)

    def _tell(
        self, fact: Fact[..., Any], table: Any, names: Mapping[str, Any], value: Any, shown: Any, origin: str
    ) -> None:
        rule = fact.rule or table.rule
        if rule is None:
            return
        outer, table.rule = table.rule, rule
        try:
            table.find(fact.statement(value) + origin, cites=fact.cites, **names, value=shown)
        finally:
            table.rule = outer

    def _needs(self, fact: Fact[..., Any], field: Subjects, ids: tuple[str, ...], rule: Any) -> FactNeeds:
        return FactNeeds(
            fact=fact.name,
            key=f"{fact.name}:{','.join(ids)}" if ids else fact.name,
            question=worded(fact.question, self._names(fact, field, ids)),
            of=dict(zip(fact.of, ids, strict=True)),
            rule="" if rule is None else rule.id,
            why="" if rule is None else rule.gist,
            cites=fact.cites,
            **fact.kind.needs(),
        )


def facts_of(known: Mapping[str, Fact[..., Any]], case: Any, assumed: Mapping[str, Any] | None = None) -> Facts | None:
    """Give the facts of a case in which players give some, or whose scene is not whole; None for any other.

    Raises `Faults` for facts that are impossible. `assumed` are taken as if they were given.
    """
    if not isinstance(case, FactCase):
        return None
    if not case.given and not getattr(getattr(case, "scene", None), "is_partial", False):
        return None
    given = {**case.given, **(assumed or {})}
    facts = Facts(known, given, given_wins=case.given_wins, assumes=case.assume == "usual")
    if faults := tuple(facts.faults()):
        raise Faults(faults)
    return facts


def _shown(kind: Kind, field: Subjects, value: Any) -> Any:
    if isinstance(kind, Units):
        return Listing(map(field.name, value)) if value else "nobody"
    return f"{value:g}" if isinstance(kind, Number) else value


def _contradiction(
    fact: Fact[..., Any], key: str, names: Mapping[str, Any], value: Any, measured: Any, shown: Any
) -> Fault:
    return Fault(
        pointer("case", "given", key),
        "fact-contradicts-board",
        f"the board shows otherwise: {worded(fact.statement(measured), {**names, 'value': shown})}",
        value,
        f"{shown}",
        "leave the fact out, mend the board, or let the players overrule it with `given_wins`",
    )


__all__ = ["Fact", "FactCase", "FactNeeded", "Facts", "Number", "OneOf", "Units", "YesNo", "fact"]
