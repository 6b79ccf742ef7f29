"""The games that the gateway is tested with, what is posted to them, and what every problem has to be."""

import json
from collections.abc import Mapping
from copy import copy, deepcopy
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arbiter import registry
from arbiter.game import Arbiter
from arbiter.question import Question

TEMPLATE = registry.load("services._template")
GAMES = {TEMPLATE.name: TEMPLATE, **registry.games()}

ATTACK = f"/v1/games/{TEMPLATE.name}/attack"
MOVES = f"/v1/games/{TEMPLATE.name}/moves"
BATTLE = f"/v1/games/{TEMPLATE.name}/battle"

_SCENE = {
    "radius_hexes": 4,
    "fighters": [
        {"id": "ann", "side": "red", "profile": "gunner", "hex": [0, 0]},
        {"id": "bob", "side": "blue", "profile": "scout", "hex": [2, 0]},
    ],
}


def attack(**members: Any) -> dict[str, Any]:
    """Give a body that asks what happens when Ann shoots at Bob, two hexes away."""
    return {"case": {"scene": deepcopy(_SCENE), "attacker": "ann", "target": "bob"}, **members}


def with_questions(game: Arbiter, **questions: Question[Any, Any, Any]) -> Arbiter:
    """Give the same game with some questions more, or others in their place."""
    other = copy(game)
    other.questions = {**game.questions, **questions}
    return other


def ask(client: FlaskClient, path: str, body: Any, **more: Any) -> TestResponse:
    """Post a body as JSON."""
    return client.post(path, data=body if isinstance(body, bytes) else json.dumps(body), **{**_JSON, **more})


_JSON: Mapping[str, Any] = {"content_type": "application/json"}


def problem(answer: TestResponse, status: int, slug: str) -> dict[str, Any]:
    """Give the problem of an answer, if it is what every problem has to be: of this kind, and readable by any page."""
    assert answer.status_code == status, answer.get_data(as_text=True)
    assert answer.content_type == "application/problem+json"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "X-Request-Id" in answer.headers["Access-Control-Expose-Headers"]
    told: dict[str, Any] = json.loads(answer.data)
    assert {"type", "title", "status", "detail", "instance", "request_id", "errors"} <= told.keys()
    assert told["type"] == f"/problems/{slug}"
    assert told["status"] == status
    assert told["request_id"] == answer.headers["X-Request-Id"]
    assert "Traceback" not in answer.get_data(as_text=True)
    return told


def codes(told: Mapping[str, Any]) -> dict[str, str]:
    """Give the code of every fault of a problem, by its place."""
    return {fault["pointer"]: fault["code"] for fault in told["errors"]}
