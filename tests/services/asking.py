"""The games that the generic suite holds to the house's laws, their examples, and ways to ask them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any, NamedTuple, TypeVar
from unittest.mock import patch

import msgspec
import pytest

from arbiter import registry
from arbiter.dice_sources import SeededDice
from arbiter.facts import facts_of
from arbiter.game import Arbiter, PathBudgetExceeded
from arbiter.json import encode
from arbiter.question import Ask, AskOdds, Question
from arbiter.rule import Rule
from arbiter.ruling import Odds, Ruling
from arbiter.sources import examples as examples_of
from arbiter.sources.examples import Example
from arbiter.table import Chooser, OneTable, Table
from arbiter.text import format_text
from tests.effort import cases
from tests.reading import load_examples

R = TypeVar("R")
Examples = tuple[Example, ...]
Holds = Callable[[Arbiter, Example], None]

HEAVY = frozenset({"battle"})
"""Questions that are whole games: too many paths for a law, and long enough to be asked less often."""

LAW_BUDGET = cases(20_000, 2_000)
"""Paths that the suite walks for a law; an example beyond them is passed over where others have one in reach."""

FIRST = {"*": "first"}


def remembered(function: Callable[[Arbiter, Example], R]) -> Callable[[Arbiter, Example], R]:
    """Work something out once for each example; its title tells it from the others of its game."""
    known: dict[tuple[str, str], R] = {}

    @wraps(function)
    def once(game: Arbiter, example: Example) -> R:
        key = (game.name, example.title)
        if key not in known:
            known[key] = function(game, example)
        return known[key]

    return once


@cache
def every_game() -> Mapping[str, Arbiter]:
    """Give the registry's games and the template by name."""
    template = registry.load("services._template")
    return {**registry.games(), template.name: template}


@cache
def examples(game: Arbiter) -> tuple[Example, ...]:
    return load_examples(game.folder / "examples")


def per_game() -> pytest.MarkDecorator:
    """Run a test once for every game."""
    return pytest.mark.parametrize("game", [pytest.param(game, id=name) for name, game in every_game().items()])


def per_example(
    *, dice: bool = False, odds: bool = False, most: int | None = None
) -> Callable[[Holds], Callable[[Arbiter, Examples], None]]:
    """Hold every example to a test, question by question; only those of light questions with `dice`, or with `odds`.

    With `most`, no more of each question.
    An example by itself would be a test for each of thousands, which takes longer than to ask it. All of a question are
    tried, and whatever one of them breaks is told with its title.
    """
    groups: dict[tuple[str, str], list[Example]] = {}
    for name, game in every_game().items():
        for example in examples(game):
            if dice and not (is_light(example) and example.question in game.questions and question(game, example).dice):
                continue
            if not odds or example.odds:
                groups.setdefault((name, example.question), []).append(example)

    def decorate(holds: Holds) -> Callable[[Arbiter, Examples], None]:
        @pytest.mark.parametrize(
            ("game", "those"),
            [
                pytest.param(every_game()[name], tuple(those[:most]), id=f"{name}: {asked}")
                for (name, asked), those in groups.items()
            ],
        )
        def held(game: Arbiter, those: Examples) -> None:
            broken = []
            for example in those:
                try:
                    holds(game, example)
                except Exception as fault:
                    fault.add_note(f"in the example {example.title!r}")
                    broken.append(fault)
            if broken:
                raise ExceptionGroup(f"{len(broken)} of {len(those)} examples", broken)

        held.__name__, held.__qualname__, held.__doc__ = holds.__name__, holds.__qualname__, holds.__doc__
        held.__module__ = holds.__module__
        return held

    return decorate


def is_on_board(game: Arbiter, example: Example) -> bool:
    """Whether an example has a scene with a board or places, rather than facts alone."""
    case = msgspec.convert(example.case, question(game, example).case)
    return hasattr(case, "scene") and not getattr(case.scene, "is_partial", False)


def is_light(example: Example) -> bool:
    return example.question not in HEAVY


def question(game: Arbiter, example: Example) -> Question[Any, Any, Any]:
    return game.question(example.question)


