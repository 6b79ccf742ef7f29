"""Maps over HTTP: what becomes a board, that a game takes it as it is, and everything that cannot be one."""

import io
import json
from copy import copy
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

from api import create_app
from api.openapi.build import Contract
from api.settings import Settings
from tests.api.posting import GAMES, TEMPLATE, ask, codes, problem
from tests.arbiter.mapping import Line, scene, uvtt, wall

IMPORT = "/v1/boards/import"
STARGRAVE = f"{IMPORT}?game=stargrave"
WALL: Line = [(2, 3), (6, 3)]
TABLE: Line = [(7, 5), (8, 5), (8, 6), (7, 6)]
SHUT, OPEN = ([(3, 6), (4, 6)], True), ([(5, 6), (6, 6)], False)


def send(client: FlaskClient, file: Any, path: str = STARGRAVE, **more: Any) -> TestResponse:
    return ask(client, path, file, **more)


def board(client: FlaskClient, file: Any, path: str = STARGRAVE, **more: Any) -> dict[str, Any]:
    answer = send(client, file, path, **more)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    told: dict[str, Any] = json.loads(answer.data)
    return told


def test_walls_doors_and_objects_come_back_as_the_board_of_the_game(client: FlaskClient) -> None:
    told = board(client, uvtt(WALL, objects=(TABLE,), portals=(SHUT, OPEN)))
    stone = {"sight": "blocks", "cover": "solid", "ground": "impassable", "power": None, "since": None}
    # Walls are a tenth thick, and doors reach half of that into the walls beside them.
    shut, opened = (
        [[left, 6.05], [right, 6.05], [right, 5.95], [left, 5.95]] for left, right in ((2.95, 4.05), (4.95, 6.05))
    )
    assert told == {
        "game": "stargrave",
        "board": {
            "width_in": 10.0,
            "depth_in": 8.0,
            "pieces": [
                {
                    "id": "wall-1",
                    "outline": [[2.0, 3.05], [6.0, 3.05], [6.0, 2.95], [2.0, 2.95]],
                    "height_in": 3.0,
                    **stone,
                    "climbable": False,
                },
                {"id": "door-1", "outline": shut, "height_in": 3.0, **stone, "climbable": False},
                {
                    "id": "object-1",
                    "outline": [[7.0, 5.0], [8.0, 5.0], [8.0, 6.0], [7.0, 6.0]],
                    "height_in": 1.0,
                    **stone,
                    "climbable": True,
                },
            ],
            "smoke": [],
            "tolerance_in": 0.002,
        },
        "portals": [{"outline": shut, "closed": True}, {"outline": opened, "closed": False}],
        "warnings": [],
    }


def test_a_square_and_a_wall_are_as_large_as_is_asked(client: FlaskClient) -> None:
    told = board(client, uvtt(WALL), f"{STARGRAVE}&square=1.5&thickness=0.2")["board"]
    assert (told["width_in"], told["depth_in"]) == (15, 12)
    assert told["pieces"][0]["outline"] == [[3, 4.6], [9, 4.6], [9, 4.4], [3, 4.4]]


def test_a_scene_of_foundry_is_a_map_and_what_was_changed_is_said(client: FlaskClient) -> None:
    # Three squares of padding lie before the first column (250 pixels, rounded up), and two before the first row.
    told = board(client, scene(wall(500, 500, 900, 500, dir=1), wall(300, 300, 900, 300, sight=0, move=0)))
    (piece,) = told["board"]["pieces"]
    assert piece["outline"] == [[2, 3.05], [6, 3.05], [6, 2.95], [2, 2.95]]
    assert {note["code"]: note["count"] for note in told["warnings"]} == {"one-way": 1, "stops-nothing": 1}


def test_the_picture_of_a_map_does_not_come_back(client: FlaskClient) -> None:
    picture = "iVBORw0KGgoSECRET" + "A" * 2_000_000
    assert len(picture) > Settings().max_body_bytes, "a map may be longer than any other body"
    answer = send(client, uvtt(WALL, image=picture))
    assert answer.status_code == 200
    assert len(answer.data) < 1_000
    assert b"SECRET" not in answer.data
    wrong = send(client, uvtt(WALL, size=(0, 8), image=picture))
    assert b"SECRET" not in wrong.data
    problem(wrong, 422, "invalid")


@pytest.mark.parametrize("media_type", ["application/json", "application/octet-stream", "application/json; x=y"])
def test_a_map_comes_as_json_or_as_bytes(client: FlaskClient, media_type: str) -> None:
    assert board(client, uvtt(WALL), content_type=media_type) == board(client, uvtt(WALL))


