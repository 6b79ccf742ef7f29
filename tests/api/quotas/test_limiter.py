"""Quotas as a client meets them: what is counted, what is refused and how, and what every answer says of it."""

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api import create_app
from api.quotas.limiter import units_of
from api.settings import Settings
from tests.api.holders import by
from tests.api.memory_keys import PEPPER, MemoryKeys
from tests.api.posting import ATTACK, MOVES, TEMPLATE, ask, attack, problem, with_questions
from tests.api.small_quotas import Clock, cost, gateway, heavy, stands, stopped

HERE = {"REMOTE_ADDR": "192.0.2.1"}
ELSEWHERE = {"REMOTE_ADDR": "192.0.2.2"}


@pytest.fixture
def clock() -> Clock:
    return Clock()


# What is counted


@pytest.mark.parametrize(
    ("method", "path", "units"),
    [
        ("GET", "/v1/games", 1),
        ("HEAD", "/v1/games", 1),
        ("GET", f"/v1/games/{TEMPLATE.name}/rules", 1),
        ("GET", "/v1/jobs/0123456789abcdef0123456789abcdef", 1),
        ("GET", "/v1/games/none", 1),
        ("GET", "/nowhere", 1),
        ("DELETE", "/v1/games", 1),
        ("GET", ATTACK, 1),
        ("POST", ATTACK, 1),
        ("POST", f"{ATTACK}/odds", 5),
        ("POST", f"{ATTACK}/simulations", 5),
        ("POST", "/v1/boards/import", 5),
    ],
)
def test_what_a_request_costs_by_its_route(method: str, path: str, units: int) -> None:
    client = gateway(10)
    answer = client.open(path, method=method)
    assert cost(answer, 10) == units


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/healthz"),
        ("GET", "/metrics"),
        ("GET", "/problems"),
        ("GET", "/v1/limits"),
        ("GET", "/problems/invalid"),
        ("OPTIONS", ATTACK),
        ("OPTIONS", "/nowhere"),
    ],
)
def test_what_costs_nothing_is_never_refused_and_says_nothing_of_quotas(method: str, path: str) -> None:
    client = gateway(10)
    for _ in range(11):
        client.get("/v1/games")
    problem(client.get("/v1/games"), 429, "too-many-requests")
    answer = client.open(path, method=method)
    assert answer.status_code != 429
    assert not {"RateLimit", "RateLimit-Policy", "Retry-After"} & set(answer.headers.keys())


@pytest.mark.parametrize(
    ("length", "units"), [(262_143, 1), (262_144, 2), (1_048_576, 5), (10**20, 1), ("none", 1), (-5, 1)]
)
def test_a_long_body_costs_more_before_it_is_read(length: Any, units: int) -> None:
    client = gateway(100)
    answer = client.post(ATTACK, environ_overrides={"CONTENT_LENGTH": str(length), "CONTENT_TYPE": "text/plain"})
    assert cost(answer, 100) == units


def test_a_body_that_does_not_say_its_length_costs_as_the_longest() -> None:
    client = gateway(100, max_body_bytes=524_288)
    said = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True, "CONTENT_TYPE": "text/plain"}
    assert cost(client.post(ATTACK, environ_overrides=said), 100) == 3


def test_a_refused_caller_has_no_body_read() -> None:
    class Unread:
        def read(self, *_: int) -> bytes:
            raise AssertionError("somebody reads")

        readline = readinto = read

    client = gateway(10)
    for _ in range(10):
        client.get("/v1/games")
    answer = client.post(
        ATTACK, environ_overrides={"wsgi.input": Unread(), "CONTENT_LENGTH": "1000", "CONTENT_TYPE": "application/json"}
    )
    problem(answer, 429, "too-many-requests")


def test_callers_do_not_spend_each_others_quota() -> None:
    client = gateway(10)
    for _ in range(11):
        client.get("/v1/games", environ_overrides=HERE)
    assert client.get("/v1/games", environ_overrides=HERE).status_code == 429
    assert client.get("/v1/games", environ_overrides=ELSEWHERE).status_code == 200


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("", "192.0.2.1", False),
    ],
)
def test_an_address_of_version_6_counts_with_its_neighbours(one: str, other: str, same: bool) -> None:
    client = gateway(10)
    for _ in range(10):
        client.get("/v1/games", environ_overrides={"REMOTE_ADDR": one})
    answer = client.get("/v1/games", environ_overrides={"REMOTE_ADDR": other})
    assert (answer.status_code == 429) == same


# How it is refused


