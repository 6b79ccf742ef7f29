"""Batches read at one go: which they are, and that their answers are those that every query has alone."""

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from api import create_app
from api.caching.board_store import InMemory
from api.problems.handlers import ProblemError
from api.quotas.costs import UNIT_BYTES
from api.resources.boards import BoardLibrary
from api.schemas.scenes import Bodies
from api.server.batch_plain import PlainBatch, plain_batch
from api.settings import Settings
from arbiter.game import Arbiter
from tests.api.posting import GAMES, MOVES, TEMPLATE, ask, attack, with_questions
from tests.reading import load_examples

SETTINGS = Settings()
SCENE = attack()["case"]["scene"]
NAME = TEMPLATE.name
HEADERS = {"X-Request-Id": "same"}


def found(body: bytes, game: Arbiter = TEMPLATE, most: int = 100) -> PlainBatch | None:
    return plain_batch(body, {game.name: Bodies(game, BoardLibrary(InMemory(SETTINGS), SETTINGS), SETTINGS)}, most)


def batch(queries: Any, **changes: Any) -> dict[str, Any]:
    """Ask where fighters may go, with defaults changed or taken out."""
    defaults = {"game": NAME, "question": "moves", "case": {"scene": SCENE}} | changes
    return {"queries": queries, "defaults": {name: value for name, value in defaults.items() if value is not None}}


MOVERS = [{"case": {"fighter": who}} for who in ("ann", "bob", "ann")]


def written(value: Any) -> bytes:
    return json.dumps(value).encode()


def told(client: FlaskClient, body: bytes) -> list[tuple[int, bytes]]:
    answer = ask(client, "/v1/batch", body, headers=HEADERS)
    assert answer.status_code == 200, answer.data
    answers = msgspec.json.decode(answer.data, type=dict[str, list[dict[str, msgspec.Raw]]])["answers"]
    return [(int(bytes(each["status"])), bytes(each["body"])) for each in answers]


def alone(client: FlaskClient, path: str, body: Any) -> tuple[int, bytes]:
    answer = ask(client, path, body, headers=HEADERS)
    return answer.status_code, answer.data


def test_queries_of_nothing_but_a_case_are_read_at_one_go() -> None:
    read = found(written(batch(MOVERS)))
    assert read is not None
    assert (read.game, read.question) == (NAME, "moves")
    assert [each.ask.case.fighter for each in read.reads] == ["ann", "bob", "ann"]
    assert [each.posted() for each in read.reads] == [SCENE] * 3
    assert found(written(batch(MOVERS, kind="ruling"))) is not None


@pytest.mark.parametrize(
    "body",
    [
        batch([]),
        batch([{"case": {"fighter": "ann"}, "dice": {"seed": "s"}}]),
        batch([{"case": {"fighter": "ann"}, "question": "moves"}]),
        batch([{"case": {"fighter": "ann", "scene": SCENE}}]),
        batch([{"case": {"fighter": "ann", "more": 1}}]),
        batch([{"case": {"fighter": 5}}]),
        batch([{"case": {}}]),
        batch([{"case": 5}]),
        batch([{}]),
        batch([*MOVERS, 5]),
        batch({"case": {"fighter": "ann"}}),
        batch(MOVERS, kind="odds"),
        batch(MOVERS, dice={"seed": "s"}),
        batch(MOVERS, game="chess"),
        batch(MOVERS, game=None),
        batch(MOVERS, question="castling"),
        batch(MOVERS, case={"scene": SCENE, "fighter": "bob"}),
        batch(MOVERS, case={"scene": "near"}),
        batch(MOVERS, case={"scene": {}}),
        batch(MOVERS, case={}),
        batch(MOVERS) | {"scenes": {}},
        {"queries": MOVERS},
        [],
    ],
)  # fmt: skip
def test_what_is_not_just_that_is_read_query_by_query(body: Any) -> None:
    assert found(written(body)) is None


@pytest.mark.parametrize("body", [b"", b"{", b'{"queries":[', b"\xff", b"[" * 5_000, b'{"defaults":' + b"[" * 5_000])
def test_what_is_no_json_is_read_query_by_query(body: bytes) -> None:
    assert found(body) is None


