"""Numbers that are huge, tiny, none at all, or written as other languages write them, wherever a number is asked for.

Each is refused at its place, or taken for exactly the number that it is. After each an honest question is answered.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.api.posting import ATTACK, ask, attack, codes, problem

PLACES: dict[str, tuple[str, str]] = {
    "a size": ("/case/scene/radius_hexes", '"radius_hexes": 4'),
    "a coordinate": ("/case/scene/fighters/1/hex/1", "[2, 0]"),
    "a seed": ("/dice/seed", '"seed": 5'),
    "a face": ("/dice/hand/to hit/0", '"to hit": [4'),
}
BODY = json.dumps(attack(dice={"seed": 5, "hand": {"to hit": [4, 4, 4]}}))

NOT_FINITE = ("1e999", "-1e999", "1e1000000000", "NaN", "-NaN", "Infinity", "-Infinity", "1" * 4_301, "-" + "1" * 5_000)
NOT_WHOLE = ("1.0", "1e0", "-0.0", "0.5", "1e-400", "0." + "1" * 5_000, "1e300", "true", "null", '"4"')
TOO_BIG = ("9223372036854775808", "18446744073709551616", "1" + "0" * 400, "1" * 4_300)
NOT_JSON = (
    "01",
    "-01",
    "00",
    "0x10",
    "0b1",
    "1.",
    ".5",
    "1e",
    "1e+",
    "+1",
    "--1",
    "- 1",
    "1_0",
    "١",
    "½",
    "1,000",
    "١e1",
)


def with_number(place: str, number: str) -> bytes:
    _, text = PLACES[place]
    assert BODY.count(text) == 1
    new = text.replace("[2, 0]", f"[2, {number}]") if place == "a coordinate" else f"{text[:-1]}{number}"
    return BODY.replace(text, new).encode()


@pytest.fixture(autouse=True)
def answers_afterwards(client: FlaskClient) -> Iterator[None]:
    yield
    assert ask(client, ATTACK, BODY.encode()).status_code == 200


def test_the_places_are_where_they_are_said_to_be(client: FlaskClient) -> None:
    for place, (pointer, _) in PLACES.items():
        value: Any = json.loads(with_number(place, "77777"))
        for step in pointer.split("/")[1:]:
            value = value[int(step) if isinstance(value, list) else step]
        assert value == 77_777


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("number", NOT_FINITE, ids=lambda number: number[:12])
def test_what_no_number_can_hold_is_refused_at_its_place(client: FlaskClient, place: str, number: str) -> None:
    told = problem(ask(client, ATTACK, with_number(place, number)), 422, "invalid")
    assert codes(told) == ({"": "not-json"} if number == "-NaN" else {PLACES[place][0]: "not-finite"})


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("number", NOT_WHOLE, ids=lambda number: number[:12])
def test_what_is_no_whole_number_is_none(client: FlaskClient, place: str, number: str) -> None:
    answer = ask(client, ATTACK, with_number(place, number))
    if (place, number) in {("a seed", '"4"'), ("a seed", "null"), ("a face", '"4"')}:
        # A seed may be a text or left out; a face may be a text, as the name of a side of a die.
        assert answer.status_code in {200, 422}
        assert b"wrong-type" not in answer.data
        return
    assert codes(problem(answer, 422, "invalid")) == {PLACES[place][0]: "wrong-type"}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("number", TOO_BIG, ids=lambda number: number[:12])
def test_what_is_too_big_is_refused_at_its_place(client: FlaskClient, place: str, sign: str, number: str) -> None:
    told = problem(ask(client, ATTACK, with_number(place, sign + number)), 422, "invalid")
    expected = {"too-small" if sign else "too-large"}
    assert set(codes(told)) == {PLACES[place][0]}
    assert set(codes(told).values()) <= expected | {"not-finite"}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("number", NOT_JSON)
def test_what_json_does_not_call_a_number_is_no_json(client: FlaskClient, place: str, number: str) -> None:
    told = problem(ask(client, ATTACK, with_number(place, number)), 422, "invalid")
    assert codes(told).get("") == "not-json" or number == "1,000"


@pytest.mark.parametrize("number", [0, 2**31, 2**32 + 1, 2**53 - 1, 2**53, 2**53 + 1, 2**62 + 1, 2**63 - 1])
def test_a_seed_is_taken_to_its_last_digit(client: FlaskClient, number: int) -> None:
    answer = ask(client, ATTACK, attack(dice={"seed": number}))
    assert answer.status_code == 200
    assert json.loads(answer.data)["seed"] == str(number)
    assert answer.data == ask(client, ATTACK, attack(dice={"seed": str(number)})).data
    assert answer.data != ask(client, ATTACK, attack(dice={"seed": number ^ 1})).data


def test_minus_nought_is_nought(client: FlaskClient) -> None:
    assert ask(client, ATTACK, with_number("a coordinate", "-0")).status_code == 200
    assert ask(client, ATTACK, with_number("a seed", "-0")).data == ask(client, ATTACK, with_number("a seed", "0")).data


@pytest.mark.parametrize("said", [7, -1, 1e300, True, None, 0.1, [], {}])
def test_an_id_is_a_text(client: FlaskClient, said: Any) -> None:
    body = attack()
    body["case"]["attacker"] = said
    assert codes(problem(ask(client, ATTACK, body), 422, "invalid")) == {"/case/attacker": "wrong-type"}


PLANE = "/v1/games/stargrave/line-of-sight"


@pytest.mark.parametrize("number", [*NOT_FINITE[:3], "1e308", "-1e308", "1" + "0" * 400, "9007199254740993"])
def test_a_place_on_the_plane_is_on_the_table(client: FlaskClient, number: str) -> None:
    body = json.dumps(_sight()).replace("31415", number, 1)
    told = problem(ask(client, PLANE, body.encode()), 422, "invalid")
    assert all(code in {"not-finite", "too-large", "too-small", "too-far"} for code in codes(told).values())


@pytest.mark.parametrize("number", ["1e-400", "-1e-400", "-0.0", "5e-324", "0." + "0" * 5_000 + "1"])
def test_a_place_next_to_nothing_is_at_nought(client: FlaskClient, number: str) -> None:
    text = json.dumps(_sight())
    said = ask(client, PLANE, text.replace("31415", number, 1).encode())
    plain = ask(client, PLANE, text.replace("31415", "0", 1).encode())
    assert said.status_code == plain.status_code
    assert b"not-finite" not in said.data


def _sight() -> dict[str, Any]:
    """Give a question about the plane of which one coordinate is 31415, to be replaced."""
    from tests.api.posting import GAMES
    from tests.reading import load_examples

    example = next(
        each for each in load_examples(GAMES["stargrave"].folder / "examples") if each.question == "line-of-sight"
    )
    body: dict[str, Any] = example.body()
    body["case"]["scene"]["figures"][0]["at"][0] = 31415
    return body
