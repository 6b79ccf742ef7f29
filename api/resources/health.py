"""Health: whether the process is alive, and whether every dependency answers."""

from typing import Literal

from flask import Blueprint, Response

from api.auth.callers import public
from api.openapi.operations import Operation
from api.schemas.responses import json_response
from api.web import drain
from api.web.readiness import Component
from api.web.services import services
from arbiter.game import ENGINE
from arbiter.value import Value


class Alive(Value, frozen=True):
    """The process answers; the version of the engine it runs."""

    status: Literal["alive"]
    engine: str


class Readiness(Value, frozen=True):
    """Whether the service can do everything that it is configured for, component by component."""

    status: Literal["ready", "not ready"]
    components: dict[str, Component]


pages = Blueprint("health", __name__)


@pages.get("/healthz")
@Operation("alive", Alive)
@public
def alive() -> Response:
    """Say that the process answers."""
    return json_response(Alive("alive", ENGINE))


@pages.get("/readyz")
@Operation("ready", Readiness, others={"503": "A component of the service does not answer."})
@public
def ready() -> Response:
    """Say whether every component of the service answers."""
    components = services().readiness()
    if drain.begun():
        components = {**components, "process": Component(False, "the process is stopping; another one takes requests")}
    well = all(component.ok for component in components.values())
    return json_response(Readiness("ready" if well else "not ready", components), 200 if well else 503)
