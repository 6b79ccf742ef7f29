"""Jobs that workers do: their causes, their dismissal, their fairness, and a thousand of them, on one worker."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
import pytest

from infra.settings import WorkerSettings
from tests.effort import cases
from tests.patience import within
from tests.workers.naps import Mischief, naps, ruling
from tests.workers.service import Server, begun, counted, ended, expected, job_of, running
from workers.celery_config import make_celery
from workers.jobs.models import FINAL, Event
from workers.jobs.store import Jobs
from workers.jobs.work import Work
from workers.webhooks.callback import Callback

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Give a server with one worker, the same for all these tests."""
    server = Server(tmp_path_factory.mktemp("server"))
    server.start()
    limits = {"ARBITER_SOFT_TIME_LIMIT_S": 4, "ARBITER_HARD_TIME_LIMIT_S": 8, "ARBITER_JOB_PATH_BUDGET": 5}
    with running(server, ARBITER_CALLBACKS_TO_LOOPBACK="true", **limits):
        yield server
    server.kill()


def test_a_simulation_is_what_it_is_in_one_chunk(jobs: Jobs) -> None:
    work = naps(1_000, number=20)
    job = jobs.submit(work, caller="me", estimate_ms=200_000.0).job
    done = ended(jobs, job.id)
    assert (done.state, done.done, done.total, done.seconds_left) == ("successful", 1_000, 1_000, None)
    assert jobs.result(job.id) == expected(work)


def test_a_chunk_that_takes_too_long_is_cut_and_its_job_is_done(jobs: Jobs) -> None:
    """One chunk, by its estimate, of six seconds of naps; a chunk may take four, and is cut after half a second."""
    work = naps(120, 0.05, number=23)
    job = jobs.submit(work, caller="me", estimate_ms=1.0).job
    done = ended(jobs, job.id, 60.0)
    assert (done.state, done.done, done.attempts) == ("successful", 120, 0)
    assert jobs.result(job.id) == expected(work)


def test_a_ruling_is_what_is_answered_at_once(jobs: Jobs) -> None:
    work = ruling(21)
    job = jobs.submit(work, caller="me", estimate_ms=1.0).job
    assert ended(jobs, job.id).state == "successful"
    assert jobs.result(job.id) == expected(work)
    assert json.loads(jobs.result(job.id) or b"")["seed"] == "s"


def test_odds_walk_the_paths_that_a_job_may_walk(jobs: Jobs) -> None:
    """Six faces are six paths, and here five are allowed."""
    body = msgspec.json.encode({"case": {"number": 22}}).decode()
    job = jobs.submit(Work("odds", "naps", "nap", body), caller="me", estimate_ms=1.0).job
    done = ended(jobs, job.id)
    assert done.cause is not None
    assert (done.state, done.cause.code) == ("failed", "too-many-paths")


@pytest.mark.parametrize(
    ("mischief", "code"), [("raise", "internal"), ("impossible", "impossible"), ("memory", "out-of-memory")]
)
def test_what_is_wrong_with_a_chunk_ends_its_job_at_once(jobs: Jobs, mischief: Mischief, code: str) -> None:
    before = jobs.counters().get("chunks", 0)
    job = jobs.submit(naps(10, 0.0, mischief, 23), caller="me", estimate_ms=10_000.0).job
    done = ended(jobs, job.id)
    assert done.cause is not None
    assert (done.state, done.cause.code, done.attempts) == ("failed", code, 0)
    assert jobs.result(job.id) is None
    assert jobs.counters().get("chunks", 0) == before
    if code == "internal":
        assert "ZeroDivisionError" in done.cause.detail
    if code == "impossible":
        assert [fault.pointer for fault in done.cause.errors] == ["/case/seconds"]


def test_a_chunk_over_its_time_ends_its_job(jobs: Jobs) -> None:
    job = jobs.submit(ruling(24, seconds=60.0), caller="me", estimate_ms=1.0).job
    done = ended(jobs, job.id)
    assert done.cause is not None
    assert (done.state, done.cause.code) == ("failed", "too-long")