def test_a_batch_of_too_many_or_of_what_is_paid_for_by_its_length_is_read_query_by_query() -> None:
    assert found(written(batch(MOVERS)), most=3) is not None
    assert found(written(batch(MOVERS)), most=2) is None
    queries = written(MOVERS)
    for length, plain in ((UNIT_BYTES - 1, True), (UNIT_BYTES, False)):
        padded = queries[:-1] + b" " * (length - len(queries)) + b"]"
        body = b'{"defaults":%s,"queries":%s}' % (written(batch([])["defaults"]), padded)
        assert (found(body) is not None) == plain


def test_a_question_that_may_be_heavy_is_weighed_query_by_query() -> None:
    heavy = replace(TEMPLATE.questions["moves"], cost=lambda state: 1.0)
    assert found(written(batch(MOVERS)), with_questions(TEMPLATE, moves=heavy)) is None


def test_a_board_that_nobody_put_is_told_query_by_query(client: FlaskClient) -> None:
    scene = {"board": {"ref": "sha256:" + "0" * 64}, "explorers": [], "hostiles": []}
    defaults = {"game": "blackstone-fortress", "question": "line-of-sight", "case": {"scene": scene}}
    queries = [{"case": {"observer": [0, 0], "targets": [[at, 0]]}} for at in range(3)]
    assert found(written({"defaults": defaults, "queries": queries}), GAMES["blackstone-fortress"]) is None
    path = "/v1/games/blackstone-fortress/line-of-sight"
    each = [alone(client, path, {"case": {"scene": scene, **query["case"]}}) for query in queries]
    assert told(client, written({"defaults": defaults, "queries": queries})) == each
    assert {json.loads(text)["type"] for _, text in each} == {"/problems/unknown-board"}


def test_what_is_wrong_with_one_query_harms_no_other(client: FlaskClient) -> None:
    queries = [*MOVERS, {"case": {"fighter": "nobody"}}, *MOVERS]
    assert found(written(batch(queries))) is not None
    each = [alone(client, MOVES, {"case": {"scene": SCENE, **query["case"]}}) for query in queries]
    assert [status for status, _ in each] == [200, 200, 200, 422, 200, 200, 200]
    assert told(client, written(batch(queries))) == each


def test_dice_that_nobody_named_fall_anew_for_each(client: FlaskClient) -> None:
    body = written(batch([{"case": {"attacker": "ann", "target": "bob"}}] * 6, question="attack"))
    assert found(body) is not None
    rulings = [json.loads(text) for _, text in told(client, body)]
    assert all(ruling["throws"] for ruling in rulings)
    assert len({ruling["seed"] for ruling in rulings}) == 6


def test_every_query_is_charged_before_any_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    charged: list[int] = []
    monkeypatch.setattr("api.app.charge", charged.append)
    client = create_app(Settings(log_level="error", rate_limits=False), GAMES).test_client()
    assert len(told(client, written(batch(MOVERS)))) == 3
    assert charged == [3]


def test_who_cannot_pay_has_nothing_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(units: int) -> None:
        raise ProblemError("busy", "no units are left")

    monkeypatch.setattr("api.app.charge", refuse)
    client = create_app(Settings(log_level="error", rate_limits=False), GAMES).test_client()
    assert ask(client, "/v1/batch", batch(MOVERS)).status_code == 503


def settled_examples(game: Arbiter) -> dict[str, list[dict[str, Any]]]:
    """Give cases of each question without dice that is light, whatever else their examples say."""
    cases: dict[str, list[dict[str, Any]]] = {}
    for each in load_examples(game.folder / "examples"):
        question = game.questions[each.question]
        if not question.dice and question.cost is None and isinstance(each.case.get("scene"), dict):
            cases.setdefault(each.question, []).append(json.loads(msgspec.json.encode(each.case)))
    return cases


@pytest.mark.parametrize("game", [pytest.param(game, id=name) for name, game in GAMES.items()])
def test_the_questions_of_all_games_are_answered_as_alone(client: FlaskClient, game: Arbiter) -> None:
    at_one_go = set()
    for question, cases in settled_examples(game).items():
        scene = cases[0]["scene"]
        # What is asked about another scene may be impossible in this one: that is to be said in the same words, too.
        queries = [{"case": {name: case[name] for name in case if name != "scene"}} for case in cases[:12]]
        body = written(
            {"defaults": {"game": game.name, "question": question, "case": {"scene": scene}}, "queries": queries}
        )
        path = f"/v1/games/{game.name}/{question}"
        each = [alone(client, path, {"case": {"scene": scene, **query["case"]}}) for query in queries]
        assert told(client, body) == each, question
        at_one_go.add(found(body, game) is not None)
    assert at_one_go == {True}