def posted_scene(example: Example) -> Any:
    return example.case.get("scene")


def decoded(game: Arbiter, example: Example, **changes: Any) -> Ask[Any]:
    """Give the example's ask, with members of its body changed."""
    return msgspec.convert({**example.body(), **changes}, Ask[question(game, example).case])


def ask(game: Arbiter, example: Example, **changes: Any) -> Ruling[Any]:
    """Ask an example's question, with members of its body changed."""
    return game.ask(
        example.question, decoded(game, example, **changes), seed=examples_of.SEED, posted=lambda: posted_scene(example)
    )


def written(game: Arbiter, example: Example, **changes: Any) -> bytes:
    """Ask an example's question, with members of its body changed, for the ruling as it is written."""
    return game.ask_json(
        example.question, decoded(game, example, **changes), seed=examples_of.SEED, posted=lambda: posted_scene(example)
    )


def odds(game: Arbiter, example: Example, budget: int = LAW_BUDGET, **changes: Any) -> Odds[Any]:
    """Ask for the odds of an example's question."""
    body = {**example.odds_body(), "fields": ["*"], **changes}
    return game.odds(example.question, msgspec.convert(body, AskOdds[question(game, example).case]), budget)


@remembered
def law_or_none(game: Arbiter, example: Example) -> Odds[Any] | None:
    """Give the law of an example's question under the policy `first`; None with too many paths, or without a fact."""
    try:
        law = odds(game, example, policies=FIRST)
    except PathBudgetExceeded:
        return None
    return law if law.status == "ruled" else None


def seated(game: Arbiter, example: Example, seed: str) -> OneTable:
    """Give a seeded table where everyone picks the first option, with the readings of an example."""
    policies = {who: (name, game.policies[name]) for who, name in FIRST.items()}
    table = OneTable(SeededDice(seed), Chooser({}, policies), game.readings.complete(example.readings))
    table.facts = facts_of(game.facts, decoded(game, example).case)
    return table


def prepared(game: Arbiter, example: Example) -> Any:
    """Give the state that an example's question is decided from."""
    return question(game, example).prepare(decoded(game, example).case)


class AsWritten(NamedTuple):
    """What came of an example that was asked as it is written."""

    ruling: Ruling[Any]
    rules: frozenset[str]
    """The rules that were asked on the way."""
    texts: Mapping[str, Mapping[str, Any]]
    """The texts that were filled in on the way, each with the first values it had."""


@remembered
def as_written(game: Arbiter, example: Example) -> AsWritten:
    """Ask an example as it is written."""
    with touched() as rules, filled_in() as texts:
        ruling = ask(game, example)
    return AsWritten(ruling, frozenset(rules), texts)


@remembered
def ruled(game: Arbiter, example: Example) -> tuple[Mapping[str, Any], frozenset[str]]:
    """Give an example's ruling as JSON, and the rules that were asked on the way."""
    made = as_written(game, example)
    return msgspec.json.decode(encode(made.ruling)), made.rules


@remembered
def weighed(game: Arbiter, example: Example) -> Mapping[str, Any]:
    """Give the odds of an example's question as JSON."""
    return examples_of.run_odds(game, example)


@contextmanager
def touched() -> Iterator[set[str]]:
    """Note which rules are asked inside the block."""
    rules: set[str] = set()

    def noted(table: Any, at_work: Rule[..., Any] | None) -> None:
        if at_work is not None:
            rules.add(at_work.id)
        vars(table)["rule"] = at_work

    # A rule that is asked says at its table that it is at work.
    with patch.object(Table, "rule", property(lambda table: vars(table).get("rule"), noted)):
        yield rules


@contextmanager
def filled_in() -> Iterator[dict[str, Mapping[str, Any]]]:
    """Note which texts are filled in inside the block, each with the first values it has."""
    texts: dict[str, Mapping[str, Any]] = {}

    def noted(text: str, values: Mapping[str, Any]) -> str:
        if text not in texts:
            texts[text] = dict(values)
        return format_text(text, values)

    with patch("arbiter.table.format_text", noted):
        yield texts