def test_a_short_job_does_not_wait_for_the_end_of_a_long_one(server: Server, jobs: Jobs) -> None:
    long = jobs.submit(naps(60, 0.1, number=25), caller="me", estimate_ms=60_000.0).job
    assert begun(server, jobs, long.id, 2)
    short = jobs.submit(naps(2, 0.1, number=26), caller="me", estimate_ms=2_000.0).job
    done = ended(jobs, short.id)
    # Chunk by chunk: for each of its two chunks the short job waits for about one of the long job's.
    assert job_of(jobs, long.id).done <= 30
    assert done.state == "successful"
    jobs.dismiss(long.id)


@pytest.mark.parametrize("kind", ["games", "one long game"])
def test_a_running_job_is_dismissed_in_the_middle_of_a_chunk(server: Server, jobs: Jobs, kind: str) -> None:
    work = naps(1_000, 0.01, number=27) if kind == "games" else ruling(27, seconds=3.9)
    job = jobs.submit(work, caller="me", estimate_ms=1.0).job
    assert begun(server, jobs, job.id, 0)
    dismissed = jobs.dismiss(job.id)
    assert dismissed is not None
    assert dismissed.state == "dismissed"
    # The worker is free for others.
    other = jobs.submit(ruling(28 if kind == "games" else 29), caller="me", estimate_ms=1.0).job
    ended(jobs, other.id)
    # Nobody has come to the end of the nap or of the games, nor to the end of their time.
    (log,) = server.folder.glob("worker-*.log")
    told = [json.loads(line) for line in log.read_text().splitlines() if job.id in line]
    assert [line["event"] for line in told if line["event"].startswith("chunk-")] == ["chunk-unwanted"]
    assert job_of(jobs, job.id).state == "dismissed"


def test_a_job_that_waits_is_dismissed_and_never_begun(server: Server, jobs: Jobs, tmp_path: Path) -> None:
    long = jobs.submit(naps(1, 1.0, number=30), caller="me", estimate_ms=1.0).job
    assert begun(server, jobs, long.id, 0)
    mark = tmp_path / "mark"
    waits = jobs.submit(naps(1, 0.0, "once", 31, lies=str(mark)), caller="me", estimate_ms=1.0).job
    jobs.dismiss(waits.id)
    after = jobs.submit(ruling(32), caller="me", estimate_ms=1.0).job
    assert ended(jobs, after.id).state == "successful"
    assert job_of(jobs, waits.id).started is None
    assert not mark.exists()


def test_dismissed_work_begins_anew_when_it_is_asked_for_again(server: Server, jobs: Jobs) -> None:
    work = naps(8, 0.1, number=33)
    first = jobs.submit(work, caller="me", estimate_ms=8_000.0).job
    assert begun(server, jobs, first.id, 2)
    jobs.dismiss(first.id)
    again = jobs.submit(work, caller="me", estimate_ms=8_000.0)
    assert (again.fresh, again.job.id, again.job.state, again.job.done) == (True, first.id, "accepted", 0)
    done = ended(jobs, first.id)
    assert (done.state, done.done) == ("successful", 8)
    assert jobs.result(first.id) == expected(work)


def test_the_events_of_a_job_go_forward_and_end(jobs: Jobs) -> None:
    job = jobs.submit(naps(200, 0.01, number=34), caller="me", estimate_ms=4_000.0).job
    events: list[Event] = []

    def over() -> bool:
        events.extend(jobs.events(job.id, events[-1].id if events else None))
        return events[-1].job.state in FINAL

    assert within(over)
    assert tuple(events) == jobs.events(job.id, None)
    states = [event.job.state for event in events]
    assert states == ["accepted", *["running"] * (len(states) - 2), "successful"]
    done = [event.job.done for event in events]
    assert done == sorted(done)
    ended_as = job_of(jobs, job.id)
    # Two seconds of naps, with about four events in each; a busy machine takes longer.
    assert ended_as.finished is not None
    assert ended_as.started is not None
    assert 5 <= len(events) <= 10 + 7 * (ended_as.finished - ended_as.started)
    assert events[-1].job == ended_as
    left = [event.job.seconds_left for event in events if event.job.seconds_left]
    assert left
    assert all(0 < seconds < 60 for seconds in left)


