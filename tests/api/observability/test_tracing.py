"""Traces by the W3C's Trace Context: what is taken over, what is refused, and what is passed on."""

import json
import re
import threading

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from api import create_app
from api.settings import Settings
from infra.tracing import Trace, alone, below, outgoing, within
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, TEMPLATE, ask, attack

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
HEADER = f"00-{TRACE}-{PARENT}-01"


def begin(header: str | None) -> Trace:
    return below(header) or alone()


def test_a_trace_of_the_client_is_continued() -> None:
    found = begin(HEADER)
    assert (found.trace_id, found.parent_id, found.sampled) == (TRACE, PARENT, True)
    assert found.span_id != PARENT
    assert found.header == f"00-{TRACE}-{found.span_id}-01"


def test_only_the_last_flag_decides_whether_it_is_recorded() -> None:
    for flags, sampled in {"00": False, "01": True, "02": False, "03": True, "ff": True, "fe": False}.items():
        found = begin(f"00-{TRACE}-{PARENT}-{flags}")
        assert found.sampled is sampled, flags
        # Flags that we do not know are not passed on.
        assert found.header.endswith("-01" if sampled else "-00"), flags


def test_later_versions_are_read_as_far_as_they_are_known() -> None:
    for header in (f"01-{TRACE}-{PARENT}-01", f"cc-{TRACE}-{PARENT}-01-what-the-future-will-be-like"):
        found = begin(header)
        assert (found.trace_id, found.parent_id) == (TRACE, PARENT)
        assert found.header.startswith("00-")


MALFORMED = [
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
    f" {HEADER}",
    f"{HEADER} ",
    f"{HEADER}\n",
    f"{HEADER},{HEADER}",
    f"00-{'٤' * 32}-{PARENT}-01",
    "x" * 10_000,
]


def test_a_malformed_header_counts_as_missing() -> None:
    for header in MALFORMED:
        found = begin(header)
        assert found.trace_id != TRACE, header
        assert found.parent_id == "", header
        assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01", found.header), header


@given(st.text())
def test_whatever_the_header_ours_is_valid(header: str) -> None:
    found = begin(header)
    assert re.fullmatch(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[01]", found.header)
    # We read what we pass on, as a child of this span.
    child = begin(found.header)
    assert (child.trace_id, child.parent_id, child.sampled) == (found.trace_id, found.span_id, found.sampled)


def test_no_id_comes_twice() -> None:
    traces = [alone() for _ in range(1_000)]
    assert len({trace.trace_id for trace in traces}) == len({trace.span_id for trace in traces}) == len(traces)


def test_each_thread_passes_its_own_trace_on() -> None:
    trace, elsewhere = begin(HEADER), list[dict[str, str]]()
    with within(trace):
        assert outgoing() == {"traceparent": trace.header}
        other = threading.Thread(target=lambda: elsewhere.append(outgoing()))
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
    first = job_made(with_jobs, path, traceparent=HEADER, **key)
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
