"""Entity tags: which answers have one, that it is strong, and what clients say of it after RFC 9110."""

import json
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from api.arbiters.local import LocalArbiter
from api.caching import etags
from api.caching.board_library import BoardLibrary
from api.caching.board_store import InMemory
from api.caching.etags import is_settled, settled_id
from api.schemas.scenes import Bodies
from api.settings import Settings
from arbiter.game import Arbiter
from arbiter.sources.catalogue import catalogue_of
from tests.api.posting import ATTACK, MOVES, TEMPLATE, ask, attack, problem

FIRST = {"policies": {"*": "first"}}
A, B = '"' + "a" * 32 + '"', '"' + "b" * 32 + '"'


def bytes_of(body: Any) -> bytes:
    return json.dumps(body).encode()


# What is settled


@pytest.mark.parametrize(
    ("dice", "is_settled"),
    [
        ({"seed": 0}, True),
        ({"seed": "s"}, True),
        ({"hand": {}}, True),
        ({"hand": {"to hit": [1, 1, 1]}}, True),
        ({"throws": []}, True),
        ({"seed": 7, "hand": {}}, True),
        ({"seed": 2**63 - 1}, True),
        ({}, False),
        ({"seed": None}, False),
        ({"seed": None, "hand": None, "throws": None}, False),
    ],
)
def test_a_question_with_dice_is_settled_by_who_says_where_they_come_from(
    client: FlaskClient, dice: dict[str, Any], is_settled: bool
) -> None:
    first, second = (ask(client, ATTACK, attack(dice=dice, **FIRST)) for _ in range(2))
    assert first.status_code == 200
    assert ("ETag" in first.headers) == is_settled
    # The law behind it: a tag is there exactly where the same body has the same answer.
    assert (first.data == second.data) == is_settled
    assert first.headers.get("ETag") == second.headers.get("ETag")
    assert first.headers["Cache-Control"] == ("max-age=3600" if is_settled else "no-store")


def test_a_question_whose_body_says_nothing_of_dice_is_not_settled(client: FlaskClient) -> None:
    assert "ETag" not in ask(client, ATTACK, attack(**FIRST)).headers
    # Somebody whose name is that of a field settles nothing.
    named = attack(**FIRST)
    named["case"]["scene"]["fighters"][0]["id"] = named["case"]["attacker"] = "dice"
    assert b'"dice"' in bytes_of(named)
    assert "ETag" not in ask(client, ATTACK, named).headers


def test_a_name_in_escapes_never_makes_a_rolled_answer_settled() -> None:
    assert not is_settled(TEMPLATE, "attack", "ruling", b'{"case":{},"\\u0064ice":{"seed":1}}')


def test_questions_without_dice_and_odds_are_settled(client: FlaskClient) -> None:
    moves = {"case": {"scene": attack()["case"]["scene"], "fighter": "ann"}}
    assert "ETag" in ask(client, MOVES, moves).headers
    for body in (attack(), attack(heads=50), attack(heads=50, seed=3)):
        first, second = (ask(client, f"{ATTACK}/odds", body) for _ in range(2))
        assert first.data == second.data
        assert first.headers["ETag"] == second.headers["ETag"]


def test_what_is_refused_has_no_tag(client: FlaskClient) -> None:
    for body in (attack(dice={"seed": True}), attack(dice={"hand": {"to hit": [7]}}), b"{"):
        answer = ask(client, ATTACK, body)
        assert answer.status_code == 422
        assert not {"ETag", "Content-Location"} & set(answer.headers.keys())


# What a tag stands for


def test_a_tag_is_strong(game: Arbiter) -> None:
    """The same bytes have one answer, byte for byte, in any process: otherwise the tag would have to be weak."""
    settings = Settings(path_budget=300)
    library = BoardLibrary(InMemory(settings), settings)
    here, there = (LocalArbiter(game, settings, Bodies(game, library, settings)) for _ in range(2))
    for name, examples in catalogue_of(game).examples.items():
        for each in examples[:4]:
            body = bytes_of(each.ready_body())
            if is_settled(game, name, "ruling", body):
                assert here.ask(name, body, "").body == there.ask(name, body, "").body, (name, each.title)


