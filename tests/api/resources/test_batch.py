"""Batches: every query has the answer that it would have alone, in order, whatever becomes of the others."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from api import create_app
from api.problems.handlers import ProblemError
from api.settings import Settings
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, GAMES, MOVES, TEMPLATE, ask, attack, codes, problem, with_questions
from tests.effort import cases
from tests.reading import load_examples

BATCH = "/v1/batch"
SCENE = attack()["case"]["scene"]
SEEDED: dict[str, Any] = {"dice": {"seed": "s"}, "policies": {"*": "first"}}
NAME = TEMPLATE.name
HEADERS = {"X-Request-Id": "same"}


def post(client: FlaskClient, **members: Any) -> TestResponse:
    return ask(client, BATCH, members, headers=HEADERS)


def bodies_of(answer: TestResponse) -> list[tuple[int, bytes]]:
    """Give the status of each answer, and its body as it stands in the text of the batch."""
    assert answer.status_code == 200, answer.data
    told = msgspec.json.decode(answer.data, type=dict[str, list[dict[str, msgspec.Raw]]])
    assert told.keys() == {"answers"}
    return [(int(bytes(each["status"])), bytes(each["body"])) for each in told["answers"]]


def alone(client: FlaskClient, path: str, body: Any) -> tuple[int, bytes]:
    answer = ask(client, path, body, headers=HEADERS)
    return answer.status_code, answer.data


# What each query has


def test_a_scene_is_sent_once_for_many_questions(client: FlaskClient) -> None:
    told = bodies_of(
        post(
            client,
            defaults={"game": NAME, "question": "attack", "case": {"scene": SCENE}, **SEEDED},
            queries=[
                {"case": {"attacker": "ann", "target": "bob"}},
                {"question": "moves", "case": {"fighter": "bob"}},
                {"kind": "odds", "case": {"attacker": "bob", "target": "ann"}},
                {"case": {"attacker": "ann", "target": "bob"}, "dice": {"seed": "another"}},
            ],
        )
    )
    assert told == [
        alone(client, ATTACK, attack(**SEEDED)),
        alone(client, MOVES, {"case": {"scene": SCENE, "fighter": "bob"}, **SEEDED}),
        alone(
            client,
            f"{ATTACK}/odds",
            {"case": {"scene": SCENE, "attacker": "bob", "target": "ann"}, "policies": {"*": "first"}},
        ),
        alone(client, ATTACK, attack(policies={"*": "first"}, dice={"seed": "another"})),
    ]
    assert {status for status, _ in told} == {200}


def test_scenes_have_names(client: FlaskClient) -> None:
    far = deepcopy(SCENE)
    far["fighters"][1]["hex"] = [4, 0]
    told = bodies_of(
        post(
            client,
            scenes={"near": SCENE, "far": far},
            defaults={"game": NAME, "question": "moves", "case": {"scene": "near", "fighter": "bob"}},
            queries=[{}, {"case": {"scene": "far"}}, {"case": {"scene": far}}, {"case": {"scene": "nowhere"}}],
        )
    )
    near = alone(client, MOVES, {"case": {"scene": SCENE, "fighter": "bob"}})
    other = alone(client, MOVES, {"case": {"scene": far, "fighter": "bob"}})
    assert near != other
    assert told[:3] == [near, other, other]
    assert told[3][0] == 422
    assert codes(json.loads(told[3][1])) == {"/case/scene": "unknown-scene"}


OTHER_SCENE = json.dumps({**SCENE, "fighters": [{**one, "hex": [0, 0]} for one in SCENE["fighters"][:1]]})


@pytest.mark.parametrize(
    "case",
    [
        '{"fighter":"ann"}',
        '{ "fighter" : "ann" }',
        '\n{\t"fighter"\n:"ann"\r}',
        '{"fighter":"a\\u006en"}',
        '{"f\\u0069ghter":"ann"}',
        '{"fighter":"bob","fighter":"ann"}',
        '{"fighter":"nobody"}',
        '{"fighter":"scene"}',
        '{"fighter":"\\"scene\\""}',
        '{"fighter":null}',
        '{"fighter":["ann"]}',
        '{"fighter":"ann","more":1}',
        "{}",
        "{ }",
        f'{{"fighter":"ann","scene":{OTHER_SCENE}}}',
        f'{{"sc\\u0065ne":{OTHER_SCENE},"fighter":"ann"}}',
        '{"fighter":"ann","scene":null}',
        '{"fighter":"ann","scene":5}',
    ],
)
def test_a_case_is_read_as_it_would_be_alone_however_it_is_written(client: FlaskClient, case: str) -> None:
    shared = json.dumps(SCENE)
    defaults = f'{{"game":"{NAME}","question":"moves","case":{{"scene":{shared}}}}}'
    body = f'{{"defaults":{defaults},"queries":[{{"case":{case}}}]}}'
    ((status, told),) = bodies_of(ask(client, BATCH, body.encode(), headers=HEADERS))
    own = json.loads(case)
    whole = json.dumps({"case": {"scene": SCENE, **own}}).encode()
    assert (status, told) == alone(client, MOVES, whole)


@pytest.mark.parametrize("wrong", ["5", "[]", '{"x":[]}', "true", "-1", "null"])
@pytest.mark.parametrize("member", ["dice", "choices", "policies", "readings", "heads", "seed"])
@pytest.mark.parametrize("kind", ["ruling", "odds"])
def test_every_member_of_a_query_is_looked_at_whatever_it_holds(
    client: FlaskClient, kind: str, member: str, wrong: str
) -> None:
    defaults = json.dumps({"game": NAME, "question": "attack", "kind": kind, "case": {"scene": SCENE}})
    case = '{"attacker":"ann","target":"bob"}'
    body = f'{{"defaults":{defaults},"queries":[{{"case":{case},"{member}":{wrong}}}]}}'
    ((status, told),) = bodies_of(ask(client, BATCH, body.encode(), headers=HEADERS))
    own = f'{{"case":{json.dumps({"scene": SCENE, **json.loads(case)})},"{member}":{wrong}}}'
    there, whole = alone(client, ATTACK + ("/odds" if kind == "odds" else ""), own.encode())
    assert status == there
    # Where the service picked the dice, they are others each time.
    assert told == whole or (status == 200 and kind == "ruling")


@pytest.mark.parametrize("case", ["5", '"x"', "[]", "null", "true"])
def test_a_case_that_is_no_object_is_no_batch(client: FlaskClient, case: str) -> None:
    body = f'{{"queries":[{{"game":"{NAME}","question":"moves","case":{case}}}]}}'
    answer = ask(client, BATCH, body.encode())
    assert set(codes(problem(answer, 422, "invalid"))) == {"/queries/0/case"}


def test_what_a_question_or_kind_has_not_is_not_taken_from_the_defaults(client: FlaskClient) -> None:
    told = bodies_of(
        post(
            client,
            defaults={"game": NAME, "case": {**attack()["case"], "fighter": "ann"}, **SEEDED, "heads": 50, "seed": 3},
            queries=[{"question": "attack"}, {"question": "attack", "kind": "odds"}, {"question": "moves"}],
        )
    )
    assert told == [
        alone(client, ATTACK, attack(**SEEDED)),
        alone(client, f"{ATTACK}/odds", attack(policies={"*": "first"}, heads=50, seed=3)),
        alone(client, MOVES, {"case": {"scene": SCENE, "fighter": "ann"}, **SEEDED}),
    ]
    assert {status for status, _ in told} == {200}
    # But what the query says itself is its own fault.
    query = {"game": NAME, "question": "attack", "heads": 50, **attack()}
    ((status, body),) = bodies_of(post(client, queries=[query]))
    assert (status, body) == alone(client, ATTACK, attack(heads=50))
    assert codes(json.loads(body)) == {"/heads": "unknown-field"}


def test_a_query_takes_the_place_of_a_default_and_null_is_said(client: FlaskClient) -> None:
    told = bodies_of(
        post(
            client,
            defaults={"game": NAME, "question": "attack", "kind": "odds", **attack(**SEEDED)},
            queries=[{"kind": "ruling"}, {"policies": {}}, {"policies": None}, {"game": None, "kind": None}],
        )
    )
    assert told[0] == alone(client, ATTACK, attack(**SEEDED))
    assert told[1] == alone(client, f"{ATTACK}/odds", attack(policies={}))
    assert told[2] == alone(client, f"{ATTACK}/odds", attack(policies=None))
    assert (told[2][0], told[3][0]) == (422, 200)


def test_dice_that_nobody_named_differ(client: FlaskClient) -> None:
    query = {"game": NAME, "question": "attack", **attack(policies={"*": "first"})}
    told = bodies_of(post(client, queries=[query] * 8))
    assert len({json.loads(body)["seed"] for _, body in told}) == 8


def test_worked_examples_of_all_games_are_answered_as_alone(client: FlaskClient) -> None:
    asked = []
    for game in GAMES.values():
        seen: set[str] = set()
        for each in load_examples(game.folder / "examples"):
            if each.question in seen or each.question == "battle":
                continue
            seen.add(each.question)
            body = json.loads(msgspec.json.encode(each.body()))
            if "throws" not in body.get("dice", {}):
                body.setdefault("dice", {}).setdefault("seed", "s")
            asked.append((game.name, each.question, body))
    assert len(asked) > 80
    for start in range(0, len(asked), 50):
        some = asked[start : start + 50]
        queries = [{"game": game, "question": question, **body} for game, question, body in some]
        told = bodies_of(post(client, queries=queries))
        for (game, question, body), given_ in zip(some, told, strict=True):
            assert given_ == alone(client, f"/v1/games/{game}/{question}", body), (game, question)


# What goes wrong


WRONG: list[tuple[dict[str, Any], str, Any]] = [
    ({"game": "chess", "question": "attack", **attack()}, "/v1/games/chess/attack", attack()),
    ({"game": NAME, "question": "castling", **attack()}, f"/v1/games/{NAME}/castling", attack()),
    ({"game": NAME, "question": "attack"}, ATTACK, {"case": {}}),
    ({"game": NAME, "question": "attack", "case": {"scene": 5}}, ATTACK, {"case": {"scene": 5}}),
    ({"game": NAME, "question": "attack", **attack(dice="d6")}, ATTACK, attack(dice="d6")),
    ({"game": NAME, "question": "attack", **attack(readings={"a": "b"})}, ATTACK, attack(readings={"a": "b"})),
    ({"game": NAME, "question": "attack", "kind": "odds", **attack(heads=0)}, f"{ATTACK}/odds", attack(heads=0)),
    ({"game": NAME, "question": "moves", "kind": "odds", "case": {}}, f"{MOVES}/odds", {"case": {}}),
]


def as_told(body: bytes) -> dict[str, Any]:
    """Give a problem but for the list of names, which a path tells with the pages that a game has besides."""
    told = json.loads(body)
    if told["status"] == 404:
        told.pop("detail")
        told["errors"] = [fault["seen"] for fault in told["errors"]]
    return told


@pytest.mark.parametrize(("query", "path", "body"), WRONG)
def test_a_bad_query_is_told_as_alone_and_harms_no_other(
    client: FlaskClient, query: dict[str, Any], path: str, body: Any
) -> None:
    good = {"game": NAME, "question": "attack", **attack(**SEEDED)}
    first, bad, last = bodies_of(post(client, queries=[good, query, good]))
    assert first == last == alone(client, ATTACK, attack(**SEEDED))
    status, told = alone(client, path, body)
    assert bad[0] == status >= 400
    assert as_told(bad[1]) == as_told(told)


def test_who_says_neither_game_nor_question_is_told_both(client: FlaskClient) -> None:
    ((status, body),) = bodies_of(post(client, queries=[{}]))
    assert status == 422
    assert codes(json.loads(body)) == {"/game": "missing", "/question": "missing"}
    assert json.loads(body)["instance"] == BATCH


def test_a_law_that_is_too_large_says_where_to_ask_instead() -> None:
    client = create_app(Settings(log_level="error", rate_limits=False, path_budget=1), GAMES).test_client()
    query = {"game": NAME, "question": "attack", "kind": "odds", **attack()}
    ((status, body),) = bodies_of(post(client, queries=[query]))
    assert (status, body) == alone(client, f"{ATTACK}/odds", attack())
    assert json.loads(body)["instead"]["path"] == f"{ATTACK}/odds"


def test_a_fault_of_our_own_is_one_answer_and_no_more() -> None:
    def broken(_: Any) -> Any:
        raise ZeroDivisionError

    games = {NAME: with_questions(TEMPLATE, attack=replace(TEMPLATE.questions["attack"], prepare=broken))}
    client = create_app(Settings(log_level="error", rate_limits=False), games).test_client()
    good = {"game": NAME, "question": "moves", "case": {"scene": SCENE, "fighter": "ann"}}
    bad = {"game": NAME, "question": "attack", **attack()}
    told = bodies_of(post(client, queries=[good, bad, good]))
    assert [status for status, _ in told] == [200, 500, 200]
    assert "ZeroDivisionError" not in told[1][1].decode()


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, {"/queries": "missing"}),
        ({"queries": []}, {"/queries": "too-short"}),
        ({"queries": {}}, {"/queries": "wrong-type"}),
        ({"queries": [5]}, {"/queries/0": "wrong-type"}),
        ({"queries": [{"moat": 1}]}, {"/queries/0/moat": "unknown-field"}),
        ({"queries": [{"case": 1}]}, {"/queries/0/case": "wrong-type"}),
        ({"queries": [{"game": 1}]}, {"/queries/0/game": "wrong-type"}),
        ({"queries": [{"kind": "simulation"}]}, {"/queries/0/kind": "wrong-value"}),
        ({"queries": [{}], "defaults": {"callback": 1}}, {"/defaults/callback": "unknown-field"}),
        ({"queries": [{}], "scenes": {str(number): {} for number in range(21)}}, {"/scenes": "too-long"}),
        ({"queries": [{}], "more": 1}, {"/more": "unknown-field"}),
        ({"queries": [{}] * 101}, {"/queries": "too-many"}),
    ],
)
def test_what_is_no_batch_is_refused_as_a_whole(client: FlaskClient, body: Any, where: dict[str, str]) -> None:
    told = codes(problem(ask(client, BATCH, body), 422, "invalid"))
    assert told.keys() == where.keys()


def test_what_is_no_json_is_no_batch(client: FlaskClient) -> None:
    for body in (b"", b"{", b"\xff", b'{"queries":[{"case":{"scene":[}}]}', b"[" * 100_000):
        problem(ask(client, BATCH, body), 422, "invalid")
    problem(client.post(BATCH, data=b"{}", content_type="text/plain"), 415, "unsupported-media-type")
    problem(client.get(BATCH), 405, "method-not-allowed")


def test_exactly_as_many_queries_as_are_allowed_are_answered() -> None:
    client = create_app(Settings(log_level="error", rate_limits=False, most_batch=3), GAMES).test_client()
    assert len(bodies_of(post(client, queries=[{}] * 3))) == 3
    problem(post(client, queries=[{}] * 4), 422, "invalid")


# What is too much


def battle(turns: int = 1) -> dict[str, Any]:
    return {"case": {"scene": SCENE, "rounds": turns}, "policies": {"*": "first"}, "dice": {"seed": 1}}


def test_what_becomes_a_job_alone_has_to_be_asked_alone(store: MemoryJobs) -> None:
    heavy = with_questions(
        TEMPLATE, battle=replace(TEMPLATE.questions["battle"], cost=lambda state: state.rounds * 1e3)
    )
    client = create_app(
        Settings(log_level="error", rate_limits=False, sync_cost_ms=5_000), {NAME: heavy}, store
    ).test_client()
    defaults = {"game": NAME, "question": "battle"}
    told = bodies_of(post(client, defaults=defaults, queries=[battle(5), battle(6)]))
    assert told[0] == alone(client, f"/v1/games/{NAME}/battle", battle(5))
    assert told[0][0] == 200
    refused = json.loads(told[1][1])
    assert (told[1][0], refused["type"]) == (422, "/problems/alone")
    assert (refused["estimate_s"], refused["limit_s"]) == (6.0, 5.0)
    assert refused["instance"] == f"/v1/games/{NAME}/battle"
    assert not store.kept
    assert ask(client, refused["instance"], battle(6)).status_code == 202


def test_a_batch_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    client = create_app(Settings(log_level="error", rate_limits=False, batch_seconds=2.0), GAMES).test_client()
    # Each look at the clock takes a second: one at the start, then one before each query.
    clock = iter(range(1_000))
    monkeypatch.setattr("api.resources.batch.time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    query = {"game": NAME, "question": "moves", "case": {"scene": SCENE, "fighter": "ann"}}
    told = bodies_of(post(client, queries=[query] * 5))
    assert [status for status, _ in told] == [200, 200, 503, 503, 503]
    assert json.loads(told[4][1])["type"] == "/problems/out-of-time"


def charging(charge: Callable[[int], object], monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    monkeypatch.setattr("api.resources.batch.charge", charge)
    return create_app(Settings(log_level="error", rate_limits=False), GAMES).test_client()


def test_every_query_is_charged_before_any_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    charged: list[int] = []
    client = charging(charged.append, monkeypatch)
    queries = [
        {"game": NAME, "question": "moves", "case": {"scene": SCENE, "fighter": "ann"}},
        {"game": NAME, "question": "attack", "kind": "odds", **attack()},
        {"game": "chess"},
    ]
    assert len(bodies_of(post(client, queries=queries))) == 3
    assert charged == [1 + 5 + 1]


def test_who_cannot_pay_has_nothing_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(units: int) -> None:
        raise ProblemError("busy", "no units are left")

    problem(post(charging(refuse, monkeypatch), queries=[{"game": NAME, "question": "moves"}]), 503, "busy")


def test_what_is_heavier_is_charged_for_what_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    charged: list[int] = []
    monkeypatch.setattr("api.resources.batch.charge", charged.append)
    heavy = replace(TEMPLATE.questions["battle"], cost=lambda state: state.rounds * 1e3)
    client = create_app(
        Settings(log_level="error", rate_limits=False), {NAME: with_questions(TEMPLATE, battle=heavy)}
    ).test_client()
    post(client, queries=[{"game": NAME, "question": "battle", **battle(2)}])
    # One unit for the query, and one for each ten of its two thousand milliseconds.
    assert charged == [1, 200]


# Laws

QUERIES = st.lists(
    st.sampled_from(
        [
            {"question": "attack", "case": {"attacker": "ann", "target": "bob"}},
            {"question": "attack", "case": {"attacker": "bob", "target": "ann"}, "dice": {"seed": 7}},
            {"question": "attack", "kind": "odds", "case": {"attacker": "ann", "target": "bob"}},
            {"question": "moves", "case": {"fighter": "ann"}},
            {"question": "moves", "case": {"fighter": "nobody"}},
            {"question": "moves", "case": {"fighter": "ann", "scene": "none"}},
            {"kind": "odds"},
        ]
    ),
    min_size=1,
    max_size=8,
)


@given(queries=QUERIES)
@settings(max_examples=cases(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_answer_does_not_hang_on_the_others(client: FlaskClient, queries: list[dict[str, Any]]) -> None:
    defaults = {"game": NAME, "case": {"scene": SCENE}, **SEEDED}
    together = bodies_of(post(client, defaults=defaults, queries=queries))
    apart = [bodies_of(post(client, defaults=defaults, queries=[query]))[0] for query in queries]
    assert together == apart
