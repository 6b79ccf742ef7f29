"""The part of the contract about boards that are put once: their path, and their name in every scene."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, get_type_hints

from api.caching.board_library import BoardRef, board_type, with_boards
from api.openapi.links import to_board
from api.openapi.words import GOT, PUT, refusals
from api.schemas import codec
from api.schemas.canonical_json import canonical
from api.schemas.responses import JSON
from arbiter.game import Arbiter
from arbiter.sources.catalogue import GameCatalogue

Schema = dict[str, Any]

KINDS = (BoardRef,)
"""The types of the answers."""

_MEANING = """\
The digest is the SHA-256, in lower-case hexadecimal, of the board's canonical JSON (RFC 8785). Once the board is there,
`{"ref": "sha256:…"}` stands for it in every scene of its game. It is kept for a stated time after its last use (see
`/v1/limits`); when it is gone, a question that names it is refused as `unknown-board`, and it can be put again."""


def kinds_of(games: Mapping[str, Arbiter]) -> tuple[Any, ...]:
    """Give the types of the boards that may be put, game by game."""
    return tuple(board_type(games[name]) for name in with_boards(games))


def with_references(components: dict[str, Schema], games: Mapping[str, Arbiter]) -> dict[str, Schema]:
    """Give the components with scenes that may name their board by its digest."""
    changed = dict(components)
    for game in (games[name] for name in with_boards(games)):
        for scene in {get_type_hints(question.case).get("scene") for question in game.questions.values()}:
            name = "" if scene is None else codec.component_name(scene)
            if "board" in changed.get(name, {}).get("properties", {}):
                board = changed[name]["properties"]["board"]
                whole = {word: board[word] for word in ("$ref", "allOf") if word in board}
                either = {"anyOf": [whole, _reference(BoardRef)]}
                rest = {word: value for word, value in board.items() if word not in whole}
                changed[name] = {
                    **changed[name], "properties": {**changed[name]["properties"], "board": {**either, **rest}}
                }  # fmt: skip
    return changed


def operations(shelves: Mapping[str, GameCatalogue]) -> Schema:
    """Give the path of a game's boards, with its operations, for every game whose scenes hold boards."""
    taking = with_boards({name: shelf.game for name, shelf in shelves.items()})
    return {f"/v1/games/{name}/boards/{{digest}}": _operations(shelves[name]) for name in taking}


def _example(shelf: GameCatalogue) -> Any:
    """Give the first board of a game's worked examples; where none says one, that of all defaults."""
    scenes = (each.case.get("scene", {}) for examples in shelf.examples.values() for each in examples)
    return codec.to_builtins(next((scene["board"] for scene in scenes if "board" in scene), {}))


def _operations(shelf: GameCatalogue) -> Schema:
    game = shelf.game
    board, shown, name = _reference(board_type(game)), _example(shelf), game.name.replace("-", "_")
    digest = {
        "name": "digest",
        "in": "path",
        "required": True,
        "description": "The digest of the board.",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "example": sha256(canonical(shown)).hexdigest(),
    }
    body = {"schema": board, "examples": {"first": {"summary": "A board of a worked example.", "value": shown}}}
    answer = {
        "headers": {"Location": {"description": "The path of the board.", "schema": {"type": "string"}}},
        "content": {JSON: {"schema": _reference(BoardRef)}},
        **to_board(f"{name}_board"),
    }
    put = {
        "operationId": f"{name}_board_put",
        "tags": [game.name],
        "summary": "Put a board under its digest.",
        "description": _MEANING,
        "parameters": [digest],
        "requestBody": {"required": True, "content": {JSON: body}},
        "responses": {
            "200": {"description": "The board was there, and is kept on.", **answer},
            "201": {"description": "The board is there now.", **answer},
            **refusals(*PUT),
        },
    }
    got = {
        "operationId": f"{name}_board",
        "tags": [game.name],
        "summary": "Give a board back that was put, as canonical JSON.",
        "description": "What is under a digest never changes; `If-None-Match` is answered with 304.",
        "parameters": [digest],
        "responses": {
            "200": {
                "description": "The board.",
                "headers": {"ETag": {"description": "The digest.", "schema": {"type": "string"}}},
                "content": {JSON: {"schema": board}},
            },
            "304": {"description": "The client has it."},
            **refusals(*GOT),
        },
    }
    return {"get": got, "put": put}


def _reference(kind: Any) -> Schema:
    return {"$ref": f"#/components/schemas/{codec.component_name(kind)}"}
