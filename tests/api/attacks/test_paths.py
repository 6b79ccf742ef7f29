"""Paths, parameters and headers by which other services have been led astray: each leads where it says, or nowhere.

Paths are put where the server puts them, already unescaped, so that no client can tidy them up before. After each
attack the list of games is still there.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from flask import Flask
from werkzeug.test import EnvironBuilder, run_wsgi_app

from api import create_app
from api.settings import Settings
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, GAMES, attack
from workers.jobs.work import Work

APP: Flask = create_app(Settings(log_level="error", rate_limits=False), GAMES, MemoryJobs())
GAME = "/v1/games/stargrave"


def go(path: str, method: str = "GET", query: str = "", **said: str) -> tuple[int, dict[str, str], bytes]:
    """Ask for a path as it stands on the request line."""
    environ = EnvironBuilder(path="/", method=method).get_environ()
    environ.update(PATH_INFO=unquote_to_bytes(path).decode("latin-1"), QUERY_STRING=query, RAW_URI=path, **said)
    body, status, headers = run_wsgi_app(APP.wsgi_app, environ)
    return int(status[:3]), dict(headers), b"".join(body)


@pytest.fixture(autouse=True)
def answers_afterwards() -> Iterator[None]:
    yield
    assert go("/v1/games")[0] == 200


NOWHERE = (
    # Out of the folder of the documentation.
    "/docs/../../../../etc/passwd",
    "/docs/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/docs/..%2f..%2f..%2fetc%2fpasswd",
    "/docs/%252e%252e/etc/passwd",
    "/docs/..%252f..%252fetc",
    "/docs/....//....//etc/passwd",
    "/docs/..;/etc/passwd",
    "/docs/..\\..\\etc\\passwd",
    "/docs/..%5c..%5capi",
    "/docs/..%c0%af..%c0%afetc",
    "/docs/C:/windows/win.ini",
    "/docs/index.html%00.js",
    "/docs/%00",
    "/docs/.",
    "/docs/..",
    "/docs/./index.html/",
    "/docs/../api/app.py",
    "/docs/../openapi.yaml",
    "/docs/static/../index.html",
    "/docs/.git/config",
    "/docs/~root",
    "/docs/file:///etc/passwd",
    "/docs/CON",
    "/docs/index.html::$DATA",
    "/docs/index.html.",
    "/docs/index.html%20",
    "/docs/INDEX.HTML",
    "/docs/__init__.py",
    "/docs/*",
    "/docs/" + "../" * 500,
    # Other spellings of paths that there are.
    "/v1/games/",
    "/v1/games//",
    "/V1/games",
    "/v1/Games",
    "/v1/./games",
    "/v1/../v1/games",
    "/v1/%2e/games",
    "/v1%2fgames%2f",
    "/v1/games;",
    "/v1/games;jsessionid=1",
    "/v1;x/games",
    "/v1/games.json",
    "/v1/games%00",
    "/v1/games%20",
    "/v1/games%0a",
    "/v1/games%0d%0aX:y",
    "/v1/games%3f",
    "/v1/games%23",
    "/v1/games%09",
    "/%76%31/GAMES",
    "/v1/games/STARGRAVE",
    "/v1/games/stargrave%00",
    "/v1/games/stargrave;",
    "/v1/games/stargrave%2e",
    "/v1/games/star%67rave%20",
    "/v1/games/..",
    "/v1/games/%2e%2e/jobs",
    "/v1/games/ѕtargrave",
    "/v1/games/stargrave\u200b",
    "/v1/games/sta\u00adrgrave",
    "/v1/games/%ff",
    "/v1/games/%ed%a0%80",
    "/v1/games/%c0%ae",
    "/v1/games/%f4%90%80%80",
    "/v1/games/%25",
    "/v1/games/__proto__",
    "/v1/games/constructor",
    "/v1/games/{game}",
    "/v1/games/<game>",
    "/v1/games/%3Cscript%3E",
    "/v1/games/' OR 1=1",
    "/v1/games/$(id)",
    "/v1/games/{{7*7}}",
    "/v1/games/%s%s%n",
    "/v1/games/_template",
    "/v1/games/services._template",
    "/v1/games/" + "a" * 8_000,
    "/" + "a/" * 4_000,
    # Jobs that no store has, and names that could be keys of it.
    "/v1/jobs/*",
    "/v1/jobs/" + "0" * 31,
    "/v1/jobs/" + "0" * 33,
    "/v1/jobs/" + "A" * 32,
    "/v1/jobs/" + "0" * 32,
    "/v1/jobs/" + "0" * 32 + "%0a",
    "/v1/jobs/" + "%00" * 32,
    "/v1/jobs/" + "𝟎" * 32,
    "/v1/jobs/" + "٠" * 32,
    "/v1/jobs/%2e%2e/games",
    "/v1/jobs/arbiter:counters",
    "/v1/jobs/" + "0" * 32 + ":work",
    "/v1/jobs/-inf",
    "/v1/jobs/" + "0" * 32 + "/result/",
    "/v1/jobs/" + "0" * 32 + "/work",
    "/v1/jobs/" + "0" * 32 + "%2fresult",
    # Hosts and schemes.
    "//evil.example",
    "//evil.example/",
    "//evil.example/..",
    "/\\evil.example",
    "/%5cevil.example",
    "///evil.example/%2f..",
    "/http://evil.example",
    "/https:evil.example",
    "/@evil.example",
    "/%09/evil.example",
    "/.evil.example",
    "*",
    "evil.example:443",
    # What other services have.
    "/.env",
    "/.git/HEAD",
    "/server-status",
    "/actuator/env",
    "/console",
    "/debug",
    "/static/",
    "/wp-login.php",
    "/cgi-bin/sh",
    "/metrics/",
    "/healthz/",
    "/problems/",
    "/openapi.json/",
    "/favicon.ico/..",
)


@pytest.mark.parametrize("path", NOWHERE, ids=lambda path: path[:40])
def test_a_path_of_tricks_leads_nowhere(path: str) -> None:
    status, headers, body = go(path)
    assert status == 404
    assert "Location" not in headers
    assert headers["Content-Type"] == "application/problem+json"
    told = json.loads(body)
    assert told["type"] == "/problems/not-found"
    # What is echoed is short and escaped; nothing of a file is in it.
    assert len(body) < 10_000
    assert told["instance"].isascii()
    assert not {"\r", "\n", "\x00", "<"} & set(told["instance"])
    assert b"root:" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "HEAD"])
@pytest.mark.parametrize("path", ["/docs/..%2f..%2fetc/passwd", "/v1/games%2f..", "/v1/jobs/..%00", "//evil.example"])
def test_nor_does_it_by_another_method(method: str, path: str) -> None:
    assert go(path, method)[0] in {404, 405}


HOSTS = ("evil.example", "evil.example:80", "evil.example/x", "[::1", "a@b", "", "x\\y")
NOWHERE = ("/v1//games", "/docs//evil.example", "/docs/%2fetc/passwd", "/v1//games//stargrave")


def test_a_path_that_moved_moved_on_this_host() -> None:
    """A host that the client made up would otherwise lead whoever is given the cached answer away."""
    for host in HOSTS:
        status, headers, body = go("/docs/", HTTP_HOST=host, HTTP_X_FORWARDED_HOST="evil.example")
        assert (status, headers["Location"]) == (308, "/docs"), host
        assert b"evil.example" not in body


def test_a_path_with_two_slashes_leads_nowhere() -> None:
    for path in NOWHERE:
        for host in HOSTS:
            status, headers, _ = go(path, HTTP_HOST=host, HTTP_X_FORWARDED_HOST="evil.example")
            assert status == 404, path
            assert "Location" not in headers


OVERRIDES = {
    "HTTP_X_HTTP_METHOD_OVERRIDE": "DELETE",
    "HTTP_X_HTTP_METHOD": "DELETE",
    "HTTP_X_METHOD_OVERRIDE": "DELETE",
    "HTTP_X_ORIGINAL_URL": "/metrics",
    "HTTP_X_REWRITE_URL": "/metrics",
    "HTTP_X_FORWARDED_PREFIX": "/metrics",
    "HTTP_X_FORWARDED_HOST": "evil.example",
    "HTTP_X_FORWARDED_PROTO": "gopher",
    "HTTP_X_ORIGINAL_METHOD": "DELETE",
    "HTTP_FORWARDED": "for=127.0.0.1;host=evil.example",
    "HTTP_X_HOST": "evil.example",
    "HTTP_RANGE": "bytes=0-0",
    "HTTP_IF_NONE_MATCH": "*",
    "HTTP_IF_MATCH": '"x"',
    "HTTP_EXPECT": "x",
}


@pytest.mark.parametrize("name", OVERRIDES)
def test_a_header_makes_no_other_request_of_a_look_up(name: str) -> None:
    status, _, body = go("/v1/games", **{name: OVERRIDES[name]})
    assert status == 200
    assert body == go("/v1/games")[2]


@pytest.mark.parametrize("query", ["_method=DELETE", "method=DELETE", "X-HTTP-Method-Override=DELETE"])
def test_a_job_is_not_dismissed_by_looking_at_it(query: str) -> None:
    store = MemoryJobs()
    client = create_app(Settings(log_level="error", rate_limits=False), GAMES, store).test_client()
    body = json.dumps(attack())
    job = store.submit(Work("ruling", "template-skirmish", "attack", body, "s"), caller="me", estimate_ms=1.0).job
    for method in ("GET", "HEAD"):
        client.open(f"/v1/jobs/{job.id}?{query}", method=method, headers={"X-HTTP-Method-Override": "DELETE"})
    assert store.kept[job.id].job.state == "accepted"


def test_callers_are_not_told_apart_by_what_they_say_of_themselves() -> None:
    """Whose list a job is on hangs on the address of the connection, not on a header that anybody can write."""
    store = MemoryJobs()
    client = create_app(Settings(log_level="error", rate_limits=False), GAMES, store).test_client()
    for address in ("1.2.3.4", "127.0.0.1", "::1"):
        client.post(
            ATTACK,
            data=json.dumps(attack()),
            content_type="application/json",
            headers={
                "Prefer": "respond-async",
                "X-Forwarded-For": address,
                "X-Real-IP": address,
                "Forwarded": f"for={address}",
            },
        )
    assert len({caller for kept in store.kept.values() for caller in kept.callers}) == 1


BAD_QUERIES = (
    "limit=1&limit=2",
    "limit=1&limit=1",
    "q=a&q=b",
    "limit[]=1",
    "limit[0]=1",
    "limit.=1",
    "limit%00=1",
    "limit=%00",
    "limit=%ff",
    "limit=+1",
    "limit=%201",
    "limit=1%20",
    "limit=1%0a",
    "limit=1e1",
    "limit=0x1",
    "limit=1.0",
    "limit=01",
    "limit=-1",
    "limit=0",
    "limit=-0",
    "limit=٣",
    "limit=99999999999999999999",
    "limit=1" + "0" * 3_000,
    "limit=",
    "limit",
    "limit=1;limit=2",
    "limit=1%26limit=2",
    "LIMIT=1",
    "Limit=1",
    "=",
    "=1",
    "x=1",
    "__proto__=1",
    "q=" + "a" * 4_000,
    "cursor=from-1%0a",
    "cursor=from-",
    "cursor=from--1",
    "cursor=from-1%00",
    "cursor=to-1",
    "cursor=from-" + "1" * 20,
    "cursor[$ne]=1",
    "q[$regex]=.*",
    "a=1&" * 2_000,
    "kind=rule&kind=unit",
    "access_token=x",
    "limit=1#limit=2",
)


@pytest.mark.parametrize("query", BAD_QUERIES, ids=lambda query: query[:30])
def test_parameters_that_are_not_understood_are_refused(query: str) -> None:
    status, _, body = go(f"{GAME}/rules", query=query.encode().decode("latin-1"))
    assert (status, json.loads(body)["type"]) == (422, "/problems/invalid")
    assert len(body) < 20_000


@pytest.mark.parametrize(
    "query",
    ["", "&", "&&&&", "q=%ff%fe", "q=%00", "q=%u0041", "q=%", "q=%zz", "q=%f0%9f", "q=.*", "q=(a%2b)%2b$", "q=<b>"],
)
def test_a_search_is_for_a_text_whatever_it_holds(query: str) -> None:
    status, headers, body = go(f"{GAME}/rules", query=query)
    assert (status, headers["Content-Type"]) == (200, "application/json")
    # Without words all entries are listed.
    found = json.loads(body)
    assert found["total"] > 0 if query.strip("&") == "" else found["match"] in {"good", "weak", "none"}


def test_the_names_that_are_offered_do_not_say_what_else_is_installed() -> None:
    """A path that leads nowhere tells of games and pages, and never of files, modules or keys."""
    for path in ("/v1/games/x", f"{GAME}/x", "/problems/x", "/v1/jobs/x"):
        said: Any = go(path)[2].decode()
        assert not any(word in said for word in (".py", "services.", "/work", "arbiter:", "Traceback"))
