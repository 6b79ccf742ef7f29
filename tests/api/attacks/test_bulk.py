"""Attacks by boards and batches: what is sent once must not count for less, nor stand for something else."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
import rfc8785
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api import create_app
from api.settings import Settings
from tests.api.memory_keys import MemoryKeys
from tests.api.memory_keys import settings as key_settings
from tests.api.posting import ATTACK, GAMES, TEMPLATE, ask, attack, codes, problem
from tests.api.small_quotas import stands, stopped
from tests.api.strangers import GAME, by

BATCH, FORTRESS, NAME = "/v1/batch", "blackstone-fortress", TEMPLATE.name
SIGHT = f"/v1/games/{FORTRESS}/line-of-sight"
SETTLED = attack(dice={"seed": 7}, policies={"*": "first"})
BOARD = {"hexes": [[0, 0], [1, 0], [2, 0], [3, 0]]}
ATTACKED = {"game": NAME, "question": "attack"}


def digest_of(board: Any) -> str:
    return hashlib.sha256(rfc8785.dumps(board)).hexdigest()


def put(client: FlaskClient, board: Any, digest: str = "", game: str = FORTRESS, **more: Any) -> TestResponse:
    path = f"/v1/games/{game}/boards/{digest or digest_of(board)}"
    body = board if isinstance(board, bytes) else json.dumps(board)
    return client.put(path, data=body, content_type="application/json", **more)


def sight(board: Any, **more: Any) -> dict[str, Any]:
    return {"case": {"scene": {"board": board}, "observer": [0, 0], "targets": [[3, 0]], **more}}


@pytest.fixture
def client() -> Iterator[FlaskClient]:
    """A gateway to which nobody has put a board, which answers an honest question whatever was tried before."""
    games = {**GAME, **{name: GAMES[name] for name in (FORTRESS, "stargrave")}}
    fresh = create_app(Settings(log_level="error", rate_limits=False, boards_max_count=3), games).test_client()
    yield fresh
    assert ask(fresh, SIGHT, sight(BOARD)).status_code == 200


REF = {"ref": f"sha256:{digest_of(BOARD)}"}


# Boards


@pytest.mark.parametrize("form", ["as written", "indented", "other order", "with an end of line", "of the reference"])
def test_a_board_is_kept_under_the_digest_of_its_canonical_form_alone(client: FlaskClient, form: str) -> None:
    board = {"obstructions": [[1, 0]], **BOARD}
    text = {
        "as written": json.dumps(board),
        "indented": json.dumps(board, indent=1),
        "other order": json.dumps(board, separators=(",", ":")),
        "with an end of line": rfc8785.dumps(board).decode() + "\n",
        "of the reference": json.dumps(REF),
    }[form]
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert problem(put(client, board, digest), 422, "wrong-digest")["digest"] == digest_of(board)
    problem(client.get(f"/v1/games/{FORTRESS}/boards/{digest}"), 404, "not-found")


def test_a_board_of_one_game_is_none_of_another(client: FlaskClient) -> None:
    assert put(client, BOARD).status_code == 201
    problem(client.get(f"/v1/games/stargrave/boards/{digest_of(BOARD)}"), 404, "not-found")
    problem(put(client, BOARD, game="stargrave"), 422, "invalid")
    assert put(client, BOARD, game=NAME).status_code == 404
    body = {"case": {"scene": {"board": REF, "figures": []}, "observer": "a"}}
    problem(ask(client, "/v1/games/stargrave/line-of-sight", body), 422, "unknown-board")


WRONG_REFERENCES = (
    digest_of(BOARD),
    f"SHA256:{digest_of(BOARD)}",
    f"sha256:{digest_of(BOARD).upper()}",
    f"sha256:{digest_of(BOARD)} ",
    f"sha256:{digest_of(BOARD)[:-1]}",
    f"sha512:{digest_of(BOARD)}",
    f"sha256:../{digest_of(BOARD)[3:]}",
    "sha256:*",
    "",
    f"sha256:{digest_of(BOARD)}\n",
    "/v1/limits",
    "https://evil.example/board.json",
    "file:///etc/passwd",
    1,
    None,
    True,
    ["sha256:" + "0" * 64],
    {"ref": "sha256:" + "0" * 64},
)


@pytest.mark.parametrize("said", WRONG_REFERENCES, ids=lambda said: str(said)[:24])
def test_what_is_no_reference_is_told_at_its_place(client: FlaskClient, said: Any) -> None:
    put(client, BOARD)
    answer = ask(client, SIGHT, sight({"ref": said}))
    assert codes(problem(answer, 422, "invalid")) == {"/case/scene/board/ref": "wrong-reference"}


def test_a_reference_counts_in_the_place_of_a_board_and_nowhere_else(client: FlaskClient) -> None:
    put(client, BOARD)
    assert ask(client, SIGHT, sight(REF)).status_code == 200
    elsewhere = (
        {"case": {**sight(BOARD)["case"], "observer": REF}},
        {"case": {**sight(BOARD)["case"], "targets": [REF]}},
        {"case": {**sight(BOARD)["case"], "scene": REF}},
        {"case": REF},
        REF,
        sight({**BOARD, **REF}),
        sight({**BOARD, "hexes": REF}),
        sight([REF]),
        {**sight(BOARD), "readings": REF},
        sight({"ref": REF}),
        {**sight(BOARD), "dice": {"seed": REF}},
    )
    for body in elsewhere:
        problem(ask(client, SIGHT, body), 422, "invalid")
    # Neither is a reference a board that could be put, so that none leads to another, or to itself.
    problem(put(client, REF), 422, "invalid")


def test_a_flood_of_boards_pushes_out_the_oldest_and_its_user_is_told_what_to_do(client: FlaskClient) -> None:
    put(client, BOARD)
    for x in range(4, 9):
        assert put(client, {"hexes": [*BOARD["hexes"], [x, 0]]}).status_code == 201
    told = problem(ask(client, SIGHT, sight(REF)), 422, "unknown-board")
    assert client.put(told["put"], data=json.dumps(BOARD), content_type="application/json").status_code == 201
    assert ask(client, SIGHT, sight(REF)).status_code == 200


# Batches


def batch(client: FlaskClient, **members: Any) -> list[tuple[int, Any]]:
    answer = ask(client, BATCH, members)
    assert answer.status_code == 200, answer.data
    return [(each["status"], each["body"]) for each in answer.get_json()["answers"]]


@pytest.mark.parametrize("text", ["{}", "null", "[]", '{"game":"x"}'])
def test_a_hundred_thousand_queries_are_counted_before_any_is_read(
    client: FlaskClient, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without it no fault of a query can be looked for.
    monkeypatch.setattr("api.resources.batch_items.codec", None)
    answer = ask(client, BATCH, b'{"queries":[' + b",".join([text.encode()] * 50_000) + b"]}")
    assert set(codes(problem(answer, 422, "invalid"))) == {"/queries"}


LEADING_AWAY = (
    "..",
    "../..",
    "../jobs",
    "attack/odds",
    "attack/simulations",
    "attack?x=1",
    "attack#",
    "%2e%2e",
    "..%2fjobs",
    "\\..",
    "attack\x00",
    "attack\n",
    "//evil.example",
    "http://evil.example",
    "<script>",
    "_template",
    "ATTACK",
    "attack ",
    "*",
    "__class__",
    "batch",
)


@pytest.mark.parametrize("name", LEADING_AWAY, ids=ascii)
def test_names_in_a_batch_are_no_paths(client: FlaskClient, name: str) -> None:
    queries = [{**ATTACKED, "question": name}, {**ATTACKED, "game": name}, {**ATTACKED, **SETTLED}]
    away, off, well = batch(client, queries=queries)
    for status, body in (away, off):
        assert (status, body["type"]) == (404, "/problems/not-found")
        # Its instance is a path of this service, of as many parts as that of any question.
        assert body["instance"].startswith("/v1/games/")
        assert body["instance"].count("/") == 4
        assert body["instance"].isascii()
        assert not set(body["instance"]) & set(" \\<>?#\n\x00")
    assert well[0] == 200


@pytest.mark.parametrize(
    "query",
    [
        {"queries": []},
        {"scenes": {}},
        {"defaults": {}},
        {"kind": "batch"},
        {"kind": "simulation"},
        {"key": "arb_sk_"},
        {"Authorization": "Bearer x"},
        {"headers": {}},
        {"path": ATTACK},
        {"method": "DELETE"},
        {"count": 5},
        {"callback": {"url": "https://evil.example"}},
        {"prefer": "respond-async"},
        {"body": {}},
        {"vary": {}},
    ],
    ids=str,
)
def test_a_query_is_a_question_and_nothing_more(client: FlaskClient, query: dict[str, Any]) -> None:
    problem(ask(client, BATCH, {"queries": [{**ATTACKED, **SETTLED, **query}]}), 422, "invalid")
    nested = {"queries": [{**ATTACKED, "case": {"queries": [{}]}}]}
    assert batch(client, **nested)[0][0] == 422


def test_text_in_a_batch_cannot_break_out_of_its_place(client: FlaskClient) -> None:
    """Bodies are put together from texts: what closes one too early is refused as the text that it is."""
    for name in ('x":1},"dice":{"seed":1},"y":{"z', '"', "\\", "scene\\", "\u2028", "a" * 500):
        status, body = batch(client, queries=[{**ATTACKED, "case": {**SETTLED["case"], name: 1}}])[0]
        assert status == 422
        assert [fault["code"] for fault in body["errors"]] == ["unknown-field"]
    raw = b'{"queries":[{"game":"%b","question":"attack","case":{"scene":null}},"dice":{"seed":1}}]}' % NAME.encode()
    assert codes(problem(ask(client, BATCH, raw), 422, "invalid")) == {"": "not-json"}


def test_shared_scenes_are_found_by_name_and_lead_to_no_other(client: FlaskClient) -> None:
    put(client, BOARD)
    queries = [
        {"case": {"observer": [0, 0], "targets": [[3, 0]]}},
        {"case": {"scene": "t", "observer": [0, 0]}},
        {"case": {"scene": "u", "observer": [0, 0]}},
        {"case": {"scene": "s\u0000", "observer": [0, 0]}},
        {"case": {"scene": {"board": {"ref": "sha256:" + "0" * 64}}, "observer": [0, 0]}},
    ]
    scenes = {"s": {"board": REF}, "t": "s"}
    told = batch(
        client,
        defaults={"game": FORTRESS, "question": "line-of-sight", "case": {"scene": "s"}},
        scenes=scenes,
        queries=queries,
    )
    assert [status for status, _ in told] == [200, 422, 422, 422, 422]
    alone = ask(client, SIGHT, sight(REF)).get_json()
    assert told[0][1] == alone
    assert told[4][1]["type"] == "/problems/unknown-board"
    twice = (
        b'{"scenes":{"s":{},"s":%b},"queries":[{"game":"%b","question":"line-of-sight","case":{"scene":"s",'
        % (json.dumps({"board": BOARD}).encode(), FORTRESS.encode())
        + b'"observer":[0,0],"targets":[[3,0]]}}]}'
    )
    assert ask(client, BATCH, twice).get_json()["answers"][0]["status"] == 200


@pytest.fixture
def metered() -> FlaskClient:
    settings = Settings(log_level="error", anonymous_units_per_minute=600)
    return stopped(create_app(settings, GAME)).test_client()


def spent(client: FlaskClient, **members: Any) -> int:
    answer = ask(client, BATCH, members)
    assert answer.status_code == 200, answer.data
    return 600 - stands(answer)["r"]


LONG = ["x" * 100] * 3_000


@pytest.mark.parametrize(
    ("defaults", "units"),
    [
        # Ten queries, one for each, and one for the batch; then what each is made to read.
        ({**ATTACKED, **SETTLED}, 11),
        ({**ATTACKED, **SETTLED, "choices": {"nothing": LONG}}, 11 + 1 + 10),
        ({**ATTACKED, "case": {**SETTLED["case"], "target": "x" * 300_000}}, 11 + 1 + 10),
        ({**ATTACKED, "case": {**SETTLED["case"], "scene": {"fighters": LONG}}}, 11 + 1 + 10),
    ],
    ids=["short", "choices", "case", "scene"],
)
def test_what_is_said_once_and_read_ten_times_is_paid_for_ten_times(
    metered: FlaskClient, defaults: dict[str, Any], units: int
) -> None:
    assert spent(metered, defaults=defaults, queries=[{}] * 10) in {units, units - 1}


@pytest.mark.parametrize(("kind", "each"), [("ruling", 1), ("odds", 5)])
def test_a_batch_is_not_had_for_less_than_its_queries(metered: FlaskClient, kind: str, each: int) -> None:
    members = SETTLED if kind == "ruling" else {"case": SETTLED["case"], "policies": {"*": "first"}}
    assert spent(metered, defaults={**ATTACKED, **members, "kind": kind}, queries=[{}] * 20) >= 20 * each


def test_who_has_too_little_left_for_all_is_given_none(metered: FlaskClient) -> None:
    while stands(answer := ask(metered, ATTACK, SETTLED))["r"] > 30:
        assert answer.status_code == 200
    refused = ask(metered, BATCH, {"defaults": {**ATTACKED, **SETTLED}, "queries": [{}] * 40})
    problem(refused, 429, "too-many-requests")


def test_a_key_for_boards_alone_asks_nothing_by_a_batch() -> None:
    made = MemoryKeys()
    client = create_app(key_settings(), GAME, None, made).test_client()
    for scope, status in (("boards", 403), ("jobs", 403), ("ask", 200)):
        answer = ask(client, BATCH, {"queries": [{**ATTACKED, **SETTLED}]}, headers=by(made.make(scopes=(scope,))))
        assert answer.status_code == status
