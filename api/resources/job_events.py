"""Events: a job as server-sent events, from any event until its end."""

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
"""Seconds between two checks for new events."""

HEARTBEAT_S = 10.0
"""Seconds of silence after which a comment shows that the stream is alive, and whether the client still reads it."""

LONGEST_S = 600.0
"""Seconds after which a stream ends; the client continues with a new one."""

AWAY_S = 30.0
"""Seconds for which a stream keeps trying when the store of jobs is away."""

AWAY_EVERY_S = 1.0
"""Seconds between two tries while it is."""

SURE_EVERY_S = 1.0
"""Seconds between two checks that the job still exists."""

RETRY_MS = 2_000
"""Milliseconds after which a client reconnects when its stream has ended."""

BUSY_S = 5
"""Seconds after which to try again when no thread is free for another stream."""

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
        # No event will follow; this status tells a browser not to reconnect.
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
    """Write the events of a job after the given one, as they happen, while the caller is `still` authorized."""
    yield f"retry: {RETRY_MS}\n\n"
    began = reached = spoke = looked = time.monotonic()
    before: State | None = None
    over = False
    # A process that stops ends its streams; their clients reconnect to another, and continue.
    while not drain.begun() and (now := time.monotonic()) < min(began + LONGEST_S, reached + AWAY_S):
        try:
            events = jobs.store.events(job_id, after)
            if not events and over:
                return
            if now > looked + SURE_EVERY_S:
                # The events contain the end of a job; a job that has expired, or whose events have, has no such event.
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
    """Write one event: `state` if the state is new, or the first of this stream; else `progress`."""
    kind = "progress" if event.job.state == before else "state"
    return f"id: {event.id}\nevent: {kind}\ndata: {codec.encode(facts(event.job)).decode()}\n\n"
