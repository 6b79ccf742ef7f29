"""Attack as a movement, and run and shoot: how far they lead, what follows, and from where a charge comes."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.size_skirmish.actions import Action
from services.size_skirmish.rules import melee
from tests.effort import cases
from tests.services.size_skirmish.field import ask, field_of, odds, table, with_models

GONE = {"at": None, "out": "fled"}
BACK = {"model": "bob", "action": "strike", "target": "ada"}


def apart(away: float, **of_bob: Any) -> dict[str, Any]:
    """Return the table with bob so far from ada, and nobody else but nan."""
    return with_models(bob={"at": [10 + away, 10], **of_bob}, ole=GONE, sam=GONE)


def charged(posted: dict[str, Any], reactions: list[Any] | None = None, **rest: Any) -> Any:
    case = {"scene": posted, "attacker": "ada", "target": "bob", "charge": True, "reactions": reactions or []}
    return ask("attack", case, **{"dice": {"seed": 7}, **rest})


@given(st.integers(1_200, 14_000))
@settings(max_examples=cases(60), deadline=None)
def test_a_charge_goes_up_to_twice_b_and_strikes_whom_it_comes_into_reach_of(away: int) -> None:
    """B is 5 and the blade reaches 1.5, so a charge ends in a strike up to 11.5 away; in contact at most."""
    ruling = charged(apart(away / 1000))
    assert ruling.answer.done
    assert bool(ruling.answer.blows) == (away <= 11_500)
    at = next((event.values["at"] for event in ruling.effects.events if event.name == "moved"), (10.0, 10.0))
    assert at[0] == pytest.approx(10 + min(10_000, away - 1_000) / 1000, abs=0.002)


@pytest.mark.parametrize("away", [5.0, 11.5])
def test_by_the_reading_a_charge_is_answered_where_it_arrives(away: float) -> None:
    answered = charged(apart(away), [BACK], readings={"charge-answered": "arrival"}).answer
    assert [blow.by for blow in answered.blows] == ["ada", "bob"]
    in_vain = charged(apart(away), [BACK]).answer
    assert [blow.by for blow in in_vain.blows] == ["ada"]
    assert not in_vain.course.reactions[0].done


def test_a_pike_answers_a_charge_before_it_begins_where_it_reaches() -> None:
    """Of whoever stands within reach already, the strike is made before the charge."""
    ruling = charged(apart(1.4), [BACK])
    assert [blow.by for blow in ruling.answer.course.reactions[0].blows] == ["bob"]
    assert [blow.by for blow in ruling.answer.blows] == ["ada"]


@pytest.mark.parametrize(
    ("action", "option", "joins"),
    [
        (Action("ada", "strike", target="bob"), "start", True),
        (Action("ada", "move", "attack", "bob"), "start", False),
        (Action("ada", "move", "attack", "bob"), "arrival", True),
        (Action("ada", "move", "walk", "bob"), "arrival", False),
        (Action("ada", "strike", target="ole"), "start", False),
    ],
)
def test_which_strikes_wait_for_the_exchange_of_blows(action: Action, option: str, joins: bool) -> None:
    answer = Action("bob", "strike", target="ada")
    assert melee.joins(table(charge_answered=option), field_of(), action, answer) is joins


@given(st.sampled_from([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 2)]))
def test_a_strike_comes_from_where_the_attacker_stands_however_a_charge_is_read(facing: tuple[int, int]) -> None:
    field = field_of(apart(1.2, facing=facing))
    found = {
        melee.from_behind(table(charge_front=option), field, field, "ada", "bob") for option in ("start", "arrival")
    }
    assert found == {facing[0] > 0}


@given(st.integers(3_000, 28_000))
@settings(max_examples=cases(40), deadline=None)
def test_a_shot_on_the_run_is_made_from_where_the_run_ends(away: int) -> None:
    """The bow reaches 24, and B is 5; in contact with bob ada runs no farther."""
    posted = apart(away / 1000)
    posted["models"][0]["in_hand"] = "bow"
    case = {"scene": posted, "shooter": "ada", "target": "bob", "run": True, "reactions": []}
    ruling = ask("shoot", case, dice={"seed": 7})
    assert ruling.answer.done
    assert bool(ruling.answer.blows) == (away - 5_000 <= 24_000)


def test_a_shot_before_the_run_is_made_from_where_it_begins() -> None:
    posted = apart(26)
    posted["models"][0]["in_hand"] = "bow"
    case = {"scene": posted, "shooter": "ada", "target": "bob", "run": True, "reactions": []}
    rest: dict[str, Any] = {"dice": {"seed": 7}, "readings": {"run-and-shoot-when": "either"}}
    after = ask("shoot", case, choices={"ada: shot": ["after"]}, **rest).answer
    before = ask("shoot", case, choices={"ada: shot": ["before"]}, **rest).answer
    assert (len(after.blows), len(before.blows)) == (1, 0)
    assert after.course.action.way == before.course.action.way


def test_odds_of_a_charge_with_its_answer_morale_and_flight_stay_within_the_paths() -> None:
    case = {"scene": apart(8), "attacker": "ada", "target": "bob", "charge": True, "reactions": [BACK]}
    found = odds("attack", case, readings={"charge-answered": "arrival"})
    assert found.allowed
    assert found.outcomes
