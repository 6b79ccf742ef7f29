"""A game decided by a service of its own: the same bytes as if it were decided here, problems included."""

import json
import socket
import time
from collections.abc import Iterator
from threading import Thread

import pytest
from flask.testing import FlaskClient
from posting import ATTACK, GAMES, MOVES, TEMPLATE, ask, attack, problem
from werkzeug.serving import make_server

from api import arbiters, create_app
from api.arbiters import LocalArbiter, RemoteArbiter, addresses_in
from api.problems import Refused
from api.settings import Settings
from api.shelf import asked
from api.solo import create_solo_app
from arbiter.arbiter import Arbiter
from arbiter.example import load_examples
from workers.settings import WrongSettings

SEEDED = attack(dice={"seed": "s"}, policies={"*": "first"})


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = make_server(
        "127.0.0.1", 0, create_app(Settings(log_level="error", rate_limits=False), GAMES), threaded=True
    )
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def gateway(address: str, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """A gateway whose template is decided elsewhere."""
    monkeypatch.setenv("ARBITER_URL_TEMPLATE_SKIRMISH", address)
    monkeypatch.setenv("ARBITER_LOG_LEVEL", "error")
    return create_app(None, GAMES).test_client()


@pytest.fixture
def nowhere() -> str:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    return f"http://127.0.0.1:{port}"


def test_the_same_bytes_from_here_and_from_elsewhere(address: str, game: Arbiter) -> None:
    here, elsewhere = LocalArbiter(game, Settings()), RemoteArbiter(game.name, address + "/")
    for each in load_examples(game.folder / "examples"):
        body = json.dumps(asked(each)).encode()
        assert elsewhere.ask(each.question, body, "id") == here.ask(each.question, body, "id")


def test_the_same_odds_from_here_and_from_elsewhere(address: str) -> None:
    here, elsewhere = LocalArbiter(TEMPLATE, Settings()), RemoteArbiter(TEMPLATE.name, address)
    for body in (attack(), attack(heads=1000, seed=3)):
        posted = json.dumps(body).encode()
        assert elsewhere.odds("attack", posted, "id") == here.odds("attack", posted, "id")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (ATTACK, SEEDED),
        (ATTACK, {}),
        (ATTACK, b"{"),
        (ATTACK, attack(dice={"hand": {"to hit": [9]}})),
        (f"{ATTACK}/odds", attack()),
        (f"{ATTACK}/odds", attack(heads=0)),
        (f"{MOVES}/odds", {}),
    ],
)
def test_a_client_cannot_tell_where_a_game_is_decided(
    client: FlaskClient, gateway: FlaskClient, path: str, body: object
) -> None:
    here, elsewhere = (ask(each, path, body, headers={"X-Request-Id": "same"}) for each in (client, gateway))
    assert (elsewhere.data, elsewhere.status_code, elsewhere.content_type) == (
        here.data, here.status_code, here.content_type
    )  # fmt: skip
    assert sorted(elsewhere.headers) == sorted(here.headers)


def test_a_key_settles_the_dice_of_a_game_elsewhere(gateway: FlaskClient) -> None:
    body = attack(policies={"*": "first"})
    one, same, other = (ask(gateway, ATTACK, body, headers={"Idempotency-Key": key}) for key in "aab")
    assert one.data == same.data
    assert json.loads(one.data)["seed"] != json.loads(other.data)["seed"]


def test_look_ups_stay_here(gateway: FlaskClient) -> None:
    assert gateway.get(f"/v1/games/{TEMPLATE.name}/rules").status_code == 200


def test_a_service_that_is_away_is_a_problem_and_its_reason_is_logged(
    nowhere: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARBITER_URL_TEMPLATE_SKIRMISH", nowhere)
    monkeypatch.setenv("ARBITER_LOG_LEVEL", "warning")
    told = problem(ask(create_app(None, GAMES).test_client(), ATTACK, SEEDED), 502, "arbiter-away")
    assert TEMPLATE.name in told["detail"]
    assert nowhere not in json.dumps(told)
    (line,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (line["event"], line["request_id"]) == ("arbiter-away", told["request_id"])
    assert "refused" in line["reason"]


def test_a_service_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arbiters, "READ_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        remote = RemoteArbiter(TEMPLATE.name, f"http://127.0.0.1:{silent.getsockname()[1]}")
        began = time.monotonic()
        with pytest.raises(Refused):
            remote.ask("attack", b"{}", "id")
        assert time.monotonic() - began < 2


def test_addresses_are_read_from_the_environment() -> None:
    said = {"ARBITER_URL_TEMPLATE_SKIRMISH": " http://a:1 ", "ARBITER_HOST": "x", "PATH": "/bin"}
    assert addresses_in(said, GAMES) == {TEMPLATE.name: "http://a:1"}
    assert addresses_in({"ARBITER_URL_TEMPLATE_SKIRMISH": ""}, GAMES) == {}


@pytest.mark.parametrize(
    ("variable", "value"), [("ARBITER_URL_TEMPLATE", "http://a"), ("ARBITER_URL_TEMPLATE_SKIRMISH", "a:80")]
)
def test_a_wrong_address_stops_the_start(variable: str, value: str) -> None:
    with pytest.raises(WrongSettings, match=variable):
        addresses_in({variable: value}, GAMES)


def test_one_game_is_a_service_by_itself(monkeypatch: pytest.MonkeyPatch, nowhere: str) -> None:
    monkeypatch.setattr("arbiter.registry.games", lambda: GAMES)
    # The addresses that the gateway needs may stand in the environment of the service that they lead to.
    monkeypatch.setenv("ARBITER_URL_TEMPLATE_SKIRMISH", nowhere)
    monkeypatch.setenv("ARBITER_LOG_LEVEL", "error")
    solo = create_solo_app(TEMPLATE.name).test_client()
    assert [game["name"] for game in json.loads(solo.get("/v1/games").data)["games"]] == [TEMPLATE.name]
    assert ask(solo, ATTACK, SEEDED).status_code == 200
