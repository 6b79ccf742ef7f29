"""Answers on the way from a game's own service, in every framing, and cut at every place."""

import time

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool
from urllib3.exceptions import NewConnectionError

from api.arbiters.passing import MOST_HEAD_BYTES, Exchange, Garbled, Passed, Unheard
from tests.api.scripted import DROP, HANG, Script, scripted

MOST = 10_000
BODY = b'{"a":1}'
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Said: a: b \r\n\r\nhello"


def pool_to(address: str) -> HTTPConnectionPool:
    pool = HTTPAdapter().get_connection_with_tls_context(
        requests.Request("POST", address).prepare(), verify=True, proxies={}
    )
    assert isinstance(pool, HTTPConnectionPool)
    return pool


def post(script: Script, headers: dict[str, str] | None = None, read_s: float = 5.0) -> Passed:
    exchange = Exchange(pool_to(script.address), "there:80", MOST)
    deadline = time.monotonic() + read_s
    return exchange.post("/x", BODY, headers or {}, connect_s=1.0, read_s=read_s, deadline=deadline)


def test_an_answer_of_stated_length_is_given_with_its_fields() -> None:
    with scripted(PLAIN) as script:
        passed = post(script, {"X-Of": "me"})
        assert passed.status == 200
        assert passed.content == b"hello"
        assert passed.fields["x-said"] == "a: b"
        assert script.heads == [b"POST /x HTTP/1.1\r\nHost: there:80\r\nContent-Length: 7\r\nX-Of: me"]
        assert script.bodies == [BODY]


@pytest.mark.parametrize(
    ("told", "content"),
    [
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n", b"hello"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
         b"hello"),
        (b"HTTP/1.1 200 OK\r\n\r\nhello", b"hello"),
        (b"HTTP/1.0 200 OK\r\n\r\nhello", b"hello"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + PLAIN, b"hello"),
        (b"HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\n", b""),
        (b"HTTP/1.1 200\r\ncontent-LENGTH:5\r\n\r\nhello", b"hello"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b""),
    ],
    ids=["chunks", "both", "to the end", "old", "continue", "none", "letters", "empty"],
)  # fmt: skip
def test_every_framing_is_read(told: bytes, content: bytes) -> None:
    with scripted(told) as script:
        assert post(script).content == content


@pytest.mark.parametrize(
    "told",
    [
        b"SSH-2.0-nobody\r\n\r\n", b"HTTP/2 200 OK\r\n\r\n", b"HTTP/1.1 999 No\r\n\r\n", b"HTTP/1.1 20\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (MOST + 1) + b"1" * (MOST + 1),
        b"HTTP/1.1 200 OK\r\n\r\n" + b"1" * (MOST + 1),
        b"HTTP/1.1 200 OK\r\nX: " + b"1" * (MOST_HEAD_BYTES + 1),
    ],
    ids=["ssh", "two", "999", "20", "no chunk", "half a chunk", "too long", "endless", "head"],
)  # fmt: skip
def test_what_is_no_answer_is_garbled(told: bytes) -> None:
    with scripted(told) as script, pytest.raises(Garbled):
        post(script)


@pytest.mark.parametrize("cut", range(1, len(PLAIN)))
def test_an_answer_that_breaks_off_is_never_taken_for_whole(cut: int) -> None:
    with scripted(PLAIN[:cut]) as script, pytest.raises(Garbled):
        post(script)


def test_nothing_at_all_is_unheard() -> None:
    with scripted(DROP) as script, pytest.raises(Unheard):
        post(script)


def test_silence_is_given_up() -> None:
    with scripted(HANG) as script, pytest.raises(Garbled):
        post(script, read_s=0.05)


def test_nobody_there_is_told_as_such() -> None:
    with scripted(PLAIN) as script:
        address = script.address
    exchange = Exchange(pool_to(address), "there", MOST)
    with pytest.raises(NewConnectionError):
        exchange.post("/x", BODY, {}, connect_s=1.0, read_s=1.0, deadline=time.monotonic() + 1)


@given(
    st.text(min_size=1).filter(lambda text: not text.isprintable())
    | st.sampled_from(["a\r\nX: y", "a\nb", "a\rb", "\x00", "„"])
)
def test_nothing_but_a_value_goes_into_a_field(value: str) -> None:
    exchange = Exchange(pool_to("http://127.0.0.1:9"), "there", MOST)
    with pytest.raises(ValueError, match=r"header|latin-1"):
        exchange.post("/x", BODY, {"X-Said": value}, connect_s=1.0, read_s=1.0, deadline=0.0)
