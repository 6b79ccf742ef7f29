"""Pages of other origins: which may read our answers, and what a browser is told that asks before it posts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Headers = tuple[tuple[str, str], ...]

METHODS = "GET, HEAD, POST, QUERY, PUT, DELETE, OPTIONS"

READABLE = (
    "X-Request-Id, Location, Retry-After, Link, Preference-Applied, Allow, Accept, Accept-Encoding, Accept-Query, "
    "ETag, Content-Location, WWW-Authenticate, RateLimit, RateLimit-Policy"
)
"""Headers that a page in a browser may read."""

SENDABLE = (
    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, "
    "Traceparent, X-Request-Id"
)
"""Headers that a page in a browser may send."""

ASKED_AGAIN_S = 86_400
"""Seconds for which a browser need not ask again."""

_PREFLIGHT: Headers = (
    ("Access-Control-Allow-Methods", METHODS),
    ("Access-Control-Allow-Headers", SENDABLE),
    ("Access-Control-Max-Age", str(ASKED_AGAIN_S)),
)
# The same path answers each origin differently, and no cache may mix them up.
_BY_ORIGIN: Headers = (("Vary", "Origin"),)


def letting_in(origins: Sequence[str]) -> Callable[[Mapping[str, Any]], Headers]:
    """Give what is said to each request, by its WSGI environment, so that pages of these origins may read the answer.

    `*` lets every page in. Nothing here knows cookies or passwords, so that a page learns no more than a script does.
    """
    known = {origin: (*(_BY_ORIGIN if origin != "*" else ()), *_readable(origin)) for origin in origins}
    # Where every page is let in, all are told the same, whether they say where they come from or not.
    others = known.get("*", _BY_ORIGIN)
    everyone = "*" in known

    def said(environ: Mapping[str, Any]) -> Headers:
        found = others if everyone else known.get(environ.get("HTTP_ORIGIN", ""), others)
        asks_first = environ["REQUEST_METHOD"] == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ
        return (*found, *_PREFLIGHT) if asks_first and found is not _BY_ORIGIN else found

    return said


def _readable(origin: str) -> Headers:
    return ("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", READABLE)