def test_a_spent_quota_is_a_problem_that_says_how_long_to_wait() -> None:
    client = gateway(20)
    for _ in range(17):
        client.get("/v1/games")
    # Odds cost five: they fit when the 17 weigh less than 16, which is 3.53 seconds into the next window.
    answer = ask(client, f"{ATTACK}/odds", attack())
    told = problem(answer, 429, "too-many-requests")
    assert {name: told[name] for name in ("policy", "quota", "window_s", "cost", "left", "wait_s")} == {
        "policy": "burst",
        "quota": 20,
        "window_s": 60,
        "cost": 5,
        "left": 3,
        "wait_s": 64,
    }
    assert all(part in told["detail"] for part in ("costs: 5", "left: 3 of 20", "again: 64", "'burst'"))
    assert answer.headers["Retry-After"] == "64"
    assert stands(answer) == {"q": 20, "w": 60, "r": 3, "t": 64}
    # What was refused cost nothing, and what there is enough for is answered.
    assert stands(client.get("/v1/games"))["r"] == 2


def test_spent_units_come_back_evenly_in_the_next_window(clock: Clock) -> None:
    client = gateway(60, clock=clock)
    for _ in range(60):
        assert client.get("/v1/games").status_code == 200
    assert client.get("/v1/games").headers["Retry-After"] == "61"
    clock.now += 60
    assert client.get("/v1/games").status_code == 429
    clock.now += Fraction(1, 2)
    assert client.get("/v1/games").status_code == 200
    assert client.get("/v1/games").status_code == 429
    clock.now += Fraction(119, 2)
    assert stands(client.get("/v1/games")) == {"q": 60, "w": 60, "r": 58, "t": 61}
    clock.now += 3_600
    assert stands(client.get("/v1/games")) == {"q": 60, "w": 60, "r": 59, "t": 61}, "never more than the quota"


def test_who_goes_on_after_a_refusal_is_refused_from_memory(clock: Clock) -> None:
    client = gateway(60, clock=clock)
    for _ in range(61):
        last = client.get("/v1/games")
    counts = client.application.extensions["quotas"].local
    assert (last.status_code, before := counts.asked) == (429, counts.asked)
    again = [client.get("/v1/games") for _ in range(50)]
    assert {(answer.status_code, answer.headers["Retry-After"]) for answer in again} == {(429, "61")}
    assert counts.asked == before
    # A moment later others may have given units back.
    clock.now += Fraction(1, 4)
    assert client.get("/v1/games").status_code == 429
    assert counts.asked > before


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_jumps_by_an_hour_gives_nobody_more_than_a_new_quota(clock: Clock, hours: int) -> None:
    client = gateway(60, clock=clock)
    for _ in range(60):
        client.get("/v1/games")
    clock.now += hours * 3_600
    admitted = sum(client.get("/v1/games").status_code == 200 for _ in range(200))
    assert admitted <= 60
    # And nobody waits for the hour: after two windows at most there is a quota again.
    clock.now += 121
    assert client.get("/v1/games").status_code == 200


def test_who_waits_as_told_is_let_in(clock: Clock) -> None:
    client, began = gateway(17, clock=clock), clock.now
    for _ in range(200):
        answer = ask(client, f"{ATTACK}/odds", attack())
        if answer.status_code == 429:
            clock.now += int(answer.headers["Retry-After"])
            assert ask(client, f"{ATTACK}/odds", attack()).status_code == 200
    assert clock.now > began + 2_000


def test_who_waits_as_told_is_let_in_past_the_view_and_the_estimate(clock: Clock) -> None:
    client = gateway(17, game=heavy(1_000.0), clock=clock)
    before: list[int] = []
    for _ in range(100):
        answer = ask(client, ATTACK, attack())
        # First only the cost of the view is known; with the estimate the wait is that for all of it.
        needed = problem(answer, 429, "too-many-requests")["cost"] if answer.status_code == 429 else 0
        assert needed in {0, 1, 8}
        assert needed == 0 or before[-1:] != [8], "who has waited for all of it is let in"
        before.append(needed)
        clock.now += int(answer.headers.get("Retry-After", 0))
    assert before.count(8) > 20
    assert before.count(0) > 20


def test_every_view_below_v1_declares_its_cost() -> None:
    app = create_app(Settings(log_level="error"), {TEMPLATE.name: TEMPLATE})
    for rule in app.url_map.iter_rules():
        costs = rule.rule.startswith("/v1/") and rule.rule != "/v1/limits"
        assert (units_of(app.view_functions[rule.endpoint]) > 0) == costs, rule.rule


def test_a_refused_request_is_counted_and_logged_like_any_other(capsys: pytest.CaptureFixture[str]) -> None:
    client = stopped(create_app(Settings(anonymous_units_per_minute=10), {TEMPLATE.name: TEMPLATE})).test_client()
    for _ in range(11):
        refused = client.get("/v1/games")
    assert (
        b'arbiter_requests_total{game="",question="",route="/v1/games",status="429"} 1.0' in client.get("/metrics").data
    )
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"status":429' in line]
    assert [(line["route"], line["request_id"]) for line in lines] == [("/v1/games", refused.headers["X-Request-Id"])]


