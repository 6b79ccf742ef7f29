"""Readiness: whether every component of the service answers, checked at most once a second."""

import time
from collections.abc import Callable, Mapping
from functools import cache
from threading import Lock
from typing import Any

from api.settings import Settings
from arbiter.game import Arbiter
from arbiter.value import Value


class Component(Value, frozen=True):
    """One component of the service: whether it works, and a description."""

    ok: bool
    detail: str


_JOBS = {
    "well": Component(True, "a worker of the queue answers a message through it"),
    "busy": Component(True, "every worker of the queue is busy with a job"),
    "silent": Component(False, "no worker of the queue answers: Redis is away, or no worker runs"),
}

NO_JOBS = Component(True, "absent: REDIS_URL is not set; everything but jobs works")

HELD_S = 1.0
"""Seconds for which the result of a check is cached, so that frequent requests do not load the components."""

STALE_S = 10.0
"""The oldest result that is given instead of waiting, while a check is running."""


class Held:
    """A check whose result is cached for a moment, and which runs once at a time."""

    def __init__(self, check: Callable[[], dict[str, Component]], clock: Callable[[], float] = time.monotonic) -> None:
        self._check, self._clock, self._lock = check, clock, Lock()
        self._result: tuple[float, dict[str, Component]] | None = None

    def __call__(self) -> dict[str, Component]:
        """Give the result; a caller during a running check waits only if the last result is old."""
        held = self._younger_than(STALE_S if self._lock.locked() else HELD_S)
        if held is not None:
            return held
        with self._lock:
            held = self._younger_than(HELD_S)
            if held is None:
                held = self._check()
                self._result = self._clock(), held
            return held

    def _younger_than(self, seconds: float) -> dict[str, Component] | None:
        result = self._result
        return result[1] if result is not None and self._clock() - result[0] < seconds else None


def make_readiness(
    games: Mapping[str, Arbiter], settings: Settings, remote: Callable[[], dict[str, Component]], *, with_jobs: bool
) -> Held:
    """Make the check of a service: its games, the games' own services, and the workers."""
    component = Component(bool(games), ", ".join(games) or "no game is found under services/")
    if not with_jobs:
        return Held(lambda: {"games": component, **remote(), "jobs": NO_JOBS})

    @cache
    def queues() -> Any:
        # A gateway starts faster without Celery.
        from workers.health import HealthCheck

        return HealthCheck(settings)

    def jobs() -> dict[str, Component]:
        states = queues().check(settings.health_timeout_s)
        return {f"jobs/{name}": _JOBS[state] for name, state in states.items()}

    return Held(lambda: {"games": component, **remote(), **jobs()})
