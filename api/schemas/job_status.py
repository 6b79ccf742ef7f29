"""The status of a job as in the contract, with times in UTC and links."""

from datetime import UTC, datetime
from math import ceil
from typing import Annotated

from msgspec import Meta

from api.schemas.responses import Links
from arbiter.value import Value
from workers.jobs.models import FINAL, Cause, Job, State
from workers.jobs.work import Kind

JOBS = "/v1/jobs"

LONGEST_GAP_S = 10
"""The longest `Retry-After` for an open job."""

Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]


class Progress(Value, frozen=True):
    """The progress of a job: finished games of all points, and their total; a ruling and odds count as one game."""

    done: int
    total: int


class JobFacts(Value, frozen=True):
    """A job in its current state.

    It is accepted, then running, and ends as successful, failed or dismissed. `progress` counts games, `seconds_left`
    is an estimate while it runs, and `estimate_s` was made before it began, in seconds of one core. `attempts` counts
    the chunks that were repeated because their worker was lost. `cause` says why it failed. After `expires` the job and
    its result are deleted.
    """

    id: str
    kind: Kind
    game: str
    question: str
    state: State
    progress: Progress
    seconds_left: float | None
    estimate_s: float
    attempts: int
    created: Moment
    started: Moment | None
    finished: Moment | None
    expires: Moment
    cause: Cause | None
    links: Links


class JobList(Value, frozen=True):
    """One page of the caller's jobs, the newest first; `next` continues after it."""

    jobs: tuple[JobFacts, ...]
    next: str | None
    links: Links


def path(id_: str) -> str:
    """Give the path of a job."""
    return f"{JOBS}/{id_}"


def facts(job: Job) -> JobFacts:
    """Give the facts of a job."""
    own = path(job.id)
    links = {"self": own, "events": f"{own}/events", "result": f"{own}/result"}
    if job.kind == "simulation":
        links["plot"] = f"{own}/result.svg"
    links["question"] = f"/v1/games/{job.game}/{job.question}"
    return JobFacts(
        id=job.id,
        kind=job.kind,
        game=job.game,
        question=job.question,
        state=job.state,
        progress=Progress(job.done, job.total),
        seconds_left=job.seconds_left,
        estimate_s=job.estimate_ms / 1000,
        attempts=job.attempts,
        created=moment(job.created),
        started=None if job.started is None else moment(job.started),
        finished=None if job.finished is None else moment(job.finished),
        expires=moment(job.expires),
        cause=job.cause,
        links=links,
    )


def moment(seconds: float) -> str:
    """Write a time in seconds since 1970 as in RFC 3339, in UTC and milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def again_after_s(job: Job) -> int | None:
    """Give the seconds after which to poll a job again; None when it has ended."""
    if job.state in FINAL:
        return None
    return min(max(1, ceil(job.seconds_left or 0)), LONGEST_GAP_S)
