"""The table: the only source of dice and choices for a rule.

A rule asks for a die (`roll`, `pool`), for a player's decision (`choose`), for another rule (`call`, `repeat`,
`iterate`, `once`) or for our reading of an unclear passage (`read`), and states its decision (`find`) and its changes
(`event`). Tables differ in their paths: one path with seeded or posted dice (`OneTable`), every path with its exact
mass (`arbiter.odds.exact`), or a crowd of heads split over the paths (`arbiter.odds.exact`).
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from arbiter.caching import Holder, Memory, Versioned
from arbiter.dice import Die, Face
from arbiter.option import Means, chosen_id, plain
from arbiter.readings import Bounds, Options, under_every_option
from arbiter.rule import Reason, Rule
from arbiter.ruling import ChoiceNeeds, Event, Finding, Made, Origin, Roll, RollModifier, Throw
from arbiter.text import format_text
from arbiter.value import Value

if TYPE_CHECKING:
    from arbiter.facts import Facts

S = TypeVar("S")
R = TypeVar("R")


class Choice(Value, frozen=True):
    """A decision a player has to make: who decides, what about, between which options, in the book's order.

    `about` is the state of the game that a policy may read to decide; it is never shown or compared. `means` gives the
    meaning of each option.
    """

    who: str
    label: str
    options: Sequence[Any]
    about: Any = None
    means: Means = plain


Policy = Callable[[Choice], Any]
"""A named, deterministic way to make choices: picks one of the options."""


def first(choice: Choice) -> Any:
    """Pick the option that the book names first."""
    return choice.options[0]


class Tally(Value, Generic[R], frozen=True):
    """The count of each result: the outcome of repeating a rule, in any order."""

    counts: frozenset[tuple[R, int]]

    def __getitem__(self, result: R) -> int:
        """Give the count of `result`."""
        return next((count for value, count in self.counts if value == result), 0)

    def total(self, weigh: Callable[[R], int]) -> int:
        """Add up `weigh` of each result."""
        return sum(weigh(value) * count for value, count in self.counts)


class ChoiceNeeded(Exception):
    """A player has to decide before the ruling can continue."""

    def __init__(self, needs: ChoiceNeeds) -> None:
        self.needs = needs
        super().__init__(f"{needs.who} must choose: {needs.label}")


class Recorded(NamedTuple):
    """The decision of a rule, with its findings and the readings that it consulted."""

    answer: Any
    findings: tuple[Finding, ...]
    read: Mapping[str, str]


class Table(ABC):
    """The first argument of every rule."""

    rule: Rule[..., Any] | None = None
    records_findings = False
    """Whether findings are recorded; if not, a rule with many need not compose them."""
    facts: "Facts | None" = None
    """The facts that players give, or have to give; None if a board shows everything."""
    on_event: Callable[[str, Mapping[str, Any]], None] | None = None
    """The listener for each event as it happens, with its values; only for one path."""
    wanted: frozenset[str] | None = None
    """The fields of the answer in the requested law, unless it is for whole answers."""

    def __init__(self, readings: Mapping[str, str]) -> None:
        self.readings = readings
        self.read_ids: dict[str, str] = {}

    @abstractmethod
    def roll(self, die: Die, label: str) -> Any:
        """Roll one die for a named purpose and give its face."""

    @abstractmethod
    def pool(self, count: int, die: Die, label: str) -> tuple[Any, ...]:
        """Roll `count` equal dice together; their faces are in the die's order, because they are interchangeable."""

    def count(self, count: int, die: Die, label: str, counts: Callable[[Any], bool], **numbers: Any) -> int:
        """Roll `count` equal dice together and give the number of faces that count, if only that matters.

        They are recorded with the `numbers`; where all paths are walked, there is one path for each result.
        """
        kept = tuple([face for face in self.pool(count, die, label) if counts(face)])
        self.record(label, kept=kept, successes=len(kept), **numbers)
        return len(kept)

    def wants(self, *fields: str) -> bool:
        """Decide whether any of these fields of the answer is wanted; others need not be distinguished."""
        return self.wanted is None or not self.wanted.isdisjoint(fields)

    @abstractmethod
    def choose(self, who: str, label: str, options: Sequence[Any], *, about: Any = None, means: Means = plain) -> Any:
        """Let `who` pick one of the options; a single option is no choice. `means` gives the meaning of each option."""

    @abstractmethod
    def call(self, rule: Callable[..., R], *args: Any) -> R:
        """Call another rule; where every path is walked, equal results merge."""

    def conclude(self, then: Callable[[S], R], rule: Callable[..., S], *args: Any) -> R:
        """Call another rule as the last step of a called rule; `then` converts its result without the table."""
        return then(self.call(rule, *args))

    @abstractmethod
    def repeat(self, count: int, rule: Callable[..., R], *args: Any) -> Tally[R]:
        """Call a rule `count` times and give the tally of its results."""

    @abstractmethod
    def iterate(self, rule: Callable[..., S], state: S, until: Callable[[S], bool], at_most: int) -> S:
        """Apply `rule` to the state, round after round, until it holds or `at_most` rounds are over."""

    def once(self, rule: Callable[..., R], *args: Any) -> R:
        """Call a rule that neither rolls nor lets a player choose; a table for battles in bulk remembers the answer.

        The arguments are hashable, and the answer is shared: it must not be changed.
        """
        return rule(self, *args)

    def held(self, rule: Callable[..., R], holder: Holder, /, *args: Any) -> R:
        """Call a rule as with `once` that depends on a moment and a few small values: the moment holds the answer."""
        return self.once(rule, holder, *args)

    def always(self, rule: Callable[..., R], ground: Versioned, /, *args: Any) -> R:
        """Call a rule that depends on a lasting ground and a few small values: no dice, no choice, no change.

        Repeated calls are remembered with their findings, where these are recorded.
        """
        return self.once(rule, ground, *args)

    def read(self, reading: str) -> str:
        """Give the option chosen for an unclear passage, and remember that it mattered."""
        option = self.readings[reading]
        self.read_ids[reading] = option
        return option

    def settle(self, decided: Callable[..., R], readings: Sequence[Options], bounds: Bounds = ()) -> R:
        """Decide a case by the options of this table, and consult only the readings that matter; see `readings`."""
        return under_every_option(self.read, decided, readings, bounds)

    def reason(self, text: str, *, cites: str | tuple[str, ...] = (), **values: Any) -> Reason:
        """Put into words why the current rule forbids the action."""
        rule = self.rule
        if rule is None:
            raise LookupError("a reason can be given only inside a rule")
        units = (cites,) if isinstance(cites, str) else cites
        return Reason(rule.id, format_text(text, values), units or rule.cites, values)

    def reason_of(self, compose: Callable[..., Reason], *args: Any) -> Reason:
        """Give a reason that is slow to put into words; where it is not read, it names only the current rule."""
        return compose(self, *args)

    def reasons(self, every: Iterable[Reason]) -> tuple[Reason, ...]:
        """Collect the reasons against an action; a table whose reasons are not read takes only the first."""
        return tuple(every)

    @abstractmethod
    def find(self, text: str, *, cites: str | tuple[str, ...] = (), **values: Any) -> None:
        """State the decision of the current rule; `text` is filled in with the values."""

    def explain(self, rule: Callable[..., Any], *args: Any) -> None:
        """Call a rule only for its findings; where findings are not recorded, it is not called."""
        if self.records_findings:
            rule(self, *args)

    @abstractmethod
    def record(
        self,
        label: str,
        *also: str,
        modifiers: Mapping[str, int] | None = None,
        kept: Sequence[Face] | None = None,
        **numbers: Any,
    ) -> None:
        """Record how the dice under a label, and others with it, are read: the fields of a `Roll`.

        Without `kept` all of them count. Tables that are not read record nothing.
        """

    @abstractmethod
    def event(self, name: str, **values: Any) -> None:
        """Name a change on the table."""

    @contextmanager
    def notifying(self, listener: Callable[[str, Mapping[str, Any]], None]) -> Iterator[None]:
        """Call a listener for each event inside the block."""
        before, self.on_event = self.on_event, listener
        try:
            yield
        finally:
            self.on_event = before

    def without_findings(self) -> AbstractContextManager[None]:
        """Record no findings inside the block, where thousands of them would bury the answer."""
        return nullcontext()


