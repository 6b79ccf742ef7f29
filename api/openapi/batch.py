"""The part of the contract about batches, with an example that was run."""

from collections.abc import Mapping
from typing import Any

import msgspec

from api.openapi.words import BATCHED, refusals
from api.resources.batch import Answer, Answers
from api.resources.batch_items import Batch
from api.schemas import codec
from api.schemas.responses import JSON
from api.settings import Settings
from arbiter.sources import examples
from arbiter.sources.catalogue import GameCatalogue, asked

Schema = dict[str, Any]

KINDS = (Batch, Answers)
"""The types of body and answer."""

_MEANING = """\
Each query says what a request of its own would: `game`, `question`, `kind` (a ruling, or the odds), and the members of
the body. What many have in common stands in `defaults`, members of the case one by one; a query takes from there what
it does not say itself and its question has. `scenes` are scenes by a name that may stand in the place of a scene. The
answers come in the order of the queries, each with the status and the very body that it would have alone; one bad query
harms no other. A question so heavy that it becomes a job is refused as `alone`; what is not begun in time is
`out-of-time`. `Prefer` and `Idempotency-Key` mean nothing here."""


def operations(shelves: Mapping[str, GameCatalogue], settings: Settings) -> Schema:
    """Give the path of batches, with its operation."""
    body: Schema = {"schema": _reference(Batch)}
    answer: Schema = {"schema": _reference(Answers)}
    shown = _shown(shelves)
    if shown is not None:
        said, got = shown
        body["examples"] = {"first": {"summary": "One question, asked of one scene under two seeds.", "value": said}}
        answer["examples"] = {"first": {"summary": "Both rulings.", "value": got}}
    operation = {
        "operationId": "batch",
        "tags": ["batch"],
        "summary": f"Ask up to {settings.most_batch} questions of any games at once.",
        "description": _MEANING,
        "parameters": [],
        "requestBody": {"required": True, "content": {JSON: body}},
        "responses": {"200": {"description": "The answers.", "content": {JSON: answer}}, **refusals(*BATCHED)},
    }
    return {"/v1/batch": {"post": operation}}


def _shown(shelves: Mapping[str, GameCatalogue]) -> tuple[Any, Any] | None:
    """Give a batch of two queries, and its answer."""
    for shelf in shelves.values():
        for name, question in shelf.game.questions.items():
            first = next((one for one in shelf.examples[name] if "throws" not in one.dice), None)
            if first is None or not question.dice or question.cost is not None:
                continue
            body = codec.to_builtins(asked(first))
            queries = [{"dice": {**body["dice"], "seed": seed}} for seed in ("one", "two")]
            answers = []
            for query in queries:
                each = msgspec.structs.replace(first, dice=query["dice"])
                answers.append(Answer(200, examples.run(shelf.game, each)))
            said = {"defaults": {"game": shelf.game.name, "question": name, **body}, "queries": queries}
            return said, codec.to_builtins(Answers(tuple(answers)))
    return None


def _reference(kind: Any) -> Schema:
    return {"$ref": f"#/components/schemas/{codec.component_name(kind)}"}
