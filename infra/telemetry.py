"""OpenTelemetry for gateway and workers, if `ARBITER_OTEL` is on: an optional extra.

OpenTelemetry's own variables set the target and the sampling of spans: `OTEL_EXPORTER_OTLP_ENDPOINT`,
`OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER` and so on.
"""

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from celery import signals

from infra.settings import WorkerSettings, WrongSettings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

_REQUIRED = (
    "opentelemetry.sdk",
    "opentelemetry.exporter.otlp.proto.http",
    "opentelemetry.instrumentation.flask",
    "opentelemetry.instrumentation.requests",
    "opentelemetry.instrumentation.celery",
)


def check(settings: WorkerSettings) -> None:
    """Raise `WrongSettings` if OpenTelemetry is switched on but not installed."""
    if settings.otel and not all(_is_installed(name) for name in _REQUIRED):
        raise WrongSettings(("ARBITER_OTEL is on, but OpenTelemetry is not installed: pip install arbiter[otel]",))


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def make_provider(service: str, exporter: "SpanExporter | None" = None) -> "TracerProvider":
    """Make the provider of tracers of a service; without an `exporter` its spans are sent by OTLP, in batches."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.propagate import set_global_textmap
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    # Without baggage, with which a client could pass anything on to our own services.
    set_global_textmap(TraceContextTextMapPropagator())
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: os.environ.get("OTEL_SERVICE_NAME") or service}))
    provider.add_span_processor(SimpleSpanProcessor(exporter) if exporter else BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def instrument_workers(settings: WorkerSettings, exporter: "SpanExporter | None" = None) -> None:
    """Let every process of a worker make a span of each task, if the settings ask for it."""
    if not settings.otel:
        return

    # Exporting threads do not survive a fork, so each process has its own provider.
    def begin(**_: Any) -> None:
        from opentelemetry.instrumentation.celery import CeleryInstrumentor

        provider = make_provider("arbiter-worker", exporter)
        CeleryInstrumentor().instrument(tracer_provider=provider)
        signals.worker_process_shutdown.connect(lambda **_: provider.shutdown(), weak=False)

    signals.worker_process_init.connect(begin, weak=False)
