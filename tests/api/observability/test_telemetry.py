"""Spans: one for each request, in the trace that its caller named, sent to where OpenTelemetry's variables say."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from api.observability import telemetry, tracing
from api.settings import Settings
from infra.settings import WrongSettings

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
ON = Settings(otel=True)


def told(exporter: InMemorySpanExporter, said: str | None, status: int = 200, game: str = "") -> Any:
    spans = telemetry.spans(ON, exporter)
    assert spans is not None
    here = tracing.begin(said)
    spans(here, "POST", "/v1/games/<game>/<question>", game, "shoot" if game else "", status, 0.25)
    return here, exporter.get_finished_spans()


def test_nobody_is_told_unless_it_is_wished() -> None:
    assert telemetry.spans(Settings()) is None


def test_a_span_goes_on_with_the_trace_of_the_caller() -> None:
    here, (span,) = told(InMemorySpanExporter(), f"00-{TRACE}-{PARENT}-01", game="stargrave")
    assert format(span.context.trace_id, "032x") == TRACE
    assert format(span.context.span_id, "016x") == here.span_id
    assert format(span.parent.span_id, "016x") == PARENT
    assert span.name == "POST /v1/games/<game>/<question>"
    assert dict(span.attributes) == {
        "http.request.method": "POST", "http.route": "/v1/games/<game>/<question>", "http.response.status_code": 200,
        "arbiter.game": "stargrave", "arbiter.question": "shoot",
    }  # fmt: skip
    assert span.end_time - span.start_time == 250_000_000
    assert span.resource.attributes["service.name"] == "arbiter"


def test_a_trace_of_our_own_has_no_parent() -> None:
    here, (span,) = told(InMemorySpanExporter(), None)
    assert span.parent is None
    assert format(span.context.trace_id, "032x") == here.trace_id
    assert "arbiter.game" not in span.attributes


def test_what_the_caller_does_not_record_is_not_recorded() -> None:
    assert told(InMemorySpanExporter(), f"00-{TRACE}-{PARENT}-00")[1] == ()


@pytest.mark.parametrize(("status", "wrong"), [(200, False), (422, False), (499, False), (500, True), (503, True)])
def test_only_our_own_faults_are_errors(status: int, wrong: bool) -> None:
    (span,) = told(InMemorySpanExporter(), None, status)[1]
    assert (span.status.status_code.name == "ERROR") is wrong


def test_without_the_extra_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(telemetry, "find_spec", find)
    telemetry.check(Settings())
    with pytest.raises(WrongSettings, match=r"pip install arbiter\[otel\]"):
        telemetry.check(ON)
    monkeypatch.setattr(telemetry, "find_spec", lambda _: None)
    with pytest.raises(WrongSettings):
        telemetry.spans(ON)


@pytest.fixture
def sink() -> Iterator[tuple[str, list[ExportTraceServiceRequest]]]:
    """Take spans in as a collector does."""
    got: list[ExportTraceServiceRequest] = []

    class Sink(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Sink)
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", got
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_spans_reach_a_collector(
    sink: tuple[str, list[ExportTraceServiceRequest]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, got = sink
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    monkeypatch.setenv("OTEL_SERVICE_NAME", "our-arbiter")
    spans = telemetry.spans(ON, OTLPSpanExporter())
    assert spans is not None
    here = tracing.begin(f"00-{TRACE}-{PARENT}-01")
    spans(here, "GET", "/healthz", "", "", 200, 0.001)
    (sent,) = got[0].resource_spans
    span = sent.scope_spans[0].spans[0]
    assert (span.trace_id.hex(), span.parent_span_id.hex(), span.span_id.hex()) == (TRACE, PARENT, here.span_id)
    assert {each.key: each.value.string_value for each in sent.resource.attributes}["service.name"] == "our-arbiter"
