"""Problems: every kind, in one form, whoever raises it and however broken the request is."""

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from api import create_app
from api.problems.handlers import KINDS, MOST_SHOWN
from api.settings import Settings
from arbiter.dice import numbered
from arbiter.fault import Fault, Faults
from arbiter.game import Arbiter
from arbiter.question import Decided
from arbiter.table import Table
from services._template.questions import AttackAnswer
from tests.api.posting import ATTACK, TEMPLATE, ask, attack, codes, problem, with_questions


def with_rule(rule: Any) -> FlaskClient:
    question = dataclasses.replace(TEMPLATE.questions["attack"], rule=rule)
    game = with_questions(TEMPLATE, attack=question)
    return create_app(Settings(), {game.name: game}).test_client()


def test_every_kind_is_explained_where_its_type_points(client: FlaskClient) -> None:
    listed = json.loads(client.get("/problems").data)
    assert {kind["slug"] for kind in listed} == set(KINDS)
    for kind in listed:
        answer = client.get(f"/problems/{kind['slug']}")
        assert answer.status_code == 200
        assert json.loads(answer.data) == kind
        assert 400 <= kind["status"] < 600
        assert kind["meaning"].endswith(".")


def test_an_unknown_kind_is_a_problem_itself(client: FlaskClient) -> None:
    assert "invalid" in problem(client.get("/problems/invalit"), 404, "not-found")["errors"][0]["hint"]


@pytest.mark.parametrize("path", ["/nothing", "/v1", "/v1/", "/v1/games/", "/v1/games/x/y/z", "/%00"])
def test_a_path_that_leads_nowhere(client: FlaskClient, path: str) -> None:
    problem(client.get(path), 404, "not-found")
    problem(client.post(path), 404, "not-found")


def test_a_path_below_a_question_leads_nowhere(client: FlaskClient) -> None:
    told = problem(client.get(f"{ATTACK}/chances"), 404, "not-found")
    assert f"/v1/games/{TEMPLATE.name}" in told["detail"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE", "NONSENSE"])
def test_a_question_is_posted_or_queried_and_nothing_else(client: FlaskClient, method: str) -> None:
    answer = client.open(ATTACK, method=method)
    # GET is for questions that have a short form; this one has none.
    allowed = "OPTIONS, POST, QUERY" if method in {"GET", "HEAD"} else "GET, HEAD, OPTIONS, POST, QUERY"
    assert answer.headers["Allow"] == allowed
    if method == "HEAD":
        assert answer.status_code == 405
    else:
        problem(answer, 405, "method-not-allowed")


def test_a_page_is_not_posted(client: FlaskClient) -> None:
    answer = client.post("/v1/games")
    problem(answer, 405, "method-not-allowed")
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


def test_who_posts_a_board_is_told_how_boards_are_put(client: FlaskClient) -> None:
    boards = "/v1/games/stargrave/boards"
    for method in ("POST", "PATCH", "DELETE"):
        answer = client.open(f"{boards}/{'0' * 64}", method=method)
        problem(answer, 405, "method-not-allowed")
        assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "PUT"}
    for below in ("", "/", f"/{'0' * 64}/cells"):
        for answer in (client.get(boards + below), client.post(boards + below, json={})):
            problem(answer, 404, "not-found")


@pytest.mark.parametrize("accept", ["text/html", "image/*", "application/json;q=0", "application/xml, text/*"])
def test_an_answer_that_cannot_be_given_in_the_form_asked_for(client: FlaskClient, accept: str) -> None:
    problem(client.get("/v1/games", headers={"Accept": accept}), 406, "not-acceptable")
    answer = ask(client, ATTACK, attack(), headers={"Accept": accept})
    if accept == "image/*":
        assert answer.content_type.startswith("image/svg+xml")
    else:
        problem(answer, 406, "not-acceptable")


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "*/*",
        "application/json",
        "application/*;q=0.1",
        "text/html,*/*;q=0.8",
        "application/problem+json",
        "garbage",
    ],
)
def test_an_answer_is_given_wherever_it_can_be(client: FlaskClient, accept: str) -> None:
    assert client.get("/v1/games", headers={"Accept": accept}).status_code == (406 if accept == "garbage" else 200)


