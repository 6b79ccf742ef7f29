"""Health of the queues: whether the messages of each are acted on, asked from end to end.

`python -m workers.health simulations` checks one: exit code 0 when a worker of that queue brings the message back or
is at work, 1 when none does.
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
"""How long an answer to a health check is kept."""

LOOK_EVERY_S = 0.005

CALL_S = 1.5
"""Seconds within which a worker that is at work answers a call: its main process looks up about once a second."""


class HealthCheck:
    """Sends a message through each queue and waits for its echo.

    A ping would not do: a worker that lost its place at the queue still answers pings.
    """

    def __init__(self, settings: WorkerSettings, app: Celery | None = None) -> None:
        """Remember where broker and store are; nothing is connected before the first use."""
        self._app, self._store = app or make_celery(settings), RedisStore(settings.redis_url)

    def check(self, timeout_s: float, queues: Sequence[Queue] = QUEUES) -> dict[Queue, Health]:
        """Give the health of each queue: `well`, `busy` or `silent`.

        `well` when a worker brings the echo back in time, `busy` when none does but one that takes from the queue is
        at work, `silent` otherwise, a broker that cannot be reached included. With a worker that is busy it takes up to
        twice `timeout_s`, and no less than a call to all workers.
        """
        tokens, deadline = {queue: uuid4().hex for queue in queues}, time.monotonic() + timeout_s
        health: dict[Queue, Health] = dict.fromkeys(queues, "silent")
        try:
            for queue, token in tokens.items():
                # One that comes too late is of no use to anyone, so it expires instead of piling up behind others.
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
        """Give the queues from which a worker takes that is at work just now."""
        wait_s = max(timeout_s, CALL_S)
        answers = cast(list[dict[str, Any]], self._app.control.broadcast("at_work", reply=True, timeout=wait_s) or [])
        return {
            queue for answer in answers for queues in answer.values() if isinstance(queues, list) for queue in queues
        }


def echo(store: RedisStore, token: str) -> None:
    """Leave the echo of a health check where the one who asks looks for it."""
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