def _failing(_: Any) -> Any:
    raise ZeroDivisionError


def _errors() -> Flask:
    game = with_questions(TEMPLATE, attack=replace(TEMPLATE.questions["attack"], prepare=_failing))
    return stopped(create_app(Settings(log_level="error", max_body_bytes=1_024), {game.name: game}))


@pytest.mark.parametrize(
    ("status", "asked"),
    [
        (400, {"path": MOVES, "method": "POST", "json": {}, "headers": {"Idempotency-Key": "\u00e4"}}),
        (404, {"path": "/v1/nothing", "method": "GET"}),
        (405, {"path": "/v1/games", "method": "PATCH"}),
        (406, {"path": "/v1/games", "method": "GET", "headers": {"Accept": "image/png"}}),
        (413, {"path": MOVES, "method": "POST", "json": {"case": "x" * 2_000}}),
        (415, {"path": MOVES, "method": "POST", "data": b"{}", "content_type": "text/plain"}),
        (422, {"path": MOVES, "method": "POST", "json": {}}),
        (500, {"path": ATTACK, "method": "POST", "json": attack()}),
        (503, {"path": "/v1/jobs", "method": "GET"}),
    ],
    ids=lambda each: str(each) if isinstance(each, int) else "",
)
def test_every_error_may_be_read_by_a_page_and_says_what_is_left(status: int, asked: Mapping[str, Any]) -> None:
    answer = _errors().test_client().open(**asked)
    assert answer.status_code == status
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    readable = {name.strip() for name in answer.headers["Access-Control-Expose-Headers"].split(",")}
    assert {"RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"} <= readable
    assert stands(answer)["r"] == 599


# Who asks


def with_keys() -> tuple[FlaskClient, MemoryKeys]:
    settings = Settings(
        log_level="error", anonymous_units_per_minute=20, key_units_per_minute=50, key_peppers=(PEPPER,)
    )
    keys = MemoryKeys()
    return stopped(create_app(settings, {TEMPLATE.name: TEMPLATE}, None, keys)).test_client(), keys


@pytest.mark.parametrize(("own", "units"), [(None, 50), (7_777, 7_777)])
def test_each_key_has_its_quota(own: int | None, units: int) -> None:
    client, keys = with_keys()
    answer = client.get("/v1/games", headers=by(keys.make(units_per_minute=own)))
    assert stands(answer)["q"] == units
    assert stands(answer)["r"] == units - 1
    # What a key spends is not taken from the address that it comes from.
    assert stands(client.get("/v1/games"))["r"] == 19


def test_two_keys_of_one_holder_spend_one_quota() -> None:
    client, keys = with_keys()
    client.get("/v1/games", headers=by(keys.make("acme")))
    assert stands(client.get("/v1/games", headers=by(keys.make("acme"))))["r"] == 48
    assert stands(client.get("/v1/games", headers=by(keys.make("other"))))["r"] == 49


def test_who_guesses_keys_pays_with_the_quota_of_the_address() -> None:
    client, keys = with_keys()
    statuses = [client.get("/v1/games", headers={"Authorization": "Bearer wrong"}).status_code for _ in range(6)]
    assert statuses == [401, 401, 401, 401, 429, 429]
    assert client.get("/v1/games", headers=by(keys.make())).status_code == 200


# What is published


def test_the_quotas_and_costs_are_published() -> None:
    told = json.loads(gateway(40, key_units_per_minute=900).get("/v1/limits").data)
    assert told["rates"] == [
        {"caller": "anonymous", "policy": "burst", "quota": 40, "window_s": 60, "most_of_a_request": 20},
        {"caller": "key", "policy": "burst", "quota": 900, "window_s": 60, "most_of_a_request": 450},
    ]
    costs = {each["name"]: each["units"] for each in told["costs"]}
    assert {"look-up": 1, "ruling": 1, "odds": 5, "simulation": 5, "board": 5, "bad-key": 5}.items() <= costs.items()


def test_the_contract_names_the_fields_and_the_refusal_of_every_operation() -> None:
    document = json.loads(gateway().get("/openapi.json").data)
    refusal = document["components"]["responses"]["Problem"]
    assert {"Retry-After", "RateLimit", "RateLimit-Policy"} <= refusal["headers"].keys()
    for path, by_method in document["paths"].items():
        for method, operation in by_method.items():
            assert operation["responses"]["default"] == {"$ref": "#/components/responses/Problem"}, (path, method)