class Dice(ABC):
    """The source of the faces on one path."""

    @abstractmethod
    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Face, Origin]:
        """Give the face of the `index`th die of that label, and its origin.

        `missing` is the number of further dice of the label, for a source that has to ask for them.
        """


class Chooser:
    """Makes the choices of one path: by the players, then by policy, else it asks."""

    def __init__(self, choices: Mapping[str, Sequence[Any]], policies: Mapping[str, tuple[str, Policy]]) -> None:
        self.choices = {label: [chosen_id(option) for option in options] for label, options in choices.items()}
        self.policies = policies
        self.used: dict[str, int] = {}

    def pick(self, choice: Choice) -> Made:
        """Decide between the options; raises `ChoiceNeeded` if no player or policy decides."""
        index = self.used.get(choice.label, 0)
        self.used[choice.label] = index + 1
        choices = self.choices.get(choice.label, [])
        if index < len(choices):
            option = choices[index]
            if option not in choice.options:
                raise WrongOption(choice, index, option)
            # The rule continues with its own value: 1.0 and true in a body equal 1.
            own = choice.options[choice.options.index(option)]
            return Made(choice.who, choice.label, index, choice.means(own), "player")
        name, option = self.by_policy(choice)
        return Made(choice.who, choice.label, index, choice.means(option), f"policy {name}")

    def has_policy(self, who: str) -> bool:
        """Decide whether a policy makes all choices of a player."""
        return not self.choices and (who in self.policies or "*" in self.policies)

    def by_policy(self, choice: Choice) -> tuple[str, Any]:
        """Let the deciding player's policy pick; give its name and the option. Raises `ChoiceNeeded` without one."""
        named = self.policies.get(choice.who) or self.policies.get("*")
        if named is None:
            raise ChoiceNeeded(ChoiceNeeds(choice.who, choice.label, tuple(map(choice.means, choice.options))))
        name, option = named[0], named[1](choice)
        if option not in choice.options:
            raise ValueError(f"the policy {name} picks {option!r}, which is no option of {choice.label!r}")
        return name, option

    def left_over(self) -> dict[str, int]:
        """Give the labels with more choices than were needed, with the number that was used."""
        used = {label: self.used.get(label, 0) for label in self.choices}
        return {label: many for label, many in used.items() if len(self.choices[label]) > many}