def test_hundreds_of_jobs_from_twenty_clients_at_once(jobs: Jobs) -> None:
    """Every night a thousand."""
    count = cases(1_000, 200)
    works = [naps(3, number=1_000 + number) for number in range(count)]

    def submit(number: int) -> str:
        return jobs.submit(works[number], caller=f"client {number % 20}", estimate_ms=1.0).job.id

    with ThreadPoolExecutor(20) as clients:
        ids = list(clients.map(submit, range(count)))
    assert len(set(ids)) == count
    for job_id, work in zip(ids, works, strict=True):
        assert ended(jobs, job_id, 60.0).state == "successful"
        assert jobs.result(job_id) == expected(work)
    assert {depth.open_jobs for depth in jobs.depths().values()} == {0}
    # A message that was sent twice, on a busy machine say, is taken out when it comes.
    assert within(lambda: {depth.messages for depth in jobs.depths().values()} == {0})
    for client in range(20):
        mine, more = jobs.list_jobs(f"client {client}", None, 100)
        assert {job.id for job in mine} == set(ids[client::20])
        assert more is None


class Receiver(ThreadingHTTPServer):
    """Keeps what is posted to it, and refuses the first message."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.got: list[tuple[str, Any]] = []


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.got.append((self.headers["webhook-id"], body))
        self.send_response(503 if len(self.server.got) == 1 else 204)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_who_wants_to_be_called_back_is(server: Server, jobs: Jobs) -> None:
    with Receiver() as receiver:
        Thread(target=receiver.serve_forever, daemon=True).start()
        callback = Callback(f"http://127.0.0.1:{receiver.server_port}/hook")
        job = jobs.submit(ruling(35), caller="me", estimate_ms=1.0, callback=callback).job
        assert within(lambda: len(receiver.got) == 2)
        # Who asks after the end is told at once, and not a second time for the same.
        other = Callback(f"http://127.0.0.1:{receiver.server_port}/other")
        assert not jobs.submit(ruling(35), caller="me", estimate_ms=1.0, callback=other).fresh
        assert within(lambda: len(receiver.got) == 3)
        receiver.shutdown()
    (first, body), (second, _), (third, _) = receiver.got
    assert first == second != third
    assert (body["type"], body["data"]["id"]) == ("job.successful", job.id)
    assert within(lambda: counted(jobs, "webhook") == {"again": 1, "delivered": 2})
    assert not server.client.exists("arbiter:due")
    assert not list(server.client.scan_iter("arbiter:call:*"))


UNKNOWN = "0" * 32


POISON: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("run_chunk", (UNKNOWN, "0")),
    ("run_chunk", (UNKNOWN, str(2**53))),
    ("run_chunk", ("*", "1")),
    ("run_chunk", (UNKNOWN, 1)),
    ("run_chunk", (UNKNOWN, True)),
    ("run_chunk", ({"id": UNKNOWN}, [1])),
    ("run_chunk", (UNKNOWN,)),
    ("run_chunk", (UNKNOWN, "1", "1")),
    ("run_chunk", ()),
    ("run_chunk", (UNKNOWN, "finish")),
    ("run_chunk", ("*", "finish")),
    ("call_back", (UNKNOWN,)),
    ("call_back", (7,)),
    ("call_back", ("../../*",)),
    ("no_such_task", ()),
)


def test_poisoned_messages_do_no_harm(server: Server, jobs: Jobs) -> None:
    app = make_celery(WorkerSettings(redis_url=server.url))
    for number, (task, arguments) in enumerate(POISON):
        before = {name for name in server.names() if ":job:" in name}
        app.send_task(task, arguments, queue="short")
        sound = jobs.submit(ruling(100 + number), caller="me", estimate_ms=1.0).job
        assert ended(jobs, sound.id).state == "successful", (task, arguments)
        assert {name for name in server.names() if ":job:" in name and sound.id not in name} == before
    app.close()
