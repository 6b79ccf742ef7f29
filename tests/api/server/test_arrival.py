"""Requests as they arrive: however they are cut, they are whole at the same byte, and the parser reads the same."""

from types import SimpleNamespace

import pytest
from gunicorn.config import Config
from gunicorn.http.message import Request
from hypothesis import example, given
from hypothesis import strategies as st

from api.server.arrival import MOST_CHUNK_LINE, SPARE_FRAMING, Arrival, Bounds, Unbearable

BOUNDS = Bounds(body=5_000, head=600, line=200)
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


def when(request: bytes, bounds: Bounds = BOUNDS) -> int | str | None:
    """Feed a request byte by byte: after how many it is whole, or the kind of problem it is; None while it is not."""
    arrival = Arrival(bounds)
    for at in range(len(request)):
        arrival.data += request[at : at + 1]
        try:
            if arrival.whole():
                return at + 1
        except Unbearable as fault:
            return fault.slug
    return None


def sized(body: bytes) -> bytes:
    return b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def chunked(pieces: list[bytes], trailers: bytes = b"") -> bytes:
    head = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%b\r\n" % (len(each), each) for each in pieces) + b"0\r\n" + trailers + b"\r\n"


bodies = st.binary(max_size=300)
requests = st.one_of(
    st.just(GET),
    bodies.map(sized),
    st.lists(st.binary(min_size=1, max_size=60), max_size=6).map(chunked),
    st.lists(st.binary(min_size=1, max_size=60), max_size=3).map(lambda each: chunked(each, b"A: b\r\nC: d\r\n")),
)


@given(requests, st.lists(st.integers(1, 80)), st.booleans())
@example(b"\r\n" + GET, [1], False)
def test_a_request_is_whole_at_its_last_byte_however_it_is_cut(request: bytes, cuts: list[int], empty: bool) -> None:
    request = b"\r\n" * empty + request if not request.startswith(b"\r\n") else request
    assert when(request) == len(request)
    arrival, at = Arrival(BOUNDS), 0
    for cut in [*cuts, len(request)]:
        assert arrival.whole() == (at >= len(request))
        arrival.data += request[at : at + cut]
        at += cut
    assert arrival.whole()


@given(requests, requests)
def test_the_parser_reads_that_request_and_what_follows_is_left(request: bytes, following: bytes) -> None:
    arrival = Arrival(BOUNDS, request + following)
    assert arrival.whole()
    source = arrival.source()
    parsed = Request(Config(), source, ("127.0.0.1", 1))
    body = parsed.body.read()
    assert source.left() == following
    alone = Arrival(BOUNDS, request)
    assert Request(Config(), alone.source(), ("127.0.0.1", 1)).body.read() == body
    # The second method: the body as it was put in.
    framed = request.partition(b"\r\n\r\n")[2]
    assert body == framed if b"chunked" not in request else len(body) <= len(framed)


@given(st.binary(max_size=400))
@example(b"\n")
@example(b"GET / HTTP/1.1\n\n")
@example(b"\r\n\r\n")
def test_no_bytes_whatever_break_it(junk: bytes) -> None:
    arrival = Arrival(BOUNDS, junk)
    try:
        whole = arrival.whole()
    except Unbearable:
        return
    # What the parser is given is never more than what came.
    source = arrival.source()
    given_ = b""
    while piece := source.chunk():
        given_ += piece
    assert given_ == junk
    assert whole or b"\n" not in junk.replace(b"\r\n", b"")


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /" + b"a" * 195,
        b"\r\nGET /" + b"a" * 195,
    ],
)
def test_a_first_line_without_end(request_: bytes) -> None:
    assert when(request_) == "line-too-long"
    assert when(request_[:-1]) is None


def test_heads_up_to_their_bound() -> None:
    def head(size: int) -> bytes:
        start = b"GET / HTTP/1.1\r\nHost: a\r\nX: "
        return start + b"y" * (size - len(start) - 4) + b"\r\n\r\n"

    assert when(head(BOUNDS.head)) == BOUNDS.head
    assert when(head(BOUNDS.head + 1)) == "head-too-large"
    assert when(head(10_000)) == "head-too-large"


