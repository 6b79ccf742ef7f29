"""A worker that knows the game of naps alone, and is quick to miss a worker: `--app tests.workers.slow_app`."""

import os

from arbiter import registry
from infra.settings import WorkerSettings
from tests.workers.naps import NAPS
from workers.celery_config import make_celery
from workers.jobs.chunk_store import Times
from workers.tasks import add_tasks

registry.games = lambda home="services": {"naps": NAPS}

settings = WorkerSettings.from_environment(os.environ)
silent_s = float(os.environ.get("NAPS_SILENT_S", "2.5"))
app = make_celery(settings)
add_tasks(app, settings, Times(sweep_s=0.3, silent_s=silent_s, unheard_s=0.5))
