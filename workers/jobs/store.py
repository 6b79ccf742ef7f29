"""The store of jobs for the gateway: submit work, read jobs, follow them, dismiss them.

Each call is one round trip. Accepted work is done even if everything stops in between: the record is written first, and
only then is the message of the first chunk sent. A sweep of the workers finds messages that were not sent.
"""

import re
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec
from celery import Celery

from arbiter.value import Value
from infra.codec import unpack
from infra.errors import CorruptRecord
from infra.logging import log_of
from infra.redis import digest, key
from infra.settings import WorkerSettings
from infra.tracing import Trace
from workers.celery_config import QUEUES, make_celery, send_chunk
from workers.jobs.models import Event, Job, KeyReused, Queue, QueueFull, ShareFull, Submitted, TooManyOpen, queue_of
from workers.jobs.records import pack_work, read_job
from workers.jobs.scripts import FIELDS, JobScripts
from workers.jobs.work import Work, identify, split
from workers.webhooks.callback import Callback

MOST_CALLBACKS = 20
"""Callbacks of one job; several clients may request the same job."""

MOST_LISTED = 1_000
"""Jobs of one caller that are listed; older ones are still available by id."""

_log = log_of(__name__)

_JOB_ID = re.compile(r"[0-9a-f]{32}\Z")
_EVENT_ID = re.compile(r"(\d{1,15})-(\d{1,15})\Z")
_CURSOR = re.compile(r"(\d{1,15}):([0-9a-f]{32})\Z")


class Depth(Value, frozen=True):
    """The work in a queue: messages, open jobs, and the estimated time of these on one core."""

    messages: int
    open_jobs: int
    waiting_s: float


