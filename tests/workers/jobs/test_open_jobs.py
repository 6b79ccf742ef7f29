"""How many jobs of one caller may be open at a time, and that nobody else is held to it."""

import pytest
from msgspec.structs import replace

from infra.settings import WorkerSettings
from tests.workers.naps import naps
from tests.workers.service import Server
from workers.jobs.models import TooManyOpen
from workers.jobs.store import Jobs


@pytest.fixture
def strict(server: Server, only_naps: None) -> Jobs:
    return Jobs(replace(WorkerSettings(redis_url=server.url), most_open_jobs_of_caller=2))


def test_a_caller_has_so_many_open_jobs_and_no_more(strict: Jobs) -> None:
    first, second = (strict.submit(naps(count), caller="a", estimate_ms=1.0).job for count in (1, 2))
    with pytest.raises(TooManyOpen) as refused:
        strict.submit(naps(3), caller="a", estimate_ms=1.0)
    assert refused.value.most == 2
    assert {job.id for job in strict.listed("a", None, 9)[0]} == {first.id, second.id}, "nothing was written"
    assert strict.depths()["simulations"].open_jobs == 2
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
