"""Games of a gateway that are decided elsewhere: their addresses, a dead one among them, and what /readyz says."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from api import create_app
from api.app import make_app
from api.arbiters.identity import Identity
from api.arbiters.local import LocalArbiter
from api.arbiters.remote import RemoteArbiter
from api.arbiters.routing import ArbiterRouter, addresses_in, variable
from api.arbiters.single_game import make_game_app
from api.caching.board_library import BoardLibrary
from api.caching.board_store import InMemory
from api.problems.handlers import ProblemError
from api.schemas.scenes import Bodies
from api.settings import Settings
from api.web.readiness import HELD_S, STALE_S, Component, Held
from arbiter.game import ENGINE, Arbiter
from infra.settings import WrongSettings
from tests.api.game_services import FixedRouter, Services, serving
from tests.api.posting import ATTACK, GAMES, MOVES, TEMPLATE, ask, attack, codes, problem
from tests.api.scripted import HANG, answer, scripted

SETTINGS = Settings(log_level="error", health_timeout_s=20)
HURRIED = Settings(log_level="error", health_timeout_s=0.3)
SEEDED = attack(dice={"seed": "s"}, policies={"*": "first"})
OTHER = next(game for name, game in GAMES.items() if name != TEMPLATE.name)
TWO = {TEMPLATE.name: TEMPLATE, OTHER.name: OTHER}


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    with serving(TWO, SETTINGS) as services:
        yield services


@pytest.fixture
def nowhere() -> Iterator[str]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


def gateway(template_at: str, settings: Settings = SETTINGS) -> FlaskClient:
    """A gateway whose template is decided at an address, and the other game here."""
    return make_app(settings, TWO, router=ArbiterRouter({TEMPLATE.name: template_at})).test_client()


def ready(client: FlaskClient) -> tuple[int, Any]:
    told = client.get("/readyz")
    return told.status_code, json.loads(told.data)["components"]


def test_what_is_settled_is_told_again_without_asking_the_service_that_decided_it(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, asked = Settings(log_level="error", rate_limits=False), list[bytes]()
    arbiter = RemoteArbiter(TEMPLATE, services.address(TEMPLATE.name), settings)
    pass_on = arbiter.ask
    monkeypatch.setattr(arbiter, "ask", lambda *said: asked.append(said[1]) or pass_on(*said))
    router = FixedRouter({TEMPLATE.name: arbiter})
    client = make_app(settings, {TEMPLATE.name: TEMPLATE}, router=router).test_client()

    def told(body: Any, method: str = "POST") -> tuple[Any, ...]:
        answer = client.open(ATTACK, method=method, data=json.dumps(body), content_type="application/json")
        headers = {name: value for name, value in answer.headers.items() if name != "X-Request-Id"}
        return answer.status_code, answer.data, headers

    first = told(SEEDED)
    assert (first[0], json.loads(first[1])["seed"], len(asked)) == (200, "s", 1)
    assert told(SEEDED) == first == told(SEEDED, "QUERY")
    assert len(asked) == 1
    # What is not to the letter the same is asked, and so is what nobody said the dice of, or what is refused.
    assert told({**SEEDED, "dice": {"seed": "t"}})[0] == 200
    unsaid = attack(policies={"*": "first"})
    assert told(unsaid)[1] != told(unsaid)[1]
    assert [told({"case": {}})[0] for _ in range(2)] == [422, 422]
    assert len(asked) == 6
    # While the service is away, what is known is told, and nothing else.
    monkeypatch.setattr(arbiter, "ask", lambda *_: (_ for _ in ()).throw(ProblemError("arbiter-away", "away")))
    assert told(SEEDED) == first
    assert told({**SEEDED, "dice": {"seed": "u"}})[0] == 503


# A dead arbiter among others


def test_a_dead_arbiter_is_a_prompt_problem_and_the_others_answer_on(
    nowhere: str, capsys: pytest.CaptureFixture[str]
) -> None:
    client = gateway(nowhere, Settings(log_level="warning", health_timeout_s=0.3))
    for _ in range(8):
        answered = ask(client, ATTACK, SEEDED)
        told = problem(answered, 503, "arbiter-away")
        assert TEMPLATE.name in told["detail"]
        assert nowhere not in answered.get_data(as_text=True)
        assert int(answered.headers["Retry-After"]) >= 1
    assert problem(ask(client, f"{ATTACK}/odds", attack()), 503, "arbiter-away")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["event"] for line in lines} == {"arbiter-away"}
    assert lines[7]["request_id"] == told["request_id"]
    assert "refused" in lines[0]["reason"]
    assert "CircuitBreakerError" in lines[7]["reason"]
    # Another game, look-ups of this one, and what is wrong with a request are answered as ever.
    assert ask(client, f"/v1/games/{OTHER.name}/{next(iter(OTHER.questions))}", {}).status_code == 422
    assert client.get(f"/v1/games/{TEMPLATE.name}/rules").status_code == 200
    assert ask(client, f"{MOVES}/odds", {}).status_code == 404
    assert ask(client, ATTACK, b"{}", content_type="text/plain").status_code == 415


def broken(client: FlaskClient) -> dict[str, tuple[float, float]]:
    """Give whether the breaker of each game's service is open, and how often it has opened."""
    text = client.get("/metrics").get_data(as_text=True)
    samples = {
        (sample.name, sample.labels["game"]): sample.value
        for family in text_string_to_metric_families(text)
        if family.name.startswith("arbiter_breaker")
        for sample in family.samples
        if not sample.name.endswith("_created")
    }
    return {
        game: (value, samples["arbiter_breaker_opened_total", game])
        for (name, game), value in samples.items()
        if name == "arbiter_breaker_open"
    }


