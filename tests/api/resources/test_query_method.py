"""QUERY (RFC 10008): the answers of POST, asked safely, with conditions as RFC 9110 has them for what only reads."""

import json
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api import create_app
from api.settings import Settings
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, GAMES, MOVES, TEMPLATE, ask, attack, problem, with_questions

BODY = attack(dice={"seed": 7}, policies={"*": "first"})
STAY = {"case": {"scene": attack()["case"]["scene"], "fighter": "ann"}}
LASTING = {"ETag", "Cache-Control", "Content-Location", "Accept-Query", "Vary"}


def query(client: FlaskClient, path: str, body: Any, **headers: str) -> TestResponse:
    data = body if isinstance(body, bytes) else json.dumps(body)
    said = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.open(path, method="QUERY", data=data, content_type="application/json", headers=said)


@pytest.fixture
def fresh() -> FlaskClient:
    """A gateway that has answered nothing yet."""
    return create_app(Settings(log_level="error", rate_limits=False), {TEMPLATE.name: TEMPLATE}).test_client()


@pytest.mark.parametrize(("path", "body"), [(ATTACK, BODY), (f"{ATTACK}/odds", attack()), (MOVES, STAY)])
def test_it_answers_what_post_answers(client: FlaskClient, path: str, body: Any) -> None:
    posted, queried = ask(client, path, body), query(client, path, body)
    assert (queried.status_code, queried.data) == (200, posted.data)
    for name in LASTING:
        assert queried.headers[name] == posted.headers[name], name
    assert queried.headers["Accept-Query"] == "application/json"
    assert {"Prefer", "Accept"} <= set(queried.headers["Vary"].replace(" ", "").split(","))


@pytest.mark.parametrize(("path", "body"), [(ATTACK, BODY), (f"{ATTACK}/odds", attack()), (MOVES, STAY)])
def test_who_has_the_answer_is_told_so(fresh: FlaskClient, path: str, body: Any) -> None:
    first = query(fresh, path, body)
    for said in (first.headers["ETag"], f"W/{first.headers['ETag']}", f'"x", {first.headers["ETag"]}', "*"):
        again = query(fresh, path, body, If_None_Match=said)
        assert (again.status_code, again.data) == (304, b"")
        # RFC 9110, 15.4.5: the fields that a 200 would have had.
        assert {name: again.headers[name] for name in LASTING} == {name: first.headers[name] for name in LASTING}
        assert "X-Request-Id" in again.headers
        assert again.headers["Access-Control-Allow-Origin"] == "*"
    assert query(fresh, path, body, If_None_Match='"another"').data == first.data


def test_the_tag_of_one_process_is_good_at_another(fresh: FlaskClient, client: FlaskClient) -> None:
    tag = query(client, ATTACK, BODY).headers["ETag"]
    first, second = (query(fresh, ATTACK, BODY, If_None_Match=tag) for _ in range(2))
    assert (first.status_code, second.status_code) == (304, 304)
    assert {name: first.headers[name] for name in LASTING} == {name: second.headers[name] for name in LASTING}


def test_a_tag_is_that_of_the_bytes_and_the_same_case_in_another_spelling_has_its_own(fresh: FlaskClient) -> None:
    first = query(fresh, ATTACK, BODY)
    other = json.dumps(dict(reversed(BODY.items())), indent=1).encode()
    second = query(fresh, ATTACK, other, If_None_Match=first.headers["ETag"])
    assert (second.status_code, second.data) == (200, first.data)
    assert second.headers["ETag"] != first.headers["ETag"]


def test_what_is_refused_is_refused_whatever_tag_comes_with_it(fresh: FlaskClient) -> None:
    tag = query(fresh, ATTACK, BODY).headers["ETag"]
    text = json.dumps(BODY)
    for broken in (text.replace('"radius_hexes": 4', '"radius_hexes": 4.0'), text.replace("{", '{"dice": 1, ', 1)):
        for said in (tag, "*"):
            problem(query(fresh, ATTACK, broken.encode(), If_None_Match=said), 422, "invalid")


