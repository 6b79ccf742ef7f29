"""Metrics: what is counted of requests, and what queues and workers have to do, in the text form of Prometheus."""

from flask import Blueprint, Response
from prometheus_client import CONTENT_TYPE_LATEST

from api.auth.callers import public
from api.web.services import services

pages = Blueprint("metrics", __name__)


@pages.get("/metrics")
@public
def show() -> Response:
    """Give the counts."""
    return Response(services().counts.text(services().jobs), content_type=CONTENT_TYPE_LATEST)
