"""The part of the contract about one game: its questions, their odds and simulations, and its boards."""

from functools import cache
from pathlib import Path

from api.caching.board_library import BoardRef, board_type
from api.openapi.components import dice_questions_name, envelope_name
from api.openapi.operations import LASTING, Schema, camel, operation, reference, response, type_reference
from api.schemas.bodies import scene_type
from api.schemas.queries import PictureQuery
from api.schemas.responses import JSON
from api.web.services import PICTURE
from arbiter.game import Arbiter

PROSE = Path(__file__).parent / "prose"

_APPLIED = "Preference-Applied"
_JOB = reference("AcceptedJob", "responses")


@cache
def prose(name: str) -> str:
    """Read a text of the contract."""
    return (PROSE / f"{name}.md").read_text(encoding="utf-8")


def paths(game: Arbiter) -> dict[str, dict[str, Schema]]:
    """Give the paths of a game, each with its operations by method."""
    root = f"/v1/games/{game.name}"
    items = {f"{root}/{name}": {"post": _ruling(game, name)} for name in game.questions}
    if any(question.dice for question in game.questions.values()):
        items[f"{root}/{{question}}/odds"] = {"post": _odds(game)}
        items[f"{root}/{{question}}/simulations"] = {"post": _simulation(game)}
    if game.drawing is not None:
        items[f"{root}/{PICTURE}"] = {"post": _picture(game)}
    if board_type(game) is not None:
        items[f"{root}/boards/{{digest}}"] = {"get": _board(game), "put": _put_board(game)}
    return items


def _body(schema: Schema) -> Schema:
    return {JSON: {"schema": schema}}


def _ruling(game: Arbiter, name: str) -> Schema:
    answer = reference(envelope_name(game, name, "Ruling"))
    return operation(
        camel(game.name, name),
        game.name,
        game.questions[name].gist,
        {"200": response("The ruling.", answer, (_APPLIED, *LASTING), links=["Permalink"]), "202": _JOB},
        ("Prefer", "Idempotency-Key", "If-None-Match"),
        _body(reference(envelope_name(game, name, "Ask"))),
        **{"x-query": True},
    )


def _in_path(name: str, gist: str, schema: Schema) -> Schema:
    return {"name": name, "in": "path", "required": True, "description": gist, "schema": schema}


def _question(game: Arbiter) -> Schema:
    return _in_path("question", "A question in which dice have a part.", reference(dice_questions_name(game)))


def _odds(game: Arbiter) -> Schema:
    return operation(
        camel(game.name, "odds"),
        game.name,
        "Every possible answer of a question with its exact probability.",
        {"200": response("The law.", reference("Odds"), (_APPLIED, *LASTING), links=["Permalink"]), "202": _JOB},
        (_question(game), "Prefer", "Idempotency-Key", "If-None-Match"),
        _body(reference("AskOdds")),
        **{"x-query": True},
    )


def _simulation(game: Arbiter) -> Schema:
    gist = "Play a question many times and count the results, or sweep over values of the body."
    return operation(
        camel(game.name, "simulation"),
        game.name,
        gist,
        {
            "200": response(
                "The result, if it is there within the preferred wait.", reference("Simulated"), [_APPLIED]
            ),
            "202": _JOB,
        },
        (_question(game), "Prefer", "Idempotency-Key"),
        _body(reference("Simulation")),
    )


def _picture(game: Arbiter) -> Schema:
    case = _closed_object(scene=type_reference(scene_type(game)))
    return operation(
        camel(game.name, PICTURE),
        game.name,
        "Draw a scene.",
        {"200": reference("Picture", "responses")},
        list(PictureQuery().fields),
        _body(_closed_object(case=case)),
        **{"x-query": True},
    )


def _closed_object(**members: Schema) -> Schema:
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


_DIGEST = _in_path("digest", "The digest of the board.", {"type": "string", "pattern": "^[0-9a-f]{64}$"})


def _put_board(game: Arbiter) -> Schema:
    answer = response("The board was there, and stays.", type_reference(BoardRef), ["Location"])
    answer["links"] = {
        "Board": {"operationId": camel(game.name, "board"), "parameters": {"digest": "$request.path.digest"}}
    }
    return operation(
        camel(game.name, "put-board"),
        game.name,
        "Put a board under its digest.",
        {"200": answer, "201": {**answer, "description": "The board is there now."}},
        [_DIGEST],
        _body(type_reference(board_type(game))),
        description=prose("board"),
    )


def _board(game: Arbiter) -> Schema:
    return operation(
        camel(game.name, "board"),
        game.name,
        "Give a board back, as canonical JSON.",
        {
            "200": response("The board.", type_reference(board_type(game)), ["ETag"]),
            "304": response("The client has the board: what is under a digest never changes."),
        },
        [_DIGEST],
    )
