"""The worker's program: `celery -A workers.app worker` reads the environment and does jobs."""

import os

from arbiter import registry
from arbiter.loading import staying
from workers.queue import make_celery
from workers.settings import WorkerSettings, WrongSettings
from workers.tasks import add_tasks

try:
    settings = WorkerSettings.from_environment(os.environ)
except WrongSettings as wrong:
    raise SystemExit(str(wrong)) from None

# Every process of the worker is a copy of this one, and need not read the games again.
with staying():
    registry.games()
    app = make_celery(settings)
    add_tasks(app, settings)