@pytest.mark.parametrize(
    "media_type", ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/xml", "x"]
)
def test_a_body_of_another_form_is_not_read(client: FlaskClient, media_type: str) -> None:
    answer = client.post(ATTACK, data=json.dumps(attack()), content_type=media_type)
    problem(answer, 415, "unsupported-media-type")
    assert answer.headers["Accept"] == "application/json"


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "Application/JSON", "application/json;x=y"])
def test_a_json_body_is_read_whatever_else_is_said_of_it(client: FlaskClient, media_type: str) -> None:
    assert client.post(ATTACK, data=json.dumps(attack()), content_type=media_type).status_code == 200


@pytest.mark.parametrize("coding", ["gzip", "br", "deflate, gzip", "nonsense"])
def test_a_packed_body_is_not_unpacked(client: FlaskClient, coding: str) -> None:
    answer = ask(client, ATTACK, attack(), headers={"Content-Encoding": coding})
    problem(answer, 415, "unsupported-media-type")
    assert answer.headers["Accept-Encoding"] == "identity"


def test_a_body_that_is_too_long_is_not_read(client: FlaskClient) -> None:
    most = Settings().max_body_bytes
    filled = json.dumps(attack()).encode()
    assert ask(client, ATTACK, filled + b" " * (most - len(filled))).status_code == 200
    problem(ask(client, ATTACK, filled + b" " * (most - len(filled) + 1)), 413, "too-large")


def test_a_body_without_a_length_is_read_up_to_the_limit(client: FlaskClient) -> None:
    def post(size: int) -> Any:
        stream = io.BytesIO(json.dumps(attack()).encode().ljust(size))
        return client.post(
            ATTACK,
            input_stream=stream,
            content_type="application/json",
            headers={"Transfer-Encoding": "chunked"},
            environ_overrides={"wsgi.input_terminated": True},
        )

    assert post(1_000).status_code == 200
    problem(post(Settings().max_body_bytes + 1), 413, "too-large")


def test_a_body_that_breaks_off_is_a_bad_request(client: FlaskClient) -> None:
    answer = client.post(
        ATTACK,
        input_stream=io.BytesIO(b"{"),
        content_type="application/json",
        environ_overrides={"CONTENT_LENGTH": "100"},
    )
    problem(answer, 400, "bad-request")


@pytest.mark.parametrize(
    ("body", "place", "code"),
    [
        (b"", "", "not-json"),
        (b"{", "", "not-json"),
        (b"nonsense", "", "not-json"),
        (b"\xff\xfe{}", "", "not-json"),
        (b'{"case": NaN}', "/case", "not-finite"),
        (b"null", "", "wrong-type"),
        (b"[]", "", "wrong-type"),
        (b'"case"', "", "wrong-type"),
        (b"{}", "/case", "missing"),
        (b'{"case": {}}', "/case/scene", "missing"),
        (json.dumps(attack(extra=1)).encode(), "/extra", "unknown-field"),
        (json.dumps(attack(choices={"x": [float("nan")]})).encode(), "/choices/x/0", "not-finite"),
        (json.dumps(attack(choices={"x": [float("inf")]})).encode(), "/choices/x/0", "not-finite"),
    ],
)
def test_what_is_malformed_is_named_at_its_place(client: FlaskClient, body: bytes, place: str, code: str) -> None:
    assert codes(problem(ask(client, ATTACK, body), 422, "invalid"))[place] == code


@pytest.mark.parametrize("bomb", [b"[", b'{"a":', b'{"case":[', b'{"choices":{"x":['])
def test_a_deep_body_is_refused_and_costs_nothing(client: FlaskClient, bomb: bytes) -> None:
    problem(ask(client, ATTACK, bomb * 50_000), 422, "invalid")


def test_nesting_has_a_limit(client: FlaskClient) -> None:
    def nested(levels: int) -> Any:
        option: Any = 1
        for _ in range(levels):
            option = [option]
        return attack(choices={"x": [option]}, dice={"hand": {}})

    # The body, its choices and the list of options are three levels of their own.
    most = Settings().max_depth - 3
    assert ask(client, ATTACK, nested(most)).status_code == 200
    told = problem(ask(client, ATTACK, nested(most + 1)), 422, "invalid")
    assert {fault["code"] for fault in told["errors"]} == {"too-deep"}


