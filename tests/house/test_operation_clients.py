"""Slow, broken and rude clients at nginx and gunicorn as compose runs them: none of them keeps the others waiting.

gunicorn has two threads in these tests, so that two clients would be enough to stop it.
"""

import gzip
import json
import socket
import time
from contextlib import ExitStack, closing, suppress
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path

import pytest

from arbiter import registry
from tests.house.echo_app import BIG
from tests.house.serving import NGINX, NO_NGINX, Port, Server, answer, echoed, get, nginx_before, post, until_closed
from tests.patience import PATIENCE_S, within
from tests.reading import load_examples

GAME = registry.game("warleague")
CLOSE = b"Connection: close\r\n"
BEARABLE_S = 20.0
"""nginx waits 10 s for a client, by `deploy/nginx.conf`."""


def problem(answered: bytes) -> tuple[int, str]:
    """Read the whole answer as a problem that a page of any origin can read and report: status and kind."""
    head, _, body = answered.partition(b"\r\n\r\n")
    said = json.loads(body)
    assert b"\r\nContent-Type: application/problem+json" in head
    assert b"\r\nAccess-Control-Allow-Origin: *" in head
    assert b"\r\nX-Request-Id: " + said["request_id"].encode() in head
    assert int(head[9:12]) == said["status"]
    return said["status"], said["type"].rpartition("/")[2]


def test_half_sent_requests_stop_nobody(served_proxy: Port) -> None:
    body = b"y" * 5_000
    with ExitStack() as stack:
        half = [stack.enter_context(served_proxy.line()) for _ in range(40)]
        for number, line in enumerate(half):
            # Half of them stop in the head, the others in the body.
            line.sendall(post("/~/echo", body)[: 30 if number % 2 else 2_000])
        assert served_proxy.ask(get("/~/", close=True)).endswith(echoed("GET", "/"))
        # And they are answered themselves, once the rest has come.
        for number, line in enumerate(half):
            line.sendall(post("/~/echo", body)[30 if number % 2 else 2_000 :])
        for line in half:
            assert answer(line)[2] == echoed("POST", "/echo", body)


def test_who_sends_byte_by_byte_is_answered_when_all_is_there(served_proxy: Port) -> None:
    request = post("/~/echo", b"abc")
    with served_proxy.line() as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(request)):
            line.sendall(request[at : at + 1])
            time.sleep(0.001)
        assert answer(line)[2] == echoed("POST", "/echo", b"abc")


def test_who_never_ends_never_begins_or_never_reads_is_let_go(served_proxy: Port) -> None:
    with ExitStack() as stack:
        silent, in_head, in_body, unread = (stack.enter_context(served_proxy.line(BEARABLE_S)) for _ in range(4))
        in_head.sendall(b"GET / HTTP/1.1\r\nHost: ")
        in_body.sendall(post("/~/echo", b"abc")[:-1])
        unread.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        unread.sendall(get("/~/big"))
        for line in (silent, in_head, in_body):
            # Cut, or closed in order; in neither case is there an answer.
            with suppress(ConnectionResetError):
                assert line.recv(1_000) == b""
        # What the system still holds can be read, and then the connection is found to be cut.
        with pytest.raises(ConnectionError):
            answer(unread)


def test_readers_that_do_not_read_stop_nobody(served_proxy: Port) -> None:
    with ExitStack() as stack:
        lines = [stack.enter_context(served_proxy.line()) for _ in range(3)]
        for line in lines:
            line.sendall(get("/~/big"))
        time.sleep(0.2)
        assert served_proxy.ask(get("/~/", close=True)).endswith(echoed("GET", "/"))
        # Once they read, all of it is there, and the connection is as good as before.
        for line in lines:
            assert answer(line)[2] == b"x" * BIG
            line.sendall(get("/~/after"))
            assert answer(line)[2] == echoed("GET", "/after")


def test_a_stream_that_nobody_reads_holds_no_more_than_its_thread(served_proxy: Port) -> None:
    with served_proxy.line() as line:
        line.sendall(get("/~/stream"))
        assert b"\r\nTransfer-Encoding: chunked\r\n" in line.recv(65_536)
        assert served_proxy.ask(get("/~/", close=True)).endswith(echoed("GET", "/"))
    # It ends as soon as the client is gone: both threads are free for what takes a moment.
    with served_proxy.line() as one, served_proxy.line() as other:
        for line in (one, other):
            line.sendall(get("/~/nap"))
        assert [answer(line)[0] for line in (one, other)] == [200, 200]


