"""The clock of Redis jumps by an hour while a job runs and its worker is killed: the job is done all the same.

libfaketime, from Debian's package faketime, gives Valkey a clock of its own.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import within
from tests.workers.naps import naps
from tests.workers.service import Server, begun, counted, ended, expected, kill, running
from workers.jobs.store import Jobs

LIBRARY = next(iter(Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), None)
NO_LIBRARY = "libfaketime is not installed; where it is (apt-get install faketime), these tests run"

pytestmark = [pytest.mark.long, pytest.mark.skipif(LIBRARY is None, reason=NO_LIBRARY)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Give a server whose clock is set by a file."""
    (tmp_path / "clock").write_text("+0")
    server = Server(
        tmp_path,
        LD_PRELOAD=str(LIBRARY),
        FAKETIME_TIMESTAMP_FILE=str(tmp_path / "clock"),
        FAKETIME_NO_CACHE="1",
        FAKETIME_DONT_FAKE_MONOTONIC="1",
    )
    server.start()
    yield server
    server.kill()


@pytest.mark.parametrize("jump", [-3_600, 3_600])
def test_a_job_survives_a_clock_that_jumps_and_the_worker_that_is_killed_then(
    server: Server, jobs: Jobs, jump: int
) -> None:
    work, waiting = naps(12, 0.2, number=1), naps(3, number=2)
    with running(server) as worker:
        job = jobs.submit(work, caller="me", estimate_ms=12_000.0).job
        assert begun(server, jobs, job.id, 2)
        (server.folder / "clock").write_text(f"{jump:+d}")
        assert within(lambda: abs(server.client.time()[0] - time.time() - jump) < 5)
        kill(worker)
    # What is posted when nobody works is accepted as ever.
    other = jobs.submit(waiting, caller="me", estimate_ms=3_000.0).job
    with running(server):
        for done, whole in ((job, work), (other, waiting)):
            found = ended(jobs, done.id)
            assert (found.state, found.done) == ("successful", whole.total)
            assert jobs.result(done.id) == expected(whole)
            assert [event.job.state for event in jobs.events(done.id, None)][-1] == "successful"
    assert counted(jobs, "job") == {"accepted": 2, "successful": 2}
