"""The worker's program and its queues: what it can be asked, how it is told from a dead one, and how it ends."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from celery import Celery
from kombu.exceptions import EncodeError

from infra.settings import WorkerSettings
from tests.patience import PATIENCE_S, within
from tests.workers.naps import ruling
from tests.workers.service import Server, begun, ready, running
from workers.celery_config import QUEUES, make_celery
from workers.health import Health, HealthCheck
from workers.jobs.models import Queue
from workers.jobs.store import Jobs
from workers.tasks import add_tasks

pytestmark = pytest.mark.long

WELL = dict.fromkeys(QUEUES, "well")
SILENT = dict.fromkeys(QUEUES, "silent")


@pytest.fixture
def app(server: Server) -> Iterator[Celery]:
    app = make_celery(WorkerSettings(redis_url=server.url))
    yield app
    app.close()


def check(server: Server, timeout_s: float, queues: Sequence[Queue] = QUEUES) -> dict[Queue, Health]:
    return HealthCheck(WorkerSettings(redis_url=server.url)).check(timeout_s, queues)


def test_a_worker_has_our_tasks_and_no_others() -> None:
    app = make_celery(WorkerSettings())
    add_tasks(app, WorkerSettings())
    assert {name for name in app.tasks if not name.startswith("celery.")} == {"echo", "run_chunk", "call_back"}


def test_health_is_told_from_end_to_end_and_over_a_restart_of_the_server(server: Server, app: Celery) -> None:
    assert check(server, 0.1) == SILENT
    with running(server):
        assert within(lambda: ready(server) == 1)
        assert within(lambda: check(server, 1.0) == WELL)
        with ThreadPoolExecutor(8) as threads:
            assert all(found == WELL for found in threads.map(lambda _: check(server, 5.0), range(50)))
        # Of a hundred echoes nothing is kept; the few of the start that came too late expire.
        echoes = list(server.client.scan_iter("arbiter:echo:*"))
        assert len(echoes) < 20
        assert all(server.client.pttl(echo) > 0 for echo in echoes)
        server.kill()
        before = time.monotonic()
        assert check(server, 1.0) == SILENT
        assert time.monotonic() - before < PATIENCE_S
        server.start()
        assert within(lambda: check(server, 1.0) == WELL)


def test_each_queue_has_its_own_health(server: Server, app: Celery) -> None:
    one = {**SILENT, "simulations": "well"}
    with running(server, "simulations"):
        # Who asks too early waits for the answer of a worker that is not there.
        assert within(lambda: ready(server) == 1)
        assert within(lambda: check(server, 0.5) == one)
        with running(server, "short,long,callbacks") as other:
            assert within(lambda: ready(server) == 2)
            assert within(lambda: check(server, 0.5) == WELL)
            # Stuck, and not dead: its connections are open, and it takes nothing.
            os.killpg(other.pid, signal.SIGSTOP)
            assert check(server, 0.5) == one
            # Who asks for one alone is told of that one, and waits for no other.
            assert check(server, 60.0, ("simulations",)) == {"simulations": "well"}
            os.killpg(other.pid, signal.SIGCONT)
            assert within(lambda: check(server, 0.5) == WELL)


def test_a_worker_at_a_long_chunk_is_busy_and_not_silent(server: Server, app: Celery, jobs: Jobs) -> None:
    with running(server):
        job = jobs.submit(ruling(50, seconds=60.0), caller="me", estimate_ms=60_000.0).job
        assert begun(server, jobs, job.id, 0)
        assert check(server, 0.5) == dict.fromkeys(QUEUES, "busy")


def test_an_idle_worker_ends_when_it_is_told_to(server: Server, app: Celery) -> None:
    with running(server) as worker:
        assert within(lambda: ready(server) == 1)
        assert within(lambda: check(server, 1.0) == WELL)
        # Celery waits half a minute for a task that ends in the moment of the signal; the echoes have to be over.
        assert within(lambda: not server.client.exists("unacked"))
        worker.terminate()
        assert worker.wait(PATIENCE_S) == 0


@pytest.mark.parametrize("queue", QUEUES)
def test_nothing_but_json_is_sent(server: Server, app: Celery, queue: str) -> None:
    with pytest.raises(EncodeError):
        app.send_task("echo", ({1j},), queue=queue)
    app.send_task("echo", ("la",), queue=queue)
    (message,) = server.client.lrange(queue, 0, -1)
    assert b'"content-type": "application/json"' in message


def test_nothing_but_json_is_taken(server: Server, app: Celery) -> None:
    """A pickled message would run code in the worker; it is thrown away and the worker goes on."""
    with running(server):
        assert within(lambda: ready(server) == 1)
        assert within(lambda: check(server, 1.0) == WELL)
        app.send_task("echo", ("la",), queue="long", serializer="pickle")
        assert within(lambda: server.client.llen("long") == 0)
        assert check(server, 5.0) == WELL


def test_the_limits_are_in_the_order_that_does_nothing_twice() -> None:
    conf = make_celery(WorkerSettings()).conf
    assert conf.task_soft_time_limit < conf.task_time_limit < conf.broker_transport_options["visibility_timeout"]
    assert conf.task_acks_late
    assert conf.task_reject_on_worker_lost
    assert conf.worker_prefetch_multiplier == 1
