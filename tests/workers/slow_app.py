"""A worker with one more task, which takes as long as it is told: `--app tests.workers.slow_app`."""

import os
import time
from pathlib import Path

from workers.queue import make_celery
from workers.settings import WorkerSettings

app = make_celery(WorkerSettings.from_environment(os.environ))


@app.task(name="slow")  # type: ignore[untyped-decorator] # Celery publishes no types
def slow(seconds: float, diary: str) -> str:
    with Path(diary).open("a") as page:
        page.write("started\n")
    time.sleep(seconds)
    return "done"
