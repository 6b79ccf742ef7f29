"""The healthcheck of a queue's workers: `python -m workers.check simulations` sends a canary through the queue.

Exit code 0 when a worker of that queue brings it back or is at work, 1 when none does. A ping would not do: a worker
that has lost its place at the queue still answers pings.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import get_args

from infra.settings import WorkerSettings, WrongSettings
from workers.celery_config import health, make_celery
from workers.jobs.models import Queue

WITHIN_S = 5.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Tell how the workers of a queue are; give the exit code."""
    said = argparse.ArgumentParser(prog="python -m workers.check", description="Send a canary through a queue.")
    said.add_argument("queue", choices=get_args(Queue))
    queue = said.parse_args(arguments).queue
    try:
        app = make_celery(WorkerSettings.from_environment(os.environ))
    except WrongSettings as wrong:
        print(wrong, file=sys.stderr)
        return 1
    found = health(app, WITHIN_S, (queue,))[queue]
    print(f"{queue}: {found}")
    return 1 if found == "silent" else 0


if __name__ == "__main__":
    sys.exit(main())
