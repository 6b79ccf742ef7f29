"""Jobs of twenty clients while workers, their processes and the server are killed at random: each is done, and once.

`TEST_KILLS_S=600 pytest tests/workers/test_random_kills.py` kills for ten minutes, with a thousand jobs.
"""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from random import Random

import pytest

from infra.errors import StoreUnavailable
from tests.patience import PATIENCE_S, within
from tests.workers.naps import naps
from tests.workers.service import Server, child, counted, expected, job_of, kill, running
from workers.jobs.store import Jobs

pytestmark = pytest.mark.long

KILLS_S = float(os.environ.get("TEST_KILLS_S") or (250.0 if os.environ.get("TEST_NIGHTLY") else 8.0))
JOBS = 60 if KILLS_S < 60.0 else 1_000
# So many naps of each job that work is there as long as somebody kills; about half of the time goes into restarts.
CLIENTS, NAP_S, NAPS_EACH = 20, 0.05, max(3, round(KILLS_S * 2 / 0.05 / JOBS / 2))


def test_every_job_is_done_once_whatever_is_killed(server: Server, jobs: Jobs) -> None:
    works, random, killed = [naps(NAPS_EACH, NAP_S, number=number) for number in range(JOBS)], Random(22), 0

    def submit(number: int) -> str:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return jobs.submit(
                    works[number], caller=f"client {number % CLIENTS}", estimate_ms=NAPS_EACH * 50.0
                ).job.id
            except StoreUnavailable:
                # As a client does that was refused: the same again.
                assert time.monotonic() < deadline
                time.sleep(0.2)

    with ExitStack() as stack, ThreadPoolExecutor(CLIENTS) as clients:
        workers = [stack.enter_context(running(server)) for _ in range(2)]
        ids = clients.map(submit, range(JOBS))
        until = time.monotonic() + KILLS_S
        while time.monotonic() < until:
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

        def successful() -> int:
            return counted(jobs, "job").get("successful", 0)

        # However busy the machine is, each moment of patience brings some chunk.
        chunks, accepted = -1, list(ids)
        while successful() < JOBS and chunks != (chunks := jobs.counters().get("chunks", 0)):
            within(lambda: successful() == JOBS)
        for job_id, work in zip(accepted, works, strict=True):
            assert job_of(jobs, job_id).state == "successful"
            assert jobs.result(job_id) == expected(work)
    print(f"{killed} kills, {JOBS} jobs of {NAPS_EACH} naps")
    assert counted(jobs, "job") == {"accepted": JOBS, "successful": JOBS}