def test_post_is_told_by_412_since_it_does_not_only_read(fresh: FlaskClient) -> None:
    tag = ask(fresh, ATTACK, BODY).headers["ETag"]
    for said in (tag, "*"):
        answer = ask(fresh, ATTACK, BODY, headers={"If-None-Match": said})
        problem(answer, 412, "precondition-failed")
        assert answer.headers["ETag"] == tag
    assert ask(fresh, ATTACK, BODY, headers={"If-None-Match": '"x"'}).status_code == 200


def test_what_was_rolled_for_is_never_what_the_client_has(client: FlaskClient) -> None:
    body = attack(policies={"*": "first"})
    answers = [query(client, ATTACK, body, If_None_Match="*") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].data != answers[1].data
    assert {answer.headers["Cache-Control"] for answer in answers} == {"no-store"}


def test_it_makes_no_job(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    for said in ("respond-async", "respond-async, wait=1"):
        answer = query(with_jobs, ATTACK, BODY, Prefer=said)
        assert answer.status_code == 200
        assert "Preference-Applied" not in answer.headers
    assert store.kept == {}


def test_what_is_heavy_is_too_dear_and_can_be_posted(store: MemoryJobs) -> None:
    heavy = replace(TEMPLATE.questions["attack"], cost=lambda _: 6_000.0)
    games = {**GAMES, TEMPLATE.name: with_questions(TEMPLATE, attack=heavy)}
    client = create_app(Settings(log_level="error", rate_limits=False), games, store).test_client()
    assert "POST" in problem(query(client, ATTACK, BODY), 422, "too-dear")["detail"]
    assert store.kept == {}
    assert ask(client, ATTACK, BODY).status_code == 202


def test_simulations_are_posted_alone(with_jobs: FlaskClient) -> None:
    answer = query(with_jobs, f"{ATTACK}/simulations", attack(count=10))
    problem(answer, 405, "method-not-allowed")
    assert "QUERY" not in answer.headers["Allow"]


def test_what_is_not_json_is_refused(client: FlaskClient) -> None:
    answer = client.open(ATTACK, method="QUERY", data=b"case=1", content_type="application/x-www-form-urlencoded")
    problem(answer, 415, "unsupported-media-type")
    problem(query(client, ATTACK, b"{"), 422, "invalid")
    problem(query(client, ATTACK, BODY, Accept="text/html"), 406, "not-acceptable")


def test_a_page_of_another_origin_may_use_it(client: FlaskClient) -> None:
    asking = {
        "Origin": "https://table.example",
        "Access-Control-Request-Method": "QUERY",
        "Access-Control-Request-Headers": "Content-Type, If-None-Match, If-Match",
    }
    answer = client.options(ATTACK, headers=asking)
    assert answer.status_code == 200
    assert "QUERY" in answer.headers["Access-Control-Allow-Methods"].split(", ")
    assert {"If-None-Match", "If-Match"} <= set(answer.headers["Access-Control-Allow-Headers"].split(", "))
    assert "QUERY" in answer.headers["Allow"].split(", ")
    assert answer.headers["Accept-Query"] == "application/json"
    readable = set(query(client, ATTACK, BODY).headers["Access-Control-Expose-Headers"].split(", "))
    assert {"ETag", "Content-Location", "Accept-Query"} <= readable


def test_the_contract_knows_it(fresh: FlaskClient) -> None:
    paths = json.loads(fresh.get("/openapi.json").data)["paths"]
    assert paths[ATTACK]["post"]["x-query"] is True
    by_question = ATTACK.replace("attack", "{question}")
    assert paths[f"{by_question}/odds"]["post"]["x-query"] is True
    assert "x-query" not in paths[f"{by_question}/simulations"]["post"]
