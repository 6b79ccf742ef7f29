"""The worker's program: `celery -A workers.app worker` reads the environment and does jobs."""

import os

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

# Every process of the worker is a copy of this one, and need not read the games again.
with staying():
    registry.games()
    app = make_celery(settings)
    add_tasks(app, settings)
