"""The part of the contract about jobs: how a question becomes one, and every path on which a job is looked at."""

from collections.abc import Iterator
from typing import Any

from api.openapi.links import OF_A_JOB, OF_JOBS, OF_WHAT_BECAME_A_JOB
from api.openapi.words import FINISHED, FOLLOWED, LISTED, LOOKED_AT, refusals
from api.schemas import codec
from api.schemas.headers import KEY_PATTERN
from api.schemas.job_status import JOBS, JobFacts, JobList, facts
from api.schemas.queries import JobsQuery, describe_parameters
from api.schemas.responses import CSV, EVENTS, JSON, SVG
from workers.jobs.models import Job

Schema = dict[str, Any]

KINDS = (JobFacts, JobList)
"""The types of jobs in the contract."""

HANDED_IN_WITH = ("Prefer", "IdempotencyKey")
"""The parameters of every path on which a question may become a job."""

TAKEN: Schema = {"$ref": "#/components/responses/Taken"}
HEADERS_AT_ONCE: Schema = {"Preference-Applied": {"$ref": "#/components/headers/PreferenceApplied"}}

PARAMETERS: dict[str, tuple[str, Schema]] = {
    "job": (
        "path",
        {
            "description": "The id of a job.",
            "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "example": "0123456789abcdef0123456789abcdef",
        },
    ),
    "Prefer": (
        "header",
        {
            "name": "Prefer",
            "description": "RFC 7240: `respond-async` for a job, `wait=10` to wait for its result so many seconds.",
            "schema": {"type": "string"},
            "example": "wait=10",
        },
    ),
    "IdempotencyKey": (
        "header",
        {
            "name": "Idempotency-Key",
            "description": "A string of the client's own, so that what is posted again is not done again.",
            "schema": {"type": "string", "pattern": KEY_PATTERN},
        },
    ),
    "LastEventID": (
        "header",
        {
            "name": "Last-Event-ID",
            "description": "The id of the last event that was read; `?last-event-id=` says the same.",
            "schema": {"type": "string"},
        },
    ),
}
"""Parameters by their name among the components: where each is, and what it is."""

HEADERS: dict[str, Schema] = {
    "Location": {"description": "The path of the job.", "schema": {"type": "string"}},
    "RetryAfter": {"description": "Seconds after which to ask again.", "schema": {"type": "integer", "minimum": 1}},
    "PreferenceApplied": {"description": "Which preferences were followed.", "schema": {"type": "string"}},
    "Link": {"description": "Where the next page is (`rel=next`).", "schema": {"type": "string"}},
}
"""Headers of answers, by their name among the components."""

_EXAMPLE = facts(
    Job(
        "0123456789abcdef0123456789abcdef", "simulation", "blackstone-fortress", "battle", "running", 250, 1_000,
        20_000.0, 1_780_000_000.0, 1_780_086_400.0, 1_780_000_001.0, None, 15.0,
    )
)  # fmt: skip


def taken() -> Schema:
    """Give the response to what became a job."""
    return {
        "description": "It is a job now, or was one before: the job as it stands.",
        "headers": {
            "Location": {"$ref": "#/components/headers/Location"},
            "Retry-After": {"$ref": "#/components/headers/RetryAfter"},
            **HEADERS_AT_ONCE,
        },
        "content": {
            JSON: {"schema": _reference(JobFacts), "examples": {"running": {"value": codec.to_builtins(_EXAMPLE)}}}
        },
        **OF_WHAT_BECAME_A_JOB,
    }


def operations() -> Iterator[tuple[str, dict[str, Schema]]]:
    """Give the paths of jobs, each with its operations by method."""
    job, listed = _json(_reference(JobFacts)), _json(_reference(JobList))
    again = {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}}
    yield JOBS, {"get": _operation(
        "jobs", "List the caller's jobs, the newest first.", listed, LISTED,
        {"Link": {"$ref": "#/components/headers/Link"}}, describe_parameters(JobsQuery), OF_JOBS,
    )}  # fmt: skip
    one = f"{JOBS}/{{job}}"
    dismissal = "Dismiss a job that is open; one that has ended stays as it is."
    yield (
        one,
        {
            "get": _operation("job", "Tell of a job as it stands.", job, LOOKED_AT, again, ["job"], OF_A_JOB),
            "delete": _operation("job_dismissed", dismissal, job, LOOKED_AT, {}, ["job"]),
        },
    )
    forms = {**_json({}), CSV: {"schema": {"type": "string"}}}
    gist = "Give the result of a job: what the question would have answered at once; of a simulation also as a table."
    yield f"{one}/result", {"get": _operation("job_result", gist, forms, FINISHED, {}, ["job"])}
    plot = {SVG: {"schema": {"type": "string"}}}
    yield (
        f"{one}/result.svg",
        {"get": _operation("job_plot", "Draw the result of a simulation.", plot, FINISHED, {}, ["job"])},
    )
    stream = {
        EVENTS: {"schema": {"type": "string", "description": "Events `state` and `progress`; `data` is the job."}}
    }
    gist = "Follow a job until it has ended."
    followed = _operation("job_events", gist, stream, FOLLOWED, {}, ["job", "LastEventID"])
    followed["responses"]["204"] = {"description": "The job has ended, and its last event was read already."}
    yield f"{one}/events", {"get": followed}


def _operation(
    name: str,
    gist: str,
    content: Schema,
    refused: tuple[str, ...],
    headers: Schema,
    parameters: list[Any],
    links: Schema | None = None,
) -> Schema:
    answer: Schema = {"description": gist, "content": content, **({"headers": headers} if headers else {})}
    answer |= links or {}
    return {
        "operationId": name,
        "tags": ["jobs"],
        "summary": gist,
        "parameters": parameters,
        "responses": {"200": answer, **refusals(*refused, "internal")},
    }


def _json(schema: Schema) -> Schema:
    return {JSON: {"schema": schema}}


def _reference(kind: Any) -> Schema:
    return {"$ref": f"#/components/schemas/{codec.component_name(kind)}"}
