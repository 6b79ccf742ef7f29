"""The part of the contract that all games share: look-ups, jobs, batches, maps, permalinks and the service itself."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, get_args

from flask import Flask

from api.auth.callers import is_public
from api.openapi.operations import (
    OF_A_JOB,
    Operation,
    Schema,
    operation,
    operation_of,
    reference,
    response,
    type_reference,
)
from api.openapi.questions import prose
from api.pictures.making import FORMS as PICTURES
from api.problems.catalogue import KINDS, Kind
from api.resources import blueprints
from api.resources.batch import Answers
from api.resources.batch_items import Batch
from api.resources.board_import import FORMS, ImportedBoard
from api.schemas.job_status import JobFacts
from api.schemas.queries import MapQuery, describe_parameters, query_of
from api.schemas.responses import JSON
from api.settings import Settings
from api.signing.epochs import EXAMPLE
from arbiter.game import Arbiter

TAGS = {
    "boards": "Boards from maps.",
    "batch": "Many questions at once.",
    "jobs": "Work that goes on by itself: simulations, and whatever is too heavy to wait for.",
    "look-up": "What there is to ask, and what the answers rest on.",
    "rulings": "Rulings and odds by their permalinks.",
    "service": "The service itself.",
}


_OF_PATHS = {"/v1/jobs": "jobs", "/v1/rulings": "rulings", "/v1/": "look-up", "/": "service"}
"""The tags of look-ups, by how their paths begin."""


class Page(NamedTuple):
    """A page that is looked up: its path, method and tag, the view that answers it, and what the view says of it."""

    path: str
    method: str
    tag: str
    view: Callable[..., Any]
    operation: Operation


@cache
def pages() -> tuple[Page, ...]:
    """Give every page that is looked up, as the views are decorated."""
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
    """Give the types of answers that the games have no part in."""
    looked_up = (page.operation.answer for page in pages())
    kinds = (kind for answer in looked_up if answer not in (None, Any) for kind in _kinds(answer))
    return (*kinds, Batch, Answers, ImportedBoard)


def paths(games: Mapping[str, Arbiter], settings: Settings) -> dict[str, dict[str, Schema]]:
    """Give the paths that all games share, each with its operations by method."""
    items: dict[str, dict[str, Schema]] = {}
    for page in pages():
        items.setdefault(page.path, {})[page.method] = _look_up(page)
    items["/v1/batch"] = {"post": _batch(settings)}
    items["/v1/boards/import"] = {"post": _board_import(games)}
    return items


def _look_up(page: Page) -> Schema:
    described, taken = page.operation, query_of(page.view)
    schema, gist = _schema(described.answer), (page.view.__doc__ or "").partition("\n")[0]
    answers = {"200": response(gist, schema, described.headers, described.forms, described.links)}
    for status, meaning in described.others.items():
        answers[status] = response(meaning, schema if status >= "400" else None, described.headers)
    names = re.findall(r"{(\w+)}", page.path)
    parameters = [*names, *described.takes, *(describe_parameters(taken) if taken else ())]
    more: Schema = {"security": []} if is_public(page.view) else {}
    return operation(described.name, page.tag, gist, answers, parameters, **more)


def _schema(answer: Any) -> Schema:
    if answer is Any:
        return {}
    if answer is None:
        return {"type": "object"}
    if isinstance(answer, UnionType):
        return {"oneOf": [type_reference(kind) for kind in _kinds(answer)]}
    if answer == tuple[Kind, ...]:
        return {"type": "array", "items": type_reference(Kind)}
    return type_reference(answer)


def _batch(settings: Settings) -> Schema:
    return operation(
        "batch",
        "batch",
        f"Ask up to {settings.most_batch} questions of any games at once.",
        {"200": response("The answers.", type_reference(Answers))},
        body={JSON: {"schema": type_reference(Batch)}},
        description=prose("batch"),
    )


def _board_import(games: Mapping[str, Arbiter]) -> Schema:
    parameters = describe_parameters(MapQuery)
    for parameter in parameters:
        if parameter["name"] == "game" and games:
            parameter["schema"] = reference("GameName")
    return operation(
        "importBoard",
        "boards",
        "Make a board of a map that was drawn for a virtual tabletop.",
        {"200": response("The board.", type_reference(ImportedBoard))},
        parameters,
        {form: {"schema": {"type": "object"}} for form in FORMS},
        description=prose("map"),
    )


def picture() -> Schema:
    """Describe the picture of a scene."""
    return response("The picture.", None, ("ETag", "Cache-Control"), PICTURES)


def accepted_answer() -> Schema:
    """Describe the answer to what became a job."""
    return response(
        "It is a job now, or was one before: the job as it stands.",
        type_reference(JobFacts),
        ("Location", "Retry-After", "Preference-Applied"),
        links=("Job", *OF_A_JOB),
    )


def path_parameters(games: Mapping[str, Arbiter]) -> dict[str, Schema]:
    """Give the parameters of look-ups by name, each with a value that is there."""
    game = next(iter(games.values()), None)
    words: dict[str, tuple[str, Iterable[str]]] = {
        "game": ("The name of a game.", games),
        "table": ("The name of a file of data.", game.catalog if game else ()),
        "question": ("The name of a question.", game.questions if game else ()),
        "id": ("The id of a unit, rule or reading; it may hold slashes.", game.ledger.units if game else ()),
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
