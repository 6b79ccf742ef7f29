"""The query strings of look-ups: one schema each, with the parameters, their bounds and their defaults."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import marshmallow
from flask import Response, request
from marshmallow import ValidationError, pre_load
from msgspec.inspect import FloatType, IntType, LiteralType, StrType
from werkzeug.datastructures import MultiDict

from api.schemas.derive import Typed, load_object
from api.schemas.field_errors import FieldError, faults_of, flatten
from api.schemas.json_schema import schema_of_part
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.sources.lookup.cards import CARDS, MOST_CARDS
from arbiter.sources.lookup.words import MOST_CHARACTERS

View = Callable[..., Response]

_QUERY = "query"


class QuerySchema(marshmallow.Schema):
    """The base of these schemas: parameters are text, which is read as a number if its field requires one."""

    @pre_load
    def _from_text(self, values: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        read = {name: field.from_text for name, field in self.fields.items() if isinstance(field, Typed)}
        return {name: read[name](value) if isinstance(value, str) else value for name, value in values.items()}


class RulesQuery(QuerySchema):
    """The look-up in the rules of a game, or the page of their list."""

    q = Typed(
        StrType(max_length=MOST_CHARACTERS),
        load_default="",
        description="A question as a player asks it, with its story; without it all entries are listed.",
    )
    kind = Typed(LiteralType(("unit", "rule", "reading")), load_default=None, description="Only entries of this kind.")
    cursor = Typed(
        StrType(pattern=r"^from-[0-9]{1,9}(?!\n)$"),
        load_default=None,
        description="For the list, `next` of the previous page; leave it out at first.",
    )
    limit = Typed(
        IntType(ge=1, le=200),
        load_default=None,
        description=f"Entries on one page of the list, 50 by default; with `q` cards, {CARDS} by default "
        f"and {MOST_CARDS} at most.",
    )


class AllRulesQuery(QuerySchema):
    """The look-up in the rules of all games."""

    q = Typed(
        StrType(min_length=1, max_length=MOST_CHARACTERS),
        required=True,
        description="A question as a player asks it, with its story.",
    )
    limit = Typed(IntType(ge=1, le=MOST_CARDS), load_default=None, description=f"Cards, {CARDS} by default.")


class JobsQuery(QuerySchema):
    """The page of the caller's jobs."""

    after = Typed(
        StrType(min_length=1, max_length=100),
        load_default=None,
        description="`next` of the previous page; leave it out at first.",
    )
    limit = Typed(IntType(ge=1, le=100), load_default=20, description="Jobs of one page.")


class MapQuery(QuerySchema):
    """The game of a map, and its size on the table."""

    game = Typed(StrType(min_length=1, max_length=120), required=True, description="The game of the board.")
    square = Typed(
        FloatType(ge=1 / PER_UNIT, le=100),
        load_default=1.0,
        description="The side of a square of the map, in the game's unit of length.",
    )
    thickness = Typed(
        FloatType(ge=10 / PER_UNIT, le=1),
        load_default=0.1,
        description="The thickness of walls, which a map draws as lines.",
    )


class PictureQuery(QuerySchema):
    """The options of a picture."""

    theme = Typed(
        LiteralType(("auto", "light", "dark")),
        load_default="auto",
        description="The colours: `auto` follows the reader's page; a PNG cannot, and is light then.",
    )
    crop = Typed(
        LiteralType(("all", "focus")),
        load_default="all",
        description="The whole board, or only the area of the question, enlarged.",
    )
    head = Typed(
        LiteralType(("yes", "no")), load_default="yes", description="Whether title and sentence are above the board."
    )
    ground = Typed(
        StrType(pattern=r"^([0-9a-f]{16})?(?!\n)$"),
        load_default="",
        description="The ground that the client has, by `data-ground` of an SVG; the next leaves an equal one out.",
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
    """Load parameters with their defaults; raises `Faults` with pointers such as `/limit`."""
    if isinstance(parameters, MultiDict):
        error = FieldError("duplicate-field", "occurs more than once", expected="each parameter once")
        if repeated := [((name,), error) for name, values in parameters.lists() if len(values) > 1]:
            raise faults_of(repeated)
        parameters = parameters.to_dict()
    try:
        loaded: dict[str, Any] = load_object(schema(), parameters)
    except ValidationError as refusal:
        raise faults_of(list(flatten(refusal.messages))) from None
    return loaded


def describe_parameters(schema: type[QuerySchema]) -> list[dict[str, Any]]:
    """Describe the parameters of a query string for the contract."""
    return [
        {
            "name": name,
            "in": "query",
            "required": field.required,
            "description": field.description + _default(field),
            "schema": schema_of_part(field.info),
        }
        for name, field in schema().fields.items()
        if isinstance(field, Typed)
    ]


def _default(field: Typed) -> str:
    # In words: client generators send a `default` that the user did not write.
    return "" if field.required or field.load_default in (None, "") else f" Default: `{field.load_default}`."
