"""A service that does on each connection what a script says, over real sockets, and keeps what it was asked."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread

from api.arbiters.identity import Identity

DROP = b""
"""Take the request and close the connection without a byte."""

HANG = b"hang"
"""Take the request and say nothing until the test is over."""


def answer(
    status: int, body: bytes = b"{}", identity: Identity | None = None, form: str = "application/json", **headers: str
) -> bytes:
    """Give the bytes of an answer."""
    said = dict(identity.headers()) if identity else {}
    said |= {"Content-Type": form, "Content-Length": str(len(body)), "Connection": "close", **headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in said.items())
    return f"HTTP/1.1 {status} Told\r\n{lines}\r\n".encode() + body


class Script:
    """A listening socket; each connection takes the next step of the script, the last one again and again."""

    def __init__(self, steps: Sequence[bytes]) -> None:
        self.steps, self.heads, self.bodies = list(steps), [], []
        self.heads: list[bytes]
        self.bodies: list[bytes]
        self._end = Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._threads = [Thread(target=self._serve)]
        self._threads[0].start()

    @property
    def asked(self) -> int:
        """How often it was asked."""
        return len(self.heads)

    def _serve(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            if self._end.is_set():
                connection.close()
                return
            step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
            self._threads.append(Thread(target=self._play, args=(connection, step)))
            self._threads[-1].start()

    def _play(self, connection: socket.socket, step: bytes) -> None:
        with connection, suppress(OSError):
            head, body = _request(connection)
            self.heads.append(head)
            self.bodies.append(body)
            if step == HANG:
                self._end.wait(10)
            else:
                connection.sendall(step)

    def close(self) -> None:
        self._end.set()
        with socket.create_connection(self._socket.getsockname()):
            self._threads[0].join()
        self._socket.close()
        for thread in self._threads:
            thread.join()


def _request(connection: socket.socket) -> tuple[bytes, bytes]:
    read = b""
    while b"\r\n\r\n" not in read:
        read += connection.recv(65_536)
    head, _, body = read.partition(b"\r\n\r\n")
    length = next(
        (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")), 0
    )
    while len(body) < length:
        body += connection.recv(65_536)
    return head, body


@contextmanager
def scripted(*steps: bytes) -> Iterator[Script]:
    """Let a service play a script within the block."""
    script = Script(steps)
    try:
        yield script
    finally:
        script.close()
