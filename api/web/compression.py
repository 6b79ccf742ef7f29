"""Compression: answers to GET that are text go out with gzip to clients that take it, as behind nginx.

The tag of a compressed answer is that of the plain one, weak, for its bytes are others (RFC 9110, 8.8.3.3): it still
counts in `If-None-Match`. Answers to questions are not compressed here: it takes longer than many rulings, and the
length of an answer tells nothing of what is in it. An answer that is compressed already passes nginx as it is.
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
"""Bytes from which on what was compressed stays in memory: contracts, lists of examples, the program of a page."""

MOST_LARGE = 32


def compress(answer: Response) -> Response:
    """Compress an answer where that is worth it, and say on what its form depends."""
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