def test_odds_are_the_same_in_any_order_of_policies(client: FlaskClient) -> None:
    said = {"red": "first", "*": "first", "blue": "bold"}
    answers = [
        ask(client, f"{ATTACK}/odds", attack(policies=policies)) for policies in (said, dict(reversed(said.items())))
    ]
    assert answers[0].data == answers[1].data
    assert json.loads(answers[0].data)["policies"] == said


def test_everything_that_may_change_the_answer_changes_the_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    body = bytes_of(attack(dice={"seed": 1}))
    said = {
        settled_id(TEMPLATE, "attack", "ruling", body),
        settled_id(TEMPLATE, "attack", "odds", body),
        settled_id(TEMPLATE, "battle", "ruling", body),
        settled_id(TEMPLATE, "attack", "ruling", bytes_of(attack(dice={"seed": "1"}))),
        settled_id(TEMPLATE, "attack", "ruling", bytes_of(attack(dice={"seed": 2}))),
    }
    monkeypatch.setattr(etags, "ENGINE", "9.9.9")
    said.add(settled_id(TEMPLATE, "attack", "ruling", body))
    monkeypatch.setattr(TEMPLATE, "edition", "invented-2")
    said.add(settled_id(TEMPLATE, "attack", "ruling", body))
    assert len(said) == 7
    assert all(len(id_) == 32 and int(id_, 16) >= 0 for id_ in said)


def test_another_spelling_has_a_tag_of_its_own_and_the_same_answer(client: FlaskClient) -> None:
    body = attack(dice={"seed": "ä"}, **FIRST)
    spellings = (bytes_of(body), json.dumps(body, indent=3, ensure_ascii=False).encode())
    answers = [ask(client, ATTACK, each) for each in spellings]
    assert len({answer.headers["ETag"] for answer in answers}) == 2
    assert len({answer.data for answer in answers}) == 1


@given(st.binary(max_size=20), st.binary(max_size=20))
def test_ids_tell_bodies_apart(one: bytes, other: bytes) -> None:
    assert (settled_id(TEMPLATE, "moves", "ruling", one) == settled_id(TEMPLATE, "moves", "ruling", other)) == (
        one == other
    )


# What clients say


def test_if_none_match_compares_weakly(client: FlaskClient) -> None:
    body = attack(dice={"seed": 5}, **FIRST)
    tag = ask(client, ATTACK, body).headers["ETag"]
    naming = (tag, f"W/{tag}", f"{B}, {tag}", f"{B},{tag},{B}", f'"x,y" , W/{tag}', "*")
    others = (B, "", '""', f"W/{B}", tag.upper(), f'"{tag[1:-1]} "', "**", "a" * 1_000, '"' * 1_001, ",", 'W/"')
    for said in (*naming, *others):
        answer = ask(client, ATTACK, body, headers={"If-None-Match": said})
        assert answer.status_code == (412 if said in naming else 200), said


def test_if_match_compares_strongly(client: FlaskClient) -> None:
    body = attack(dice={"seed": 5}, **FIRST)
    tag = ask(client, ATTACK, body).headers["ETag"]
    for said, status in ((tag, 200), (f"{B}, {tag}", 200), ("*", 200), (f"W/{tag}", 412), (B, 412), ('"' * 1_001, 412)):
        assert ask(client, ATTACK, body, headers={"If-Match": said}).status_code == status, said


def test_if_match_asks_for_this_answer_or_none(client: FlaskClient) -> None:
    body = attack(dice={"seed": 5}, **FIRST)
    tag = ask(client, ATTACK, body).headers["ETag"]
    assert ask(client, ATTACK, body, headers={"If-Match": tag}).status_code == 200
    assert ask(client, ATTACK, body, headers={"If-Match": "*"}).status_code == 200
    problem(ask(client, ATTACK, body, headers={"If-Match": B}), 412, "precondition-failed")
    # What was rolled for this answer alone cannot be the one that the client has in mind.
    problem(ask(client, ATTACK, attack(**FIRST), headers={"If-Match": tag}), 412, "precondition-failed")
    assert ask(client, ATTACK, attack(**FIRST), headers={"If-Match": "*"}).status_code == 200
