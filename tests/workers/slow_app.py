"""A worker that knows the game of naps alone, and is quick to miss a worker: `--app tests.workers.slow_app`."""

import os

from arbiter import registry
from infra.settings import WorkerSettings
from tests.workers.naps import NAPS
from workers.celery_config import make_celery
from workers.jobs import chunks
from workers.tasks import add_tasks

registry.games = lambda home="services": {"naps": NAPS}
chunks.LEASE_S, chunks.TEND_EVERY_S, chunks.UNSENT_S, chunks.STALL_S = 2.5, 0.3, 0.5, 2.0

settings = WorkerSettings.from_environment(os.environ)
app = make_celery(settings)
add_tasks(app, settings)
