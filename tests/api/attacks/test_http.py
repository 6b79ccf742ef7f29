"""Requests that are not quite HTTP, sent byte for byte to gunicorn alone, and to nginx before it as compose runs both.

What matters is not the status but the framing: a request whose end two servers could see at two places is never taken
for two requests. nginx writes each request anew before it passes it on, so that some of what gunicorn refuses is sound
behind it, framed in the one way in which nginx has read it. After each attack an honest request is answered.
"""

import json
from collections.abc import Iterable

import pytest

from tests.api.posting import attack
from tests.api.raw_http import CLOSE, HEALTH, LAST, Line, Said
from tests.house.serving import Port

POST = b"POST /v1/games/blackstone-fortress/attack HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
"""To a question, whose body `{}` is refused with 422 once it is read as what was posted."""

CHUNKS = b"2\r\n{}\r\n0\r\n\r\n"


class Server(Line):
    """One of the two servers; each knows which cases it takes otherwise than gunicorn alone."""

    def __init__(self, name: str, port: int) -> None:
        super().__init__(port)
        self.name = name

    def expected(self, case: object, statuses: list[int]) -> list[int]:
        return BEHIND_NGINX.get(case, statuses) if self.name == "nginx" else statuses


@pytest.fixture(params=["gunicorn", "nginx"])
def server(request: pytest.FixtureRequest) -> Server:
    fixture = {"gunicorn": "served_gateway", "nginx": "served_proxy"}[request.param]
    return Server(request.param, request.getfixturevalue(fixture).port)


def attacked(server: Line, attacks: Iterable[tuple[object, bytes]], *, half: bool = False) -> dict[object, Said]:
    """Send each attack, with an honest request after it that has to be answered; give what came back, by its case."""
    found = {}
    for case, raw in attacks:
        found[case] = server.send(raw, half=half)
        assert server.healthy(), case
    return found


