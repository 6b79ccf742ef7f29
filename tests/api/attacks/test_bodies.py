"""Bodies that are deep, wide or long, and bodies that say a thing twice: each refused, or read in one way everywhere.

After each attack an honest question is answered.
"""

import gc
import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from api import create_app
from api.schemas import codec
from api.schemas.bodies import ask_type, simulation_type
from api.schemas.canonical_json import canonical
from api.schemas.field_errors import MOST_FAULTS
from api.settings import Settings
from arbiter.fault import Faults
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, GAMES, TEMPLATE, ask, attack, codes, problem
from workers.jobs.work import Work, identify

MOST = Settings().max_body_bytes
HONEST = json.dumps(attack(dice={"seed": "honest"})).encode()


@pytest.fixture(autouse=True)
def answers_afterwards(client: FlaskClient) -> Iterator[None]:
    yield
    assert ask(client, ATTACK, HONEST).status_code == 200


# Deep


def nested(opened: str, closed: str, levels: int, inner: str = "0") -> str:
    return opened * levels + inner + closed * levels


DEEP: dict[str, str] = {
    "a hundred thousand brackets": "[" * 100_000,
    "a hundred thousand braces": '{"a":' * 100_000,
    "as many as there is room for": "[" * MOST,
    "both in turn": '[{"a":' * 100_000,
    "closed again": nested("[", "]", 100_000),
    "objects, closed again": nested('{"a":', "}", 100_000),
    "where the case should be": f'{{"case": {nested("[", "]", 100_000)}}}',
    "where a fighter should be": f'{{"case": {{"scene": {{"fighters": [{nested("[", "]", 100_000)}]}}}}}}',
    "where a choice should be": f'{{"choices": {{"x": {nested("[", "]", 100_000)}}}}}',
    "in a field that there is not": f'{{"x": {nested("[", "]", 65)}}}',
    "after a good body": HONEST.decode()[:-1] + f', "x": {nested("[", "]", 100_000)}}}',
    "one level too deep": f'{{"choices": {{"x": {nested("[", "]", 63)}}}}}',
    "never closed, in a text never closed": "[" * 1_000 + '"',
}


@pytest.mark.parametrize("case", DEEP)
def test_what_is_nested_too_deep_is_refused_and_not_walked(client: FlaskClient, case: str) -> None:
    told = problem(ask(client, ATTACK, DEEP[case].encode()), 422, "invalid")
    assert set(codes(told).values()) <= {"too-deep", "not-json"}


@pytest.mark.parametrize("path", [f"{ATTACK}/odds", f"{ATTACK}/simulations", "/v1/boards/import?game=stargrave"])
@pytest.mark.parametrize("bomb", ["[", '{"a":'])
def test_every_door_that_reads_json_refuses_depth(path: str, bomb: str) -> None:
    client = create_app(Settings(log_level="error", rate_limits=False), GAMES, MemoryJobs()).test_client()
    assert client.post(path, data=bomb * 100_000, content_type="application/json").status_code == 422


