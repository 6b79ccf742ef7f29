"""Metrics: how many requests were answered, with which status and how fast, in the text form that Prometheus reads."""

import os
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from flask import Flask, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from api.jobs.service import JobService
from api.observability.request_log import elapsed_s, route_labels
from arbiter.game import Arbiter
from infra.errors import StoreUnavailable
from workers.jobs.models import BUCKETS_S as BUCKETS_OF_CHUNKS_S

if TYPE_CHECKING:
    from workers.jobs.store import Jobs

BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
"""Bounds of the histogram of latencies; most rulings take a millisecond or two, the longest laws some seconds."""


class Metrics:
    """The counts of one app. Processes of one gateway add theirs up through files; see the library's manual."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        route, counter = ("route", "game", "question"), partial(Counter, registry=self.registry)
        seconds = "Seconds from request to answer."
        self._requests = counter("arbiter_requests", "Requests answered.", (*route, "status"))
        self._seconds = Histogram("arbiter_request_seconds", seconds, route, buckets=BUCKETS_S, registry=self.registry)
        rulings = "Attempts to store rulings for their permalinks, by outcome."
        self._rulings = counter("arbiter_ruling_writes", rulings, ("outcome",))
        # Ended processes are not included: a breaker ends with its process.
        self._open = Gauge(
            "arbiter_breaker_open",
            "Processes in which the breaker of a game's own service is open or half-open.",
            ("game",),
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        opened = "How often the breaker of a game's own service has opened."
        self._opened = counter("arbiter_breaker_opened", opened, ("game",))
        # One for each live process; a new one that no operator started is suspicious.
        started = Gauge(
            "arbiter_started_seconds",
            "When this process was ready, in Unix time.",
            registry=self.registry,
            multiprocess_mode="liveall",
        )
        started.set_to_current_time()

    def init_app(self, app: Flask, games: Mapping[str, Arbiter]) -> None:
        """Count every answer of the app, under labels that clients cannot choose, so that they stay few."""

        @app.after_request
        def count(response: Response) -> Response:
            route, game, question = route_labels(games)
            self._requests.labels(route, game, question, str(response.status_code)).inc()
            self._seconds.labels(route, game, question).observe(elapsed_s())
            return response

    def count_ruling(self, outcome: str) -> None:
        """Count an attempt to store a ruling, by its outcome."""
        self._rulings.labels(outcome).inc()

    def set_breaker(self, game: str, is_open: bool) -> None:
        """Note whether the breaker of a game's own service is open in this process, at first and at each change."""
        self._open.labels(game).set(is_open)
        self._opened.labels(game).inc(is_open)

    def text(self, service: JobService) -> bytes:
        """Give all counts, including those of queues and workers, in the form that Prometheus reads."""
        jobs = CollectorRegistry()
        jobs.register(JobCounts(service))
        return self._of_requests() + generate_latest(jobs)

    def _of_requests(self) -> bytes:
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return generate_latest(self.registry)
        all_processes = CollectorRegistry()
        MultiProcessCollector(all_processes)
        return generate_latest(all_processes)


class JobCounts(Collector):
    """The counts of queues and workers, which are in the store of jobs and are only read here."""

    def __init__(self, service: JobService) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        """Give the counts; while the store is away, only that it is."""
        if not self._service.open:
            return
        try:
            families = (*_depths(self._service.store), *_counters(self._service.store))
        except StoreUnavailable:
            families = ()
        help_text = "Whether the store of jobs can be reached."
        yield GaugeMetricFamily("arbiter_job_store_up", help_text, value=1 if families else 0)
        yield from families


def _depths(store: "Jobs") -> Iterator[Metric]:
    messages = GaugeMetricFamily("arbiter_queue_messages", "Messages that wait in a queue.", labels=("queue",))
    jobs = GaugeMetricFamily("arbiter_queue_open_jobs", "Jobs that wait or run.", labels=("queue",))
    waiting = GaugeMetricFamily(
        "arbiter_queue_waiting_seconds", "Seconds of one core that open jobs are estimated to take.", labels=("queue",)
    )
    for queue, depth in store.depths().items():
        messages.add_metric((queue,), depth.messages)
        jobs.add_metric((queue,), depth.open_jobs)
        waiting.add_metric((queue,), depth.waiting_s)
    yield from (messages, jobs, waiting)


def _counters(store: "Jobs") -> Iterator[Metric]:
    counts = store.counters()
    for name, help_text, label, kind in (
        ("arbiter_jobs", "Jobs that were accepted, and that ended, by state.", "state", "job:"),
        ("arbiter_job_failures", "Jobs that failed, by the code of their cause.", "cause", "cause:"),
        ("arbiter_webhooks", "Callback attempts, by outcome.", "outcome", "webhook:"),
    ):
        family = CounterMetricFamily(name, help_text, labels=(label,))
        for value in (name for name in counts if name.startswith(kind)):
            family.add_metric((value.removeprefix(kind),), counts[value])
        yield family
    for name, help_text, count in (
        ("arbiter_chunks_lost", "Chunks of jobs whose worker was lost.", "lost"),
        ("arbiter_chunks_again", "Chunks done although they were already stored.", "again"),
    ):
        yield CounterMetricFamily(name, help_text, value=counts.get(count, 0))
    seconds = HistogramMetricFamily("arbiter_chunk_seconds", "Seconds that a chunk of a job took.")
    took = accumulate(counts.get(f"took:{bound}", 0) for bound in BUCKETS_OF_CHUNKS_S)
    buckets = [(str(bound), float(count)) for bound, count in zip(BUCKETS_OF_CHUNKS_S, took, strict=True)]
    buckets.append(("+Inf", float(counts.get("chunks", 0))))
    seconds.add_metric((), buckets, counts.get("took_ms", 0) / 1_000)
    yield seconds