def test_bodies_up_to_their_bound() -> None:
    most = b"x" * BOUNDS.body
    assert Arrival(BOUNDS, sized(most)).whole()
    assert Arrival(BOUNDS, chunked([most])).whole()
    # What is too long is known from its size, before any of it has come.
    for request in (sized(most + b"x"), chunked([most + b"x"]), chunked([most, b"x"])):
        assert when(request[: request.rindex(b"x")]) == "too-large"
    assert when(b"POST / HTTP/1.1\r\nContent-Length: " + b"1" * 100 + b"\r\n\r\n") == "too-large"


def test_a_body_of_many_small_chunks_costs_too_much() -> None:
    """A chunk of one byte takes five bytes of framing: `1`, two line ends."""
    bounds = Bounds(body=1_000_000)
    few = SPARE_FRAMING // 5
    assert Arrival(bounds, chunked([b"x"] * (few - 2))).whole()
    with pytest.raises(Unbearable, match="too many small chunks"):
        Arrival(bounds, chunked([b"x"] * (few * 2))).whole()
    assert Arrival(bounds, chunked([b"x" * 1_000] * 900)).whole()


@pytest.mark.parametrize(
    "body",
    [b"x\r\n", b"\r\n", b"-1\r\n", b"+1\r\n", b"0x1\r\n", b"1 1\r\n", b"1\r\nab\r\n", b"11111111111111111\r\n",
     b"1;" + b"y" * MOST_CHUNK_LINE],
)  # fmt: skip
def test_chunks_that_are_none(body: bytes) -> None:
    assert when(chunked([])[:-5] + body) == "bad-request"


def test_what_follows_a_chunked_body_has_a_bound() -> None:
    assert when(chunked([b"x"], b"A: b\r\n" * 50)) == len(chunked([b"x"], b"A: b\r\n" * 50))
    assert when(chunked([b"x"], b"A: b\r\n" * 200)[:-2]) == "head-too-large"


@pytest.mark.parametrize(
    "fields",
    [b"Content-Length: 3\r\nContent-Length: 3", b"Content-Length: 3\r\nTransfer-Encoding: chunked",
     b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", b"Content-Length: +3", b"Content-Length: 3, 3",
     b"Content-Length:", b"Transfer-Encoding: chunked, gzip"],
)  # fmt: skip
def test_framing_that_may_be_read_in_two_ways_is_left_to_the_parser_at_once(fields: bytes) -> None:
    request = b"POST / HTTP/1.1\r\n" + fields + b"\r\n\r\n"
    assert when(request + b"abc") == len(request)


@pytest.mark.parametrize(
    ("field", "waits"),
    [(b"Expect: 100-continue", True), (b"expect:100-Continue ", True), (b"Expect: 100", False), (b"X: y", False)],
)
def test_whether_the_client_waits_to_be_told_to_go_on(field: bytes, waits: bool) -> None:
    arrival = Arrival(BOUNDS, b"POST / HTTP/1.1\r\n" + field + b"\r\nContent-Length: 3\r\n\r\n")
    assert not arrival.whole()
    assert arrival.continues is waits


@pytest.mark.parametrize(
    ("head", "origin"),
    [
        (b"GET / HTTP/1.1\r\nOrigin: https://a.example\r\nX: y\r\n", "https://a.example"),
        (b"GET / HTTP/1.1\r\norigin:null\r\n", "null"),
        (b"GET / HTTP/1.1\r\nX-Origin: https://a.example\r\n", ""),
        (b"GET / HTTP/1.1\r\nOrigin: two words\r\n", ""),
        (b"GET / HTTP/1.1\r\nOrigin: " + b"a" * 301 + b"\r\n", ""),
        (b"\xff\x00", ""),
    ],
)
def test_the_origin_of_what_is_refused(head: bytes, origin: str) -> None:
    assert Arrival(BOUNDS, head).origin == origin


def test_a_refusal_repeats_nothing_of_what_was_sent() -> None:
    from api.server import early

    app = SimpleNamespace()
    said = early.refusal("bad-request", "As it is.", app)
    assert said.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    head, _, body = said.partition(b"\r\n\r\n")
    assert b"Content-Length: %d" % len(body) in head
