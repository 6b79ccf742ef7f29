"""The worker's program: `celery -A workers.app worker` reads the environment and takes jobs."""

import os

from workers.queue import make_celery
from workers.settings import WorkerSettings, WrongSettings

try:
    app = make_celery(WorkerSettings.from_environment(os.environ))
except WrongSettings as wrong:
    raise SystemExit(str(wrong)) from None
