"""Whose a job is, in the store: owners share no job, and what is theirs is written into its record."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.settings import WorkerSettings
from tests.workers.naps import naps, ruling
from tests.workers.service import Server, expected, job_of
from workers.celery_config import make_celery
from workers.jobs.chunk_store import ChunkStore
from workers.jobs.store import Jobs
from workers.jobs.work import identify
from workers.runner import WorkerContext, run_chunk
from workers.webhooks.callback import Callback

ACME, UMBRA = "a" * 32, "b" * 32


@pytest.fixture
def server(one_server: Server) -> Server:
    one_server.client.flushall()
    return one_server


def test_the_same_work_of_two_callers_is_two_jobs(jobs: Jobs) -> None:
    first = jobs.submit(naps(5), caller=ACME, keyed=True, estimate_ms=1.0)
    second = jobs.submit(naps(5), caller=UMBRA, keyed=True, estimate_ms=1.0)
    third = jobs.submit(naps(5), caller="an address", estimate_ms=1.0)
    assert all(each.fresh for each in (first, second, third))
    assert len({each.job.id for each in (first, second, third)}) == 3
    assert [jobs.list_jobs(caller, None, 9)[0] for caller in (ACME, UMBRA, "an address")] == [
        (first.job,),
        (second.job,),
        (third.job,),
    ]


def test_a_job_says_whose_it_is_wherever_it_is_given(jobs: Jobs) -> None:
    given_ = jobs.submit(naps(5), caller=ACME, keyed=True, estimate_ms=1.0).job
    again = jobs.submit(naps(5), caller=ACME, keyed=True, estimate_ms=1.0)
    assert not again.fresh
    seen = [given_, again.job, job_of(jobs, given_.id), jobs.list_jobs(ACME, None, 9)[0][0]]
    seen += [event.job for event in jobs.events(given_.id, None)]
    dismissed = jobs.dismiss(given_.id)
    assert dismissed is not None
    assert {job.owner for job in (*seen, dismissed)} == {ACME}


def test_a_job_without_a_key_has_no_owner(jobs: Jobs) -> None:
    job = jobs.submit(ruling(1), caller="an address", estimate_ms=1.0).job
    assert job.owner == job_of(jobs, job.id).owner == ""


def test_a_job_that_begins_anew_has_the_owner_it_had(jobs: Jobs) -> None:
    job = jobs.submit(naps(5), caller=ACME, keyed=True, estimate_ms=1.0).job
    jobs.dismiss(job.id)
    again = jobs.submit(naps(5), caller=ACME, keyed=True, estimate_ms=1.0)
    assert again.fresh
    assert (again.job.id, again.job.owner) == (job.id, ACME)


def test_records_from_before_there_were_owners_are_read(server: Server, jobs: Jobs) -> None:
    job = jobs.submit(naps(5), caller="an address", estimate_ms=1.0).job
    assert server.client.hdel(f"arbiter:job:{job.id}", "owner") == 1
    assert job_of(jobs, job.id) == job


def test_callbacks_of_one_owner_are_not_called_for_the_job_of_another(server: Server, jobs: Jobs) -> None:
    mine = jobs.submit(ruling(2), caller=ACME, keyed=True, estimate_ms=1.0).job
    callback = Callback("https://example.org/theirs")
    theirs = jobs.submit(ruling(2), caller=UMBRA, keyed=True, estimate_ms=1.0, callback=callback).job
    assert not server.client.exists(f"arbiter:job:{mine.id}:callbacks")
    jobs.dismiss(mine.id)
    assert not server.client.exists("arbiter:due")
    jobs.dismiss(theirs.id)
    assert server.client.zcard("arbiter:due") == 1


def test_an_idempotency_key_is_its_owners_alone(jobs: Jobs) -> None:
    assert jobs.submit(naps(1), caller=ACME, keyed=True, estimate_ms=1.0, key="k").fresh
    assert jobs.submit(naps(2), caller=UMBRA, keyed=True, estimate_ms=1.0, key="k").fresh


def test_owners_have_results_of_their_own_and_they_are_equal(server: Server, jobs: Jobs) -> None:
    settings = WorkerSettings(redis_url=server.url)
    ids = [jobs.submit(ruling(3), caller=each, keyed=True, estimate_ms=1.0).job.id for each in (ACME, UMBRA)]
    context = WorkerContext(settings, make_celery(settings))
    for id_ in ids:
        run_chunk(context, id_, "0")
        assert job_of(jobs, id_).owner in {ACME, UMBRA}
    assert [jobs.result(id_) for id_ in ids] == [expected(ruling(3))] * 2


@given(st.text(max_size=40), st.text(max_size=40))
def test_ids_are_equal_only_for_equal_callers(one: str, other: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        from tests.workers import naps as module

        patched.setattr("arbiter.registry.games", lambda home="services": {"naps": module.NAPS})
        assert (identify(naps(1), one) == identify(naps(1), other)) is (one == other)


def test_a_worker_is_not_told_whose_work_it_does(server: Server, jobs: Jobs) -> None:
    """What comes by the broker, and the work itself, hold no name of a caller; only the record does."""
    id_ = jobs.submit(ruling(4), caller=ACME, keyed=True, estimate_ms=1.0).job.id
    begun = ChunkStore(WorkerSettings(redis_url=server.url)).begin(id_, "0")
    assert begun is not None
    assert ACME not in repr(begun)
    assert all(ACME.encode() not in message for message in server.client.lrange("short", 0, -1))