def test_events_are_passed_on_as_they_come(served_proxy: Port) -> None:
    """This stream never ends, so that whoever waited for its end, or for a full buffer, would see nothing of it."""
    with served_proxy.line() as line:
        line.sendall(get("/~/events"))
        seen = b""
        while seen.count(b"data: now\n\n") < 3:
            seen += line.recv(65_536)
        assert b"\r\nContent-Encoding" not in seen
        # Two of the three came in time, not in one piece with the head.
        assert len(seen) < 1_000


def test_pipelined_requests_are_answered_in_order(served_proxy: Port) -> None:
    bodies = [bytes([65 + number]) * number * 700 for number in range(6)]
    with served_proxy.line() as line:
        line.sendall(b"".join(post(f"/~/{len(body)}", body) for body in bodies) + get("/~/last")[:10])
        for body in bodies:
            assert answer(line)[2] == echoed("POST", f"/{len(body)}", body)
        line.sendall(get("/~/last")[10:])
        assert answer(line)[2] == echoed("GET", "/last")


def test_a_connection_is_kept_as_the_client_asks(served_proxy: Port) -> None:
    with served_proxy.line() as line:
        for _ in range(5):
            line.sendall(get("/~/"))
            assert b"\r\nConnection: keep-alive" in answer(line)[1]
        line.sendall(get("/~/", close=True))
        assert b"\r\nConnection: close" in answer(line)[1]
        assert until_closed(line) == b""
    # HTTP/1.0 knows no kept connections unless it asks for them.
    assert served_proxy.ask(b"GET /~/ HTTP/1.0\r\nHost: a\r\n\r\n").endswith(echoed("GET", "/"))


def test_chunked_bodies(served_proxy: Port) -> None:
    for chunks in (
        b"5\r\nhello\r\n0\r\n\r\n",
        b"1\r\nh\r\n4\r\nello\r\n0\r\n\r\n",
        b"0005;name=value\r\nhello\r\n000\r\n\r\n",
        b"5\r\nhello\r\n0\r\nTrailing: field\r\n\r\n",
    ):
        request = b"POST /~/c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
        with served_proxy.line() as line:
            line.sendall(request[:-4])
            time.sleep(0.02)
            line.sendall(request[-4:] + get("/~/next"))
            assert answer(line)[2] == echoed("POST", "/c", b"hello")
            assert answer(line)[2] == echoed("GET", "/next")


def test_a_long_chunked_body(served_proxy: Port) -> None:
    body = b"0123456789abcdef" * 80_000
    chunks = b"".join(
        b"%x\r\n%b\r\n" % (len(body[at : at + 999]), body[at : at + 999]) for at in range(0, len(body), 999)
    )
    head = b"POST /~/c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + CLOSE
    assert served_proxy.ask(head + b"\r\n" + chunks + b"0\r\n\r\n").endswith(echoed("POST", "/c", body))