def test_metrics_say_which_arbiter_is_broken(nowhere: str) -> None:
    with scripted(answer(200, b"{}", Identity.of(TEMPLATE))) as script:
        dead, fine = RemoteArbiter(TEMPLATE, nowhere, SETTINGS), RemoteArbiter(OTHER, script.address, SETTINGS)
        dead.breaker.fail_max = 2
        client = make_app(SETTINGS, TWO, router=FixedRouter({TEMPLATE.name: dead, OTHER.name: fine})).test_client()
        assert broken(client) == {TEMPLATE.name: (0, 0), OTHER.name: (0, 0)}
        ask(client, ATTACK, SEEDED)
        assert broken(client)[TEMPLATE.name] == (0, 0)
        for _ in range(3):
            ask(client, ATTACK, SEEDED)
        assert broken(client) == {TEMPLATE.name: (1, 1), OTHER.name: (0, 0)}
        # A trial that fails leaves it open, and one that is answered closes it.
        dead.breaker.half_open()
        assert broken(client)[TEMPLATE.name] == (1, 1)
        ask(client, ATTACK, SEEDED)
        assert broken(client)[TEMPLATE.name] == (1, 1)
        dead.breaker.close()
        assert broken(client)[TEMPLATE.name] == (0, 1)


def test_a_game_that_is_decided_here_has_no_breaker(nowhere: str) -> None:
    assert set(broken(gateway(nowhere))) == {TEMPLATE.name}


def test_breakers_of_processes_are_added_up_and_go_with_them(tmp_path: Path) -> None:
    # The library decides when it is first imported, so that each process has to begin anew.
    one = """
import os, sys
from prometheus_client.multiprocess import mark_process_dead
from api.jobs.service import JobService
from api.observability.metrics import Metrics
from api.settings import Settings
metrics = Metrics()
metrics.set_breaker("a", False)
metrics.set_breaker("a", True)
metrics.set_breaker("b", False)
for dead in sys.argv[1:]:
    mark_process_dead(int(dead))
print(os.getpid(), metrics.text(JobService(Settings(), None)).decode(), sep="\\n")
"""
    environment = {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}

    def run(*dead: str) -> list[str]:
        command = [sys.executable, "-c", one, *dead]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        process, *lines = done.stdout.splitlines()
        return [process, *sorted(line for line in lines if line.startswith("arbiter_breaker_"))]

    def said(now: int, ever: int) -> list[str]:
        counts = (("open", "a", now), ("open", "b", 0), ("opened_total", "a", ever), ("opened_total", "b", 0))
        return sorted(f'arbiter_breaker_{name}{{game="{game}"}} {count}.0' for name, game, count in counts)

    first, *told = run()
    assert told == said(1, 1)
    second, *told = run()
    assert told == said(2, 2)
    _, *told = run(first, second)
    assert told == said(1, 3)


def test_an_arbiter_of_another_edition_is_named_and_the_others_answer_on() -> None:
    there = Identity(TEMPLATE.name, "invented-2", ENGINE)
    with scripted(answer(200, b"{}", there)) as script:
        client = gateway(script.address)
        answered = ask(client, ATTACK, SEEDED)
        told = problem(answered, 503, "edition-mismatch")
        assert {"invented-1", "invented-2"} <= set(told["detail"].replace(",", "").replace(";", "").split())
        assert "Retry-After" in answered.headers
        status, components = ready(client)
    assert status == 503
    assert not components[f"games/{TEMPLATE.name}"]["ok"]
    assert all(name in components[f"games/{TEMPLATE.name}"]["detail"] for name in ("invented-1", "invented-2"))
    assert ask(client, f"/v1/games/{OTHER.name}/{next(iter(OTHER.questions))}", {}).status_code == 422


# Readiness


