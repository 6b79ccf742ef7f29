"""Jobs of twenty clients while workers, their processes and the server are killed at random: each is done, and once."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from random import Random

import pytest

from infra.errors import StoreUnavailable
from tests.patience import PATIENCE_S
from tests.workers.naps import naps
from tests.workers.service import Server, child, ended, expected, kill, running
from workers.jobs.store import Jobs

pytestmark = pytest.mark.long

NIGHTLY = bool(os.environ.get("TEST_NIGHTLY"))
JOBS, KILLS = (1_000, 200) if NIGHTLY else (60, 6)
CLIENTS, NAP_S = 20, 0.05


def test_every_job_is_done_once_whatever_is_killed(server: Server, jobs: Jobs) -> None:
    works, random, killed = [naps(3, NAP_S, number=number) for number in range(JOBS)], Random(22), 0

    def submit(number: int) -> str:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return jobs.submit(works[number], caller=f"client {number % CLIENTS}", estimate_ms=150.0).job.id
            except StoreUnavailable:
                # As a client does that was refused: the same again.
                assert time.monotonic() < deadline
                time.sleep(0.2)

    with ExitStack() as stack, ThreadPoolExecutor(CLIENTS) as clients:
        workers = [stack.enter_context(running(server)) for _ in range(2)]
        ids = clients.map(submit, range(JOBS))
        while killed < KILLS:
            time.sleep(random.uniform(0.5, 2.0))
            which, victim = random.randrange(2), random.choice(("worker", "process", "process", "server"))
            if victim == "worker":
                kill(workers[which])
                workers[which] = stack.enter_context(running(server))
            elif victim == "server":
                server.kill()
                server.start()
            else:
                # It may be on its way: the last one was killed a moment ago.
                with suppress(IndexError, FileNotFoundError, ProcessLookupError):
                    os.kill(child(workers[which]), signal.SIGKILL)
            killed += 1
        for job_id, work in zip(ids, works, strict=True):
            assert ended(jobs, job_id, 4 * PATIENCE_S).state == "successful"
            assert jobs.result(job_id) == expected(work)
    assert jobs.counters().jobs == {"accepted": JOBS, "successful": JOBS}