def test_depth_is_refused_before_anything_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body may not cost more objects than it has levels that are allowed."""
    wanted = ask_type(TEMPLATE.questions["attack"])
    body = ("[" * 1_000_000).encode()
    with pytest.raises(Faults):
        codec.decode(wanted, body)
    gc.collect()
    before = len(gc.get_objects())
    with pytest.raises(Faults) as refused:
        codec.decode(wanted, body)
    assert [fault.code for fault in refused.value.faults] == ["too-deep"]
    assert len(gc.get_objects()) - before < 2_000


# Wide and long


def crowd(count: int) -> dict[str, Any]:
    body = attack()
    body["case"]["scene"]["fighters"] = [{}] * count
    return body


WIDE: dict[str, Callable[[], Any]] = {
    "half a million numbers": lambda: [0] * 349_000,
    "as many empty arrays": lambda: [[]] * 260_000,
    "as many empty objects": lambda: {"case": [{}] * 260_000},
    "eighty thousand fields": lambda: {f"k{number}": 0 for number in range(80_000)},
    "eighty thousand fields in the case": lambda: {"case": {f"k{number}": 0 for number in range(70_000)}},
    "two hundred thousand fighters": lambda: crowd(200_000),
    "one fighter too many": lambda: crowd(41),
    "fifty thousand readings": lambda: attack(readings={f"k{number}": "x" for number in range(50_000)}),
    "thirty thousand policies": lambda: attack(policies={f"k{number}": "first" for number in range(30_000)}),
    "five thousand and one throws": lambda: attack(dice={"throws": [{"label": "a"}] * 5_001}),
    "a thousand and one faces": lambda: attack(dice={"hand": {"to hit": [1] * 1_001}}),
    "hands for two hundred and one rolls": lambda: attack(dice={"hand": {f"k{number}": [1] for number in range(201)}}),
    "a seed of 65 characters": lambda: attack(dice={"seed": "x" * 65}),
    "a seed of a megabyte": lambda: attack(dice={"seed": "x" * 1_000_000}),
    "a name of 121 characters": lambda: attack(readings={"x" * 121: "y"}),
    "a field with a name of a megabyte": lambda: {"x" * 1_000_000: 1},
    "an attacker of a megabyte": lambda: {"case": {**attack()["case"], "attacker": "x" * 1_000_000}},
    "names that are equal in the first 32 bytes": lambda: {"x" * 32 + str(number): 0 for number in range(20_000)},
}


@pytest.mark.parametrize("case", WIDE)
def test_what_is_too_wide_or_too_long_is_refused_in_a_few_words(client: FlaskClient, case: str) -> None:
    body = json.dumps(WIDE[case]()).encode()
    assert len(body) <= MOST
    answer = ask(client, ATTACK, body)
    told = problem(answer, 422, "invalid")
    assert len(told["errors"]) <= MOST_FAULTS + 1
    assert len(answer.data) < 100_000


TEXTS: dict[str, bytes] = {
    "half a million escaped marks": b'{"a": "' + b'\\"' * 500_000 + b'"}',
    "escaped pairs": b'{"a": "' + b"\\ud83d\\ude00" * 80_000 + b'"}',
    "escaped halves": b'{"a": "' + b"\\ud83d" * 170_000 + b'"}',
    "a million spaces": b" " * MOST,
    "spaces in front": b" " * (MOST - 2) + b"{}",
    "line breaks behind": b"{}" + b"\n" * (MOST - 2),
    "commas": b"{" + b"," * (MOST - 2) + b"}",
    "colons": b"{" + b":" * (MOST - 2) + b"}",
    "marks": b'"' * MOST,
    "backslashes": b'"' + b"\\" * (MOST - 2) + b'"',
    "a text without an end": b'"' + b"a" * (MOST - 1),
    "digits": b"1" * MOST,
    "signs": b"-" * MOST,
}


@pytest.mark.parametrize("case", TEXTS)
def test_many_small_tokens_are_refused(client: FlaskClient, case: str) -> None:
    answer = ask(client, ATTACK, TEXTS[case])
    problem(answer, 422, "invalid")
    assert len(answer.data) < 100_000


@pytest.mark.parametrize("more", [1, 2, 1_000, 1_000_000])
def test_one_byte_too_many_is_too_many(client: FlaskClient, more: int) -> None:
    problem(ask(client, ATTACK, HONEST + b" " * (MOST - len(HONEST) + more)), 413, "too-large")


# Said twice: the last one counts, for whoever reads it


def twice(first: str, last: str) -> bytes:
    """Give the honest body with a part of it said before."""
    assert last in HONEST.decode()
    return HONEST.decode().replace(last, f"{first}, {last}", 1).encode()


TWICE: dict[str, bytes] = {
    "the dice": twice('"dice": {"seed": "loaded"}', '"dice": {"seed": "honest"}'),
    "the seed": twice('"seed": "loaded"', '"seed": "honest"'),
    "the seed, escaped": twice('"s\\u0065ed": "loaded"', '"seed": "honest"'),
    "the target": twice('"target": "ann"', '"target": "bob"'),
    "the scene": twice('"scene": ' + json.dumps(attack()["case"]["scene"]).replace("4", "5"), '"scene": {'),
    "the whole case": twice('"case": ' + json.dumps(attack()["case"]), '"case": {'),
    "a field of a fighter": twice('"hex": [4, 0]', '"hex": [2, 0]'),
    "the same twice": twice('"target": "bob"', '"target": "bob"'),
    "a thousand times": twice(", ".join(['"seed": "loaded"'] * 1_000), '"seed": "honest"'),
}


def test_the_repetitions_are_repetitions() -> None:
    for body in TWICE.values():
        assert json.loads(body) == json.loads(HONEST)
        assert len(body) > len(HONEST)


@pytest.mark.parametrize("case", TWICE)
def test_of_what_is_said_twice_the_last_counts_for_the_ruling(client: FlaskClient, case: str) -> None:
    said, honest = ask(client, ATTACK, TWICE[case]), ask(client, ATTACK, HONEST)
    assert said.status_code == honest.status_code == 200
    assert said.data == honest.data


@pytest.mark.parametrize("case", TWICE)
def test_of_what_is_said_twice_the_last_counts_for_whoever_reads_it(case: str) -> None:
    body, wanted = TWICE[case], ask_type(TEMPLATE.questions["attack"])
    assert codec.decode(wanted, body) == codec.decode(wanted, HONEST)
    # What a worker does, what its id is, and what is signed or kept under a digest are made of the same.
    assert identify(Work("ruling", TEMPLATE.name, "attack", body.decode(), "s"), "me") == identify(
        Work("ruling", TEMPLATE.name, "attack", HONEST.decode(), "s"), "me"
    )
    assert canonical(msgspec.json.decode(body)) == canonical(json.loads(HONEST))


def test_of_a_metric_or_a_place_said_twice_the_last_counts_too() -> None:
    plain = json.dumps(attack(count=5, vary={"/case/target": ["bob", "ann"]}))
    said = plain.replace('"/case/target"', '"/case/target": ["ann"], "/case/target"').replace(
        '"count"', '"count": 1000000, "count"'
    )
    wanted = simulation_type(TEMPLATE.questions["attack"])
    assert codec.decode(wanted, said.encode()) == codec.decode(wanted, plain.encode())


def test_a_repetition_is_told_where_the_body_is_refused_for_something_else(client: FlaskClient) -> None:
    told = problem(ask(client, ATTACK, TWICE["the seed"][:-1] + b', "x": 1}'), 422, "invalid")
    assert codes(told) == {"/x": "unknown-field", "/dice/seed": "duplicate-field"}


@pytest.mark.parametrize("first", ['{"bad": 1}', "[]", "-1", "1e999", "true"])
def test_what_is_said_before_has_to_be_sound_too(client: FlaskClient, first: str) -> None:
    told = problem(ask(client, ATTACK, twice(f'"seed": {first}', '"seed": "honest"')), 422, "invalid")
    assert codes(told) == {"/dice/seed": "duplicate-field"}
