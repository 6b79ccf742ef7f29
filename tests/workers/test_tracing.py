"""The trace of the request that made a job: kept with it, named in logs, sent with callbacks, and no more than that."""

import io
import json
import logging
import os
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from celery import Celery, signals
from hypothesis import given
from hypothesis import strategies as st

from infra import logging as infra_logging
from infra.settings import WorkerSettings
from infra.tracing import CURRENT, Trace, alone, below, below_stored, within
from tests.workers.naps import Mischief, naps, ruling
from tests.workers.receiving import ENDED, ID, LOCAL, SECRET, Receiver, receiver, status
from tests.workers.service import Server, counted, expected, job_of
from workers import tasks
from workers.celery_config import make_celery, send_chunk
from workers.jobs.chunk_store import ChunkStore
from workers.jobs.models import Cause, Job
from workers.jobs.store import Jobs
from workers.jobs.work import identify
from workers.runner import WorkerContext, call_back, run_chunk
from workers.webhooks.callback import Callback
from workers.webhooks.delivery import deliver

TRACE, SPAN, OTHER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", "0af7651916cd43dd8448eb211c80319c"
HERE = Trace(TRACE, SPAN, "b7ad6b7169203331", sampled=True)
ELSEWHERE = Trace(OTHER, "b9c7c989f97918e1", "", sampled=False)
FORM = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[01]")

GARBAGE = (
    b"",
    b"00",
    HERE.header.encode() + b"\n",
    HERE.header.encode()[:-1],
    HERE.header.upper().encode(),
    b"\xff" * 55,
    b"00-" + b"0" * 32 + b"-" + SPAN.encode() + b"-01",
    b"00-" + TRACE.encode() + b"-" + b"0" * 16 + b"-01",
    b"ff-" + TRACE.encode() + b"-" + SPAN.encode() + b"-01",
    b"00-" + TRACE.encode()[:-2] + b"\r\n-" + SPAN.encode() + b"-01",
    b"01-" + TRACE.encode() + b"-" + SPAN.encode() + b"-01-" + b"x" * 100_000,
    b'{"trace": 1}' * 5,
)


@pytest.fixture(autouse=True)
def outside_of_any_trace() -> Iterator[None]:
    with within(None):
        yield


@pytest.fixture
def server(one_server: Server) -> Server:
    one_server.client.flushall()
    return one_server


@pytest.fixture
def app(server: Server) -> Iterator[Celery]:
    app = make_celery(WorkerSettings(redis_url=server.url))
    yield app
    app.close()


@pytest.fixture
def context(server: Server, app: Celery) -> WorkerContext:
    return WorkerContext(WorkerSettings(redis_url=server.url, callbacks_to_loopback=True), app)


