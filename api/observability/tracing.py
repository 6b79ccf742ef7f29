"""Spans of requests and of calls to other services, by OpenTelemetry's instrumentations of Flask and of requests.

Messages to workers carry the trace as well (`workers.celery_config.send`). Celery's instrumentation is only for
workers: in a program without the tasks that it sends, it begins spans that it never ends.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flask import Flask, request

from api.observability.request_log import route_labels
from api.settings import Settings
from arbiter.game import Arbiter
from infra import telemetry

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

_EXPORTED = frozenset(
    {
        "http.method",
        "http.request.method",
        "http.route",
        "http.status_code",
        "http.response.status_code",
        "http.scheme",
        "url.scheme",
        "http.flavor",
        "network.protocol.version",
    }
)
"""Attributes of a request that are exported; paths, queries and addresses of clients are not, as in the log."""


def init_app(
    app: Flask, settings: Settings, games: Mapping[str, Arbiter], exporter: "SpanExporter | None" = None
) -> None:
    """Have the app make a span of each request, where the settings ask for it.

    It runs before `request_log`, whose lines have the ids of these spans.
    """
    if not settings.otel:
        return
    telemetry.check(settings)
    from opentelemetry.instrumentation.flask import FlaskInstrumentor
    from opentelemetry.instrumentation.requests import RequestsInstrumentor

    def describe(span: Any, status: str, headers: list[tuple[str, str]]) -> None:
        if span is None or not span.is_recording():
            return
        route, game, question = route_labels(games)
        names = span.attributes.keys()
        span.update_name(f"{request.method[:20]} {route}".strip())
        span.set_attributes(dict.fromkeys(names - _EXPORTED, "") | {"arbiter.game": game, "arbiter.question": question})

    provider = telemetry.make_provider("arbiter", exporter)
    FlaskInstrumentor().instrument_app(app, tracer_provider=provider, response_hook=describe, enable_commenter=False)
    RequestsInstrumentor().instrument(tracer_provider=provider)
