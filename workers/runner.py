"""A turn of a job: take a free piece, have the next turn published, do the piece, hand it in.

As every turn publishes one next turn, at the end of the queue, jobs of any length share the workers turn by turn. What
is wrong with a piece ends its job at once, for it would be wrong again; a piece whose worker is lost is tried again.
"""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from uuid import uuid4

from billiard.exceptions import SoftTimeLimitExceeded
from celery import Celery

from arbiter.fault import Faults
from arbiter.odds.exact import PathBudgetExceeded
from infra.logging import log_of
from infra.settings import WorkerSettings
from infra.tracing import Trace, within
from workers.celery_config import publish_turn, send
from workers.jobs.chunks import Call, ClaimedChunk, Pieces, Turn
from workers.jobs.models import Cause, StoreUnavailable
from workers.jobs.records import Store
from workers.jobs.work import compute, result
from workers.webhooks import delivery

T = TypeVar("T")

BEAT_S = 0.25
"""How often a worker says that it is alive and asks whether its piece is still wanted."""

PATIENCE_S = 60.0
"""Seconds for which a worker tries to reach a store that is away, before it gives up what it has done."""

_log = log_of(__name__)


class Unwanted(Exception):
    """Nobody wants the piece any more: the job was dismissed, or somebody else has done it."""


class Ending(Exception):
    """The worker is about to end and cannot finish the piece."""


class WorkerContext:
    """A worker's place of work: its settings, the store, and the queues; the same on both sides of a fork.

    `ending` tells whether the worker has to put down what it does.
    """

    def __init__(self, settings: WorkerSettings, app: Celery, ending: Callable[[], bool] = lambda: False) -> None:
        self.settings, self.app, self.ending = settings, app, ending
        self.pieces = Pieces(Store(settings))

    def publish(self, turn: Turn | None) -> None:
        """Publish a turn; one that cannot be published now is noted, and published by somebody later."""
        if turn is None:
            return
        try:
            publish_turn(self.app, turn.queue, turn.job_id, turn.turn)
            self.pieces.published(turn)
        except StoreUnavailable as away:
            _log.warning("turn-later", job=turn.job_id, turn=turn.turn, reason=str(away))


def take_turn(desk: WorkerContext, job_id: str, turn: int, worker: str) -> None:
    """Do the next free piece of a job; nothing if the turn is not the job's (any more)."""
    token = uuid4().hex
    taken = patiently(lambda: desk.pieces.take(job_id, turn, token, worker))
    if taken is None:
        return
    with within(taken.trace):
        if taken.following is not None:
            desk.publish(Turn(taken.queue, job_id, taken.following))
        step: ClaimedChunk | None = taken
        while step is not None:
            step = _take_step(desk, step)


def _take_step(desk: WorkerContext, taken: ClaimedChunk) -> ClaimedChunk | None:
    """Do one piece; gives the adding up of all pieces to whoever has done the last one."""
    try:
        if taken.games is not None:
            return _do(desk, taken, taken.games)
        _add_up(desk, taken)
        return None
    except Unwanted:
        _log.info("piece-unwanted", job=taken.job_id, piece=taken.piece)
        return None
    except Ending:
        _log.info("piece-put-back", job=taken.job_id, piece=taken.piece, reason="the worker ends")
        desk.publish(patiently(lambda: desk.pieces.give_back(taken)))
        return None
    except StoreUnavailable:
        # Nothing can be said to the store. When it is back the lease has run out, and another worker does the piece.
        raise
    except Exception as wrong:
        cause = _cause(desk, taken, wrong)
        _log.info("piece-ends-job", job=taken.job_id, piece=taken.piece, cause=cause.code)
        patiently(lambda: desk.pieces.fail(taken, cause))
        return None


def _do(desk: WorkerContext, taken: ClaimedChunk, games: range) -> ClaimedChunk | None:
    watch, began = _Watch(desk, taken), time.monotonic()
    with watch.on():
        data = compute(taken.work, games, desk.settings.job_path_budget, watch.between)
        took_s = time.monotonic() - began
        whole = result(taken.work, (data,)) if taken.single else None
    # What counts no games, a ruling or odds, is one.
    over = watch.over or 1
    _log.info("piece-done", job=taken.job_id, piece=taken.piece, seconds=round(took_s, 3))
    if whole is not None:
        patiently(lambda: desk.pieces.finish(taken, whole, over, took_s))
        return None
    return patiently(lambda: desk.pieces.put(taken, data, over, took_s))


