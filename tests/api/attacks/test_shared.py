"""Attacks on what is shared: permalinks, the express line, boards and batches. Nobody sees or pays for another's."""

import json
import math
import re
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from api import create_app
from api.caching.ruling_store import CLOCK_SKEW_S, read
from api.settings import Settings
from rendering.stored_ruling import StoredRuling
from tests.api.posting import ATTACK, GAMES, TEMPLATE, ask, attack, problem
from tests.api.small_quotas import stands, stopped
from tests.api.strangers import GAME

BATCH, FORTRESS = "/v1/batch", "blackstone-fortress"
SETTLED = attack(dice={"seed": 7}, policies={"*": "first"})
BOARD = {"hexes": [[0, 0], [1, 0], [2, 0], [3, 0]]}


@pytest.fixture(scope="module")
def open_gateway() -> FlaskClient:
    games = {**GAME, **{name: GAMES[name] for name in (FORTRESS, "rapture")}}
    return create_app(Settings(log_level="error", rate_limits=False), games).test_client()


@pytest.fixture
def client(open_gateway: FlaskClient) -> Iterator[FlaskClient]:
    """A gateway without quotas, which answers an honest question whatever was tried before."""
    yield open_gateway
    assert ask(open_gateway, ATTACK, SETTLED).status_code == 200


@pytest.fixture
def link(client: FlaskClient) -> str:
    return ask(client, ATTACK, SETTLED).headers["Content-Location"]


# Permalinks


def test_the_neighbours_of_a_permalink_lead_nowhere_in_the_same_words(client: FlaskClient, link: str) -> None:
    id_ = link.rpartition("/")[2]
    near = [f"{(int(id_, 16) + step) % 16**32:032x}" for step in (-2, -1, 1, 2)]
    near += [
        id_[::-1],
        id_[1:] + id_[0],
        id_[:-1],
        id_ + "0",
        id_.upper(),
        id_[:16] + "0" * 16,
        "*",
        "%2e%2e",
        id_ + "%00",
    ]
    told = []
    for each in near:
        if each == id_:
            continue
        answer = client.get(f"/v1/rulings/{each}")
        said = problem(answer, 404, "not-found")
        assert answer.headers["Cache-Control"] == "no-store"
        told.append((said["detail"], said["errors"]))
    assert len(told) >= 12
    assert all(each == told[0] for each in told)


def test_rolled_rulings_do_not_follow_from_each_other(client: FlaskClient) -> None:
    links = [ask(client, ATTACK, attack(policies={"*": "first"})).headers["Content-Location"] for _ in range(40)]
    numbers = [int(each[-32:], 16) for each in links]
    assert len(set(numbers)) == 40
    assert len({each >> 112 for each in numbers}) > 35


SOUND = StoredRuling("ruling", TEMPLATE.name, "attack", TEMPLATE.edition, "0", 1_000.0, b"{}", b"{}")
POISON: dict[str, Any] = {
    "a time that is none": {"made": math.nan},
    "a time without end": {"made": math.inf},
    "before all times": {"made": -math.inf},
    "beyond all calendars": {"made": 1e300},
    "before 1970": {"made": -1.0},
    "made tomorrow": {"made": 1e10},
    "markup for an answer": {"answer": b"<script>alert(1)</script>"},
    "no text": {"answer": b"\xff\xfe{}"},
    "half a character": {"answer": b'{"a":"\xed\xa0\x80"}'},
    "no object": {"answer": b"[]"},
    "nothing": {"answer": b""},
    "two answers": {"answer": b"{}{}"},
    "a question that is none": {"body": b"\x00"},
    "a bottomless answer": {"answer": b'{"a":' + b"[" * 100_000},
    "a bottomless question": {"body": b'{"a":' * 100_000},
    "cut off": {"answer": b'{"a":1'},
}


@pytest.mark.parametrize("poison", POISON.values(), ids=POISON.keys())
def test_a_poisoned_record_is_no_ruling(poison: dict[str, Any]) -> None:
    sound = msgspec.structs.replace(SOUND, made=time.time())
    assert read(msgspec.msgpack.encode(sound), time.time()) == sound
    assert read(msgspec.msgpack.encode(msgspec.structs.replace(sound, **poison)), time.time()) is None


@pytest.mark.parametrize("packed", [b"", b"\x00", b"x" * 1_000, b"\xc1", b"\x93\x01\x02\x03"])
def test_what_is_no_record_is_no_ruling(packed: bytes) -> None:
    assert read(packed, time.time()) is None


def test_a_clock_that_is_a_little_ahead_is_believed() -> None:
    ahead = msgspec.structs.replace(SOUND, made=time.time() + CLOCK_SKEW_S / 2)
    assert read(msgspec.msgpack.encode(ahead), time.time()) == ahead


