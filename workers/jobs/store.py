"""The store of jobs as the gateway uses it: hand work in, ask how it stands, give it up.

Each question is one round trip. Work that was taken is done even if everything stops in between: the record is written
first and says that it is not yet published; only then is the message sent.
"""

import re
from typing import Any, cast, get_args

import msgspec
from celery import Celery

from arbiter.value import Value
from infra.logging import log_of
from infra.settings import WorkerSettings
from infra.tracing import Trace
from workers.celery_config import make_celery, publish_turn
from workers.jobs import scripts
from workers.jobs.models import (
    Change,
    CorruptRecord,
    Job,
    KeyReused,
    Queue,
    QueueFull,
    State,
    StoreUnavailable,
    Submitted,
    TooManyOpen,
    queue_of,
)
from workers.jobs.records import About, Store, digest, key, pack_work, read_job, unpack, with_time_left
from workers.jobs.scripts_common import FIELDS
from workers.jobs.work import Work, identify, pieces
from workers.webhooks.delivery import Callback

MOST_CALLBACKS = 20
"""Callbacks of one job; several clients may ask for the same."""

MOST_LISTED = 1_000
"""Jobs of one caller that are listed; older ones can still be asked for by their ids."""

BUCKETS_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Upper bounds by which the times of pieces are counted."""

_log = log_of(__name__)

_JOB_ID = re.compile(r"[0-9a-f]{32}\Z")
_PLACE = re.compile(r"(\d{1,15})-(\d{1,15})\Z")
_CURSOR = re.compile(r"(\d{1,15}):([0-9a-f]{32})\Z")


class Depth(Value, frozen=True):
    """How much there is to do in a queue: messages, open jobs, and what these are estimated to take on one core."""

    messages: int
    open_jobs: int
    waiting_s: float


class Counters(Value, frozen=True):
    """What happened how often, since the counters were last at nothing.

    `jobs` counts those accepted and those that came to each end, `failures` those that failed by the code of their
    cause. Pieces are `pieces` that were stored, `lost` with their worker, and done `again` though they were stored
    already; `seconds` gives, by upper bound, how many took at most so long. `webhooks` counts attempts by outcome.
    """

    jobs: dict[State, int]
    failures: dict[str, int]
    pieces: int
    lost: int
    again: int
    seconds: dict[float, int]
    seconds_sum: float
    webhooks: dict[str, int]


class Jobs:
    """The store of jobs. May be used by many threads.

    Everything raises `StoreUnavailable` when it cannot be reached, and `CorruptRecord` for a foreign record.
    """

    def __init__(self, settings: WorkerSettings, app: Celery | None = None) -> None:
        """Remember where the store is; nothing is connected before the first use."""
        self._settings, self._store = settings, Store(settings)
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
        """Hand work in; the same work of one caller is one job, until it fails or is dismissed.

        `caller` is whose list the job is put on; one who is `keyed` is also its owner, and nobody else may see it.
        `key` is the caller's idempotency key; `trace` that of the request, kept with a job that it makes. Raises
        `QueueFull` when too much work is open already (or too many callbacks), `TooManyOpen` when too much of it is the
        caller's own, and `KeyReused`. After `StoreUnavailable` the work may be handed in again: what was begun is
        taken back, or, where the store has gone in the middle, done later.
        """
        job_id, queue = identify(work, caller), queue_of(work.kind)
        caller_name, key_name = digest(caller), "" if key is None else digest(caller, key)
        ranges = [f"{games.start}-{games.stop}" for games in pieces(work, estimate_ms)]
        said = b"" if callback is None else msgspec.json.encode(callback)
        outcome, *rest = self._store.run(
            scripts.SUBMIT,
            job_id, queue,
            msgspec.json.encode(About(work.kind, work.game, work.question, caller if keyed else "")),
            work.total, estimate_ms, msgspec.json.encode(ranges), pack_work(work, caller),
            caller_name, key_name,
            "" if callback is None else digest(callback.url), said,
            self._settings.most_open_jobs, self._settings.most_waiting_s * 1_000, MOST_CALLBACKS, MOST_LISTED,
            self._settings.most_open_jobs_of_caller, "" if trace is None else trace.header,
        )  # fmt: skip
        if outcome == b"reused":
            raise KeyReused("this idempotency key was used for other work")
        if outcome == b"many":
            raise TooManyOpen(self._settings.most_open_jobs_of_caller)
        if outcome == b"full":
            raise QueueFull(int(rest[0]) / 1_000)
        turn, *row = rest
        if turn:
            self._publish(queue, job_id, int(turn), caller_name, key_name, fresh=outcome == b"fresh")
        job = read_job(job_id, row)
        if job is None:
            raise RuntimeError(f"the record of job {job_id} was not written")
        return Submitted(job, fresh=outcome == b"fresh")

    def _publish(self, queue: Queue, job_id: str, turn: int, caller: str, key: str, *, fresh: bool) -> None:
        try:
            publish_turn(self._app, queue, job_id, turn)
        except StoreUnavailable:
            # If the store is gone as well, the record stays and says that it was not published: a worker will do that
            # later. The work is then done although its client was told to ask again, and is found when it does.
            if fresh:
                self._store.run(scripts.TAKE_BACK, job_id, turn, caller, key)
            raise
        self._store.run(scripts.SENT, job_id, turn)

    def job(self, job_id: str) -> Job | None:
        """Give a job as it stands; None if there is none of that id."""
        name = _record(job_id)
        if name is None:
            return None
        return read_job(job_id, self._store.ask(lambda redis: _rows(redis.hmget(name, FIELDS))))

    def result(self, job_id: str) -> bytes | None:
        """Give the result of a successful job, as JSON; None if there is none. Raises `CorruptRecord`."""
        if _record(job_id) is None:
            return None
        # The client of redis-py shares its types with the one for asyncio.
        kept = cast(bytes | None, self._store.ask(lambda redis: redis.get(key("job", job_id, "result"))))
        return None if kept is None else unpack(kept)

    def dismiss(self, job_id: str) -> Job | None:
        """Give up a job: what waits is not begun, what runs stops within a second. A job that has ended stays so."""
        if _record(job_id) is None:
            return None
        return read_job(job_id, self._store.run(scripts.DISMISS, job_id))

    def listed(self, caller: str, after: str | None, most: int) -> tuple[tuple[Job, ...], str | None]:
        """Give a page of a caller's jobs, newest first, and the cursor of the next page, if there is one.

        `after` is such a cursor; one that we never gave is as good as none.
        """
        cursor = _CURSOR.match(after or "")
        score, before = cursor.groups() if cursor else ("+inf", "")
        following, rows = self._store.run(scripts.LISTED, digest(caller), score, before, most)
        jobs = (_listed(job_id.decode(), row) for job_id, row in rows)
        return tuple(job for job in jobs if job is not None), following.decode() or None

    def changes(self, job_id: str, after: str | None) -> tuple[Change, ...]:
        """Give the story of a job after a place in it; from its beginning, or what is kept, for a place unknown."""
        name = _record(job_id)
        if name is None:
            return ()
        place = _PLACE.match(after or "")
        told = key("job", job_id, "changes")

        def ask(redis: Any) -> Any:
            lines = redis.pipeline(transaction=False)
            lines.hmget(name, FIELDS)
            lines.xrange(told, f"({place.group()}" if place else "-", "+")
            lines.xrevrange(told, count=1)
            return lines.execute()

        row, entries, last = self._store.ask(ask)
        job = read_job(job_id, row)
        if job is None:
            return ()
        if place and last and _order(place.group()) > _order(last[0][0].decode()):
            entries = self._store.ask(lambda redis: redis.xrange(told))
        try:
            return tuple(_change(job, place_.decode(), said) for place_, said in entries)
        except (msgspec.MsgspecError, KeyError, ValueError) as wrong:
            raise CorruptRecord(f"the story of job {job_id} cannot be read") from wrong

    def depths(self) -> dict[Queue, Depth]:
        """Say how much there is to do in each queue."""
        queues: tuple[Queue, ...] = get_args(Queue)

        def ask(redis: Any) -> Any:
            lines = redis.pipeline(transaction=False)
            for queue in queues:
                lines.llen(queue)
                lines.zcard(key("open", queue))
                lines.hget(key("waiting"), queue)
            return lines.execute()

        found = self._store.ask(ask)
        return {
            queue: Depth(messages, open_jobs, int(waiting or 0) / 1_000)
            for queue, messages, open_jobs, waiting in zip(queues, found[::3], found[1::3], found[2::3], strict=True)
        }

    def counters(self) -> Counters:
        """Say what happened how often."""
        kept: Any = self._store.ask(lambda redis: redis.hgetall(key("counters")))
        counts = {name.decode(): int(count) for name, count in kept.items()}
        seconds, so_far = {}, 0
        for bound in BUCKETS_S:
            so_far += counts.get(f"took:{bound}", 0)
            seconds[bound] = so_far
        return Counters(
            jobs=msgspec.convert(_named(counts, "job"), dict[State, int]),
            failures=_named(counts, "cause"),
            pieces=counts.get("pieces", 0),
            lost=counts.get("lost", 0),
            again=counts.get("again", 0),
            seconds=seconds,
            seconds_sum=counts.get("took_ms", 0) / 1_000,
            webhooks=_named(counts, "webhook"),
        )


def _record(job_id: str) -> str | None:
    # Anything else cannot be a job's, and might name another key.
    return key("job", job_id) if _JOB_ID.match(job_id) else None


def _listed(job_id: str, row: list[bytes | None]) -> Job | None:
    # One record that is damaged must not take the whole list away.
    try:
        return read_job(job_id, row)
    except CorruptRecord as damaged:
        _log.error("record-damaged", job=job_id, reason=str(damaged))
        return None


def _rows(found: Any) -> list[bytes | None]:
    return list(found)


def _order(place: str) -> tuple[int, ...]:
    return tuple(int(part) for part in place.split("-"))


def _change(job: Job, place: str, said: dict[bytes, bytes]) -> Change:
    state: State = msgspec.convert(said[b"s"].decode(), State)
    at = int(said[b"t"]) / 1_000
    over = state in {"successful", "failed", "dismissed"}
    then = msgspec.structs.replace(
        job,
        state=state,
        done=int(said[b"d"]),
        attempts=int(said[b"a"]),
        expires=int(said[b"e"]) / 1_000,
        started=None if state == "accepted" else job.started,
        finished=at if over else None,
        cause=job.cause if state == "failed" else None,
        seconds_left=None,
    )
    return Change(place, with_time_left(then, at))


def _named(counts: dict[str, int], kind: str) -> dict[str, int]:
    return {name.removeprefix(f"{kind}:"): count for name, count in counts.items() if name.startswith(f"{kind}:")}
