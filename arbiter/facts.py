"""Facts: values that a board decides or, at a real table, the players, who can see them.

A rule for a value that only the table can show (who sees whom, how far it is, what is in cover) is declared a fact.
With a board, the rule measures. Otherwise the value that players give is used; without one, the ruling stops and asks,
as it does for a die or a choice.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import update_wrapper
from typing import Annotated, Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypeVar

from msgspec import Meta
from msgspec.structs import replace

from arbiter.asking.fact_faults import about_itself, against_board, at_odds, unknown_unit
from arbiter.asking.fact_kinds import Kind, Number, OneOf, Units, YesNo
from arbiter.asking.fact_lists import Among, listable, samples, unlistable
from arbiter.fault import Fault, Faults, did_you_mean, pointer
from arbiter.rule import Rule
from arbiter.ruling import FactNeeds, FactUsed
from arbiter.text import Listing, format_text
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

THEN = "_then"
"""The suffix of a fact about units that have moved within the ruling: the values given for them no longer apply."""

BY_PLAYERS, ASSUMED = " (as the players say)", " (as usual)"


class FactCase(Value, frozen=True, kw_only=True):
    """A case in which players may give facts.

    A contradiction with the board is a fault, unless `given_wins`: then the given value counts. For facts that are not
    given, `assume: usual` takes the usual value, if there is one, instead of asking.
    """

    given: GivenFacts = {}
    given_wins: bool = False
    assume: Literal["nothing", "usual"] = "nothing"


Follows = Callable[..., Any]
"""Gives the value of a fact that follows from others, from a ruling's facts, a battlefield and the subjects' ids."""


Against = Callable[..., Iterable[tuple["Fact[..., Any]", tuple[str, ...]]]]
"""Finds given facts that contradict a value, each with its subjects' ids.

It is called with the facts of a ruling, a battlefield, the value and its subjects' ids.
"""


class FactNeeded(Exception):
    """A fact that the ruling needs is not given."""

    def __init__(self, needs: FactNeeds, samples: tuple[Any, ...]) -> None:
        self.needs, self.samples = needs, samples
        super().__init__(needs.question)


class Subjects(Protocol):
    """The part of a battlefield that facts need: whether the positions of units are in the scene, and their names.

    A fact may also be about another object of the scene, such as a side: it is named by its id.
    """

    @property
    def by_id(self) -> Mapping[str, Any]:
        """All units of the scene."""

    def measures(self, *ids: str) -> bool:
        """Decide whether there is a board, and these units have a position on it."""

    def name(self, unit: str, /) -> str:
        """Give the name of a unit by id, for players."""

    def place(self, unit: str, /) -> Any:
        """Give the position of a unit by id, if it has one."""


class Fact(Generic[P, R]):
    """A rule, or a question to the ground, that players can answer as well.

    `question` and `says` are sentences with the subjects' names of `of` in braces; `says` has one for each value of a
    `YesNo` or one with `{value}`. A `mutual` fact is the same for any order of its subjects. `follows` gives the value
    that follows from other given facts, or None: a unit eight inches away is not in contact. `against` finds given
    facts that contradict a given value. `among` gives the units that a value can list, by default all units but its
    subjects. `passage` is the rule of the passage that it cites: needs and findings name it if no rule is running.
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
        mutual: bool = False,
        follows: Follows | None = None,
        against: Against | None = None,
        among: Among | None = None,
    ) -> None:
        self.function, self.name, self.question = function, name, question
        self.of, self.kind, self.says, self.cites, self.mutual = of, kind, says, cites, mutual
        self.follows, self.against, self.among = follows, against, among
        self.rule = function if isinstance(function, Rule) else None
        self.passage: Rule[..., Any] | None = None
        update_wrapper(self, function, updated=())

    def __call__(self, table: Any, *args: P.args, **kwargs: P.kwargs) -> R:
        """Decide by the given value, or else by the board."""
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
    mutual: bool = False,
    follows: Follows | None = None,
    against: Against | None = None,
    among: Among | None = None,
) -> Callable[[Callable[Concatenate[Any, P], R]], Fact[P, R]]:
    """Declare that a function `(table, field, *subjects, …)` decides a fact, which players may also give.

    The first arguments after the battlefield are the subjects: ids of units, or objects with an `id`. A `mutual` fact
    is the same for any order of its subjects, and asked for once. `follows` is called with the facts, the battlefield
    and the ids of the subjects, `against` with the given value before the ids, `among` with the battlefield and the
    ids.
    """
    units = (cites,) if isinstance(cites, str) else cites

    def declare(function: Callable[Concatenate[Any, P], R]) -> Fact[P, R]:
        return Fact(function, name, question, tuple(of), kind or YesNo(), says, units, mutual, follows, against, among)

    return declare


