"""What a worker can be asked: each task is a sentence around something the project knows already.

What a message says is not trusted: arguments of any other form than ours are refused, and a turn or a callback that
does not exist does nothing.
"""

import re
import struct
import time
from mmap import mmap
from typing import Any

from celery import Celery, Task, bootsteps, signals
from celery.exceptions import WorkerLostError
from celery.worker.control import inspect_command
from celery.worker.request import Request
from celery.worker.state import active_requests

from infra.logging import log_of, write_lines
from infra.settings import WorkerSettings
from infra.telemetry import instrument_workers
from infra.tracing import within
from workers.jobs import chunks
from workers.jobs.models import StoreUnavailable
from workers.runner import WorkerContext, call_back, take_turn, tend, too_long

MARGIN_S = 1.0
"""Of the time a worker has to end, what is left for handing pieces back."""

REAP_EVERY_S = 0.5
"""How often a worker looks whether a process of its own has ended; Celery may miss that for five seconds."""

_JOB_ID = re.compile(r"[0-9a-f]{32}\Z")
_CALL = re.compile(r"[0-9a-z.]{1,200}\Z")
_SONG = re.compile(r"[0-9a-z]{1,64}\Z")

_log = log_of(__name__)


class InvalidMessage(ValueError):
    """A message that nobody of ours has sent."""


class Alone(Task[Any, Any]):
    """A task after which nothing follows, whatever its message says of callbacks, chains and chords."""

    def before_start(self, *_: Any) -> None:
        """Forget what a message brings with it to be sent on: none of ours does."""
        self.request.update(callbacks=None, errbacks=None, chain=None, chord=None, group=None)


def add_tasks(app: Celery, settings: WorkerSettings) -> WorkerContext:
    """Make the application one that acts on messages: what is not added here cannot be asked of a worker."""
    desk = WorkerContext(settings, app, _watch_for_end(settings.shutdown_grace_s))

    @app.task(name="canary", base=Alone, shared=False)
    def canary(song: str) -> str:
        """Give back what was given: shows that broker, worker and result store work together."""
        if not isinstance(song, str) or not _SONG.match(song):
            raise InvalidMessage("a canary sings a few letters")
        return song

    @app.task(
        name="turn", base=Alone, shared=False, bind=True, ignore_result=True, Request=_turn_request(desk)
    )  # fmt: skip
    def turn(self: Any, job_id: str, turn: int) -> None:
        """Do the next free piece of a job."""
        if not _is_turn(job_id, turn):
            raise InvalidMessage("a turn is the id of a job and a number")
        take_turn(desk, job_id, turn, str(self.request.hostname))

    @app.task(name="call_back", base=Alone, shared=False, ignore_result=True)
    def call(name: str) -> None:
        """Call a callback that is due."""
        if not isinstance(name, str) or not _CALL.match(name):
            raise InvalidMessage("a callback is called by its name")
        call_back(desk, name)

    write_lines(settings.log_level)
    instrument_workers(settings)
    app.finalize()
    # Celery brings tasks of its own, by which a message could have any other called many times over.
    for name in [name for name in app.tasks if name.startswith("celery.")]:
        app.tasks.unregister(name)
    app.steps["consumer"].add(_tending(desk))
    return desk


@inspect_command()
def at_work(state: Any) -> list[str]:
    """Say for which queues a worker is at work: all it takes from, while it does anything at all."""
    if not active_requests:
        return []
    return sorted(queue.name for queue in state.consumer.task_consumer.queues)


def _is_turn(job_id: Any = None, turn: Any = None, *more: Any) -> bool:
    return (
        not more and isinstance(job_id, str) and bool(_JOB_ID.match(job_id)) and type(turn) is int and 0 < turn < 2**53
    )


def _turn_request(desk: WorkerContext) -> type[Any]:
    """Give the kind of request by which a worker's main process learns that the process of a turn has ended."""

    class TurnRequest(Request):
        def on_failure(self, exc_info: Any, *args: Any, **said: Any) -> Any:
            lost = getattr(exc_info.exception, "exc", exc_info.exception)
            if isinstance(lost, WorkerLostError | SystemExit) and _is_turn(*self.args):
                job_id, number = self.args
                _tell(lambda: _lose(desk, job_id, number, _how(lost)))
            return super().on_failure(exc_info, *args, **said)

        def on_timeout(self, soft: bool, timeout: float) -> Any:
            if not soft and _is_turn(*self.args):
                job_id, number = self.args
                _tell(lambda: _give_up(desk, job_id, number, timeout))
            return super().on_timeout(soft, timeout)

    return TurnRequest


def _lose(desk: WorkerContext, job_id: str, turn: int, how: str) -> None:
    with within(desk.pieces.trace(job_id)):
        _log.warning("process-lost", job=job_id, turn=turn, reason=how)
        desk.publish(desk.pieces.lose(job_id, turn, how))


def _give_up(desk: WorkerContext, job_id: str, turn: int, limit_s: float) -> None:
    with within(desk.pieces.trace(job_id)):
        _log.error("turn-too-long", job=job_id, turn=turn, limit_s=limit_s)
    desk.pieces.fail_turn(job_id, turn, too_long("A piece", limit_s))


def _tell(say: Any) -> None:
    try:
        say()
    except StoreUnavailable as away:
        # The lease runs out in a while, and some worker then finds the same.
        _log.warning("store-away", reason=str(away))


def _how(lost: BaseException) -> str:
    found = re.search(r"signal (\d+) \((\w+)\)|exitcode (\d+)", str(lost))
    return f"ended by {found.group()}" if found else ""


def _tending(desk: WorkerContext) -> type[Any]:
    """Give the step by which a worker that has its queue looks after the jobs now and then."""

    class Tending(bootsteps.StartStopStep):
        # A worker that is cut off from its queue forgets its timers, and takes this step again when it is back.
        requires = ("celery.worker.consumer.tasks:Tasks",)
        entries: tuple[Any, ...] = ()

        def start(self, consumer: Any) -> None:
            again = consumer.timer.call_repeatedly
            self.entries = (
                again(chunks.TEND_EVERY_S, tend, (desk,)),
                again(REAP_EVERY_S, consumer.pool.maintain_pool),
            )

        def stop(self, consumer: Any) -> None:
            for entry in self.entries:
                entry.cancel()

    return Tending


def _watch_for_end(grace_s: float) -> Any:
    """Give what tells a worker's processes that they have to put down what they do.

    The main process writes into memory that all its processes share.
    """
    shared = mmap(-1, 8)

    def end(**_: Any) -> None:
        struct.pack_into("d", shared, 0, time.monotonic() + max(0.0, grace_s - MARGIN_S))

    def ending() -> bool:
        (by,) = struct.unpack_from("d", shared)
        return bool(0 < by <= time.monotonic())

    signals.worker_shutting_down.connect(end, weak=False)
    return ending
