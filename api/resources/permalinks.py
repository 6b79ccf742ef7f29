"""Permalinks: `GET /v1/rulings/{digest}`, a ruling or odds as they were answered, so that two players see the same.

`Accept` selects the form: JSON gives the same bytes as the answer, HTML a page, plain text and Markdown a few lines for
a chat. Anyone with the link may read it. The link is a digest of the whole question and, if dice were rolled for it, of
their faces; a client that can guess all of these could as well ask the question.
"""

import re
from datetime import UTC, datetime
from math import floor

from flask import Blueprint, Response, request

from api.caching.etags import DIGITS, PERMALINKS, refuse_unless_matching, tag_of
from api.caching.ruling_store import RulingStore
from api.openapi.operations import TAGGED, Operation
from api.pictures import making
from api.problems.handlers import STORE_BACK_S, ProblemError
from api.quotas import costs
from api.quotas.limiter import charge, charged
from api.schemas.responses import HTML, JSON, MARKDOWN, TEXT, accept
from api.web.services import services
from infra.errors import StoreUnavailable
from rendering.permalink_page import PAGE_HEADERS, markdown, page, text
from rendering.stored_ruling import StoredRuling
from rendering.table_link import table_link
from rendering.view import view_of

ROUTE = f"{PERMALINKS}/<digest>"

WORDS = (JSON, HTML, TEXT, MARKDOWN)
FORMS = (*WORDS, *making.FORMS)
"""The forms of a stored ruling; the first is the default."""

FRESH_PAGE_S = 3_600
"""Seconds for which a page may be taken from a cache: the next version may render the ruling differently."""

_ID = re.compile(rf"[0-9a-f]{{{DIGITS}}}")
_HOST = re.compile(r"[A-Za-z0-9.\[\]:-]{1,255}")
_NOT_STORED = {"Cache-Control": "no-store"}


pages = Blueprint("permalinks", __name__)


@pages.get(ROUTE)
@Operation("permalink", forms=FORMS, **TAGGED)
@charged(costs.LOOKUP)
def ruling(digest: str) -> Response:
    """Show a ruling or odds: to programs, as a page, or in a few lines."""
    form = accept(*FORMS)
    rulings = services().responses.rulings
    stored = find_ruling(rulings, digest)
    if form == JSON:
        content = stored.answer
    elif form in making.FORMS:
        charge(costs.PICTURE)
        content = making.draw(making.of_stored(stored), form, "auto", "all", "yes", "")
    else:
        content = _readable(stored, digest, form, rulings.expiry_s)
    plain = form == JSON or form in making.FORMS
    answer = Response(content, content_type=form if plain else f"{form}; charset=utf-8")
    if form != JSON:
        answer.headers.extend(making.HEADERS if plain else PAGE_HEADERS)
    return lasting(answer, stored, digest if form == JSON else "")


def lasting(answer: Response, stored: StoredRuling, tag: str = "") -> Response:
    """Let a form of a stored ruling be cached: with its own tag it never changes, and lasts as long as the ruling."""
    seconds = max(0, floor(services().responses.rulings.seconds_left(stored)))
    stays = f"max-age={seconds}, immutable" if tag else f"max-age={min(seconds, FRESH_PAGE_S)}"
    answer.headers["Cache-Control"], answer.headers["Vary"] = f"public, {stays}", "Accept"
    answer.set_etag(tag or tag_of(answer.get_data()))
    refuse_unless_matching(answer.get_etag()[0] or "")
    answer.make_conditional(request)
    return answer


def find_ruling(rulings: RulingStore, digest: str) -> StoredRuling:
    """Give a stored ruling; raises `ProblemError` if there is none."""
    try:
        stored = rulings.find(digest) if _ID.fullmatch(digest) else None
    except StoreUnavailable as away:
        detail = "The store of rulings is unavailable; try again."
        raise ProblemError("store-away", detail, headers={"Retry-After": str(STORE_BACK_S), **_NOT_STORED}) from away
    if stored is None:
        detail = f"No ruling is stored under this address; rulings expire after {rulings.expiry_s:,} seconds."
        raise ProblemError("not-found", detail, headers=_NOT_STORED)
    return stored


def _readable(stored: StoredRuling, digest: str, form: str, kept_s: int) -> bytes:
    view = view_of(stored, services().games)
    if view is None:
        raise ProblemError(
            "not-acceptable", "Another version of this service made the ruling; it is available as JSON."
        )
    path = f"{PERMALINKS}/{digest}"
    if form == HTML:
        until = datetime.fromtimestamp(stored.made + kept_s, UTC).strftime("%d %B %Y, %H:%M UTC")
        shared = making.link_preview(stored, view.verdict, linked_from_chats(path))
        table = table_link(services().games[stored.game], stored)
        return page(view, stored, path, until, shared, table).encode()
    return (text if form == TEXT else markdown)(view, linked_from_chats(path)).encode()


def linked_from_chats(path: str) -> str:
    """Give a path as a chat needs it: with the host of the request, if that is a valid host name."""
    return request.url_root.rstrip("/") + path if _HOST.fullmatch(request.host) else path
