"""Work and its price: what is heavy costs more, is paid for before it is done, and never costs a whole quota."""

import json
from dataclasses import replace
from time import thread_time
from typing import Any

import pytest

from api.app import make_app
from api.quotas.limiter import charge, charged, give_back, settle
from api.settings import Settings
from tests.api.game_services import serving
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, BATTLE, TEMPLATE, ask, attack, problem, with_questions
from tests.api.small_quotas import cost, gateway, heavy, stands, stopped

# Work that is dear


@pytest.mark.parametrize(("cost_ms", "units"), [(0.0, 1), (9.9, 1), (10.0, 2), (1_000.0, 101), (4_999.0, 300)])
def test_a_heavy_question_costs_its_estimate_but_half_a_quota_at_most(cost_ms: float, units: int) -> None:
    client = gateway(600, game=heavy(cost_ms))
    assert cost(ask(client, ATTACK, attack(dice={"seed": 1})), 600) == units


def test_a_heavy_question_is_not_decided_without_the_units() -> None:
    decided = []

    def rule(table: Any, state: Any) -> Any:
        decided.append(1)
        return TEMPLATE.questions["attack"].rule(table, state)

    game = with_questions(TEMPLATE, attack=replace(TEMPLATE.questions["attack"], cost=lambda _: 4_000.0, rule=rule))
    client = gateway(600, game=game)
    answers = [ask(client, ATTACK, attack(dice={"seed": seed})) for seed in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert len(decided) == 2
    assert problem(answers[2], 429, "too-many-requests")["cost"] in {1, 300}


def test_a_simulation_costs_what_all_its_games_take_and_leaves_enough_to_look_at_its_job(store: MemoryJobs) -> None:
    client = gateway(600, store, heavy(50.0))
    path = f"{ATTACK}/simulations"
    assert cost(ask(client, path, attack(count=20)), 600) == 5 + 100
    again = gateway(600, MemoryJobs(), heavy(50.0))
    taken = ask(again, path, attack(count=100_000))
    assert cost(taken, 600) == 300
    assert again.get(taken.headers["Location"]).status_code == 200


def test_what_is_a_job_already_costs_only_the_asking(store: MemoryJobs) -> None:
    client = gateway(600, store, heavy(50.0))
    path, body = f"{ATTACK}/simulations", attack(count=40)
    assert stands(ask(client, path, body))["r"] == 600 - 205
    assert stands(ask(client, path, body))["r"] == 600 - 210


def test_what_the_store_does_not_take_costs_only_the_asking(store: MemoryJobs) -> None:
    store.full = 60.0
    client = gateway(600, store, heavy(50.0))
    answer = ask(client, f"{ATTACK}/simulations", attack(count=40))
    problem(answer, 503, "queue-full")
    assert cost(answer, 600) == 5


def test_the_points_of_a_sweep_are_paid_for_before_they_are_read(store: MemoryJobs) -> None:
    client = gateway(600, store)
    vary = {"/case/target": ["bob"] * 10, "/policies/*": ["nobody"] * 10}
    answer = ask(client, f"{ATTACK}/simulations", attack(count=1, vary=vary))
    problem(answer, 422, "invalid")
    assert cost(answer, 600) == 5 + 100 // 5


def test_what_becomes_a_job_costs_more_and_odds_much_more(store: MemoryJobs) -> None:
    later = {"Prefer": "respond-async"}
    ruling = ask(gateway(600, store), ATTACK, attack(), headers=later)
    odds = ask(gateway(600, store), f"{ATTACK}/odds", attack(), headers=later)
    assert (ruling.status_code, odds.status_code) == (202, 202)
    assert (600 - stands(ruling)["r"], 600 - stands(odds)["r"]) == (6, 105)


@pytest.mark.parametrize(("took_s", "units"), [(0.009, 1), (0.02, 3), (2.5, 251), (60.0, 300)])
def test_a_light_question_is_paid_for_by_the_time_that_it_takes(
    monkeypatch: pytest.MonkeyPatch, took_s: float, units: int
) -> None:
    """On the largest tables a question without an estimate takes seconds, and its caller pays for them."""
    moments = iter([1.0, 1.0 + took_s])
    monkeypatch.setattr("api.arbiters.local.thread_time", lambda: next(moments))
    assert cost(ask(gateway(600), ATTACK, attack(dice={"seed": 1})), 600) == units


def test_a_service_of_its_own_says_how_long_a_ruling_took_and_its_caller_pays_for_it() -> None:
    def rule(table: Any, state: Any) -> Any:
        until = thread_time() + 0.055
        while thread_time() < until:
            pass
        return TEMPLATE.questions["attack"].rule(table, state)

    game = with_questions(TEMPLATE, attack=replace(TEMPLATE.questions["attack"], rule=rule))
    with serving({game.name: game}, Settings(log_level="error")) as services:
        app = make_app(
            Settings(log_level="error", anonymous_units_per_minute=600), {game.name: game}, router=services.router()
        )
        answer = ask(stopped(app).test_client(), ATTACK, attack(dice={"seed": 1}))
    assert answer.status_code == 200
    assert 1 + 5 <= cost(answer, 600) < 1 + 50


def test_odds_are_paid_for_by_the_time_that_they_are_walked() -> None:
    client = gateway(600)
    answer = ask(client, f"{ATTACK}/odds", attack())
    assert cost(answer, 600) == 5 + int(walked_ms(answer) / 10)


def test_odds_that_are_given_up_are_paid_for_like_those_that_are_given() -> None:
    short = ask(gateway(600, path_budget=1), f"{ATTACK}/odds", attack())
    problem(short, 422, "too-many-paths")
    assert cost(short, 600) == 5
    long = ask(gateway(600, path_budget=10**9, odds_limit_ms=200), f"{BATTLE}/odds", battle())
    assert problem(long, 422, "odds-too-long")["limit_s"] == 0.2
    assert cost(long, 600) == 5 + int(walked_ms(long) / 10) >= 5 + 20


def test_a_walk_ends_when_its_caller_has_spent_the_quota() -> None:
    client = gateway(30, path_budget=10**9, odds_limit_ms=2_000)
    for _ in range(20):
        client.get("/v1/games")
    # A request costs half of a quota at most: here 15 units, and 10 are left.
    refused = ask(client, f"{BATTLE}/odds", battle())
    problem(refused, 429, "too-many-requests")


def walked_ms(answer: Any) -> float:
    """Read how long odds were walked from the header that says so."""
    return float(answer.headers["Server-Timing"].removeprefix("walk;dur="))


def battle() -> dict[str, Any]:
    from tests.reading import load_examples

    return next(each.odds_body() for each in load_examples(TEMPLATE.folder / "examples") if each.question == "battle")


# The one function that pieces of the app call


def test_outside_of_a_request_and_without_rates_nothing_is_taken() -> None:
    assert charge(10**9) == 0
    settle(10**9)
    give_back(10**9)
    client = gateway(10, rate_limits=False)
    for _ in range(30):
        answer = ask(client, f"{ATTACK}/odds", attack())
        assert answer.status_code == 200
    assert "RateLimit" not in answer.headers
    assert json.loads(client.get("/v1/limits").data)["rates"] == []


def test_a_request_never_costs_more_than_half_of_its_quota() -> None:
    client = gateway(100)
    app = client.application

    @app.get("/v1/dear")
    @charged(1)
    def dear() -> str:
        return f"{charge(30)} {charge(30)} {charge(30)}"

    answer = client.get("/v1/dear")
    assert answer.text == "30 19 0"
    assert stands(answer)["r"] == 50


def test_debts_are_let_in_and_waited_for_before_anything_else() -> None:
    client = gateway(100)
    app = client.application

    @app.get("/v1/surprise")
    @charged(1)
    def surprise() -> str:
        settle(40)
        return ""

    assert [stands(client.get("/v1/surprise"))["r"] for _ in range(3)] == [59, 18, 0]
    # 123 are spent at the beginning of a window; in the next one 23 of them and one more lose their weight in 11.7 s.
    assert client.get("/v1/surprise").headers["Retry-After"] == "72"
