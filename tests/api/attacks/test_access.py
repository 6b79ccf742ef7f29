"""Attacks of strangers on what is somebody's: keys, scopes, jobs. Each has one outcome, and the honest are answered.

Whoever guesses, forges or borrows gets less than whoever asks plainly, and nothing that is another's.
"""

import json
import re
from collections import Counter
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api import create_app
from api.auth import keys
from api.auth.callers import Callers, scope_of
from api.problems.handlers import ProblemError
from tests.api.memory_jobs import MemoryJobs
from tests.api.memory_keys import ORIGIN, MemoryKeys, settings
from tests.api.posting import ATTACK, GAMES, TEMPLATE, ask, attack, problem
from tests.api.strangers import AWAY, GAME, at, by, guess
from tests.api.strangers import app as app
from tests.api.strangers import client as client
from tests.api.strangers import made as made
from tests.api.strangers import store as store

SIMULATE = f"{ATTACK}/simulations"
NAME = TEMPLATE.name
UNKNOWN = "0" * 32


# Guessing


FREE_BUT_CHECKED = ("/", "/docs", "/openapi.yaml", "/v1/limits", "/.well-known/arbiter-keys.json", "/v1/games", "/x")


@pytest.mark.parametrize("path", FREE_BUT_CHECKED)
def test_whoever_tries_keys_pays_for_each_wherever_it_is_tried(client: FlaskClient, path: str) -> None:
    """Five units a guess, of 600: 120 guesses a minute, though most of these paths cost nothing to ask."""
    got = Counter(client.get(path, headers=guess()).status_code for _ in range(130))
    assert got == {401: 120, 429: 10}
    # Another address is another's quota, and a true key has its own.
    assert client.get("/v1/games", environ_base=at("203.0.113.5")).status_code == 200


@pytest.mark.parametrize("path", FREE_BUT_CHECKED)
def test_a_true_key_costs_nothing_where_nothing_costs(client: FlaskClient, made: MemoryKeys, path: str) -> None:
    answer = client.get(path, headers=by(made.make()), buffered=True)
    assert ("RateLimit" in answer.headers) == (path in {"/v1/games", "/x"})


def test_guesses_are_not_remembered(made: MemoryKeys) -> None:
    callers = Callers(settings(), made, now=lambda: 1_000.0)
    for _ in range(50):
        with pytest.raises(ProblemError):
            callers.identify({"HTTP_AUTHORIZATION": guess()["Authorization"]})
    assert callers._cache == {}


def test_a_guess_is_answered_alike_whether_its_id_is_known_or_not(client: FlaskClient, made: MemoryKeys) -> None:
    there, other = keys.parse(made.make()), keys.make("secret")
    told = []
    for parts in (other, keys.Parts("secret", there.id, other.secret)):
        answer = client.get("/v1/games", headers=by(parts.written))
        said = {**problem(answer, 401, "bad-key"), "request_id": ""}
        told.append((said, {name for name, _ in answer.headers}, answer.headers["WWW-Authenticate"]))
    assert told[0] == told[1]


def test_a_wrong_key_is_looked_up_each_time_and_a_true_one_opens_no_door_to_it(
    client: FlaskClient, made: MemoryKeys
) -> None:
    true = made.make()
    assert client.get("/v1/games", headers=by(true)).status_code == 200
    wrong = by(keys.Parts("secret", keys.parse(true).id, keys.make("secret").secret).written)
    before = made.asked
    for _ in range(3):
        problem(client.get("/v1/games", headers=wrong), 401, "bad-key")
    assert made.asked == before + 3


# Keys in the wrong place


