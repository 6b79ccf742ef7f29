"""Metrics: how many requests were answered, how, and how fast, in the text form that Prometheus reads."""

import os
from collections.abc import Iterator

from flask import Blueprint, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from api.jobs.service import JobService, JobStore
from infra.errors import StoreUnavailable

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
        self._kept = Counter(
            "arbiter_rulings_kept", "Rulings that were to be kept for their permalinks, by what became of them.",
            ("outcome",), registry=self.registry,
        )  # fmt: skip
        # Of processes that have ended nothing is added: a breaker goes with its process.
        self._open = Gauge(
            "arbiter_breaker_open", "Processes in which the breaker of a game's own service is open, or being tried.",
            ("game",), registry=self.registry, multiprocess_mode="livesum",
        )  # fmt: skip
        self._opened = Counter(
            "arbiter_breaker_opened", "How often the breaker of a game's own service has opened.", ("game",),
            registry=self.registry,
        )  # fmt: skip
        # One of each process that lives; a new one that nobody asked for is worth a look.
        started = Gauge(
            "arbiter_started_seconds", "When this process was ready, in Unix time.", registry=self.registry,
            multiprocess_mode="liveall",
        )  # fmt: skip
        started.set_to_current_time()
        self._known: dict[tuple[str, str, str, int], tuple[Counter, Histogram]] = {}

    def count(self, route: str, game: str, question: str, status: int, seconds: float) -> None:
        """Count one request. The names come from the matched route and never from a client, so that they stay few."""
        key = (route, game, question, status)
        found = self._known.get(key)
        if found is None:
            # Looking a count up by its labels costs more than counting, and the labels are few.
            found = self._requests.labels(route, game, question, str(status)), self._seconds.labels(*key[:3])
            self._known[key] = found
        found[0].inc()
        found[1].observe(seconds)

    def count_kept(self, outcome: str) -> None:
        """Count a ruling that was to be kept, and was or was not."""
        self._kept.labels(outcome).inc()

    def say_open(self, game: str, now: bool) -> None:
        """Note whether the breaker of a game's own service is open in this process, at first and at each change."""
        self._open.labels(game).set(now)
        self._opened.labels(game).inc(now)

    def exposed(self) -> bytes:
        """Give all counts as text."""
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)
        return generate_latest(together)


class JobCounts(Collector):
    """What queues and workers have to show; they count in the store of jobs, and here it is only read."""

    def __init__(self, desk: JobService) -> None:
        self._desk = desk

    def collect(self) -> Iterator[Metric]:
        """Give what there is; while the store is away, only that it is."""
        if not self._desk.open:
            return
        try:
            found = (*_depths(self._desk.store), *_counters(self._desk.store))
        except StoreUnavailable:
            found = ()
        up = "Whether the store of jobs can be reached."
        yield GaugeMetricFamily("arbiter_job_store_up", up, value=1 if found else 0)
        yield from found


def _depths(store: JobStore) -> Iterator[Metric]:
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


def _counters(store: JobStore) -> Iterator[Metric]:
    counted = store.counters()
    for name, gist, label, counts in (
        ("arbiter_jobs", "Jobs that were accepted, and that came to each end.", "state", counted.jobs),
        ("arbiter_job_failures", "Jobs that failed, by the code of their cause.", "cause", counted.failures),
        ("arbiter_webhooks", "Attempts to call back, by outcome.", "outcome", counted.webhooks),
    ):
        family = CounterMetricFamily(name, gist, labels=(label,))
        for value, count in counts.items():
            family.add_metric((value,), count)
        yield family
    yield CounterMetricFamily("arbiter_chunks_lost", "Chunks of jobs whose worker was lost.", value=counted.lost)
    yield CounterMetricFamily("arbiter_chunks_again", "Chunks done although they were stored.", value=counted.again)
    took = HistogramMetricFamily("arbiter_chunk_seconds", "Seconds that a chunk of a job took.")
    buckets = [(str(bound), float(count)) for bound, count in counted.seconds.items()]
    took.add_metric((), [*buckets, ("+Inf", float(counted.chunks))], counted.seconds_sum)
    yield took


def resource(metrics: Metrics, desk: JobService) -> Blueprint:
    """Show the counts at `/metrics`."""
    pages = Blueprint("metrics", __name__)
    jobs = CollectorRegistry()
    jobs.register(JobCounts(desk))

    @pages.get("/metrics")
    def show() -> Response:
        """Show how many requests were answered, how, and how fast, and what queues and workers have to do."""
        return Response(metrics.exposed() + generate_latest(jobs), content_type=CONTENT_TYPE_LATEST)

    return pages
