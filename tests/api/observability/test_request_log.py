"""The log: one line for each request, which names its trace, and nothing of what was sent."""

import json
import os
from typing import Any

import pytest
from flask.testing import FlaskClient

from api import create_app
from api.observability.request_log import RequestLog, make_log
from api.settings import Settings
from arbiter import registry
from infra.logging import log_of
from infra.tracing import CURRENT, Trace, within

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
FIELDS = {
    "event", "method", "route", "status", "ms", "game", "question", "request_id", "trace_id", "span_id", "parent_id",
    "process", "timestamp", "level",
}  # fmt: skip


Written = pytest.CaptureFixture[str]


def make_client() -> FlaskClient:
    """Make a gateway that logs to what standard output is now."""
    return create_app(Settings(), {"template-skirmish": registry.load("services._template")}).test_client()


def lines(capfd: Written) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capfd.readouterr().out.splitlines()]


def test_each_request_is_one_line_that_names_its_trace(capfd: Written) -> None:
    client = make_client()
    client.get("/healthz", headers={"traceparent": f"00-{TRACE}-{PARENT}-01", "X-Request-Id": "mine"})
    client.get("/v1/games/template-skirmish?secret=s3same")
    said = capfd.readouterr().out
    first, second = (json.loads(line) for line in said.splitlines())
    assert set(first) == FIELDS
    assert (first["trace_id"], first["parent_id"], first["request_id"]) == (TRACE, PARENT, "mine")
    assert (first["route"], first["status"], first["event"]) == ("/healthz", 200, "request")
    assert second["trace_id"] not in {"", TRACE}
    assert second["parent_id"] == ""
    assert second["game"] == "template-skirmish"
    assert "s3same" not in said


def test_a_fault_is_found_by_the_trace_of_its_request(capfd: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise RuntimeError("on purpose")

    client = make_client()
    monkeypatch.setitem(client.application.view_functions, "health.alive", fails)
    client.get("/healthz", headers={"traceparent": f"00-{TRACE}-{PARENT}-00"})
    fault, request = lines(capfd)
    assert fault["event"] == "fault"
    assert (fault["trace_id"], fault["span_id"]) == (request["trace_id"], request["span_id"])
    assert fault["request_id"] == request["request_id"]
    assert "on purpose" in json.dumps(fault["exception"])


def test_a_line_outside_of_any_request_has_no_trace(capfd: Written) -> None:
    CURRENT.set(None)
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


@pytest.mark.parametrize(("level", "count"), [("debug", 1), ("info", 1), ("warning", 0), ("error", 0)])
def test_lines_of_requests_are_of_the_level_info(capfd: Written, level: str, count: int) -> None:
    RequestLog(level).write("GET", "/", 200, 0.001, "", "", "name")
    assert len(lines(capfd)) == count


def test_a_long_method_is_cut(capfd: Written) -> None:
    RequestLog("info").write("X" * 5_000, "/", 405, 0.001, "", "", "name")
    assert lines(capfd)[0]["method"] == "X" * 20
