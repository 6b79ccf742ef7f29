"""The health check of a queue's workers: `python -m workers.check simulations` sends a message through the queue.

Exit code 0 when a worker of that queue brings it back or is at work, 1 when none does.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import get_args

from infra.settings import WorkerSettings, WrongSettings
from workers.health import HealthCheck
from workers.jobs.models import Queue

WITHIN_S = 5.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the workers of a queue; give the exit code."""
    parser = argparse.ArgumentParser(prog="python -m workers.check", description="Send a message through a queue.")
    parser.add_argument("queue", choices=get_args(Queue))
    queue = parser.parse_args(arguments).queue
    try:
        settings = WorkerSettings.from_environment(os.environ)
    except WrongSettings as wrong:
        print(wrong, file=sys.stderr)
        return 1
    health = HealthCheck(settings).check(WITHIN_S, (queue,))[queue]
    print(f"{queue}: {health}")
    return 1 if health == "silent" else 0


if __name__ == "__main__":
    sys.exit(main())