class OneRuling:
    """A store of rulings that gives the same for every id."""

    def __init__(self, ruling: StoredRuling) -> None:
        self.packed = msgspec.msgpack.encode(ruling)

    def put(self, id_: str, ruling: bytes) -> None:
        raise AssertionError("nothing is asked here")

    def get(self, id_: str) -> bytes | None:
        return self.packed


@pytest.mark.parametrize("form", ["application/json", "text/html", "text/plain", "text/markdown"])
@pytest.mark.parametrize("poison", POISON.values(), ids=POISON.keys())
def test_a_poisoned_record_is_shown_in_no_form(poison: dict[str, Any], form: str) -> None:
    app = create_app(Settings(log_level="error"), GAME)
    kept = msgspec.structs.replace(SOUND, **{"made": time.time(), **poison})
    app.extensions["arbiter"].responses.rulings._backend = OneRuling(kept)
    problem(app.test_client().get(f"/v1/rulings/{'a' * 32}", headers={"Accept": form}), 404, "not-found")


class Page(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


NAMES = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><style>*{}",
    "{{7*7}}{% raw %}",
    "&lt;b&gt;",
    "\x1b[2J\x1b]0;owned\x07",
    "\x9b31m",
    "\u202eevil\u202c",
    "\u2066x\u2069",
    "a\u2028b\u2029c",
    "\ufeffx",
    "a\rb\nc",
    "@everyone",
    "<@123>",
    "[x](https://evil.example)",
    "https://evil.example",
    "www.evil.example",
    "`x`",
    "# head",
    "||x||",
    "~~x~~",
    "![x](y)",
    "javascript:alert(1)",
    "x\u0000y",
    "1. x",
    "> x",
    "| a | b |",
)
_STEERING = {chr(code) for span in ((0, 32), (127, 160), (0x202A, 0x202F), (0x2066, 0x206A)) for code in range(*span)}


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:24])
def test_names_of_a_client_steer_neither_page_nor_chat_nor_terminal(client: FlaskClient, name: str) -> None:
    scene = attack()["case"]["scene"]
    scene["fighters"][1]["id"] = name
    body = {
        "case": {"scene": scene, "attacker": "ann", "target": name},
        "dice": {"seed": 1},
        "policies": {"*": "first"},
    }
    asked = ask(client, ATTACK, body)
    assert asked.status_code == 200, asked.data
    where = asked.headers["Content-Location"]
    shown = {form: client.get(where, headers={"Accept": form}) for form in ("text/html", "text/plain", "text/markdown")}
    for form, answer in shown.items():
        assert answer.status_code == 200
        assert answer.headers["X-Content-Type-Options"] == "nosniff", form
        assert not (_STEERING - {"\n"}) & set(answer.get_data(as_text=True)), form
    page, marked = Page(), shown["text/markdown"].get_data(as_text=True)
    page.feed(shown["text/html"].get_data(as_text=True))
    assert page.found <= {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "header",
        "footer",
        "section",
        "h1",
        "h2",
        "h3",
        "p",
        "ul",
        "ol",
        "li",
        "a",
        "table",
        "tbody",
        "thead",
        "tr",
        "td",
        "th",
        "details",
        "summary",
        "pre",
        "code",
        "div",
        "span",
        "dl",
        "dt",
        "dd",
        "strong",
        "em",
        "small",
        "caption",
        "article",
        "nav",
        "img",
    }
    assert all(not attribute.startswith("on") for attribute, _ in page.attributes)
    assert all(value.startswith("/") for attribute, value in page.attributes if attribute in {"href", "src"})
    if "{{" in name:
        assert name in page.text
    for mark in ("@everyone", "](https:", "www.evil", "\n# head"):
        assert mark not in marked
    # Marks are only there with a backslash before them; the last line is the service's own link.
    said = re.sub(r"\\[\\`*_{}\[\]<>#!|~&:.]", "", marked.rpartition("<http")[0])
    assert not re.search(r"[<`\[\]|~]|://", said), said
    # What was answered is given byte for byte, as JSON and never as something that a browser runs.
    given = client.get(where)
    assert (given.data, given.content_type) == (asked.data, "application/json")


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-Host": "evil.example"},
        {"X-Host": "evil.example"},
        {"Forwarded": "host=evil.example;proto=http"},
        {"X-Original-URL": "/v1/limits"},
        {"X-Rewrite-URL": "/v1/limits"},
        {"X-Forwarded-Prefix": "/evil"},
        {"X-Forwarded-Scheme": "evil"},
        {"X-HTTP-Method-Override": "DELETE"},
        {"Referer": "https://evil.example/"},
        {"Origin": "https://evil.example"},
        {"User-Agent": "evil"},
        {"Accept-Language": "evil"},
        {"Cookie": "evil=1"},
        {"Range": "bytes=0-9"},
        {"If-Range": '"x"'},
        {"If-Modified-Since": "Thu, 01 Jan 2099 00:00:00 GMT"},
        {"Pragma": "no-cache"},
        {"Upgrade": "h2c"},
    ],
    ids=str,
)
@pytest.mark.parametrize("form", ["application/json", "text/html", "text/plain", "text/markdown"])
def test_nothing_that_a_cache_does_not_look_at_changes_a_permalink(
    client: FlaskClient, link: str, form: str, headers: dict[str, str]
) -> None:
    plain, tried = (client.get(link, headers={"Accept": form, **more}) for more in ({}, headers))
    assert (tried.status_code, tried.data, tried.headers["ETag"]) == (200, plain.data, plain.headers["ETag"])
    assert plain.headers["Vary"] == tried.headers["Vary"] == "Accept, Accept-Encoding"
    assert "evil" not in str(tried.headers).lower()