class Jobs:
    """The store of jobs. Thread-safe.

    Everything raises `StoreUnavailable` when it cannot be reached, and `CorruptRecord` for a foreign record.
    """

    def __init__(self, settings: WorkerSettings, app: Celery | None = None) -> None:
        """Remember where the store is; nothing is connected before the first use."""
        self._settings, self._scripts = settings, JobScripts(settings)
        self._app = app or make_celery(settings)

    def submit(
        self,
        work: Work,
        *,
        caller: str,
        keyed: bool = False,
        estimate_ms: float,
        callback: Callback | None = None,
        key: str | None = None,
        trace: Trace | None = None,
    ) -> Submitted:
        """Submit work; the same work of one caller is one job, until it fails or is dismissed.

        The job is listed for the `caller`; a `keyed` caller is also its owner, and the only one that may read it. `key`
        is the caller's idempotency key; `trace` is that of the request, stored with a new job. Raises `QueueFull` if
        too much work is open already (or too many callbacks), `TooManyOpen` and `ShareFull` if the caller has too much
        of it, and `KeyReused`. After `StoreUnavailable` the work may be submitted again, and is the same job.
        """
        job_id, chunks, settings = identify(work, caller), len(split(work, estimate_ms)), self._settings
        queue, owner = queue_of(work.kind, estimate_ms, chunks), caller if keyed else ""
        about = job_id, queue, work.kind, work.game, work.question, owner
        record = work.total, estimate_ms, chunks, pack_work(work, caller, estimate_ms)
        names = digest(caller), "" if key is None else digest(caller, key)
        called = ("", "") if callback is None else (_name(callback), msgspec.json.encode(callback))
        most = settings.most_open_jobs, settings.most_waiting_s * 1_000, MOST_CALLBACKS, MOST_LISTED
        own = settings.most_open_jobs_of_caller, settings.most_waiting_s_of_caller * 1_000
        header = "" if trace is None else trace.header
        outcome, *rest = self._scripts.run("submit", *about, *record, *names, *called, *most, *own, header)
        if outcome == b"reused":
            raise KeyReused("this idempotency key was used for other work")
        if outcome == b"many":
            raise TooManyOpen(settings.most_open_jobs_of_caller)
        if outcome == b"full":
            raise QueueFull(int(rest[0]) / 1_000)
        if outcome == b"share":
            waiting_s, most_s = int(rest[0]) / 1_000, settings.most_waiting_s_of_caller
            raise ShareFull(waiting_s, most_s, waiting_s + estimate_ms / 1_000 - most_s)
        first, *row = rest
        if first:
            send_chunk(self._app, msgspec.convert(first.decode(), Queue), job_id, "0")
        job = read_job(job_id, row)
        if job is None:
            raise RuntimeError(f"the record of job {job_id} was not written")
        return Submitted(job, fresh=outcome == b"fresh")

    def job(self, job_id: str) -> Job | None:
        """Give a job in its current state; None for an unknown id."""
        name = _record(job_id)
        if name is None:
            return None
        return read_job(job_id, self._scripts.ask(lambda redis: cast(list[bytes | None], redis.hmget(name, FIELDS))))

    def result(self, job_id: str) -> bytes | None:
        """Give the result of a successful job, as JSON; None if there is none. Raises `CorruptRecord`."""
        if _record(job_id) is None:
            return None
        # The client of redis-py shares its types with the one for asyncio.
        packed = cast(bytes | None, self._scripts.ask(lambda redis: redis.get(key("job", job_id, "result"))))
        return None if packed is None else unpack(packed)

    def dismiss(self, job_id: str) -> Job | None:
        """Dismiss a job: waiting chunks are not begun, a running one stops within a second. Ended jobs stay."""
        return read_job(job_id, self._scripts.run("dismiss", job_id)) if _record(job_id) else None

    def list_jobs(self, caller: str, after: str | None, most: int) -> tuple[tuple[Job, ...], str | None]:
        """Give a page of a caller's jobs, newest first, and the cursor of the next page, if there is one.

        `after` is such a cursor; an invalid one is ignored.
        """
        cursor = _CURSOR.match(after or "")
        score, before = cursor.groups() if cursor else ("+inf", "")
        following, rows = self._scripts.run("list", digest(caller), score, before, most)
        jobs = (_job_of_row(job_id.decode(), row) for job_id, row in rows)
        return tuple(job for job in jobs if job is not None), following.decode() or None

    def events(self, job_id: str, after: str | None) -> tuple[Event, ...]:
        """Give the events of a job after one of them; for an unknown event id, all stored ones."""
        name = _record(job_id)
        if name is None:
            return ()
        place = _EVENT_ID.match(after or "")
        stream = key("job", job_id, "events")

        def ask(redis: Any) -> Any:
            pipeline = redis.pipeline(transaction=False)
            pipeline.hmget(name, FIELDS)
            pipeline.xrange(stream, f"({place.group()}" if place else "-", "+")
            pipeline.xrevrange(stream, count=1)
            return pipeline.execute()

        row, entries, last = self._scripts.ask(ask)
        if read_job(job_id, row) is None:
            return ()
        if place and last and _order(place.group()) > _order(last[0][0].decode()):
            entries = self._scripts.ask(lambda redis: redis.xrange(stream))
        return tuple(_event(job_id, id_.decode(), fields) for id_, fields in entries)

    def depths(self) -> dict[Queue, Depth]:
        """Give the depth of each queue."""

        def ask(redis: Any) -> Any:
            pipeline = redis.pipeline(transaction=False)
            for queue in QUEUES:
                pipeline.llen(queue)
                pipeline.zcard(key("open", queue))
                pipeline.hget(key("waiting"), queue)
            return pipeline.execute()

        counts = self._scripts.ask(ask)
        return {
            queue: Depth(messages, open_jobs, int(waiting or 0) / 1_000)
            for queue, messages, open_jobs, waiting in zip(QUEUES, counts[::3], counts[1::3], counts[2::3], strict=True)
        }

    def counters(self) -> dict[str, int]:
        """Give the counts of events since the counters expired last.

        `job:<state>` counts accepted jobs and those that ended in each state, `cause:<code>` failed jobs,
        `webhook:<outcome>` callback attempts. `chunks` counts stored chunks, `lost` those whose worker was lost, and
        `again` those done although they were stored; `took:<bound>` and `took_ms` are their times.
        """
        stored: Any = self._scripts.ask(lambda redis: redis.hgetall(key("counters")))
        return {name.decode(): int(count) for name, count in stored.items()}


def _name(callback: Callback) -> str:
    """Name a callback by its host and its url: one callback is called at a time for each host."""
    return f"{digest(urlsplit(callback.url).netloc.lower())}.{digest(callback.url)}"


def _record(job_id: str) -> str | None:
    # Any other id cannot be a job's, and might name another key.
    return key("job", job_id) if _JOB_ID.match(job_id) else None


def _job_of_row(job_id: str, row: list[bytes | None]) -> Job | None:
    # A damaged record must not break the whole list.
    try:
        return read_job(job_id, row)
    except CorruptRecord as damaged:
        _log.error("record-damaged", job=job_id, reason=str(damaged))
        return None


def _order(place: str) -> tuple[int, ...]:
    return tuple(int(part) for part in place.split("-"))


def _event(job_id: str, event_id: str, fields: dict[bytes, bytes]) -> Event:
    job = read_job(job_id, [fields.get(name.encode()) for name in FIELDS])
    if job is None:
        raise CorruptRecord(f"an event of job {job_id} is empty")
    return Event(event_id, job)
