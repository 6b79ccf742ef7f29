"""A worker's handling of a chunk: begin it, send the next one, compute, and store the result.

Each chunk that begins sends the next message to the end of the queue, so that jobs of any length share the workers
chunk by chunk. An error in a chunk ends its job, because it would occur again; a chunk whose worker is lost is
repeated.
"""

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from billiard.exceptions import SoftTimeLimitExceeded
from celery import Celery

from arbiter.fault import Faults
from arbiter.odds.exact import PathBudgetExceeded
from arbiter.simulation.simulate import Enough
from infra.errors import StoreUnavailable
from infra.logging import log_of
from infra.settings import WorkerSettings
from infra.tracing import within
from workers.callbacks import CallbackStore, attempt
from workers.celery_config import send, send_chunk
from workers.jobs.chunk_store import PATIENT, BegunChunk, ChunkStore, SentChunk, Times
from workers.jobs.models import Cause, Queue
from workers.jobs.work import compute, count_more, counted_games, result

T = TypeVar("T")

CUTS = 8
"""A chunk is cut after one part in this many of its time limit."""

HEARTBEAT_S = 0.25
"""Seconds between two heartbeats, which also ask whether the chunk is still wanted."""

SHORT_LIMIT_S = 2.0
"""Seconds of core time that a single question may take in the short queue: twice its highest estimate."""

PATIENCE_S, PAUSE_S = 60.0, 0.5
"""Seconds for which a worker tries to reach a store that is away, and between two attempts."""

_log = log_of(__name__)


class Unwanted(Exception):
    """The chunk is not wanted any more: the job was dismissed, or another worker has done it."""


class GivenBack(Exception):
    """The chunk is left to another worker; a question that turns out long moves `to` the long queue.

    `counted` are the finished games of a simulation's chunk, which need not be played again.
    """

    def __init__(self, reason: str, to: Queue | None = None, counted: bytes = b"") -> None:
        super().__init__(reason)
        self.to, self.counted = to, counted


class TooLong(Exception):
    """A single question has exceeded its limit of core time."""


class WorkerContext:
    """The context of a worker: its settings, the store, and the queues; the same on both sides of a fork.

    `ending` says whether the worker has to give back its work.
    """

    def __init__(
        self, settings: WorkerSettings, app: Celery, ending: Callable[[], bool] = lambda: False, times: Times = PATIENT
    ) -> None:
        self.settings, self.app, self.ending, self.times = settings, app, ending, times
        self.chunks = ChunkStore(settings)
        self.callbacks = CallbackStore(self.chunks.scripts, times.callback_s)

    def send(self, chunk: SentChunk | None) -> None:
        """Send the message of a chunk, if there is one to send."""
        if chunk is not None:
            send_chunk(self.app, chunk.queue, chunk.job_id, chunk.chunk)

    def send_callbacks(self) -> None:
        """Send the messages of the callbacks to call now."""
        for name in self.callbacks.due():
            send(self.app, "call_back", (name,), "callbacks")


def run_chunk(context: WorkerContext, job_id: str, chunk: str) -> None:
    """Run a chunk of a job; do nothing if it is done or begun elsewhere, or the job has ended.

    The worker of the last chunk adds all of them up.
    """
    step = patiently(lambda: context.chunks.begin(job_id, chunk))
    if step is None:
        return
    with within(step.trace):
        context.send(step.following)
        while step is not None:
            step = _run_step(context, step)


def _run_step(context: WorkerContext, begun: BegunChunk) -> BegunChunk | None:
    """Run one chunk; after the last one, give the chunk that adds up."""
    try:
        if begun.games is not None:
            return _compute(context, begun, begun.games)
        _add_up(context, begun)
    except Unwanted:
        _log.info("chunk-unwanted", job=begun.job_id, chunk=begun.chunk)
    except GivenBack as given_back:
        _log.info("chunk-given-back", job=begun.job_id, chunk=begun.chunk, reason=str(given_back))
        to, counted = given_back.to, given_back.counted
        context.send(patiently(lambda: context.chunks.give_back(begun, to, counted)))
    except StoreUnavailable:
        # The store cannot be reached. When it is back, the chunk has missed its heartbeats, and is sent again.
        raise
    except Exception as wrong:
        cause = _cause(context, begun, wrong)
        _log.info("chunk-ends-job", job=begun.job_id, chunk=begun.chunk, cause=cause.code)
        patiently(lambda: context.chunks.fail(begun.job_id, begun.chunk, cause))
    return None


def _compute(context: WorkerContext, begun: BegunChunk, games: range) -> BegunChunk | None:
    start = time.monotonic()
    over_before = 0 if begun.cut is None else counted_games(begun.cut)
    watch = _Watch(context, begun, over_before)
    with watch.on():
        if begun.work.kind == "simulation":
            data, left = count_more(begun.work, games, begun.cut, watch.on_progress)
            if left:
                raise GivenBack("it is cut", counted=data)
        else:
            data = compute(begun.work, games, context.settings.job_path_budget, watch.on_progress)
        took_s = time.monotonic() - start
    _log.info("chunk-done", job=begun.job_id, chunk=begun.chunk, seconds=round(took_s, 3))
    # A ruling or odds report no progress, and count as one game.
    return patiently(lambda: context.chunks.store(begun, data, watch.over or 1, took_s))


