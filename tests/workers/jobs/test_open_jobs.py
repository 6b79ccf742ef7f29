"""How many jobs of one caller may be open, and how much work: nobody else is held to it."""

import pytest
from msgspec.structs import replace

from infra.settings import WorkerSettings
from tests.workers.naps import naps
from tests.workers.service import Server
from workers.jobs.models import QueueFull, ShareFull, TooManyOpen
from workers.jobs.store import Jobs


@pytest.fixture
def strict(server: Server, only_naps: None) -> Jobs:
    return Jobs(replace(WorkerSettings(redis_url=server.url), most_open_jobs_of_caller=2))


def test_a_caller_has_so_many_open_jobs_and_no_more(strict: Jobs) -> None:
    first, second = (strict.submit(naps(count), caller="a", estimate_ms=1.0).job for count in (1, 2))
    with pytest.raises(TooManyOpen) as refused:
        strict.submit(naps(3), caller="a", estimate_ms=1.0)
    assert refused.value.most == 2
    assert {job.id for job in strict.list_jobs("a", None, 9)[0]} == {first.id, second.id}, "nothing was written"
    assert strict.depths()["short"].open_jobs == 2
    assert strict.submit(naps(3), caller="b", estimate_ms=1.0).fresh


def test_a_job_that_is_there_already_is_given_to_whoever_has_too_many(strict: Jobs) -> None:
    jobs = [strict.submit(naps(count), caller="a", estimate_ms=1.0).job for count in (1, 2)]
    assert strict.submit(naps(1), caller="a", estimate_ms=1.0).job.id == jobs[0].id
    # That of somebody else is another job.
    strict.submit(naps(3), caller="b", estimate_ms=1.0)
    with pytest.raises(TooManyOpen):
        strict.submit(naps(3), caller="a", estimate_ms=1.0)


def test_a_job_that_has_ended_makes_room(strict: Jobs) -> None:
    jobs = [strict.submit(naps(count), caller="a", estimate_ms=1.0).job for count in (1, 2)]
    strict.dismiss(jobs[0].id)
    assert strict.submit(naps(3), caller="a", estimate_ms=1.0).fresh
    with pytest.raises(TooManyOpen):
        strict.submit(naps(1), caller="a", estimate_ms=1.0)


def test_a_job_that_is_forgotten_makes_room(strict: Jobs, server: Server) -> None:
    jobs = [strict.submit(naps(count), caller="a", estimate_ms=1.0).job for count in (1, 2)]
    server.client.delete(f"arbiter:job:{jobs[0].id}")
    assert strict.submit(naps(3), caller="a", estimate_ms=1.0).fresh


def test_the_same_job_again_and_again_is_one(strict: Jobs) -> None:
    for _ in range(5):
        job = strict.submit(naps(1), caller="a", estimate_ms=1.0).job
        strict.dismiss(job.id)
    assert strict.submit(naps(1), caller="a", estimate_ms=1.0).fresh
    assert strict.submit(naps(2), caller="a", estimate_ms=1.0).fresh


def test_what_is_remembered_of_a_caller_expires(strict: Jobs, server: Server) -> None:
    strict.submit(naps(1), caller="a", estimate_ms=1.0)
    (name,) = server.client.keys("arbiter:mine:*")
    assert server.client.pttl(name) > 0


@pytest.fixture
def shares(server: Server, only_naps: None) -> Jobs:
    """Jobs of ten seconds at most, of which one caller may have a minute of the four minutes that may wait."""
    limits = {"job_cost_s": 10, "most_waiting_s": 240, "most_waiting_s_of_caller": 60}
    return Jobs(replace(WorkerSettings(redis_url=server.url), **limits))


def test_one_caller_takes_a_share_of_what_may_wait_and_no_more(shares: Jobs) -> None:
    for number in range(6):
        shares.submit(naps(1, number=number), caller="a", estimate_ms=10_000.0)
    with pytest.raises(ShareFull) as refused:
        shares.submit(naps(1, number=7), caller="a", estimate_ms=4_000.0)
    # There is room for four seconds when four of the sixty are done.
    assert (refused.value.waiting_s, refused.value.most_s, refused.value.wait_s) == (60.0, 60, 4.0)
    assert len(shares.list_jobs("a", None, 99)[0]) == 6, "nothing was written"
    for other in ("b", "c", "d"):
        for number in range(6):
            assert shares.submit(naps(1, number=number), caller=other, estimate_ms=10_000.0).fresh
    with pytest.raises(QueueFull) as full:
        shares.submit(naps(1), caller="e", estimate_ms=1.0)
    assert full.value.waiting_s == 240.0


def test_what_is_done_or_dismissed_is_no_part_of_the_share(shares: Jobs) -> None:
    jobs = [shares.submit(naps(1, number=number), caller="a", estimate_ms=10_000.0).job for number in range(6)]
    shares.dismiss(jobs[0].id)
    with pytest.raises(ShareFull):
        shares.submit(naps(1, number=7), caller="a", estimate_ms=10_001.0)
    assert shares.submit(naps(1, number=7), caller="a", estimate_ms=10_000.0).fresh
    # Work that is a job already adds nothing.
    assert not shares.submit(naps(1, number=7), caller="a", estimate_ms=10_000.0).fresh
