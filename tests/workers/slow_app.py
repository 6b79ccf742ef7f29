"""A worker that knows the game of naps alone, and is quick to miss a worker: `--app tests.workers.slow_app`."""

import os

from arbiter import registry
from tests.workers.naps import NAPS
from workers import pieces
from workers.queue import make_celery
from workers.settings import WorkerSettings
from workers.tasks import add_tasks

registry.games = lambda home="services": {"naps": NAPS}
pieces.LEASE_S, pieces.TEND_EVERY_S, pieces.UNSENT_S, pieces.STALL_S = 2.5, 0.3, 0.5, 2.0

settings = WorkerSettings.from_environment(os.environ)
app = make_celery(settings)
add_tasks(app, settings)
