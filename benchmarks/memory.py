"""The growth of a gateway process: `python -m benchmarks.memory [REQUESTS]` asks mixed questions and measures it.

One process answers all of them. New questions first fill the bounded caches, and so do new boards, which one request in
`A_BOARD_IN` contains. The growth after that is printed in ten parts. Boards take and free megabytes, and the system
reclaims memory only at times: the result is the average size of the second half less that of the first. Exit code 1
above `MOST_GROWTH_MIB`.
"""

import json
import os
import socket
import sys
from collections.abc import Iterator
from functools import partial
from itertools import count, cycle, islice
from pathlib import Path
from statistics import mean

from benchmarks.http.gateway import ACROSS, QUESTION, body, served

WARM_UP = 22_000
"""New questions before the measurement: more than any cache of the process holds."""

WARM_UP_BOARDS = 400
"""New boards after those, among mixed requests: more than the process keeps, prepared or as posted."""

A_BOARD_IN = 20
"""One request in this many has a new board."""

_ALL_OVER = 1_000_003
"""A prime step between pairs of hexes, which spreads them all over the board."""

PARTS = 10
MOST_GROWTH_MIB = 8.0
CONNECTIONS = 16


def mixed(port: int) -> Iterator[bytes]:
    """Give endless requests: questions, two of which are new each time, an invalid one, and look-ups.

    Some of the questions are on new boards.
    """
    host = f"Host: 127.0.0.1:{port}\r\n".encode()
    asked = body()
    gets = ("/healthz", "/v1/games", "/v1/games/stargrave", "/v1/limits", "/problems", "/nothing", "/metrics")
    post = b"POST %b HTTP/1.1\r\n%bContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
    others = [
        post % (QUESTION.encode(), host, len(asked), asked),
        post % (QUESTION.encode(), host, len(asked) - 1, asked[:-1]),
        post % (b"/v1/games/stargrave/shoot", host, 2, b"{}"),
        *(b"GET %b HTTP/1.1\r\n%b\r\n" % (path.encode(), host) for path in gets),
        b"GET /healthz HTTP/1.1\r\n%btraceparent: 00-%b-%b-01\r\n\r\n" % (host, b"ab" * 16, b"cd" * 8),
    ]
    usual = (
        each for number in count(WARM_UP, 2) for each in (*map(partial(seeded, port), (number, number + 1)), *others)
    )
    for number in count():
        yield boarded(port, number)
        yield from islice(usual, A_BOARD_IN - 1)


def seeded(port: int, number: int) -> bytes:
    """Give a question that is new for each number, and along a new line until all lines are used."""
    whole, pairs = body(), ACROSS**4
    one, other = divmod(number * _ALL_OVER % pairs, ACROSS**2)
    looks = b'"observer": [%d, %d], "targets": [[%d, %d]]' % (*divmod(one, ACROSS), *divmod(other, ACROSS))
    said = whole[: whole.index(b'"observer"')] + looks + b'},"dice":{"seed":"%d"}}' % number
    return _post(port, said)


def _post(port: int, said: bytes) -> bytes:
    head = f"POST {QUESTION} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    return head.encode() + b"Content-Length: %d\r\n\r\n%b" % (len(said), said)


def boarded(port: int, number: int) -> bytes:
    """Give a question on a board that differs for each number by its cover."""
    asked = json.loads(body())
    across, down = number % (ACROSS - 1), number // (ACROSS - 1)
    more = [[[column, row], [column + 1, row]] for column, row in ((across, down % ACROSS), (down // ACROSS, 0))]
    asked["case"]["scene"]["board"]["cover"] += more
    return _post(port, json.dumps(asked).encode())


def ask(port: int, requests: Iterator[bytes], number: int) -> None:
    """Send this many requests, one after the other, on a few connections in turn."""
    lines = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
    try:
        for line, request in islice(zip(cycle(lines), requests, strict=False), number):
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
    """Ask, measure, and print; give the exit code."""
    with served("api:create_app()", workers=1) as port:
        asked = mixed(port)
        ask(port, (seeded(port, number) for number in range(WARM_UP)), WARM_UP)
        ask(port, asked, WARM_UP_BOARDS * A_BOARD_IN)
        (process, before), *_ = resident().items()
        print(f"{before:.1f} MiB after warming up", flush=True)
        sizes = []
        for part in range(1, PARTS + 1):
            ask(port, asked, requests // PARTS)
            now = resident()
            if process not in now:
                print("the process was replaced meanwhile")
                return 1
            sizes.append(now[process])
            print(f"{now[process] - before:+.1f} MiB after {requests // PARTS * part:,} requests more", flush=True)
    growth = mean(sizes[PARTS // 2 :]) - mean(sizes[: PARTS // 2])
    print(f"{growth:+.1f} MiB from the first half to the second, on average")
    return int(growth > MOST_GROWTH_MIB)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