@pytest.mark.parametrize("written", ["{}", "{}x", "%61rb_sk_{1}", "ARB_SK_", "%2561rb_sk_"])
@pytest.mark.parametrize("where", ["/v1/games?key={}", "/v1/games/{}", "/healthz?{}", "/v1/rulings/{}", "/docs/{}"])
def test_a_key_in_an_address_is_refused_and_not_repeated(
    client: FlaskClient, made: MemoryKeys, where: str, written: str
) -> None:
    key = made.make()
    said = written.replace("{1}", key[7:]).replace("{}", key)
    answer = client.get(where.replace("{}", said))
    problem(answer, 400, "key-in-url")
    assert key[-20:] not in answer.get_data(as_text=True)


def test_a_key_in_a_cookie_a_body_or_a_forwarding_field_is_nobodys(
    client: FlaskClient, made: MemoryKeys, store: MemoryJobs
) -> None:
    key = made.make()
    for more in (
        {"Cookie": f"Authorization=Bearer {key}; key={key}"},
        {"X-Forwarded-For": key},
        {"Forwarded": f"for={key}"},
        {"Proxy-Authorization": f"Bearer {key}"},
        {"X-Authorization": f"Bearer {key}"},
        {"X-Forwarded-Authorization": f"Bearer {key}"},
    ):
        answer = ask(client, SIMULATE, attack(count=3), headers=more)
        assert answer.status_code == 202
        assert store.kept[answer.get_json()["id"]].job.owner == "", more
    for body in (attack(key=key), attack(Authorization=f"Bearer {key}")):
        problem(ask(client, ATTACK, body), 422, "invalid")
    problem(client.get("/v1/games", headers={"X-API-Key": key}), 401, "bad-key")


@pytest.mark.parametrize(
    "said", ["Bearer {0},Bearer {1}", "Bearer {0} {1}", "Bearer {0}, Basic YTpi", "Bearer {0};{1}"]
)
def test_of_two_keys_none_counts(client: FlaskClient, made: MemoryKeys, said: str) -> None:
    both = said.format(made.make("one"), made.make("other"))
    problem(client.get("/v1/games", headers={"Authorization": both}), 401, "bad-key")


# Keys and pages


@pytest.mark.parametrize("origin", [ORIGIN, "null", "", "https://evil.example", "file://"])
def test_a_secret_key_from_a_page_is_refused_wherever_the_page_is(
    client: FlaskClient, made: MemoryKeys, origin: str
) -> None:
    answer = client.get("/v1/games", headers=by(made.make(), Origin=origin))
    problem(answer, 403, "secret-key-in-browser")


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "",
        "null",
        "*",
        "https://evil.example",
        "http://table.example",
        "https://table.example:444",
        "https://table.example.evil.example",
        "https://eviltable.example",
        "https://x.table.example",
        "https://table.example/",
        "https://table.example, https://evil.example",
        "https://evil.example https://table.example",
        "HTTPS://TABLE.EXAMPLE",
        " https://table.example\t.",
        "https://table.example\u3002evil",
        "https://user@table.example",
    ],
)
def test_a_publishable_key_from_any_other_origin_is_refused(
    client: FlaskClient, made: MemoryKeys, origin: str | None
) -> None:
    key = made.make("web", "publishable")
    headers = by(key) if origin is None else by(key, Origin=origin.encode().decode("latin-1"))
    # A page's address in `Referer` is not where it comes from, as far as keys are concerned.
    problem(client.get("/v1/games", headers={**headers, "Referer": f"{ORIGIN}/"}), 403, "wrong-origin")
    assert client.get("/v1/games", headers=by(key, Origin=ORIGIN)).status_code == 200


# Scopes: every route there is has its decision here


