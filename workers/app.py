"""The worker application: `celery -A workers.app worker` reads the environment and runs jobs."""

import os
from typing import Any

from celery.signals import worker_init, worker_process_init

from arbiter import registry
from infra import telemetry
from infra.processes import end_with_parent
from infra.settings import WorkerSettings, WrongSettings
from infra.startup import staying
from workers.celery_config import make_celery
from workers.tasks import add_tasks

try:
    settings = WorkerSettings.from_environment(os.environ)
    telemetry.check(settings)
except WrongSettings as wrong:
    raise SystemExit(str(wrong)) from None

with staying():
    app = make_celery(settings)
    add_tasks(app, settings)


@worker_init.connect
def load_games(sender: Any, **_: Any) -> None:
    """Load the games before the worker's processes are forked from this one; callbacks need none."""
    if sender.app.amqp.queues.consume_from.keys() - {"callbacks"}:
        with staying():
            registry.games()


@worker_process_init.connect
def end_with_worker(**_: Any) -> None:
    """Let a process of the worker end with it: no parent is left to take its result."""
    end_with_parent()