def test_nothing_is_answered_by_304_that_would_be_refused(client: FlaskClient) -> None:
    tag = ask(client, ATTACK, SETTLED).headers["ETag"]
    flood = ", ".join(['"x"'] * 5_000 + [tag])
    for held in (tag, "*", f"W/{tag}", flood):
        for wrong in ({"case": {}}, [], {**SETTLED, "moat": 1}, {**SETTLED, "dice": {"seed": []}}):
            answer = client.open(ATTACK, method="QUERY", json=wrong, headers={"If-None-Match": held})
            assert answer.status_code == 422, held
        same = json.dumps(SETTLED)
        headers = {"If-None-Match": held}
        right = client.open(ATTACK, method="QUERY", data=same, content_type="application/json", headers=headers)
        assert right.status_code == 304, held[:50]


# Answers from memory


ODD = st.dictionaries(
    st.sampled_from(
        [
            "Accept",
            "If-None-Match",
            "If-Match",
            "Authorization",
            "X-Api-Key",
            "Prefer",
            "Range",
            "Expect",
            "Content-Encoding",
            "Transfer-Encoding",
            "Idempotency-Key",
            "Cookie",
            "X-Forwarded-For",
            "Origin",
            "X-HTTP-Method-Override",
            "If-Modified-Since",
            "If-Unmodified-Since",
            "If-Range",
            "Content-Type",
        ]
    ),
    st.sampled_from(
        [
            "*",
            "*/*",
            "",
            "x",
            '"x"',
            "TAG",
            "W/TAG",
            "application/json",
            "application/json;q=0",
            "text/html",
            "application/vnd.arbiter.signed+json",
            "arb_",
            "gzip",
            "identity",
            "chunked",
            "bytes=0-1",
            "\xff",
            "respond-async",
            "Thu, 01 Jan 2099 00:00:00 GMT",
            "application/json; charset=utf-8",
            ",",
        ]
    ),
    max_size=4,
)


@given(headers=ODD, method=st.sampled_from(["GET", "HEAD", "QUERY", "POST"]), query=st.sampled_from(["", "", "x=1"]))
def test_an_answer_from_memory_is_the_answer_that_is_decided(
    open_gateway: FlaskClient, headers: dict[str, str], method: str, query: str
) -> None:
    first = ask(open_gateway, ATTACK, SETTLED)
    rulings = open_gateway.application.extensions["arbiter"].responses.rulings
    path = ATTACK if method in {"QUERY", "POST"} else first.headers["Content-Location"]
    said = {name: value.replace("TAG", first.headers["ETag"]) for name, value in headers.items()}
    more = {"data": json.dumps(SETTLED)} if path == ATTACK else {}
    said.setdefault("Content-Type", "application/json")

    def seen() -> tuple[int, bytes, dict[str, str]]:
        answer = open_gateway.open(path, method=method, headers=said, query_string=query, **more)
        kept = {name: value for name, value in answer.headers.items() if name not in {"X-Request-Id", "Cache-Control"}}
        told = answer.data.replace(answer.headers["X-Request-Id"].encode(), b"")
        return answer.status_code, told, kept

    from_memory = seen()
    if path == ATTACK:
        rulings._memory.clear()
    assert seen() == from_memory


def test_an_answer_from_memory_costs_what_its_body_costs() -> None:
    client = stopped(create_app(Settings(log_level="error"), GAME)).test_client()
    body = json.dumps(SETTLED) + " " * 600_000
    before = ask(client, ATTACK, body.encode())
    held = {"If-None-Match": before.headers["ETag"]}
    again = client.open(ATTACK, method="QUERY", data=body, content_type="application/json", headers=held)
    assert again.status_code == 304
    # One for the ruling, and two for two whole units of 256 KiB.
    assert stands(before)["r"] - stands(again)["r"] == 3
