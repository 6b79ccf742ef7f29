"""A small load on loopback: processes with kept-alive connections that post one body as fast as answers come."""

import multiprocessing
import socket
import time
from collections.abc import Mapping
from typing import NamedTuple


class Load(NamedTuple):
    """The result of a load: answers per second, and the 50th and 99th percentile of their latency in milliseconds."""

    rate: float
    p50_ms: float
    p99_ms: float


def post(port: int, path: str, body: bytes, *, connections: int = 8, seconds: float = 4.0) -> Load:
    """Post `body` over this many connections for some seconds. RuntimeError if an answer is not a 200."""
    said = {"Content-Type": "application/json", "Accept": "application/json"}
    return asked(port, "POST", path, body, said, connections=connections, seconds=seconds)


def get(port: int, path: str, *, connections: int = 8, seconds: float = 4.0) -> Load:
    """Get a page over this many connections for some seconds. RuntimeError if an answer is not a 200."""
    return asked(port, "GET", path, b"", {"Accept": "application/json"}, connections=connections, seconds=seconds)


def asked(
    port: int,
    method: str,
    path: str,
    body: bytes,
    headers: Mapping[str, str],
    status: int = 200,
    *,
    connections: int,
    seconds: float,
) -> Load:
    """Send the same request over this many connections. RuntimeError if an answer has another status."""
    said = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{said}{length}\r\n"
    end = time.monotonic() + seconds
    with multiprocessing.get_context("fork").Pool(connections) as pool:
        took = pool.starmap(_keep_asking, [(port, head.encode() + body, status, end)] * connections)
    latencies = sorted(latency for each in took for latency in each)
    return Load(
        len(latencies) / seconds, 1000 * latencies[len(latencies) // 2], 1000 * latencies[int(len(latencies) * 0.99)]
    )


def _keep_asking(port: int, request: bytes, status: int, end: float) -> list[float]:
    took = []
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while (start := time.monotonic()) < end:
            line.sendall(request)
            _whole_answer(line, status)
            took.append(time.monotonic() - start)
    return took


def _whole_answer(line: socket.socket, status: int) -> None:
    """Read one answer to its end."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += _more(line)
    head, body = answer.split(b"\r\n\r\n", 1)
    if not head.startswith(f"HTTP/1.1 {status}".encode()):
        raise RuntimeError(f"not a {status}: {head[:60]!r} {body[:300]!r}")
    rows = head.split(b"\r\n")
    # A 304 has no body, and may have no length.
    length = next((int(row.split(b":")[1]) for row in rows if row.lower().startswith(b"content-length:")), 0)
    length = 0 if status == 304 else length
    while len(body) < length:
        body += _more(line)


def _more(line: socket.socket) -> bytes:
    piece = line.recv(65536)
    if not piece:
        raise RuntimeError("the server closed the connection")
    return piece
