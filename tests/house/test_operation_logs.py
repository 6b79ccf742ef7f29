"""Logs on a disk without room: lines are lost, and nothing else."""

import os
import resource
import signal
import sys
from pathlib import Path

import pytest

from cli.parts import LOG_BYTES, Part
from infra.settings import WorkerSettings
from tests.house.serving import Server as Gateway
from tests.house.serving import get
from tests.patience import within
from tests.workers.conftest import jobs as jobs
from tests.workers.conftest import only_naps as only_naps
from tests.workers.conftest import server as server
from tests.workers.naps import naps
from tests.workers.service import Server, ended, expected, running
from workers.health import HealthCheck
from workers.jobs.store import Jobs

FULL = Path("/dev/full")
"""A file that takes nothing: every write fails as on a disk without room."""

pytestmark = pytest.mark.skipif(not FULL.exists(), reason="only Linux has a file that is always full")


def test_a_gateway_whose_log_takes_nothing_answers() -> None:
    gateway = Gateway("api:create_app()", FULL, ARBITER_GATEWAY_WORKERS="1")
    try:
        assert within(gateway.answers)
        for _ in range(20):
            assert gateway.ask(get("/v1/games", close=True)).startswith(b"HTTP/1.1 200")
        assert gateway.ask(get("/nowhere", close=True)).startswith(b"HTTP/1.1 404")
        gateway.signal(signal.SIGTERM)
        assert gateway.wait() == 0
    finally:
        gateway.process.kill()


def test_a_worker_whose_log_takes_nothing_works(server: Server, jobs: Jobs) -> None:
    work = naps(3, number=1)
    with running(server, log_to=FULL) as worker:
        job = jobs.submit(work, caller="me", estimate_ms=600.0).job
        assert ended(jobs, job.id).state == "successful"
        # A fault writes more lines than anything else.
        faulty = jobs.submit(naps(1, number=2, mischief="raise"), caller="me", estimate_ms=1.0).job
        assert ended(jobs, faulty.id).state == "failed"
        health = HealthCheck(WorkerSettings(redis_url=server.url)).check(5.0)
        assert set(health.values()) == {"well"}
        worker.send_signal(signal.SIGTERM)
        assert within(lambda: worker.poll() is not None)
    assert jobs.result(job.id) == expected(work)


def test_a_log_whose_old_one_has_no_room_begins_anew_all_the_same(tmp_path: Path) -> None:
    log = tmp_path / "part.log"
    part = Part("part", (sys.executable, "-c", "input()"), tmp_path, log, os.environ, ())
    try:
        os.truncate(log, LOG_BYTES)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
        try:
            part.rotate_log()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert log.stat().st_size == 0
    finally:
        part.end(5.0)
