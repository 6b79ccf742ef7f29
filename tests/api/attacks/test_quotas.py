"""Attacks on quotas: other addresses, methods and lengths, all at once. Nobody gets more than was agreed on."""

import json
import threading
from collections import Counter

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api import create_app
from tests.api.memory_keys import MemoryKeys, settings
from tests.api.posting import ATTACK, attack
from tests.api.small_quotas import stands, stopped
from tests.api.strangers import GAME, at, by, guess
from tests.api.strangers import app as app
from tests.api.strangers import client as client
from tests.api.strangers import made as made
from tests.api.strangers import store as store


def test_forged_forwarding_gives_no_quota_where_no_proxy_is_trusted(client: FlaskClient) -> None:
    left = []
    for last in range(20):
        forged = f"203.0.113.{last}"
        answer = client.get(
            "/v1/games", headers={"X-Forwarded-For": forged, "X-Real-IP": forged, "Forwarded": f"for={forged}"}
        )
        left.append(stands(answer)["r"])
    assert left == list(range(599, 579, -1))


@pytest.mark.parametrize(
    "forged", ["203.0.113.{}", "203.0.113.{0}, 10.0.0.{0}", "[2001:db8::{}]:80", "x{}, " * 200, ",{},"]
)
def test_behind_a_proxy_what_a_client_wrote_before_it_gives_no_quota(made: MemoryKeys, forged: str) -> None:
    client = stopped(create_app(settings(trusted_proxies=1), GAME, None, made)).test_client()
    said = [f"{forged.format(*[n] * 200)}, 198.51.100.1" for n in range(10)]
    left = [stands(client.get("/v1/games", headers={"X-Forwarded-For": each}))["r"] for each in said]
    assert left == list(range(599, 589, -1))
    other = client.get("/v1/games", headers={"X-Forwarded-For": "203.0.113.1, 198.51.100.2"})
    assert stands(other)["r"] == 599


def test_moving_about_in_ones_own_network_gives_no_quota(client: FlaskClient) -> None:
    inside = [f"2001:db8:0:7:{n:x}::{n:x}" for n in range(1, 30)]
    left = [stands(client.get("/v1/games", environ_base=at(each)))["r"] for each in inside]
    assert left == list(range(599, 570, -1))
    assert stands(client.get("/v1/games", environ_base=at("2001:db8:0:8::1")))["r"] == 599
    mapped = [stands(client.get("/v1/games", environ_base=at(each)))["r"] for each in ("192.0.2.9", "::ffff:192.0.2.9")]
    assert mapped == [599, 598]


def test_two_keys_of_one_holder_have_one_quota(client: FlaskClient, made: MemoryKeys) -> None:
    one, other = by(made.make("acme")), by(made.make("acme"))
    left = [stands(client.get("/v1/games", headers=each))["r"] for each in (one, other, one, other)]
    assert left == [5_999, 5_998, 5_997, 5_996]


def test_asking_at_once_gives_no_more_than_asking_in_turn(app: Flask, client: FlaskClient) -> None:
    """Threads that spend together spend the quota, to the unit: in one process there is no error."""
    got: Counter[int] = Counter()

    def spend() -> None:
        mine = app.test_client()
        statuses = [mine.get("/v1/games", environ_base=at("203.0.113.200")).status_code for _ in range(90)]
        got.update(statuses)

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {200: 600, 429: 120}


@pytest.mark.parametrize("method", ["HEAD", "DELETE", "PATCH", "TRACE", "PROPFIND", "FOO", "get"])
def test_other_methods_are_no_way_round_the_quota(made: MemoryKeys, method: str) -> None:
    client = stopped(create_app(settings(anonymous_units_per_minute=60), GAME, None, made)).test_client()
    got = Counter(client.open("/v1/games", method=method).status_code for _ in range(70))
    assert got[429] == 10


@pytest.mark.parametrize(
    "length", ["-1", "-999999999", "1e9", "0x10", "99999999999999999999", "٣", "", " 5", "+5", "5, 5"]
)
def test_a_length_that_is_none_breaks_nothing_and_pays_no_less(client: FlaskClient, length: str) -> None:
    answer = client.post(
        ATTACK, data=json.dumps(attack()), content_type="application/json", environ_overrides={"CONTENT_LENGTH": length}
    )
    assert answer.status_code in {200, 400, 413, 422}
    assert stands(answer)["r"] <= 599


def test_a_preflight_is_free_and_tells_nothing(client: FlaskClient, made: MemoryKeys) -> None:
    for _ in range(50):
        answer = client.options(f"/v1/jobs/{'0' * 32}", headers=guess())
        assert (answer.status_code, answer.data) == (200, b"")
        assert "RateLimit" not in answer.headers
    assert made.asked == 0
