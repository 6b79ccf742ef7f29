"""Exact laws and head-counts: the same rule, unchanged, walked down every path.

The walker runs a rule repeatedly, each time down the next branch, and carries a mass. The whole split by exact chances
gives the law. A whole number of heads split by multinomial draws gives a crowd of that many games, and branches without
heads are never visited. Equal results of `call`, `pool`, `repeat` and `iterate` merge. A called rule with a closed form
is not walked: its form splits the mass.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Generic, TypeVar, cast

from arbiter.dice import Die, Face
from arbiter.odds.forks import ALL, Conclusion, Fork, M, Share, parts_of
from arbiter.odds.pools import one_more, pools, successes, tallies_of, tally_weights, total, weights_of
from arbiter.option import Means, plain
from arbiter.rule import Form, Rule, name_of
from arbiter.table import Choice, Policy, Table, Tally

T = TypeVar("T", Fraction, int)
R = TypeVar("R")
S = TypeVar("S")

Law = dict[Any, Fraction]

WHOLE = Fraction(1)

TICKS = 16
"""Steps of a walk between two calls of its watch."""


class PathBudgetExceeded(Exception):
    """The rule has more paths than may be walked."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        super().__init__(f"more than {budget} paths")


class ImpureRule(Exception):
    """A rule asked differently when it was walked again: it reads more than its arguments and its table."""

    def __init__(self, rule: str, first: object, again: object) -> None:
        self.rule, self.first, self.again = rule, first, again
        super().__init__(f"{rule} asked for {first!r} first and for {again!r} when walked again; a rule must be pure")


class WrongForm(Exception):
    """The chances of a closed form do not add up to 1."""

    def __init__(self, rule: str, whole: Fraction) -> None:
        self.rule, self.whole = rule, whole
        super().__init__(f"the closed form of {rule} gives chances that add up to {whole}")


