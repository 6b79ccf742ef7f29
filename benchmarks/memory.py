"""Whether the processes of a gateway grow: `python -m benchmarks.memory [REQUESTS]` asks mixed questions and looks.

The first requests fill caches, whose size is bounded; what is told is the growth after them. Exit code 1 beyond
`MOST_GROWTH_MIB` in any process.
"""

import os
import socket
import sys
from itertools import cycle, islice
from pathlib import Path

from benchmarks.gateway import QUESTION, body, served

WARM_UP = 0.1
"""The part of the requests that come before it is measured; `LEAST` in any case."""

LEAST = 2_000

MOST_GROWTH_MIB = 8.0
CONNECTIONS = 16


def mixed(port: int) -> list[bytes]:
    """Give the requests: a question, what is wrong with one, look-ups, what is not there, and what is no request."""
    host = f"Host: 127.0.0.1:{port}\r\n".encode()
    asked = body()
    gets = ("/healthz", "/v1/games", "/v1/games/stargrave", "/v1/limits", "/problems", "/nothing", "/metrics")
    post = b"POST %b HTTP/1.1\r\n%bContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
    return [
        *(post % (QUESTION.encode(), host, len(asked), asked) for _ in range(3)),
        post % (QUESTION.encode(), host, len(asked) - 1, asked[:-1]),
        post % (b"/v1/games/stargrave/shoot", host, 2, b"{}"),
        *(b"GET %b HTTP/1.1\r\n%b\r\n" % (path.encode(), host) for path in gets),
        b"GET /healthz HTTP/1.1\r\n%btraceparent: 00-%b-%b-01\r\n\r\n" % (host, b"ab" * 16, b"cd" * 8),
    ]


def ask(port: int, requests: int) -> None:
    """Ask so many, one after the other, on a few connections in turn."""
    lines = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
    try:
        for line, request in islice(zip(cycle(lines), cycle(mixed(port)), strict=False), requests):
            line.sendall(request)
            _answer(line)
    finally:
        for line in lines:
            line.close()


def _answer(line: socket.socket) -> None:
    got = b""
    while b"\r\n\r\n" not in got:
        got += _more(line)
    head, _, rest = got.partition(b"\r\n\r\n")
    length = next(int(row[15:]) for row in head.split(b"\r\n") if row.lower().startswith(b"content-length:"))
    left = length - len(rest)
    while left > 0:
        left -= len(_more(line))


def _more(line: socket.socket) -> bytes:
    piece = line.recv(65_536)
    if not piece:
        raise RuntimeError("the server closed the connection")
    return piece


def resident() -> dict[int, float]:
    """Give the resident MiB of every worker process below this one."""
    sizes = {}
    for master in _children(os.getpid()):
        for worker in _children(master):
            pages = int(Path(f"/proc/{worker}/statm").read_text().split()[1])
            sizes[worker] = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return sizes


def _children(process: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def main(requests: int) -> int:
    """Ask, look, and tell; give the exit code."""
    with served("api:create_app()") as port:
        ask(port, max(LEAST, round(requests * WARM_UP)))
        before = resident()
        ask(port, requests)
        after = resident()
    if before.keys() != after.keys():
        print("a process was replaced meanwhile")
        return 1
    worst = 0.0
    for process, size in before.items():
        growth = after[process] - size
        worst = max(worst, growth)
        print(f"process {process}: {size:.1f} MiB after warming up, {growth:+.1f} MiB after {requests:,} requests more")
    return int(worst > MOST_GROWTH_MIB)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
