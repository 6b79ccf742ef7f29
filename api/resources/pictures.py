"""Pictures: `POST` or `QUERY /v1/games/{game}/picture` for a scene alone, and those of stored rulings.

`/v1/rulings/{digest}.svg` and `.png` show the board with the additions of the answer, `/v1/rulings/{digest}/card.png`
the preview card of a link in a chat. The question itself answers with a picture, by `Accept`.
"""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response

from api.auth.callers import needs
from api.caching.etags import ASK_METHODS, PERMALINKS, tag_of
from api.openapi.operations import TAGGED, Operation
from api.pictures import making
from api.problems.handlers import ProblemError
from api.quotas import costs
from api.quotas.limiter import charged
from api.resources.permalinks import ROUTE, find_ruling, lasting
from api.schemas import request_body
from api.schemas.bodies import picture_type
from api.schemas.queries import PictureQuery, query
from api.schemas.responses import PNG, SVG, accept
from api.web.services import services
from rendering.stored_ruling import StoredRuling

FRESH_S = 3_600
"""Seconds for which the picture of a scene may be taken from a cache: the next version may draw it differently."""

pages = Blueprint("pictures", __name__)


@pages.route("/v1/games/<game>/picture", methods=ASK_METHODS)
@needs("ask")
@charged(costs.PICTURE)
@query(PictureQuery)
def picture(game: str, **look: Any) -> Response:
    """Draw a scene: the body is a case with only a scene, as for a question."""
    form = accept(*making.FORMS)
    arbiter = services().game(game)
    if arbiter.drawing is None:
        raise ProblemError("not-found", f"{arbiter.title} has no pictures.")
    body = request_body.body(services().settings.max_body_bytes)
    asked = services().bodies[game].decode(picture_type(arbiter), body).ask
    content = making.draw(making.of_scene(arbiter, asked.case.scene), form, **look)
    headers = {"Cache-Control": f"max-age={FRESH_S}", "ETag": f'"{tag_of(content)}"', "Vary": "Accept"}
    return Response(content, 200, {**headers, **making.HEADERS}, content_type=form)


@pages.get(f"{ROUTE}.svg")
@Operation("rulingPicture", forms=(SVG,), **TAGGED)
@charged(costs.PICTURE)
@query(PictureQuery)
def ruling_picture(digest: str, **look: Any) -> Response:
    """Draw a stored ruling: the board, and the additions of the answer."""
    return _lasting(digest, SVG, lambda stored: making.draw(making.of_stored(stored), SVG, **look))


@pages.get(f"{ROUTE}.png")
@Operation("rulingPicturePng", forms=(PNG,), **TAGGED)
@charged(costs.PICTURE)
@query(PictureQuery)
def ruling_picture_png(digest: str, **look: Any) -> Response:
    """Draw a stored ruling as PNG."""
    return _lasting(digest, PNG, lambda stored: making.draw(making.of_stored(stored), PNG, **look))


@pages.get(f"{ROUTE}/card.png")
@Operation("rulingCard", forms=(PNG,), **TAGGED)
@charged(costs.PICTURE)
def ruling_card(digest: str) -> Response:
    """Draw the card of a stored ruling, 1200 by 630: the verdict, dice, reasons with their sources, and the odds."""
    return _lasting(digest, PNG, lambda stored: making.card_of(stored, f"permalink {PERMALINKS}/{digest[:8]}…"))


def _lasting(digest: str, form: str, draw: Callable[[StoredRuling], bytes]) -> Response:
    stored = find_ruling(services().responses.rulings, digest)
    return lasting(Response(draw(stored), headers=making.HEADERS, content_type=form), stored)
