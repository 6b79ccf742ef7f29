"""How jobs are kept: the connection to Redis or Valkey, running the scripts there, and reading what they give.

| key, after `arbiter:` | kind | what |
|---|---|---|
| `job:<id>` | hash | the record: what was asked, in which trace, how it stands, the turn that may take the next piece |
| `job:<id>:work` | string | the work itself, until the job ends |
| `job:<id>:free` | list | pieces nobody works on, `first-stop` or `sum` |
| `job:<id>:leases` | hash | by piece who works on it, by which turn, and how many games are over |
| `job:<id>:tries` | hash | by piece how often it was taken |
| `job:<id>:pieces` | hash | what came of each piece, until the result is there |
| `job:<id>:result` | string | the result |
| `job:<id>:changes` | stream | the story of the job |
| `job:<id>:callbacks` | hash | whom to tell when the job ends |
| `open:<queue>` | sorted set | jobs that wait or run, by when something last happened to them |
| `unsent`, `queued` | sorted set | jobs whose turn is not yet published, or is; by when |
| `leases` | sorted set | `<id>:<piece>` by the last sign of life |
| `turns`, `seen:<queue>` | number | the last turn given to a job, and taken from a queue |
| `owed`, `waiting` | hash | estimated milliseconds that wait, by job and by queue |
| `caller:<digest>` | sorted set | a caller's jobs by when they were asked for |
| `mine:<digest>` | set | a caller's jobs that were open when it was last looked through |
| `quota:<…>` | number | the units a caller spent in a minute; the gateway's own (`api.quotas.limiter`) |
| `key:<digest>` | string | the job that an idempotency key was used for |
| `call:<…>`, `due` | string, sorted set | a callback to be called, and when |
| `call:<…>:trace` | string | the trace of the request that made its job |
| `tending` | string | somebody has just looked after the jobs |
| `counters` | hash | what happened how often |

All of them expire. Keys of callers are kept in the same Redis, under names of their own (`api/auth/key_store.py`).
"""

import zlib
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as NotConnected
from redis.exceptions import OutOfMemoryError, ReadOnlyError
from redis.exceptions import TimeoutError as TooSlow
from redis.retry import Retry

from arbiter.value import Value
from infra.settings import WorkerSettings
from workers.jobs.models import Cause, CorruptRecord, Job, State, StoreUnavailable
from workers.jobs.scripts_common import COMMON, PREFIX
from workers.jobs.work import Kind, Work

T = TypeVar("T")

ANSWER_S = 5.0
"""Seconds after which a store that does not answer counts as away; a caller is waiting."""

_WORTH_PACKING = 512
"""Bytes from which packing pays."""

_LONGEST_UNPACKED = 64 * 1024 * 1024
"""Bytes beyond which what is kept is none of ours: nothing is unpacked further, however small it is when packed."""

_SUM_BYTES = 4


class About(Value, frozen=True):
    """What a job is about: the part of its record that never changes; its owner is the one in `Job`."""

    kind: Kind
    game: str
    question: str
    owner: str = ""


class Store:
    """The connection to the store of jobs. It may be used by many threads, and on both sides of a fork."""

    def __init__(self, settings: WorkerSettings, answer_s: float = ANSWER_S) -> None:
        """Remember where the store is and how long it may take; nothing is connected before the first use."""
        self.settings = settings
        self._redis: Redis = Redis.from_url(
            settings.redis_url,
            socket_timeout=answer_s,
            socket_connect_timeout=answer_s,
            socket_keepalive=True,
            # A connection that a restart of the server has cut is made anew, once; every script may run twice.
            retry=Retry(NoBackoff(), 1, supported_errors=(NotConnected,)),
        )
        self._scripts: dict[str, Callable[..., Any]] = {}
        kept_ms = settings.result_expiry_s * 1_000
        self._kept_ms = (kept_ms, kept_ms + settings.visibility_timeout_s * 1_000)

    def run(self, script: str, *said: str | bytes | float) -> Any:
        """Run a script as one step; raises `StoreUnavailable`."""
        if script not in self._scripts:
            self._scripts[script] = self._redis.register_script(COMMON + script)
        return self.ask(lambda _: self._scripts[script](args=(*self._kept_ms, *said)))

    def ask(self, question: Callable[[Redis], T]) -> T:
        """Ask the store something directly; raises `StoreUnavailable`."""
        try:
            return question(self._redis)
        except (NotConnected, TooSlow, OutOfMemoryError, ReadOnlyError) as away:
            raise StoreUnavailable(str(away)) from away


