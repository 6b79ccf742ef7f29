"""Health: whether the process lives, and whether every part of the service that it needs answers."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal

from flask import Blueprint, Response

from api import drain
from api.answers import encoded
from api.settings import Settings
from arbiter.arbiter import ENGINE, Arbiter
from arbiter.value import Value


class Alive(Value, frozen=True):
    """The process answers; the version of the engine it runs."""

    status: Literal["alive"]
    engine: str


class Component(Value, frozen=True):
    """One part of the service: whether it is as it has to be, and what is to be said about it."""

    ok: bool
    detail: str


class Readiness(Value, frozen=True):
    """Whether the service can do everything it is set up for, part by part."""

    status: Literal["ready", "not ready"]
    components: dict[str, Component]


_JOBS = {
    "well": Component(True, "a worker of the queue brings its canary back"),
    "busy": Component(True, "every worker of the queue is at a job"),
    "silent": Component(False, "no worker of the queue answers: Redis is away, or no worker runs"),
}

NO_JOBS = Component(True, "absent: REDIS_URL is not set; everything but jobs works")


def resource(games: Mapping[str, Arbiter], settings: Settings, *, with_jobs: bool) -> Blueprint:
    """Tell whether the service lives and is ready; `with_jobs` says whether it is set up to hand jobs to workers."""
    pages = Blueprint("health", __name__)
    jobs = jobs_of(settings) if with_jobs else lambda: {"jobs": NO_JOBS}

    @pages.get("/healthz")
    def alive() -> Response:
        """Say that the process answers."""
        return encoded(Alive("alive", ENGINE))

    @pages.get("/readyz")
    def ready() -> Response:
        """Say whether every part of the service answers: 503 while one does not."""
        components = {"games": Component(bool(games), ", ".join(games) or "no game is found under services/"), **jobs()}
        if drain.begun():
            components["process"] = Component(False, "the process is ending; another one takes requests")
        well = all(component.ok for component in components.values())
        return encoded(Readiness("ready" if well else "not ready", components), 200 if well else 503)

    return pages


def jobs_of(settings: Settings) -> Callable[[], dict[str, Component]]:
    """Give the check of broker and workers, queue by queue."""

    @cache
    def queue() -> Any:
        # A gateway without jobs starts faster without Celery.
        from workers.queue import make_celery

        return make_celery(settings)

    def check() -> dict[str, Component]:
        from workers.queue import health

        found = health(queue(), settings.canary_timeout_s)
        return {f"jobs/{name}": _JOBS[state] for name, state in found.items()}

    return check
