"""Boards that are put once: kept under their digest and no other, and as good as whole ones in every question."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import jsonpatch
import msgspec
import pytest
import rfc8785
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api import create_app
from api.caching import board_store
from api.caching.board_library import BoardLibrary, board_type
from api.caching.board_store import InMemory
from api.schemas.bodies import ask_type
from api.schemas.scenes import Bodies
from api.settings import Settings
from arbiter.game import Arbiter
from arbiter.sources.examples import Example
from infra.errors import StoreUnavailable
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import GAMES, TEMPLATE, ask, codes, problem
from tests.reading import load_examples
from tests.services.asking import is_on_board

GAME = "blackstone-fortress"
SIGHT = f"/v1/games/{GAME}/line-of-sight"
BOARD = {"hexes": [[0, 0], [1, 0], [2, 0], [3, 0]], "obstructions": [[1, 0]]}
NOBODY = "0" * 64
WITH_BOARDS = [name for name, game in GAMES.items() if board_type(game) is not None]


def digest_of(board: Any) -> str:
    return hashlib.sha256(rfc8785.dumps(board)).hexdigest()


def ref(board: Any) -> dict[str, str]:
    return {"ref": f"sha256:{digest_of(board)}"}


def put(client: FlaskClient, game: str, board: Any) -> TestResponse:
    path = f"/v1/games/{game}/boards/{digest_of(board)}"
    return client.put(path, data=json.dumps(board), content_type="application/json")


def sight(board: Any, **members: Any) -> dict[str, Any]:
    return {"case": {"scene": {"board": board}, "observer": [0, 0], "targets": [[3, 0]]}, **members}


@pytest.fixture
def fresh() -> FlaskClient:
    """A gateway to which nobody has put a board."""
    return create_app(Settings(log_level="error", rate_limits=False), GAMES).test_client()


# Putting and getting


def test_a_board_is_put_once_and_given_back_in_its_canonical_form(fresh: FlaskClient) -> None:
    first, again = put(fresh, GAME, BOARD), put(fresh, GAME, BOARD)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json == again.json == ref(BOARD)
    place = f"/v1/games/{GAME}/boards/{digest_of(BOARD)}"
    assert first.headers["Location"] == place
    got = fresh.get(place)
    assert got.status_code == 200
    assert got.data == b'{"hexes":[[0,0],[1,0],[2,0],[3,0]],"obstructions":[[1,0]]}'
    assert got.headers["ETag"] == f'"{digest_of(BOARD)}"'
    assert "immutable" in got.headers["Cache-Control"]
    head = fresh.head(place)
    assert (head.status_code, head.data, head.headers["ETag"]) == (200, b"", got.headers["ETag"])
    assert fresh.get(place, headers={"If-None-Match": got.headers["ETag"]}).status_code == 304


def test_the_digest_is_of_what_is_said_and_not_of_how_it_is_written(fresh: FlaskClient) -> None:
    written = '{ "obstructions": [[1,0]],\n "hexes": [[0,0],[1,0],[2,0],[3,0]] }'
    place = f"/v1/games/{GAME}/boards/{digest_of(BOARD)}"
    assert fresh.put(place, data=written, content_type="application/json").status_code == 201


def test_another_digest_is_refused_and_the_right_one_told(fresh: FlaskClient) -> None:
    answer = fresh.put(f"/v1/games/{GAME}/boards/{NOBODY}", data=json.dumps(BOARD), content_type="application/json")
    told = problem(answer, 422, "wrong-digest")
    assert told["digest"] == digest_of(BOARD)
    assert fresh.put(told["put"], data=json.dumps(BOARD), content_type="application/json").status_code == 201
    problem(fresh.get(f"/v1/games/{GAME}/boards/{NOBODY}"), 404, "not-found")


@pytest.mark.parametrize("digest", ["0" * 63, "0" * 65, "A" * 64, "g" * 64, f"sha256:{NOBODY}"])
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_what_is_no_digest_is_refused(client: FlaskClient, digest: str, method: str) -> None:
    answer = client.open(
        f"/v1/games/{GAME}/boards/{digest}", method=method, data=json.dumps(BOARD), content_type="application/json"
    )
    assert codes(problem(answer, 422, "invalid")) == {"/digest": "wrong-digest"}


def test_what_is_no_board_of_the_game_is_refused_with_every_fault(client: FlaskClient) -> None:
    told = problem(put(client, GAME, {"hexes": [[0, 0], ["x", 0]], "moat": True}), 422, "invalid")
    assert set(codes(told)) == {"/hexes/1/0", "/moat"}
    assert codes(problem(put(client, GAME, ref(BOARD)), 422, "invalid")).keys() == {"/hexes", "/ref"}


def test_a_board_without_canonical_form_is_refused(client: FlaskClient) -> None:
    # The schema of Stargrave takes any number for an inch; no double holds this one exactly.
    answer = client.put(
        f"/v1/games/stargrave/boards/{NOBODY}", data='{"width_in": 9007199254740993}', content_type="application/json"
    )
    assert problem(answer, 422, "invalid")["errors"]


def test_a_longer_board_than_is_kept_is_refused() -> None:
    small = create_app(Settings(log_level="error", rate_limits=False, max_body_bytes=1_024), GAMES).test_client()
    board = {"hexes": [[q, 0] for q in range(-100, 100)]}
    problem(put(small, GAME, board), 413, "too-large")


def test_a_game_whose_scenes_hold_no_board_takes_none(client: FlaskClient) -> None:
    assert board_type(TEMPLATE) is None
    assert [name for name in GAMES if name != TEMPLATE.name] == WITH_BOARDS
    problem(put(client, TEMPLATE.name, BOARD), 404, "not-found")
    problem(client.get(f"/v1/games/{TEMPLATE.name}/boards/{NOBODY}"), 404, "not-found")


def test_boards_are_put_and_not_posted(client: FlaskClient) -> None:
    answer = client.post(f"/v1/games/{GAME}/boards/{NOBODY}")
    problem(answer, 405, "method-not-allowed")
    assert "PUT" in answer.headers["Allow"]


def test_browsers_may_put_boards(client: FlaskClient) -> None:
    asked = {"Origin": "https://vtt.example", "Access-Control-Request-Method": "PUT"}
    answer = client.options(f"/v1/games/{GAME}/boards/{NOBODY}", headers=asked)
    assert "PUT" in answer.headers["Access-Control-Allow-Methods"].split(", ")


# Asking


def test_a_board_by_its_digest_is_as_good_as_whole(fresh: FlaskClient) -> None:
    put(fresh, GAME, BOARD)
    whole = ask(fresh, SIGHT, sight(BOARD))
    # Once when the board is not decoded yet, and once when the scene is known.
    for _ in range(2):
        assert ask(fresh, SIGHT, sight(ref(BOARD))).data == whole.data
    assert whole.json["answer"]["visible"] == 0


def test_an_unknown_digest_says_where_to_put_the_board(fresh: FlaskClient) -> None:
    told = problem(ask(fresh, SIGHT, sight(ref(BOARD))), 422, "unknown-board")
    assert codes(told) == {"/case/scene/board/ref": "unknown-board"}
    assert told["digest"] == digest_of(BOARD)
    assert fresh.put(told["put"], data=json.dumps(BOARD), content_type="application/json").status_code == 201
    assert ask(fresh, SIGHT, sight(ref(BOARD))).status_code == 200


def test_the_board_of_one_game_is_none_of_another(fresh: FlaskClient) -> None:
    put(fresh, "stargrave", {"width_in": 20})
    body = {"case": {"scene": {"sides": [{"id": "a", "edge": "north"}], "board": ref({"width_in": 20})}}}
    problem(ask(fresh, "/v1/games/rapture/victory", body), 422, "unknown-board")


@pytest.mark.parametrize("said", ["sha256:", f"sha256:{'0' * 63}", f"sha256:{'A' * 64}", f"sha256:{NOBODY}\n", 5])
def test_a_reference_that_is_no_digest_is_told_at_its_place(client: FlaskClient, said: Any) -> None:
    told = problem(ask(client, SIGHT, sight({"ref": said}, dice={"seed": "sha256:"})), 422, "invalid")
    assert codes(told) == {"/case/scene/board/ref": "wrong-reference"}


@pytest.mark.parametrize("written", ["sha256:{}", "{}"])
def test_a_bare_digest_is_told_how_it_names_a_board(fresh: FlaskClient, store: MemoryJobs, written: str) -> None:
    put(fresh, GAME, BOARD)
    for said in (digest_of(BOARD), digest_of(BOARD).upper()):
        (fault,) = problem(ask(fresh, SIGHT, sight(written.format(said))), 422, "invalid")["errors"]
        assert (fault["pointer"], fault["code"]) == ("/case/scene/board", "wrong-type")
        # What is advised is taken, as it stands there.
        advised = json.loads(fault["hint"].removeprefix("write "))
        assert ask(fresh, SIGHT, sight(advised)).status_code == 200
    query = {"game": GAME, "question": "line-of-sight", **sight(written.format(NOBODY))}
    (item,) = ask(fresh, "/v1/batch", {"queries": [query]}).json["answers"]
    assert item["body"]["errors"][0]["hint"] == f'write {{"ref": "sha256:{NOBODY}"}}'
    body, board = _shot()
    body |= {"count": 5, "vary": {"/case/scene/board": [board, written.format(NOBODY)]}}
    jobs = create_app(Settings(log_level="error", rate_limits=False), GAMES, store).test_client()
    told = problem(ask(jobs, "/v1/games/stargrave/shoot/simulations", body), 422, "invalid")
    assert codes(told) == {"/vary/~1case~1scene~1board/1": "wrong-type"}
    assert told["errors"][0]["hint"] == f'write {{"ref": "sha256:{NOBODY}"}}'


@pytest.mark.parametrize("said", ["sha256:", f"sha256:{NOBODY}0", "sha256:" + "0" * 500, "sha256:castle\n"])
def test_a_digest_that_is_none_is_still_told_how_boards_are_named(client: FlaskClient, said: str) -> None:
    (fault,) = problem(ask(client, SIGHT, sight(said)), 422, "invalid")["errors"]
    assert fault["hint"] == 'write {"ref": "sha256:…"}'


@pytest.mark.parametrize("said", ["castle", NOBODY[1:], f"{NOBODY}0", f" {NOBODY}", "md5:0", 5, [NOBODY]])
def test_what_is_no_digest_is_not_told_of_any(client: FlaskClient, said: Any) -> None:
    (fault,) = problem(ask(client, SIGHT, sight(said)), 422, "invalid")["errors"]
    assert (fault["code"], fault["hint"]) == ("wrong-type", "")
    other = {"case": {"scene": {"board": BOARD, "hostiles": NOBODY}, "observer": [0, 0], "targets": [[3, 0]]}}
    assert all("ref" not in each["hint"] for each in problem(ask(client, SIGHT, other), 422, "invalid")["errors"])


def test_a_reference_beside_a_board_is_no_reference(client: FlaskClient) -> None:
    put(client, GAME, BOARD)
    told = problem(ask(client, SIGHT, sight({**BOARD, **ref(BOARD)})), 422, "invalid")
    assert codes(told) == {"/case/scene/board/ref": "unknown-field"}


def test_a_reference_may_be_written_with_escapes(client: FlaskClient) -> None:
    put(client, GAME, BOARD)
    body = json.dumps(sight(ref(BOARD))).replace("sha256", r"\u0073h\u0061256").replace("ref", r"r\u0065f")
    assert ask(client, SIGHT, body.encode()).data == ask(client, SIGHT, sight(BOARD)).data


def test_other_faults_are_told_as_those_of_a_whole_board(client: FlaskClient) -> None:
    put(client, GAME, BOARD)
    wrong: dict[str, Any] = {"case": {"scene": {"hostiles": 5, "moat": 1}, "observer": [9, 9]}, "dice": "no"}
    told = []
    for board in (BOARD, ref(BOARD)):
        wrong["case"]["scene"]["board"] = board
        told.append(problem(ask(client, SIGHT, wrong), 422, "invalid")["errors"])
    assert told[0] == told[1]
    assert len(told[0]) >= 3


def test_an_impossible_board_is_put_and_told_in_its_scene(client: FlaskClient) -> None:
    board = {"hexes": [[0, 0], [0, 0]]}
    assert put(client, GAME, board).status_code in {200, 201}
    body = {"case": {"scene": {"board": ref(board)}, "observer": [0, 0], "targets": [[0, 0]]}}
    assert codes(problem(ask(client, SIGHT, body), 422, "invalid")) == {"/case/scene/board/hexes/1": "repeated-hex"}


def test_a_digest_in_another_place_is_just_a_text(client: FlaskClient) -> None:
    body = sight(BOARD, readings={"corner-contact": f"sha256:{NOBODY}"})
    assert codes(problem(ask(client, SIGHT, body), 422, "invalid")) == {"/readings/corner-contact": "unknown-option"}


def shown(game: Arbiter) -> Iterator[Example]:
    """Give an example of each question of a game that has a board, but for whole battles."""
    seen = set()
    for each in load_examples(game.folder / "examples"):
        if each.question not in seen and each.question != "battle" and is_on_board(game, each):
            seen.add(each.question)
            yield each


@pytest.mark.parametrize("name", WITH_BOARDS)
def test_rulings_by_digest_are_those_of_whole_boards(client: FlaskClient, name: str) -> None:
    game, asked = GAMES[name], 0
    for each in shown(game):
        body = json.loads(msgspec.json.encode(each.body()))
        scene = body["case"]["scene"]
        board = scene.setdefault("board", {})
        if "throws" not in body.get("dice", {}):
            body.setdefault("dice", {}).setdefault("seed", "s")
        path = f"/v1/games/{game.name}/{each.question}"
        whole = ask(client, path, body)
        assert put(client, game.name, board).status_code in {200, 201}
        scene["board"] = ref(board)
        named = ask(client, path, body)
        assert named.status_code == whole.status_code == 200, (each.title, named.data)
        asked += 1
        if named.data != whole.data:
            # Only what changes on the board itself may differ: it takes the whole place of the reference.
            _same_after(game, scene, board, json.loads(named.data), json.loads(whole.data))
    assert asked >= 10


def _same_after(game: Arbiter, scene: Any, board: Any, named: Any, whole: Any) -> None:
    patches = [ruling["effects"].pop("patch") for ruling in (named, whole)]
    assert named == whole
    assert [step["path"] for step in patches[0] if step["path"].startswith("/board")] == ["/board"]
    after = [
        jsonpatch.apply_patch(posted, patch)
        for posted, patch in zip((scene, {**scene, "board": board}), patches, strict=True)
    ]
    kind = board_type(game)
    assert msgspec.convert(after[0].pop("board"), kind) == msgspec.convert(after[1].pop("board"), kind)
    assert after[0] == after[1]


def test_a_patch_that_changes_the_board_takes_the_place_of_the_reference(client: FlaskClient) -> None:
    changing = [
        each
        for each in load_examples(GAMES[GAME].folder / "examples")
        if (each.question == "event-phase" or "escape" in each.title.lower()) and is_on_board(GAMES[GAME], each)
    ]
    changed = 0
    for each in changing:
        body = json.loads(msgspec.json.encode(each.body()))
        board = body["case"]["scene"]["board"]
        body.setdefault("dice", {}).setdefault("seed", "s")
        whole = ask(client, f"/v1/games/{GAME}/{each.question}", body)
        put(client, GAME, board)
        body["case"]["scene"]["board"] = ref(board)
        named = ask(client, f"/v1/games/{GAME}/{each.question}", body)
        if named.data != whole.data:
            changed += 1
            _same_after(GAMES[GAME], body["case"]["scene"], board, json.loads(named.data), json.loads(whole.data))
    assert changed


def test_odds_by_digest_are_those_of_a_whole_board(client: FlaskClient) -> None:
    each = next(one for one in shown(GAMES["stargrave"]) if one.question == "shoot")
    body = json.loads(msgspec.json.encode(each.odds_body()))
    board = body["case"]["scene"].setdefault("board", {})
    whole = ask(client, "/v1/games/stargrave/shoot/odds", body)
    put(client, "stargrave", board)
    body["case"]["scene"]["board"] = ref(board)
    assert ask(client, "/v1/games/stargrave/shoot/odds", body).data == whole.data
    assert whole.status_code == 200


# Jobs and services of their own


def _shot() -> tuple[dict[str, Any], Any]:
    each = next(one for one in shown(GAMES["stargrave"]) if one.question == "shoot")
    body = json.loads(msgspec.json.encode(each.odds_body()))
    return body, body["case"]["scene"].setdefault("board", {})


def test_a_job_takes_the_board_with_it(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    body, board = _shot()
    put(with_jobs, "stargrave", board)
    whole = ask(with_jobs, "/v1/games/stargrave/shoot/odds", body, headers={"Prefer": "respond-async"})
    body["case"]["scene"]["board"] = ref(board)
    named = ask(with_jobs, "/v1/games/stargrave/shoot/odds", body, headers={"Prefer": "respond-async"})
    assert named.status_code == whole.status_code == 202
    for kept in store.kept.values():
        assert "sha256:" not in kept.work.body
        assert json.loads(kept.work.body)["case"]["scene"]["board"] == board
        store.do(kept.job.id)
        assert kept.job.state == "successful"


def test_a_sweep_may_go_over_boards(with_jobs: FlaskClient, store: MemoryJobs) -> None:
    body, board = _shot()
    wide = {**board, "width_in": 60}
    put(with_jobs, "stargrave", board)
    put(with_jobs, "stargrave", wide)
    body["case"]["scene"]["board"] = ref(board)
    body |= {"count": 5, "seed": 1, "vary": {"/case/scene/board": [ref(board), ref(wide), wide]}}
    assert ask(with_jobs, "/v1/games/stargrave/shoot/simulations", body).status_code == 202
    (kept,) = store.kept.values()
    assert json.loads(kept.work.body)["vary"]["/case/scene/board"] == [board, wide, wide]
    body["vary"]["/case/scene/board"][1] = {"ref": f"sha256:{NOBODY}"}
    told = problem(ask(with_jobs, "/v1/games/stargrave/shoot/simulations", body), 422, "unknown-board")
    assert codes(told) == {"/vary/~1case~1scene~1board/1/ref": "unknown-board"}


# Keeping


class _Wavering(InMemory):
    """A store that can be away, and counts what it is told."""

    away = False
    puts = 0

    def put(self, game: str, digest: str, text: bytes) -> bool:
        self.puts += 1
        if self.away:
            raise StoreUnavailable("nobody answers")
        return super().put(game, digest, text)

    def get(self, game: str, digest: str) -> bytes | None:
        if self.away:
            raise StoreUnavailable("nobody answers")
        return super().get(game, digest)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of the process, which goes on when a test says so."""
    now = [1_000.0]
    monkeypatch.setattr("api.caching.board_library.time.monotonic", lambda: now[0])
    return now


