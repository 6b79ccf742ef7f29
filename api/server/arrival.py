"""Arrival: the bytes of a connection are kept until a whole request is among them.

Nothing here decides what a request means: that is the parser's, which afterwards reads the very same bytes and no
others. What is found here is only when it may begin, so that no thread waits for a client that sends slowly. Where the
framing is not understood, the bytes are given to the parser as they are, which refuses them.
"""

import re

from gunicorn.http.unreader import Unreader

from arbiter.value import Value


class Bounds(Value, frozen=True):
    """The most bytes of one request: of its first line, of its head, and of its body."""

    body: int
    head: int = 16_384
    line: int = 4_096


class Unbearable(Exception):
    """The request is beyond a bound, or framed wrongly; `slug` is the kind of problem."""

    def __init__(self, slug: str, detail: str) -> None:
        self.slug, self.detail = slug, detail
        super().__init__(detail)


MOST_CHUNK_LINE = 256
"""Bytes of the line before a chunk; nobody has use for what may stand there beside the size."""

SPARE_FRAMING = 65_536
"""Bytes that the framing of a chunked body may take, beside a quarter of what it frames: a body cut into single bytes
costs far more to put together than to send."""

_END = b"\r\n\r\n"
_FRAMING = re.compile(rb"\r\n(content-length|transfer-encoding|expect)[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE)
_BARE_LF = re.compile(rb"(?<!\r)\n")
_HEX = re.compile(rb"[0-9A-Fa-f]{1,16}")
_ORIGIN = re.compile(rb"\r\norigin:[ \t]*([\x21-\x7e]{1,300})[ \t]*\r\n", re.IGNORECASE)


class Arrival:
    """What has come of one request so far."""

    __slots__ = ("_at", "_chunked", "_framed", "_head", "_lasts", "bounds", "continues", "data")

    def __init__(self, bounds: Bounds, data: bytes = b"") -> None:
        self.bounds, self.data = bounds, bytearray(data)
        self.continues = False
        """Whether the client waits to be told that it may send the body."""
        self._head = self._at = self._framed = 0
        self._chunked = self._lasts = False

    def whole(self) -> bool:
        """Say whether a whole request is there, or enough of it to be refused; raises `Unbearable`."""
        if not self._head and not self._head_ended():
            return False
        if self._chunked:
            return self._chunks_ended()
        return len(self.data) >= self._at

    def source(self) -> "Source":
        """Give what the parser reads the request from."""
        return Source(self.data, self._head)

    @property
    def origin(self) -> str:
        """Give the origin that the head names, for a refusal that a page has to be able to read."""
        found = _ORIGIN.search(self.data[: self.bounds.head])
        return found[1].decode("ascii") if found else ""

    def _head_ended(self) -> bool:
        """Look for the end of the head; where it is found, say by its fields how the body is framed."""
        data, bounds = self.data, self.bounds
        start = 2 if data.startswith(b"\r\n") else 0
        end = data.find(_END, max(start - 2, self._at - 3, 0))
        if end < 0 or end + len(_END) > bounds.head:
            if data.find(b"\r\n", start, start + bounds.line) < 0 and len(data) >= start + bounds.line:
                raise Unbearable("line-too-long", f"The first line of a request has at most {bounds.line:,} bytes.")
            if len(data) >= bounds.head:
                raise Unbearable("head-too-large", f"The head of a request has at most {bounds.head:,} bytes.")
            malformed = _BARE_LF.search(data, max(self._at - 1, 0)) is not None
            self._at = len(data)
            return malformed
        self._head = self._at = end + len(_END)
        self._frame(bytes(data[: end + 2]))
        return True

    def _frame(self, head: bytes) -> None:
        said: dict[bytes, bytes] = {}
        for name, value in _FRAMING.findall(head):
            name = name.lower()
            if name in said and name != b"expect":
                return  # twice the same: the parser refuses it
            said[name] = value.rstrip(b" \t")
        coding, length = said.get(b"transfer-encoding"), said.get(b"content-length")
        if coding is not None:
            # Beside a length, or with another coding at the end, the parser refuses it without a look at the body.
            self._chunked = length is None and coding.rpartition(b",")[2].strip(b" \t").lower() == b"chunked"
        elif length is not None and length.isdigit():
            size = int(length) if len(length) <= 18 else self.bounds.body + 1
            self._bear(size)
            self._at += size
        self.continues = said.get(b"expect", b"").lower() == b"100-continue"

    def _chunks_ended(self) -> bool:
        """Go on through the chunks that are there; say whether the last has come, and what follows it."""
        data = self.data
        while not self._lasts:
            end = data.find(b"\r\n", self._at, self._at + MOST_CHUNK_LINE)
            if end < 0:
                if len(data) - self._at >= MOST_CHUNK_LINE:
                    raise Unbearable("bad-request", "The line before a chunk of the body is too long.")
                return False
            told = bytes(data[self._at : end]).partition(b";")[0].rstrip(b" \t")
            if not _HEX.fullmatch(told):
                raise Unbearable("bad-request", "A chunk of the body does not begin with its size.")
            size = int(told, 16)
            self._bear(self._framed + size)
            if size == 0:
                self._at, self._lasts = end + 2, True
                break
            after = end + 2 + size
            if len(data) < after + 2:
                return False
            if data[after : after + 2] != b"\r\n":
                raise Unbearable("bad-request", "A chunk of the body is not as long as its size says.")
            self._at, self._framed = after + 2, self._framed + size
            if self._at - self._head - self._framed > SPARE_FRAMING + self._framed // 4:
                raise Unbearable("bad-request", "The body is cut into too many small chunks.")
        if data.startswith(b"\r\n", self._at):
            return True
        ended = data.find(_END, self._at) >= 0
        if not ended and len(data) - self._at > self.bounds.head:
            raise Unbearable("head-too-large", f"What follows the body has at most {self.bounds.head:,} bytes.")
        return ended or _BARE_LF.search(data, self._at) is not None

    def _bear(self, size: int) -> None:
        if size > self.bounds.body:
            raise Unbearable("too-large", f"No body may have more than {self.bounds.body:,} bytes.")


class Source(Unreader):
    """What the parser reads from: the bytes that have arrived, the head first, and then their end.

    The parser would copy all that it is given at once, again and again, so that the head comes alone and the rest in
    pieces of the size it asks for.
    """

    PIECE = 8_192

    def __init__(self, data: bytearray, head: int) -> None:
        super().__init__()
        self._data, self._at, self._head = data, 0, head or len(data)

    def chunk(self, size_hint: int | None = None) -> bytes:
        begin = self._at
        self._at = self._head if begin < self._head else min(len(self._data), begin + max(size_hint or 0, self.PIECE))
        return bytes(memoryview(self._data)[begin : self._at])

    def left(self) -> bytes:
        """Give what follows the request that was read."""
        held: bytes = self.take_buffered()
        return held + bytes(memoryview(self._data)[self._at :])
