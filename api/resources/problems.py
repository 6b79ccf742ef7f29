"""Problems: every kind of problem, explained under the path that is its `type`."""

from flask import Blueprint, Response

from api.auth.callers import public
from api.openapi.operations import Operation
from api.problems.catalogue import KINDS, Kind
from api.problems.handlers import no_such
from api.schemas.responses import json_response

pages = Blueprint("problems", __name__)


@pages.get("/problems")
@Operation("problems", tuple[Kind, ...])
@public
def kinds() -> Response:
    """List the kinds of problems."""
    return json_response(tuple(KINDS.values()))


@pages.get("/problems/<slug>")
@Operation("problem", Kind)
@public
def kind(slug: str) -> Response:
    """Explain one kind of problem."""
    if slug not in KINDS:
        raise no_such("kind of problem", slug, KINDS)
    return json_response(KINDS[slug])
