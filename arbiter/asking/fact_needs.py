"""Missing facts: all those that a ruling needs whatever their values, and no others."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from arbiter.asking.fact_faults import AT_ODDS
from arbiter.dice_sources import DiceNeeded, HandedDice
from arbiter.facts import Fact, FactNeeded, facts_of
from arbiter.fault import Faults
from arbiter.odds.best_play import best
from arbiter.question import Question
from arbiter.rule import Forbidden
from arbiter.ruling import FactNeeds, Needs
from arbiter.table import ChoiceNeeded, Chooser, OneTable, Policy


def fact_needs(
    first: FactNeeded,
    known: Mapping[str, Fact[..., Any]],
    question: Question[Any, Any, Any],
    case: Any,
    state: Any,
    readings: Mapping[str, str],
    policies: Mapping[str, tuple[str, Policy]],
) -> Needs:
    """Give the needs of a question about a case, whose first missing fact is known; `state` is the prepared case."""
    return Needs(facts=independent(first, attempts(known, question, case, state, readings, policies)))


Attempt = Callable[[Mapping[str, Any]], FactNeeded | None]
"""Runs the rules with some facts assumed, up to the first die or choice, and gives the next fact that is needed.

Raises `Faults` if an assumed fact contradicts a given one.
"""


def attempts(
    known: Mapping[str, Fact[..., Any]],
    question: Question[Any, Any, Any],
    case: Any,
    state: Any,
    readings: Mapping[str, str],
    policies: Mapping[str, tuple[str, Policy]],
) -> Attempt:
    """Give the function that tries to decide a case with some facts assumed; `state` is the prepared case."""
    # Best play needs a whole law, so a choice by it ends an attempt, as an open choice does.
    deciding = {who: named for who, named in policies.items() if named[1] is not best}

    def attempt(assumed: Mapping[str, Any]) -> FactNeeded | None:
        # Only up to the first die or choice: later facts may not matter.
        table = OneTable(HandedDice({}), Chooser({}, deciding), readings, keep=False)
        table.facts = facts_of(known, case, assumed)
        try:
            question.rule(table, state)
        except FactNeeded as needed:
            return needed
        except (Forbidden, DiceNeeded, ChoiceNeeded):
            return None
        except Faults as wrong:
            if any(fault.code == AT_ODDS for fault in wrong.faults):
                raise
            # A value that is only tried may cause a fault, for example if all units are in one position.
            return None
        return None

    return attempt


def independent(first: FactNeeded, attempt: Attempt, most: int = 20) -> tuple[FactNeeds, ...]:
    """Give the facts that a ruling needs whatever the others are, at most `most`, from the first of them."""
    usual = _walk(first, {}, attempt, most)
    wanted = set(usual.values)
    for otherwise in _trials(usual.found):
        trial = _walk(first, {**usual.values, **otherwise}, attempt, most)
        # A trial that contradicts given facts says nothing about needs.
        if not trial.possible:
            continue
        wanted &= trial.values.keys()
        # A fact that only this trial needs has other values, too, which may make a later fact needless.
        last = max(place for place, needed in enumerate(trial.found) if needed.needs.key in wanted)
        asked = [needed for needed in trial.found[:last] if needed.needs.key not in usual.values]
        for further in _trials(asked):
            trial = _walk(first, {**usual.values, **otherwise, **further}, attempt, most)
            if trial.possible:
                wanted &= trial.values.keys()
    return tuple(needed.needs for needed in usual.found if needed.needs.key in wanted or needed is first)


def _trials(found: Sequence[FactNeeded]) -> Iterator[dict[str, Any]]:
    """Give the trials: each fact with each other value, and a fact that several units need with one value for all.

    Not seeing any unit may differ from not seeing one of two.
    """
    for needed in found:
        yield from ({needed.needs.key: other} for other in needed.samples[1:])
    for name in {needed.needs.fact for needed in found}:
        alike = [needed for needed in found if needed.needs.fact == name and len(needed.samples) > 1]
        for others in zip(*(needed.samples[1:] for needed in alike), strict=False) if len(alike) > 1 else ():
            yield {needed.needs.key: other for needed, other in zip(alike, others, strict=True)}


class _Walk(NamedTuple):
    """The facts that are asked for one after the other with some values, and whether these are consistent."""

    found: list[FactNeeded]
    values: dict[str, Any]
    possible: bool


def _walk(first: FactNeeded, values: Mapping[str, Any], attempt: Attempt, most: int) -> _Walk:
    """Ask for fact after fact, at most `most`; some have these values, others the first consistent sample."""
    walk, needed = _Walk([], {}, True), first
    while len(walk.found) < most:
        walk.found.append(needed)
        key = needed.needs.key
        for sample in (values[key],) if key in values else needed.samples:
            walk.values[key] = sample
            with suppress(Faults):
                further = attempt(walk.values)
                break
        else:
            return walk._replace(possible=False)
        if further is None:
            break
        needed = further
    return walk
