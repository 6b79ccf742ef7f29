"""Whose jobs: what is made with a key is its holder's, and nowhere for all others."""

import json
from collections.abc import Mapping

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api import create_app
from api.auth import keys
from api.auth.callers import Callers
from api.resources import job_events
from tests.api.holders import by
from tests.api.holders import client as client
from tests.api.holders import made as made
from tests.api.holders import store as store
from tests.api.memory_jobs import MemoryJobs
from tests.api.memory_keys import ORIGIN, MemoryKeys, settings
from tests.api.posting import ATTACK, GAMES, ask, attack, problem

SIMULATE = f"{ATTACK}/simulations"


def jobs_of(client: FlaskClient, headers: Mapping[str, str]) -> list[str]:
    return [job["id"] for job in json.loads(client.get("/v1/jobs", headers=headers).data)["jobs"]]


def looks(client: FlaskClient, id_: str, headers: Mapping[str, str]) -> list[TestResponse]:
    """Give everything that can be had of a job by its id; the last of it ends the job."""
    path = f"/v1/jobs/{id_}"
    paths = [path, f"{path}/result", f"{path}/result.svg", f"{path}/events"]
    return [*(client.get(each, headers=headers, buffered=True) for each in paths), client.delete(path, headers=headers)]


def test_a_job_of_a_key_is_nowhere_for_all_others(client: FlaskClient, made: MemoryKeys, store: MemoryJobs) -> None:
    mine, also_mine = by(made.make("acme")), by(made.make("acme"))
    theirs, in_page = by(made.make("umbra")), by(made.make("web", "publishable", keys.SCOPES), Origin=ORIGIN)
    id_ = json.loads(ask(client, SIMULATE, attack(count=3), headers=mine).data)["id"]
    # Once before anybody has looked, and once when this process remembers a look.
    for _ in range(2):
        for headers in (theirs, in_page, {}):
            for answer, unknown in zip(looks(client, id_, headers), looks(client, "0" * 32, headers), strict=True):
                told, nothing = (problem(each, 404, "not-found") for each in (answer, unknown))
                for each in (told, nothing):
                    each["request_id"] = ""
                assert json.dumps(told).replace(id_, "0" * 32) == json.dumps(nothing)
            assert jobs_of(client, headers) == []
        for headers in (mine, also_mine):
            assert [answer.status_code for answer in looks(client, id_, headers)] == [200] * 5
            assert jobs_of(client, headers) == [id_]
    assert store.kept[id_].job.state == "successful"


def test_an_open_job_of_a_key_is_not_ended_by_others(made: MemoryKeys) -> None:
    store = MemoryJobs()
    client = create_app(settings(), GAMES, store, made).test_client()
    mine = by(made.make("acme"))
    id_ = json.loads(ask(client, SIMULATE, attack(count=3), headers=mine).data)["id"]
    for headers in ({}, by(made.make("umbra"))):
        problem(client.delete(f"/v1/jobs/{id_}", headers=headers), 404, "not-found")
    assert store.kept[id_].job.state == "accepted"
    assert client.delete(f"/v1/jobs/{id_}", headers=mine).status_code == 200
    assert store.kept[id_].job.state == "dismissed"


def test_the_same_work_of_two_holders_is_two_jobs_with_one_result(client: FlaskClient, made: MemoryKeys) -> None:
    asking = [by(made.make("acme")), by(made.make("umbra")), {}]
    ids = [json.loads(ask(client, SIMULATE, attack(count=3), headers=each).data)["id"] for each in asking]
    assert len(set(ids)) == 3
    got = [client.get(f"/v1/jobs/{id_}/result", headers=each).data for id_, each in zip(ids, asking, strict=True)]
    assert got[0] == got[1] == got[2]


def test_a_job_without_a_key_is_seen_by_who_knows_its_id_and_listed_to_its_address(
    client: FlaskClient, made: MemoryKeys
) -> None:
    id_ = json.loads(ask(client, SIMULATE, attack(count=3)).data)["id"]
    elsewhere = {"environ_overrides": {"REMOTE_ADDR": "203.0.113.9"}}
    assert client.get(f"/v1/jobs/{id_}/result", **elsewhere).status_code == 200
    assert client.get(f"/v1/jobs/{id_}", headers=by(made.make())).status_code == 200
    assert json.loads(client.get("/v1/jobs", **elsewhere).data)["jobs"] == []
    assert jobs_of(client, {}) == [id_]


def test_the_same_idempotency_key_of_two_holders_is_two_keys_and_two_seeds(
    client: FlaskClient, made: MemoryKeys
) -> None:
    one, also_one, other = (by(made.make(name), **{"Idempotency-Key": "k"}) for name in ("acme", "acme", "umbra"))
    dice = [json.loads(ask(client, ATTACK, attack(), headers=each).data)["seed"] for each in (one, also_one, other)]
    assert dice[0] == dice[1] != dice[2]
    for headers, body in ((one, attack(count=3)), (other, attack(count=4))):
        assert ask(client, SIMULATE, body, headers=headers).status_code == 202
    problem(ask(client, SIMULATE, attack(count=4), headers=also_one), 422, "key-reused")


def test_who_is_followed_with_a_key_that_is_revoked_is_told_no_more(made: MemoryKeys) -> None:
    callers = Callers(settings(), made, now=lambda: 1_000.0)
    key = made.make()
    asking = callers.identify({"HTTP_AUTHORIZATION": f"Bearer {key}"})
    assert callers.counts(asking)
    assert callers.counts(callers.identify({"REMOTE_ADDR": "192.0.2.1"}))
    made.revoke(key)
    assert not callers.counts(asking)


def test_a_stream_ends_with_the_key_that_opened_it(made: MemoryKeys, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOOK_EVERY_S", "SURE_EVERY_S"):
        monkeypatch.setattr(job_events, name, 0.0)
    client = create_app(settings(), GAMES, MemoryJobs(), made).test_client()
    key = made.make()
    id_ = json.loads(ask(client, SIMULATE, attack(count=3), headers=by(key)).data)["id"]
    stream = client.get(f"/v1/jobs/{id_}/events", headers=by(key), buffered=False)
    told = iter(stream.response)
    assert b"retry" in next(told)
    assert b"accepted" in next(told)
    made.revoke(key)
    # The job goes on, and nothing more is told of it.
    assert list(told) == []
    stream.close()
