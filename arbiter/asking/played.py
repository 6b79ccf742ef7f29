"""A question that is played many times: the player of one game from a seed, and the laws of its metrics."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from arbiter.asking.ask_faults import fact_missing, in_the_mirror
from arbiter.asking.fact_needs import attempts, independent
from arbiter.dice_sources import MirroredDice, SeededDice
from arbiter.facts import Fact, FactNeeded, facts_of
from arbiter.fault import Faults
from arbiter.odds.exact import Budget, law
from arbiter.question import Mirrored, Question
from arbiter.rule import Forbidden
from arbiter.simulation.memo_table import Experience, MemoTable
from arbiter.simulation.simulate import Game, Player, Simulate, as_key, is_number
from arbiter.table import Chooser, Policy, Table


@dataclass(frozen=True)
class Played:
    """A question with its case, the options of its readings and the policies of its sides."""

    question: Question[Any, Any, Any]
    ask: Simulate[Any]
    readings: dict[str, str]
    policies: Mapping[str, tuple[str, Policy]]
    facts: Mapping[str, Fact[..., Any]]


def player_of(played: Played, mirror: Mirrored[Any] | None, experience: Experience | None) -> Player:
    """Give the player of one game from a seed, mirrored if asked for; raises `Faults` for an impossible case."""
    question, ask = played.question, played.ask
    case = ask.case if mirror is None else mirror.case
    facts = facts_of(played.facts, case)
    try:
        state = question.prepare(case)
    except Faults as faults:
        raise (faults if mirror is None else in_the_mirror(faults)) from None
    if facts is not None:
        # All facts that the first game needs before its first die are reported together.
        attempt = attempts(played.facts, question, case, state, played.readings, played.policies)
        if (first := attempt({})) is not None:
            raise Faults(fact_missing(needs) for needs in independent(first, attempt))
    # The experience of tables does not distinguish facts that players give.
    known = Experience() if experience is None or facts is not None else experience

    def play(seed: str) -> Game:
        dice = SeededDice(seed) if mirror is None else MirroredDice(seed, mirror.sides)
        table = MemoTable(dice, Chooser({}, played.policies), played.readings, known)
        table.facts = facts
        try:
            answer = question.rule(table, state).answer
        except Forbidden:
            return Game(None, {})
        except FactNeeded as needed:
            raise Faults([fact_missing(needed.needs)]) from None
        counted = question.metrics(answer)
        wanted = {name: value for name, value in counted.items() if name in ask.metrics} if ask.metrics else counted
        rank = None if question.ranked_by is None else counted.get(question.ranked_by)
        return Game(answer, dict(wanted), rank if is_number(rank) else None)

    return play


def laws_of_metrics(played: Played, budget: Budget) -> dict[str, dict[str, Fraction]]:
    """Give the exact law of every metric that is counted, its values as JSON; raises `PathBudgetExceeded`."""
    question, ask = played.question, played.ask
    facts = facts_of(played.facts, ask.case)

    def answer(table: Table, state: Any) -> Any:
        table.facts = facts
        return question.rule(table, state).answer

    state = question.prepare(ask.case)
    try:
        masses = law(answer, state, policies=played.policies, readings=played.readings, budget=budget)
    except Forbidden:
        return {}
    except FactNeeded as needed:
        raise Faults([fact_missing(needed.needs)]) from None
    laws: dict[str, dict[str, Fraction]] = {}
    for given, mass in masses.items():
        for metric, value in question.metrics(given).items():
            if not ask.metrics or metric in ask.metrics:
                of_metric = laws.setdefault(metric, {})
                of_metric[as_key(value)] = of_metric.get(as_key(value), Fraction(0)) + mass
    return laws
