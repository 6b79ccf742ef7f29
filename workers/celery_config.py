"""The queues between gateway and workers: how messages are sent, stored and taken.

Messages are delivered at least once. A message that is lost with its worker is redelivered, so every task must be safe
to repeat. Messages are only JSON, because other serialisers would let the broker run code in a worker.
"""

from typing import Any, get_args

from celery import Celery
from celery.exceptions import CeleryError
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from infra import tracing
from infra.errors import StoreUnavailable
from infra.logging import log_of
from infra.settings import WorkerSettings
from workers.jobs.models import Queue

QUEUES: tuple[Queue, ...] = get_args(Queue)

ANSWER_S = 5
"""Seconds after which a broker that does not answer counts as unavailable; a caller is waiting."""

UNAVAILABLE = (CeleryError, KombuError, RedisError, OSError)
"""The errors of a broker that cannot be reached."""

_log = log_of(__name__)


def make_celery(settings: WorkerSettings) -> Celery:
    """Make the application that sends messages; `workers.tasks` adds the tasks that handle them.

    Nothing is connected before the first use.
    """
    connection = {"socket_timeout": ANSWER_S, "socket_connect_timeout": ANSWER_S, "socket_keepalive": True}
    app = Celery("arbiter", broker=settings.redis_url, set_as_current=False)
    app.conf.update(
        broker_transport="workers.broker:Transport",
        accept_content=["json"],
        task_queues={name: {"exchange": name, "routing_key": name} for name in QUEUES},
        task_default_queue=QUEUES[0],
        # The result of a chunk is stored with its job; Celery stores none.
        task_ignore_result=True,
        # A message leaves the queue when it is handled, not when it is taken: a worker that dies loses none.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        # There is nothing to wait for after a process has ended: its result is in the store.
        worker_lost_wait=0.1,
        # A task continues when the connection is lost: the redelivered message finds the chunk begun.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        # A worker takes no message that another could handle sooner.
        worker_prefetch_multiplier=1,
        worker_concurrency=settings.worker_concurrency,
        worker_max_tasks_per_child=settings.jobs_per_process,
        worker_max_memory_per_child=settings.memory_per_process_mib * 1024,
        task_soft_time_limit=settings.soft_time_limit_s,
        task_time_limit=settings.hard_time_limit_s,
        worker_soft_shutdown_timeout=float(settings.shutdown_grace_s),
        broker_connection_timeout=ANSWER_S,
        broker_connection_retry_on_startup=True,
        # A worker waits for its broker however long it is away.
        broker_connection_max_retries=None,
        broker_transport_options={
            "visibility_timeout": settings.visibility_timeout_s,
            # Messages of dead workers are checked often enough that only the timeout matters; kombu's own interval of a
            # hundred seconds would add to it.
            "unacked_restore_interval": max(1, settings.visibility_timeout_s // 60),
            "unacked_restore_throttle": 1,
            **connection,
        },
        # A request that cannot reach the broker fails immediately; its caller decides when to try again.
        task_publish_retry_policy={"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0},
    )
    return app


def send_chunk(app: Celery, queue: Queue, job_id: str, chunk: str) -> None:
    """Send the message for a chunk of a job; if it cannot be sent now, a later sweep sends it."""
    try:
        send(app, "run_chunk", (job_id, chunk), queue)
    except StoreUnavailable as away:
        _log.warning("chunk-later", job=job_id, chunk=chunk, reason=str(away))


def send(app: Celery, task: str, arguments: tuple[Any, ...], queue: Queue, **options: Any) -> None:
    """Send a message without waiting for a result; raises `StoreUnavailable`."""
    try:
        app.send_task(task, arguments, queue=queue, ignore_result=True, headers=tracing.outgoing(), **options)
    except UNAVAILABLE as away:
        raise StoreUnavailable(str(away)) from away
