"""Early refusals: the answer to what never became a request, because it is malformed, too long, or too slow.

The app never sees such a request, yet its answer is a problem like any other: with a name that stands in the log, and
to be read by the pages that may read answers at all.
"""

from http import HTTPStatus
from typing import Any

from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine, ParseException, UnsupportedTransferCoding
from gunicorn.util import http_date

from api.problems.catalogue import KINDS
from api.problems.handlers import Problem
from api.schemas import codec
from api.schemas.responses import PROBLEM

_BY_ERROR: dict[type[Exception], str] = {
    LimitRequestLine: "line-too-long",
    LimitRequestHeaders: "head-too-large",
    UnsupportedTransferCoding: "unknown-coding",
}


def refusal(slug: str, detail: str, app: Any, origin: str = "", seconds: float = 0.0) -> bytes:
    """Give the whole answer that refuses a request in this way; `app` counts and logs it, if it does so of others."""
    kind = KINDS[slug]
    problem = Problem(
        type=kind.path, title=kind.title, status=kind.status, detail=detail, instance="", request_id="",
    )  # fmt: skip
    body = codec.encode(problem)
    lines = (
        f"HTTP/1.1 {kind.status} {HTTPStatus(kind.status).phrase}",
        f"Date: {http_date()}",
        "Connection: close",
        f"Content-Type: {PROBLEM}",
        f"Content-Length: {len(body)}",
    )
    return "\r\n".join((*lines, "", "")).encode("latin-1") + body


def slug_of(error: ParseException) -> str:
    """Name the kind of problem that an error of the parser is."""
    return next((slug for kind, slug in _BY_ERROR.items() if isinstance(error, kind)), "bad-request")


def detail_of(error: ParseException) -> str:
    """Say what the parser found, without repeating what was sent."""
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in type(error).__name__).strip()
    return f"The request is not HTTP as this service reads it: {words}."
