"""The law of facts, for every game: a board, and the facts read off it without the board, give the same ruling."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import msgspec

from arbiter.facts import BY_PLAYERS, Fact, FactCase, Facts
from arbiter.game import Arbiter
from arbiter.json import to_builtins
from arbiter.question import Ask, AskOdds
from arbiter.ruling import FactUsed, Odds, Ruling

Body = dict[str, Any]

SEED = "facts"


@contextmanager
def every_fact_listed() -> Iterator[None]:
    """Let rulings list each fact that a board shows, also where nobody gives any."""

    def facts_of(known: Mapping[str, Fact[..., Any]], case: Any, assumed: Any = None) -> Facts | None:
        if not isinstance(case, FactCase):
            return None
        return Facts(known, {**case.given}, given_wins=case.given_wins, assumes=case.assume == "usual")

    with patch("arbiter.game.facts_of", facts_of):
        yield


def ruled(game: Arbiter, question: str, body: Body) -> Ruling[Any]:
    """Ask for a ruling, with dice from a fixed seed unless some are handed."""
    form: Any = Ask
    ask = msgspec.convert(body, form[game.question(question).case])
    return game.ask(question, ask, seed=SEED, posted=lambda: body["case"].get("scene"))


def weighed(game: Arbiter, question: str, body: Body, budget: int = 20_000) -> Odds[Any]:
    """Ask for the odds, with everybody's first option."""
    parts = {name: body[name] for name in ("case", "readings") if name in body}
    form: Any = AskOdds
    return game.odds(question, msgspec.convert(parts, form[game.question(question).case]), budget)


def given(facts: Collection[FactUsed]) -> dict[str, Any]:
    """Give facts that were used as players give them."""
    return {":".join((fact.fact, *filter(None, [",".join(fact.of.values())]))): fact.value for fact in facts}


def without_places(value: Any, places: Collection[str]) -> Any:
    """Give JSON without what only a board can say: the members of these names."""
    if isinstance(value, dict):
        return {name: without_places(part, places) for name, part in value.items() if name not in places}
    return [without_places(part, places) for part in value] if isinstance(value, list) else value


def essence(ruling: Ruling[Any], places: Collection[str] = (), unlisted: Collection[str] = ()) -> dict[str, Any]:
    """Give what has to be the same with a board or without: all but findings, and what only a board can say.

    Of the patch these are steps to what is `unlisted` in a scene without a board, too.
    """
    parts = ("status", "allowed", "answer", "reasons", "throws", "rolls", "choices", "seed")
    whole = {name: to_builtins(getattr(ruling, name)) for name in parts}
    whole["events"] = to_builtins(ruling.effects.events)
    changes = [step for step in to_builtins(ruling.effects.patch) if step["op"] != "test"]
    whole["patch"] = [step for step in changes if not {*places, *unlisted} & {*step["path"].split("/")}]
    return dict(without_places(whole, places))


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Give the parts in which two rulings differ."""
    return {part: (one[part], other[part]) for part in one if one[part] != other[part]}


def outcomes(odds: Odds[Any], places: Collection[str] = ()) -> dict[str, Any]:
    """Give a law without what only a board can say; equal outcomes add up."""
    law: dict[str, float] = {}
    for chance in odds.outcomes:
        answer = json.dumps(without_places(to_builtins(chance.answer), places), sort_keys=True)
        law[answer] = law.get(answer, 0.0) + chance.probability
    reasons = [reason.text for reason in odds.reasons]
    return {"law": {answer: round(mass, 9) for answer, mass in law.items()}, "reasons": reasons}


def holds(
    game: Arbiter,
    question: str,
    body: Body,
    bare: Callable[[Body], Body],
    *,
    places: Collection[str] = (),
    unlisted: Collection[str] = (),
    by_hand: Collection[str] = (),
    odds: bool = True,
    reworded: Callable[[str], str] = str,
) -> Ruling[Any]:
    """Hold a question to the law, and give its ruling without a board.

    `bare` gives a case without its board and the places of units. Members of answers and events that only a board can
    say are named by `places`, members of a scene that one without a board does not have by `unlisted`, the rules by
    which players move figures on their table by `by_hand`. Where a ruling with a board has other words for a place,
    `reworded` gives its JSON in those of one without.
    """
    plain = ruled(game, question, body)
    with every_fact_listed():
        seen = ruled(game, question, body)
    # That facts are listed changes nothing.
    assert not differences(essence(seen), essence(plain))
    told = {**body, "case": {**bare(body["case"]), "given": given(seen.facts)}, "surplus": "ignore"}
    ruling = ruled(game, question, told)
    assert ruling.needs is None or ruling.needs.facts is None, [needs.key for needs in ruling.needs.facts or ()]
    expected = json.loads(reworded(json.dumps(essence(plain, places, unlisted))))
    different = differences(essence(ruling, places, unlisted), expected)
    assert not different, (different, body["case"])
    assert all(fact.origin == "given" for fact in ruling.facts)
    found = {(finding.rule, reworded(finding.text)) for finding in plain.findings}
    unfounded = [
        finding.text
        for finding in ruling.findings
        if not finding.text.endswith(BY_PLAYERS)
        and finding.rule not in by_hand
        and (finding.rule, finding.text) not in found
    ]
    assert not unfounded, unfounded
    if odds and game.question(question).dice:
        with every_fact_listed():
            law = weighed(game, question, body)
        chances = json.loads(reworded(json.dumps(outcomes(law, places))))
        assert outcomes(weighed(game, question, body), places) == outcomes(law, places)
        # On other paths than that of the ruling other facts may matter.
        told = {**body, "case": {**bare(body["case"]), "given": {**given(law.facts), **given(seen.facts)}}}
        assert outcomes(weighed(game, question, told), places) == chances
    return ruling


__all__ = ["essence", "every_fact_listed", "given", "holds", "outcomes", "ruled", "weighed"]
