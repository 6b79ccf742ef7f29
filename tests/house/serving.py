"""gunicorn, and nginx before it, as compose runs them; and a client that speaks HTTP byte by byte."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from cli.serve import ROOT, free_port
from tests.patience import PATIENCE_S, within

ECHO = "tests.house.echo_app:app"
BESIDE_GATEWAY = "tests.house.echo_app:beside_gateway()"

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin")
NO_NGINX = "nginx is not installed; where it is (apt-get install nginx-light), these tests run"


class Port:
    """A port of this machine where HTTP is spoken."""

    def __init__(self, port: int, log: Path) -> None:
        self.port, self.log = port, log

    def line(self, timeout: float = PATIENCE_S) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def ask(self, request: bytes) -> bytes:
        """Send these bytes, and give everything that comes back until the server closes."""
        with self.line() as line:
            line.sendall(request)
            return until_closed(line)

    def answers(self) -> bool:
        with suppress(OSError):
            return self.ask(get("/healthz", close=True)).startswith(b"HTTP/1.1 200")
        return False

    def said(self) -> str:
        return self.log.read_text()


class Server(Port):
    """A running gunicorn."""

    def __init__(self, app: str, log: Path, root: Path = ROOT, **environment: str) -> None:
        super().__init__(free_port(), log)
        settings = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gunicorn", "--config", str(ROOT / "deploy" / "gunicorn.conf.py"), app],
                cwd=root,
                env={**settings, "PYTHONPATH": str(root), **environment, "PORT": str(self.port)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def wait(self) -> int:
        return self.process.wait(PATIENCE_S)

    def signal(self, number: int) -> None:
        self.process.send_signal(number)


@contextmanager
def serving(log: Path, app: str = ECHO, root: Path = ROOT, **environment: str) -> Iterator[Server]:
    """Let a gunicorn run within the block; it has to end well."""
    server = Server(app, log, root, **environment)
    try:
        assert within(server.answers), server.said()
        yield server
        server.signal(signal.SIGTERM)
        assert server.wait() == 0
    finally:
        server.process.kill()
        server.process.wait()


@contextmanager
def nginx_before(server: Port, folder: Path, rate: int = 100_000) -> Iterator[Port]:
    """Let nginx run before a gunicorn within the block, with `deploy/nginx.conf` but for its two places and a rate."""
    assert NGINX is not None, NO_NGINX
    folder.mkdir()
    proxy, written = Port(free_port(), folder / "log"), (ROOT / "deploy" / "nginx.conf").read_text()
    for place, here in (
        ("\n        listen 8080;", f"\n        listen 127.0.0.1:{proxy.port};"),
        ("\n        server gateway:8000;", f"\n        server 127.0.0.1:{server.port};"),
        ("rate=100r/s;", f"rate={rate}r/s;"),
    ):
        assert written.count(place) == 1
        written = written.replace(place, here)
    (folder / "nginx.conf").write_text(written)
    command = [NGINX, "-e", "stderr", "-p", f"{folder}/", "-c", str(folder / "nginx.conf")]
    if os.geteuid() == 0:
        # In its container it has no rights to give up; here its workers would, and not reach this folder any more.
        command += ["-g", "user root;"]
    with proxy.log.open("ab") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    try:
        assert within(proxy.answers), proxy.said()
        yield proxy
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        finally:
            process.kill()
            process.wait()


def get(path: str, *, close: bool = False) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: test\r\n{'Connection: close' if close else 'X-Kept: yes'}\r\n\r\n".encode()


def post(path: str, body: bytes, *, close: bool = False) -> bytes:
    last = "Connection: close\r\n" if close else ""
    return f"POST {path} HTTP/1.1\r\nHost: test\r\n{last}Content-Length: {len(body)}\r\n\r\n".encode() + body


def echoed(method: str, path: str, body: bytes = b"") -> bytes:
    """What the echoing app answers to this."""
    return f"{method} {path} {len(body)} {sha256(body).hexdigest()}".encode()


def until_closed(line: socket.socket) -> bytes:
    pieces = []
    while piece := line.recv(1_048_576):
        pieces.append(piece)
    return b"".join(pieces)


def answer(line: socket.socket) -> tuple[int, bytes, bytes]:
    """Read one answer that has a length: its status, its head, and its body."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        piece = line.recv(1)
        if not piece:
            raise ConnectionError(f"closed after {head[:100]!r}")
        head += piece
    head, body = head.removesuffix(b"\r\n\r\n"), bytearray()
    fields = dict(each.lower().split(b": ", 1) for each in head.split(b"\r\n")[1:])
    length = int(fields[b"content-length"])
    while len(body) < length:
        piece = line.recv(min(length - len(body), 1_048_576))
        if not piece:
            raise ConnectionError(f"closed after {len(body)} bytes of {length}")
        body += piece
    return int(head[9:12]), head, bytes(body)


def children(process: int) -> set[int]:
    """Give the processes that a process has started and that are there still."""
    return {int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()}
