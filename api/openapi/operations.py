"""What operations have in common: names, answers with their headers, links to what comes next, and one problem."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from api.schemas import codec
from api.schemas.headers import KEY_PATTERN
from api.schemas.queries import PictureQuery, describe_parameters
from api.schemas.responses import JSON, PROBLEM, YAML
from arbiter.value import Value

Schema = dict[str, Any]
V = TypeVar("V", bound=Callable[..., Any])

_OPERATION = "operation"
_TEXT: Schema = {"type": "string"}
_ID: Schema = {"schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"}, "example": "0123456789abcdef" * 2}

HEADERS: dict[str, Schema] = {
    "CacheControl": {"description": "Whether and for how long the answer may be cached.", "schema": _TEXT},
    "ContentLocation": {"description": "The permalink of the ruling, or the result of the job.", "schema": _TEXT},
    "ETag": {"description": "The tag of an answer that never changes.", "schema": _TEXT},
    "Link": {"description": "Where the next page is (`rel=next`).", "schema": _TEXT},
    "Location": {"description": "The path of the job, or of the board.", "schema": _TEXT},
    "PreferenceApplied": {"description": "The preferences that the service followed.", "schema": _TEXT},
    "RateLimit": {
        "description": "On answers with a cost, a quota (draft-ietf-httpapi-ratelimit-headers): `r` units remain, and "
        "in `t` seconds all of them do; on a 429, the refused request can be sent again then.",
        "schema": _TEXT,
        "example": '"burst";r=590;t=61',
    },
    "RateLimitPolicy": {
        "description": "The policy: `q` units of cost in a window of `w` seconds.",
        "schema": _TEXT,
        "example": '"burst";q=600;w=60',
    },
    "RetryAfter": {"description": "Seconds to wait before the next try.", "schema": {"type": "integer", "minimum": 1}},
}
"""Headers by their name among the components."""

LASTING = ("ETag", "Content-Location", "Cache-Control")
"""The headers of an answer that may never change."""

PARAMETERS: dict[str, tuple[str, Schema]] = {
    "job": ("path", {"description": "The id of a job.", **_ID}),
    "digest": ("path", {"description": "The digest of a ruling, from `Content-Location`.", **_ID}),
    "Prefer": (
        "header",
        {
            "description": "RFC 7240: `respond-async` for a job, `wait=10` to wait for its result so many seconds.",
            "schema": _TEXT,
            "example": "wait=10",
        },
    ),
    "Idempotency-Key": (
        "header",
        {
            "description": "A string of the client's own, so that a body that is posted twice is one job.",
            "schema": {"type": "string", "pattern": KEY_PATTERN},
        },
    ),
    "If-None-Match": (
        "header",
        {"description": "Tags of answers that the client has.", "schema": _TEXT, "example": '"0123456789"'},
    ),
    **{
        each["name"]: ("query", {"description": each["description"], "schema": each["schema"]})
        for each in describe_parameters(PictureQuery)
    },
    "Last-Event-ID": (
        "header",
        {"description": "The id of the last event that was read, or `?last-event-id=`.", "schema": _TEXT},
    ),
}
"""Parameters: where each is, and what it is."""


def component(name: str) -> str:
    """Give the name of a header or parameter among the components."""
    return name.replace("-", "")


def reference(name: str, section: str = "schemas") -> Schema:
    """Refer to a component."""
    return {"$ref": f"#/components/{section}/{name}"}


def type_reference(kind: Any) -> Schema:
    """Refer to the schema of a type."""
    return reference(codec.component_name(kind))


def camel(*words: str) -> str:
    """Join words, and the parts of each, as a name in a program has them."""
    first, *others = [part for word in words for part in word.split("-")]
    return first + "".join(part.capitalize() for part in others)


def response(
    gist: str,
    schema: Schema | None = None,
    headers: Iterable[str] = (),
    forms: Iterable[str] = (JSON,),
    links: Iterable[str] = (),
) -> Schema:
    """Describe an answer: its JSON, the other forms it may have, its headers, and the links it leads to."""
    content = {form: {"schema": schema if form in (JSON, YAML) and schema is not None else _TEXT} for form in forms}
    answer: Schema = {"description": gist}
    if names := list(headers):
        answer["headers"] = {name: reference(component(name), "headers") for name in names}
    if schema is not None or JSON not in content:
        answer["content"] = content
    if targets := list(links):
        answer["links"] = {name: reference(name, "links") for name in targets}
    return answer


class Operation(Value, frozen=True):
    """What the contract says of a view beside its path, its docstring and its other decorators.

    `answer` is the type of its JSON, where that is one of ours. `takes` are headers of the request, `others` the
    statuses beside 200.
    """

    name: str
    answer: Any = None
    forms: tuple[str, ...] = (JSON,)
    links: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    others: dict[str, str] = {}

    def __call__(self, view: V) -> V:
        """Decorate the view."""
        setattr(view, _OPERATION, self)
        return view


def operation_of(view: Callable[..., Any]) -> Operation | None:
    """Give what the contract says of a view; None for one that is described elsewhere or not at all."""
    return getattr(view, _OPERATION, None)


TAGGED: dict[str, Any] = {
    "headers": ("ETag", "Cache-Control"),
    "takes": ("If-None-Match",),
    "others": {"304": "The client has the answer: `If-None-Match` names its tag."},
}
"""The members of an operation whose answer has a tag."""


def operation(
    name: str,
    tag: str,
    gist: str,
    answers: Mapping[str, Schema],
    parameters: Iterable[Any] = (),
    body: Schema | None = None,
    **more: Any,
) -> Schema:
    """Describe an operation: how it is called, what it takes, and what it answers; whatever else it says is a problem.

    A parameter is its name, or all of it.
    """
    references = [reference(component(one), "parameters") if isinstance(one, str) else one for one in parameters]
    return {
        "operationId": name,
        "tags": [tag],
        "summary": gist,
        **({"parameters": references} if references else {}),
        **({"requestBody": {"required": True, "content": body}} if body else {}),
        "responses": {**answers, "default": reference("Problem", "responses")},
        **more,
    }


def problem() -> Schema:
    """Describe the one response for all problems."""
    gist = "A problem (RFC 9457): `type` is the path of its explanation, and `/problems` lists all kinds."
    headers = ("Retry-After", "RateLimit", "RateLimit-Policy")
    return {**response(gist, headers=headers), "content": {PROBLEM: {"schema": reference("Problem")}}}


def _link(gist: str, target: str, **parameters: str) -> Schema:
    return {"operationId": target, **({"parameters": parameters} if parameters else {}), "description": gist}


OF_A_JOB = ("JobResult", "JobEvents", "JobDismissal")
OF_EPOCHS = ("CurrentEpoch", "NextEpoch", "LastEpoch")

LINKS: dict[str, Schema] = {
    "Job": _link("The job as it stands.", "job", job="$response.body#/id"),
    "JobResult": _link("The result, once the job has ended.", "jobResult", job="$response.body#/id"),
    "JobEvents": _link("The events of the job, as they happen.", "jobEvents", job="$response.body#/id"),
    "JobDismissal": _link("The job is no longer wanted.", "dismissJob", job="$response.body#/id"),
    "NewestJob": _link("The newest job of the page.", "job", job="$response.body#/jobs/0/id"),
    # No expression of OpenAPI takes a part of a value.
    "Permalink": _link("The permalink: `digest` is the last part of `Content-Location`.", "permalink"),
    "CurrentEpoch": _link("The epoch for committed dice now.", "epoch", epoch="$response.body#/current/id"),
    "NextEpoch": _link("The epoch that comes next.", "epoch", epoch="$response.body#/coming/0/id"),
    "LastEpoch": _link("The epoch that ended last.", "epoch", epoch="$response.body#/past/0/id"),
}
"""Links by their name among the components: which values of an answer name what may be asked for next."""
