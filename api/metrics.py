"""Metrics: how many requests were answered, how, and how fast, in the text form that Prometheus reads."""

import os

from flask import Blueprint, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
"""Bounds of the histogram of latencies; most rulings take a millisecond or two, the longest laws some seconds."""


class Metrics:
    """The counts of one app. Processes that serve together add theirs up through files, see the library's manual."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "arbiter_requests", "Requests answered.", ("route", "game", "question", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "arbiter_request_seconds", "Seconds from request to answer.", ("route", "game", "question"),
            buckets=BUCKETS_S, registry=self.registry,
        )  # fmt: skip

    def count(self, route: str, game: str, question: str, status: int, seconds: float) -> None:
        """Count one request. The names come from the matched route and never from a client, so that they stay few."""
        self._requests.labels(route, game, question, str(status)).inc()
        self._seconds.labels(route, game, question).observe(seconds)

    def exposed(self) -> bytes:
        """Give all counts as text."""
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call] # declared without types there
        return generate_latest(together)


def resource(metrics: Metrics) -> Blueprint:
    """Show the counts at `/metrics`."""
    pages = Blueprint("metrics", __name__)

    @pages.get("/metrics")
    def show() -> Response:
        """Show how many requests were answered, how, and how fast."""
        return Response(metrics.exposed(), content_type=CONTENT_TYPE_LATEST)

    return pages