DECIDED: dict[str, dict[str, str | None]] = {
    "/": {"GET": None},
    "/.well-known/arbiter-keys.json": {"GET": None},
    "/.well-known/security.txt": {"GET": None},
    "/docs": {"GET": None},
    "/favicon.ico": {"GET": None},
    "/docs/": {"GET": None},
    "/docs/<game>": {"GET": None},
    "/docs/<game>/<question>": {"GET": None},
    "/docs/<game>/contract.json": {"GET": None},
    "/docs/<game>/<question>.json": {"GET": None},
    "/docs/<game>/<question>.svg": {"GET": None},
    "/docs/<game>/contract": {"GET": None},
    "/docs/files/<name>": {"GET": None},
    "/front/<name>.svg": {"GET": None},
    "/healthz": {"GET": None},
    "/metrics": {"GET": None},
    "/openapi.json": {"GET": None},
    "/openapi.yaml": {"GET": None},
    "/openapi/<game>.yaml": {"GET": None},
    "/problems": {"GET": None},
    "/problems/<slug>": {"GET": None},
    "/readyz": {"GET": None},
    "/table": {"GET": None},
    "/table/<path:name>": {"GET": None},
    "/table/picture.css": {"GET": None},
    "/table/scenes/<game>.json": {"GET": None},
    "/table/scenes/<game>.svg": {"GET": None},
    "/v1/batch": {"POST": "ask"},
    "/v1/boards/import": {"POST": "boards"},
    "/v1/epochs": {"GET": None},
    "/v1/epochs/<epoch>": {"GET": None},
    "/v1/games": {"GET": "ask"},
    "/v1/games/<game>": {"GET": "ask"},
    "/v1/games/<game>/data": {"GET": "ask"},
    "/v1/games/<game>/data/<table>": {"GET": "ask"},
    "/v1/games/<game>/openapi.json": {"GET": "ask"},
    "/v1/games/<game>/questions/<question>/examples": {"GET": "ask"},
    "/v1/games/<game>/picture": {"POST": "ask", "QUERY": "ask"},
    "/v1/games/<game>/readings": {"GET": "ask"},
    "/v1/games/<game>/rules": {"GET": "ask"},
    "/v1/games/<game>/rules/<path:id_>": {"GET": "ask"},
    "/v1/games/<game>/sources": {"GET": "ask"},
    "/v1/rules": {"GET": "ask"},
    "/v1/jobs": {"GET": "jobs"},
    "/v1/jobs/<job>": {"GET": "jobs", "DELETE": "jobs"},
    "/v1/jobs/<job>/events": {"GET": "jobs"},
    "/v1/jobs/<job>/result": {"GET": "jobs"},
    "/v1/jobs/<job>/result.svg": {"GET": "jobs"},
    "/v1/limits": {"GET": None},
    "/v1/rulings/<digest>": {"GET": None},
    "/v1/rulings/<digest>.png": {"GET": None},
    "/v1/rulings/<digest>.svg": {"GET": None},
    "/v1/rulings/<digest>/card.png": {"GET": None},
    "/v1/games/<game>/<question>": {"GET": "ask", "POST": "ask", "QUERY": "ask"},
    "/v1/games/<game>/<question>/odds": {"POST": "ask", "QUERY": "ask"},
    "/v1/games/<game>/<question>/simulations": {"POST": "jobs"},
    "/v1/games/<game>/boards/<digest>": {"GET": "ask", "PUT": "boards"},
}


def routes(app: Flask) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for rule in app.url_map.iter_rules():
        found.setdefault(rule.rule, set()).update((rule.methods or set()) - {"HEAD", "OPTIONS"})
    return found


def test_every_route_and_method_has_a_decision(app: Flask) -> None:
    there = routes(app)
    assert there.keys() - DECIDED.keys() == set(), "a new route: decide who may ask it, and write it into the table"
    assert DECIDED.keys() <= there.keys()
    for rule, methods in there.items():
        assert methods == DECIDED[rule].keys(), rule


def view_of(app: Flask, route: str, method: str) -> Any:
    """Give the view of a route and method."""
    rules = (rule for rule in app.url_map.iter_rules() if rule.rule == route and method in (rule.methods or ()))
    return app.view_functions[next(rules).endpoint]


CASES = [(rule, method, scope) for rule, each in DECIDED.items() for method, scope in each.items()]


