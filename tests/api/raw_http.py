"""The gateway under the real server, and a client that sends it bytes as they are, HTTP or not."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from cli.serve import GATEWAY, ROOT, free_port

PATIENCE_S = 60.0

QUIET_S = 0.3
"""Seconds without a byte after which a line that is still open is taken for one that waits for more."""

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
CLOSE = b"Connection: close\r\n"
LAST = HEALTH + CLOSE + b"\r\n"
"""A whole request after which the server closes the line."""

_STATUS = re.compile(rb"HTTP/1\.[0-9] ([0-9]{3}) ")


@dataclass
class Said:
    """What came back on a line: everything, the statuses of the answers in it, and whether the line was closed."""

    raw: bytes
    closed: bool

    @property
    def statuses(self) -> list[int]:
        return [int(status) for status in _STATUS.findall(self.raw)]

    @property
    def heads(self) -> bytes:
        return self.raw.split(b"\r\n\r\n", 1)[0]


class Line:
    """The port of a running gateway."""

    def __init__(self, port: int) -> None:
        self.port = port

    def send(self, raw: bytes, *, half: bool = False) -> Said:
        """Send bytes and give what comes back; `half` says that no more will come."""
        got, closed = b"", False
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE_S) as line:
            try:
                line.sendall(raw)
                if half:
                    line.shutdown(socket.SHUT_WR)
                # The first byte may take a while on a busy machine.
                while piece := line.recv(65_536):
                    got += piece
                    line.settimeout(QUIET_S)
                closed = True
            except TimeoutError:
                pass
            except (ConnectionResetError, BrokenPipeError):
                closed = True
        return Said(got, closed)

    def healthy(self) -> bool:
        """Say whether an honest request is answered."""
        said = self.send(LAST)
        return said.statuses == [200] and b'"alive"' in said.raw


@contextmanager
def gateway() -> Iterator[Line]:
    """Start the gateway as the service does, with one process."""
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    environment |= {"PORT": str(port), "ARBITER_GATEWAY_WORKERS": "1", "ARBITER_LOG_LEVEL": "error"}
    process = subprocess.Popen(
        [sys.executable, "-m", *GATEWAY],
        cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        line, deadline = Line(port), time.monotonic() + PATIENCE_S
        while not _answers(line):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield line
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _answers(line: Line) -> bool:
    try:
        return line.healthy()
    except OSError:
        return False
