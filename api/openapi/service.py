"""The shared part of the contract: look-ups, jobs, batches, maps, permalinks and the service itself."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, get_args

from flask import Flask

from api.auth.callers import is_public
from api.openapi.operations import Operation, Schema, component, operation_of, reference, response, type_reference
from api.openapi.questions import posted
from api.problems.catalogue import KINDS
from api.resources import blueprints
from api.resources.batch import Answers
from api.resources.batch_items import Batch
from api.resources.board_import import ImportedBoard
from api.schemas.json_schema import json_schema
from api.schemas.queries import MapQuery, describe_parameters, query_of
from api.settings import Settings
from api.signing.epochs import EXAMPLE
from arbiter.game import Arbiter

_OF_PATHS = {"/v1/jobs": "jobs", "/v1/rulings": "rulings", "/v1/": "look-up", "/": "service"}
"""The tags of look-ups, by the prefix of their paths."""


class Page(NamedTuple):
    """A page that is looked up: its path, method and tag, the view that answers it, and the view's description."""

    path: str
    method: str
    tag: str
    view: Callable[..., Any]
    operation: Operation


@cache
def pages() -> tuple[Page, ...]:
    """Give every page that is looked up, from the decorators of the views."""
    app, listed = Flask(__name__), []
    for blueprint in blueprints():
        app.register_blueprint(blueprint)
    for rule in app.url_map.iter_rules():
        view = app.view_functions[rule.endpoint]
        if described := operation_of(view):
            path = re.sub(r"<(?:path:)?(\w+?)_?>", r"{\1}", rule.rule)
            tag = next(tag for start, tag in _OF_PATHS.items() if path.startswith(start))
            method = "get" if "GET" in (rule.methods or ()) else "delete"
            listed.append(Page(path, method, tag, view, described))
    return tuple(listed)


def _kinds(answer: Any) -> tuple[Any, ...]:
    """Give the types that an answer may have."""
    return get_args(answer) if isinstance(answer, UnionType) else (answer,)


def answers() -> tuple[Any, ...]:
    """Give the types of answers that belong to no game."""
    looked_up = (page.operation.answer for page in pages())
    kinds = (kind for answer in looked_up if answer not in (None, Any) for kind in _kinds(answer))
    return (*kinds, Batch, Answers, ImportedBoard)


def paths(games: Mapping[str, Arbiter], settings: Settings) -> dict[str, dict[str, Schema]]:
    """Give the paths that all games share, each with its operations by method."""
    items: dict[str, dict[str, Schema]] = {}
    for page in pages():
        items.setdefault(page.path, {})[page.method] = _look_up(page)
    items["/v1/batch"] = posted("batch", most=str(settings.most_batch))
    items["/v1/boards/import"] = posted("import")
    items["/v1/boards/import"]["post"]["parameters"] = parameters = describe_parameters(MapQuery)
    if games:
        next(each for each in parameters if each["name"] == "game")["schema"] = reference("GameName")
    return items


def _look_up(page: Page) -> Schema:
    described, taken = page.operation, query_of(page.view)
    schema, gist = _schema(described.answer), (page.view.__doc__ or "").partition("\n")[0]
    answers = {"200": response(gist, schema, described.headers, described.forms, described.links)}
    for status, meaning in described.others.items():
        answers[status] = response(meaning, schema if status >= "400" else None, described.headers)
    named = [*re.findall(r"{(\w+)}", page.path), *described.takes]
    parameters = [reference(component(name), "parameters") for name in named]
    parameters += describe_parameters(taken) if taken else []
    return {
        "operationId": described.name,
        "tags": [page.tag],
        "summary": gist,
        **({"parameters": parameters} if parameters else {}),
        "responses": {**answers, "default": reference("Problem", "responses")},
        **({"security": []} if is_public(page.view) else {}),
    }


def _schema(answer: Any) -> Schema:
    if answer is None:
        return {"type": "object"}
    if isinstance(answer, UnionType):
        return {"oneOf": [type_reference(kind) for kind in _kinds(answer)]}
    return json_schema([answer])[1][0]


def path_parameters(games: Mapping[str, Arbiter]) -> dict[str, Schema]:
    """Give the parameters of look-ups by name, each with an existing value."""
    game = next(iter(games.values()), None)
    words: dict[str, tuple[str, Iterable[str]]] = {
        "game": ("The name of a game.", games),
        "table": ("The name of a data file.", game.catalog if game else ()),
        "question": ("The name of a question.", game.questions if game else ()),
        "id": ("The id of a unit, rule or reading; it may contain slashes.", game.ledger.units if game else ()),
        "epoch": ("The id of an epoch: its length in seconds, and its number.", (EXAMPLE,)),
        "slug": ("The kind of a problem, as in its `type`.", KINDS),
    }
    text: Schema = {"type": "string", "minLength": 1}
    parameters = {
        name: {"description": gist, "schema": text, **_example(values)} for name, (gist, values) in words.items()
    }
    if games:
        parameters["game"]["schema"] = reference("GameName")
    return parameters


def _example(names: Iterable[str]) -> Schema:
    return {"example": first} if (first := next(iter(names), None)) else {}