def _add_up(desk: WorkerContext, taken: ClaimedChunk) -> None:
    with _Watch(desk, taken).on():
        whole = result(taken.work, taken.done)
    patiently(lambda: desk.pieces.finish(taken, whole))


class _Watch:
    """Gives signs of life for a piece while it is worked on, and ends that work when it has to end.

    A timer's signal does it, so that work that never looks up is watched as well, and work that does pays nothing.
    """

    def __init__(self, desk: WorkerContext, taken: ClaimedChunk) -> None:
        self._desk, self._taken = desk, taken
        self.over = 0
        self._over_before = 0
        self._end: Exception | None = None

    def between(self, over: int) -> None:
        """Hear how many games are over; raises what ends the work."""
        self.over = over
        if self._end is not None:
            raise self._end

    @contextmanager
    def on(self) -> Iterator[None]:
        """Watch what is done inside; raises `Unwanted` and `Ending`."""
        before = signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, BEAT_S, BEAT_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _look(self, *_: Any) -> None:
        if self._end is None:
            self._end = self._reason_to_end()
        looks_up, self._over_before = self.over > self._over_before, self.over
        if self._end is None or looks_up:
            # Work that looks up ends between two games.
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise self._end

    def _reason_to_end(self) -> Exception | None:
        if self._desk.ending():
            return Ending()
        try:
            return None if self._desk.pieces.wanted(self._taken, self.over) else Unwanted()
        except StoreUnavailable as away:
            _log.warning("store-away", job=self._taken.job_id, reason=str(away))
            return None


def patiently(ask: Callable[[], T]) -> T:
    """Ask the store until it answers; raises `StoreUnavailable` when it has been away for too long."""
    deadline, pause_s = time.monotonic() + PATIENCE_S, 0.1
    while True:
        try:
            return ask()
        except StoreUnavailable:
            if time.monotonic() > deadline:
                raise
            time.sleep(pause_s)
            pause_s = min(2.0, 2 * pause_s)


def _cause(desk: WorkerContext, taken: ClaimedChunk, wrong: Exception) -> Cause:
    if isinstance(wrong, Faults):
        return Cause("impossible", "What was asked turned out to be impossible.", wrong.faults)
    if isinstance(wrong, PathBudgetExceeded):
        return Cause("too-many-paths", f"{wrong}")
    if isinstance(wrong, SoftTimeLimitExceeded):
        return too_long(f"Piece {taken.piece}", desk.settings.soft_time_limit_s)
    if isinstance(wrong, MemoryError):
        return Cause("out-of-memory", f"There was not enough memory for piece {taken.piece}.")
    _log.error("fault", job=taken.job_id, piece=taken.piece, exc_info=wrong)
    return Cause("internal", f"An error of the service, {type(wrong).__name__}, in piece {taken.piece}.")


def too_long(what: str, limit_s: float) -> Cause:
    """Give the cause of a job that failed over its time."""
    return Cause("too-long", f"{what} took longer than {limit_s:g} seconds.")


def call_back(desk: WorkerContext, name: str) -> None:
    """Call a callback that is due, once, and note when it has to be tried again."""
    due = patiently(lambda: desk.pieces.call(name))
    if due is None:
        return
    call, trace = due
    with within(trace):
        _call(desk, name, call, trace)


def _call(desk: WorkerContext, name: str, call: Call, trace: Trace | None) -> None:
    ended = call.ended / 1_000
    links = {"self": f"/v1/jobs/{call.id}", "result": f"/v1/jobs/{call.id}/result"}
    delivered = delivery.deliver(
        call.callback,
        name,
        delivery.make_message(call.id, call.state, ended, links),
        now=time.time(),
        settings=delivery.DeliverySettings(loopback_allowed=desk.settings.callbacks_to_loopback),
        trace=trace,
    )
    again_at = None
    if delivered.outcome == "again":
        again_at = delivery.next_attempt(call.attempt, ended, name, time.time())
    given_up = delivered.outcome == "again" and again_at is None
    _log.info("callback", job=call.id, attempt=call.attempt, outcome=delivered.outcome, reason=delivered.reason)
    patiently(lambda: desk.pieces.called(name, call, "given-up" if given_up else delivered.outcome, again_at))


def tend(desk: WorkerContext) -> None:
    """Publish what nobody else publishes: turns of lost pieces, turns that were never sent or are lost, callbacks."""
    try:
        turns, due = desk.pieces.tend()
        for turn in turns:
            desk.publish(turn)
        for name in due:
            send(desk.app, "call_back", (name,), "paths")
    except StoreUnavailable as away:
        _log.warning("store-away", reason=str(away))
