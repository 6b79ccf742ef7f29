"""Compression: text answers to GET are sent with gzip to clients that accept it, as behind nginx.

The tag of a compressed answer is the weak form of the plain one's, because its bytes differ (RFC 9110, 8.8.3.3); it
still matches in `If-None-Match`. Answers to questions are not compressed here: that takes longer than many rulings, and
their length must reveal nothing about their content. nginx passes compressed answers on unchanged.
"""

import gzip
from functools import lru_cache

from flask import Response, request

from api.schemas.responses import CSV, JSON, PROBLEM, SVG, YAML

FORMS = {*(JSON, PROBLEM, YAML, SVG, CSV), *("text/html", "text/css", "text/javascript", "text/markdown", "text/plain")}
"""Media types of answers that become shorter."""

LEAST_BYTES = 1_000
LEVEL = 6

LARGE_BYTES = 65_536
"""The least size of an answer whose compressed form is cached: contracts, lists of examples, scripts of a page."""

MOST_LARGE = 32


def compress(answer: Response) -> Response:
    """Compress an answer if that is worthwhile, and add the matching `Vary`."""
    if request.method not in ("GET", "HEAD") or (answer.mimetype not in FORMS and answer.status_code != 304):
        return answer
    answer.vary.add("Accept-Encoding")
    if (
        answer.status_code == 200
        and not answer.is_streamed
        and "Content-Encoding" not in answer.headers
        and request.accept_encodings.quality("gzip") > 0
        and len(content := answer.get_data()) >= LEAST_BYTES
    ):
        answer.set_data(_large(content) if len(content) >= LARGE_BYTES else _gzip(content))
        answer.headers["Content-Encoding"] = "gzip"
        tag, _ = answer.get_etag()
        if tag:
            answer.set_etag(tag, weak=True)
    return answer


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, LEVEL, mtime=0)


_large = lru_cache(maxsize=MOST_LARGE)(_gzip)
