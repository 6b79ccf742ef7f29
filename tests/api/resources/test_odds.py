"""Odds asked over HTTP: the law by hand, crowds, the budget, and questions that have none."""

import json
from fractions import Fraction
from math import sqrt
from typing import Any

import pytest
from flask.testing import FlaskClient

from api import create_app
from api.settings import Settings
from arbiter.game import Arbiter
from tests.api.posting import ATTACK, BATTLE, GAMES, MOVES, ask, attack, codes, problem
from tests.api.worked import examples

ODDS = f"{ATTACK}/odds"


def odds(client: FlaskClient, body: Any, path: str = ODDS) -> dict[str, Any]:
    answer = ask(client, path, body)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert answer.content_type == "application/json"
    told: dict[str, Any] = json.loads(answer.data)
    return told


def spread(told: dict[str, Any], field: str) -> dict[Any, Fraction]:
    values = next(marginal["values"] for marginal in told["marginals"] if marginal["field"] == field)
    return {value["answer"]: Fraction(value["mass"]) for value in values}


def test_the_law_is_the_one_worked_out_by_hand(client: FlaskClient) -> None:
    told = odds(client, attack())
    # Each of three shots hits with 1/2; a scout saves on 5, so that each shot wounds with 1/2 * 2/3 = 1/3.
    assert spread(told, "hits") == {0: Fraction(1, 8), 1: Fraction(3, 8), 2: Fraction(3, 8), 3: Fraction(1, 8)}
    assert spread(told, "wounds") == {0: Fraction(8, 27), 1: Fraction(12, 27), 2: Fraction(6, 27), 3: Fraction(1, 27)}
    assert sum(Fraction(chance["mass"]) for chance in told["outcomes"]) == 1
    assert (told["method"], told["seed"], told["heads"]) == ("law", None, None)
    chances = [chance["probability"] for chance in told["outcomes"]]
    assert chances == sorted(chances, reverse=True)


def test_a_policy_changes_the_law(client: FlaskClient) -> None:
    stands, dodges = (odds(client, attack(policies={"*": name})) for name in ("first", "bold"))
    assert (stands["policies"], dodges["policies"]) == ({"*": "first"}, {"*": "bold"})
    assert spread(stands, "dodged") == {0: 1}
    # Who is hit at all (7/8) dodges one hit with 1/2.
    assert spread(dodges, "dodged") == {0: Fraction(9, 16), 1: Fraction(7, 16)}


def test_a_crowd_is_near_the_law_and_the_same_again(client: FlaskClient) -> None:
    heads = 90_000
    told = odds(client, attack(heads=heads, seed=5))
    assert (told["method"], told["heads"], told["seed"]) == ("heads", heads, "5")
    assert sum(int(chance["mass"]) for chance in told["outcomes"]) == heads
    slain = spread(told, "slain")[True]
    assert abs(slain - heads * 19 / 27) < 5 * sqrt(heads * 19 / 27 * 8 / 27)
    assert odds(client, attack(heads=heads, seed=5)) == told
    assert odds(client, attack(heads=heads, seed=6)) != told


def test_dice_and_choices_have_no_part_in_odds(client: FlaskClient) -> None:
    told = problem(ask(client, ODDS, attack(dice={"seed": 1}, choices={})), 422, "invalid")
    assert codes(told) == {"/dice": "unknown-field", "/choices": "unknown-field"}


def test_what_is_forbidden_has_no_law(client: FlaskClient) -> None:
    body = attack()
    body["case"]["scene"]["fighters"][1]["side"] = "red"
    told = odds(client, body)
    assert (told["allowed"], told["outcomes"]) == (False, [])
    assert told["reasons"][0]["cites"] == ["shooting/enemy"]


def test_a_question_without_dice_says_that_it_has_no_odds(client: FlaskClient) -> None:
    body = {"case": {"scene": attack()["case"]["scene"], "fighter": "ann"}}
    told = problem(ask(client, f"{MOVES}/odds", body), 404, "no-dice")
    assert MOVES in told["detail"]


def test_over_the_budget_a_crowd_is_offered_and_can_be_had() -> None:
    # By hand: a law of three shots, a save each and nothing else cannot be had in a tenth of its 104 paths.
    client = create_app(Settings(log_level="error", rate_limits=False, path_budget=100), GAMES).test_client()
    told = problem(ask(client, ODDS, attack()), 422, "too-many-paths")
    assert told["budget"] == 100
    assert told["instead"]["path"] == ODDS
    assert odds(client, attack(**told["instead"]["add"]), told["instead"]["path"])["method"] == "heads"


def test_a_crowd_that_is_too_large_is_offered_smaller_until_it_fits() -> None:
    client = create_app(Settings(log_level="error", rate_limits=False, path_budget=2_000), GAMES).test_client()
    body = {"case": {"scene": attack()["case"]["scene"], "rounds": 3}, "policies": {"*": "bold"}, "heads": 1_000_000}
    offered = [body["heads"]]
    while (answer := ask(client, f"{BATTLE}/odds", body)).status_code != 200:
        told = problem(answer, 422, "too-many-paths")
        body |= told["instead"]["add"]
        offered.append(body["heads"])
    assert len(offered) > 1
    assert offered == sorted(set(offered), reverse=True)


@pytest.mark.parametrize("heads", [0, -1, 1_000_000_001, 1.5, "many"])
def test_heads_are_bounded(client: FlaskClient, heads: Any) -> None:
    told = problem(ask(client, ODDS, attack(heads=heads)), 422, "invalid")
    assert codes(told).keys() == {"/heads"}


def test_examples_of_light_questions_have_odds(client: FlaskClient, game: Arbiter) -> None:
    for each in examples(game):
        if game.questions[each.question].dice and each.odds:
            told = odds(client, each.odds_body(), f"/v1/games/{game.name}/{each.question}/odds")
            assert told["allowed"]
            assert sum(Fraction(chance["mass"]) for chance in told["outcomes"]) == 1
