"""Telemetry: a span of OpenTelemetry for each request, where `ARBITER_OTEL` asks for it; an extra, not installed else.

Spans bear the numbers of `api.observability.tracing`, so that a log line leads to its span and back. Where they go,
and how many, is said by OpenTelemetry's own variables: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_SERVICE_NAME` and so on.
"""

import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from api.observability import tracing
from api.settings import Settings
from infra.settings import WrongSettings
from infra.tracing import Trace

Spans = Callable[[Trace, str, str, str, str, int, float], None]
"""Told of each answer: its trace, method, route, game, question, status, and how many seconds it took."""

_NEEDED = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


def check(settings: Settings) -> None:
    """Raise `WrongSettings` where telemetry is asked for and not installed."""
    if settings.otel and not all(_is_installed(name) for name in _NEEDED):
        raise WrongSettings(("ARBITER_OTEL is on, but OpenTelemetry is not installed: pip install arbiter[otel]",))


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def spans(settings: Settings, exporter: Any = None) -> Spans | None:
    """Give what makes spans of answers, None where nobody wants them; without an `exporter` they go out by OTLP."""
    if not settings.otel:
        return None
    check(settings)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
    from opentelemetry.sdk.trace.id_generator import IdGenerator
    from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, StatusCode, TraceFlags, set_span_in_context

    class OurNumbers(IdGenerator):
        def generate_span_id(self) -> int:
            here = tracing.current()
            assert here is not None
            return int(here.span_id, 16)

        def generate_trace_id(self) -> int:
            here = tracing.current()
            assert here is not None
            return int(here.trace_id, 16)

    resource = Resource.create({SERVICE_NAME: os.environ.get("OTEL_SERVICE_NAME") or "arbiter"})
    provider = TracerProvider(resource=resource, id_generator=OurNumbers())
    provider.add_span_processor(
        BatchSpanProcessor(OTLPSpanExporter()) if exporter is None else SimpleSpanProcessor(exporter)
    )
    tracer = provider.get_tracer("arbiter")

    def tell(here: Trace, method: str, route: str, game: str, question: str, status: int, seconds: float) -> None:
        if not here.sampled:
            return
        parent = None
        if here.parent_id:
            asking = SpanContext(
                int(here.trace_id, 16), int(here.parent_id, 16), is_remote=True, trace_flags=TraceFlags(1)
            )
            parent = set_span_in_context(NonRecordingSpan(asking))
        ended = time.time_ns()
        attributes: dict[str, str | int] = {
            "http.request.method": method[:20],
            "http.route": route,
            "http.response.status_code": status,
        }
        if game:
            attributes["arbiter.game"] = game
        if question:
            attributes["arbiter.question"] = question
        span = tracer.start_span(
            f"{method[:20]} {route}".strip(), parent, SpanKind.SERVER, attributes, start_time=ended - int(seconds * 1e9)
        )
        if status >= 500:
            span.set_status(StatusCode.ERROR)
        span.end(ended)

    return tell
