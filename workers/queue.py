"""The queue between gateway and workers: how jobs are handed out, kept, ended and asked after.

Jobs run at least once. A job whose worker dies is run again, so every task has to be repeatable: same arguments, same
result. Messages are JSON and nothing else, because any other form would let the broker run code in a worker.
"""

import time
from typing import Any, Literal
from uuid import uuid4

from celery import Celery  # type: ignore[import-untyped] # Celery publishes no types
from celery.backends.redis import RedisBackend  # type: ignore[import-untyped] # as above
from celery.exceptions import CeleryError  # type: ignore[import-untyped] # as above
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from workers.settings import WorkerSettings
from workers.tasks import TASKS

Health = Literal["well", "busy", "silent"]

ANSWER_S = 5
"""Seconds after which a broker that does not answer counts as away; a caller is waiting."""

LOOK_EVERY_S = 0.005


class Results(RedisBackend):  # type: ignore[misc] # a class without types is all that Celery has
    """The store of results, asked for one when it is wanted.

    Celery would subscribe to every job it hands out, and a subscription that was cut by a broker's restart stays cut
    until the whole program is restarted.
    """

    def on_task_call(self, producer: Any, task_id: str) -> None:
        """Subscribe to nothing."""


def make_celery(settings: WorkerSettings) -> Celery:
    """Make the application that hands jobs out and runs them. Nothing is connected before the first use."""
    connection = {"socket_timeout": ANSWER_S, "socket_connect_timeout": ANSWER_S, "socket_keepalive": True}
    store = f"{__name__}:{Results.__name__}+{settings.redis_url}"
    app = Celery("arbiter", broker=settings.redis_url, backend=store, set_as_current=False)
    app.conf.update(
        accept_content=["json"],
        result_accept_content=["json"],
        task_serializer="json",
        result_serializer="json",
        event_serializer="json",
        task_default_queue="arbiter",
        # A job leaves the queue when it is done, not when it is taken: a worker that dies loses none.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_cancel_long_running_tasks_on_connection_loss=True,
        # A worker takes no job that another could start sooner.
        worker_prefetch_multiplier=1,
        worker_concurrency=settings.worker_concurrency,
        worker_max_tasks_per_child=settings.jobs_per_process,
        worker_max_memory_per_child=settings.memory_per_process_mib * 1024,
        task_track_started=True,
        task_soft_time_limit=settings.soft_time_limit_s,
        task_time_limit=settings.hard_time_limit_s,
        worker_soft_shutdown_timeout=float(settings.shutdown_grace_s),
        result_expires=settings.result_expiry_s,
        broker_connection_timeout=ANSWER_S,
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": settings.visibility_timeout_s,
            # Jobs of dead workers are looked for often enough that the timeout is what counts; kombu's own pace, a
            # look every hundred seconds, would come on top of it.
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
    for task in TASKS:
        app.task(task, name=task.__name__)
    return app


def health(app: Celery, timeout_s: float) -> Health:
    """Tell whether jobs are being done: `well` when a worker brings a canary back in time, `busy` when none does but
    one reports a job under way, `silent` otherwise, a broker that cannot be reached included.

    A ping would not do: a worker that lost its place at the queue still answers pings.
    """
    song, deadline = uuid4().hex, time.monotonic() + timeout_s
    try:
        # A canary that comes too late is of no use to anyone, so it expires instead of piling up behind long jobs.
        sent = app.tasks["canary"].apply_async((song,), expires=timeout_s)
        while not sent.ready() and time.monotonic() < deadline:
            time.sleep(LOOK_EVERY_S)
        if sent.ready():
            answer = sent.result
            sent.forget()
            return "well" if answer == song else "silent"
        return "busy" if any((app.control.inspect(timeout=timeout_s).active() or {}).values()) else "silent"
    except (CeleryError, KombuError, RedisError, OSError):
        return "silent"
