"""One question and its answer over a connection of a `requests` session: HTTP/1.1 as services of ours speak it.

The session's pool connects, proves who the other is, and keeps connections. What is sent and read on them is written
out here, because the general way takes longer over an answer's head than our services take over the question. An answer
whose length is not said in advance is left to the standard library.
"""

import io
import re
import socket
import ssl
import struct
import time
import weakref
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from typing import Any, NamedTuple

from urllib3 import HTTPConnectionPool
from urllib3.connection import HTTPConnection
from urllib3.util.connection import is_connection_dropped

from arbiter.value import Value

READ_BYTES = 262_144
"""Bytes that are read at once."""

MOST_HEAD_BYTES = 65_536

TRUSTED_S = 1.0
"""Seconds for which a connection is taken to be there still."""

_TOO_LATE = (TimeoutError, BlockingIOError)
_TIME = struct.Struct("@ll")
_END = b"\r\n\r\n"
_STATUS = re.compile(r"HTTP/1\.([01]) ([1-5][0-9]{2})(?: .*)?")


class Unheard(Exception):
    """The connection ended before anything of an answer came; it does no harm to ask again."""


class Garbled(Exception):
    """What came is no whole answer in time; the message says what it was."""


class Passed(Value, frozen=True):
    """An answer: its status, its fields by their names in small letters, and its content."""

    status: int
    fields: dict[str, str]
    content: bytes


class Exchange:
    """Asks the services behind one pool of connections, from any number of threads."""

    def __init__(self, pool: HTTPConnectionPool, host: str, most_bytes: int) -> None:
        """`host` is said in every question; an answer has at most `most_bytes`."""
        self._pool, self._host, self._most_bytes = pool, host, most_bytes
        self._idle: list[_Idle] = []
        weakref.finalize(self, _close, self._idle)

    def post(
        self, path: str, body: bytes, headers: Mapping[str, str], *, connect_s: float, read_s: float, deadline: float
    ) -> Passed:
        """Post a body and give the answer.

        Raises `Unheard`, `Garbled`, and what `urllib3` raises for a connection that cannot be made. `deadline` is for
        the whole of it, by the monotonic clock, and may be passed by one wait.
        """
        head = f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\nContent-Length: {len(body)}\r\n"
        head += "".join([f"{name}: {_sane(value)}\r\n" for name, value in headers.items()]) + "\r\n"
        said = head.encode("latin-1") + body
        connection, waits_s = self._taken()
        kept = False
        try:
            if connection.is_closed:
                connection.timeout = connect_s
                try:
                    connection.connect()
                except OSError as unsafe:
                    raise Garbled(f"nobody who could be believed: {unsafe}") from unsafe
            if waits_s != read_s:
                _let_wait(connection.sock, read_s)
            line = _Line(connection.sock, deadline, self._most_bytes)
            line.say(said)
            passed, kept = line.heard()
        finally:
            if kept:
                self._idle.append(_Idle(connection, time.monotonic(), read_s))
            else:
                connection.close()
        return passed

    def _taken(self) -> tuple[HTTPConnection, float | None]:
        """Take the connection that was used last, with how long it waits, or make one that is yet to be told."""
        try:
            connection, since, waits_s = self._idle.pop()
        except IndexError:
            fresh = self._pool._new_conn()
            assert isinstance(fresh, HTTPConnection)
            return fresh, None
        # A service that has ended since then has closed it; one that ends just now is found out when it is asked.
        if time.monotonic() - since > TRUSTED_S and is_connection_dropped(connection):
            connection.close()
            return connection, None
        return connection, waits_s


class _Idle(NamedTuple):
    """A connection that nobody uses: since when, and for how many seconds it waits for what is sent or read."""

    connection: HTTPConnection
    since: float
    waits_s: float


def _close(idle: list[_Idle]) -> None:
    for each in idle:
        each.connection.close()


