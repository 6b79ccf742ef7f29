"""OpenTelemetry for gateway and workers, where `ARBITER_OTEL` asks for it: an extra that is not installed otherwise.

Where spans go, and how many, is set by OpenTelemetry's own variables: `OTEL_EXPORTER_OTLP_ENDPOINT`,
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
    """Raise `WrongSettings` where OpenTelemetry is switched on and not installed."""
    if settings.otel and not all(_is_installed(name) for name in _REQUIRED):
        raise WrongSettings(("ARBITER_OTEL is on, but OpenTelemetry is not installed: pip install arbiter[otel]",))


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def make_provider(service: str, exporter: "SpanExporter | None" = None) -> "TracerProvider":
    """Make the provider of tracers of a service; without an `exporter` its spans go out by OTLP, in batches."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.propagate import set_global_textmap
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    # Without baggage, by which a client could have anything passed on to our own services.
    set_global_textmap(TraceContextTextMapPropagator())
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: os.environ.get("OTEL_SERVICE_NAME") or service}))
    provider.add_span_processor(SimpleSpanProcessor(exporter) if exporter else BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def instrument_workers(settings: WorkerSettings, exporter: "SpanExporter | None" = None) -> None:
    """Have every process of a worker make a span of each task, where the settings ask for it."""
    if not settings.otel:
        return

    # Threads that export do not survive a fork, so that each process has its own provider.
    def begin(**_: Any) -> None:
        from opentelemetry.instrumentation.celery import CeleryInstrumentor

        provider = make_provider("arbiter-worker", exporter)
        CeleryInstrumentor().instrument(tracer_provider=provider)
        signals.worker_process_shutdown.connect(lambda **_: provider.shutdown(), weak=False)

    signals.worker_process_init.connect(begin, weak=False)
