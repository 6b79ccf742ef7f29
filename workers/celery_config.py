"""The queues between gateway and workers: how messages are sent, kept and taken, and whether anybody takes them.

Messages are delivered at least once. One that goes astray with its worker comes again, so every task has to do no harm
when it is repeated. Messages are JSON and nothing else, because any other form would let the broker run code in a
worker.
"""

import time
from collections.abc import Sequence
from typing import Any, Literal, get_args
from uuid import uuid4

from celery import Celery
from celery.backends.redis import RedisBackend
from celery.exceptions import CeleryError
from celery.result import AsyncResult
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from infra import tracing
from infra.settings import WorkerSettings
from workers.jobs.models import Queue, StoreUnavailable

Health = Literal["well", "busy", "silent"]

QUEUES: tuple[Queue, ...] = get_args(Queue)

ANSWER_S = 5
"""Seconds after which a broker that does not answer counts as away; a caller is waiting."""

LOOK_EVERY_S = 0.005

CALL_S = 1.5
"""Seconds within which a worker that is at work answers a call: its main process looks up about once a second."""

AWAY = (CeleryError, KombuError, RedisError, OSError)
"""What it looks like when the broker cannot be reached."""


class Results(RedisBackend):
    """The store of canaries that came back, asked for one when it is wanted.

    Celery would subscribe to every task it hands out, and a subscription that was cut by a broker's restart stays cut
    until the whole program is restarted.
    """

    def on_task_call(self, producer: Any, task_id: str) -> None:
        """Subscribe to nothing."""


def make_celery(settings: WorkerSettings) -> Celery:
    """Make the application that sends messages; `workers.tasks` makes it one that acts on them too.

    Nothing is connected before the first use.
    """
    connection = {"socket_timeout": ANSWER_S, "socket_connect_timeout": ANSWER_S, "socket_keepalive": True}
    store = f"{__name__}:{Results.__name__}+{settings.redis_url}"
    app = Celery("arbiter", broker=settings.redis_url, backend=store, set_as_current=False)
    app.conf.update(
        broker_transport="workers.broker:Transport",
        accept_content=["json"],
        result_accept_content=["json"],
        task_serializer="json",
        result_serializer="json",
        event_serializer="json",
        task_queues={name: {"exchange": name, "routing_key": name} for name in QUEUES},
        task_default_queue=QUEUES[0],
        # A message leaves the queue when it is dealt with, not when it is taken: a worker that dies loses none.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        # Of a process that has ended, nothing more is to be waited for: what it had to say is in the store.
        worker_lost_wait=0.1,
        # What runs when the connection is lost goes on: the message that comes again finds the turn taken.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        # A worker takes no message that another could act on sooner.
        worker_prefetch_multiplier=1,
        worker_concurrency=settings.worker_concurrency,
        worker_max_tasks_per_child=settings.jobs_per_process,
        worker_max_memory_per_child=settings.memory_per_process_mib * 1024,
        task_soft_time_limit=settings.soft_time_limit_s,
        task_time_limit=settings.hard_time_limit_s,
        worker_soft_shutdown_timeout=float(settings.shutdown_grace_s),
        result_expires=settings.result_expiry_s,
        broker_connection_timeout=ANSWER_S,
        broker_connection_retry_on_startup=True,
        # A worker waits for its broker however long it is away.
        broker_connection_max_retries=None,
        broker_transport_options={
            "visibility_timeout": settings.visibility_timeout_s,
            # Messages of dead workers are looked for often enough that the timeout is what counts; kombu's own pace,
            # a look every hundred seconds, would come on top of it.
            "unacked_restore_interval": max(1, settings.visibility_timeout_s // 60),
            "unacked_restore_throttle": 1,
            **connection,
        },
        result_backend_transport_options={"retry_policy": {"timeout": ANSWER_S}},
        redis_socket_timeout=ANSWER_S,
        redis_socket_connect_timeout=ANSWER_S,
        redis_socket_keepalive=True,
        # A request that cannot reach the broker says so at once; its caller knows better than we do when to try again.
        task_publish_retry_policy={"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0},
    )
    return app


def publish_turn(app: Celery, queue: Queue, job_id: str, turn: int) -> None:
    """Send the message by which some worker takes the next piece of a job; raises `StoreUnavailable`."""
    send(app, "turn", (job_id, turn), queue)


def send(app: Celery, task: str, arguments: tuple[Any, ...], queue: Queue) -> None:
    """Send a message that nobody waits for; raises `StoreUnavailable`."""
    try:
        app.send_task(task, arguments, queue=queue, ignore_result=True, headers=tracing.outgoing())
    except AWAY as away:
        raise StoreUnavailable(str(away)) from away


def health(app: Celery, timeout_s: float, queues: Sequence[Queue] = QUEUES) -> dict[Queue, Health]:
    """Tell for each of the queues whether its messages are acted on: `well` when a worker brings a canary back in time,
    `busy` when none does but one that takes from the queue is at work, `silent` otherwise, a broker that cannot be
    reached included. With a worker that is busy it takes up to twice `timeout_s`, and no less than a call to all
    workers.

    A ping would not do: a worker that lost its place at the queue still answers pings.
    """
    songs, deadline = {queue: uuid4().hex for queue in queues}, time.monotonic() + timeout_s
    found: dict[Queue, Health] = dict.fromkeys(queues, "silent")
    try:
        # A canary that comes too late is of no use to anyone, so it expires instead of piling up behind others.
        sent = {
            queue: app.send_task("canary", (song,), queue=queue, expires=timeout_s) for queue, song in songs.items()
        }
        while sent and time.monotonic() < deadline:
            time.sleep(LOOK_EVERY_S)
            for queue in [queue for queue, canary in sent.items() if canary.ready()]:
                found[queue] = "well" if _sung(sent.pop(queue)) == songs[queue] else "silent"
        if sent:
            busy = _at_work(app, timeout_s)
            found.update({queue: "busy" for queue in sent if queue in busy})
    except AWAY:
        return dict.fromkeys(queues, "silent")
    return found


def _sung(canary: "AsyncResult[Any]") -> Any:
    song = canary.result
    canary.forget()
    return song


def _at_work(app: Celery, timeout_s: float) -> set[str]:
    """Give the queues from which a worker takes that is at work just now."""
    answers: list[dict[str, Any]] = app.control.broadcast("at_work", reply=True, timeout=max(timeout_s, CALL_S)) or []
    return {queue for answer in answers for queues in answer.values() if isinstance(queues, list) for queue in queues}
