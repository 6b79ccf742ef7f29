"""The part of the contract about answers that last: conditional requests, the method QUERY, and permalinks."""

from typing import Any

from api.caching.conditional import PERMALINKS, QUERY
from api.openapi.words import SHOWN, refusals
from api.resources.permalinks import HTML, MARKDOWN, TEXT
from api.schemas.responses import JSON

Schema = dict[str, Any]

_TAG = {"type": "string", "pattern": '^"[0-9a-f]{32}"$'}

HEADERS: dict[str, Schema] = {
    "ETag": {"description": "The tag of an answer that never changes.", "schema": _TAG},
    "ContentLocation": {
        "description": "The permalink of the ruling, or the result of the job that was waited for.",
        "schema": {"type": "string"},
    },
    "CacheControl": {"description": "Whether and for how long the answer may be kept.", "schema": {"type": "string"}},
    "AcceptQuery": {"description": "The forms of body that QUERY takes (RFC 10008).", "schema": {"type": "string"}},
}
"""Headers of answers that last, by their name among the components."""

PARAMETERS: dict[str, tuple[str, Schema]] = {
    "digest": (
        "path",
        {
            "description": "The digest of a ruling, as `Content-Location` gave it.",
            "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "example": "0123456789abcdef0123456789abcdef",
        },
    ),
    "IfNoneMatch": (
        "header",
        {
            "name": "If-None-Match",
            "description": "Tags of the answers that the client has.",
            "schema": {"type": "string"},
            "example": '"0123456789abcdef0123456789abcdef"',
        },
    ),
}
"""Parameters by their name among the components: where each is, and what it is."""

ASKED_WITH = ("IfNoneMatch",)
"""The parameters of every path on which a question may be asked again."""

HEADERS_LASTING: Schema = {
    name: {"$ref": f"#/components/headers/{component}"}
    for name, component in (
        ("ETag", "ETag"), ("Content-Location", "ContentLocation"), ("Cache-Control", "CacheControl"),
        ("Accept-Query", "AcceptQuery"),
    )
}  # fmt: skip

_UNCHANGED = "The client has the answer: `If-None-Match` names its tag."

BY_QUERY: Schema = {
    "method": QUERY,
    "description": f"The same question, asked by QUERY (RFC 10008; `Accept-Query: {JSON}`): safe, and never a "
    "job. The answers are those of POST, but 304 instead of 412 where the client has the answer, and no 202.",
    "responses": {"304": {"description": _UNCHANGED}},
}
"""What an operation says of QUERY, which OpenAPI 3.1 has no word for."""


def with_tag(operation: Schema) -> Schema:
    """Say of a look-up that its page has a tag, and is 304 for whoever has it."""
    headers = {name: HEADERS_LASTING[name] for name in ("ETag", "Cache-Control")}
    page, *refused = operation["responses"].items()
    given = {page[0]: {**page[1], "headers": headers}, "304": {"description": _UNCHANGED, "headers": headers}}
    return {
        **operation,
        "parameters": [*operation["parameters"], *ASKED_WITH],
        "responses": {**given, **dict(refused)},
    }


def operations() -> dict[str, Schema]:
    """Give the operations of permalinks by method, under their path."""
    words = {"schema": {"type": "string"}}
    headers = {name: HEADERS_LASTING[name] for name in ("ETag", "Cache-Control")}
    gist = "Show a ruling, or odds, as they were answered: to programs, as a page, or in a few lines for a chat."
    return {
        f"{PERMALINKS}/{{digest}}": {
            "get": {
                "operationId": "kept_ruling",
                "tags": ["rulings"],
                "summary": gist,
                "parameters": ["digest", "IfNoneMatch"],
                "responses": {
                    "200": {
                        "description": gist,
                        "headers": headers,
                        "content": {JSON: {"schema": {"type": "object"}}, HTML: words, TEXT: words, MARKDOWN: words},
                    },
                    "304": {"description": _UNCHANGED, "headers": headers},
                    **refusals(*SHOWN, "internal"),
                },
            }
        }
    }
