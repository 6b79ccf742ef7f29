"""Best play: the exact law if the deciding player always takes the option with the best expected worth.

The worth of a decision depends on what follows it, so decisions are solved from the end backwards: the mean over dice,
the best option for the deciding player, the first of equals. The walker goes down every path once, as
`arbiter.odds.exact` does, and starts a separate lottery after each option. All players know the earlier dice and
choices.

A called rule may let a player choose before the worth of its result is known. Its lottery then keeps the decisions
open. The continuation is walked once for each of its results and replaces them: no decision is made early, and equal
results still merge.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import Any, TypeVar

from arbiter.odds.decisions import Play, Worth, settle_decisions
from arbiter.odds.exact import WHOLE, Budget, ImpureRule, Law, LawPaths
from arbiter.odds.forks import ALL, Fork, Share
from arbiter.odds.lottery import (
    Ahead,
    Before,
    Decision,
    Lottery,
    add,
    decisions_in,
    prepend,
    readable_event,
    results_of,
    still_open,
)
from arbiter.odds.pools import one_more, tallies_of
from arbiter.option import Means, plain
from arbiter.rule import name_of
from arbiter.table import Choice, Policy, Tally

R = TypeVar("R")
S = TypeVar("S")

BEST = "best"
"""The name of the policy; no game has another of this name."""


def best(choice: Choice) -> Any:
    """Pick the option with the best expected worth; only in odds, where all continuations are known."""
    raise LookupError(f"{choice.label!r} cannot be settled by what lies before it: best play is found in a whole law")


def best_play(
    rule: Callable[..., Any],
    *args: Any,
    worth: Worth,
    policies: Mapping[str, tuple[str, Policy]],
    readings: Mapping[str, str] | None = None,
    budget: Budget | None = None,
    read_ids: dict[str, str] | None = None,
    wanted: Collection[str] | None = None,
) -> Play:
    """Give the law of `rule(table, *args)` where players with the policy `best` maximise their own worth.

    Each of them expects the others to do the same; other players use their own policy. Raises `PathBudgetExceeded`
    when there are too many paths, `ImpureRule` when a rule reads more than it may, `TypeError` when a worth is not
    exact. `read_ids`, if given, is filled with the readings that were consulted; `wanted` names the fields of the
    answer that are to be told apart, by default all.
    """
    paths = _BestPaths(policies, readings or {}, budget or Budget(1_000_000), {}, count())
    paths.wanted = None if wanted is None else frozenset(wanted)
    if read_ids is not None:
        paths.read_ids = read_ids
    return settle_decisions(paths.walk(ALL, rule, *args), worth)


class _Turn(Fork[Share]):
    """A fork whose branches have separate lotteries, which are combined when all of them are walked."""

    __slots__ = ("lotteries", "mass", "place")

    def __init__(self, rule: str, asked: Hashable, values: Iterable[Any], label: str, mass: Share, place: int) -> None:
        super().__init__(rule, asked, [(value, ALL) for value in values], label)
        self.mass, self.place = Fraction(*mass), place
        self.lotteries: list[Lottery] = []


class _Choosing(_Turn):
    """A player chooses here."""

    __slots__ = ("means", "who")
    who: str
    means: Means


class _Calling(_Turn):
    """A rule is called here in which a player chooses; `inner` is its lottery."""

    __slots__ = ("inner",)
    inner: Lottery


class _BestPaths(LawPaths):
    """The walker with exact fractions; a choice of best play is a turn."""

    def __init__(
        self,
        policies: Mapping[str, tuple[str, Policy]],
        readings: Mapping[str, str],
        budget: Budget,
        known: dict[Hashable, Law],
        serials: Iterable[int],
    ) -> None:
        super().__init__(policies, readings, budget, known)
        self._serials = iter(serials)
        # The lottery of the whole, and those of the branches taken at the turns on the path, innermost last.
        self._open: list[Lottery] = []

    def _inside(self) -> "_BestPaths":
        inside = _BestPaths(self.policies, self.readings, self.budget, self._known, self._serials)
        inside.read_ids, inside.rule, inside.facts = self.read_ids, self.rule, self.facts
        inside.wanted = self.wanted
        return inside

    def walk(self, mass: Share, rule: Callable[..., R], *args: Any) -> dict[R, Fraction]:
        forks, lotteries = self._forks, self._open
        lotteries.append({})
        while True:
            self._depth, self._mass = 0, mass
            result = rule(self, *args)
            if self._depth != len(forks):
                raise ImpureRule(forks[self._depth].rule, forks[self._depth].asked, "nothing more")
            for end, share in self._ends(result):
                add(lotteries[-1], end, Fraction(*share))
            self.budget.spend()
            while forks and forks[-1].taken + 1 == len(forks[-1].branches):
                over = forks.pop()
                if isinstance(over, _Turn):
                    over.lotteries.append(lotteries.pop())
                    for end, chance in self._close(over).items():
                        add(lotteries[-1], end, over.mass * chance)
            if not forks:
                return lotteries.pop()
            last = forks[-1]
            if isinstance(last, _Turn):
                last.lotteries.append(lotteries.pop())
                lotteries.append({})
            last.taken += 1

    def choose(self, who: str, label: str, options: Sequence[Any], *, about: Any = None, means: Means = plain) -> Any:
        named = self.policies.get(who) or self.policies.get("*")
        if len(options) == 1 or named is None or named[1] is not best:
            return super().choose(who, label, options, about=about)
        asked = (who, label, tuple(options))
        if self._depth == len(self._forks):
            turn = _Choosing(self._at_work(), asked, options, label, self._mass, self._depth)
            turn.who, turn.means = who, means
            self._turn(turn)
        return self._take(asked)

    def call(self, rule: Callable[..., R], *args: Any) -> R:
        asked = (rule, args)
        if self._depth == len(self._forks) and still_open(inner := self.law_of(rule, args)):
            self._call(asked, inner, name_of(rule))
        return super().call(rule, *args)

    def conclude(self, then: Callable[[S], R], rule: Callable[..., S], *args: Any) -> R:
        if still_open(self.law_of(rule, args)):
            return then(self.call(rule, *args))
        return super().conclude(then, rule, *args)

    def repeat(self, count: int, rule: Callable[..., R], *args: Any) -> Tally[R]:
        if count and self._depth == len(self._forks) and still_open(once := self.law_of(rule, args)):
            asked = (count, rule, args)
            self._call(asked, self._tally_lottery(count, once, name_of(rule)), name_of(rule))
        return super().repeat(count, rule, *args)

    def iterate(self, rule: Callable[..., S], state: S, until: Callable[[S], bool], at_most: int) -> S:
        if self._depth == len(self._forks):
            rounds = self._rounds(rule, state, until, at_most)
            if any(still_open(law) for going in rounds for law in going.values()):
                self._call((rule, state, at_most), self._iterate(rounds, state, name_of(rule)), name_of(rule))
        return super().iterate(rule, state, until, at_most)

    def _at_work(self) -> str:
        return self.rule.id if self.rule else "a rule"

    def _turn(self, turn: _Turn) -> None:
        self._forks.append(turn)
        self._open.append({})

    def _call(self, asked: Hashable, inner: Lottery, label: str) -> None:
        turn = _Calling(self._at_work(), asked, results_of(inner), label, self._mass, self._depth)
        turn.inner = inner
        self._turn(turn)

    def _close(self, turn: _Turn) -> Lottery:
        """Combine the lotteries of a turn whose branches are all walked."""
        before = self._since(turn.place)
        lotteries = turn.lotteries
        if isinstance(turn, _Choosing):
            options = tuple(option for option, _ in turn.branches)
            decision = Decision(turn.who, turn.label, options, tuple(lotteries), next(self._serials), turn.means)
            return {Ahead(before, decision): WHOLE}
        assert isinstance(turn, _Calling)
        after = {result: lottery for (result, _), lottery in zip(turn.branches, lotteries, strict=True)}
        return prepend(before, self._onward(turn.inner, after))

    def _since(self, place: int) -> Before:
        """Give the events on the path since the turn before this index, or since the beginning."""
        came: list[tuple[str, Any]] = []
        for fork in reversed(self._forks[:place]):
            # The choice is added when its option is known.
            if isinstance(fork, _Choosing):
                break
            came += reversed(readable_event(fork.label, fork.branches[fork.taken][0]))
            if isinstance(fork, _Calling):
                break
        return tuple(reversed(came))

    def _onward(self, lottery: Lottery, after: Mapping[Any, Lottery]) -> Lottery:
        """Replace each result with its continuation, also after every decision."""
        if all(len(follows) == 1 and follows.get(result) == WHOLE for result, follows in after.items()):
            return lottery
        made: dict[Decision, Decision] = {}

        def replaced(before: Lottery) -> Lottery:
            replaced: Lottery = {}
            for end, mass in before.items():
                if isinstance(end, Ahead):
                    self.budget.spend()
                    add(replaced, Ahead(end.before, made[end.decision]), mass)
                    continue
                follows = after[end]
                self.budget.spend(len(follows))
                for later, share in follows.items():
                    add(replaced, later, mass * share)
            return replaced

        for each in decisions_in(lottery):
            behind = tuple(replaced(option) for option in each.lotteries)
            made[each] = Decision(each.who, each.label, each.options, behind, next(self._serials), each.means)
        return replaced(lottery)

    def _tally_lottery(self, count: int, once: Lottery, label: str) -> Lottery:
        """Give the lottery of the tallies of a rule done `count` times, one after the other."""
        results = results_of(once)
        self.budget.afford(tallies_of(count, len(results)))
        levels: list[set[Tally[Any]]] = [{Tally(frozenset())}]
        for _ in range(count):
            levels.append({one_more(tally, result) for tally in levels[-1] for result in results})
        following: dict[Tally[Any], Lottery] = {tally: {tally: WHOLE} for tally in levels.pop()}
        while levels:
            following = {
                tally: self._onward(
                    once,
                    {
                        result: prepend(readable_event(label, result), following[one_more(tally, result)])
                        for result in results
                    },
                )
                for tally in levels.pop()
            }
        return following[Tally(frozenset())]

    def _rounds(
        self, rule: Callable[..., S], state: S, until: Callable[[S], bool], at_most: int
    ) -> list[dict[S, Lottery]]:
        """Give, round by round, every state that continues, with the lottery of its round."""
        rounds: list[dict[S, Lottery]] = []
        # Sets are unordered, but the order of states decides that of answers of equal chance.
        reached: Iterable[S] = [state]
        while len(rounds) < at_most:
            going = {state: self.law_of(rule, (state,)) for state in reached if not until(state)}
            if not going:
                break
            rounds.append(going)
            reached = dict.fromkeys(result for law in going.values() for result in results_of(law))
        return rounds

    def _iterate(self, rounds: list[dict[S, Lottery]], state: S, label: str) -> Lottery:
        """Give the lottery of the states in which the last round ends."""
        following: dict[S, Lottery] = {}
        for going in reversed(rounds):
            following = {
                begun: self._onward(
                    law,
                    {
                        result: prepend(readable_event(label, result), following.get(result, {result: WHOLE}))
                        for result in results_of(law)
                    },
                )
                for begun, law in going.items()
            }
        return following[state]
