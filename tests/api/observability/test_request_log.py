"""The log: one line for each request, which names its trace, and nothing of what was sent."""

import io
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Response
from flask.testing import FlaskClient

from api import create_app
from api.observability.request_log import make_log
from api.settings import Settings
from arbiter import registry
from infra.logging import log_of, make_logger
from infra.tracing import Trace, within

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
FIELDS = {
    "event",
    "method",
    "route",
    "status",
    "ms",
    "game",
    "question",
    "request_id",
    "trace_id",
    "span_id",
    "parent_id",
    "process",
    "timestamp",
    "level",
}
KEY = "arb_sk_aaaaaaaa_" + "a" * 39


Written = pytest.CaptureFixture[str]


def make_client(level: Any = "info") -> FlaskClient:
    """Make a gateway that logs to what standard output is now."""
    games = {"template-skirmish": registry.load("services._template")}
    return create_app(Settings(log_level=level), games).test_client()


def lines(capfd: Written) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capfd.readouterr().out.splitlines()]


def test_each_request_is_one_line_that_names_its_trace(capfd: Written) -> None:
    client = make_client()
    client.get("/healthz", headers={"traceparent": f"00-{TRACE}-{PARENT}-01", "X-Request-Id": "mine"})
    client.get("/v1/games/template-skirmish?secret=s3same")
    client.open("/healthz", method="X" * 5_000)
    written = capfd.readouterr().out
    first, second, third = (json.loads(line) for line in written.splitlines())
    assert set(first) == set(second) == set(third) == FIELDS
    assert (first["trace_id"], first["parent_id"], first["request_id"]) == (TRACE, PARENT, "mine")
    assert (first["route"], first["status"], first["event"]) == ("/healthz", 200, "request")
    assert (first["process"], first["level"]) == (os.getpid(), "info")
    assert second["trace_id"] not in {"", TRACE}
    assert second["parent_id"] == ""
    assert second["game"] == "template-skirmish"
    assert "s3same" not in written
    assert (third["method"], third["status"]) == ("X" * 20, 405)


def test_an_id_of_a_client_is_taken_if_it_is_sane(capfd: Written) -> None:
    client = make_client()
    for id_ in ("a", "x" * 128, "0af7651916cd43dd-1:2+3/4=5_6.7"):
        assert client.get("/healthz", headers={"X-Request-Id": id_}).headers["X-Request-Id"] == id_
    insane = ("", " ", "x" * 129, "a b", '"a"', "a\u00e9", KEY, f"trace-{KEY[:20]}")
    given = [client.get("/healthz", headers={"X-Request-Id": id_}).headers["X-Request-Id"] for id_ in insane]
    assert len({*given, *insane}) == 2 * len(insane), "each has a new one"
    written = capfd.readouterr().out
    assert [json.loads(line)["request_id"] for line in written.splitlines()][3:] == given
    assert "arb_sk_" not in written


def test_a_fault_is_found_by_the_trace_of_its_request(capfd: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise RuntimeError("on purpose")

    client = make_client()
    monkeypatch.setitem(client.application.view_functions, "texts.health.alive", fails)
    client.get("/healthz", headers={"traceparent": f"00-{TRACE}-{PARENT}-00"})
    fault, request = lines(capfd)
    assert fault["event"] == "fault"
    assert (fault["trace_id"], fault["span_id"]) == (request["trace_id"], request["span_id"])
    assert fault["request_id"] == request["request_id"]
    assert "on purpose" in json.dumps(fault["exception"])


def test_a_stream_is_logged_when_it_begins(capfd: Written) -> None:
    client, logged = make_client(), list[list[dict[str, Any]]]()

    def stream() -> Iterator[str]:
        logged.append(lines(capfd))
        yield "one"

    client.application.view_functions["texts.health.alive"] = lambda: Response(stream())
    assert client.get("/healthz").data == b"one"
    ((line,),) = logged
    assert (line["status"], line["route"]) == (200, "/healthz")
    assert lines(capfd) == []


def test_a_line_outside_of_any_request_has_no_trace(capfd: Written) -> None:
    with within(None):
        make_log("info").info("started")
    (line,) = lines(capfd)
    assert set(line) == {"event", "level", "timestamp"}


def test_what_is_shared_with_the_workers_writes_such_lines_in_the_gateway_too(capfd: Written) -> None:
    for _ in range(2):
        make_log("info")
    with within(Trace(TRACE, PARENT, "", sampled=True)):
        log_of("workers.jobs.store").error("record-damaged", job="7d1c", reason="it was changed")
    (line,) = lines(capfd)
    assert (line["event"], line["job"], line["reason"]) == ("record-damaged", "7d1c", "it was changed")
    assert (line["level"], line["logger"], line["process"]) == ("error", "workers.jobs.store", os.getpid())
    assert (line["trace_id"], line["span_id"], line["parent_id"]) == (TRACE, PARENT, "")


def test_lines_of_requests_are_of_the_level_info(capfd: Written) -> None:
    for level, count in {"debug": 1, "info": 1, "warning": 0, "error": 0}.items():
        make_client(level).get("/healthz")
        assert len(lines(capfd)) == count, level


def test_a_log_that_nobody_reads_stops_nothing() -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as file:
        os.close(reader)
        log = make_logger("info", file)
        for _ in range(3):
            log.info("nobody reads this", more="x" * 5_000)
        with pytest.raises(BrokenPipeError):
            os.write(writer, b"nobody does")


def test_each_line_is_out_before_the_next_thing_is_done() -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as file, os.fdopen(reader) as read:
        make_logger("info", file).warning("at once")
        assert json.loads(read.readline())["event"] == "at once"


def test_a_value_without_json_of_its_own_is_written_all_the_same() -> None:
    file = io.StringIO()
    make_logger("info", file).info("odd", value={1, 2}.__class__)
    assert json.loads(file.getvalue())["value"] == "<class 'set'>"
