"""Health of the queues: whether the messages of each are handled, checked end to end.

`python -m workers.health simulations` checks one: exit code 0 if a worker of that queue echoes the message or is busy,
1 if none does.
"""

import os
import sys
import time
from collections.abc import Sequence
from typing import Any, Literal, cast
from uuid import uuid4

import msgspec
from celery import Celery

from infra.errors import StoreUnavailable
from infra.redis import RedisStore, key
from infra.settings import WorkerSettings, WrongSettings
from workers.celery_config import QUEUES, UNAVAILABLE, make_celery, send
from workers.jobs.models import Queue

Health = Literal["well", "busy", "silent"]

ECHO_MS = 60_000
"""Milliseconds for which an answer to a health check is stored."""

LOOK_EVERY_S = 0.005

CALL_S = 1.5
"""Seconds within which a busy worker answers a call: its main process checks about once a second."""


class HealthCheck:
    """Sends a message through each queue and waits for its echo.

    A ping is not enough: a worker that no longer reads its queue still answers pings.
    """

    def __init__(self, settings: WorkerSettings, app: Celery | None = None) -> None:
        """Remember where broker and store are; nothing is connected before the first use."""
        self._app, self._store = app or make_celery(settings), RedisStore(settings.redis_url)

    def check(self, timeout_s: float, queues: Sequence[Queue] = QUEUES) -> dict[Queue, Health]:
        """Give the health of each queue: `well`, `busy` or `silent`.

        `well` if a worker returns the echo in time, `busy` if none does but a worker of the queue is running a task,
        `silent` otherwise, also if the broker cannot be reached. With a busy worker it takes up to twice `timeout_s`,
        and at least as long as a call to all workers.
        """
        tokens, deadline = {queue: uuid4().hex for queue in queues}, time.monotonic() + timeout_s
        health: dict[Queue, Health] = dict.fromkeys(queues, "silent")
        try:
            for queue, token in tokens.items():
                # A late echo is useless, so it expires instead of queueing up.
                send(self._app, "echo", (token,), queue, expires=timeout_s)
            while tokens and time.monotonic() < deadline:
                time.sleep(LOOK_EVERY_S)
                for queue in [queue for queue, token in tokens.items() if self._is_there(token)]:
                    health[queue] = "well"
                    del tokens[queue]
            if tokens:
                busy = self._at_work(timeout_s)
                health.update({queue: "busy" for queue in tokens if queue in busy})
        except (StoreUnavailable, *UNAVAILABLE):
            return dict.fromkeys(queues, "silent")
        return health

    def _is_there(self, token: str) -> bool:
        return bool(self._store.ask(lambda redis: redis.delete(key("echo", token))))

    def _at_work(self, timeout_s: float) -> set[str]:
        """Give the queues of the workers that are busy now."""
        wait_s = max(timeout_s, CALL_S)
        answers = cast(list[dict[str, Any]], self._app.control.broadcast("at_work", reply=True, timeout=wait_s) or [])
        return {
            queue for answer in answers for queues in answer.values() if isinstance(queues, list) for queue in queues
        }


def echo(store: RedisStore, token: str) -> None:
    """Store the echo of a health check under its token."""
    store.ask(lambda redis: redis.set(key("echo", token), b"1", px=ECHO_MS))


def main(name: str) -> int:
    """Check the workers of a queue; give the exit code."""
    try:
        queue = msgspec.convert(name, Queue)
        health = HealthCheck(WorkerSettings.from_environment(os.environ)).check(5.0, (queue,))[queue]
    except (msgspec.ValidationError, WrongSettings) as wrong:
        print(wrong, file=sys.stderr)
        return 1
    print(f"{queue}: {health}")
    return 1 if health == "silent" else 0


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:])))
