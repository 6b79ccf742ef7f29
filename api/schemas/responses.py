"""Answers: how a value of ours becomes a response, and whether the client takes it in that form."""

from typing import Any

from flask import Response, request
from werkzeug.exceptions import NotAcceptable

from api.schemas import codec

JSON = "application/json"
ANY = "*/*"
PROBLEM = "application/problem+json"
CSV = "text/csv"
SVG = "image/svg+xml"
PNG = "image/png"
SHEET = "application/vnd.arbiter.sheet+json"
EVENTS = "text/event-stream"
YAML = "application/yaml"
HTML, TEXT, MARKDOWN = "text/html", "text/plain", "text/markdown"

Links = dict[str, str]
"""Paths that lead on from an answer, by their relation."""


def json_response(value: Any, status: int = 200, media_type: str = JSON) -> Response:
    """Give a value as JSON."""
    return Response(codec.encode(value), status, content_type=media_type)


def accept_json() -> None:
    """Refuse a client that takes no JSON at all; most say nothing, or that they take anything."""
    if request.environ.get("HTTP_ACCEPT", "") not in ("", ANY, JSON):
        accept(JSON, PROBLEM)


def accept(*forms: str) -> str:
    """Give the form that the client likes best of those there are, the first where it likes several equally.

    Refuses a client that takes none of them; who says nothing takes the first.
    """
    accepted = request.accept_mimetypes
    if not accepted:
        return forms[0]
    best = max(forms, key=accepted.quality)
    if accepted.quality(best) <= 0:
        raise NotAcceptable()
    return best
