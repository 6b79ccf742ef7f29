"""Lines of the log on their way out: at once, or a few times in a second and many together.

Each call of the system lets other threads in, and to wait for the next turn takes longer than most requests: so a
process that serves gathers the lines of requests, and its loop writes them. Several processes write to one pipe, which
keeps what is written at once together only up to a bound.
"""

import atexit
import os
import time
from collections.abc import Callable
from contextlib import suppress
from io import UnsupportedOperation
from threading import Lock
from typing import TextIO

TOGETHER_BYTES = 4_096
"""What a pipe takes in one piece, whoever else writes to it (POSIX says 512 at least, Linux 4,096)."""

EVERY_S = 0.05
"""Seconds for which a line may wait."""

MOST_WAITING = 1_000
"""Lines that wait; whoever writes more of them writes all."""


class Lines:
    """What writes whole lines to a file descriptor. Any number of threads may use it."""

    def __init__(self, put: Callable[[bytes], object]) -> None:
        """`put` writes what it is given in one piece."""
        self._put, self._waiting = put, list[bytes]()
        self._gathers, self._written = False, 0.0
        self._lock = Lock()

    def gather(self) -> None:
        """Let lines wait from now on until they are written by `flush`, which somebody calls again and again."""
        self._gathers = True
        atexit.register(self.flush)  # for a process that ends in another way than it should

    def write(self, line: bytes) -> None:
        """Write a line, which ends with a line break, now or soon."""
        if not self._gathers:
            self._out(line)
            return
        self._waiting.append(line)
        if len(self._waiting) > MOST_WAITING:
            self.flush()

    def flush_in_time(self) -> None:
        """Write what has waited for long enough."""
        if self._waiting and time.monotonic() >= self._written + EVERY_S:
            self.flush()

    def flush(self) -> None:
        """Write whatever waits."""
        with self._lock:
            self._written = time.monotonic()
            count = len(self._waiting)
            lines = self._waiting[:count]
            del self._waiting[:count]
            piece: list[bytes] = []
            size = 0
            for line in lines:
                if piece and size + len(line) > TOGETHER_BYTES:
                    self._out(b"".join(piece))
                    piece, size = [], 0
                piece.append(line)
                size += len(line)
            if piece:
                self._out(b"".join(piece))

    def _out(self, text: bytes) -> None:
        # Where nobody reads the log any more, or a disk is full, the service answers on: there is nobody to tell.
        with suppress(OSError):
            self._put(text)


def lines_to(file: TextIO) -> Lines:
    """Give what writes lines to a file, past its buffer where the system has it."""
    try:
        number = file.fileno()
    except UnsupportedOperation:  # a file in memory
        return Lines(lambda text: file.write(text.decode()))
    return Lines(lambda text: os.write(number, text))
