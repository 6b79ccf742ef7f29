"""Attacks by facts: wrong, unknown, huge, misspelt and foreign ones never break a ruling, and the problem helps."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from flask.testing import FlaskClient

from arbiter.asking.fact_kinds import Number, OneOf, Units, YesNo
from arbiter.facts import FactCase
from arbiter.registry import games
from arbiter.sources.catalogue import catalogue_of
from tests.api.at_table import AT_TABLE
from tests.api.posting import ask, problem

GARBAGE: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    7,
    2.5,
    10**30,
    -(10**30),
    1e308,
    "",
    "yes",
    "none",
    "bob",
    "x" * 60,
    "x" * 61,
    "\x00",
    "💥",
    [],
    ["bob"],
    ["nobody"],
    ["bob", "bob"],
    ["x"] * 61,
    [1],
    [[]],
    [None],
    {},
    {"a": 1},
)
KEYS = (
    "",
    ":",
    "::",
    ",",
    ":bob",
    "sees:",
    "sees:,",
    "sees:,,,,",
    "sees:bob,",
    "sees:bob,bob,bob,bob",
    "sees:nobody",
    "x" * 200,
    "x" * 201,
)
TYPES = {YesNo: bool, OneOf: str, Number: (int, float), Units: list}


def asked(client: FlaskClient, path: str, case: Any) -> tuple[int, dict[str, Any]]:
    """Post a case, and give the status and the answer, which is never our own fault."""
    answer = ask(client, path, {"case": case, "dice": {"seed": "7"}})
    assert answer.status_code in (200, 422), (path, case.get("given"), answer.get_data(as_text=True))
    told: dict[str, Any] = json.loads(answer.data)
    return answer.status_code, told


def without_boards() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Give the worked examples whose players give facts, the first of each question."""
    for name, game in games().items():
        for question, examples in catalogue_of(game).examples.items():
            given = [each for each in examples if each.case.get("given")]
            yield from ((name, question, deepcopy(each.case)) for each in given[:1])


def test_there_are_such_examples_in_every_game() -> None:
    assert {name for name, _, _ in without_boards()} == set(games())


def test_no_value_of_any_fact_breaks_a_ruling(client: FlaskClient) -> None:
    for name, question, case in without_boards():
        path = f"/v1/games/{name}/{question}"
        for key in case["given"]:
            for value in GARBAGE:
                status, told = asked(client, path, {**case, "given": {**case["given"], key: value}})
                kind = games()[name].facts[key.partition(":")[0].removesuffix("_then")].kind
                fits = isinstance(value, TYPES[type(kind)]) and isinstance(value, bool) == isinstance(kind, YesNo)
                if not fits:
                    assert status == 422, (path, key, value)
                    place = "/case/given/" + key
                    assert any(fault["pointer"].startswith(place) for fault in told["errors"]), (path, key, value)


def test_every_fact_takes_what_it_says_that_it_takes_and_nothing_else(client: FlaskClient) -> None:
    for name, table in AT_TABLE.items():
        path = f"/v1/games/{name}/{table.question}"
        for fact in games()[name].facts.values():
            for value in fact.kind.samples:
                status, told = asked(client, path, table.body(**{fact.name: value})["case"])
                if status == 422:
                    # Taken as it is, it may be at odds with another fact of the table: then both are named.
                    codes = {fault["pointer"].removeprefix("/case/given/"): fault["code"] for fault in told["errors"]}
                    assert set(codes.values()) == {"facts-contradict"}, (name, fact.name, value, told)
                    assert len(codes) == 2
                    assert fact.name in codes
                else:
                    assert status == 200, (name, fact.name, value, told)
            kind = fact.kind
            if isinstance(kind, Number):
                for beyond in (kind.least - 1, kind.most + 1):
                    status, told = asked(client, path, table.body(**{fact.name: beyond})["case"])
                    (fault,) = told["errors"]
                    assert (fault["code"], fault["expected"]) == ("fact-value", kind.asked)


@pytest.mark.parametrize("key", KEYS)
def test_no_name_of_a_fact_breaks_a_ruling(client: FlaskClient, key: str) -> None:
    for name, table in AT_TABLE.items():
        asked(client, f"/v1/games/{name}/{table.question}", table.body(**{key: True})["case"])


def test_a_misspelt_fact_is_told_with_the_one_that_is_meant(client: FlaskClient) -> None:
    for name, table in AT_TABLE.items():
        for fact in games()[name].facts:
            misspelt = [fact[:at] + fact[at + 1 :] for at in range(len(fact))] if len(fact) > 4 else [fact + "e"]
            for wrong in {word for word in misspelt if word not in games()[name].facts}:
                status, told = asked(client, f"/v1/games/{name}/{table.question}", table.body(**{wrong: True})["case"])
                assert status == 422
                (fault,) = told["errors"]
                assert (fault["pointer"], fault["code"]) == (f"/case/given/{wrong}", "unknown-fact")
                assert repr(fact) in fault["hint"], (name, wrong, fault["hint"])


def test_a_fact_of_another_game_is_unknown(client: FlaskClient) -> None:
    for name, table in AT_TABLE.items():
        foreign = {fact for other in games().values() for fact in other.facts} - set(games()[name].facts)
        path = f"/v1/games/{name}/{table.question}"
        answer = ask(client, path, table.body(**dict.fromkeys(foreign, True)))
        told = problem(answer, 422, "invalid")["errors"]
        assert {fault["pointer"] for fault in told} == {f"/case/given/{fact}" for fact in foreign}
        assert {fault["code"] for fault in told} == {"unknown-fact"}


def test_a_misspelt_unit_is_a_fault_and_not_passed_over(client: FlaskClient) -> None:
    for name, table in AT_TABLE.items():
        for fact in table.given:
            wrong = {**table.case, "given": {f"{fact}:bbo": table.given[fact]}, "assume": "usual"}
            status, told = asked(client, f"/v1/games/{name}/{table.question}", wrong)
            assert status == 422, (name, fact)
            assert [(fault["code"], fault["seen"]) for fault in told["errors"]] == [("unknown-unit", "bbo")]
            assert "'bob'" in told["errors"][0]["hint"]


def test_too_many_facts_are_refused_in_a_few_words(client: FlaskClient) -> None:
    for name, table in AT_TABLE.items():
        many = {f"sees:{at}": True for at in range(5_000)}
        answer = ask(client, f"/v1/games/{name}/{table.question}", table.body(**many))
        problem(answer, 422, "invalid")
        assert len(answer.data) < 20_000


def test_questions_without_facts_refuse_them(client: FlaskClient) -> None:
    for name, game in games().items():
        for question in (each for each in game.questions.values() if not issubclass(each.case, FactCase)):
            status, told = asked(client, f"/v1/games/{name}/{question.name}", {"given": {"sees": True}})
            assert status == 422
            assert ("/case/given", "unknown-field") in [(fault["pointer"], fault["code"]) for fault in told["errors"]]
