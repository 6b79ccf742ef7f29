"""Problems: every kind of problem, explained under the path that is its `type`."""

from flask import Blueprint, Response

from api.auth.callers import public
from api.openapi.operations import Operation
from api.problems.catalogue import KINDS, Kind
from api.problems.handlers import no_such
from api.resources.front.table import page_response
from api.schemas.responses import HTML, JSON, PROBLEM, accept, json_response
from rendering import docs_page

pages = Blueprint("problems", __name__)


@pages.get("/problems")
@Operation("problems", tuple[Kind, ...], forms=(JSON, HTML))
@public
def kinds() -> Response:
    """List the kinds of problems."""
    return _answer(tuple(KINDS.values()))


@pages.get("/problems/<slug>")
@Operation("problem", Kind, forms=(JSON, HTML))
@public
def kind(slug: str) -> Response:
    """Explain one kind of problem."""
    if slug not in KINDS:
        raise no_such("kind of problem", slug, KINDS)
    return _answer(KINDS[slug])


def _answer(found: Kind | tuple[Kind, ...]) -> Response:
    if accept(JSON, PROBLEM, HTML) == HTML:
        return page_response(docs_page.problems((found,) if isinstance(found, Kind) else found))
    answer = json_response(found)
    answer.vary.add("Accept")
    return answer
