"""Boards by digest for arbiters elsewhere: what is sent to them, and that the answer is the gateway's own."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
import rfc8785
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter

from api.arbiters.local import LocalArbiter
from api.arbiters.remote import RemoteArbiter
from api.caching.board_library import BoardLibrary
from api.caching.board_store import InMemory
from api.problems.handlers import ProblemError
from api.schemas.scenes import Bodies
from api.settings import Settings
from arbiter import registry
from tests.api.game_services import Services, serving

GAME = registry.alone("blackstone-fortress")
BOARD = {"hexes": [[0, 0], [1, 0], [2, 0], [3, 0]], "obstructions": [[1, 0]]}
DIGEST = hashlib.sha256(rfc8785.dumps(BOARD)).hexdigest()
NAMED, UNKNOWN = {"ref": f"sha256:{DIGEST}"}, {"ref": "sha256:" + "0" * 64}
SETTINGS = Settings(log_level="error")


class Recorder(HTTPAdapter):
    """A transport that keeps what it has sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Any] = []

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        self.sent.append(request.body)
        return super().send(request, *args, **kwargs)


class Remote(RemoteArbiter):
    """The arbiter of the game, with what it has sent."""

    def __init__(self, address: str, bodies: Bodies) -> None:
        super().__init__(GAME, address, SETTINGS, bodies)
        recorder = Recorder()
        self.session.mount("http://", recorder)
        self.sent = recorder.sent


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    with serving({GAME.name: GAME}, SETTINGS) as services:
        yield services


@pytest.fixture(scope="module")
def bodies() -> Bodies:
    boards = BoardLibrary(InMemory(SETTINGS), SETTINGS)
    boards.put(GAME, DIGEST, json.dumps(BOARD).encode())
    return Bodies(GAME, boards, SETTINGS)


@pytest.fixture
def elsewhere(services: Services, bodies: Bodies) -> Remote:
    return Remote(services.address(GAME.name), bodies)


def sight(board: Any, size: int = 0, **members: Any) -> bytes:
    """Ask whether a figure sees another, in so many bytes at least."""
    case = {"scene": {"board": board}, "observer": [0, 0], "targets": [[3, 0]]}
    return json.dumps({"case": case, **members}).encode().ljust(size)


def test_a_board_by_its_digest_is_sent_whole(elsewhere: Remote, bodies: Bodies) -> None:
    body = sight(NAMED)
    ruling = elsewhere.ask("line-of-sight", body, "id")
    assert ruling.body == LocalArbiter(GAME, SETTINGS, bodies).ask("line-of-sight", body, "id").body
    elsewhere.odds("attack", body, "id")
    assert [json.loads(each)["case"]["scene"]["board"] for each in elsewhere.sent] == [BOARD, BOARD]


def test_a_whole_board_goes_as_it_is(elsewhere: Remote, bodies: Bodies) -> None:
    body = sight(BOARD, 10_000)
    ruling = elsewhere.ask("line-of-sight", body, "id")
    assert ruling.body == LocalArbiter(GAME, SETTINGS, bodies).ask("line-of-sight", body, "id").body
    assert elsewhere.sent == [body]


def test_a_digest_that_nobody_knows_is_refused_as_it_is_here(elsewhere: Remote, bodies: Bodies) -> None:
    problems = []
    for arbiter in (elsewhere, LocalArbiter(GAME, SETTINGS, bodies)):
        with pytest.raises(ProblemError) as refused:
            arbiter.ask("line-of-sight", sight(UNKNOWN), "id")
        problems.append(vars(refused.value))
    assert problems[0] == problems[1]
    assert elsewhere.sent == []


def test_what_is_no_body_is_passed_on_to_be_refused(elsewhere: Remote) -> None:
    nonsense = [b"sha256:", b'{"case": 5, "x": "ref"}', b'{"case":{"scene":["ref"]}}', sight(BOARD, choices=5)]
    assert {elsewhere.ask("line-of-sight", body, "id").status for body in nonsense} <= {400, 422}
    assert elsewhere.sent == nonsense
