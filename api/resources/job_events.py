"""Events: a job as server-sent events, from any event on until it has ended."""

import time
from collections.abc import Callable, Iterator
from functools import partial

from flask import Blueprint, Response, request

from api.auth.callers import caller, needs
from api.jobs.service import JobService
from api.openapi.operations import Operation
from api.problems.handlers import ProblemError
from api.schemas import codec
from api.schemas.headers import event_headers, read_event_id
from api.schemas.job_status import JOBS, facts
from api.schemas.responses import EVENTS, accept
from api.web import drain
from api.web.services import services
from infra.errors import StoreUnavailable
from workers.jobs.models import FINAL, Event, State

LOOK_EVERY_S = 0.1
"""How soon a client learns what has happened."""

HEARTBEAT_S = 10.0
"""Seconds of silence after which a comment shows that the stream is alive, and whether anybody still reads it."""

LONGEST_S = 600.0
"""Seconds after which a stream ends; the client goes on where it was with a new one."""

AWAY_S = 30.0
"""Seconds for which a stream goes on trying when the store of jobs is away."""

AWAY_EVERY_S = 1.0
"""Seconds between two tries while it is."""

SURE_EVERY_S = 1.0
"""Seconds between two looks at whether there is still a job to be followed."""

RETRY_MS = 2_000
"""Milliseconds after which a client comes back when its stream has ended."""

BUSY_S = 5
"""Seconds after which to ask again when no thread is free for another stream."""

_LAST_READ = {"204": "The job has ended, and the client has read its last event."}

pages = Blueprint("job-events", __name__)


@pages.get(f"{JOBS}/<job>/events")
@Operation("jobEvents", forms=(EVENTS,), takes=("Last-Event-ID",), others=_LAST_READ)
@needs("jobs")
def stream(job: str) -> Response:
    """Follow a job until it has ended: events `state` and `progress`, whose `data` is the job."""
    accept(EVENTS)
    jobs = services().jobs
    current = jobs.get(job, caller().name)
    after = event_headers.load(dict(request.headers))["last_event"]
    after = after or read_event_id(request.args.get("last-event-id", ""))
    if after is not None and current.state in FINAL and not jobs.store.events(job, after):
        # Nothing will ever follow; to a browser this status says not to come back.
        return Response(status=204)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(headers=headers, content_type=EVENTS)
    mine = caller().name
    if not jobs.take_place(mine):
        detail = "No thread is free for another event stream; poll the job instead."
        raise ProblemError("busy", detail, headers={"Retry-After": str(BUSY_S)})
    answer = Response(
        _story(jobs, job, after, partial(services().callers.counts, caller())), headers=headers, content_type=EVENTS
    )
    answer.call_on_close(lambda: jobs.leave_place(mine))
    return answer


def _story(jobs: JobService, job_id: str, after: str | None, still: Callable[[], bool]) -> Iterator[str]:
    """Write the events of a job after that one, as they happen, while the caller is `still` authorized."""
    yield f"retry: {RETRY_MS}\n\n"
    began = reached = spoke = looked = time.monotonic()
    before: State | None = None
    over = False
    # A process that ends lets its streams go; their clients come back to another, and go on where they were.
    while not drain.begun() and (now := time.monotonic()) < min(began + LONGEST_S, reached + AWAY_S):
        try:
            events = jobs.store.events(job_id, after)
            if not events and over:
                return
            if now > looked + SURE_EVERY_S:
                # What ends a job stands in its story; a job that is forgotten, or whose story is, has no such end.
                job, looked = jobs.store.job(job_id), now
                over = job is None or job.state in FINAL
                if not still():
                    return
        except StoreUnavailable:
            yield ": the store of jobs is away\n\n"
            time.sleep(AWAY_EVERY_S)
            continue
        reached = time.monotonic()
        for event in events:
            yield _format_event(event, before)
            after, before, spoke = event.id, event.job.state, reached
        if before in FINAL:
            return
        if reached > spoke + HEARTBEAT_S:
            yield ": still here\n\n"
            spoke = reached
        time.sleep(LOOK_EVERY_S)


def _format_event(event: Event, before: State | None) -> str:
    """Write one event: a state when it is a new one, or the first that this stream tells; else progress."""
    kind = "progress" if event.job.state == before else "state"
    return f"id: {event.id}\nevent: {kind}\ndata: {codec.encode(facts(event.job)).decode()}\n\n"
