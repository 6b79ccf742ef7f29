"""Metrics: counts of requests, queues and workers, in the text format of Prometheus."""

from flask import Blueprint, Response
from prometheus_client import CONTENT_TYPE_LATEST

from api.auth.callers import public
from api.openapi.operations import Operation
from api.schemas.responses import TEXT
from api.web.services import services

pages = Blueprint("metrics", __name__)


@pages.get("/metrics")
@Operation("metrics", forms=(TEXT,))
@public
def show() -> Response:
    """Count the requests that were answered, and time them."""
    return Response(services().counts.text(services().jobs), content_type=CONTENT_TYPE_LATEST)