def test_a_service_that_answers_is_part_of_readiness(services: Services) -> None:
    status, components = ready(gateway(services.address(TEMPLATE.name)))
    assert status == 200
    assert set(components) == {"games", "jobs", f"games/{TEMPLATE.name}"}
    told = components[f"games/{TEMPLATE.name}"]
    assert told["ok"]
    assert all(word in told["detail"] for word in (TEMPLATE.name, TEMPLATE.edition, ENGINE))


def test_the_service_of_another_game_is_found_out(services: Services) -> None:
    client = gateway(services.address(OTHER.name))
    status, components = ready(client)
    assert status == 503
    assert OTHER.name in components[f"games/{TEMPLATE.name}"]["detail"]
    problem(ask(client, ATTACK, SEEDED), 503, "edition-mismatch")


def test_a_service_that_is_away_or_silent_is_not_ready(nowhere: str) -> None:
    with scripted(HANG) as silent, scripted(answer(200)) as stranger:
        for address in (nowhere, silent.address, stranger.address):
            status, components = ready(gateway(address, HURRIED))
            assert status == 503
            assert components["games"]["ok"]
            assert "does not answer" in components[f"games/{TEMPLATE.name}"]["detail"]
            assert "127.0.0.1" not in json.dumps(components)


def test_asking_for_readiness_often_asks_the_services_once() -> None:
    with scripted(answer(200, b"{}", Identity.of(TEMPLATE))) as script:
        client = gateway(script.address)
        for _ in range(20):
            assert ready(client)[0] == 200
        assert script.asked <= 2


def test_a_check_is_held_for_a_moment_and_then_made_anew() -> None:
    now, results = [0.0], iter([{"a": Component(True, str(number))} for number in range(9)])
    held = Held(lambda: next(results), lambda: now[0])
    assert held()["a"].detail == "0"
    now[0] = HELD_S - 0.001
    assert held()["a"].detail == "0"
    now[0] = HELD_S
    assert held()["a"].detail == "1"


def test_who_comes_during_a_check_is_told_what_is_known_unless_that_is_old() -> None:
    now, checking, go_on, said = [0.0], threading.Event(), threading.Event(), []

    def check() -> dict[str, Component]:
        if said:
            checking.set()
            assert go_on.wait(5)
        said.append(now[0])
        return {"a": Component(True, str(now[0]))}

    held = Held(check, lambda: now[0])
    held()
    now[0] = STALE_S - 1
    first = threading.Thread(target=held)
    first.start()
    assert checking.wait(5)
    assert held()["a"].detail == "0.0"
    now[0] = STALE_S
    later: list[str] = []
    second = threading.Thread(target=lambda: later.append(held()["a"].detail))
    second.start()
    second.join(0.05)
    assert second.is_alive(), "what is known is too old to be told"
    go_on.set()
    first.join()
    second.join()
    assert said == [0.0, STALE_S]
    assert later == [str(STALE_S)]


def test_a_check_that_fails_is_made_again() -> None:
    results: Iterator[Any] = iter([ZeroDivisionError(), {"a": Component(True, "")}])

    def check() -> dict[str, Component]:
        result = next(results)
        if isinstance(result, Exception):
            raise result
        return result

    held = Held(check)
    with pytest.raises(ZeroDivisionError):
        held()
    assert held()["a"].ok


# One game alone


def test_the_service_of_a_game_says_on_every_answer_who_it_is() -> None:
    client = make_game_app(TEMPLATE, SETTINGS).test_client()
    expected = {"Arbiter-Game": TEMPLATE.name, "Arbiter-Edition": TEMPLATE.edition, "Arbiter-Engine": ENGINE}
    for told in (
        client.get("/healthz"),
        client.get("/readyz"),
        client.get("/v1/games"),
        client.get("/nothing"),
        ask(client, ATTACK, SEEDED),
        ask(client, ATTACK, {}),
        client.delete(ATTACK),
        client.options(ATTACK),
    ):
        assert {name: told.headers[name] for name in expected} == expected
        assert len(told.headers.getlist("Arbiter-Game")) == 1
    assert [game["name"] for game in json.loads(client.get("/v1/games").data)["games"]] == [TEMPLATE.name]


@pytest.mark.parametrize(
    ("seed", "heeded"), [("0123abcd", True), ("x" * 128, True), ("x" * 129, False), ("a b", False)]
)
def test_the_service_of_a_game_takes_a_sane_seed(seed: str, heeded: bool) -> None:
    client = make_game_app(TEMPLATE, SETTINGS).test_client()
    told = json.loads(ask(client, ATTACK, attack(policies={"*": "first"}), headers={"Arbiter-Seed": seed}).data)
    assert (told["seed"] == seed) is heeded
    named = json.loads(ask(client, ATTACK, SEEDED, headers={"Arbiter-Seed": seed}).data)
    assert named["seed"] == "s", "what the body says comes first"


