"""The store of jobs as workers use it: take a piece, say that one is at it, hand it in, give it back.

A piece is taken for as long as its worker gives a sign of life. A worker that is late in whatever it does harms
nothing: its piece is stored if nobody else has done so, and else forgotten.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Annotated, cast

import msgspec
from msgspec import Meta

from arbiter.value import Value
from infra.logging import log_of
from infra.tracing import Trace, below_kept, within
from workers.jobs import scripts_chunks as scripts
from workers.jobs import validation
from workers.jobs.models import Cause, Queue, queue_of
from workers.jobs.records import Store, key, pack
from workers.jobs.scripts import SENT
from workers.jobs.store import BUCKETS_S
from workers.jobs.work import Work
from workers.webhooks.delivery import Callback, State

LEASE_S = 10.0
"""Seconds without a sign of life after which a piece's worker counts as lost."""

TEND_EVERY_S = 2.0
"""How often some worker looks after the jobs."""

UNSENT_S = 5.0
"""Seconds after which a turn that was not published is published by somebody else."""

STALL_S = 30.0
"""Seconds after which a turn that others have overtaken counts as lost."""

CALL_S = 120.0
"""Seconds after which a callback that was begun and never reported on is begun again; above what one may take."""


SUM = "sum"
"""The name of the last piece: to add up all others."""

_log = log_of(__name__)


class ClaimedChunk(Value, frozen=True):
    """A piece that was taken: its games, or None where the pieces that are `done` have to be added up.

    `token` stands for having taken it. `following` is the turn that takes the next piece, which has to be published
    first. A job of a single piece has `single`. `trace` is below the request that made the job, where that is known.
    """

    job_id: str
    queue: Queue
    piece: str
    token: str
    following: int | None
    single: bool
    work: Work
    games: range | None
    done: tuple[bytes, ...]
    trace: Trace | None = None


class Turn(Value, frozen=True):
    """A turn that has to be published."""

    queue: Queue
    job_id: str
    turn: int


class Call(Value, frozen=True):
    """A callback to be called about a job that has ended, at `ended` in milliseconds since 1970."""

    id: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
    state: State
    ended: float
    attempt: int
    callback: Callback