@pytest.fixture
def work(server: Server, context: WorkerContext, jobs: Jobs) -> Callable[[Job], Job]:
    """Give what does the chunks of a job, as a worker does, until it has ended."""

    def work(job: Job) -> Job:
        for chunk in range(int(server.client.hget(f"arbiter:job:{job.id}", "chunks") or 0)):
            run_chunk(context, job.id, str(chunk))
        return job_of(jobs, job.id)

    return work


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Give what the workers write, in the form that Celery is made to use."""
    written, logger = io.StringIO(), logging.getLogger("workers")
    handler, level = logging.StreamHandler(written), logger.level
    handler.setFormatter(infra_logging.formatter())
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield written
    logger.removeHandler(handler)
    logger.setLevel(level)


def lines(log: io.StringIO, **about: Any) -> list[dict[str, Any]]:
    """Give the lines that say this; there has to be one."""
    written = [json.loads(line) for line in log.getvalue().splitlines()]
    found = [line for line in written if about.items() <= line.items()]
    assert found, written
    return found


# What is kept is read again, and nothing else is.


def test_what_was_kept_is_gone_on_with() -> None:
    found = below_stored(HERE.header.encode())
    assert found is not None
    assert (found.trace_id, found.parent_id, found.sampled) == (TRACE, SPAN, True)
    assert found.span_id != SPAN
    assert FORM.fullmatch(found.header)
    unsampled = below_stored(ELSEWHERE.header.encode())
    assert unsampled is not None
    assert unsampled.header.endswith("-00")


@pytest.mark.parametrize("kept", [None, *GARBAGE], ids=range(len(GARBAGE) + 1))
def test_what_cannot_be_ours_is_passed_over(kept: bytes | None) -> None:
    assert below_stored(kept) is None


@given(st.binary() | st.binary(min_size=55, max_size=55))
def test_whatever_is_kept_nothing_is_raised(kept: bytes) -> None:
    found = below_stored(kept)
    assert found is None or FORM.fullmatch(found.header)


@given(st.integers(1, 2**128 - 1), st.integers(1, 2**64 - 1), st.booleans())
def test_every_trace_that_we_write_comes_back(trace: int, span: int, sampled: bool) -> None:
    written = Trace(f"{trace:032x}", f"{span:016x}", "", sampled)
    found = below_stored(written.header.encode())
    assert found is not None
    assert (found.trace_id, found.parent_id, found.sampled) == (written.trace_id, written.span_id, sampled)


def test_spans_below_one_request_are_all_different() -> None:
    begun = [found for _ in range(1_000) if (found := below(HERE.header)) is not None]
    assert len({found.span_id for found in begun} | {SPAN}) == 1_001
    assert alone().trace_id != alone().trace_id


def test_what_is_done_inside_belongs_to_a_trace_and_what_comes_after_does_not() -> None:
    with within(None):
        with within(HERE):
            assert CURRENT.get() == HERE
        assert CURRENT.get() is None
        with pytest.raises(ZeroDivisionError), within(HERE):
            raise ZeroDivisionError
        assert CURRENT.get() is None


def test_a_message_to_the_workers_names_the_trace(server: Server, app: Celery) -> None:
    for trace in (HERE, None):
        with within(trace):
            send_chunk(app, "short", "0" * 32, "1")
        message = json.loads(server.client.lpop("short") or b"")
        assert message["headers"].get("traceparent") == (None if trace is None else trace.header)


# With a job.


def test_a_job_is_the_same_whatever_its_trace(jobs: Jobs, work: Callable[[Job], Job], server: Server) -> None:
    first = jobs.submit(naps(3), caller="me", estimate_ms=3_000.0, trace=HERE).job
    assert first.id == identify(naps(3), "me")
    assert work(first).state == "successful"
    with_trace, events = jobs.result(first.id), [event.job.done for event in jobs.events(first.id, None)]
    server.client.flushall()
    without = jobs.submit(naps(3), caller="me", estimate_ms=3_000.0).job
    assert without.id == first.id
    assert work(without).state == "successful"
    assert jobs.result(first.id) == with_trace == expected(naps(3))
    assert [event.job.done for event in jobs.events(first.id, None)] == events


@pytest.mark.parametrize("over", [False, True], ids=["open", "ended"])
def test_who_hands_in_again_joins_the_trace_of_the_first(
    server: Server, jobs: Jobs, context: WorkerContext, work: Callable[[Job], Job], over: bool
) -> None:
    job = jobs.submit(ruling(1), caller="me", estimate_ms=1.0, key="k", trace=HERE).job
    if over:
        work(job)
    again = jobs.submit(ruling(1), caller="me", estimate_ms=1.0, key="k", trace=ELSEWHERE)
    assert (again.fresh, again.job.id) == (False, job.id)
    kept = context.chunks.trace(job.id)
    assert kept is not None
    assert (kept.trace_id, kept.parent_id) == (TRACE, SPAN)


def test_work_that_begins_anew_is_of_the_request_that_asked_anew(jobs: Jobs, context: WorkerContext) -> None:
    job = jobs.submit(ruling(1), caller="me", estimate_ms=1.0, trace=HERE).job
    jobs.dismiss(job.id)
    assert jobs.submit(ruling(1), caller="me", estimate_ms=1.0, trace=ELSEWHERE).fresh
    kept = context.chunks.trace(job.id)
    assert kept is not None
    assert (kept.trace_id, kept.sampled) == (OTHER, False)
    jobs.dismiss(job.id)
    # Of the one before, nothing is left.
    assert jobs.submit(ruling(1), caller="me", estimate_ms=1.0).fresh
    assert context.chunks.trace(job.id) is None


def test_a_job_that_there_is_not_has_no_trace(server: Server, context: WorkerContext) -> None:
    assert context.chunks.trace("0" * 32) is None


# In the log.


def test_each_turn_of_a_job_is_a_span_below_its_request(
    jobs: Jobs, work: Callable[[Job], Job], log: io.StringIO
) -> None:
    job = jobs.submit(naps(3), caller="me", estimate_ms=3_000.0, trace=HERE).job
    other = jobs.submit(ruling(1), caller="me", estimate_ms=1.0, trace=ELSEWHERE).job
    assert {work(job).state, work(other).state} == {"successful"}
    said = lines(log, job=job.id)
    assert [(line["trace_id"], line["parent_id"]) for line in said] == [(TRACE, SPAN)] * 3
    assert len({line["span_id"] for line in said} | {SPAN}) == 4
    assert {line["trace_id"] for line in lines(log, job=other.id)} == {OTHER}
    assert CURRENT.get() is None


@pytest.mark.parametrize(
    ("mischief", "code"), [("raise", "internal"), ("impossible", "impossible"), ("memory", "out-of-memory")]
)
def test_a_failure_is_found_by_the_trace(
    jobs: Jobs, work: Callable[[Job], Job], log: io.StringIO, mischief: Mischief, code: str
) -> None:
    job = jobs.submit(ruling(2, mischief=mischief), caller="me", estimate_ms=1.0, trace=HERE).job
    assert work(job).state == "failed"
    assert all(line["trace_id"] == TRACE and line["parent_id"] == SPAN for line in lines(log, job=job.id))
    assert [line["cause"] for line in lines(log, job=job.id, event="chunk-ends-job")] == [code]
    faults = [line for line in lines(log, job=job.id) if line["event"] == "fault"]
    assert len(faults) == (code == "internal")
    for fault in faults:
        # What went wrong is said, and where, but not what the variables held: among them are bodies.
        (wrong,) = fault["exception"]
        assert wrong["exc_type"] == "ZeroDivisionError"
        assert wrong["frames"]
        assert not any("locals" in frame for frame in wrong["frames"])


def test_work_that_was_altered_is_refused_in_its_trace(
    server: Server, jobs: Jobs, work: Callable[[Job], Job], log: io.StringIO
) -> None:
    job = jobs.submit(ruling(3), caller="me", estimate_ms=1.0, trace=HERE).job
    server.client.delete(f"arbiter:job:{job.id}:work")
    assert work(job).state == "failed"
    (line,) = lines(log, event="job-refused", job=job.id)
    assert (line["trace_id"], line["parent_id"]) == (TRACE, SPAN)


@pytest.mark.parametrize("kept", [None, *GARBAGE], ids=range(len(GARBAGE) + 1))
def test_a_record_without_a_sound_trace_is_done_like_any_other(
    server: Server, jobs: Jobs, work: Callable[[Job], Job], context: WorkerContext, log: io.StringIO, kept: bytes | None
) -> None:
    """A version before ours has written none; somebody else may have written anything."""
    with receiver(status(204)) as to:
        callback = Callback(f"http://127.0.0.1:{to.port}/")
        job = jobs.submit(naps(3), caller="me", estimate_ms=3_000.0, callback=callback, trace=HERE).job
        name = f"arbiter:job:{job.id}"
        assert server.client.hdel(name, "trace") if kept is None else server.client.hset(name, "trace", kept) == 0
        assert work(job).state == "successful"
        call_back(context, due(server))
    assert jobs.result(job.id) == expected(naps(3))
    said = lines(log, job=job.id)
    assert [line["event"] for line in said] == ["chunk-done"] * 3 + ["callback"]
    assert not any({"trace_id", "span_id", "parent_id"} & line.keys() for line in said)
    assert "traceparent" not in to.seen[0].headers


@pytest.mark.parametrize(
    ("told", "setting", "written"),
    [
        (logging.WARNING, "info", ["ours", "ours at last", "theirs at last"]),
        (logging.WARNING, "error", ["ours at last", "theirs at last"]),
        (logging.INFO, "error", ["ours at last", "theirs", "theirs at last"]),
    ],
)
def test_celery_is_made_to_write_such_lines(
    monkeypatch: pytest.MonkeyPatch, told: int, setting: str, written: list[str]
) -> None:
    """Its logger is told of by a signal; each side is heard from a level of its own on."""
    monkeypatch.setattr(signals.after_setup_logger, "receivers", [])
    ours, level = logging.getLogger("workers"), logging.getLogger("workers").level
    out, theirs = io.StringIO(), logging.Logger("celery's", told)
    handler = logging.StreamHandler(out)
    theirs.addHandler(handler)
    infra_logging.write_lines(setting)
    signals.after_setup_logger.send(
        sender=None, logger=theirs, loglevel=told, logfile=None, format="[%(levelname)s] %(message)s", colorize=False
    )
    ours.addHandler(handler)
    try:
        for log, name in ((infra_logging.log_of("workers.runner"), "ours"), (theirs, "theirs")):
            with within(HERE):
                log.info(name)
            with within(None):
                log.error(f"{name} at last")
    finally:
        ours.removeHandler(handler)
        ours.setLevel(level)
    said = lines(out)
    assert [line["event"] for line in said] == written
    for line in said:
        assert line["logger"] == ("workers.runner" if line["event"].startswith("ours") else "celery's")
        assert line["process"] == os.getpid()
        assert line["level"] == ("error" if line["event"].endswith("at last") else "info")
        assert datetime.fromisoformat(line["timestamp"]).utcoffset() == timedelta(0)
        named = {"trace_id": TRACE, "span_id": SPAN, "parent_id": "b7ad6b7169203331"}
        assert {name: line[name] for name in named if name in line} == (named if line["level"] == "info" else {})


LATE = Cause("too-long", "A chunk took longer than 4 seconds.")


@pytest.mark.parametrize(
    ("tell", "state"),
    [
        (lambda job_id, chunks: tasks._note(chunks, (job_id, "0"), "process-lost", "signal 9", chunks.lose), "running"),
        (lambda job_id, chunks: tasks._note(chunks, (job_id, "0"), "chunk-too-long", LATE, chunks.fail), "failed"),
    ],
    ids=["lost", "too long"],
)
def test_a_process_that_is_gone_is_named_with_the_trace(
    server: Server,
    jobs: Jobs,
    context: WorkerContext,
    log: io.StringIO,
    tell: Callable[[str, ChunkStore], None],
    state: str,
) -> None:
    """The main process of a worker says so, which has not done the chunk itself."""
    job = jobs.submit(ruling(4), caller="me", estimate_ms=1.0, trace=HERE).job
    assert context.chunks.begin(job.id, "0") is not None
    tell(job.id, context.chunks)
    assert job_of(jobs, job.id).state == state
    (line,) = lines(log, job=job.id, chunk="0")
    assert (line["trace_id"], line["parent_id"]) == (TRACE, SPAN)


# With callbacks.


def due(server: Server) -> str:
    """Give the name of the one callback that is due."""
    (calls,) = server.client.keys("arbiter:calls:*")
    (name,) = server.client.zrange(calls, 0, -1)
    assert isinstance(name, bytes)
    return name.decode()


def called(to: Receiver) -> list[Trace]:
    """Read the traces of all messages that were received."""
    headers = [seen.headers["traceparent"] for seen in to.seen]
    assert all(FORM.fullmatch(header) for header in headers)
    return [Trace(header[3:35], header[36:52], "", header.endswith("-01")) for header in headers]


@pytest.mark.parametrize("trace", [HERE, ELSEWHERE], ids=["sampled", "not sampled"])
def test_every_attempt_to_call_back_is_a_span_of_its_own(
    server: Server, jobs: Jobs, context: WorkerContext, work: Callable[[Job], Job], log: io.StringIO, trace: Trace
) -> None:
    codes = iter((503, 204))
    with receiver(lambda handler: status(next(codes))(handler)) as to:
        callback = Callback(f"http://127.0.0.1:{to.port}/")
        job = jobs.submit(ruling(5), caller="me", estimate_ms=1.0, callback=callback, trace=trace).job
        assert work(job).state == "successful"
        name = due(server)
        # What workers of the version before would not understand has no place in the call.
        kept = json.loads(server.client.get(f"arbiter:call:{name}") or b"")
        assert kept.keys() == {"id", "state", "ended", "attempt", "callback"}
        assert 0 < server.client.pttl(f"arbiter:call:{name}:trace") <= 90_000_000
        # The job may be forgotten by now.
        server.client.delete(f"arbiter:job:{job.id}")
        call_back(context, name)
        call_back(context, name)
    first, second = called(to)
    assert {first.trace_id, second.trace_id} == {trace.trace_id}
    assert {first.sampled, second.sampled} == {trace.sampled}
    assert len({first.span_id, second.span_id, trace.span_id}) == 3
    # Who looks from the receiver's log finds the line of the attempt, and from there the request.
    said = lines(log, event="callback", job=job.id)
    assert [line["span_id"] for line in said] == [first.span_id, second.span_id]
    assert {line["parent_id"] for line in said} == {trace.span_id}
    assert not list(server.client.scan_iter("arbiter:call:*"))


def test_who_asks_to_be_told_of_a_job_that_has_ended_is_told_in_the_trace_of_the_job(
    server: Server, jobs: Jobs, context: WorkerContext, work: Callable[[Job], Job]
) -> None:
    assert work(jobs.submit(ruling(6), caller="me", estimate_ms=1.0, trace=HERE).job).state == "successful"
    with receiver(status(204)) as to:
        callback = Callback(f"http://127.0.0.1:{to.port}/")
        jobs.submit(ruling(6), caller="me", estimate_ms=1.0, callback=callback, trace=ELSEWHERE)
        call_back(context, due(server))
    assert [trace.trace_id for trace in called(to)] == [TRACE]


@pytest.mark.parametrize("kept", GARBAGE, ids=range(len(GARBAGE)))
def test_a_callback_is_called_whatever_became_of_its_trace(
    server: Server, jobs: Jobs, context: WorkerContext, work: Callable[[Job], Job], kept: bytes
) -> None:
    with receiver(status(204)) as to:
        callback = Callback(f"http://127.0.0.1:{to.port}/")
        assert (
            work(jobs.submit(ruling(7), caller="me", estimate_ms=1.0, callback=callback, trace=HERE).job).state
            == "successful"
        )
        name = due(server)
        server.client.set(f"arbiter:call:{name}:trace", kept)
        call_back(context, name)
    (seen,) = to.seen
    assert "traceparent" not in seen.headers
    assert counted(jobs, "webhook") == {"delivered": 1}
    assert not list(server.client.scan_iter("arbiter:call:*"))


CALL = b'{"id":"%b","state":"successful","ended":1.0,"attempt":0,"callback":{"url":"http://127.0.0.1:9/"}}'


@pytest.mark.parametrize("kept", [b"{", b"[]", CALL % b"7d1c", CALL % (b"0" * 31 + b"\\n")])
def test_a_callback_that_cannot_be_read_is_given_up_in_its_trace(
    server: Server, context: WorkerContext, log: io.StringIO, kept: bytes
) -> None:
    name = ".".join(("0" * 32, "0" * 32, "successful", "1", "0" * 32, "0" * 32))
    server.client.set(f"arbiter:call:{name}", kept)
    server.client.set(f"arbiter:call:{name}:trace", HERE.header)
    call_back(context, name)
    assert [line["trace_id"] for line in lines(log, event="callback-given-up", callback=name)] == [TRACE]
    assert not list(server.client.scan_iter("arbiter:call:*"))


def test_a_trace_is_no_part_of_what_is_signed() -> None:
    with receiver(status(204)) as to:
        for trace in (HERE, None):
            target = Callback(f"http://127.0.0.1:{to.port}/", SECRET)
            sent = deliver(target, ID, ENDED, now=1_770_000_000.0, settings=LOCAL, trace=trace)
            assert sent.outcome == "delivered"
    with_trace, without = to.seen
    assert with_trace.headers.pop("traceparent") == HERE.header
    assert with_trace == without