def test_huge_values_are_never_echoed(client: FlaskClient) -> None:
    long = "x" * 400_000
    bodies = [
        attack(**{long: long}),
        attack(choices={"dodge of bob": [long]}, dice={"hand": {"to hit": [4, 4, 4]}}),
        attack(choices={"dodge of bob": [[1] * 100_000]}, dice={"hand": {"to hit": [4, 4, 4]}}),
        {"case": long},
        {"case": [[1, 2]] * 50_000},
        attack(policies={"a" * 100: long}),
        attack(readings={str(index): "x" * 100 for index in range(100)}),
    ]
    for body in bodies:
        answer = ask(client, ATTACK, body)
        problem(answer, 422, "invalid")
        assert len(answer.data) < 100_000
    for path in (f"/v1/games/{long[:5000]}", f"/v1/games/{TEMPLATE.name}/rules?q={long[:5000]}"):
        assert len(client.get(path).data) < 10 * MOST_SHOWN


def test_thousands_of_faults_are_counted_but_not_listed() -> None:
    def prepare(case: Any) -> Any:
        raise Faults(Fault(f"/{index}", "wrong", "is wrong", seen=list(range(1000))) for index in range(5000))

    question = dataclasses.replace(TEMPLATE.questions["attack"], prepare=prepare)
    game = with_questions(TEMPLATE, attack=question)
    client = create_app(Settings(log_level="error"), {game.name: game}).test_client()
    answer = ask(client, ATTACK, attack())
    told = problem(answer, 422, "invalid")
    assert told["detail"].startswith("5000 things")
    assert len(told["errors"]) <= 101
    seen = told["errors"][0]["seen"]
    assert seen.startswith("[0, 1, 2")
    assert len(seen) <= 300


def test_a_bug_is_a_problem_without_a_trace_but_with_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    def broken(table: Table, state: Any) -> Any:
        # What a function holds when it breaks must not get into the log.
        secret = "body of " + state.attacker.id
        raise ZeroDivisionError("nobody expects this" if secret else "")

    told = problem(ask(with_rule(broken), ATTACK, attack()), 500, "internal")
    assert "nobody expects" not in json.dumps(told)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    fault = next(line for line in lines if line["event"] == "fault")
    assert fault["request_id"] == told["request_id"]
    assert fault["exception"][0]["exc_type"] == "ZeroDivisionError"
    assert Path(fault["exception"][0]["frames"][-1]["filename"]).name == "test_problems.py"
    assert "body of" not in json.dumps(lines)
    assert [line["status"] for line in lines if line["event"] == "request"] == [500]


def test_an_impure_rule_is_a_bug_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    calls = iter(range(100))

    def impure(table: Table, state: Any) -> Decided[AttackAnswer]:
        hits = table.roll(numbered(6 + next(calls)), "x")
        return Decided(AttackAnswer(hits, 0, 0, False))

    problem(ask(with_rule(impure), f"{ATTACK}/odds", attack()), 500, "internal")
    assert "ImpureRule" in capsys.readouterr().out


def test_every_question_refuses_nonsense_in_the_same_form(client: FlaskClient, game: Arbiter) -> None:
    for name, question in game.questions.items():
        for path in (f"/v1/games/{game.name}/{name}", *([f"/v1/games/{game.name}/{name}/odds"] * question.dice)):
            for body in (b"", b"[]", b'{"case": 1}', b'{"case": {"scene": null}}'):
                problem(ask(client, path, body), 422, "invalid")


@pytest.mark.parametrize("said", ["abc-123", "a" * 128, "2b1e:7/x+y=.z"])
def test_a_sane_request_id_is_kept(client: FlaskClient, said: str) -> None:
    answer = client.get("/nothing", headers={"X-Request-Id": said})
    assert answer.headers["X-Request-Id"] == said
    assert problem(answer, 404, "not-found")["request_id"] == said
    assert client.get("/v1/games", headers={"X-Request-Id": said}).headers["X-Request-Id"] == said


@pytest.mark.parametrize("said", ["", "a" * 129, "a b", "<script>", 'a"b', "é"])
def test_any_other_request_id_is_replaced(client: FlaskClient, said: str) -> None:
    made = client.get("/v1/games", headers={"X-Request-Id": said}).headers["X-Request-Id"]
    assert made != said
    assert len(bytes.fromhex(made)) == 16


def test_a_problem_names_the_path_it_happened_at(client: FlaskClient) -> None:
    assert problem(client.get("/no thing/ü"), 404, "not-found")["instance"] == "/no%20thing/%C3%BC"
    assert problem(ask(client, ATTACK, {}), 422, "invalid")["instance"] == ATTACK
