"""Spans: one for each request, in the trace of its client, sent to where OpenTelemetry's variables say."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
import requests
from celery import Celery, signals
from celery.app.trace import trace_task
from flask import Flask
from flask.testing import FlaskClient
from opentelemetry import propagate
from opentelemetry.instrumentation.celery import CeleryInstrumentor
from opentelemetry.instrumentation.requests import RequestsInstrumentor
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import get_current_span

from api.observability import request_log, tracing
from api.settings import Settings
from infra import telemetry
from infra.settings import WorkerSettings, WrongSettings
from infra.tracing import below, outgoing, within
from tests.api.posting import GAMES, TEMPLATE

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
HEADER = f"00-{TRACE}-{PARENT}-01"
ON = Settings(otel=True)
SECRET = "s3same"

Written = pytest.CaptureFixture[str]
Client = Callable[..., FlaskClient]


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    before = propagate.get_global_textmap()
    with within(None):
        yield
    propagate.set_global_textmap(before)
    for instrumentor in (RequestsInstrumentor(), CeleryInstrumentor()):
        if instrumentor.is_instrumented_by_opentelemetry:
            instrumentor.uninstrument()


def make_client(exporter: InMemorySpanExporter | None, settings: Settings = ON) -> FlaskClient:
    """Make a small app with the hooks of the gateway."""
    app = Flask(__name__)
    tracing.init_app(app, settings, GAMES, exporter)
    request_log.init_app(app, request_log.make_log("info"), GAMES)

    @app.post("/v1/games/<game>/<question>")
    def ask(game: str, question: str) -> dict[str, str]:
        return outgoing()

    @app.get("/status/<int:status>")
    def status(status: int) -> tuple[str, int]:
        return "", status

    return app.test_client()


def spans_of(exporter: InMemorySpanExporter) -> tuple[ReadableSpan, ...]:
    spans = exporter.get_finished_spans()
    exporter.clear()
    return spans


def hexes(span: Any) -> tuple[str, str]:
    return f"{span.context.trace_id:032x}", f"{span.context.span_id:016x}"


def test_without_the_setting_nothing_is_instrumented() -> None:
    exporter = InMemorySpanExporter()
    client = make_client(exporter, Settings())
    assert client.get("/status/200").status_code == 200
    assert spans_of(exporter) == ()
    assert not RequestsInstrumentor().is_instrumented_by_opentelemetry


def test_a_span_continues_the_trace_of_the_client_and_the_log_line_bears_its_ids(capfd: Written) -> None:
    exporter = InMemorySpanExporter()
    client = make_client(exporter)
    for _ in range(2):  # in one thread, of which the second request is no part of the first
        path = f"/v1/games/{TEMPLATE.name}/attack?key={SECRET}"
        answer = client.post(path, headers={"traceparent": HEADER, "User-Agent": SECRET})
        line = json.loads(capfd.readouterr().out)
        (span,) = spans_of(exporter)
        assert (line["trace_id"], line["span_id"], line["parent_id"]) == (*hexes(span), PARENT)
        assert hexes(span)[0] == TRACE
        assert span.parent is not None
        assert f"{span.parent.span_id:016x}" == PARENT
        # What is done for the sake of the request is below its span.
        assert answer.json == {"traceparent": f"00-{TRACE}-{hexes(span)[1]}-01"}
        assert span.name == "POST /v1/games/<game>/<question>"
        assert span.resource.attributes["service.name"] == "arbiter"
        attributes = dict(span.attributes or {})
        assert (attributes["arbiter.game"], attributes["arbiter.question"]) == (TEMPLATE.name, "attack")
        assert attributes["http.status_code"] == 200
        assert attributes["http.route"] == "/v1/games/<game>/<question>"


def test_a_trace_of_our_own_has_no_parent(capfd: Written) -> None:
    exporter = InMemorySpanExporter()
    make_client(exporter).get("/status/200")
    (span,) = spans_of(exporter)
    assert span.parent is None
    line = json.loads(capfd.readouterr().out)
    assert (line["trace_id"], line["span_id"], line["parent_id"]) == (*hexes(span), "")


def test_nothing_that_a_client_wrote_is_exported() -> None:
    exporter = InMemorySpanExporter()
    client = make_client(exporter)
    for path in (f"/{SECRET}", f"/status/200?{SECRET}", f"/v1/games/{SECRET}/{SECRET}"):
        headers = {"User-Agent": SECRET, "Authorization": SECRET, "baggage": f"a={SECRET}", "X-Request-Id": SECRET}
        client.post(path, data=SECRET, headers=headers, environ_base={"REMOTE_ADDR": "203.0.113.9"})
    spans = spans_of(exporter)
    assert [span.name for span in spans] == ["POST", "POST", "POST /v1/games/<game>/<question>"]
    for span in spans:
        assert SECRET not in span.to_json()
        assert "203.0.113.9" not in span.to_json()


def test_what_the_client_does_not_record_is_not_recorded(capfd: Written) -> None:
    exporter = InMemorySpanExporter()
    make_client(exporter).get("/status/200", headers={"traceparent": f"00-{TRACE}-{PARENT}-00"})
    assert spans_of(exporter) == ()
    line = json.loads(capfd.readouterr().out)
    assert (line["trace_id"], line["parent_id"]) == (TRACE, PARENT)


def test_only_our_own_faults_are_errors() -> None:
    exporter = InMemorySpanExporter()
    client = make_client(exporter)
    for status, wrong in {200: False, 422: False, 499: False, 500: True, 503: True}.items():
        client.get(f"/status/{status}")
        (span,) = spans_of(exporter)
        assert (span.status.status_code.name == "ERROR") is wrong, status


def test_without_the_extra_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(telemetry, "find_spec", find)
    telemetry.check(Settings())
    with pytest.raises(WrongSettings, match=r"pip install arbiter\[otel\]"):
        telemetry.check(ON)
    monkeypatch.setattr(telemetry, "find_spec", lambda _: None)
    with pytest.raises(WrongSettings):
        tracing.init_app(Flask(__name__), ON, GAMES)
    with pytest.raises(WrongSettings):
        telemetry.check(WorkerSettings(otel=True))


Seen = list[tuple[dict[str, str], bytes]]


@pytest.fixture
def sink() -> Iterator[tuple[str, Seen]]:
    """Take requests in, as a collector or a service does."""
    seen: Seen = []

    class Sink(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Sink)
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_call_to_another_service_is_a_span_below_the_request(sink: tuple[str, Seen]) -> None:
    address, seen = sink
    exporter = InMemorySpanExporter()
    client = make_client(exporter)

    @client.application.get("/pass-on")
    def pass_on() -> str:
        return str(requests.post(address, data=b"{}", headers=outgoing(), timeout=5).status_code)

    client.get("/pass-on", headers={"traceparent": HEADER, "baggage": f"a={SECRET}"})
    call, request = spans_of(exporter)
    assert call.parent is not None
    assert (hexes(call)[0], f"{call.parent.span_id:016x}") == hexes(request)
    ((headers, _),) = seen
    assert headers["traceparent"] == f"00-{TRACE}-{hexes(call)[1]}-01"
    assert "baggage" not in headers


def test_spans_reach_a_collector(sink: tuple[str, Seen], monkeypatch: pytest.MonkeyPatch) -> None:
    address, seen = sink
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    monkeypatch.setenv("OTEL_SERVICE_NAME", "our-arbiter")
    provider = telemetry.make_provider("arbiter")
    with provider.get_tracer("a").start_as_current_span("b") as here:
        pass
    provider.shutdown()
    (sent,) = ExportTraceServiceRequest.FromString(seen[0][1]).resource_spans
    span = sent.scope_spans[0].spans[0]
    assert (int.from_bytes(span.span_id), span.name) == (here.get_span_context().span_id, "b")
    assert {each.key: each.value.string_value for each in sent.resource.attributes}["service.name"] == "our-arbiter"


def test_a_task_of_a_worker_is_a_span_below_the_request_that_sent_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals.worker_process_init, "receivers", [])
    monkeypatch.setattr(signals.worker_process_shutdown, "receivers", [])
    exporter, app = InMemorySpanExporter(), Celery("a", set_as_current=False)

    @app.task(name="one", ignore_result=True, shared=False)
    def one(job: str) -> Any:
        return below(HEADER), get_current_span().get_span_context().span_id

    telemetry.instrument_workers(WorkerSettings())
    assert not signals.worker_process_init.receivers
    telemetry.instrument_workers(WorkerSettings(otel=True), exporter)
    signals.worker_process_init.send(sender=None)
    # The fields of a message's head, as a worker hands them on.
    outcome = trace_task(one, "one", ("7d1c",), {}, {"id": "one", "traceparent": HEADER}, app=app)
    trace, span_id = outcome.retval
    (span,) = spans_of(exporter)
    assert (span.name, hexes(span)) == ("run/one", (TRACE, f"{span_id:016x}"))
    assert span.parent is not None
    assert f"{span.parent.span_id:016x}" == PARENT
    # The log lines of a job bear the ids of the span that is exported.
    assert (trace.trace_id, trace.span_id, trace.parent_id) == (*hexes(span), PARENT)
    assert "7d1c" not in span.to_json()
    signals.worker_process_shutdown.send(sender=None)