def key(*parts: str) -> str:
    """Give the name of a key."""
    return PREFIX + ":".join(parts)


def digest(*parts: str) -> str:
    """Give a short name for texts that may be long, and that the names of keys need not tell."""
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def pack(data: bytes) -> bytes:
    """Make bytes smaller where that pays, with a sum by which damage is found."""
    packed = zlib.compress(data, 1) if len(data) >= _WORTH_PACKING else data
    # A compressed text ends with a sum of its own.
    return b"z" + packed if len(packed) < len(data) else b"p" + _sum(data) + data


def unpack(kept: bytes) -> bytes:
    """Give back what was packed; raises `CorruptRecord` for anything that was not."""
    form, rest = kept[:1], kept[1:]
    if form == b"p":
        data = rest[_SUM_BYTES:]
        if _sum(data) != rest[:_SUM_BYTES]:
            raise CorruptRecord("it was changed or cut short")
        return data
    if form != b"z":
        raise CorruptRecord("it is of no form that we write")
    whole = zlib.decompressobj()
    try:
        data = whole.decompress(rest, _LONGEST_UNPACKED)
    except zlib.error as wrong:
        raise CorruptRecord("it was changed") from wrong
    if not whole.eof or whole.unused_data:
        raise CorruptRecord("it was changed, cut short, or is far too long")
    return data


def _sum(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(_SUM_BYTES)


class Handed(Value, frozen=True):
    """Work as it was handed in, and by whom: the two that the id of its job is the digest of."""

    work: Work
    caller: str


def pack_work(work: Work, caller: str) -> bytes:
    """Write work down."""
    return pack(msgspec.json.encode(Handed(work, caller)))


def read_job(job_id: str, row: list[bytes | None]) -> Job | None:
    """Read a job from its record, as `scripts_common.FIELDS` lists it; None where there is no record.

    Raises `CorruptRecord` for a record that we did not write.
    """
    try:
        return _read_job(job_id, row)
    except (msgspec.MsgspecError, ValueError) as wrong:
        raise CorruptRecord(f"the record of job {job_id} cannot be read") from wrong


def _read_job(job_id: str, row: list[bytes | None]) -> Job | None:
    about, estimate, total, state, done, ahead, created, started, finished, expires, at, attempts, cause = row
    if about is None:
        return None
    said = msgspec.json.decode(about, type=About)
    return with_time_left(
        Job(
            id=job_id,
            kind=said.kind,
            game=said.game,
            question=said.question,
            state=msgspec.convert((state or b"").decode(), State),
            done=int(done or 0) + int(ahead or 0),
            total=int(total or 0),
            estimate_ms=float(estimate or 0),
            created=_seconds(created) or 0.0,
            expires=_seconds(expires) or 0.0,
            started=_seconds(started),
            finished=_seconds(finished),
            attempts=int(attempts or 0),
            cause=msgspec.json.decode(cause, type=Cause) if cause else None,
            owner=said.owner,
        ),
        _seconds(at) or 0.0,
    )


def with_time_left(job: Job, at: float) -> Job:
    """Estimate what is left of a running job from its pace so far; `at` is when `done` was counted."""
    if job.state != "running" or not job.done or job.started is None:
        return job
    left = (at - job.started) * (job.total - job.done) / job.done
    return msgspec.structs.replace(job, seconds_left=round(left, 3))


def _seconds(milliseconds: bytes | None) -> float | None:
    return None if milliseconds is None else int(milliseconds) / 1_000
