"""Slow, broken and rude clients at a real server: none of them keeps the others waiting."""

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from api.settings import Settings
from tests.house.echo_app import BIG
from tests.house.serving import Server, answer, echoed, get, post, serving, until_closed
from tests.patience import within

needs_proc = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="connections are counted through /proc")
CLOSE = b"Connection: close\r\n"
ARRIVE_S = 1.5


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One process with two threads, so that two clients would be enough to stop it."""
    settings = {
        "ARBITER_GATEWAY_WORKERS": "1", "ARBITER_GATEWAY_THREADS": "2", "ARBITER_ARRIVAL_S": str(ARRIVE_S),
        "ARBITER_MOST_CONNECTIONS": "200", "ARBITER_LOG_LEVEL": "debug",
    }  # fmt: skip
    with serving(tmp_path_factory.mktemp("operation") / "gateway.log", **settings) as server:
        yield server


def problem(answered: bytes) -> tuple[int, str]:
    """Read the whole answer as a problem: status and kind."""
    head, _, body = answered.partition(b"\r\n\r\n")
    said = json.loads(body)
    assert b"\r\nContent-Type: application/problem+json" in head
    assert b"\r\nConnection: close" in head
    assert int(head[9:12]) == said["status"]
    return said["status"], said["type"].rpartition("/")[2]


def test_half_sent_requests_stop_nobody(server: Server) -> None:
    body = b"y" * 5_000
    with ExitStack() as stack:
        half = [stack.enter_context(server.line()) for _ in range(40)]
        for number, line in enumerate(half):
            # Half of them stop in the head, the others in the body.
            line.sendall(post("/echo", body)[: 30 if number % 2 else 2_000])
        assert server.ask(get("/", close=True)).endswith(echoed("GET", "/"))
        # And they are answered themselves, once the rest has come.
        for number, line in enumerate(half):
            line.sendall(post("/echo", body)[30 if number % 2 else 2_000 :])
        for line in half:
            assert answer(line)[2] == echoed("POST", "/echo", body)


def test_who_sends_byte_by_byte_is_answered_when_all_is_there(server: Server) -> None:
    request = post("/echo", b"abc")
    with server.line() as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(request)):
            line.sendall(request[at : at + 1])
            time.sleep(0.001)
        assert answer(line)[2] == echoed("POST", "/echo", b"abc")


def test_who_never_ends_is_told_so_and_let_go(server: Server) -> None:
    with server.line() as line:
        line.sendall(post("/echo", b"abc")[:-1])
        assert problem(until_closed(line)) == (408, "too-slow")


def test_readers_that_do_not_read_stop_nobody(server: Server) -> None:
    with ExitStack() as stack:
        lines = [stack.enter_context(server.line()) for _ in range(2)]
        for line in lines:
            line.sendall(get("/big"))
        time.sleep(0.2)
        assert server.ask(get("/", close=True)).endswith(echoed("GET", "/"))
        # Once they read, all of it is there, and the connection is as good as before.
        for line in lines:
            assert answer(line)[2] == b"x" * BIG
            line.sendall(get("/after"))
            assert answer(line)[2] == echoed("GET", "/after")


def test_a_stream_that_nobody_reads_holds_no_more_than_its_thread(server: Server) -> None:
    with server.line() as line:
        line.sendall(get("/stream"))
        assert b"\r\nTransfer-Encoding: chunked\r\n" in line.recv(65_536)
        time.sleep(0.1)
        assert server.ask(get("/", close=True)).endswith(echoed("GET", "/"))
    # It ends as soon as the client is gone: both threads are free for what takes a moment.
    with server.line() as one, server.line() as other:
        began = time.monotonic()
        for line in (one, other):
            line.sendall(get("/nap"))
        assert [answer(line)[0] for line in (one, other)] == [200, 200]
        assert time.monotonic() - began < 10


def test_pipelined_requests_are_answered_in_order(server: Server) -> None:
    bodies = [bytes([65 + number]) * number * 700 for number in range(6)]
    with server.line() as line:
        line.sendall(b"".join(post(f"/{len(body)}", body) for body in bodies) + get("/last")[:10])
        for body in bodies:
            assert answer(line)[2] == echoed("POST", f"/{len(body)}", body)
        line.sendall(get("/last")[10:])
        assert answer(line)[2] == echoed("GET", "/last")


def test_a_connection_is_kept_as_the_client_asks(server: Server) -> None:
    with server.line() as line:
        for _ in range(5):
            line.sendall(get("/"))
            assert b"\r\nConnection: keep-alive" in answer(line)[1]
        line.sendall(get("/", close=True))
        assert b"\r\nConnection: close" in answer(line)[1]
        assert until_closed(line) == b""
    # HTTP/1.0 knows no kept connections unless it asks for them.
    assert server.ask(b"GET / HTTP/1.0\r\n\r\n").endswith(echoed("GET", "/"))


@pytest.mark.parametrize(
    "chunks",
    [
        b"5\r\nhello\r\n0\r\n\r\n",
        b"1\r\nh\r\n4\r\nello\r\n0\r\n\r\n",
        b"0005;name=value\r\nhello\r\n000\r\n\r\n",
        b"5\r\nhello\r\n0\r\nTrailing: field\r\n\r\n",
    ],
)
def test_chunked_bodies(server: Server, chunks: bytes) -> None:
    request = b"POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
    with server.line() as line:
        line.sendall(request[:-4])
        time.sleep(0.02)
        line.sendall(request[-4:] + get("/next"))
        assert answer(line)[2] == echoed("POST", "/c", b"hello")
        assert answer(line)[2] == echoed("GET", "/next")


def test_a_long_chunked_body(server: Server) -> None:
    body = b"0123456789abcdef" * 40_000
    chunks = b"".join(
        b"%x\r\n%b\r\n" % (len(body[at : at + 999]), body[at : at + 999]) for at in range(0, len(body), 999)
    )
    head = b"POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + CLOSE
    assert server.ask(head + b"\r\n" + chunks + b"0\r\n\r\n").endswith(echoed("POST", "/c", body))


def test_who_asks_whether_to_go_on_is_told_to(server: Server) -> None:
    with server.line() as line:
        line.sendall(b"POST /e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        assert line.recv(1_000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        line.sendall(b"abc")
        assert answer(line)[2] == echoed("POST", "/e", b"abc")
        # One who does not wait for it is not told.
        line.sendall(b"POST /e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc")
        assert answer(line)[:1] == (200,)
    refused = server.ask(b"POST /e HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nContent-Length: 3\r\n\r\nabc")
    assert problem(refused) == (400, "bad-request")


MOST = Settings().max_map_bytes


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (b"GET /" + b"a" * 10_000, (414, "line-too-long")),
        (b"GET /" + b"a" * 4_200 + b" HTTP/1.1\r\nHost: a\r\n\r\n", (414, "line-too-long")),
        (b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 4_000, (431, "head-too-large")),
        (b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 64 + b"\r\n", (431, "head-too-large")),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 20_000, (431, "head-too-large")),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 9_000 + b"\r\n\r\n", (431, "head-too-large")),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % (MOST + 1), (413, "too-large")),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + b"9" * 400 + b"\r\n\r\n", (413, "too-large")),
        (
            b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % (MOST + 1),
            (413, "too-large"),
        ),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", (400, "bad-request")),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1_0\r\n\r\n", (400, "bad-request")),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", (400, "bad-request")),
        (
            b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            (400, "bad-request"),
        ),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: br\r\n\r\n", (501, "unknown-coding")),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5 \r\nhelloX\r\n0\r\n\r\n",
         (400, "bad-request")),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
         (400, "bad-request")),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 20_000,
         (400, "bad-request")),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;" + b"x" * 300, (400, "bad-request")),
        (b"GET / HTTP/1.1\nHost: a\n\n", (400, "bad-request")),
        (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", (400, "bad-request")),
        (b"GET / HTTP/1.1\r\n\r\n", (400, "bad-request")),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", (400, "bad-request")),
        (b"GET / HTTP/7.0\r\nHost: a\r\n\r\n", (400, "bad-request")),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n", (400, "bad-request")),
        (b"\r\n\r\n\r\n", (400, "bad-request")),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (400, "bad-request")),
        (b"GET /fault HTTP/1.1\r\nHost: a\r\n\r\n", (500, "internal")),
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused_with_a_problem(server: Server, request_: bytes, told: tuple[int, str]) -> None:
    assert problem(server.ask(request_)) == told


def test_a_longer_body_than_is_read_does_not_hide_the_answer(server: Server) -> None:
    """The client goes on sending while it is refused; a connection that is torn down would lose the refusal."""
    with server.line() as line:
        line.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % (MOST * 2))
        for _ in range(20):
            line.sendall(b"x" * 10_000)
        assert problem(until_closed(line)) == (413, "too-large")


@needs_proc
def test_clients_that_go_away_leave_nothing_behind(server: Server) -> None:
    for cut in (1, 20, 60, 90):
        with server.line() as line:
            line.sendall(post("/echo", b"x" * 100)[:cut])
    for _ in range(20):
        with server.line() as line:
            line.sendall(get("/big"))
    assert server.ask(get("/", close=True)).endswith(echoed("GET", "/"))
    assert within(lambda: connections(server) == 0)


def connections(server: Server) -> int:
    """Count what the server's processes hold open for clients, over and above one that asks."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    established = {
        fields[9]
        for fields in (row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:])
        if int(fields[1].split(":")[1], 16) == server.port and fields[3] != "0A"
    }
    links = set()
    for child in children:
        for name in Path(f"/proc/{child}/fd").iterdir():
            try:
                links.add(os.readlink(name))
            except FileNotFoundError:
                continue
    return sum(f"socket:[{inode}]" in links for inode in established)


@needs_proc
def test_more_connections_than_there_may_be_make_room(server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(260):
            stack.enter_context(server.line())
        assert server.ask(get("/", close=True)).endswith(echoed("GET", "/"))
        assert connections(server) <= 200