SOUND: dict[str, tuple[bytes, list[int]]] = {
    "one after another": (HEALTH + b"\r\n" + LAST, [200, 200]),
    "a body of a length": (POST + b"Content-Length: 2\r\n\r\n{}" + LAST, [422, 200]),
    "a body in chunks": (POST + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKS + LAST, [422, 200]),
    "chunks of a byte": (POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n" + LAST, [422, 200]),
    "as many headers as may be": (HEALTH + b"".join(b"X-%d: a\r\n" % n for n in range(95)) + CLOSE + b"\r\n", [200]),
    "a request inside a body": (POST + b"Content-Length: %d\r\n\r\n" % len(LAST) + LAST + LAST, [422, 200]),
    "a request inside a body that nobody reads": (
        HEALTH + b"Content-Length: %d\r\n\r\n" % len(LAST) + LAST + LAST,
        [200, 200],
    ),
    "a request inside a body that is not for this path": (
        b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(LAST) + LAST + LAST,
        [404, 200],
    ),
    "a request inside a body of another form": (
        POST.replace(b"json", b"xml") + b"Content-Length: %d\r\n\r\n" % len(LAST) + LAST + LAST,
        [415, 200],
    ),
    "a length by another name": (POST + b"X-Content-Length: 99\r\nContent-Length: 2\r\n\r\n{}" + LAST, [422, 200]),
    "chunks by a name with an underscore": (
        POST + b"Transfer_Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}" + LAST,
        [422, 200],
    ),
    "a switch to HTTP/2": (HEALTH + b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n" + CLOSE + b"\r\n", [200]),
    "a switch to a web socket": (HEALTH + b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n" + LAST, [400, 200]),
    "a scheme from a proxy that there is not": (HEALTH + b"X-Forwarded-Proto: https\r\n" + CLOSE + b"\r\n", [200]),
    "a path from a proxy that there is not": (HEALTH + b"Script-Name: /healthz\r\n" + CLOSE + b"\r\n", [200]),
}
"""What looks like an attack and is sound HTTP: framed in one way only, and answered so."""


BEHIND_NGINX: dict[object, list[int]] = {
    # nginx passes nothing on of a switch to another protocol, and no expectation.
    "a switch to a web socket": [200, 200],
    "an expectation that is none": [422, 200],
    # A line feed alone ends a line for nginx, as RFC 9112 allows; gunicorn gets CRLF and a length.
    "a header ended by a line feed": [422, 200],
    "ended by line feeds": [422, 200],
    # An extension of a chunk is left out, as is a line of the head that is no field.
    "an extension ended by a line feed": [422, 200],
    "an extension of twenty thousand bytes": [422, 200],
    "no colon": [422, 200],
    # Refused by gunicorn; nginx knows where the body ends, and answers the next request on the same connection.
    "a header with a bell in it": [400, 200],
    b"CONNECT evil.example:443 HTTP/1.1": [400],
    b"OPTIONS * HTTP/1.1": [400],
    # A request of HTTP/0.9, whose answer has no head.
    b"GET /healthz": [],
    b"GET /healthz HTTP/2.0": [505],
    b"GET /healthz HTTP/3": [505],
    b"GET  /healthz HTTP/1.1": [200],
}
"""What comes back through nginx where it is something else than from gunicorn alone."""


def test_what_is_framed_in_one_way_is_read_in_that_way(server: Server) -> None:
    found = attacked(server, ((case, raw) for case, (raw, _) in SOUND.items()))
    assert {case: said.statuses for case, said in found.items()} == {
        case: server.expected(case, statuses) for case, (_, statuses) in SOUND.items()
    }
    assert all(said.closed for said in found.values())


LENGTHS = (
    b"-1",
    b"+2",
    b"0x2",
    b"2.0",
    b"2e0",
    b"0_2",
    b"2 2",
    b"2, 2",
    b"2,40",
    b"two",
    b"",
    b"\xb2",
    "٢".encode(),
    b"9" * 5_000,
)

CODINGS = (
    b"xchunked",
    b"chunked, identity",
    b"identity",
    b"chunked, chunked",
    b"\x0bchunked",
    b"chunked\x0b",
    b'"chunked"',
    b"chunked;x=y",
    b"chunked\r\nTransfer-Encoding: identity",
    b"chunked\r\nTransfer-Encoding: x",
    b"x\r\n chunked",
    b"cow\r\nTransfer-Encoding: chunked",
    b"",
    b"\xef\xbc\xa3hunked",
    b"chun ked",
)

FRAMINGS: dict[str, bytes] = {
    **{f"a length of {said[:9]!r}": b"Content-Length: " + said + b"\r\n\r\n{}" for said in LENGTHS},
    **{f"a coding of {said[:40]!r}": b"Transfer-Encoding: " + said + b"\r\n\r\n" + CHUNKS for said in CODINGS},
    "two lengths": b"Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}",
    "the same length twice": b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "a length before chunks": b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKS,
    "chunks before a length": b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + CHUNKS,
    "a space before the colon of a length": b"Content-Length : 2\r\n\r\n{}",
    "a space before the colon of a coding": b"Transfer-Encoding : chunked\r\n\r\n" + CHUNKS,
    "a folded coding": b"Transfer-Encoding:\r\n chunked\r\n\r\n" + CHUNKS,
    "a header ended by a line feed": b"X: y\nContent-Length: 2\r\n\r\n{}",
    "a header ended by a carriage return": b"X: y\rContent-Length: 2\r\n\r\n{}",
    "a header with a nought in it": b"X: y\x00\r\nContent-Length: 2\r\n\r\n{}",
    "a header with a bell in it": b"X: y\x07\r\nContent-Length: 2\r\n\r\n{}",
    "a name with a space": b"X Y: z\r\nContent-Length: 2\r\n\r\n{}",
    "no name": b": z\r\nContent-Length: 2\r\n\r\n{}",
    "no colon": b"xyz\r\nContent-Length: 2\r\n\r\n{}",
    "two hosts": b"Host: y\r\nContent-Length: 2\r\n\r\n{}",
    "an expectation that is none": b"Expect: 200-maybe\r\nContent-Length: 2\r\n\r\n{}",
}


REFUSED = ([400], [413], [417], [431], [501])


def test_a_request_that_two_servers_could_read_in_two_ways_is_refused(server: Server) -> None:
    """The request after it would be the smuggled one: it is never answered."""
    for case, said in attacked(server, ((case, POST + framing + LAST) for case, framing in FRAMINGS.items())).items():
        assert said.statuses in [server.expected(case, statuses) for statuses in REFUSED], case
        assert said.closed, case


def test_chunks_are_nothing_that_http_of_1996_has(server: Server) -> None:
    old = POST.replace(b"HTTP/1.1", b"HTTP/1.0")
    said = server.send(old + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKS + LAST)
    assert (said.statuses, said.closed) == ([400], True)


def test_what_gunicorn_gets_from_nginx_is_framed_by_a_length_alone(served_proxy: Port) -> None:
    chunked = b"POST /~/headers HTTP/1.1\r\nHost: x\r\n" + CLOSE + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKS
    got = json.loads(served_proxy.ask(chunked).partition(b"\r\n\r\n")[2])
    assert got["CONTENT_LENGTH"] == "2"
    assert "HTTP_TRANSFER_ENCODING" not in got


BROKEN_CHUNKS: dict[str, bytes] = {
    "ended by line feeds": b"2\n{}\n0\n\n",
    "an extension ended by a line feed": b"2;\n{}\r\n0\r\n\r\n",
    "an extension with a carriage return": b"2;a\rb\r\n{}\r\n0\r\n\r\n",
    "an extension of twenty thousand bytes": b"2;" + b"a" * 20_000 + b"\r\n{}\r\n0\r\n\r\n",
    "a size in C": b"0x2\r\n{}\r\n0\r\n\r\n",
    "a size with a sign": b"+2\r\n{}\r\n0\r\n\r\n",
    "a size below nought": b"-2\r\n{}\r\n0\r\n\r\n",
    "a size with an underscore": b"0_2\r\n{}\r\n0\r\n\r\n",
    "a size in spaces": b" 2 \r\n{}\r\n0\r\n\r\n",
    "no size": b"\r\n{}\r\n0\r\n\r\n",
    "no hexadecimal": b"xyz\r\n{}\r\n0\r\n\r\n",
    "more than was said": b"2\r\n{}XX0\r\n\r\n",
    "less than was said": b"5\r\n{}\r\n0\r\n\r\n",
}


def test_chunks_that_are_framed_wrongly_are_a_bad_request(server: Server) -> None:
    chunked = POST + b"Transfer-Encoding: chunked\r\n\r\n"
    found = attacked(server, ((case, chunked + chunks + LAST) for case, chunks in BROKEN_CHUNKS.items()))
    for case, said in found.items():
        assert (said.statuses, said.closed) == (server.expected(case, [400]), True), case
        kind = json.loads(said.raw.split(b"\r\n\r\n", 1)[1].split(b"HTTP/1.1", 1)[0])["type"]
        assert kind == ("/problems/bad-request" if said.statuses == [400] else "/problems/invalid"), case


CUT: dict[str, bytes] = {
    "a length": b"Content-Length: 50\r\n\r\n{}",
    "a length by one": b"Content-Length: 3\r\n\r\n{}",
    "a sound question": b"Content-Length: 9999\r\n\r\n" + json.dumps(attack()).encode(),
    "nothing of a body": b"Content-Length: 2\r\n\r\n",
    "chunks without an end": b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
    "a chunk in its middle": b"Transfer-Encoding: chunked\r\n\r\n9\r\n{}",
    "a chunk that would be endless": b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}",
}


def test_a_body_that_breaks_off_is_not_decided(server: Server) -> None:
    """Even where what came is sound JSON: it is not what the client meant. Who breaks off is not there to be told."""
    for case, said in attacked(server, ((case, POST + body) for case, body in CUT.items()), half=True).items():
        assert said.statuses in ([], [400]), case
        assert said.closed, case


def test_a_cut_body_is_not_decided_whatever_its_head_expects(server: Server) -> None:
    """Who closes one half of the connection gets 400 from gunicorn, and nothing from nginx, which counts it as gone."""
    sound = json.dumps(attack()).encode()
    length = b"Content-Length: %d\r\n\r\n" % len(sound)
    for version in (b"HTTP/1.1", b"HTTP/1.0"):
        head = POST.replace(b"HTTP/1.1", version) + CLOSE + b"Expect: 100-continue\r\n" + length
        whole = server.send(head + sound)
        # HTTP/1.0 knows no interim answers; gunicorn and nginx heed that.
        assert whole.statuses == ([100, 422] if version == b"HTTP/1.1" else [422]), version
        for sent in (b"", sound[:-1]):
            cut = server.send(head + sent, half=True)
            decided = [status for status in cut.statuses if status != 100]
            assert decided == ([400] if server.name == "gunicorn" else []), (version, sent)
            assert (100 in cut.statuses) == (version == b"HTTP/1.1"), (version, sent)
            assert cut.closed, (version, sent)
            assert server.healthy(), (version, sent)


def test_a_body_that_says_it_is_huge_is_refused_before_it_comes(server: Server) -> None:
    # Longer than the longest map, for nginx; 10^30 is a number that it does not hold.
    for length, status in ((16_777_218, 413), (10**12, 413), (10**30, 400 if server.name == "nginx" else 413)):
        said = server.send(POST + CLOSE + b"Content-Length: %d\r\n\r\n" % length)
        assert said.statuses == [status], length


def test_a_body_that_is_too_long_for_its_path_is_refused_when_it_is_there(server: Server) -> None:
    said = server.send(POST + CLOSE + b"Content-Length: 1048578\r\n\r\n" + b" " * 1_048_578)
    assert said.statuses == [413]


FLOODS: dict[str, tuple[bytes, int]] = {
    "a header too many": (HEALTH + b"".join(b"X-%d: a\r\n" % n for n in range(101)) + CLOSE + b"\r\n", 431),
    "a header of nine thousand bytes": (HEALTH + b"X: " + b"a" * 9_000 + b"\r\n\r\n", 431),
    "a cookie of 64 kilobytes": (HEALTH + b"Cookie: " + b"a" * 65_536 + b"\r\n\r\n", 431),
    "a header without end": (HEALTH + b"X: " + b"a" * 2_000_000, 431),
    "headers without end": (HEALTH + b"A: b\r\n" * 200_000, 431),
    "a path of five thousand bytes": (b"GET /" + b"a" * 5_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    "a path without end": (b"GET /" + b"a" * 2_000_000, 414),
    "a query without end": (b"GET /v1/games?" + b"a=b&" * 500_000, 414),
    "a method without end": (b"A" * 2_000_000, 414),
}


def test_a_flood_is_cut_off(server: Server) -> None:
    for case, said in attacked(server, ((case, raw) for case, (raw, _) in FLOODS.items())).items():
        raw, status = FLOODS[str(case)]
        # Where we were still sending, the answer may be lost with the line.
        assert said.statuses == [status] or (len(raw) > 60_000 and not said.raw), case
        assert said.closed, case


LINES: dict[bytes, int] = {
    b"GET http://evil.example/healthz HTTP/1.1": 200,
    b"GET //evil.example/healthz HTTP/1.1": 404,
    b"GET http://evil.example//evil.example/ HTTP/1.1": 404,
    b"CONNECT evil.example:443 HTTP/1.1": 404,
    b"OPTIONS * HTTP/1.1": 404,
    b"TRACE /healthz HTTP/1.1": 405,
    b"TRACK /healthz HTTP/1.1": 405,
    b"DEBUG /healthz HTTP/1.1": 405,
    b"PROPFIND /healthz HTTP/1.1": 405,
    b"GET evil.example:443 HTTP/1.1": 400,
    b"GET * HTTP/1.1": 400,
    b"GET healthz HTTP/1.1": 400,
    b"GET http://[::1 HTTP/1.1": 400,
    b"get /healthz HTTP/1.1": 400,
    b"G\tET /healthz HTTP/1.1": 400,
    b"G@T /healthz HTTP/1.1": 400,
    b"GET\r\n /healthz HTTP/1.1": 400,
    b"A" * 40 + b" /healthz HTTP/1.1": 400,
    b"GET /healthz": 400,
    b"GET /healthz HTTP/0.9": 400,
    b"GET /healthz HTTP/2.0": 400,
    b"GET /healthz HTTP/3": 400,
    b"GET /healthz http/1.1": 400,
    b"GET /healthz HTTP/1.1 x": 400,
    b"GET /healthz HTTP/1.1\x00": 400,
    b"GET  /healthz HTTP/1.1": 400,
    b"GET\t/healthz\tHTTP/1.1": 400,
    b" GET /healthz HTTP/1.1": 400,
    b"GET /a\x00b HTTP/1.1": 400,
    b"GET /\xff HTTP/1.1": 400,
    b"GET /heal\x0bthz HTTP/1.1": 400,
    b"GET /healthz?a\x7f HTTP/1.1": 400,
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04": 400,
    b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET /healthz HTTP/1.1": 400,
}


def test_a_request_line_of_another_kind(server: Server) -> None:
    found = attacked(server, ((first, first + b"\r\nHost: x\r\n" + CLOSE + b"\r\n") for first in LINES))
    assert {first: said.statuses for first, said in found.items()} == {
        first: server.expected(first, [status]) for first, status in LINES.items()
    }
    assert all(said.closed for said in found.values())


BREAKS = (
    b"a\r\nSet-Cookie: a=b",
    b"a\nSet-Cookie: a=b",
    b"a%0d%0aSet-Cookie:%20a=b",
    b"a\xc4\x8d\xc4\x8aSet-Cookie: a=b",
)


def test_no_header_of_ours_can_be_written_by_one_of_theirs(server: Server) -> None:
    for name in (b"X-Request-Id", b"Idempotency-Key", b"Prefer", b"Origin", b"Last-Event-ID", b"Accept"):
        for value in BREAKS:
            said = server.send(POST + name + b": " + value + b"\r\n" + CLOSE + b"Content-Length: 2\r\n\r\n{}")
            assert len(said.statuses) == 1, (name, value)
            assert b"\nset-cookie" not in said.raw.lower(), (name, value)


def test_no_header_of_ours_can_be_written_by_a_path(server: Server) -> None:
    for path in (
        b"/problems/%0d%0aSet-Cookie:a=b",
        b"/v1//games%0d%0aSet-Cookie:a=b",
        b"/docs/%0aSet-Cookie:a=b",
        b"/docs%0d%0aSet-Cookie:a=b",
    ):
        said = server.send(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n" + CLOSE + b"\r\n")
        assert len(said.statuses) == 1, path
        assert b"\nset-cookie" not in said.heads.lower(), path


def test_who_speaks_tls_to_a_port_without_tls_gets_nothing(server: Server) -> None:
    assert server.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), half=True).statuses in ([], [400])
