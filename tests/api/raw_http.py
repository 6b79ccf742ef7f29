"""A client that sends bytes as they are, HTTP or not."""

import re
import socket
from dataclasses import dataclass

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
