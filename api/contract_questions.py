"""The part of the contract about questions: what is posted, what is answered, and an example of both that was run."""

from collections.abc import Iterator, Sequence
from inspect import cleandoc
from typing import Any, cast

from api import wire
from api.bodies import ask_type, odds_type
from api.contract_words import refusals
from api.shelf import Shelf, asked
from arbiter import example
from arbiter.arbiter import PathBudgetExceeded
from arbiter.example import Example
from arbiter.question import Question
from arbiter.ruling import Odds, Ruling

MOST_SHOWN = 10_000
"""Bytes of the longest answer that is shown as an example; the body that asks for it is always shown."""

EXAMPLE_PATHS = 2_000
EXAMPLE_HEADS = 100
"""An example's law is walked when it has no more paths than this; otherwise its example counts so many heads, for the
contract is to be written in moments."""

REFUSED = ("bad-request", "not-acceptable", "too-large", "unsupported-media-type", "internal", "arbiter-away")

Schema = dict[str, Any]
Asking = Question[Any, Any, Any]


def kinds_of(question: Asking) -> tuple[Any, ...]:
    """Give the types of a question's paths: body and ruling, and where there are dice, body and odds."""
    ruling = (ask_type(question), cast(Any, Ruling)[question.answer])
    return (*ruling, odds_type(question), cast(Any, Odds)[question.answer]) if question.dice else ruling


def operations(shelf: Shelf, question: Asking, schemas: Sequence[Schema]) -> Iterator[tuple[str, Schema]]:
    """Give the paths of a question, each with its operation; the schemas are those of `kinds_of`."""
    path = f"/v1/games/{shelf.game.name}/{question.name}"
    first = next(iter(shelf.examples[question.name]), None)
    name = f"{shelf.game.name}_{question.name}".replace("-", "_")
    yield (
        path,
        {
            "operationId": name,
            "tags": [shelf.game.name],
            "summary": question.gist,
            "description": _description(question),
            **_traffic(schemas[0], schemas[1], "The ruling.", (*REFUSED, "invalid"), _ruled(shelf, first)),
        },
    )
    if question.dice:
        yield (
            f"{path}/odds",
            {
                "operationId": f"{name}_odds",
                "tags": [shelf.game.name],
                "summary": f"The odds of: {question.gist}",
                "description": "Every possible answer with its exact probability, or a crowd of games counted.",
                **_traffic(
                    schemas[2], schemas[3], "The law.", (*REFUSED, "invalid", "too-many-paths"), _weighed(shelf, first)
                ),
            },
        )


def _description(question: Asking) -> str:
    case, answer = (_said(kind) for kind in (question.case, question.answer))
    dice = "Dice have a part in it." if question.dice else "No dice have a part in it."
    return f"The case: {case}\n\nThe answer: {answer}\n\n{dice}"


def _said(kind: Any) -> str:
    return cleandoc(getattr(kind, "__doc__", None) or "")


def _traffic(
    posted: Schema, answered: Schema, gist: str, refused: Sequence[str], shown: tuple[Example, Any, Any] | None
) -> Schema:
    body: Schema = {"schema": posted}
    answer: Schema = {"schema": answered}
    if shown:
        first, said, got = shown
        body["examples"] = {"first": {"summary": first.title, "value": said}}
        if len(wire.encode(got)) <= MOST_SHOWN:
            answer["examples"] = {"first": {"summary": first.title, "value": got}}
    return {
        "requestBody": {"required": True, "content": {"application/json": body}},
        "responses": {"200": {"description": gist, "content": {"application/json": answer}}, **refusals(*refused)},
    }


def _ruled(shelf: Shelf, first: Example | None) -> tuple[Example, Any, Any] | None:
    return None if first is None else (first, asked(first), example.run(shelf.game, first))


def _weighed(shelf: Shelf, first: Example | None) -> tuple[Example, Any, Any] | None:
    if first is None:
        return None
    try:
        return first, first.odds_body(), example.run_odds(shelf.game, first, EXAMPLE_PATHS)
    except PathBudgetExceeded:
        body = {**first.odds_body(), "heads": EXAMPLE_HEADS}
        ask = wire.decode_object(odds_type(shelf.game.questions[first.question]), body)
        return first, body, wire.to_builtins(shelf.game.odds(first.question, ask, EXAMPLE_HEADS * 100))
