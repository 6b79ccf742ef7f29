"""Every answer is the same to the byte whether a game is decided in the gateway or by a service of its own.

Besides the comparison here, the tests of rulings, odds and problems run once more against a gateway that decides
nothing itself. `TEST_REMOTE=1 pytest tests/api` runs the whole suite that way.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

import pytest
import rfc8785
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import make_app
from api.arbiters.routing import ArbiterRouter
from api.arbiters.walks import TIMING
from api.caching.board_store import InMemory
from api.settings import Settings
from arbiter.game import Arbiter
from arbiter.sources.examples import Example
from infra.errors import StoreUnavailable
from tests.api.game_services import Services, serving
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, BATTLE, GAMES, MOVES, TEMPLATE, ask, attack, codes, problem
from tests.api.resources import test_odds, test_rulings
from tests.api.worked import examples
from tests.effort import NIGHTLY

SETTINGS = Settings(log_level="error", rate_limits=False, path_budget=300, job_path_budget=50_000)
SEEDED = attack(dice={"seed": "s"}, policies={"*": "first"})
FREE = attack(policies={"*": "first"})
NAMED = {"X-Request-Id": "same"}


class Both(NamedTuple):
    """Two gateways that differ only in where games are decided."""

    here: FlaskClient
    elsewhere: FlaskClient


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    with serving(GAMES, SETTINGS) as services:
        yield services


@pytest.fixture(scope="module")
def app() -> Iterator[Flask]:
    """The gateway of the tests that are run once more: with the settings they expect, and every game elsewhere."""
    settings = Settings(log_level="error")
    with serving(GAMES, settings) as services:
        yield make_app(settings, GAMES, router=services.router())


@pytest.fixture(scope="module", params=["without jobs", "with jobs"])
def both(services: Services, request: pytest.FixtureRequest) -> Both:
    return two(services, MemoryJobs() if request.param == "with jobs" else None)


@pytest.fixture(scope="module")
def alone(services: Services) -> Both:
    return two(services, None)


def two(services: Services, store: MemoryJobs | None) -> Both:
    here = make_app(SETTINGS, GAMES, store, router=ArbiterRouter({}))
    elsewhere = make_app(SETTINGS, GAMES, store, router=services.router())
    return Both(here.test_client(), elsewhere.test_client())


# The comparison


def same(both: Both, path: str, body: Any, **headers: str) -> TestResponse:
    """Ask both gateways, and hold their answers to be the same but for what tells the time."""
    here, elsewhere = (ask(each, path, body, headers={**NAMED, **headers}) for each in both)
    assert elsewhere.status == here.status, elsewhere.get_data(as_text=True)
    assert elsewhere.data == here.data
    assert _untimed(elsewhere) == _untimed(here)
    return here


def _untimed(answer: TestResponse) -> list[tuple[str, str]]:
    return sorted(each for each in answer.headers if each[0] != TIMING)


def ends_of(game: Arbiter) -> list[Example]:
    """Give the last worked example of each question, and every night the first, too."""
    by_question: dict[str, list[Example]] = {}
    for each in examples(game):
        by_question.setdefault(each.question, []).append(each)
    assert by_question.keys() == game.questions.keys()
    return [
        all_of[place]
        for all_of in by_question.values()
        for place in ({0, len(all_of) - 1} if NIGHTLY else {len(all_of) - 1})
    ]


def test_worked_examples_are_ruled_alike(alone: Both, game: Arbiter) -> None:
    for each in ends_of(game):
        path, body = f"/v1/games/{game.name}/{each.question}", each.body()
        assert same(alone, path, {**body, "dice": {**body.get("dice", {}), "seed": 5}}).status_code == 200
        # The bare case is a question, too; it may stop and ask for a choice.
        assert same(alone, path, {"case": body["case"], "dice": {"seed": "x"}}).status_code == 200


def test_worked_examples_are_weighed_alike(alone: Both, game: Arbiter) -> None:
    # What may take long to weigh says so itself.
    light = [each for each in ends_of(game) if game.questions[each.question].cost is None]
    for each in light:
        path = f"/v1/games/{game.name}/{each.question}/odds"
        assert same(alone, path, each.odds_body()).status_code in {200, 404, 422}
    assert any(game.questions[each.question].dice for each in light)


WRONG = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff",
    b'{"case": 1}',
    b'{"case": {}, "case": {}}',
    b"[" * 70 + b"]" * 70,
    b'"\\ud800"',
    b'{"case": 123456789012345678901234567890}',
    b'{"case": {"scene": 1e400}}',
    b"[" + b"0," * 40_000 + b"0]",
    b'{"x": "' + b"y" * 2_000 + b'"}',
    {},
    attack(dice={"hand": {"to hit": [9]}}),
    attack(dice={"seed": "x" * 5_000}),
    attack(dice={"hand": {"to hit": [4] * 9}}),
    attack(readings={"no": "such"}),
    attack(policies={"*": "none"}),
    attack(choices={"nobody": ["asks"]}),
    attack(unknown="member"),
    attack(heads=0),
    attack(heads=2.5),
    attack(case=None),
]


@pytest.mark.parametrize("body", WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_told_alike(both: Both, body: Any) -> None:
    if isinstance(body, dict) and "case" in body:
        body = {"dice": {"seed": 1}, **body}
    for path in (ATTACK, f"{ATTACK}/odds"):
        told = same(both, path, body)
        if told.status_code != 200:
            assert problem(told, 422, "invalid")["instance"] == path


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (f"{MOVES}/odds", {}),
        (f"{ATTACK}x", {}),
        ("/v1/games/nowhere/attack", {}),
        (ATTACK, {"Accept": "text/html"}),
        (ATTACK, {"Content-Type": "text/plain"}),
        (ATTACK, {"Content-Encoding": "gzip"}),
        (ATTACK, {"Idempotency-Key": '"'}),
        (ATTACK, {"Accept": "application/json;q=0.5, */*;q=0.1"}),
        (ATTACK, {"Prefer": "wait=1"}),
        (ATTACK, {"Origin": "https://table.example"}),
    ],
)
def test_what_the_gateway_says_itself_is_said_alike(both: Both, path: str, headers: dict[str, str]) -> None:
    same(both, path, SEEDED, **headers)


def test_too_many_paths_offer_what_the_gateway_has(both: Both) -> None:
    """The arbiter does no jobs, and does not know whether the gateway does."""
    body = {"case": _battle()["case"], "policies": {"*": "first"}}
    told = problem(same(both, f"{BATTLE}/odds", body), 422, "too-many-paths")
    assert told["budget"] == SETTINGS.path_budget
    assert told["instead"]["path"] == f"{BATTLE}/odds"
    many = problem(same(both, f"{BATTLE}/odds", {**body, "heads": 100_000}), 422, "too-many-paths")
    assert many["instead"]["add"]["heads"] < 100_000


def test_both_see_the_job_that_may_walk_more_paths(services: Services) -> None:
    body = {"case": _battle()["case"], "policies": {"*": "first"}}
    for store in (MemoryJobs(), None):
        gateway = make_app(SETTINGS, GAMES, store, router=services.router()).test_client()
        told = problem(ask(gateway, f"{BATTLE}/odds", body), 422, "too-many-paths")
        assert (told["as_job"] is None) is (store is None)


def _battle() -> dict[str, Any]:
    first = next(each for each in examples(TEMPLATE) if each.question == "battle")
    return first.odds_body()


@pytest.mark.parametrize("key", ["a", '"b c"', "x" * 255])
def test_a_key_settles_the_same_dice_wherever_they_fall(both: Both, key: str) -> None:
    one = same(both, ATTACK, FREE, **{"Idempotency-Key": key})
    assert same(both, ATTACK, FREE, **{"Idempotency-Key": key}).data == one.data
    other = same(both, ATTACK, FREE, **{"Idempotency-Key": "another"})
    assert json.loads(other.data)["seed"] != json.loads(one.data)["seed"]


def test_dice_that_nobody_named_differ_from_question_to_question(both: Both) -> None:
    seeds = {json.loads(ask(both.elsewhere, ATTACK, FREE).data)["seed"] for _ in range(8)}
    assert len(seeds) == 8


def test_a_client_cannot_name_the_seed_of_the_gateway(both: Both) -> None:
    for each in both:
        answer = ask(each, ATTACK, FREE, headers={"Arbiter-Seed": "mine"})
        assert json.loads(answer.data)["seed"] != "mine"


def test_who_decides_is_between_gateway_and_arbiter(both: Both) -> None:
    assert not [name for name, _ in same(both, ATTACK, SEEDED).headers if name.startswith("Arbiter-")]


# Boards by digest, which only the gateway knows

HEXES = {"hexes": [[0, 0], [1, 0], [2, 0], [3, 0]], "obstructions": [[1, 0]]}
WIDER = {"hexes": [*HEXES["hexes"], [4, 0]], "obstructions": [[1, 0]]}
HEX_SIGHT = "/v1/games/blackstone-fortress/line-of-sight"


def seen_on(board: Any) -> dict[str, Any]:
    return {"case": {"scene": {"board": board}, "observer": [0, 0], "targets": [[3, 0]]}}


def put(each: FlaskClient, board: Any) -> dict[str, Any]:
    """Put a board, and give what names it."""
    digest = sha256(rfc8785.dumps(board)).hexdigest()
    place = f"/v1/games/blackstone-fortress/boards/{digest}"
    named: dict[str, Any] = each.put(place, data=json.dumps(board), content_type="application/json").json
    return named


@pytest.fixture
def put_twice(services: Services) -> tuple[Both, dict[str, Any], dict[str, Any]]:
    """Two gateways that have two boards, the first of which they have used."""
    both = two(services, None)
    (used, unused), other = ([put(each, board) for board in (HEXES, WIDER)] for each in both)
    assert other == [used, unused]
    assert same(both, HEX_SIGHT, seen_on(used)).data == same(both, HEX_SIGHT, seen_on(HEXES)).data
    return both, used, unused


def test_a_board_at_hand_is_used_alike_while_the_store_is_away(
    put_twice: tuple[Both, dict[str, Any], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise StoreUnavailable("nobody answers")

    both, used, unused = put_twice
    for method in ("put", "get"):
        monkeypatch.setattr(InMemory, method, away)
    whole = same(both, HEX_SIGHT, seen_on(HEXES))
    assert same(both, HEX_SIGHT, seen_on(used)).data == whole.data
    problem(same(both, HEX_SIGHT, seen_on(unused)), 503, "store-away")


def test_a_board_at_hand_is_used_alike_when_the_store_has_lost_it(
    put_twice: tuple[Both, dict[str, Any], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    both, used, unused = put_twice
    monkeypatch.setattr(InMemory, "get", lambda *_: None)
    assert same(both, HEX_SIGHT, seen_on(used)).status_code == 200
    problem(same(both, HEX_SIGHT, seen_on(unused)), 422, "unknown-board")


def test_a_kept_board_of_another_form_is_told_alike(
    put_twice: tuple[Both, dict[str, Any], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    both, _, unused = put_twice
    monkeypatch.setattr(InMemory, "get", lambda *_: json.dumps({**WIDER, "moat": 1}).encode())
    told = problem(same(both, HEX_SIGHT, seen_on(unused)), 422, "invalid")
    assert codes(told) == {"/case/scene/board/moat": "unknown-field"}


# The suite once more, decided elsewhere

globals().update(
    {
        f"{name}_elsewhere": test
        for module in (test_rulings, test_odds)
        for name, test in vars(module).items()
        if name.startswith("test_") and name != "test_examples_of_light_questions_have_odds"
    }
)
