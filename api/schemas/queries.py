"""The query strings of look-ups: one schema each, which says the parameters, their bounds and their defaults."""

from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import Any

import marshmallow
from flask import Response, request
from marshmallow import ValidationError, pre_load
from werkzeug.datastructures import MultiDict

from api.schemas.compound_fields import Object
from api.schemas.field_errors import FieldError, faults_of, flatten
from api.schemas.fields import Integer, JsonField, Number, OneOf, String
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.sources.lookup.cards import CARDS, MOST_CARDS
from arbiter.sources.lookup.words import MOST_CHARACTERS

View = Callable[..., Response]

_QUERY = "query"


class QuerySchema(marshmallow.Schema):
    """The base of these schemas: parameters are text, which stands for a number where its field asks for one."""

    @pre_load
    def _from_text(self, values: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        read = {name: field.from_text for name, field in self.fields.items() if isinstance(field, JsonField)}
        return {name: read[name](value) if isinstance(value, str) else value for name, value in values.items()}


class RulesQuery(QuerySchema):
    """What is looked up in the rules of a game, or which page of their list."""

    q = String(
        max_length=MOST_CHARACTERS,
        load_default="",
        description="A question as a player asks it, with its story; without it all entries are listed.",
    )
    kind = OneOf(("unit", "rule", "reading"), load_default=None, description="Only entries of this kind.")
    cursor = String(
        pattern=r"^from-[0-9]{1,9}(?!\n)$",
        load_default=None,
        description="Of the list, `next` of the page before; leave it out at first.",
    )
    limit = Integer(
        ge=1,
        le=200,
        load_default=None,
        description=f"Entries of one page of the list, 50 by default; with `q` cards, {CARDS} by default "
        f"and {MOST_CARDS} at most.",
    )


class AllRulesQuery(QuerySchema):
    """What is looked up in the rules of all games."""

    q = String(
        min_length=1,
        max_length=MOST_CHARACTERS,
        required=True,
        description="A question as a player asks it, with its story.",
    )
    limit = Integer(ge=1, le=MOST_CARDS, load_default=None, description=f"Cards, {CARDS} by default.")


class JobsQuery(QuerySchema):
    """Which page of the caller's jobs."""

    after = String(
        min_length=1, max_length=100, load_default=None, description="`next` of the page before; leave it out at first."
    )
    limit = Integer(ge=1, le=100, load_default=20, description="Jobs of one page.")


class MapQuery(QuerySchema):
    """For which game a map is meant, and how large it is on the table."""

    game = String(min_length=1, max_length=120, required=True, description="The game whose board it becomes.")
    square = Number(
        ge=1 / PER_UNIT,
        le=100,
        load_default=1.0,
        description="The side of a square of the map, in the lengths of the game.",
    )
    thickness = Number(
        ge=10 / PER_UNIT,
        le=1,
        load_default=0.1,
        description="How thick a wall is, which a map draws as a line without any.",
    )


class PictureQuery(QuerySchema):
    """How a picture is drawn."""

    theme = OneOf(
        ("auto", "light", "dark"),
        load_default="auto",
        description="The colours: `auto` follows the reader's page; a PNG, which cannot, is light then.",
    )
    crop = OneOf(
        ("all", "focus"), load_default="all", description="The whole board, or what the question is about, enlarged."
    )
    head = OneOf(("yes", "no"), load_default="yes", description="Whether title and sentence stand above the board.")
    ground = String(
        pattern=r"^([0-9a-f]{16})?(?!\n)$",
        load_default="",
        description="The ground that the client has, by `data-ground` of an SVG: the same is left out of the next one.",
    )


def query(schema: type[QuerySchema]) -> Callable[[View], View]:
    """Decorate a view that gets the parameters of its query string as arguments; `Faults` if they are wrong."""

    def decorate(view: View) -> View:
        @wraps(view)
        def with_parameters(**path: Any) -> Response:
            return view(**path, **load_parameters(schema, request.args))

        setattr(with_parameters, _QUERY, schema)
        return with_parameters

    return decorate


def query_of(view: View) -> type[QuerySchema] | None:
    """Give the schema of the query string that a view takes."""
    return getattr(view, _QUERY, None)


def load_parameters(schema: type[QuerySchema], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Load parameters with their defaults; raises `Faults` with pointers such as `/limit` for what is wrong."""
    if isinstance(parameters, MultiDict):
        error = FieldError("duplicate-field", "stands more than once", expected="each parameter once")
        if repeated := [((name,), error) for name, values in parameters.lists() if len(values) > 1]:
            raise faults_of(repeated)
        parameters = parameters.to_dict()
    try:
        loaded: dict[str, Any] = _object(schema).deserialize(parameters)
    except ValidationError as refusal:
        raise faults_of(list(flatten(refusal.messages))) from None
    return loaded


@cache
def _object(schema: type[QuerySchema]) -> Object:
    loader = schema()
    return Object(tuple(loader.fields), lambda: loader)


def describe_parameters(schema: type[QuerySchema]) -> list[dict[str, Any]]:
    """Describe the parameters of a query string for the contract."""
    return [
        {
            "name": name,
            "in": "query",
            "required": field.required,
            "description": field.description + _default(field),
            "schema": _describe(field),
        }
        for name, field in schema().fields.items()
        if isinstance(field, JsonField)
    ]


_BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}


def _describe(field: JsonField) -> dict[str, Any]:
    described: dict[str, Any]
    match field:
        case OneOf():
            described = {"type": "string", "enum": [value for _, value in field.table]}
        case Integer() | Number():
            bounds = {_BOUNDS[name]: bound for name, bound in field.bounds.items()}
            described = {"type": "integer" if isinstance(field, Integer) else "number", **bounds}
        case String():
            words = {"minLength": field.min_length, "maxLength": field.max_length, "pattern": field.pattern}
            described = {"type": "string", **{word: bound for word, bound in words.items() if bound is not None}}
    return described


def _default(field: JsonField) -> str:
    # In words: generators of clients send a `default` that nobody wrote.
    return "" if field.required or field.load_default in (None, "") else f" Default: `{field.load_default}`."
