"""The store of jobs for workers: begin a chunk, send heartbeats, store its result, or give it back.

A worker locks nothing: a chunk is deterministic, so processing it a second time is harmless. The first result of a
chunk is stored, and later ones are dropped.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import cast

import msgspec

from arbiter.value import Value
from infra.codec import pack
from infra.logging import log_of
from infra.redis import key
from infra.settings import WorkerSettings
from infra.tracing import Trace, below_stored, within
from workers.jobs.models import BUCKETS_S, Cause, Queue
from workers.jobs.records import AlteredJob, read_parts, read_work
from workers.jobs.scripts import JobScripts
from workers.jobs.work import Work

FINISH = "finish"
"""The chunk after all others, which adds them up."""

_log = log_of(__name__)


class Times(Value, frozen=True, kw_only=True):
    """When workers and messages count as lost, in seconds.

    Sweeps are `sweep_s` apart. A worker without a heartbeat for `silent_s` is lost. A message is lost when messages
    sent `unheard_s` later have arrived, or when it is that old and the queue is empty. A callback whose worker never
    reports is due again after `callback_s`, which is longer than a call may take.
    """

    sweep_s: float = 2.0
    silent_s: float = 10.0
    unheard_s: float = 5.0
    callback_s: float = 120.0


PATIENT = Times()
"""The times of a real worker; tests take shorter ones."""


class SentChunk(Value, frozen=True):
    """A chunk whose message has to be sent."""

    job_id: str
    chunk: str
    queue: Queue


class BegunChunk(Value, frozen=True):
    """A chunk that is begun: its games, or None if the `parts` have to be added up.

    For a chunk that was cut, `cut` is the count so far. `following` is the chunk whose message has to be sent first.
    `trace` is below the request that made the job, if that is known.
    """

    job_id: str
    chunk: str
    queue: Queue
    work: Work
    games: range | None
    parts: tuple[bytes, ...]
    cut: bytes | None
    following: SentChunk | None
    trace: Trace | None = None


class ChunkStore:
    """The workers' side of the store of jobs; everything raises `StoreUnavailable`."""

    def __init__(self, settings: WorkerSettings) -> None:
        self._most_attempts = settings.most_attempts
        self.scripts = JobScripts(settings)

    def begin(self, job_id: str, chunk: str) -> BegunChunk | None:
        """Begin a chunk; None if it was not sent, another worker has begun it, or its job has ended.

        A job whose work is not the submitted work ends here.
        """
        reply = self.scripts.run("begin", job_id, chunk)
        if reply is None:
            return None
        queue, following, chunks, trace, record, cut, parts = reply
        here = below_stored(trace)
        try:
            work, ranges = read_work(job_id, record)
            if str(len(ranges)) != chunks.decode(errors="replace"):
                raise AlteredJob("it has a different number of chunks")
            if chunk not in {FINISH, *ranges}:
                raise AlteredJob("it has no such chunk")
            done = read_parts(parts)
            before = None if cut is None else read_parts([cut])[0]
        except AlteredJob as altered:
            with within(here):
                _log.error("job-refused", job=job_id, reason=str(altered))
            self.fail(job_id, chunk, altered.cause)
            return None
        begun_in = msgspec.convert(queue.decode(), Queue)
        next_chunk = SentChunk(job_id, following.decode(), begun_in) if following else None
        return BegunChunk(job_id, chunk, begun_in, work, ranges.get(chunk), done, before, next_chunk, here)

    def heartbeat(self, begun: BegunChunk, over: int) -> bool:
        """Send a heartbeat with the number of finished games; decide whether the chunk is still wanted."""
        return bool(self.scripts.run("heartbeat", begun.job_id, begun.chunk, over))

    def store(self, begun: BegunChunk, data: bytes, games: int, took_s: float) -> BegunChunk | None:
        """Store the result of a chunk; the worker that stores the last one gets the chunk that adds up."""
        bucket = (*map(str, BUCKETS_S), "more")[bisect_left(BUCKETS_S, took_s)]
        parts: Sequence[bytes] | None = self.scripts.run(
            "store", begun.job_id, begun.chunk, pack(data), games, bucket, round(took_s * 1_000)
        )
        if parts is None:
            return None
        try:
            return msgspec.structs.replace(begun, chunk=FINISH, games=None, parts=read_parts(parts), following=None)
        except AlteredJob as altered:
            _log.error("job-refused", job=begun.job_id, reason=str(altered))
            self.fail(begun.job_id, FINISH, altered.cause)
            return None

    def finish(self, begun: BegunChunk, result: bytes) -> None:
        """Store the result, unless it is stored already."""
        self.scripts.run("finish", begun.job_id, pack(result))

    def fail(self, job_id: str, chunk: str, cause: Cause) -> None:
        """End the job, because the error of this chunk would occur again."""
        self.scripts.run("fail", job_id, chunk, msgspec.json.encode(cause))

    def give_back(self, begun: BegunChunk, to: Queue | None = None, counted: bytes = b"") -> SentChunk | None:
        """Give a chunk back undone, if need be `to` another queue; give the chunk to send.

        The next worker continues after the games that are `counted`.
        """
        counts = pack(counted) if counted else b""
        queue = self.scripts.run("give_back", begun.job_id, begun.chunk, to or "", counts)
        return _parse_sent_chunk(begun.job_id, begun.chunk, queue)

    def lose(self, job_id: str, chunk: str, how: str) -> SentChunk | None:
        """Record that the process of a chunk has ended, and `how`; after too many attempts the job fails."""
        return _parse_sent_chunk(job_id, chunk, self.scripts.run("lose", job_id, chunk, self._most_attempts, how))

    def sweep(self, times: Times) -> tuple[SentChunk, ...]:
        """Find lost work: the chunks to send again.

        Only one worker gets a result in `sweep_s` seconds.
        """
        # A little less than the time between two sweeps, so that a single worker gets a result each time.
        seconds = (0.9 * times.sweep_s, times.silent_s, times.unheard_s)
        lost = self.scripts.run("sweep", *(round(each * 1_000) for each in seconds), self._most_attempts)
        return tuple(
            SentChunk(job_id.decode(), chunk.decode(), msgspec.convert(queue.decode(), Queue))
            for job_id, chunk, queue in lost
        )

    def trace(self, job_id: str) -> Trace | None:
        """Give a trace below the request that made a job; None if that is not known."""
        return below_stored(self.scripts.ask(lambda redis: cast(bytes | None, redis.hget(key("job", job_id), "trace"))))


def _parse_sent_chunk(job_id: str, chunk: str, queue: bytes | None) -> SentChunk | None:
    return None if queue is None else SentChunk(job_id, chunk, msgspec.convert(queue.decode(), Queue))
