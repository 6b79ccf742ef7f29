"""Pages of other origins: which may read answers, and which headers they may send."""

import re
from collections.abc import Sequence

from flask import Flask, Response
from flask_cors import CORS

METHODS = ["GET", "HEAD", "POST", "QUERY", "PUT", "DELETE", "OPTIONS"]

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

MAX_AGE_S = 86_400
"""Seconds for which a browser caches a preflight."""


def init_app(app: Flask, origins: Sequence[str]) -> None:
    """Let pages of these origins read the answers of the app; `*` lets in every page.

    The service uses no cookies or passwords, so a page can read no more than a script.
    """
    everyone = "*" in origins
    # As patterns, because Flask-Cors reads a name with brackets or a star as one.
    exact = [re.compile(rf"{re.escape(origin)}\Z", re.IGNORECASE) for origin in origins]
    CORS(
        app,
        origins="*" if everyone else exact,
        send_wildcard=everyone,
        always_send=everyone,
        vary_header=False,
        methods=METHODS,
        allow_headers=SENDABLE.split(", "),
        expose_headers=READABLE,
        max_age=MAX_AGE_S,
        intercept_exceptions=False,
    )
    if not everyone:

        @app.after_request
        def vary(response: Response) -> Response:
            # Flask-Cors adds it only for allowed origins, and a cache would send its answer to others.
            response.vary.add("Origin")
            return response
