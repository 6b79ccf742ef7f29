"""What is lost on the way, is done again: every test with real processes, and against the result computed here."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from infra.errors import StoreUnavailable
from infra.tracing import Trace, alone
from tests.patience import PATIENCE_S, within
from tests.workers.naps import naps, ruling
from tests.workers.service import (
    Server,
    begun,
    child,
    chunks_at,
    counted,
    ended,
    expected,
    job_of,
    kill,
    ready,
    running,
)
from workers.jobs.store import Jobs

pytestmark = pytest.mark.long

NAP_S = 0.2
MANY = 12


def submitted(jobs: Jobs, number: int, count: int = MANY, trace: Trace | None = None) -> tuple[str, bytes]:
    """Submit naps of which each is a chunk; give the id and the result as it has to be."""
    work = naps(count, NAP_S, number=number)
    job = jobs.submit(work, caller="me", estimate_ms=1_000.0 * count, trace=trace).job
    assert job.total == count
    return job.id, expected(work)


def test_a_worker_killed_in_mid_chunk(server: Server, jobs: Jobs) -> None:
    job_id, result = submitted(jobs, 1)
    with running(server) as first:
        assert begun(server, jobs, job_id, 2)
        kill(first)
    with running(server):
        job = ended(jobs, job_id)
    assert (job.state, job.done, job.attempts) == ("successful", MANY, 1)
    assert jobs.result(job_id) == result
    # Each chunk counts once, however often it was begun.
    assert jobs.counters().get("chunks", 0) == MANY
    assert jobs.counters().get("lost", 0) == 1


def test_the_process_of_a_chunk_killed(server: Server, jobs: Jobs) -> None:
    asked = alone()
    job_id, result = submitted(jobs, 2, trace=asked)
    # The worker that lives knows at once; nobody has to wait until it is silent for long.
    with running(server, NAPS_SILENT_S=600) as worker:
        assert begun(server, jobs, job_id, 2)
        os.kill(child(worker), signal.SIGKILL)
        assert within(lambda: job_of(jobs, job_id).attempts == 1)
        assert ended(jobs, job_id).state == "successful"
    assert jobs.result(job_id) == result
    # Who did a chunk and who saw the loss are two processes; both name the request that made the job.
    (log,) = server.folder.glob("worker-*.log")
    said = [json.loads(line) for line in log.read_text().splitlines() if job_id in line]
    assert ["SIGKILL" in line["reason"] for line in said if line["event"] == "process-lost"] == [True]
    assert [line["event"] for line in said].count("chunk-done") == MANY
    assert {(line["trace_id"], line["parent_id"]) for line in said} == {(asked.trace_id, asked.span_id)}


def test_the_server_killed_and_started_again(server: Server, jobs: Jobs) -> None:
    first, second = submitted(jobs, 3), submitted(jobs, 4)
    with running(server):
        assert begun(server, jobs, first[0], 2)
        server.kill()
        with pytest.raises(StoreUnavailable):
            jobs.job(first[0])
        time.sleep(1.0)
        server.start()
        for job_id, result in (first, second):
            assert ended(jobs, job_id).state == "successful"
            assert jobs.result(job_id) == result
    assert jobs.counters().get("chunks", 0) == 2 * MANY
    assert counted(jobs, "job") == {"accepted": 2, "successful": 2}


def test_a_worker_that_comes_after_the_job_and_after_the_server(server: Server, jobs: Jobs) -> None:
    job_id, result = submitted(jobs, 5, 3)
    server.kill()
    server.start()
    assert job_of(jobs, job_id).state == "accepted"
    with running(server):
        assert ended(jobs, job_id).state == "successful"
    assert jobs.result(job_id) == result


def test_two_workers_give_what_one_gives(server: Server, jobs: Jobs) -> None:
    work = naps(MANY, NAP_S, number=6)
    with running(server), running(server):
        # Both have to be there, so that both have a part in it.
        assert within(lambda: ready(server) == 2)
        job = jobs.submit(work, caller="me", estimate_ms=1_000.0 * MANY).job
        done = ended(jobs, job.id)
    assert done.state == "successful"
    assert jobs.result(job.id) == expected(work)
    assert [b'"chunk-done"' in log.read_bytes() for log in server.folder.glob("worker-*.log")] == [True, True]


@pytest.mark.parametrize(("mischief", "how"), [("kill", "signal 9 (SIGKILL)"), ("exit", "exitcode 3")])
def test_a_chunk_that_kills_its_workers_ends_its_job(server: Server, jobs: Jobs, mischief: str, how: str) -> None:
    bad = jobs.submit(naps(4, 0.0, mischief, 7), caller="me", estimate_ms=4_000.0).job
    good = jobs.submit(ruling(7), caller="me", estimate_ms=1.0).job
    with running(server):
        job = ended(jobs, bad.id)
        assert job.state == "failed"
        assert job.cause is not None
        assert job.cause.code == "lost-worker"
        assert "3 workers were lost over chunk 1 of 4" in job.cause.detail
        assert how in job.cause.detail
        assert ended(jobs, good.id).state == "successful"
    assert counted(jobs, "cause") == {"lost-worker": 1}


def test_a_chunk_that_loses_one_worker_is_done_by_the_next(server: Server, jobs: Jobs, tmp_path: Path) -> None:
    work = naps(2, 0.0, "once", 8, lies=str(tmp_path / "mark"))
    job_id = jobs.submit(work, caller="me", estimate_ms=2_000.0).job.id
    with running(server):
        job = ended(jobs, job_id)
    assert (job.state, job.attempts) == ("successful", 1)
    assert jobs.result(job_id) == expected(work)


def test_a_worker_told_to_end_gives_back_what_it_cannot_finish(server: Server, jobs: Jobs) -> None:
    work = naps(1, 2 * PATIENCE_S, number=9)
    job_id = jobs.submit(work, caller="me", estimate_ms=1.0).job.id
    with running(server, ARBITER_SHUTDOWN_GRACE_S=2) as worker:
        assert begun(server, jobs, job_id, 0)
        worker.terminate()
        assert worker.wait(PATIENCE_S) == 0
    job = job_of(jobs, job_id)
    assert (job.state, job.attempts) == ("running", 0)
    # The chunk and its message are in the queue: the next worker need not wait for anything.
    assert chunks_at(server, "queued:short", job_id) == ["0"]
    assert jobs.depths()["short"].messages == 1


def test_a_worker_told_to_end_finishes_what_it_can(server: Server, jobs: Jobs) -> None:
    job_id, _ = submitted(jobs, 10, 4)
    with running(server) as worker:
        assert begun(server, jobs, job_id, 1)
        worker.terminate()
        assert worker.wait(PATIENCE_S) == 0
    job = job_of(jobs, job_id)
    assert 2 <= job.done < 4
    assert server.client.hlen(f"arbiter:job:{job_id}:chunks") == job.done
    assert chunks_at(server, "queued:simulations", job_id) == [str(job.done)]
    assert jobs.depths()["simulations"].messages == 1


def test_a_message_that_vanished_is_sent_again(server: Server, jobs: Jobs) -> None:
    """The broker has a moment in which a message is neither in the queue nor noted as taken."""
    job_id, result = submitted(jobs, 11, 2)
    server.client.delete("simulations")
    with running(server):
        assert ended(jobs, job_id).state == "successful"
    assert jobs.result(job_id) == result