@pytest.mark.parametrize("media_type", ["text/plain", "image/png", "multipart/form-data; boundary=x", ""])
def test_no_other_media_type_is_a_map(client: FlaskClient, media_type: str) -> None:
    answer = send(client, uvtt(WALL), content_type=media_type)
    problem(answer, 415, "unsupported-media-type")
    assert answer.headers["Accept"] == "application/json, application/octet-stream"


def test_a_packed_map_is_not_unpacked(client: FlaskClient) -> None:
    answer = send(client, uvtt(WALL), headers={"Content-Encoding": "gzip"})
    problem(answer, 415, "unsupported-media-type")
    assert answer.headers["Accept-Encoding"] == "identity"


def test_the_board_stands_in_a_scene_as_it_is(client: FlaskClient) -> None:
    def seen(board: Any) -> int:
        figures = [
            {"id": "ann", "profile": "captain", "crew": "red", "role": "captain", "at": [4, 1]},
            {"id": "bob", "profile": "captain", "crew": "blue", "role": "captain", "at": [4, 5]},
        ]
        case = {"scene": {"board": board, "figures": figures}, "observer": "ann", "targets": ["bob"]}
        answer = ask(client, "/v1/games/stargrave/line-of-sight", {"case": case})
        assert answer.status_code == 200, answer.get_data(as_text=True)
        count: int = json.loads(answer.data)["answer"]["seen"]
        return count

    # A wall across the whole map stands between them; without it they see each other.
    assert seen(board(client, uvtt([(0, 3), (10, 3)]))["board"]) == 0
    assert seen(board(client, uvtt())["board"]) == 1


def test_a_game_that_is_not_there_is_named_with_those_that_are(client: FlaskClient) -> None:
    told = problem(send(client, uvtt(WALL), f"{IMPORT}?game=stargrav"), 404, "not-found")
    assert told["errors"][0]["hint"] == "did you mean stargrave?"


def test_a_game_without_open_boards_takes_no_map(client: FlaskClient) -> None:
    told = problem(send(client, uvtt(WALL), f"{IMPORT}?game={TEMPLATE.name}"), 422, "invalid")
    assert codes(told) == {"/game": "no-open-board"}
    assert "stargrave" in told["errors"][0]["expected"]
    assert told["errors"][0]["hint"]
    alone = create_app(Settings(log_level="error"), {TEMPLATE.name: TEMPLATE}).test_client()
    told = problem(send(alone, uvtt(WALL), f"{IMPORT}?game={TEMPLATE.name}"), 422, "invalid")
    assert "stargrave" not in json.dumps(told)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("", {"/game": "missing"}),
        ("game=", {"/game": "too-short"}),
        ("game=stargrave&game=stargrave", {"/game": "duplicate-field"}),
        ("game=stargrave&square=1&square=1", {"/square": "duplicate-field"}),
        ("game=stargrave&scale=2", {"/scale": "unknown-field"}),
        ("game=stargrave&square=0&thickness=2", {"/square": "too-small", "/thickness": "too-large"}),
        ("game=stargrave&square=0.0009", {"/square": "too-small"}),
        ("game=stargrave&square=100.001", {"/square": "too-large"}),
        ("game=stargrave&thickness=0.009", {"/thickness": "too-small"}),
        ("game=stargrave&square=", {"/square": "wrong-type"}),
        ("game=stargrave&square=one", {"/square": "wrong-type"}),
        ("game=stargrave&square=nan", {"/square": "wrong-type"}),
        ("game=stargrave&square=1e99", {"/square": "too-large"}),
        ("game=stargrave&square=1_0", {"/square": "wrong-type"}),
    ],
)
def test_every_parameter_that_cannot_be_is_named(client: FlaskClient, asked: str, expected: dict[str, str]) -> None:
    assert codes(problem(send(client, uvtt(WALL), f"{IMPORT}?{asked}"), 422, "invalid")) == expected


