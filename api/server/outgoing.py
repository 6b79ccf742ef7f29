"""Outgoing: an answer leaves as fast as its client takes it, and what is left waits without a thread.

The head goes out together with the first piece of the body. What the system does not take at once is kept and sent on
by the worker's loop; only where too much is kept already does a thread wait, and not for long.
"""

import socket
import time
from collections.abc import Callable
from select import POLLOUT, poll
from threading import Lock
from typing import Any

from gunicorn.http.wsgi import Response

MOST_OF_A_STREAM = 65_536
"""Unsent bytes beyond which whoever writes an open-ended answer waits for its client."""

WAIT_S = 10.0
"""Seconds that a thread waits for a client that does not read."""

PACE = 16_384
"""Bytes a second that a client has to take of what is kept for it."""


class NotRead(OSError):
    """The client does not read its answer."""


class Kept:
    """How many bytes the answers of one process may keep for clients that read slowly."""

    def __init__(self, most: int) -> None:
        self._left, self._lock = most, Lock()

    def take(self, size: int) -> bool:
        """Take room for so many bytes; say whether there was as much."""
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True

    def give(self, size: int) -> None:
        """Give room back."""
        with self._lock:
            self._left += size


class Outgoing:
    """What is sent to one client. One thread at a time uses it."""

    __slots__ = ("_kept", "_rest", "_room", "_socket")

    def __init__(self, line: socket.socket, kept: Kept) -> None:
        self._socket, self._kept = line, kept
        self._rest, self._room = bytearray(), 0

    @property
    def pending(self) -> int:
        """How many bytes the client has not taken yet."""
        return len(self._rest)

    def send(self, data: bytes, *, stream: bool = False) -> None:
        """Send bytes, now or by and by; raises `OSError` when the client is gone or does not read."""
        if not self._rest:
            sent = self._try(data)
            if sent == len(data):
                return
            data = data[sent:]
        self._rest += data
        more = len(self._rest) - self._room
        if more > 0 and self._kept.take(more):
            self._room += more
        most = min(self._room, MOST_OF_A_STREAM) if stream else self._room
        if len(self._rest) > most:
            self._wait_until_under(most)

    def go_on(self) -> bool:
        """Send what the client takes now; say whether that was all. Raises `OSError` when the client is gone."""
        while self._rest and (sent := self._try(self._rest)):
            del self._rest[:sent]
        if self._room > len(self._rest):
            self._kept.give(self._room - len(self._rest))
            self._room = len(self._rest)
        return not self._rest

    def drop(self) -> None:
        """Forget what was not sent."""
        self._rest.clear()
        self._kept.give(self._room)
        self._room = 0

    def _try(self, data: bytes | bytearray) -> int:
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0

    def _wait_until_under(self, most: int) -> None:
        deadline = time.monotonic() + WAIT_S
        ready = poll()
        ready.register(self._socket, POLLOUT)
        while len(self._rest) > most:
            left = deadline - time.monotonic()
            if left <= 0 or not ready.poll(left * 1000):
                raise NotRead(f"a client did not take {len(self._rest):,} bytes within {WAIT_S:.0f} s")
            self.go_on()


class Answer(Response):
    """An answer of a WSGI app, written through an `Outgoing`."""

    def __init__(self, req: Any, sock: socket.socket, cfg: Any, out: Outgoing, last: Callable[[], bool]) -> None:
        """`last` says, when the answer begins, whether it is the last on its connection."""
        super().__init__(req, sock, cfg)
        self._out, self._last, self._head = out, last, b""
        self.headers_sent = False

    def send_headers(self) -> None:
        if self.headers_sent:
            return
        if self._last():
            self.force_close()
        fields = "".join(f"{name}: {value}\r\n" for name, value in self.headers)
        self._head = ("".join(self.default_headers()) + fields + "\r\n").encode("latin-1")
        self.headers_sent = True

    def _emit_body(self, data: bytes) -> None:
        framed = b"%X\r\n%b\r\n" % (len(data), data) if self.chunked else data
        self._send(framed)

    def close(self) -> None:
        self.send_headers()
        self._send(b"0\r\n\r\n" if self.chunked else b"")

    def _send(self, data: bytes) -> None:
        whole = self._head + data
        self._head = b""
        if whole:
            self._out.send(whole, stream=self.response_length is None)
