"""The job service: submits, polls and waits for jobs, whatever the store."""

import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Semaphore
from typing import TYPE_CHECKING, NamedTuple

from cachetools import TTLCache

from api.problems.handlers import ProblemError, no_such
from api.schemas import codec
from api.schemas.job_status import facts
from api.settings import Settings
from api.web import drain
from infra.errors import StoreUnavailable
from workers.jobs.models import FINAL, Job

if TYPE_CHECKING:
    from workers.jobs.store import Jobs

FRESH_S = 0.08
"""Seconds for which the status of a job is cached; clients that poll in crowds get the same answer."""

MOST_CACHED = 1_000
"""Jobs whose status one process caches."""

FIRST_LOOK_S, LONGEST_LOOK_S = 0.004, 0.1
"""Limits of the polling interval while waiting; it grows, because most jobs are short."""

_ID = re.compile(r"[0-9a-f]{32}")


def most_places_of_caller(places: int) -> int:
    """Give the most waiting threads that one caller may hold: half of them, rounded up."""
    return (places + 1) // 2


class JobStatus(NamedTuple):
    """A job with the body that states its status."""

    job: Job
    body: bytes


class JobService:
    """Submits jobs and reports their status. Without a store, whatever needs one is refused as `no-jobs`."""

    def __init__(self, settings: Settings, store: "Jobs | None") -> None:
        self._store = store
        self._statuses: TTLCache[str, JobStatus] = TTLCache(MOST_CACHED, FRESH_S, time.monotonic)
        self._lock = Lock()
        # One thread of the process stays free for requests that do not wait.
        places = settings.gateway_threads - 1
        self._waiting = Semaphore(places)
        self._most_of_one = most_places_of_caller(places)
        self._places: Counter[str] = Counter()
        self._placing = Lock()

    @property
    def open(self) -> bool:
        """Decide whether this service has jobs."""
        return self._store is not None

    @property
    def store(self) -> "Jobs":
        """Give the store."""
        if self._store is None:
            raise ProblemError("no-jobs", "This service has no jobs: no Redis is configured to store them.")
        return self._store

    def status(self, job_id: str, caller: str) -> JobStatus:
        """Give the status of a caller's job, from the cache or fresh; refuses what `get` refuses."""
        with self._lock:
            status = self._statuses.get(job_id)
        if status is None:
            return self.remember(self.get(job_id, caller))
        _refuse_strangers(status.job, caller)
        return status

    def get(self, job_id: str, caller: str) -> Job:
        """Give a caller's job in its current state; refuses an unknown id, or that of another caller's job."""
        store = self.store
        job = store.job(job_id) if _ID.fullmatch(job_id) else None
        if job is None:
            raise no_such("job", job_id, ())
        _refuse_strangers(job, caller)
        return job

    def remember(self, job: Job) -> JobStatus:
        """Cache the status of a job, replacing an earlier one."""
        status = JobStatus(job, codec.encode(facts(job)))
        with self._lock:
            self._statuses[job.id] = status
        return status

    @contextmanager
    def place_to_wait(self, caller: str) -> Iterator[bool]:
        """Hold one of the threads that may wait; decide whether one was free for the caller."""
        free = self.take_place(caller)
        try:
            yield free
        finally:
            if free:
                self.leave_place(caller)

    def take_place(self, caller: str) -> bool:
        """Take one of the threads that may wait; decide whether one was free for the caller."""
        with self._placing:
            if self._places[caller] >= self._most_of_one or not self._waiting.acquire(blocking=False):
                return False
            self._places[caller] += 1
            return True

    def leave_place(self, caller: str) -> None:
        """Give back a thread that was taken."""
        with self._placing:
            self._places[caller] -= 1
            if not self._places[caller]:
                del self._places[caller]
            self._waiting.release()

    def wait(self, job: Job, seconds: float) -> Job:
        """Wait at most this long for a job to end, and give its last known state.

        The job was accepted already: if the store goes away meanwhile, the client gets the last known state.
        """
        deadline, gap = time.monotonic() + seconds, FIRST_LOOK_S
        while job.state not in FINAL and (left := deadline - time.monotonic()) > 0 and not drain.begun():
            time.sleep(min(gap, left))
            gap = min(gap * 1.3, LONGEST_LOOK_S)
            try:
                job = self.store.job(job.id) or job
            except StoreUnavailable:
                break
        return job


def _refuse_strangers(job: Job, caller: str) -> None:
    """Refuse another caller's job as if its id were unknown."""
    if job.owner and job.owner != caller:
        raise no_such("job", job.id, ())
