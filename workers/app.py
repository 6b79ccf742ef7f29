"""The worker's program: `celery -A workers.app worker` reads the environment and does jobs."""

import os
from typing import Any

from celery import signals

from arbiter import registry
from infra import telemetry
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


@signals.worker_init.connect
def load_games(sender: Any, **_: Any) -> None:
    """Load the games before the worker's processes are copied from this one; callbacks need none."""
    if sender.app.amqp.queues.consume_from.keys() - {"callbacks"}:
        with staying():
            registry.games()
