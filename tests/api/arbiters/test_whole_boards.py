"""Boards by digest for arbiters elsewhere: what is sent them, how often, and that the answer is the gateway's own."""

import hashlib
import json
from typing import Any

import pytest
import rfc8785

from api.arbiters.local import SEED, LocalArbiter, Reply
from api.arbiters.single_game import make_game_app
from api.arbiters.whole_boards import LONG_BYTES, WithWholeBoards
from api.caching.board_library import BoardLibrary
from api.caching.board_store import InMemory
from api.problems.handlers import ProblemError
from api.schemas.scenes import Bodies
from api.settings import Settings
from arbiter import registry

GAME = registry.alone("blackstone-fortress")
BOARD = {"hexes": [[0, 0], [1, 0], [2, 0], [3, 0]], "obstructions": [[1, 0]]}
DIGEST = hashlib.sha256(rfc8785.dumps(BOARD)).hexdigest()
NAMED, UNKNOWN = {"ref": f"sha256:{DIGEST}"}, {"ref": "sha256:" + "0" * 64}
SETTINGS = Settings(log_level="error")


class RemoteHealth:
    """The service of the game, asked without a network; it notes what it is sent."""

    def __init__(self) -> None:
        self.client = make_game_app(GAME, SETTINGS).test_client()
        self.sent: list[bytes] = []

    def ask(self, question: str, body: bytes, request_id: str, seed: str | None = None) -> Reply:
        self.sent.append(body)
        path = f"/v1/games/{GAME.name}/{question}"
        answer = self.client.post(path, data=body, content_type="application/json", headers={SEED: seed or "none"})
        return Reply(answer.data, answer.status_code, str(answer.content_type))

    def odds(self, question: str, body: bytes, request_id: str) -> Reply:
        return self.ask(f"{question}/odds", body, request_id)


@pytest.fixture
def elsewhere() -> RemoteHealth:
    return RemoteHealth()


@pytest.fixture
def bodies() -> Bodies:
    shelf = BoardLibrary(InMemory(SETTINGS), SETTINGS)
    shelf.put(GAME, DIGEST, json.dumps(BOARD).encode())
    return Bodies(GAME, shelf, SETTINGS)


def sight(board: Any, size: int = 0, **members: Any) -> bytes:
    """Ask whether a figure sees another, in so many bytes at least."""
    case = {"scene": {"board": board}, "observer": [0, 0], "targets": [[3, 0]]}
    return json.dumps({"case": case, **members}).encode().ljust(size)


@pytest.mark.parametrize(("size", "sent"), [(0, [BOARD]), (LONG_BYTES - 1, [BOARD]), (LONG_BYTES, [NAMED, BOARD])])
def test_a_board_by_its_digest_is_sent_whole(
    elsewhere: RemoteHealth, bodies: Bodies, size: int, sent: list[Any]
) -> None:
    seat, here = WithWholeBoards(elsewhere, bodies, GAME), LocalArbiter(GAME, SETTINGS, bodies)
    body = sight(NAMED, size)
    told = seat.ask("line-of-sight", body, "id")
    assert told == here.ask("line-of-sight", body, "id")
    assert [json.loads(each)["case"]["scene"]["board"] for each in elsewhere.sent] == sent


@pytest.mark.parametrize("size", [0, LONG_BYTES])
def test_a_whole_board_goes_once_and_as_it_is(elsewhere: RemoteHealth, bodies: Bodies, size: int) -> None:
    seat, here = WithWholeBoards(elsewhere, bodies, GAME), LocalArbiter(GAME, SETTINGS, bodies)
    body = sight(BOARD, size)
    assert seat.ask("line-of-sight", body, "id") == here.ask("line-of-sight", body, "id")
    assert elsewhere.sent == [body]


@pytest.mark.parametrize("size", [0, LONG_BYTES])
def test_a_digest_that_nobody_knows_is_refused_as_it_is_here(
    elsewhere: RemoteHealth, bodies: Bodies, size: int
) -> None:
    told = []
    for seat in (WithWholeBoards(elsewhere, bodies, GAME), LocalArbiter(GAME, SETTINGS, bodies)):
        with pytest.raises(ProblemError) as refused:
            seat.ask("line-of-sight", sight(UNKNOWN, size), "id")
        told.append(vars(refused.value))
    assert told[0] == told[1]
    assert len(elsewhere.sent) <= 1


@pytest.mark.parametrize("size", [0, LONG_BYTES])
@pytest.mark.parametrize("wrong", [{"readings": {"corner-contact": "/problems/unknown-board"}}, {"choices": 5}])
def test_another_fault_is_told_as_it_comes_back(
    elsewhere: RemoteHealth, bodies: Bodies, size: int, wrong: dict[str, Any]
) -> None:
    body = sight(BOARD, size, **wrong)
    told = WithWholeBoards(elsewhere, bodies, GAME).ask("line-of-sight", body, "id")
    assert told.status == 422
    assert elsewhere.sent == [body]


def test_odds_are_always_asked_with_whole_boards(elsewhere: RemoteHealth, bodies: Bodies) -> None:
    WithWholeBoards(elsewhere, bodies, GAME).odds("attack", sight(NAMED, LONG_BYTES), "id")
    assert [json.loads(each)["case"]["scene"]["board"] for each in elsewhere.sent] == [BOARD]


@pytest.mark.parametrize("nonsense", [b"sha256:", b'{"case": 5, "x": "ref"}', b'{"case":{"scene":["ref"]}}'])
def test_what_is_no_body_is_passed_on_to_be_refused(elsewhere: RemoteHealth, bodies: Bodies, nonsense: bytes) -> None:
    assert WithWholeBoards(elsewhere, bodies, GAME).ask("line-of-sight", nonsense, "id").status in {400, 422}
    assert elsewhere.sent == [nonsense]