def with_passages(facts: dict[str, Fact[..., Any]], rules: Mapping[str, Rule[..., Any]]) -> dict[str, Fact[..., Any]]:
    """Give facts, each with the rule of its passage: of its own chapter, and of few other passages, if there is one."""
    for each in facts.values():
        home, unit = each.function.__module__, each.cites[0]
        fitting = (rule for rule in rules.values() if unit in rule.cites)
        each.passage = min(
            fitting, key=lambda rule: (rule.module != home, rule.cites.index(unit), len(rule.cites)), default=None
        )
    return facts


class Facts:
    """The facts of one ruling: the given ones, and the used ones, each with its origin."""

    def __init__(
        self, known: Mapping[str, Fact[..., Any]], given: Mapping[str, Any], *, given_wins: bool, assumes: bool
    ) -> None:
        self.known, self.given, self.given_wins, self.assumes = known, given, given_wins, assumes
        self.used: dict[str, FactUsed] = {}
        self._matched: set[str] = set()
        self._posted: Subjects | None = None

    def begin(self, field: Subjects) -> None:
        """Set the battlefield before any move; the default is the battlefield of the first fact that a rule needs."""
        self._posted = self._posted or field

    def answer(self, fact: Fact[..., Any], table: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Give the value of a fact; raises `FactNeeded` if it is missing, `Faults` if it contradicts the board."""
        field: Subjects = args[0]
        units = tuple([arg if isinstance(arg, str) else arg.id for arg in args[1 : 1 + len(fact.of)]])
        name, ids = self._called(fact, field, units)
        key = self._given_as(fact, name, ids)
        measures = field.measures(*ids)
        if key is None:
            if measures:
                value = fact.function(table, *args, **kwargs)
                self._use(fact, name, ids, field, value, "board", table)
                return value
            value = None if fact.follows is None else fact.follows(self, field, *ids)
            if value is not None:
                self._use(fact, name, ids, field, value, "given", table)
                self._tell(
                    fact, table, self._names(fact, field, ids), value, _display(fact.kind, field, value), BY_PLAYERS
                )
                return value
            if not (self.assumes and fact.kind.has_usual):
                raise FactNeeded(
                    self._needs(fact, name, field, ids, table), samples(fact.kind, listable(fact.among, field, ids))
                )
            value = fact.kind.samples[0]
            self._use(fact, name, ids, field, value, "assumed", table)
            self._tell(fact, table, self._names(fact, field, ids), value, _display(fact.kind, field, value), ASSUMED)
            return value
        if isinstance(fact.kind, Units):
            # A list that is meant for others as well leaves out who cannot be in this answer.
            may = field.by_id if key != _key(name, ids) else listable(fact.among, field, ids)
            question = fact.question.format(**dict(zip(fact.of, ids, strict=True)))
            for fault in unlistable(key, self.given[key], question, field, may):
                raise Faults([fault])
        value, names = self._read(fact, key, field, ids), self._names(fact, field, ids)
        if measures and not self.given_wins:
            with table.without_findings():
                measured = fact.function(table, *args, **kwargs)
            if not fact.kind.same(value, measured):
                if _key(name, ids) not in self.used:
                    shown = self._sentence(fact, field, ids, measured)
                    raise Faults([against_board(key, value, _display(fact.kind, field, measured), shown)])
                # The value has changed within the ruling, for example because a unit left the game.
                return measured
        if _key(name, ids) not in self.used:
            self._agree(fact, key, field, ids, value)
        self._use(fact, name, ids, field, value, "given", table)
        self._tell(fact, table, names, value, _display(fact.kind, field, value), BY_PLAYERS)
        return value

    def knows(self, fact: Fact[..., Any], field: Subjects, *units: str) -> bool:
        """Decide whether a fact of some units is given, or was used before."""
        name, ids = self._called(fact, field, units)
        return _key(name, ids) in self.used or self._given_as(fact, name, ids) is not None

    def value(self, fact: Fact[..., Any], field: Subjects, *units: str) -> Any:
        """Give the value that players give to a fact of some units, or None."""
        name, ids = self._called(fact, field, units)
        key = self._given_as(fact, name, ids)
        return None if key is None else self._read(fact, key, field, ids)

    def peek(self, fact: Fact[..., Any], field: Subjects, *units: str) -> Any:
        """Give the same as `value`, without marking the fact as used."""
        name, ids = self._called(fact, field, units)
        key = self._key_given(fact, name, ids)
        return None if key is None else self._read(fact, key, field, ids)

    def settled(self, fact: Fact[..., Any], field: Subjects, *units: str) -> Any:
        """Give the value of a fact that this ruling has used, or that players give; None for any other."""
        used = self.used.get(_key(*self._called(fact, field, units)))
        return self.peek(fact, field, *units) if used is None else used.value

    def unneeded(self) -> tuple[str, ...]:
        """Give the keys of given facts that no rule asked for; raises `Faults` if they contradict others."""
        keys = [key for key in self.given if key not in self._matched]
        for key in keys:
            name, _, units = key.partition(":")
            fact, ids = self.known.get(name), tuple(units.split(","))
            field = self._posted
            if field is not None and fact is not None and len(ids) == len(fact.of) and field.by_id.keys() >= set(ids):
                self._agree(fact, key, field, ids, fact.kind.read(self.given[key]))
        return tuple(pointer("case", "given", key) for key in keys)

    def faults(self, ids: Collection[str] = ()) -> Iterator[Fault]:
        """Find given facts that no rule of the game uses, those about unknown units, and impossible values.

        `ids` are those of everything that the scene lists.
        """
        for key, value in self.given.items():
            name = key.partition(":")[0].removesuffix(THEN)
            fact = self.known.get(name)
            if fact is None:
                yield Fault(
                    pointer("case", "given", key),
                    "unknown-fact",
                    f"there is no fact {name!r}",
                    name,
                    "one of " + ", ".join(sorted(self.known)),
                    did_you_mean(name, self.known),
                )
                continue
            subjects = [id_ for id_ in key.partition(":")[2].split(",") if id_]
            unknown = [id_ for id_ in subjects if ids and id_ not in ids]
            yield from (unknown_unit(pointer("case", "given", key), id_, ids) for id_ in unknown)
            about = subjects if len(subjects) == len(fact.of) else [f"the {each}" for each in fact.of]
            question = fact.question.format(**dict(zip(fact.of, about, strict=True)))
            try:
                read = fact.kind.read(value)
            except ValueError:
                text = f"{list(value) if isinstance(value, tuple) else value!r} is no answer to this: {question}"
                yield Fault(pointer("case", "given", key), "fact-value", text, value, fact.kind.asked)
                continue
            if isinstance(fact.kind, Units):
                yield from (about_itself(key, id_, question, value) for id_ in subjects if id_ in read)

    def _has_moved(self, field: Subjects, ids: tuple[str, ...]) -> bool:
        """Decide whether one of these units has moved since the first fact of the ruling was asked for."""
        self.begin(field)
        posted = self._posted
        return posted is not None and field is not posted and any(field.place(id_) != posted.place(id_) for id_ in ids)

    def _called(self, fact: Fact[..., Any], field: Subjects, units: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """Give the name of a fact about some units, and their ids in its order."""
        ids = tuple(sorted(units)) if fact.mutual else units
        return (fact.name + THEN if self._has_moved(field, ids) else fact.name), ids

    def _read(self, fact: Fact[..., Any], key: str, field: Subjects, ids: tuple[str, ...]) -> Any:
        """Read a given value; a list that is meant for all leaves out who cannot be in the answer about these units."""
        value = fact.kind.read(self.given[key])
        if not isinstance(fact.kind, Units):
            return value
        may = listable(fact.among, field, ids)
        return tuple(id_ for id_ in value if id_ in may)

    def _key_given(self, fact: Fact[..., Any], name: str, ids: tuple[str, ...]) -> str | None:
        """Give the key under which players give a fact: for its units, for the last of them, or for all."""
        orders = (ids, ids[::-1]) if fact.mutual else (ids,)
        keys = [f"{name}:{','.join(order[start:])}" for start in range(len(ids)) for order in orders]
        return next((key for key in (*keys, name) if key in self.given), None)

    def _given_as(self, fact: Fact[..., Any], name: str, ids: tuple[str, ...]) -> str | None:
        found = self._key_given(fact, name, ids)
        if found is not None:
            self._matched.add(found)
        return found

    def _agree(self, fact: Fact[..., Any], key: str, field: Subjects, ids: tuple[str, ...], value: Any) -> None:
        """Raise `Faults` at a given fact and another that contradicts it.

        A value for all units may have exceptions, and applies to others too if there are more than two units.
        """
        for other, units in () if fact.against is None else fact.against(self, field, value, *ids):
            beside = self._key_given(other, *self._called(other, field, units))
            if beside not in (None, key) and (":" in beside) == (":" in key) and (":" in key or len(field.by_id) == 2):
                there = other.kind.read(self.given[beside])
                said = self._sentence(fact, field, ids, value), self._sentence(other, field, units, there)
                raise Faults(at_odds(each, said, self.given[each]) for each in (key, beside))

    def _names(self, fact: Fact[..., Any], field: Subjects, ids: tuple[str, ...]) -> dict[str, Any]:
        """Name the subjects of a fact: units, other objects by their ids, and a point, which has none."""
        names = (field.name(id_) if id_ in field.by_id else id_ or "the point" for id_ in ids)
        return dict(zip(fact.of, names, strict=True))

    def _use(
        self,
        fact: Fact[..., Any],
        name: str,
        ids: tuple[str, ...],
        field: Subjects,
        value: Any,
        origin: Any,
        table: Any,
    ) -> None:
        """List a fact with its first value, and every rule that used it."""
        key = _key(name, ids)
        rule = table.rule or fact.rule or fact.passage
        rules = () if rule is None else (rule.id,)
        used = self.used.get(key)
        if used is not None:
            self.used[key] = replace(used, rules=tuple(dict.fromkeys((*used.rules, *rules))))
            return
        text = self._sentence(fact, field, ids, value)
        self.used[key] = FactUsed(name, dict(zip(fact.of, ids, strict=True)), value, origin, text, rules)

    def _sentence(self, fact: Fact[..., Any], field: Subjects, ids: tuple[str, ...], value: Any) -> str:
        names = {**self._names(fact, field, ids), "value": _display(fact.kind, field, value)}
        return format_text(fact.statement(value), names)

    def _tell(
        self, fact: Fact[..., Any], table: Any, names: Mapping[str, Any], value: Any, shown: Any, origin: str
    ) -> None:
        rule = fact.rule or table.rule or fact.passage
        if rule is None:
            return
        outer, table.rule = table.rule, rule
        try:
            table.find(fact.statement(value) + origin, cites=fact.cites, **names, value=shown)
        finally:
            table.rule = outer

    def _needs(self, fact: Fact[..., Any], name: str, field: Subjects, ids: tuple[str, ...], table: Any) -> FactNeeds:
        rule = table.rule or fact.rule or fact.passage
        moved = "After the move: " if name.endswith(THEN) else ""
        values = fact.kind.needs()
        if isinstance(fact.kind, Units):
            values["options"] = listable(fact.among, field, ids)
        return FactNeeds(
            fact=name,
            key=_key(name, ids),
            question=moved + format_text(fact.question, self._names(fact, field, ids)),
            of=dict(zip(fact.of, ids, strict=True)),
            rule="" if rule is None else rule.id,
            why="" if rule is None else rule.gist,
            cites=fact.cites,
            **values,
        )


def facts_of(known: Mapping[str, Fact[..., Any]], case: Any, assumed: Mapping[str, Any] | None = None) -> Facts | None:
    """Give the facts of a case with given facts, or with an incomplete scene; None for any other.

    Raises `Faults` for facts that are impossible. `assumed` are taken as if they were given.
    """
    if not isinstance(case, FactCase):
        return None
    if not case.given and not getattr(getattr(case, "scene", None), "is_partial", False):
        return None
    given = {**case.given, **(assumed or {})}
    facts = Facts(known, given, given_wins=case.given_wins, assumes=case.assume == "usual")
    if faults := tuple(facts.faults(listed_ids(getattr(case, "scene", None)))):
        raise Faults(faults)
    return facts


def _key(name: str, ids: tuple[str, ...]) -> str:
    """Give the key of a fact of some units."""
    return f"{name}:{','.join(ids)}" if ids else name


def listed_ids(scene: Any) -> tuple[str, ...]:
    """List the ids of all objects in a scene."""
    rows = (getattr(scene, name) for name in getattr(scene, "__struct_fields__", ()))
    return tuple(row.id for each in rows if isinstance(each, tuple) for row in each if hasattr(row, "id"))


def _display(kind: Kind, field: Subjects, value: Any) -> Any:
    if isinstance(kind, Units):
        return Listing(map(field.name, value)) if value else "nobody"
    return f"{value:g}" if isinstance(kind, Number) else value


__all__ = ["Fact", "FactCase", "FactNeeded", "Facts", "Number", "OneOf", "Units", "YesNo", "fact"]
