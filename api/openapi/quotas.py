"""The part of the contract about rates: the fields that say how a quota stands, and the answer when it is spent."""

from typing import Any

Schema = dict[str, Any]

HEADERS: dict[str, Schema] = {
    "RateLimit": {
        "description": "How the caller's quota stands (draft-ietf-httpapi-ratelimit-headers): `r` units remain, and "
        "in `t` seconds all of them do; on a 429, the refused request can be sent again then.",
        "schema": {"type": "string"},
        "example": '"burst";r=590;t=61',
    },
    "RateLimitPolicy": {
        "description": "The policy: `q` units of cost in a window of `w` seconds.",
        "schema": {"type": "string"},
        "example": '"burst";q=600;w=60',
    },
}
"""Headers of every answer that takes from a quota, by their name among the components."""

_TOLD: Schema = {
    "RateLimit": {"$ref": "#/components/headers/RateLimit"},
    "RateLimit-Policy": {"$ref": "#/components/headers/RateLimitPolicy"},
}
_REFUSED = {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}, **_TOLD}


def add_rates(document: Schema) -> None:
    """Add to a contract what holds for every operation that takes from a quota."""
    components = document["components"]
    components["headers"] = {**components.get("headers", {}), **HEADERS}
    responses = components["responses"]
    for path, by_method in document["paths"].items():
        for operation in by_method.values():
            if not path.startswith("/v1/") or path == "/v1/limits":
                continue
            operation["responses"] = _refusable(operation["responses"])
            for status, response in operation["responses"].items():
                if status.startswith("2"):
                    named = responses.get(response.get("$ref", "").rpartition("/")[2], response)
                    named["headers"] = {**named.get("headers", {}), **_TOLD}
    for name, response in responses.items():
        if "TooManyRequests" in name:
            response["headers"] = _REFUSED


def _refusable(found: Schema) -> Schema:
    """Give the responses of an operation with that of a spent quota, in the order of their statuses."""
    spent = {"429": {"$ref": "#/components/responses/TooManyRequests"}}
    return dict(sorted({**spent, **found}.items()))
