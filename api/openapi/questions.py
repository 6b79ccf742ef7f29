"""The part of the contract about questions: what is posted, what is answered, and an example of both that was run."""

from collections.abc import Iterator, Sequence
from inspect import cleandoc
from typing import Any, cast

import msgspec

from api.openapi.caching import ASKED_WITH, BY_QUERY, HEADERS_LASTING
from api.openapi.jobs import HANDED_IN_WITH, HEADERS_AT_ONCE, TAKEN
from api.openapi.links import OF_A_RULING
from api.openapi.signing import signed_ruling
from api.openapi.words import PLAYED, RULED, WEIGHED, refusals
from api.schemas import codec
from api.schemas.bodies import ask_type, odds_type, simulation_type
from arbiter import registry
from arbiter.game import PathBudgetExceeded
from arbiter.question import Question
from arbiter.ruling import Odds, Ruling
from arbiter.simulation.statistics import Simulated
from arbiter.sources import examples
from arbiter.sources.catalogue import GameCatalogue, asked
from arbiter.sources.examples import Example
from workers.jobs.work import Work, compute, result

MOST_SHOWN = 10_000
"""Bytes of the longest answer that is shown as an example; the body that asks for it is always shown."""

MOST_COUNTED_SHOWN = 3_000
"""And of the longest result of a simulation, which is the same for every question but for the names of metrics."""

EXAMPLE_PATHS = 2_000
EXAMPLE_MS = 10_000.0
EXAMPLE_HEADS = 25
"""An example's law is walked when it has no more paths than this, and would take no longer where the question says what
a game of it costs; otherwise its example counts so many heads, for the contract is to be written in moments."""

EXAMPLE_GAMES = 10
"""Games of an example of a simulation, which are played by way of the same functions as a worker's."""

Schema = dict[str, Any]
Asking = Question[Any, Any, Any]


def kinds_of(question: Asking) -> tuple[Any, ...]:
    """Give the types of body and answer of a question's paths: rulings, and with dice also odds and simulations."""
    ruling = (ask_type(question), cast(Any, Ruling)[question.answer])
    if not question.dice:
        return ruling
    odds = (odds_type(question), cast(Any, Odds)[question.answer])
    # Only where games are told whole does a result hold answers; all others have one and the same type.
    told = question.answer if question.told_by is not None else None
    return (*ruling, *odds, simulation_type(question), cast(Any, Simulated)[told])


def operations(shelf: GameCatalogue, question: Asking, schemas: Sequence[Schema]) -> Iterator[tuple[str, Schema]]:
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
            **_asked_again(
                _traffic(schemas[0], schemas[1], "The ruling.", RULED, _ruled(shelf, first), signed_ruling())
            ),
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
                **_asked_again(_traffic(schemas[2], schemas[3], "The law.", WEIGHED, _weighed(shelf, first))),
            },
        )
        yield (
            f"{path}/simulations",
            {
                "operationId": f"{name}_simulations",
                "tags": [shelf.game.name],
                "summary": f"Play many times: {question.gist}",
                "description": "What comes of many games, counted, with intervals; or a sweep over values of the body.",
                **_traffic(
                    schemas[4], schemas[5], "The result, where it was waited for and is there in time.", PLAYED,
                    _played(shelf, min(shelf.examples[question.name], key=_length, default=None)),
                ),
            },
        )  # fmt: skip


def _length(each: Example) -> int:
    # Of the same members as the body, which would be a copy.
    said = {"case": each.case, "policies": each.policies, "readings": each.readings}
    return len(codec.encode({member: value for member, value in said.items() if value or member == "case"}))


def _description(question: Asking) -> str:
    case, answer = (_said(kind) for kind in (question.case, question.answer))
    dice = "Dice have a part in it." if question.dice else "No dice have a part in it."
    return f"The case: {case}\n\nThe answer: {answer}\n\n{dice}"


def _said(kind: Any) -> str:
    return cleandoc(getattr(kind, "__doc__", None) or "")


def _traffic(
    posted: Schema,
    answered: Schema,
    gist: str,
    refused: Sequence[str],
    shown: tuple[Example, Any, Any] | None,
    forms: Schema | None = None,
) -> Schema:
    body: Schema = {"schema": posted}
    answer: Schema = {"schema": answered}
    if shown:
        first, said, got = shown
        body["examples"] = {"first": {"summary": first.title, "value": said}}
        if got is not None and len(codec.encode(got)) <= MOST_SHOWN:
            answer["examples"] = {"first": {"summary": first.title, "value": got}}
    answered = {
        "description": gist,
        "headers": HEADERS_AT_ONCE,
        "content": {"application/json": answer, **(forms or {})},
    }
    return {
        "parameters": list(HANDED_IN_WITH),
        "requestBody": {"required": True, "content": {"application/json": body}},
        "responses": {"200": answered, "202": TAKEN, **refusals(*refused)},
    }


def _asked_again(traffic: Schema) -> Schema:
    """Give what is said of a question whose answer lasts."""
    answered = traffic["responses"]["200"]
    return {
        **traffic,
        "x-query": BY_QUERY,
        "parameters": [*traffic["parameters"], *ASKED_WITH],
        "responses": {
            **traffic["responses"],
            "200": {**answered, "headers": {**answered["headers"], **HEADERS_LASTING}, **OF_A_RULING},
        },
    }


def _ruled(shelf: GameCatalogue, first: Example | None) -> tuple[Example, Any, Any] | None:
    return None if first is None else (first, asked(first), examples.run(shelf.game, first))


def _weighed(shelf: GameCatalogue, first: Example | None) -> tuple[Example, Any, Any] | None:
    if first is None:
        return None
    question = shelf.game.questions[first.question]
    try:
        return first, first.odds_body(), examples.run_odds(shelf.game, first, _paths(question, first))
    except PathBudgetExceeded:
        body = {**first.odds_body(), "heads": EXAMPLE_HEADS}
        ask = codec.decode_object(odds_type(question), body)
        return first, body, codec.to_builtins(shelf.game.odds(first.question, ask, EXAMPLE_HEADS * 100))


def _paths(question: Asking, first: Example) -> int:
    """Give how many paths are walked before heads are counted instead."""
    if question.cost is None:
        return EXAMPLE_PATHS
    case = codec.decode_object(odds_type(question), first.odds_body()).case
    return min(EXAMPLE_PATHS, int(EXAMPLE_MS / question.cost(question.prepare(case))))


def _played(shelf: GameCatalogue, shortest: Example | None) -> tuple[Example, Any, Any] | None:
    if shortest is None:
        return None
    body = {**shortest.odds_body(), "count": EXAMPLE_GAMES, "seed": 1}
    if registry.games().get(shelf.game.name) is not shelf.game:
        return shortest, body, None  # workers know the games of the registry and no others
    work = Work("simulation", shelf.game.name, shortest.question, codec.encode(body).decode())
    done = compute(work, range(EXAMPLE_GAMES), EXAMPLE_PATHS, lambda _: None)
    got = msgspec.json.decode(result(work, [done]))
    # A worker walks more paths than we do here, and may find the law where we give it up.
    shown = got["law"] != "too-many-paths" and len(codec.encode(got)) <= MOST_COUNTED_SHOWN
    return shortest, body, got if shown else None
