"""One game as a service of its own: its command lines as they are, and a gateway that passes questions on to it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from api.app import make_app
from api.arbiters.identity import Identity
from api.arbiters.remote import RemoteArbiter
from api.arbiters.routing import ArbiterRouter, variable
from api.settings import Settings
from arbiter import registry
from arbiter.fault import UnknownName
from arbiter.game import ENGINE
from cli.main import main
from cli.serve import GATEWAY, ROOT, free_port
from tests.reading import load_examples

GAME = registry.game("warleague")
SPLIT: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.split.yml").read_text())
WHOLE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, Any] = {name: service for name, service in SPLIT["services"].items() if name != "gateway"}
PATIENCE_S = 120.0
PERSONS = (sys.executable, "-m", "cli.main", "serve-game", GAME.name, "--workers", "1", "--threads", "2")

EXAMPLE = next(each for each in load_examples(GAME.folder / "examples") if GAME.questions[each.question].dice)
PATH = f"/v1/games/{GAME.name}/{EXAMPLE.question}"
BODY = json.dumps({**EXAMPLE.body(), "dice": {"seed": "s"}}).encode()


@contextmanager
def started(command: Sequence[str], **environment: str) -> Iterator["subprocess.Popen[str]"]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "ARBITER_LOG_LEVEL": "error", **environment, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def asked(port: int, method: str, path: str, body: bytes = b"") -> tuple[int, dict[str, str], bytes]:
    """Ask, waiting for the service to come up."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body or None, {"Content-Type": "application/json", "X-Request-Id": "same"})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        except ConnectionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        finally:
            connection.close()


def test_the_split_is_a_compose_file_that_names_every_game() -> None:
    schema = json.loads((files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json").read_text())
    jsonschema.validate(SPLIT, schema)
    assert set(SERVICES) == set(registry.games())
    assert not set(SERVICES) & set(WHOLE["services"])
    gateway = SPLIT["services"]["gateway"]
    assert set(gateway) == {"environment"}
    assert gateway["environment"] == {variable(name): f"http://{name}:8000" for name in SERVICES}


def test_games_in_containers_have_no_rights_and_are_reached_by_the_gateway_alone() -> None:
    like = WHOLE["services"]["gateway"]
    for name, service in SERVICES.items():
        assert service["command"] == [*GATEWAY[:3], f"api:create_game_app({name!r})"]
        for part in ("image", "restart", "init", "read_only", "tmpfs", "cap_drop", "security_opt"):
            assert service[part] == like[part]
        assert "ports" not in service
        assert service["networks"] == ["back"]
        assert WHOLE["networks"]["back"]["internal"] is True
        assert Settings.from_environment(service["environment"]).port == 8000
        assert "REDIS_URL" not in service["environment"]


def test_the_command_serves_the_game_and_a_gateway_passes_its_answers_on() -> None:
    """A person's command; that of compose is the gunicorn that it becomes, as other tests here hold."""
    port = free_port()
    # Addresses and Redis of the gateway may stand in the environment of the service, too.
    with started(
        PERSONS,
        PORT=str(port),
        ARBITER_HOST="127.0.0.1",
        REDIS_URL="redis://127.0.0.1:1/0",
        ARBITER_URL_WARLEAGUE="http://127.0.0.1:1",
    ) as process:
        status, headers, body = asked(port, "POST", PATH, BODY)
        assert status == 200, body
        assert (headers["Arbiter-Game"], headers["Arbiter-Engine"]) == (GAME.name, ENGINE)
        facts = json.loads(asked(port, "GET", f"/v1/games/{GAME.name}")[2])
        assert (facts["edition"], facts["engine"]) == (headers["Arbiter-Edition"], ENGINE)
        assert [each["name"] for each in json.loads(asked(port, "GET", "/v1/games")[2])["games"]] == [GAME.name]
        status, headers, _ = asked(port, "GET", "/v1/games/stargrave")
        assert (status, headers["Arbiter-Game"]) == (404, GAME.name)

        address = f"http://127.0.0.1:{port}"
        assert RemoteArbiter(GAME, address, Settings()).look(PATIENCE_S) == Identity.of(GAME)
        router = ArbiterRouter({GAME.name: address})
        gateway = make_app(Settings(log_level="error"), {GAME.name: GAME}, router=router)
        # More than one, over a connection that is kept.
        for _ in range(3):
            answer = gateway.test_client().post(
                PATH, data=BODY, content_type="application/json", headers={"X-Request-Id": "same"}
            )
            assert (answer.status_code, answer.data) == (200, body)

        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0


def test_the_service_of_a_game_loads_no_other() -> None:
    loaded = (
        "import sys, api; api.create_game_app('warleague'); print(sorted(m for m in sys.modules if 'services.' in m))"
    )
    done = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "services.warleague" in done.stdout
    assert "services.stargrave" not in done.stdout


@pytest.fixture
def became(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the command becomes: program, arguments and environment."""
    seen: list[Any] = []
    monkeypatch.setattr(os, "execve", lambda *said: seen.extend(said))
    for name in ("PORT", "ARBITER_HOST", "ARBITER_GATEWAY_THREADS"):
        monkeypatch.delenv(name, raising=False)
    return seen


def test_options_are_settings_and_what_is_left_out_stays_as_the_environment_says(
    became: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARBITER_GATEWAY_THREADS", "7")
    with pytest.raises(TypeError):  # nothing comes back from becoming another program
        main(["serve-game", GAME.name, "--host", "127.0.0.2", "--port", "0", "--workers", "3"])
    program, arguments, environment = became
    assert program == arguments[0] == sys.executable
    assert arguments[1:4] == ["-m", "gunicorn", "--config"]
    assert Path(arguments[4]).samefile(ROOT / "deploy" / "gunicorn.conf.py")
    assert arguments[5] == SERVICES[GAME.name]["command"][-1]
    settings = Settings.from_environment(environment)
    assert (settings.host, settings.port) == ("127.0.0.2", 0)
    assert (settings.gateway_workers, settings.gateway_threads) == (3, 7)


@pytest.mark.parametrize("game", ["no-such-game", "_template", "../api", "", "stargrave'); import os; ('"])
def test_a_game_that_is_not_there_is_named_and_nothing_is_started(
    game: str, became: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve-game", game]) == 2
    assert "there is no game" in capsys.readouterr().err.lower()
    assert became == []


def test_wrong_settings_are_all_named_and_nothing_is_started(became: list[Any]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve-game", GAME.name, "--port", "65536", "--workers", "0"])
    # A message as the code is printed, and the code that the system sees is 1.
    assert "PORT: '65536'" in str(ended.value.code)
    assert "ARBITER_GATEWAY_WORKERS: '0'" in str(ended.value.code)
    assert became == []


@pytest.mark.parametrize("name", ["no-such-game", "_template", "template-skirmish", "Warleague", "", "a.b", "../x"])
def test_a_game_alone_is_one_that_the_registry_has(name: str) -> None:
    with pytest.raises(UnknownName):
        registry.alone(name)
    assert registry.alone("size-skirmish") is registry.games()["size-skirmish"]
