"""Answers: how a value becomes a response, and whether the client accepts its form."""

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
"""The links of an answer, by relation."""


def json_response(value: Any, status: int = 200, media_type: str = JSON) -> Response:
    """Give a value as JSON."""
    return Response(codec.encode(value), status, content_type=media_type)


def accept_json() -> None:
    """Refuse a client that accepts no JSON; most send no `Accept`, or accept anything."""
    if request.environ.get("HTTP_ACCEPT", "") not in ("", ANY, JSON):
        accept(JSON, PROBLEM)


def accept(*forms: str) -> str:
    """Give the form that the client prefers among these, the first of several equally preferred ones.

    Refuses a client that accepts none of them; without `Accept` a client gets the first.
    """
    accepted = request.accept_mimetypes
    if not accepted:
        return forms[0]
    best = max(forms, key=accepted.quality)
    if accepted.quality(best) <= 0:
        raise NotAcceptable()
    return best
