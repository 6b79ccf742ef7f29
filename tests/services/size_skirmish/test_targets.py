"""Targets: what is said of an attack before it is made agrees with what comes of it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.size_skirmish.rules import targets
from tests.effort import cases
from tests.services.size_skirmish.field import ask, field_of, scene, table, with_model, with_models

places = st.tuples(st.integers(1, 22), st.integers(1, 22)).filter(lambda at: abs(at[0] - 10) > 2 or abs(at[1] - 10) > 2)
near = st.sampled_from([(11.2, 10), (8.8, 10), (10, 11.5), (10, 8.5), (11.501, 10), (11.1, 11.1)])


@given(st.one_of(near, places), st.sampled_from(["blade", "bow"]), st.sampled_from([(1, 0), (0, -1), (-1, 1)]))
@settings(max_examples=cases(60), deadline=None)
def test_who_is_open_is_who_can_be_attacked(at: tuple[float, float], weapon: str, facing: tuple[int, int]) -> None:
    posted = with_models(
        ada={"in_hand": weapon, "facing": facing}, bob={"at": at}, ole={"at": None, "out": "fled"}, sam={"at": [40, 5]}
    )
    row = ask("targets", {"scene": posted, "model": "ada"}).answer.targets[0]
    case = {"scene": posted, "target": "bob", "reactions": []}
    if weapon == "blade":
        ruling = ask("attack", {**case, "attacker": "ada"}, dice={"seed": 2})
    else:
        ruling = ask("shoot", {**case, "shooter": "ada"}, dice={"seed": 2})
    assert row.open == ruling.allowed
    assert row.why_not == tuple(reason.why for reason in ruling.reasons)
    if ruling.allowed:
        first = [throw for throw in ruling.throws if throw.label == "ada: hit"]
        assert len(first) == row.dice


def test_every_model_but_those_of_the_own_side_is_looked_at() -> None:
    answer = ask("targets", {"scene": scene(), "model": "ada"}).answer
    assert [row.target for row in answer.targets] == ["bob", "ole", "nan"]
    assert answer.weapon == "blade"
    assert answer.open == 0


def test_npcs_are_no_friends_of_each_other() -> None:
    posted = with_model("nan", npc="active")
    posted["models"].append({"id": "ned", "side": "npc", "profile": "goat", "npc": "active", "at": [41, 40]})
    found = targets.target_violations(table(), field_of(posted), "nan", "ned")
    assert found == ()


@pytest.mark.parametrize(
    ("kind", "option", "open_"),
    [
        ("active", "yes", True),
        ("active", "no", True),
        ("scenario", "yes", True),
        ("scenario", "no", False),
        ("passive", "yes", False),
    ],
)
def test_which_npcs_may_be_attacked(kind: str, option: str, open_: bool) -> None:
    field = field_of(with_model("nan", npc=kind))
    assert (not targets.target_violations(table(scenario_npc_attacked=option), field, "ada", "nan")) is open_


def test_readings_about_who_is_too_far_away_are_not_asked() -> None:
    """Ole stands straight aside of ada, far beyond her blade: what the border of her view is makes no difference."""
    posted = with_models(bob={"at": [11.2, 10]}, ole={"at": [10, 20]})
    case: dict[str, Any] = {"scene": posted, "attacker": "ada", "target": "bob", "reactions": []}
    assert "front-border" not in {reading.id for reading in ask("attack", case, dice={"seed": 1}).readings}


def test_an_unknown_model_is_a_fault() -> None:
    with pytest.raises(Faults) as caught:
        ask("targets", {"scene": scene(), "model": "ann"})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [("/case/model", "unknown-model")]
