"""How the gateway starts, is replaced and ends: with every fault named, and without a request that gets no answer."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from api.settings import Settings
from cli.serve import GATEWAY, ROOT, end_within_s, free_port
from tests.house.serving import (
    NGINX,
    NO_NGINX,
    Port,
    Server,
    answer,
    children,
    echoed,
    get,
    nginx_before,
    post,
    serving,
    until_closed,
)
from tests.patience import PATIENCE_S, within

SETTINGS = {"ARBITER_GATEWAY_WORKERS": "2", "ARBITER_GATEWAY_THREADS": "3", "ARBITER_DRAIN_S": "8"}


class Client(threading.Thread):
    """Asks one question after the other, on connections that it keeps while the server does."""

    def __init__(self, server: Port, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.server, self.stop = server, stop
        self.answered, self.lost, self.opened = 0, list[str](), 0

    def run(self) -> None:
        while not self.stop.is_set():
            self.opened += 1
            with self.server.line() as line:
                self._ask_until_closed(line)

    def _ask_until_closed(self, line: socket.socket) -> None:
        while not self.stop.is_set():
            body = str(self.answered).encode()
            try:
                line.sendall(post("/echo", body))
                status, head, said = answer(line)
            except OSError as error:
                self.lost.append(repr(error))
                return
            if (status, said) != (200, echoed("POST", "/echo", body)):
                self.lost.append(f"{status} {said!r}")
                return
            self.answered += 1
            if b"\r\nConnection: close" in head:
                return


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("ends") / "log", **SETTINGS) as server:
        yield server


@pytest.mark.parametrize("through", ["gunicorn", "nginx"])
def test_no_request_is_lost_while_the_workers_are_replaced(server: Server, tmp_path: Path, through: str) -> None:
    if through == "nginx" and NGINX is None:
        pytest.skip(NO_NGINX)
    with ExitStack() as stack:
        asked = server if through == "gunicorn" else stack.enter_context(nginx_before(server, tmp_path / "nginx"))
        stop = threading.Event()
        clients = [Client(asked, stop) for _ in range(4)]
        before = children(server.process.pid)
        for client in clients:
            client.start()
        time.sleep(0.2)
        server.signal(signal.SIGHUP)
        assert within(lambda: bool(now := children(server.process.pid)) and not now & before), server.said()
        answered = sum(client.answered for client in clients)
        time.sleep(0.2)
        stop.set()
        for client in clients:
            client.join(PATIENCE_S)
        assert [client.lost for client in clients] == [[]] * len(clients)
        # Before or during it, and after.
        assert 50 < answered < sum(client.answered for client in clients)


def test_what_was_begun_is_answered_before_the_end_and_streams_end(tmp_path: Path) -> None:
    one = {**SETTINGS, "ARBITER_GATEWAY_WORKERS": "1"}
    with serving(tmp_path / "log", **one) as server, ExitStack() as stack:
        deciding, idle, stream = (stack.enter_context(server.line()) for _ in range(3))
        idle.sendall(get("/"))
        assert answer(idle)[0] == 200
        stream.sendall(get("/events"))
        assert stream.recv(15) == b"HTTP/1.1 200 OK"
        proxy = None if NGINX is None else stack.enter_context(nginx_before(server, tmp_path / "nginx"))
        deciding.sendall(get("/nap"))
        time.sleep(0.1)
        server.signal(signal.SIGTERM)
        # Its last chunk, and not merely an end: who follows it knows that nothing is missing.
        told = b""
        while not told.endswith(b"\r\n0\r\n\r\n"):
            told += stream.recv(1_000)
        stream.close()
        # One that comes on a connection that was idle, and one that is decided.
        idle.sendall(get("/late"))
        status, head, body = answer(idle)
        assert (status, body) == (200, echoed("GET", "/late"))
        assert b"\r\nConnection: close" in head
        assert until_closed(idle) == b""
        idle.close()
        assert answer(deciding)[::2] == (200, echoed("GET", "/nap"))
        assert server.wait() == 0
        assert refused(server.port)
        if proxy is not None:
            head, _, body = proxy.ask(get("/", close=True)).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 503 ")
            assert json.loads(body)["type"] == "/problems/busy"


def refused(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except ConnectionRefusedError:
        return True
    return False


def test_a_stream_that_does_not_end_holds_the_end_up_for_no_longer_than_the_drain(tmp_path: Path) -> None:
    with serving(tmp_path / "log", **{**SETTINGS, "ARBITER_DRAIN_S": "3"}) as server, server.line() as line:
        line.sendall(get("/stream"))
        line.recv(1_000)
        server.signal(signal.SIGTERM)
        assert server.wait() == 0


PROBE = """
from api.settings import MIB


def app(environ, start):
    start("200 OK", [("Content-Length", "7")])
    return [b"%d" % MIB]
"""


def test_a_reload_brings_the_code_that_is_there_now(tmp_path: Path) -> None:
    """A module that the configuration needs is the one that gunicorn's own process knows already."""
    for package in ("api", "arbiter", "infra", "workers"):
        for module in (ROOT / package).rglob("*.py"):
            copied = tmp_path / module.relative_to(ROOT)
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(module.read_bytes())
    (tmp_path / "probe.py").write_text(PROBE)
    changed = tmp_path / "api" / "settings.py"
    with serving(tmp_path / "log", "probe:app", tmp_path, **SETTINGS) as server:
        assert server.ask(get("/", close=True)).endswith(b"1048576")
        # Of another length, for compiled modules are told from their sources by length and second alone.
        changed.write_text(changed.read_text().replace("\nMIB = 1_048_576\n", "\nMIB = 1048577\n"))
        server.signal(signal.SIGHUP)
        assert within(lambda: server.ask(get("/", close=True)).endswith(b"1048577")), server.said()


def test_a_gateway_with_wrong_settings_names_all_of_them_and_ends() -> None:
    wrong = {
        "ARBITER_DRAIN_S": "0",
        "ARBITER_GATEWAY_THREADS": "many",
        "ARBITER_LOG_LEVL": "info",
        "REDIS_URL": "http://:hush@there",
        "ARBITER_HARD_TIME_LIMIT_S": "9000",
    }
    ended = subprocess.run(
        [sys.executable, "-m", *GATEWAY],
        cwd=ROOT,
        env={**os.environ, "PORT": str(free_port()), **wrong},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert ended.returncode != 0
    for named in (
        "ARBITER_DRAIN_S: '0'",
        "ARBITER_GATEWAY_THREADS: 'many'",
        "Did you mean ARBITER_LOG_LEVEL?",
        "REDIS_URL: its",
        "ARBITER_HARD_TIME_LIMIT_S is 9000",
    ):
        assert named in ended.stderr
    assert "hush" not in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_house_gives_the_gateway_more_time_than_its_drain() -> None:
    settings = Settings(drain_s=45)
    assert end_within_s(settings) > settings.drain_s