@pytest.mark.parametrize(("rule", "method", "scope"), CASES, ids=[f"{method} {rule}" for rule, method, _ in CASES])
def test_a_route_is_for_its_scope_alone(
    client: FlaskClient, made: MemoryKeys, rule: str, method: str, scope: str | None
) -> None:
    assert scope_of(view_of(client.application, rule, method)) == scope
    path = re.sub(
        "<(?:path:)?[a-z_]+>",
        "x",
        rule.replace("<game>", NAME).replace("<question>", "attack").replace("<job>", UNKNOWN),
    )
    methods = [method, "HEAD"] if method == "GET" else [method]
    for each in keys.SCOPES:
        key = by(made.make(f"only-{each}", scopes=(each,)))
        for asked in methods:
            body = None if method == "GET" else b"{}"
            answer = client.open(path, method=asked, headers=key, data=body, buffered=True)
            if scope in {None, each}:
                assert answer.status_code not in {401, 403}, (each, asked)
            else:
                assert answer.status_code == 403, (each, asked)
                assert f'scope="{scope}"' in answer.headers["WWW-Authenticate"]


@pytest.mark.parametrize("scope", keys.SCOPES)
def test_boards_are_put_by_those_who_may_and_read_by_those_who_ask(made: MemoryKeys, scope: keys.Scope) -> None:
    client = create_app(settings(), {"blackstone-fortress": GAMES["blackstone-fortress"]}, None, made).test_client()
    key, path = by(made.make(scopes=(scope,))), f"/v1/games/blackstone-fortress/boards/{'0' * 64}"
    put = client.put(path, data=b"{}", content_type="application/json", headers=key)
    assert put.status_code == (422 if scope == "boards" else 403)
    assert client.get(path, headers=key).status_code == (404 if scope == "ask" else 403)


@pytest.mark.parametrize("prefer", ["respond-async", "wait=1, respond-async", "RESPOND-ASYNC", "respond-async; x=1"])
def test_a_key_for_asking_makes_no_job_by_preference(
    client: FlaskClient, made: MemoryKeys, store: MemoryJobs, prefer: str
) -> None:
    key = by(made.make(scopes=("ask",)), Prefer=prefer)
    for path in (ATTACK, f"{ATTACK}/odds"):
        answer = ask(client, path, attack(), headers=key)
        assert answer.status_code in {200, 403}
    assert store.kept == {}


# A service that answers nobody without a key


def test_without_a_key_no_way_leads_in_where_none_is_answered(made: MemoryKeys, store: MemoryJobs) -> None:
    app = create_app(settings(anonymous=False, redis_url=AWAY, rate_limits=False), GAME, store, made)
    client, key = app.test_client(), by(made.make())
    known = ask(client, ATTACK, attack(dice={"seed": 1}), headers=key)
    job = ask(client, SIMULATE, attack(count=3), headers=key).get_json()["id"]
    held = {"If-None-Match": known.headers["ETag"]}
    batch = {"queries": [{"game": NAME, "question": "attack", **attack()}]}
    asked: list[Any] = [
        ask(client, ATTACK, attack(dice={"seed": 1})),
        ask(client, ATTACK, attack(dice={"seed": 1}), method="POST", headers=held),
        client.open(ATTACK, method="QUERY", json=attack(dice={"seed": 1}), headers=held),
        client.open(
            ATTACK,
            method="QUERY",
            data=json.dumps(attack(dice={"seed": 1})),
            headers=held,
            content_type="application/json",
        ),
        ask(client, f"{ATTACK}/odds", attack()),
        ask(client, SIMULATE, attack(count=3)),
        ask(client, "/v1/batch", batch),
        ask(client, f"/v1/boards/import?game={NAME}", {}),
        client.get("/v1/games"),
        client.get(f"/v1/games/{NAME}"),
        client.get("/v1/jobs"),
        *(client.get(f"/v1/jobs/{job}{end}", buffered=True) for end in ("", "/result", "/events", "/result.svg")),
        client.delete(f"/v1/jobs/{job}"),
        client.head("/v1/games"),
        client.get("/v1/games", headers={"Cookie": f"key={key}"}),
        client.get("/v1/games", headers={"X-Forwarded-For": "127.0.0.1"}),
        client.get("/v1/games", environ_base=at("")),
        client.get("/v1/games", environ_base=at("127.0.0.1")),
    ]
    assert [answer.status_code for answer in asked] == [401] * len(asked)
    assert {answer.headers["WWW-Authenticate"] for answer in asked} == {'Bearer realm="arbiter"'}
    assert store.kept[job].job.state == "accepted"
    assert client.get(f"/v1/jobs/{job}", headers=key).status_code == 200
    # What is open to all: a link somebody was given, what a ruling is verified with, the limits, a browser's preflight.
    for path in (known.headers["Content-Location"], "/v1/limits", "/.well-known/arbiter-keys.json"):
        assert client.get(path).status_code == 200
    assert client.get("/v1/epochs").status_code != 401
    assert client.options(ATTACK).status_code == 200