def _add_up(context: WorkerContext, begun: BegunChunk) -> None:
    with _Watch(context, begun).on():
        whole = result(begun.work, begun.parts)
    patiently(lambda: context.chunks.finish(begun, whole))


class _Watch:
    """Sends heartbeats for a chunk while it runs, and ends it when it has to end.

    It uses the signal of a timer, so that work without progress reports is watched as well, and other work pays
    nothing.
    """

    def __init__(self, context: WorkerContext, begun: BegunChunk, over: int = 0) -> None:
        """Watch a chunk; `over` are its finished games so far."""
        self._context, self._begun = context, begun
        self.over = self._before = self._over_before = over
        self._end: Exception | None = None
        # A simulation's chunk that takes too long is cut between two games; a single question is cut off.
        short = begun.queue == "short" and context.settings.job_odds_limit_s > SHORT_LIMIT_S
        limit_s = SHORT_LIMIT_S if short else context.settings.job_odds_limit_s
        self._over_time: Exception = GivenBack("it is long", "long") if short else TooLong()
        counts = begun.work.kind == "simulation"
        self._end_at_s = math.inf if counts else time.process_time() + limit_s
        self._cut_at_s = time.monotonic() + context.settings.soft_time_limit_s / CUTS if counts else math.inf

    def on_progress(self, over: int) -> None:
        """Record the number of finished games; raises the exception that ends the work."""
        self.over = self._before + over
        if self._end is not None:
            raise self._end

    @contextmanager
    def on(self) -> Iterator[None]:
        """Watch the block; raises `Unwanted` and `GivenBack`."""
        before = signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, HEARTBEAT_S, HEARTBEAT_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _look(self, *_: Any) -> None:
        if self._end is None:
            self._end = self._reason_to_end()
        reports, self._over_before = self.over > self._over_before, self.over
        if self._end is None or reports or isinstance(self._end, Enough):
            # Work that reports progress ends between two games; a chunk that is cut always does.
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise self._end

    def _reason_to_end(self) -> Exception | None:
        if self._context.ending():
            return GivenBack("the worker ends")
        if time.process_time() > self._end_at_s:
            return self._over_time
        if self._begun.games is not None and time.monotonic() > self._cut_at_s:
            return Enough()
        try:
            return None if self._context.chunks.heartbeat(self._begun, self.over) else Unwanted()
        except StoreUnavailable as away:
            _log.warning("store-away", job=self._begun.job_id, reason=str(away))
            return None


def patiently(ask: Callable[[], T]) -> T:
    """Call the store until it answers; raises `StoreUnavailable` when it has been away for too long."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return ask()
        except StoreUnavailable:
            if time.monotonic() > deadline:
                raise
            time.sleep(PAUSE_S)


def _cause(context: WorkerContext, begun: BegunChunk, wrong: Exception) -> Cause:
    what = "adding up" if begun.games is None else f"games {begun.games.start} to {begun.games.stop - 1}"
    if isinstance(wrong, Faults):
        return Cause("impossible", "The posted body turned out to be impossible.", wrong.faults)
    if isinstance(wrong, PathBudgetExceeded):
        return Cause("too-many-paths", f"{wrong}")
    if isinstance(wrong, TooLong):
        return too_long("The question", context.settings.job_odds_limit_s)
    if isinstance(wrong, SoftTimeLimitExceeded):
        return too_long(f"A chunk ({what})", context.settings.soft_time_limit_s)
    if isinstance(wrong, MemoryError):
        return Cause("out-of-memory", f"There was not enough memory for a chunk ({what}).")
    _log.error("fault", job=begun.job_id, chunk=begun.chunk, exc_info=wrong)
    return Cause("internal", f"An error of the service, {type(wrong).__name__}, in a chunk ({what}).")


def too_long(what: str, limit_s: float) -> Cause:
    """Give the cause of a job that exceeded its time limit."""
    return Cause("too-long", f"{what} took longer than {limit_s:g} seconds.")


def call_back(context: WorkerContext, name: str) -> None:
    """Call a due callback once, and record when to try it again."""
    due = patiently(lambda: context.callbacks.read(name))
    if due is not None:
        call, trace = due
        with within(trace):
            tried = attempt(call, name, trace, loopback_allowed=context.settings.callbacks_to_loopback)
            patiently(lambda: context.callbacks.note_attempt(name, call, *tried))
    context.send_callbacks()


def sweep(context: WorkerContext) -> None:
    """Send lost work: chunks of lost workers, chunks whose message is lost, and callbacks that are due."""
    try:
        for chunk in context.chunks.sweep(context.times):
            context.send(chunk)
        context.send_callbacks()
    except StoreUnavailable as away:
        _log.warning("store-away", reason=str(away))