def test_who_asks_whether_to_go_on_is_told_to(served_proxy: Port) -> None:
    with served_proxy.line() as line:
        line.sendall(b"POST /~/e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        assert line.recv(1_000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        line.sendall(b"abc")
        assert answer(line)[2] == echoed("POST", "/e", b"abc")


REFUSALS: tuple[tuple[bytes, tuple[int, str]], ...] = (
    (b"GET /" + b"a" * 10_000, (414, "line-too-long")),
    (b"GET /" + b"a" * 4_200 + b" HTTP/1.1\r\nHost: a\r\n\r\n", (414, "line-too-long")),
    (b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 4_000, (431, "head-too-large")),
    (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 20_000, (431, "head-too-large")),
    (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 5_000 + b"\r\n\r\n", (431, "head-too-large")),
    (b"POST / HTTP/1.1\r\nHost: a\r\n" + CLOSE + b"Content-Length: 16777217\r\n\r\n", (413, "too-large")),
    (b"POST / HTTP/1.1\r\nHost: a\r\n" + CLOSE + b"Transfer-Encoding: chunked\r\n\r\n1000001\r\nx", (413, "too-large")),
    (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", (400, "bad-request")),
    (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: br\r\n\r\n", (501, "unknown-coding")),
    (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", (400, "bad-request")),
    (b"GET / HTTP/1.1\r\n\r\n", (400, "bad-request")),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n", (400, "bad-request")),
    (b"GET /metrics HTTP/1.1\r\nHost: a\r\n" + CLOSE + b"\r\n", (404, "not-found")),
    (b"GET //%6detrics/../metrics?a HTTP/1.1\r\nHost: a\r\n" + CLOSE + b"\r\n", (404, "not-found")),
    (b"GET /-refusal HTTP/1.1\r\nHost: a\r\n" + CLOSE + b"\r\n", (404, "not-found")),
)


def test_what_nginx_refuses_is_a_problem_like_any_other(served_proxy: Port) -> None:
    for request, expected in REFUSALS:
        with served_proxy.line() as line:
            line.sendall(request)
            _, head, body = answer(line)
            assert problem(head + b"\r\n\r\n" + body) == expected, request[:60]
    # Each is a line of the log that names no client, and what the gateway answers is logged by the gateway.
    lines = [json.loads(line) for line in served_proxy.said().splitlines()]
    assert {line["event"] for line in lines} == {"refusal"}
    assert {status for _, (status, _) in REFUSALS} <= {line["status"] for line in lines}
    assert "127.0.0.1" not in served_proxy.said()


def test_more_requests_of_one_client_than_may_be_under_way_are_refused(served_proxy: Port) -> None:
    refused = b""
    with ExitStack() as stack:

        def one_more() -> bool:
            nonlocal refused
            stack.enter_context(served_proxy.line()).sendall(post("/~/echo", b"abc")[:-1])
            refused = served_proxy.ask(get("/~/", close=True))
            return refused.startswith(b"HTTP/1.1 503 ")

        for _ in range(99):
            stack.enter_context(served_proxy.line()).sendall(post("/~/echo", b"abc")[:-1])
        # nginx lets a half-sent request go after 10 s: on a busy machine, the first are gone before the last are there.
        assert within(one_more)
        assert problem(refused) == (503, "busy")
        assert b"\r\nRetry-After: 2\r\n" in refused
    assert within(lambda: served_proxy.ask(get("/~/", close=True)).endswith(echoed("GET", "/")))


@pytest.mark.skipif(NGINX is None, reason=NO_NGINX)
def test_a_flood_is_slowed_down_and_nobody_else(served_gateway: Server, tmp_path: Path) -> None:
    with nginx_before(served_gateway, tmp_path / "nginx", rate=1) as proxy:
        began = time.monotonic()
        with proxy.line() as line:
            line.sendall(get("/~/") * 203 + get("/~/", close=True))
            # Another address is answered meanwhile.
            with socket.create_connection(("127.0.0.1", proxy.port), PATIENCE_S, ("127.0.0.2", 0)) as other:
                other.sendall(get("/~/", close=True))
                assert until_closed(other).endswith(echoed("GET", "/"))
            answers = until_closed(line)
        # Two hundred at once, and then one a second; that nginx answers was asked before.
        assert time.monotonic() - began > 2
        assert answers.count(b"HTTP/1.1 200") == 204


def test_the_gateway_learns_the_address_from_nginx_and_from_nobody_else(served_proxy: Port) -> None:
    forged = (
        b"GET /~/headers HTTP/1.1\r\nHost: a.example:81\r\nX-Forwarded-For: 192.0.2.9\r\nX-Forwarded-Proto: https\r\n"
        b"X_Forwarded_For: 192.0.2.9\r\nScript_Name: /x\r\nUpgrade: h2c\r\nTraceparent: t\r\nConnection: close\r\n\r\n"
    )
    got = json.loads(served_proxy.ask(forged).partition(b"\r\n\r\n")[2])
    assert got["HTTP_X_FORWARDED_FOR"] == "127.0.0.1"
    assert got["HTTP_X_FORWARDED_PROTO"] == got["wsgi.url_scheme"] == "http"
    assert got["SCRIPT_NAME"] == ""
    assert "HTTP_UPGRADE" not in got
    # What is the client's own comes as it was sent.
    assert (got["HTTP_HOST"], got["HTTP_TRACEPARENT"]) == ("a.example:81", "t")


def test_long_answers_are_packed_and_their_tags_still_count(served_proxy: Port) -> None:
    example = next(each for each in load_examples(GAME.folder / "examples") if GAME.questions[each.question].dice)
    body = json.dumps({**example.body(), "dice": {"seed": "s"}})

    def asked(**fields: str) -> tuple[int, "Message[str, str]", bytes]:
        with closing(HTTPConnection("127.0.0.1", served_proxy.port, timeout=30)) as connection:
            path = f"/v1/games/{GAME.name}/{example.question}"
            connection.request("QUERY", path, body, {"Content-Type": "application/json", **fields})
            answered = connection.getresponse()
            return answered.status, answered.headers, answered.read()

    status, plain, text = asked()
    assert (status, plain["Content-Encoding"]) == (200, None)
    assert len(text) > 1_000
    status, packed, sent = asked(**{"Accept-Encoding": "gzip"})
    assert (status, packed["Content-Encoding"], gzip.decompress(sent)) == (200, "gzip", text)
    assert "Accept-Encoding" in ",".join(packed.get_all("Vary", []))
    # The same question in other bytes: nginx makes its tag a weak one, which the gateway knows again.
    assert packed["ETag"] == f"W/{plain['ETag']}"
    assert asked(**{"If-None-Match": packed["ETag"]})[0] == 304
