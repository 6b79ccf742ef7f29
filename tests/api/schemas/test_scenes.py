"""Bodies with scenes: what is decoded once."""

import json

import pytest

from api.caching.board_library import BoardLibrary
from api.caching.board_store import InMemory
from api.schemas.bodies import ask_type, odds_type
from api.schemas.scenes import Bodies
from api.settings import Settings
from arbiter import registry
from arbiter.fault import Faults
from arbiter.question import Ask, AskOdds
from arbiter.sources.examples import first_examples
from tests.services.asking import examples

GAME = registry.alone("blackstone-fortress")
QUESTION = GAME.questions["attack"]
SETTINGS = Settings(log_level="error")


@pytest.fixture
def bodies() -> Bodies:
    return Bodies(GAME, BoardLibrary(InMemory(SETTINGS), SETTINGS), SETTINGS)


@pytest.fixture
def body() -> bytes:
    return json.dumps({"case": first_examples(examples(GAME))[QUESTION.name].case}).encode()


def test_the_picture_of_a_question_is_of_the_scene_that_was_ruled_about(bodies: Bodies, body: bytes) -> None:
    ruled, drawn = (bodies.decode(ask_type(QUESTION), body).ask for _ in range(2))
    assert drawn.case.scene is ruled.case.scene


def test_a_body_is_what_it_is_asked_for(bodies: Bodies, body: bytes) -> None:
    asked = [bodies.decode(kind, body).ask for kind in (ask_type(QUESTION), odds_type(QUESTION))]
    assert [type(each) for each in asked] == [Ask, AskOdds]


def test_a_faulty_body_is_refused_each_time(bodies: Bodies) -> None:
    body = b'{"case": {}}'
    for _ in range(2):
        with pytest.raises(Faults):
            bodies.decode(ask_type(QUESTION), body)
