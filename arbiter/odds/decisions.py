"""Best play from a lottery: backwards the worth of each option, then forwards the decisions that are reached."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from arbiter import ruling
from arbiter.odds.exact import WHOLE, Law
from arbiter.odds.lottery import Ahead, Before, Decision, Lottery, add, decisions_in, readable_event
from arbiter.option import Option

MOST_FOLLOWED = 20_000
"""Situations of decisions that are distinguished; decisions with more are reported without them."""

MOST_DECISIONS = 200
"""Decisions that an answer lists."""

MOST_SITUATIONS = 5
"""Situations that an answer lists for each decision."""

Worth = Callable[[Any, str], int | Fraction]
"""The worth of an answer to a deciding player; more is better."""


@dataclass(frozen=True)
class Reached:
    """Decisions that are reached under best play, equal in label, options and worths.

    `picked` is the index of the option that is taken; `mass` is the average number of such decisions in a game.
    `situations` is None if there are too many to distinguish.
    """

    who: str
    label: str
    options: tuple[Option, ...]
    worths: tuple[Fraction, ...]
    picked: int
    mass: Fraction
    situations: Mapping[Before, Fraction] | None


@dataclass(frozen=True)
class Play:
    """The law under best play, its worth to each deciding player, and the decisions in the order of play."""

    law: Law
    worths: Mapping[str, Fraction]
    reached: tuple[Reached, ...]


@dataclass(slots=True)
class _Arrival:
    """The reach of a decision: the least number of earlier decisions, the frequency, and the situations."""

    step: int
    mass: Fraction = Fraction(0)
    situations: dict[Before, Fraction] | None = field(default_factory=dict)


def settle_decisions(lottery: Lottery, worth: Worth) -> Play:
    """Solve every decision of a lottery of answers by its best option, and give the result."""
    decisions = decisions_in(lottery)
    books = {who: _Book(who, worth) for who in dict.fromkeys(decision.who for decision in reversed(decisions))}
    weighed: dict[Decision, tuple[tuple[Fraction, ...], int]] = {}
    for decision in decisions:
        worths = tuple(books[decision.who].mean(behind) for behind in decision.lotteries)
        picked = worths.index(max(worths))
        weighed[decision] = worths, picked
        for who, book in books.items():
            behind = decision.lotteries[picked]
            book.known[decision] = worths[picked] if who == decision.who else book.mean(behind)
    law, arrivals = _forwards(lottery, decisions, {each: picked for each, (_, picked) in weighed.items()})
    return Play(
        law,
        {who: book.mean(lottery) for who, book in books.items()},
        _merge({decision: (arrival, *weighed[decision]) for decision, arrival in arrivals.items()}),
    )


class _Book:
    """The worth of results, and of solved decisions, to a deciding player."""

    def __init__(self, who: str, worth: Worth) -> None:
        self._who, self._worth = who, worth
        self.known: dict[Any, Fraction] = {}

    def mean(self, lottery: Lottery) -> Fraction:
        """Give the worth of a lottery whose decisions are all solved."""
        return sum((mass * self._of(end) for end, mass in lottery.items()), Fraction(0))

    def _of(self, end: Any) -> Fraction:
        met = end.decision if isinstance(end, Ahead) else end
        if met not in self.known:
            worth = self._worth(met, self._who)
            if not isinstance(worth, int | Fraction):
                raise TypeError(f"{worth!r} is no exact worth: give a whole number or a Fraction")
            self.known[met] = Fraction(worth)
        return self.known[met]


def _forwards(
    lottery: Lottery, decisions: Sequence[Decision], picked: Mapping[Decision, int]
) -> tuple[Law, dict[Decision, _Arrival]]:
    """Let the whole mass flow through the options that are taken."""
    law: Law = {}
    arrivals: dict[Decision, _Arrival] = {}
    room = MOST_FOLLOWED

    def flow(step: int, share: Fraction, situations: dict[Before, Fraction] | None, behind: Lottery) -> None:
        nonlocal room
        for end, mass in behind.items():
            if not isinstance(end, Ahead):
                add(law, end, share * mass)
                continue
            arrival = arrivals.setdefault(end.decision, _Arrival(step))
            arrival.step = min(arrival.step, step)
            arrival.mass += share * mass
            room -= len(situations or ())
            if situations is None or room < 0:
                arrival.situations = None
            elif arrival.situations is not None:
                for before, often in situations.items():
                    add(arrival.situations, before + end.before, often * mass)

    flow(0, WHOLE, {(): WHOLE}, lottery)
    for decision in reversed(decisions):
        if decision not in arrivals:
            continue
        arrival, option = arrivals[decision], decision.options[picked[decision]]
        chosen = readable_event(decision.label, option)
        situations = arrival.situations and {before + chosen: mass for before, mass in arrival.situations.items()}
        flow(arrival.step + 1, arrival.mass, situations, decision.lotteries[picked[decision]])
    return law, arrivals


def _merge(reached: Mapping[Decision, tuple[_Arrival, tuple[Fraction, ...], int]]) -> tuple[Reached, ...]:
    """Merge equal decisions; the earliest come first, and of these the most frequent."""
    alike: dict[Hashable, Reached] = {}
    steps: dict[Hashable, int] = {}
    for decision, (arrival, worths, picked) in reached.items():
        key = (decision.who, decision.label, decision.options, worths)
        mass, situations = arrival.mass, arrival.situations
        if key in alike:
            mass += alike[key].mass
            situations = _both(situations, alike[key].situations)
        steps[key] = min(steps.get(key, arrival.step), arrival.step)
        alike[key] = Reached(
            decision.who, decision.label, tuple(map(decision.means, decision.options)), worths, picked, mass, situations
        )
    return tuple(alike[key] for key in sorted(alike, key=lambda key: (steps[key], -alike[key].mass)))


def _both(
    some: Mapping[Before, Fraction] | None, others: Mapping[Before, Fraction] | None
) -> dict[Before, Fraction] | None:
    if some is None or others is None:
        return None
    both = dict(others)
    for before, often in some.items():
        add(both, before, often)
    return both


def best_play_of(play: Play) -> ruling.BestPlay:
    """Give the answer of best play: of many decisions and situations the likeliest."""
    frequent = sorted(range(len(play.reached)), key=lambda place: -play.reached[place].mass)[:MOST_DECISIONS]
    return ruling.BestPlay(
        {who: ruling.Expected(float(mean), str(mean)) for who, mean in play.worths.items()},
        tuple(_decision(play.reached[place]) for place in sorted(frequent)),
        len(play.reached) - len(frequent),
    )


def _decision(reached: Reached) -> ruling.Decision:
    likeliest = sorted((reached.situations or {}).items(), key=lambda situation: -situation[1])[:MOST_SITUATIONS]
    return ruling.Decision(
        reached.who,
        reached.label,
        tuple(
            ruling.OptionWorth(option, float(mean), str(mean), index == reached.picked)
            for index, (option, mean) in enumerate(zip(reached.options, reached.worths, strict=True))
        ),
        reached.options[reached.picked].id,
        str(reached.mass),
        float(reached.mass),
        tuple(
            ruling.Situation(tuple(ruling.Came(*each) for each in before), str(mass), float(mass))
            for before, mass in likeliest
        ),
        None if reached.situations is None else len(reached.situations) - len(likeliest),
    )