def _let_wait(sock: socket.socket, seconds: float) -> None:
    """Have a connection wait for so long, but no longer, for what is sent or read."""
    if isinstance(sock, ssl.SSLSocket):
        sock.settimeout(seconds)
        return
    # The system itself sees to the time: Python would ask it before each piece whether there is one.
    sock.settimeout(None)
    for way in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        sock.setsockopt(socket.SOL_SOCKET, way, _TIME.pack(*divmod(round(seconds * 1_000_000), 1_000_000)))


def _sane(value: str) -> str:
    if not value.isprintable():
        raise ValueError(f"{value!r} cannot stand in a header")
    return value


class _Line:
    """A connection while one question is asked on it."""

    def __init__(self, sock: socket.socket, deadline: float, most_bytes: int) -> None:
        self._sock, self._deadline, self._most = sock, deadline, most_bytes
        self._got = bytearray()

    def say(self, said: bytes) -> None:
        try:
            self._sock.sendall(said)
        except _TOO_LATE:
            raise Garbled("the question was not taken in time") from None
        except OSError:
            # Whoever closes the connection early may have said why.
            return

    def heard(self) -> tuple[Passed, bool]:
        """Give the answer, and whether the connection can be used again."""
        while (end := self._got.find(_END)) < 0:
            if len(self._got) > MOST_HEAD_BYTES:
                raise Garbled("a head without end")
            if not self._more():
                raise Garbled("an answer that broke off") if self._got else Unheard
        status, fields = self._head(end)
        length = fields.get("content-length", "")
        measured = length.isascii() and length.isdecimal() and "transfer-encoding" not in fields
        if not measured or status < 200 or status == 204:
            return self._unmeasured(), False
        begin, size = end + len(_END), int(length)
        if size > self._most:
            raise Garbled(f"an answer of more than {self._most:,} bytes")
        while (left := begin + size - len(self._got)) > 0:
            if not self._more():
                raise Garbled(f"an answer that broke off {left:,} bytes before its end")
        kept = left == 0 and fields.get("connection", "").lower() != "close" and self._got.startswith(b"HTTP/1.1")
        return Passed(status, fields, bytes(memoryview(self._got)[begin : begin + size])), kept

    def _head(self, end: int) -> tuple[int, dict[str, str]]:
        first, *lines = self._got[:end].decode("latin-1").split("\r\n")
        told = _STATUS.fullmatch(first)
        if told is None:
            raise Garbled(f"what begins with {first[:100]!r}")
        fields: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip(" \t")
        return int(told[2]), fields

    def _more(self) -> bool:
        """Read what there is; say whether there was anything. The end of a connection is none."""
        if time.monotonic() > self._deadline:
            raise Garbled("no whole answer in time")
        try:
            piece = self._sock.recv(READ_BYTES)
        except _TOO_LATE:
            raise Garbled("no whole answer in time") from None
        except OSError:
            return False
        self._got += piece
        return bool(piece)

    def _unmeasured(self) -> Passed:
        """Read an answer that is cut into chunks, or ends with its connection, or comes after another."""
        answer = HTTPResponse(_Replayed(self), method="POST")  # type: ignore[arg-type]  # all it does is `makefile`
        try:
            answer.begin()
            content = answer.read(self._most + 1)
        except (HTTPException, ValueError) as broken:
            raise Garbled(f"an answer that broke off: {broken!r}") from broken
        if len(content) > self._most:
            raise Garbled(f"an answer of more than {self._most:,} bytes")
        return Passed(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)

    def taken(self, size: int) -> bytes:
        """Give what was read already, then what comes, at most so many bytes; nothing at the end."""
        if not self._got and not self._more():
            return b""
        piece = bytes(self._got[:size])
        del self._got[:size]
        return piece


class _Replayed(io.RawIOBase):
    """A connection to be read from the beginning of its answer once more, in the form the standard library takes."""

    def __init__(self, line: _Line) -> None:
        self._line = line

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._line.taken(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)
