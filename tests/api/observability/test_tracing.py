"""Traces by the W3C's Trace Context: what is taken over, what is refused, and what is passed on."""

import json
import os
import re
import threading

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from api import create_app
from api.observability import tracing
from api.settings import Settings
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, TEMPLATE, ask, attack

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SAID = f"00-{TRACE}-{PARENT}-01"


def test_a_trace_that_is_named_is_gone_on_with() -> None:
    found = tracing.begin(SAID)
    assert (found.trace_id, found.parent_id, found.sampled) == (TRACE, PARENT, True)
    assert found.span_id != PARENT
    assert found.header == f"00-{TRACE}-{found.span_id}-01"


@pytest.mark.parametrize(
    ("flags", "sampled"), [("00", False), ("01", True), ("02", False), ("03", True), ("ff", True), ("fe", False)]
)
def test_only_the_last_flag_says_whether_it_is_recorded(flags: str, sampled: bool) -> None:
    found = tracing.begin(f"00-{TRACE}-{PARENT}-{flags}")
    assert found.sampled is sampled
    # Flags that we do not know are not passed on.
    assert found.header.endswith("-01" if sampled else "-00")


@pytest.mark.parametrize("said", [f"01-{TRACE}-{PARENT}-01", f"cc-{TRACE}-{PARENT}-01-what-the-future-will-be-like"])
def test_later_versions_are_read_as_far_as_they_are_known(said: str) -> None:
    found = tracing.begin(said)
    assert (found.trace_id, found.parent_id) == (TRACE, PARENT)
    assert found.header.startswith("00-")


@pytest.mark.parametrize(
    "said",
    [
        None,
        "",
        f"ff-{TRACE}-{PARENT}-01",
        f"00-{'0' * 32}-{PARENT}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{PARENT}-01",
        f"00-{TRACE}-{PARENT.upper()}-01",
        f"00-{TRACE[:-1]}-{PARENT}-01",
        f"00-{TRACE}0-{PARENT}-01",
        f"00-{TRACE}-{PARENT}-1",
        f"00-{TRACE}-{PARENT}-001",
        f"00-{TRACE}-{PARENT}-01-more",
        f"00-{TRACE}-{PARENT}-01-",
        f"01-{TRACE}-{PARENT}-01.more",
        f"0-{TRACE}-{PARENT}-01",
        f"0x-{TRACE}-{PARENT}-01",
        f"00_{TRACE}_{PARENT}_01",
        f" {SAID}",
        f"{SAID} ",
        f"{SAID}\n",
        f"{SAID},{SAID}",
        f"00-{'٤' * 32}-{PARENT}-01",
        "x" * 10_000,
    ],
)
def test_what_is_malformed_counts_as_not_said(said: str | None) -> None:
    found = tracing.begin(said)
    assert found.trace_id != TRACE
    assert found.parent_id == ""
    assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01", found.header)


@given(st.text())
def test_whatever_is_said_the_answer_is_a_valid_header(said: str) -> None:
    found = tracing.begin(said)
    assert re.fullmatch(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[01]", found.header)
    # What we pass on is read by ourselves, as a child of this span.
    below = tracing.begin(found.header)
    assert (below.trace_id, below.parent_id, below.sampled) == (found.trace_id, found.span_id, found.sampled)


def test_no_number_comes_twice() -> None:
    begun = [tracing.begin(None) for _ in range(10_000)]
    assert len({each.trace_id for each in begun}) == len({each.span_id for each in begun}) == len(begun)


def test_another_process_counts_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    here = tracing.begin(None)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert tracing.begin(None).trace_id[:20] != here.trace_id[:20]


def test_each_thread_passes_its_own_on() -> None:
    found = tracing.begin(SAID)
    assert tracing.outgoing() == {"traceparent": found.header}
    elsewhere = list[dict[str, str]]()
    other = threading.Thread(target=lambda: elsewhere.append(tracing.outgoing()))
    other.start()
    other.join()
    assert elsewhere == [{}]


ODDS, SIMULATE = f"{ATTACK}/odds", f"{ATTACK}/simulations"
JOBS = {ATTACK: attack(dice={"seed": 1}), ODDS: attack(), SIMULATE: attack(count=3)}


def job_made(client: FlaskClient, path: str, **said: str) -> str:
    """Hand work in as a job, whatever it is; give the id."""
    answer = ask(client, path, JOBS[path], headers={"Prefer": "respond-async", **said})
    assert answer.status_code == 202
    name: str = json.loads(answer.data)["id"]
    return name


@pytest.mark.parametrize("path", JOBS)
def test_a_job_is_below_the_request_that_made_it(
    store: MemoryJobs, capfd: pytest.CaptureFixture[str], path: str
) -> None:
    client = create_app(Settings(rate_limits=False), {TEMPLATE.name: TEMPLATE}, store).test_client()
    kept = store.kept[job_made(client, path, traceparent=f"00-{TRACE}-{PARENT}-00")]
    (line,) = (json.loads(line) for line in capfd.readouterr().out.splitlines())
    assert kept.trace is not None
    assert kept.trace.header == f"00-{TRACE}-{line['span_id']}-00"
    assert line["parent_id"] == PARENT
    assert TRACE not in kept.work.body


@pytest.mark.parametrize("path", JOBS)
@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "a"}], ids=["without a key", "with a key"])
def test_who_asks_again_has_the_same_job_in_its_first_trace(
    with_jobs: FlaskClient, store: MemoryJobs, path: str, key: dict[str, str]
) -> None:
    first = job_made(with_jobs, path, traceparent=SAID, **key)
    others = [f"00-{'a' * 32}-{PARENT}-01", "garbage", f"00-{TRACE}-{PARENT}-01-more"]
    assert {job_made(with_jobs, path, traceparent=said, **key) for said in others} == {first}
    kept = store.kept[first].trace
    assert kept is not None
    assert kept.trace_id == TRACE


def test_what_is_malformed_is_not_kept_with_a_job(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    kept = store.kept[job_made(with_jobs, SIMULATE, traceparent=f"00-{TRACE}-{PARENT}-01,x")].trace
    assert kept is not None
    assert kept.trace_id != TRACE
    assert kept.parent_id == ""