def test_a_board_at_hand_needs_no_store_and_tells_it_of_its_use_now_and_then(clock: list[float]) -> None:
    settings = Settings(boards_ttl_s=2_400)
    store = _Wavering(settings)
    bodies = Bodies(GAMES[GAME], BoardLibrary(store, settings), settings)
    game, text = GAMES[GAME], json.dumps(sight(ref(BOARD))).encode()
    wanted = ask_type(game.questions["line-of-sight"])
    bodies.library.put(game, digest_of(BOARD), json.dumps(BOARD).encode())

    def used() -> Any:
        # Every request brings bytes of its own.
        return bodies.decode(wanted, bytes(bytearray(text))).ask.case.scene.board

    first = used()
    for _ in range(30):
        # A board that is used every minute is used all the time.
        clock[0] += 60
        assert used() is first
    # A use is told when 100 seconds, a 24th of the span, are over: of uses every minute, that is each other one.
    assert store.puts - 1 == 15
    store.away = True
    clock[0] += 1_000
    assert used() is first
    store.away = False
    # The store has lost the board, and has it again.
    del store._boards[GAME, digest_of(BOARD)]
    clock[0] += 200
    assert used() is first
    assert store.get(GAME, digest_of(BOARD)) is not None


def test_a_store_that_is_away_is_a_problem_only_for_boards_that_are_not_at_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(board_store, "InMemory", _Wavering)
    client = create_app(Settings(log_level="error", rate_limits=False), GAMES).test_client()
    put(client, GAME, BOARD)
    ask(client, SIGHT, sight(ref(BOARD)))
    monkeypatch.setattr(_Wavering, "away", True)
    assert ask(client, SIGHT, sight(ref(BOARD))).status_code == 200
    answer = ask(client, SIGHT, sight({"ref": f"sha256:{NOBODY}"}))
    problem(answer, 503, "store-away")
    assert "Retry-After" in answer.headers
    problem(put(client, GAME, BOARD), 503, "store-away")