class Pieces:
    """The workers' side of the store of jobs; everything raises `StoreUnavailable`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def take(self, job_id: str, turn: int, token: str, worker: str) -> ClaimedChunk | None:
        """Take the next free piece of a job; None for a turn that is not the job's any more, or never was.

        A job whose work is not what was handed in ends here.
        """
        found = self._store.run(scripts.CLAIM, job_id, turn, token, worker)
        if found is None:
            return None
        piece, following, pieces, said, work, *done = found
        name, here = piece.decode(errors="replace"), below_kept(said)
        try:
            asked, parts = validation.work_of(job_id, work), validation.parts_of(done)
            games = None if name == SUM else validation.games_of(asked, name)
        except validation.TamperedJob as poisoned:
            with within(here):
                _log.error("job-refused", job=job_id, reason=str(poisoned))
            self._store.run(scripts.FAIL, job_id, name, token, msgspec.json.encode(poisoned.cause))
            return None
        return ClaimedChunk(
            job_id, queue_of(asked.kind), name, token,
            int(following) if following else None, int(pieces) == 1, asked, games, parts, here,
        )  # fmt: skip

    def published(self, turn: Turn) -> None:
        """Note that a turn is published."""
        self._store.run(SENT, turn.job_id, turn.turn)

    def wanted(self, taken: ClaimedChunk, over: int) -> bool:
        """Give a sign of life, with how many games are over; says whether the piece is still wanted."""
        return bool(self._store.run(scripts.BEAT, taken.job_id, taken.piece, taken.token, over))

    def put(self, taken: ClaimedChunk, data: bytes, games: int, took_s: float) -> ClaimedChunk | None:
        """Store a piece; gives the one who has stored the last the adding up of all."""
        done: Sequence[bytes] | None = self._store.run(
            scripts.PUT, taken.job_id, taken.piece, taken.token, pack(data), games, *_took(took_s)
        )
        if done is None:
            return None
        summing = msgspec.structs.replace(taken, piece=SUM, games=None)
        try:
            return msgspec.structs.replace(summing, done=validation.parts_of(done))
        except validation.TamperedJob as poisoned:
            _log.error("job-refused", job=taken.job_id, reason=str(poisoned))
            self.fail(summing, poisoned.cause)
            return None

    def finish(self, taken: ClaimedChunk, result: bytes, games: int = 0, took_s: float = 0.0) -> None:
        """Store the result, if nobody has; `games` and `took_s` are those of a piece that is the whole job."""
        self._store.run(scripts.FINISH, taken.job_id, pack(result), games, *_took(took_s))

    def fail(self, taken: ClaimedChunk, cause: Cause) -> None:
        """End the job: what went wrong with this piece would go wrong again."""
        self._store.run(scripts.FAIL, taken.job_id, taken.piece, taken.token, msgspec.json.encode(cause))

    def fail_turn(self, job_id: str, turn: int, cause: Cause) -> None:
        """End a job over the piece that was taken in this turn, if one was."""
        self._store.run(scripts.FAIL_TURN, job_id, turn, msgspec.json.encode(cause))

    def give_back(self, taken: ClaimedChunk) -> Turn | None:
        """Give a piece back undone; gives the turn that has to be published for it, if one has to be."""
        return _turn(taken.job_id, self._store.run(scripts.GIVE_BACK, taken.job_id, taken.piece, taken.token))

    def lose(self, job_id: str, turn: int, how: str) -> Turn | None:
        """Free the piece whose process has ended, and say `how`; after too many attempts the job has failed."""
        most = self._store.settings.most_attempts
        return _turn(job_id, self._store.run(scripts.LOSE, job_id, turn, most, how))

    def tend(self) -> tuple[tuple[Turn, ...], tuple[str, ...]]:
        """Look after what nobody else does: give the turns that have to be published, and the names of due callbacks.

        Of all who ask, one is served in `TEND_EVERY_S` seconds.
        """
        # A little less than the time between two looks, so that a single worker is served each time.
        times_s = (0.9 * TEND_EVERY_S, LEASE_S, UNSENT_S, STALL_S, CALL_S)
        times_ms = (round(seconds * 1_000) for seconds in times_s)
        turns, due = self._store.run(scripts.TEND, *times_ms, self._store.settings.most_attempts)
        return (
            tuple(
                Turn(msgspec.convert(queue.decode(), Queue), job_id.decode(), int(turn))
                for job_id, queue, turn in turns
            ),
            tuple(name.decode() for name in due),
        )

    def trace(self, job_id: str) -> Trace | None:
        """Give a trace below the request that made a job; None where that is not known."""
        return below_kept(self._store.ask(lambda redis: cast(bytes | None, redis.hget(key("job", job_id), "trace"))))

    def call(self, name: str) -> tuple[Call, Trace | None] | None:
        """Give a callback that is due, and a trace below the request that made the job, where that is known.

        A callback that cannot be read is given up.
        """
        names = key("call", name), key("call", name, "trace")
        kept, said = self._store.ask(lambda redis: cast(list[bytes | None], redis.mget(names)))
        here = below_kept(said)
        try:
            return None if kept is None else (msgspec.json.decode(kept, type=Call), here)
        except (msgspec.MsgspecError, UnicodeDecodeError) as wrong:
            with within(here):
                _log.error("callback-given-up", callback=name, reason=str(wrong))
            self._store.run(scripts.CALLED, name, "given-up", b"", 0)
            return None

    def called(self, name: str, call: Call, outcome: str, again_at: float | None) -> None:
        """Note how a callback went, and when it has to be tried again, if it has to."""
        following = msgspec.structs.replace(call, attempt=call.attempt + 1)
        said = b"" if again_at is None else msgspec.json.encode(following)
        self._store.run(scripts.CALLED, name, outcome, said, 0 if again_at is None else int(again_at * 1_000))


def _took(seconds: float) -> tuple[str, int]:
    at = bisect_left(BUCKETS_S, seconds)
    return str(BUCKETS_S[at]) if at < len(BUCKETS_S) else "more", round(seconds * 1_000)


def _turn(job_id: str, found: Sequence[bytes]) -> Turn | None:
    if not found or not found[1]:
        return None
    return Turn(msgspec.convert(found[0].decode(), Queue), job_id, int(found[1]))