@pytest.mark.parametrize("asked", ["square=0.001&thickness=0.01", "square=12&thickness=1", "square=1e0"])
def test_parameters_at_their_bounds_are_taken(client: FlaskClient, asked: str) -> None:
    assert board(client, uvtt(), f"{STARGRAVE}&{asked}")["board"]["pieces"] == []


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (b"", {"": "not-json"}),
        (b"\x89PNG\r\n", {"": "not-json"}),
        (b'{"resolution": {"map_size"', {"": "not-json"}),
        (b"[]", {"": "not-a-map"}),
        (b"{}", {"": "unknown-map"}),
        (b'{"resolution": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", {"": "too-deep"}),
        (uvtt(size=(0, 2_000)), {"/resolution/map_size/x": "map-size", "/resolution/map_size/y": "map-size"}),
        (
            uvtt(line_of_sight=[[{"x": "2", "y": 3}, {"x": 6}]]),
            {"/line_of_sight/0/0/x": "not-a-number", "/line_of_sight/0/1/y": "not-a-number"},
        ),
        (scene({"c": [1, 2, 3]}, {"c": [0, 0, "x", 0]}), {"/walls/0/c": "ends", "/walls/1/c/2": "not-a-number"}),
        # One table of more than 120 inches, and one with more than 300 pieces.
        (uvtt(size=(121, 8)), {"": "table-size"}),
        (uvtt(*([(x / 40, y), (x / 40, y + 1)] for x in range(1, 102) for y in (0, 2, 4))), {"": "too-many-pieces"}),
    ],
)
def test_every_fault_of_a_file_is_told_at_its_place(client: FlaskClient, file: Any, expected: dict[str, str]) -> None:
    assert codes(problem(send(client, file), 422, "invalid")) == expected


@pytest.fixture(scope="module")
def strict() -> FlaskClient:
    return create_app(Settings(max_map_bytes=2_048, log_level="error"), GAMES).test_client()


@pytest.mark.parametrize("media_type", ["application/json", "application/octet-stream"])
def test_a_file_at_the_limit_is_read_and_a_longer_one_is_not(strict: FlaskClient, media_type: str) -> None:
    file = json.dumps(uvtt(WALL)).encode()
    assert board(strict, file.ljust(2_048), content_type=media_type)["game"] == "stargrave"
    problem(send(strict, file.ljust(2_049), content_type=media_type), 413, "too-large")


def test_a_file_without_a_length_is_read_up_to_the_limit(strict: FlaskClient) -> None:
    def post(size: int) -> TestResponse:
        return strict.post(
            STARGRAVE,
            input_stream=io.BytesIO(json.dumps(uvtt(WALL)).encode().ljust(size)),
            content_type="application/octet-stream",
            headers={"Transfer-Encoding": "chunked"},
            environ_overrides={"wsgi.input_terminated": True},
        )

    assert post(2_048).status_code == 200
    problem(post(2_049), 413, "too-large")


def test_the_limit_of_maps_is_not_that_of_other_bodies(strict: FlaskClient) -> None:
    limits = {limit["name"]: limit["most"] for limit in json.loads(strict.get("/v1/limits").data)["general"]}
    assert (limits["map"], limits["body"]) == (2_048, Settings().max_body_bytes)
    # A question is still read up to a limit of its own, and refused for what it is.
    problem(ask(strict, "/v1/games/stargrave/moves", b"{}".ljust(4_096)), 422, "invalid")


def test_a_map_is_posted_and_answered_as_json(client: FlaskClient) -> None:
    problem(client.get(STARGRAVE), 405, "method-not-allowed")
    problem(send(client, uvtt(WALL), headers={"Accept": "image/png"}), 406, "not-acceptable")


def test_the_contract_says_what_is_answered(client: FlaskClient) -> None:
    # All questions but one are left out, for they take long to be written.
    taking = copy(GAMES["stargrave"])
    taking.questions = {"line-of-sight": taking.questions["line-of-sight"]}
    document = Contract({TEMPLATE.name: TEMPLATE, taking.name: taking}, Settings()).document
    operation = document["paths"][IMPORT]["post"]
    answered = operation["responses"]["200"]["content"]["application/json"]
    told = board(client, uvtt(WALL))
    Draft202012Validator({**answered["schema"], "components": document["components"]}).validate(told)
    parameters = {each["name"]: each for each in operation["parameters"]}
    assert {name: each["required"] for name, each in parameters.items()} == {
        "game": True,
        "square": False,
        "thickness": False,
    }
    assert document["components"]["schemas"]["GameName"]["enum"] == [TEMPLATE.name, "stargrave"]
    assert parameters["game"]["schema"] == {"$ref": "#/components/schemas/GameName"}
    assert parameters["square"]["schema"] == {"type": "number", "minimum": 0.001, "maximum": 100}
    assert "Default: `1.0`" in parameters["square"]["description"]
    assert set(operation["responses"]) == {"200", "default"}


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "y", "c"]), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = sorted({*uvtt(), *scene()} | {"gridType", "shiftX"})


@given(st.sampled_from([uvtt(WALL), scene(wall(500, 500, 900, 500)), {}]), st.data())
def test_any_file_is_a_board_or_a_problem(app: Any, start: dict[str, Any], data: st.DataObject) -> None:
    file = start | data.draw(st.dictionaries(st.sampled_from(MEMBERS), JSON_VALUES, max_size=3))
    answer = send(app.test_client(), file)
    if answer.status_code != 200:
        problem(answer, 422, "invalid")