class WrongOption(ValueError):
    """A choice is not one of the options."""

    def __init__(self, choice: Choice, index: int, option: Any) -> None:
        self.choice, self.index, self.option = choice, index, option
        super().__init__(f"{option!r} is no option of {choice.label!r}")


_QUIET: AbstractContextManager[None] = nullcontext()


class OneTable(Table):
    """One path through the rules: each die is rolled once, each choice is made once.

    With `keep`, throws, findings, choices and events are recorded; without it only the result counts. `known` has the
    records of `always` for tables with the same readings; without it nothing is remembered.
    """

    def __init__(
        self,
        dice: Dice,
        chooser: Chooser,
        readings: Mapping[str, str],
        *,
        keep: bool = True,
        known: Memory[Recorded] | None = None,
    ) -> None:
        self.readings = readings
        self.read_ids = {}
        self.dice, self.chooser, self.keep = dice, chooser, keep
        self.throws: list[Throw] = []
        self.rolls: list[Roll] = []
        self.findings: list[Finding] = []
        self.made: list[Made] = []
        self.events: list[Event] = []
        self._rolled: dict[str, int] = {}
        self._unread: dict[str, list[Face]] = {}
        self.records_findings = keep
        self._recorded = known
        self._fresh: set[tuple[str, str]] = set()

    def roll(self, die: Die, label: str) -> Any:
        return self._roll(die, label, 1)

    def _roll(self, die: Die, label: str, missing: int) -> Face:
        index = self._rolled.get(label, 0)
        face, origin = self.dice.face(die, label, index, missing)
        self._rolled[label] = index + 1
        if self.keep:
            self._fresh.clear()
            self.throws.append(Throw(label, index, die.name, face, origin))
            self._unread.setdefault(label, []).append(face)
        return face

    def pool(self, count: int, die: Die, label: str) -> tuple[Any, ...]:
        faces = [self._roll(die, label, count - done) for done in range(count)]
        return tuple(sorted(faces, key=die.faces.index))

    def choose(self, who: str, label: str, options: Sequence[Any], *, about: Any = None, means: Means = plain) -> Any:
        if len(options) == 1:
            return options[0]
        made = self.chooser.pick(Choice(who, label, tuple(options), about, means))
        if self.keep:
            self._fresh.clear()
            self.made.append(made)
        return made.option.id

    def call(self, rule: Callable[..., R], *args: Any) -> R:
        return rule(self, *args)

    def repeat(self, count: int, rule: Callable[..., R], *args: Any) -> Tally[R]:
        return Tally(frozenset(Counter(rule(self, *args) for _ in range(count)).items()))

    def iterate(self, rule: Callable[..., S], state: S, until: Callable[[S], bool], at_most: int) -> S:
        for _ in range(at_most):
            if until(state):
                break
            state = rule(self, state)
        return state

    def always(self, rule: Callable[..., R], ground: Versioned, /, *args: Any) -> R:
        if self._recorded is None or not self.records_findings:
            return self.once(rule, ground, *args)
        recorded = self._recorded[rule, ground.number, args] or self._learned(self._recorded, rule, ground, args)
        fresh = self._fresh
        for finding in recorded.findings:
            if (sentence := (finding.rule, finding.text)) not in fresh:
                fresh.add(sentence)
                self.findings.append(finding)
        self.read_ids.update(recorded.read)
        answer: R = recorded.answer
        return answer

    def _learned(
        self, known: Memory[Recorded], rule: Callable[..., Any], ground: Versioned, args: tuple[Any, ...]
    ) -> Recorded:
        """Decide again in isolation, and remember the result."""
        apart = _Apart(self.dice, self.chooser, self.readings)
        answer = rule(apart, ground, *args)
        recorded = Recorded(answer, tuple(apart.findings), apart.read_ids)
        known.keep((rule, ground.number, args), recorded)
        return recorded

    def find(self, text: str, *, cites: str | tuple[str, ...] = (), **values: Any) -> None:
        if self.records_findings:
            found = self._finding(text, cites, values)
            sentence = found.rule, found.text
            # The same sentence with no die, choice or change in between is not repeated.
            if sentence not in self._fresh:
                self._fresh.add(sentence)
                self.findings.append(found)

    def _finding(self, text: str, cites: str | tuple[str, ...], values: dict[str, Any]) -> Finding:
        rule = self.rule
        if rule is None:
            raise LookupError("a finding can be made only inside a rule")
        units = (cites,) if isinstance(cites, str) else cites
        return Finding(rule.id, format_text(text, values), values, units or rule.cites)

    def record(
        self,
        label: str,
        *also: str,
        modifiers: Mapping[str, int] | None = None,
        kept: Sequence[Face] | None = None,
        **numbers: Any,
    ) -> None:
        if not self.records_findings:
            return
        faces = tuple([face for each in (label, *also) for face in self._unread.pop(each, ())])
        more = tuple([RollModifier(name, value) for name, value in (modifiers or {}).items() if value])
        self.rolls.append(Roll(label, faces, faces if kept is None else tuple(kept), more, **numbers))

    def event(self, name: str, **values: Any) -> None:
        if self.on_event is not None:
            self.on_event(name, values)
        if self.keep:
            self._fresh.clear()
            self.events.append(Event(name, values))

    def without_findings(self) -> AbstractContextManager[None]:
        return self._silent() if self.records_findings else _QUIET

    @contextmanager
    def _silent(self) -> Iterator[None]:
        before, self.records_findings = self.records_findings, False
        try:
            yield
        finally:
            self.records_findings = before


class _Apart(OneTable):
    """A table for decisions that depend only on their arguments.

    Repeated findings are recorded twice; the reader drops the second.
    """

    def find(self, text: str, *, cites: str | tuple[str, ...] = (), **values: Any) -> None:
        if self.records_findings:
            self.findings.append(self._finding(text, cites, values))

    def _roll(self, die: Die, label: str, missing: int) -> Face:
        raise TypeError(f"a die for {label!r} falls where nothing but the arguments is to decide")

    def choose(self, who: str, label: str, options: Sequence[Any], *, about: Any = None, means: Means = plain) -> Any:
        raise TypeError(f"{who} is asked for {label!r} where nothing but the arguments is to decide")

    def event(self, name: str, **values: Any) -> None:
        raise TypeError(f"{name!r} changes where nothing but the arguments is to decide")
