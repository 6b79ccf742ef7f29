"""A line: one connection of a client, and how one request that has arrived on it is read and answered."""

import socket
import time
from collections.abc import Callable, Iterable
from enum import Enum, auto
from io import BytesIO
from typing import Any

from gunicorn.http import wsgi
from gunicorn.http.errors import InvalidHeader
from gunicorn.http.message import Request

from api.server.arrival import Arrival, Bounds
from api.server.outgoing import Answer, Kept, Outgoing

FIRST_BYTE_S = 10.0
"""Seconds for which a new connection may say nothing."""

Watch = tuple[int, Callable[["Line"], None]]


class Phase(Enum):
    """What a connection is at."""

    IDLE = auto()
    ARRIVING = auto()
    DECIDED = auto()
    SENDING = auto()
    CLOSING = auto()


class Line:
    """One connection."""

    __slots__ = (
        "arrival", "began", "client", "deadline", "deciding", "held", "keep", "number", "out", "phase", "server",
        "sock", "spoke", "told", "watch",
    )  # fmt: skip

    def __init__(self, sock: socket.socket, client: Any, server: Any, bounds: Bounds, kept: Kept) -> None:
        self.sock, self.client, self.server = sock, client, server
        self.arrival, self.out = Arrival(bounds), Outgoing(sock, kept)
        self.phase, self.number = Phase.IDLE, 1
        self.held = self.deciding = 0
        """Bytes that are counted for it, and how many of them are the request that is being decided."""
        self.began = time.monotonic()
        self.deadline = self.began + FIRST_BYTE_S
        self.watch: Watch | None = None
        self.keep = self.told = self.spoke = False
        """Whether it may be used again; whether its client was told to go on; whether an answer has begun."""

    def idle(self, seconds: float) -> None:
        """Let it wait for its next request, at most so long."""
        self.number += 1
        self.told = False
        self.began = time.monotonic()
        self.deadline, self.phase = self.began + seconds, Phase.IDLE


class _Heard(Request):
    """A request whose body has arrived."""

    _expected_100_continue: bool

    def told_to_go_on(self) -> None:
        """Note that the client need not be told that it may send the body: the loop has done so."""
        self._expected_100_continue = False


def read(line: Line, cfg: Any) -> tuple[Any, bytes]:
    """Give the request that has arrived and its body, and keep what came after it. Raises what the parser does."""
    source = line.arrival.source()
    line.spoke = False
    request = _Heard(cfg, source, line.client, line.number)
    assert request.body is not None, "gunicorn's parser gives every request a body, empty or not"
    assert request.version is not None, "and refuses one without a version"
    body: bytes = request.body.read()
    if request.version >= (1, 1) and all(name != "HOST" for name, _ in request.headers):
        raise InvalidHeader("HOST", req=request)
    line.arrival = Arrival(line.arrival.bounds, source.left())
    request.told_to_go_on()
    return request, body


def answered(
    app: Callable[..., Iterable[bytes]], line: Line, request: Any, body: bytes, cfg: Any, last: Callable[[], bool]
) -> bool:
    """Have an app answer a request; say whether the connection may be used again.

    `last` is asked when the answer begins, since much may have happened while it was thought about.
    """
    answer, environ = wsgi.create(
        request, line.sock, line.client, line.server, cfg, response_class=Answer, response_args=(line.out, last)
    )
    environ["wsgi.input"] = BytesIO(body)
    environ["wsgi.multithread"] = True
    pieces = app(environ, answer.start_response)
    line.spoke = True
    try:
        for piece in pieces:
            answer.write(piece)
        answer.close()
    finally:
        close = getattr(pieces, "close", None)
        if close is not None:
            close()
    return not answer.should_close()
