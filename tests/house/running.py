"""The whole service, and a light one of the same parts, as a person starts them; and the processes that come of it."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.request import urlopen

from redis import Redis

from cli.serve import ROOT, WORKERS
from tests.patience import within

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
"""Whether processes can be counted."""


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
    # A worker that gets the signal before it handles signals ends at once, and shows nothing of how it shuts down.
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