# Somebody else's jobs


def test_who_knows_a_jobs_id_learns_nothing_with_another_key_or_a_place(
    client: FlaskClient, made: MemoryKeys, store: MemoryJobs
) -> None:
    mine = by(made.make("acme"))
    id_ = ask(client, SIMULATE, attack(count=3), headers=mine).get_json()["id"]
    store.do(id_)
    for theirs in (by(made.make("acm")), by(made.make("acme2")), {}, {"X-Forwarded-For": "127.0.0.1"}):
        for end in ("", "/result", "/result.svg", "/events"):
            for method in ("GET", "HEAD"):
                assert client.open(f"/v1/jobs/{id_}{end}", method=method, headers=theirs).status_code == 404
        assert client.delete(f"/v1/jobs/{id_}", headers=theirs).status_code == 404
        for after in ("0", id_, "99999999999-0"):
            listed = client.get(f"/v1/jobs?limit=100&after={after}", headers=theirs)
            assert id_ not in listed.get_data(as_text=True).replace(f"after={id_}", "")
    assert client.get(f"/v1/jobs/{id_}/result", headers=mine).status_code == 200


def test_a_job_goes_on_when_its_key_is_revoked_and_the_holders_next_key_has_it(
    client: FlaskClient, made: MemoryKeys, store: MemoryJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.auth.callers.FRESH_S", 0.0)
    lost, kept = made.make("acme"), made.make("acme")
    id_ = ask(client, SIMULATE, attack(count=3), headers=by(lost)).get_json()["id"]
    store.change(id_, state="running")
    made.revoke(lost)
    store.do(id_)
    for end in ("", "/result", "/events"):
        problem(client.get(f"/v1/jobs/{id_}{end}", headers=by(lost)), 401, "bad-key")
    assert client.get(f"/v1/jobs/{id_}/result", headers=by(kept)).status_code == 200


def test_a_job_of_a_key_is_not_had_by_posting_its_work_again(
    client: FlaskClient, made: MemoryKeys, store: MemoryJobs
) -> None:
    """Not its id, and neither whether somebody has asked the same."""
    mine = ask(client, SIMULATE, attack(count=3), headers=by(made.make("acme"), **{"Idempotency-Key": "k"}))
    theirs = ask(client, SIMULATE, attack(count=3), headers=by(made.make("umbra"), **{"Idempotency-Key": "k"}))
    nobodys = ask(client, SIMULATE, attack(count=3), headers={"Idempotency-Key": "k"})
    answers = [mine, theirs, nobodys]
    assert [answer.status_code for answer in answers] == [202] * 3
    assert len({answer.get_json()["id"] for answer in answers}) == 3
    assert {answer.get_json()["state"] for answer in answers} == {"accepted"}
