"""Odds by best play over HTTP and on the command line: the worths of options, and who may not ask for it."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from api import create_app
from api.settings import Settings
from cli import main
from services._template.questions import AttackAnswer
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import ATTACK, GAMES, TEMPLATE, ask, attack, codes, problem, with_questions

ODDS = f"{ATTACK}/odds"


def unhurt(answer: AttackAnswer, who: str) -> int:
    """Blue wants few wounds, red many."""
    return -answer.wounds if who == "blue" else answer.wounds


WORTHY = with_questions(TEMPLATE, attack=replace(TEMPLATE.questions["attack"], worth=unhurt))
BOTH = {**GAMES, TEMPLATE.name: WORTHY}
BLUE = {"policies": {"blue": "best"}}


@pytest.fixture
def worthy() -> FlaskClient:
    return create_app(Settings(log_level="error", rate_limits=False), BOTH).test_client()


def odds(client: FlaskClient, body: Any) -> dict[str, Any]:
    answer = ask(client, ODDS, body)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    told: dict[str, Any] = json.loads(answer.data)
    return told


def test_every_option_is_weighed_by_hand(worthy: FlaskClient) -> None:
    told = odds(worthy, attack(**BLUE))
    # A scout loses 2/3 of a wound for each hit, and the dodge takes one hit off with 1/2, which saves 1/3.
    # Three shots hit with 1/2 each: 1, 2 or 3 hits with 3/8, 3/8 and 1/8; with none there is nothing to dodge.
    by_hits = {1: (Fraction(3, 8), -Fraction(2, 3)), 2: (Fraction(3, 8), -Fraction(4, 3)), 3: (Fraction(1, 8), -2)}
    best = told["best"]
    assert best["worth"] == {"blue": {"mean": pytest.approx(-1 + 7 / 24), "mean_exact": "-17/24"}}
    assert best["more_decisions"] == 0
    assert len(best["decisions"]) == 3
    for decision in best["decisions"]:
        (situation,) = decision["situations"]
        ((_, tally),) = [(came["label"], came["outcome"]) for came in situation["before"]]
        chance, stand = by_hits[dict(map(tuple, tally))[True]]
        assert (decision["who"], decision["label"], decision["picked"]) == ("blue", "dodge of bob", "dodge")
        assert Fraction(decision["mass"]) == Fraction(situation["mass"]) == chance
        assert decision["probability"] == situation["probability"] == float(chance)
        assert [Fraction(option["mean_exact"]) for option in decision["options"]] == [stand, stand + Fraction(1, 3)]
        assert [option["mean"] for option in decision["options"]] == [
            pytest.approx(float(stand)),
            pytest.approx(float(stand) + 1 / 3),
        ]
        assert [(option["option"]["id"], option["picked"]) for option in decision["options"]] == [
            ("stand", False),
            ("dodge", True),
        ]
        assert decision["more_situations"] == 0


def test_the_law_is_that_of_the_policy_that_is_best(worthy: FlaskClient) -> None:
    by_best, boldly = (odds(worthy, attack(policies={"*": name})) for name in ("best", "bold"))
    assert by_best["policies"] == {"*": "best"}
    masses = [
        {json.dumps(chance["answer"]): chance["mass"] for chance in told["outcomes"]} for told in (by_best, boldly)
    ]
    assert masses[0] == masses[1]
    assert boldly["best"] is None


def test_best_play_stands_beside_other_policies(worthy: FlaskClient) -> None:
    told = odds(worthy, attack(policies={"*": "best", "blue": "first"}))
    assert told["policies"] == {"*": "best", "blue": "first"}
    assert told["best"] == {"worth": {}, "decisions": [], "more_decisions": 0}


def test_what_is_forbidden_has_neither_law_nor_best_play(worthy: FlaskClient) -> None:
    body = attack(**BLUE)
    body["case"]["scene"]["fighters"][1]["side"] = "red"
    told = odds(worthy, body)
    assert (told["allowed"], told["outcomes"], told["best"]) == (False, [], None)


def test_a_question_without_a_worth_refuses_best_play_with_the_other_faults(client: FlaskClient) -> None:
    told = problem(ask(client, ODDS, attack(policies={"blue": "best", "red": "wild"})), 422, "invalid")
    assert codes(told) == {"/policies/blue": "no-worth", "/policies/red": "unknown-policy"}
    fault = next(each for each in told["errors"] if each["code"] == "no-worth")
    assert fault["expected"] == "one of first, bold"


def test_a_crowd_has_no_best_play(worthy: FlaskClient) -> None:
    told = problem(ask(worthy, ODDS, attack(heads=1000, **BLUE)), 422, "invalid")
    assert codes(told) == {"/heads": "best-by-heads"}


def test_a_single_ruling_has_no_best_play(worthy: FlaskClient) -> None:
    told = problem(ask(worthy, ATTACK, attack(**BLUE)), 422, "invalid")
    assert codes(told) == {"/policies/blue": "unknown-policy"}
    assert "odds" in told["errors"][0]["hint"]


def test_over_the_budget_a_crowd_by_another_policy_is_offered_and_can_be_had() -> None:
    client = create_app(Settings(log_level="error", rate_limits=False, path_budget=100), BOTH).test_client()
    told = problem(ask(client, ODDS, attack(policies={"blue": "best", "red": "bold"})), 422, "too-many-paths")
    assert told["instead"]["add"]["policies"] == {"blue": "first", "red": "bold"}
    assert "best" in told["detail"]
    answer = odds(client, attack(**told["instead"]["add"]))
    assert (answer["method"], answer["best"]) == ("heads", None)


def test_best_play_may_be_a_job_and_is_refused_before_it_becomes_one(store: MemoryJobs) -> None:
    client = create_app(Settings(log_level="error", rate_limits=False), BOTH, store).test_client()
    prefer = {"headers": {"Prefer": "respond-async"}}
    assert ask(client, ODDS, attack(**BLUE), **prefer).status_code == 202
    battle = {"case": {"scene": attack()["case"]["scene"]}, "policies": {"*": "best"}}
    told = problem(ask(client, f"/v1/games/{TEMPLATE.name}/battle/odds", battle, **prefer), 422, "invalid")
    assert codes(told) == {"/policies/*": "no-worth"}


def test_the_command_line_tells_what_each_option_is_worth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = tmp_path / "case.json"
    case.write_text(json.dumps(attack()["case"]), encoding="utf-8")
    asked = ["odds", TEMPLATE.name, "attack", str(case), "--policies", "blue=best"]
    assert main.main(asked, BOTH) == 0
    said = capsys.readouterr().out
    assert "worth to blue: -0.7083 (-17/24)" in said
    assert "blue, dodge of bob (reached with 37.500%)" in said
    assert "* dodge: -0.3333 (-1/3)" in said
    assert main.main(asked, GAMES) == 2
    assert "does not say what its answers are worth" in capsys.readouterr().err