def test_committed_dice_that_a_gateway_passes_on_are_refused_as_the_game_refuses_them() -> None:
    client = make_game_app(TEMPLATE, SETTINGS).test_client()
    body = attack(dice={"committed": {"epoch": "1000-1", "client_seed": "me", "nonce": 1}})
    told = problem(ask(client, ATTACK, body, headers={"Arbiter-Seed": "none"}), 422, "invalid")
    assert codes(told) == {"/dice/committed": "not-settled"}
    problem(ask(client, ATTACK, body), 422, "no-commitments")
    # Nobody but a game's own service heeds what looks like a gateway.
    gateway = create_app(SETTINGS, {TEMPLATE.name: TEMPLATE}).test_client()
    problem(ask(gateway, ATTACK, body, headers={"Arbiter-Seed": "none"}), 422, "no-commitments")


def test_the_service_of_a_game_does_no_jobs() -> None:
    client = make_game_app(TEMPLATE, Settings(log_level="error", redis_url="redis://127.0.0.1:1/0")).test_client()
    problem(ask(client, f"{ATTACK}/simulations", attack(count=1)), 503, "no-jobs")
    assert ask(client, ATTACK, SEEDED, headers={"Prefer": "respond-async"}).status_code == 200
    assert "absent" in json.loads(client.get("/readyz").data)["components"]["jobs"]["detail"]


def test_the_service_of_a_game_does_not_ask_elsewhere(monkeypatch: pytest.MonkeyPatch, nowhere: str) -> None:
    monkeypatch.setattr("arbiter.registry.alone", GAMES.__getitem__)
    monkeypatch.setenv("ARBITER_URL_TEMPLATE_SKIRMISH", nowhere)
    monkeypatch.setenv("ARBITER_LOG_LEVEL", "error")
    assert ask(make_game_app(TEMPLATE.name).test_client(), ATTACK, SEEDED).status_code == 200


# Addresses


def test_a_gateway_reads_addresses_from_its_environment(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARBITER_URL_TEMPLATE_SKIRMISH", services.address(TEMPLATE.name))
    monkeypatch.setenv("ARBITER_LOG_LEVEL", "error")
    client = create_app(None, TWO).test_client()
    assert f"games/{TEMPLATE.name}" in ready(client)[1]
    assert ask(client, ATTACK, SEEDED).status_code == 200


def test_addresses_are_read_from_the_environment() -> None:
    said = {"ARBITER_URL_TEMPLATE_SKIRMISH": " http://a:1 ", "ARBITER_HOST": "x", "PATH": "/bin"}
    assert addresses_in(said, GAMES) == {TEMPLATE.name: "http://a:1"}
    assert addresses_in({"ARBITER_URL_TEMPLATE_SKIRMISH": ""}, GAMES) == {}


@pytest.mark.parametrize("value", ["http://a", "https://a:443/", "http://[::1]:8000", "http://10.0.0.1:1/below/it"])
def test_an_address_may_have_a_port_and_a_path(value: str) -> None:
    assert addresses_in({variable(TEMPLATE.name): value}, GAMES) == {TEMPLATE.name: value}


@pytest.mark.parametrize(
    "value",
    [
        "a:80",
        "ftp://a",
        "http://",
        "http:///path",
        "http://:80",
        "http://a:0",
        "http://a:65536",
        "http://a:b",
        "http://[::1",
        "http://me:pw@a",
        "http://a?x=1",
        "http://a#x",
        "http://a b",
        "http://a/b c",
        "http://ä/ö",
    ],
)
def test_a_wrong_address_stops_the_start(value: str) -> None:
    with pytest.raises(WrongSettings, match="ARBITER_URL_TEMPLATE_SKIRMISH"):
        addresses_in({"ARBITER_URL_TEMPLATE_SKIRMISH": value}, GAMES)


def test_every_wrong_address_is_named_at_once() -> None:
    with pytest.raises(WrongSettings) as wrong:
        addresses_in(
            {"ARBITER_URL_TEMPLATE": "http://a", variable(TEMPLATE.name): "b", variable(OTHER.name): "c"}, GAMES
        )
    assert len(wrong.value.faults) == 3


def test_a_game_without_an_address_is_decided_here(game: Arbiter) -> None:
    router = ArbiterRouter({other: "http://a" for other in GAMES if other != game.name})
    library = BoardLibrary(InMemory(SETTINGS), SETTINGS)
    arbiters = [router(each, SETTINGS, Bodies(each, library, SETTINGS)) for each in GAMES.values()]
    assert [each.game for each in arbiters if isinstance(each, LocalArbiter)] == [game]
