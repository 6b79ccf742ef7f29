"""The tasks of a worker, and the other duties of its main process: the sweep, and noticing ended processes.

Messages are not trusted: arguments of any other form than ours are refused, and an unknown chunk or callback does
nothing.

The sweep runs in the main process of every worker, on the timer of its consumer, one worker at a time. So it needs no
separate process that could be missing, does not wait in a long queue, and continues as long as any worker lives.
(Celery's beat may run only once, and its messages wait in the queue like all others.)
"""

import re
import struct
import time
from collections.abc import Callable
from mmap import mmap
from typing import Any, TypeVar

from celery import Celery, Task, bootsteps, signals
from celery.exceptions import WorkerLostError
from celery.worker.control import inspect_command
from celery.worker.request import Request
from celery.worker.state import active_requests

from infra.errors import StoreUnavailable
from infra.logging import log_of, write_lines
from infra.redis import RedisStore
from infra.settings import WorkerSettings
from infra.telemetry import instrument_workers
from infra.tracing import within
from workers import health, runner
from workers.jobs.chunk_store import FINISH, PATIENT, ChunkStore, Times
from workers.jobs.models import Cause
from workers.runner import WorkerContext, call_back, sweep, too_long

MARGIN_S = 1.0
"""The part of a worker's shutdown time that is reserved for giving chunks back."""

REAP_EVERY_S = 0.5
"""Seconds between two checks for ended processes of a worker; Celery may miss them for five seconds."""

T = TypeVar("T", str, Cause)

_JOB_ID, _CHUNK = re.compile(r"[0-9a-f]{32}\Z"), re.compile(rf"([0-9]{{1,4}}|{FINISH})\Z")
_CALLBACK = re.compile(r"[0-9a-z.]{1,200}\Z")
_TOKEN = re.compile(r"[0-9a-z]{1,64}\Z")

_log = log_of(__name__)


class PlainTask(Task[Any, Any]):
    """A task that triggers no other, even if its message names callbacks, chains or chords."""

    def before_start(self, *_: Any) -> None:
        """Drop the follow-up tasks of a message: ours have none."""
        self.request.update(callbacks=None, errbacks=None, chain=None, chord=None, group=None)


def add_tasks(app: Celery, settings: WorkerSettings, times: Times = PATIENT) -> WorkerContext:
    """Add the tasks to the application: a worker runs no others."""
    context = WorkerContext(settings, app, _watch_for_end(settings.shutdown_grace_s), times)
    store, request = RedisStore(settings.redis_url), _chunk_request(context)

    @app.task(name="echo", base=PlainTask, shared=False)
    def echo(token: str) -> None:
        """Answer a health check: shows that broker, worker and store work together."""
        health.echo(store, _check_argument(_TOKEN, token))

    @app.task(name="run_chunk", base=PlainTask, shared=False, Request=request)
    def run_chunk(job_id: str, chunk: str) -> None:
        """Run a chunk of a job, or add all of them up if the worker of the last one was lost."""
        runner.run_chunk(context, _check_argument(_JOB_ID, job_id), _check_argument(_CHUNK, chunk))

    @app.task(name="call_back", base=PlainTask, shared=False)
    def call(name: str) -> None:
        """Call a due callback."""
        call_back(context, _check_argument(_CALLBACK, name))

    write_lines(settings.log_level)
    instrument_workers(settings)
    app.finalize()
    # Celery has built-in tasks, with which a message could call any other many times.
    for name in [name for name in app.tasks if name.startswith("celery.")]:
        app.tasks.unregister(name)
    app.steps["consumer"].add(_sweeping(context))
    return context


@inspect_command()
def at_work(state: Any) -> list[str]:
    """Give the queues for which a worker is busy: all of its queues, while it runs any task."""
    return sorted(queue.name for queue in state.consumer.task_consumer.queues) if active_requests else []


def _check_argument(pattern: re.Pattern[str], argument: object) -> str:
    """Give a valid argument of a message; else `ValueError`."""
    if isinstance(argument, str) and pattern.match(argument):
        return argument
    raise ValueError(f"an argument does not match {pattern.pattern}")


def _chunk_request(context: WorkerContext) -> type[Any]:
    """Give the request class that tells a worker's main process that the process of a chunk has ended."""

    class ChunkRequest(Request):
        def on_failure(self, exc_info: Any, *args: Any, **options: Any) -> Any:
            lost = getattr(exc_info.exception, "exc", exc_info.exception)
            if isinstance(lost, WorkerLostError | SystemExit):
                # Celery returns the message to the queue, because it is not acknowledged.
                _note(context.chunks, self.args, "process-lost", _how(lost), context.chunks.lose)
            return super().on_failure(exc_info, *args, **options)

        def on_timeout(self, soft: bool, timeout: float) -> Any:
            if not soft:
                _note(context.chunks, self.args, "chunk-too-long", too_long("A chunk", timeout), context.chunks.fail)
            return super().on_timeout(soft, timeout)

    return ChunkRequest


def _note(chunks: ChunkStore, message: Any, event: str, why: T, note: Callable[[str, str, T], object]) -> None:
    try:
        job_id, chunk = message
        job_id, chunk = _check_argument(_JOB_ID, job_id), _check_argument(_CHUNK, chunk)
        with within(chunks.trace(job_id)):
            _log.error(event, job=job_id, chunk=chunk, reason=why.detail if isinstance(why, Cause) else why)
        note(job_id, chunk, why)
    except ValueError:
        return  # The message is none of ours.
    except StoreUnavailable as away:
        # The chunk sends no heartbeat from now on, and a sweep finds it.
        _log.warning("store-away", reason=str(away))


def _how(lost: BaseException) -> str:
    return f"ended by {match.group()}" if (match := re.search(r"signal \d+ \(\w+\)|exitcode \d+", str(lost))) else ""


def _sweeping(context: WorkerContext) -> type[Any]:
    """Give the bootstep with which a connected worker sweeps at intervals."""

    class Sweeping(bootsteps.StartStopStep):
        # A worker that loses its connection drops its timers, and repeats this step when it reconnects.
        requires = ("celery.worker.consumer.tasks:Tasks",)
        entries: tuple[Any, ...] = ()

        def start(self, consumer: Any) -> None:
            repeat = consumer.timer.call_repeatedly
            self.entries = (
                repeat(context.times.sweep_s, sweep, (context,)),
                repeat(REAP_EVERY_S, consumer.pool.maintain_pool),
            )

        def stop(self, consumer: Any) -> None:
            for entry in self.entries:
                entry.cancel()

    return Sweeping


def _watch_for_end(grace_s: float) -> Any:
    """Give the function that tells a worker's processes whether they have to give back their work.

    The main process sets it in memory that all its processes share.
    """
    shared = mmap(-1, 8)

    def end(**_: Any) -> None:
        struct.pack_into("d", shared, 0, time.monotonic() + max(0.0, grace_s - MARGIN_S))

    def ending() -> bool:
        (by,) = struct.unpack_from("d", shared)
        return bool(0 < by <= time.monotonic())

    signals.worker_shutting_down.connect(end, weak=False)
    return ending
