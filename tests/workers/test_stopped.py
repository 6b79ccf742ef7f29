"""Stopped and not dead: a disk without room, a worker and a server that stand still, records that expire too early."""

import json
import logging
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask.testing import FlaskClient

from api import create_app
from api.settings import Settings
from infra.errors import StoreUnavailable
from infra.settings import WorkerSettings
from tests.api.posting import ask, problem
from tests.patience import within
from tests.workers.naps import NAPS, naps
from tests.workers.service import Server, begun, counted, ended, expected, running
from workers.celery_config import make_celery
from workers.jobs.store import Jobs

pytestmark = pytest.mark.long

MANY, NAP_S = 12, 0.2
SIMULATIONS = "/v1/games/naps/nap/simulations"


def submitted(jobs: Jobs, number: int) -> tuple[str, bytes]:
    """Submit naps of which each is a chunk; give the id and the result as it has to be."""
    work = naps(MANY, NAP_S, number=number)
    return jobs.submit(work, caller="me", estimate_ms=1_000.0 * MANY).job.id, expected(work)


@contextmanager
def full_disk(server: Server) -> Iterator[None]:
    """Let every write of the server to its file fail, as where the disk is full; later there is room again."""
    before = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        yield
    finally:
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, before)


def is_away(jobs: Jobs, number: int) -> bool:
    try:
        jobs.submit(naps(1, number=number), caller="me", estimate_ms=1.0)
    except StoreUnavailable:
        return True
    return False


@pytest.fixture
def client(server: Server, only_naps: None) -> FlaskClient:
    settings = Settings(log_level="critical", rate_limits=False)
    return create_app(settings, {"naps": NAPS}, Jobs(WorkerSettings(redis_url=server.url))).test_client()


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux sets limits of other processes")
def test_a_full_disk_refuses_work_and_loses_none(server: Server, jobs: Jobs, client: FlaskClient) -> None:
    job_id, result = submitted(jobs, 1)
    with running(server) as worker:
        assert begun(server, jobs, job_id, 2)
        with full_disk(server):
            # The first writes that fail are those of the worker.
            assert within(lambda: server.client.info("persistence")["aof_last_write_status"] == "err")
            refused = ask(client, SIMULATIONS, {"case": {"seconds": 0}, "count": 1, "seed": 1})
            assert problem(refused, 503, "store-away")
            assert refused.headers["Retry-After"]
            assert is_away(jobs, 2)
            # What is there can be read, and the worker waits with what it has done.
            assert client.get(f"/v1/jobs/{job_id}").status_code == 200
            assert worker.poll() is None
        assert ended(jobs, job_id).state == "successful"
        assert within(lambda: not is_away(jobs, 2))
    assert jobs.result(job_id) == result


@pytest.mark.parametrize("settle", ["ack_log_error", "reject_log_error"])
def test_who_cannot_acknowledge_a_message_takes_the_next_one_all_the_same(server: Server, settle: str) -> None:
    app = make_celery(WorkerSettings(redis_url=server.url))
    taken: list[Any] = []
    with app.connection_for_read() as connection, connection.channel() as channel:
        for number in range(2):
            app.send_task("echo", (str(number),), queue="short", connection=connection)
        consumer = app.amqp.TaskConsumer(channel, queues=[app.amqp.queues["short"]])
        consumer.qos(prefetch_count=1)
        consumer.on_message = taken.append
        with consumer:
            connection.drain_events(timeout=5)
            # The server takes no more writes, for the moment in which the message should be settled.
            server.client.config_set("min-replicas-to-write", 1)
            getattr(taken[0], settle)(logging.getLogger("kombu"), connection.connection_errors)
            server.client.config_set("min-replicas-to-write", 0)
            assert not taken[0].acknowledged
            connection.drain_events(timeout=5)
    assert [json.loads(message.body)[0] for message in taken] == [["0"], ["1"]]


def test_what_a_stopped_worker_has_begun_is_done_by_another(server: Server, jobs: Jobs) -> None:
    job_id, result = submitted(jobs, 3)
    with running(server) as stopped, running(server):
        assert begun(server, jobs, job_id, 2)
        os.killpg(stopped.pid, signal.SIGSTOP)
        assert ended(jobs, job_id).state == "successful"
        assert jobs.result(job_id) == result
        # It goes on as if nothing had been, and what it brings late counts no second time.
        os.killpg(stopped.pid, signal.SIGCONT)
        again, other = submitted(jobs, 4)
        assert ended(jobs, again).state == "successful"
        assert jobs.result(again) == other
        assert stopped.poll() is None
    assert jobs.counters().get("chunks", 0) == 2 * MANY


def test_a_stopped_server_is_away_after_five_seconds_and_then_goes_on(server: Server, jobs: Jobs) -> None:
    job_id, result = submitted(jobs, 5)
    with running(server) as worker:
        assert begun(server, jobs, job_id, 2)
        os.kill(server.pid, signal.SIGSTOP)
        try:
            assert is_away(jobs, 6)
            assert worker.poll() is None
        finally:
            os.kill(server.pid, signal.SIGCONT)
        assert ended(jobs, job_id).state == "successful"
        assert jobs.result(job_id) == result
        # Refused or not, the same work is one job.
        jobs.submit(naps(1, number=6), caller="me", estimate_ms=1.0)
        assert within(lambda: counted(jobs, "job") == {"accepted": 2, "successful": 2})


def test_a_job_whose_records_expire_while_it_runs_is_gone_and_harms_no_other(
    server: Server, jobs: Jobs, client: FlaskClient
) -> None:
    job_id, _ = submitted(jobs, 7)
    with running(server) as worker:
        assert begun(server, jobs, job_id, 2)
        stream = iter(client.get(f"/v1/jobs/{job_id}/events", buffered=False).response)
        assert any("event: state" in str(piece) for piece in stream)
        for name in server.client.scan_iter(f"arbiter:job:{job_id}*"):
            server.client.pexpire(name, 1)
        # The stream ends by itself, without an end of the job.
        assert not any("successful" in str(piece) for piece in stream)
        problem(client.get(f"/v1/jobs/{job_id}"), 404, "not-found")
        other, result = submitted(jobs, 8)
        assert ended(jobs, other).state == "successful"
        assert jobs.result(other) == result
        assert worker.poll() is None
    # What is posted again begins anew.
    assert jobs.submit(naps(MANY, NAP_S, number=7), caller="me", estimate_ms=1_000.0 * MANY).fresh