class TimeBudgetExceeded(Exception):
    """A walk has taken more than its time, in seconds of one core."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"more than {seconds:g} s of one core")


class Budget:
    """The number of paths that may still be walked, shared by a walk and all walks inside it.

    With `steps`, all paths together may ask for at most this many dice, choices and rules: every path starts from the
    beginning, so that few paths of a whole battle take longer than many of one attack. `watch` is called repeatedly
    during the walk, also within a path; an exception from it ends the walk.
    """

    def __init__(self, paths: int, steps: int | None = None, watch: Callable[[], None] | None = None) -> None:
        self.paths, self.walked = paths, 0
        self.steps, self.taken = steps, 0
        self._watch, self._ticks = watch, 0

    def tick(self) -> None:
        """Call the watch of the walk, once in several calls."""
        self._ticks += 1
        if self._watch is not None and not self._ticks % TICKS:
            self._watch()

    def spend(self, paths: int = 1, steps: int = 0) -> None:
        """Count paths that are walked, and their steps; raises `PathBudgetExceeded` when there are too many."""
        self.tick()
        self.walked += paths
        self.taken += steps
        if self.walked > self.paths or (self.steps is not None and self.taken > self.steps):
            raise PathBudgetExceeded(self.paths)

    def afford(self, paths: int) -> None:
        """Check in advance, before many branches are created; raises `PathBudgetExceeded` if they are too many."""
        if self.walked + paths > self.paths:
            raise PathBudgetExceeded(self.paths)


class _Paths(Table, Generic[M, T]):
    """The walker; its two subclasses define a mass, its split, and its total at an end."""

    def __init__(self, policies: Mapping[str, tuple[str, Policy]], readings: Mapping[str, str], budget: Budget) -> None:
        super().__init__(readings)
        self.policies, self.budget = policies, budget
        self._forks: list[Fork[M]] = []
        self._depth = 0
        self._mass: M

    def walk(self, mass: M, rule: Callable[..., R], *args: Any) -> dict[R, T]:
        """Give every result of `rule(table, *args)` with the mass that reaches it."""
        found: dict[R, list[M]] = {}
        forks = self._forks
        while True:
            self._depth, self._mass = 0, mass
            result = rule(self, *args)
            if self._depth != len(forks):
                raise ImpureRule(forks[self._depth].rule, forks[self._depth].asked, "nothing more")
            for end, share in self._ends(result):
                found.setdefault(end, []).append(share)
            self.budget.spend(steps=self._depth)
            while forks and forks[-1].taken + 1 == len(forks[-1].branches):
                forks.pop()
            if not forks:
                return {end: self._total(shares) for end, shares in found.items()}
            forks[-1].taken += 1

    def _ends(self, result: Any) -> Sequence[tuple[Any, M]]:
        """Give the ends of a path with their masses; with a conclusion there are several."""
        return result.ends if isinstance(result, Conclusion) else ((result, self._mass),)

    @abstractmethod
    def _total(self, masses: list[M]) -> T:
        """Add up the masses that reach one end by several paths."""

    @abstractmethod
    def _merged(self, masses: list[M]) -> M:
        """Add up the masses that reach one state by several paths."""

    @abstractmethod
    def _inside(self) -> "_Paths[M, T]":
        """Give a fresh walker for a rule called inside this one, sharing budget and memory."""

    @abstractmethod
    def _split(self, weights: tuple[tuple[Any, int], ...]) -> Sequence[tuple[Any, M]]:
        """Split the current mass over values by their whole-number weights."""

    @abstractmethod
    def _repeated(self, count: int, rule: Callable[..., Any], args: tuple[Any, ...]) -> list[tuple[Any, M]]:
        """Split the current mass over the tallies of a rule called `count` times."""

    @abstractmethod
    def _sent(self, mass: M, rule: Callable[..., Any], args: tuple[Any, ...]) -> Sequence[tuple[Any, M]]:
        """Split a mass over the results of another rule."""

    def _form(self, rule: Callable[..., Any], args: tuple[Any, ...]) -> Law | None:
        """Give the law of a rule by its closed form, if that has an answer."""
        form = form_of(rule)
        found = None if form is None else form(self.read, *args)
        if found is None:
            return None
        self.budget.spend()
        whole = total(list(found.values()))
        if whole != 1:
            raise WrongForm(name_of(rule), whole)
        return {result: chance for result, chance in found.items() if chance}

    def _part(self, asked: Hashable, branches: Sequence[tuple[Any, M]], label: str = "") -> None:
        """Fork the paths here."""
        self._forks.append(Fork(self.rule.id if self.rule else "a rule", asked, branches, label))

    def _take(self, asked: Hashable) -> Any:
        """Follow the current branch."""
        self.budget.tick()
        fork = self._forks[self._depth]
        if fork.asked != asked:
            raise ImpureRule(fork.rule, fork.asked, asked)
        self._depth += 1
        value, self._mass = fork.branches[fork.taken]
        return value

    def find(self, text: str, *, cites: str | tuple[str, ...] = (), **values: Any) -> None:
        """Ignore the finding, which would keep equal results from merging."""
        self.budget.tick()

    def event(self, name: str, **values: Any) -> None:
        """Ignore the event, as `find` ignores findings."""
        self.budget.tick()

    def record(
        self,
        label: str,
        *also: str,
        modifiers: Mapping[str, int] | None = None,
        kept: Sequence[Face] | None = None,
        **numbers: Any,
    ) -> None:
        """Ignore the record, as `find` ignores findings."""

    def roll(self, die: Die, label: str) -> Any:
        asked = (die.name, label)
        if self._depth == len(self._forks):
            self._part(asked, self._split(die.kinds), label)
        return self._take(asked)

    def pool(self, count: int, die: Die, label: str) -> tuple[Any, ...]:
        asked = (count, die.name, label)
        if self._depth == len(self._forks):
            self.budget.afford(tallies_of(count, len(die.kinds)))
            self._part(asked, self._split(pools(count, die)), label)
        faces: tuple[Any, ...] = self._take(asked)
        return faces

    def count(self, count: int, die: Die, label: str, counts: Callable[[Any], bool], **numbers: Any) -> int:
        good = sum(sides for face, sides in die.kinds if counts(face))
        asked = (count, die.name, label, good)
        if self._depth == len(self._forks):
            self._part(asked, self._split(successes(count, good, len(die.faces))), label)
        many: int = self._take(asked)
        return many

    def choose(self, who: str, label: str, options: Sequence[Any], *, about: Any = None, means: Means = plain) -> Any:
        self.budget.tick()
        if len(options) == 1:
            return options[0]
        named = self.policies.get(who) or self.policies.get("*")
        if named is None:
            raise LookupError(f"no policy for {who}")
        return named[1](Choice(who, label, tuple(options), about))

    def call(self, rule: Callable[..., R], *args: Any) -> R:
        asked = (rule, args)
        if self._depth == len(self._forks):
            self._part(asked, self._sent(self._mass, rule, args), name_of(rule))
        result: R = self._take(asked)
        return result

    def conclude(self, then: Callable[[S], R], rule: Callable[..., S], *args: Any) -> R:
        self.budget.tick()
        return cast(R, Conclusion([(then(result), mass) for result, mass in self._sent(self._mass, rule, args)]))

    def repeat(self, count: int, rule: Callable[..., R], *args: Any) -> Tally[R]:
        if not count:
            return Tally(frozenset())
        asked = (count, rule, args)
        if self._depth == len(self._forks):
            self._part(asked, self._repeated(count, rule, args), name_of(rule))
        tally: Tally[R] = self._take(asked)
        return tally

    def iterate(self, rule: Callable[..., S], state: S, until: Callable[[S], bool], at_most: int) -> S:
        asked = (rule, state, at_most)
        if self._depth == len(self._forks):
            self._part(asked, self._ended(rule, state, until, at_most))
        reached: S = self._take(asked)
        return reached

    def _ended(self, rule: Callable[..., S], state: S, until: Callable[[S], bool], at_most: int) -> list[tuple[S, M]]:
        """Split the current mass over the states in which the last round ends."""
        over: dict[S, list[M]] = {}
        going: dict[S, list[M]] = {state: [self._mass]}
        for _ in range(at_most):
            moving = {reached: self._merged(masses) for reached, masses in going.items() if not until(reached)}
            for reached, masses in going.items():
                if reached not in moving:
                    over.setdefault(reached, []).extend(masses)
            going = {}
            for begun, mass in moving.items():
                for reached, share in self._sent(mass, rule, (begun,)):
                    going.setdefault(reached, []).append(share)
            if not going:
                break
        for reached, masses in going.items():
            over.setdefault(reached, []).extend(masses)
        return [(reached, self._merged(masses)) for reached, masses in over.items()]


class LawPaths(_Paths[Share, Fraction]):
    """The walker with exact chances; laws of rules called inside are remembered."""

    def __init__(
        self,
        policies: Mapping[str, tuple[str, Policy]],
        readings: Mapping[str, str],
        budget: Budget,
        known: dict[Hashable, Law],
    ) -> None:
        super().__init__(policies, readings, budget)
        self._known = known
        self._weights: dict[Hashable, tuple[list[tuple[Any, int]], int]] = {}
        self._answers: dict[Hashable, tuple[Any]] = {}

    def _inside(self) -> "LawPaths":
        inside = LawPaths(self.policies, self.readings, self.budget, self._known)
        inside._weights, inside._answers = self._weights, self._answers
        inside.read_ids, inside.rule, inside.facts = self.read_ids, self.rule, self.facts
        inside.wanted = self.wanted
        return inside

    def _total(self, masses: list[Share]) -> Fraction:
        return Fraction(*self._merged(masses))

    def _merged(self, masses: list[Share]) -> Share:
        if len(masses) == 1:
            return masses[0]
        whole = lcm(*{of for _, of in masses})
        return sum([share * (whole // of) for share, of in masses]), whole

    def _split(self, weights: tuple[tuple[Any, int], ...]) -> Sequence[tuple[Any, Share]]:
        return parts_of(self._mass, weights, sum([weight for _, weight in weights]))

    def once(self, rule: Callable[..., R], *args: Any) -> R:
        """Call a rule that neither rolls nor lets a player choose; all paths together decide it once."""
        asked = (rule, args)
        known: tuple[R] | None = self._answers.get(asked)
        if known is not None:
            return known[0]
        depth = self._depth
        answer = rule(self, *args)
        if self._depth == depth:
            self._answers[asked] = (answer,)
        return answer

    def law_of(self, rule: Callable[..., Any], args: tuple[Any, ...]) -> Law:
        """Give the exact law of a rule called inside; computed once for equal arguments."""
        asked = (rule, args)
        if asked not in self._known:
            form = self._form(rule, args)
            self._known[asked] = self._inside().walk(ALL, rule, *args) if form is None else form
        return self._known[asked]

    def _sent(self, mass: Share, rule: Callable[..., Any], args: tuple[Any, ...]) -> Sequence[tuple[Any, Share]]:
        asked = (rule, args)
        if asked not in self._weights:
            weights = weights_of(self.law_of(rule, args).items())
            self._weights[asked] = weights, sum([weight for _, weight in weights])
        return parts_of(mass, *self._weights[asked])

    def _repeated(self, count: int, rule: Callable[..., Any], args: tuple[Any, ...]) -> list[tuple[Any, Share]]:
        law = list(self.law_of(rule, args).items())
        self.budget.afford(tallies_of(count, len(law)))
        return parts_of(self._mass, *tally_weights(count, law))


class _HeadPaths(_Paths[int, int]):
    """The walker with a crowd of heads; every split is a multinomial draw. Closed forms are remembered."""

    def __init__(
        self,
        policies: Mapping[str, tuple[str, Policy]],
        readings: Mapping[str, str],
        budget: Budget,
        draw: Any,
        known: dict[Hashable, Sequence[tuple[Any, int]] | None],
    ) -> None:
        super().__init__(policies, readings, budget)
        self._draw, self._known = draw, known

    def _inside(self) -> "_HeadPaths":
        inside = _HeadPaths(self.policies, self.readings, self.budget, self._draw, self._known)
        inside.read_ids, inside.rule, inside.facts = self.read_ids, self.rule, self.facts
        inside.wanted = self.wanted
        return inside

    def _total(self, masses: list[int]) -> int:
        return sum(masses)

    _merged = _total

    def _shared(self, heads: int, weights: Sequence[tuple[Any, int]]) -> list[tuple[Any, int]]:
        whole = sum(weight for _, weight in weights)
        shares = self._draw.multinomial(heads, [weight / whole for _, weight in weights])
        return [(value, int(share)) for (value, _), share in zip(weights, shares, strict=True) if share]

    def _split(self, weights: tuple[tuple[Any, int], ...]) -> Sequence[tuple[Any, int]]:
        return self._shared(self._mass, weights)

    def _sent(self, heads: int, rule: Callable[..., Any], args: tuple[Any, ...]) -> list[tuple[Any, int]]:
        """Send this many heads through a rule called inside."""
        self.budget.tick()
        weights = None if form_of(rule) is None else self._weights(rule, args)
        if weights is None:
            return list(self._inside().walk(heads, rule, *args).items())
        return self._shared(heads, weights)

    def _weights(self, rule: Callable[..., Any], args: tuple[Any, ...]) -> Sequence[tuple[Any, int]] | None:
        """Give the weights of a closed form in whole numbers; computed once for equal arguments."""
        asked = (rule, args)
        if asked not in self._known:
            form = self._form(rule, args)
            self._known[asked] = None if form is None else weights_of(form.items())
        return self._known[asked]

    def _repeated(self, count: int, rule: Callable[..., Any], args: tuple[Any, ...]) -> list[tuple[Any, int]]:
        tallies: dict[Tally[Any], int] = {Tally(frozenset()): self._mass}
        for _ in range(count):
            after: dict[Tally[Any], int] = {}
            for tally, heads in tallies.items():
                for result, share in self._sent(heads, rule, args):
                    more = one_more(tally, result)
                    after[more] = after.get(more, 0) + share
            tallies = after
        return list(tallies.items())


def law(
    rule: Callable[..., R],
    *args: Any,
    policies: Mapping[str, tuple[str, Policy]] | None = None,
    readings: Mapping[str, str] | None = None,
    budget: Budget | None = None,
    read_ids: dict[str, str] | None = None,
    wanted: Collection[str] | None = None,
) -> dict[R, Fraction]:
    """Give the exact law of `rule(table, *args)`: every result with its probability; they add up to 1.

    Raises `PathBudgetExceeded` when there are too many paths, `ImpureRule` when a rule reads more than it may.
    `read_ids`, if given, is filled with the readings that were consulted; `wanted` names the fields of the answer that
    are to be told apart, by default all.
    """
    paths = LawPaths(policies or {}, readings or {}, budget or Budget(1_000_000), {})
    paths.wanted = None if wanted is None else frozenset(wanted)
    if read_ids is not None:
        paths.read_ids = read_ids
    return paths.walk(ALL, rule, *args)


def head_count(
    heads: int,
    seed: int,
    rule: Callable[..., R],
    *args: Any,
    policies: Mapping[str, tuple[str, Policy]] | None = None,
    readings: Mapping[str, str] | None = None,
    budget: Budget | None = None,
    read_ids: dict[str, str] | None = None,
    wanted: Collection[str] | None = None,
) -> dict[R, int]:
    """Send `heads` games through `rule(table, *args)` and count where they end; the same seed counts the same."""
    from numpy.random import PCG64, Generator  # only crowds need NumPy, and importing it costs more than most laws

    paths = _HeadPaths(policies or {}, readings or {}, budget or Budget(1_000_000), Generator(PCG64(seed)), {})
    paths.wanted = None if wanted is None else frozenset(wanted)
    if read_ids is not None:
        paths.read_ids = read_ids
    return paths.walk(heads, rule, *args)


def form_of(rule: Callable[..., Any]) -> Form | None:
    """Give the closed form of a rule, if any; it is valid while no rule is switched off."""
    return rule.law if isinstance(rule, Rule) and not Rule.missing else None
