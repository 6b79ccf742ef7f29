"""Abilities: prices that are there, limits that hold, objectives in reach and sight, and places that can be."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.rapture.placing import Placed, checked_places
from services.rapture.rules import abilities, boxes
from services.rapture.scene import Scene
from tests.services.rapture.field import ask, box, field_of, scene, table, unit

BEACON = {"id": "beacon", "when": "action", "target": "objective", "range_cm": 12, "line_of_sight": True}
BARGAIN = {"id": "bargain", "when": "action", "ap": 1, "rp": 1, "lp": 1, "mp": 1, "per_match": 3}
CARD = {
    "id": "keeper",
    "kind": "hero",
    "ccs": 4,
    "att": 1,
    "mov_cm": 10,
    "ap": 3,
    "rp": 3,
    "hp": [{}, {}, {}, {}],
    "mp": [{}, {}, {}, {}],
    "base_cm": 3,
    "abilities": ["beacon", "bargain"],
}


def keeper(*pieces: dict[str, Any], at: float = 10.0, **rest: Any) -> dict[str, Any]:
    return scene(
        units=[unit("ada", [[at, 10]], profile="keeper", **rest)],
        profiles={"units": [CARD], "abilities": [BEACON, BARGAIN]},
        objectives=[{"id": "lamp", "at": [23.5, 10]}],
        board={"pieces": list(pieces)},
    )


def reasons(posted: dict[str, Any], ability: str = "beacon", target: str | None = "lamp") -> list[str]:
    result = abilities.violations(table(), field_of(posted), "ada", ability, target)
    return [cited for reason in result for cited in reason.cites]


def test_an_objective_is_a_point_and_the_range_runs_from_the_base() -> None:
    """From the rim at 11.5 to the point at 23.5 there are 12 cm."""
    assert reasons(keeper()) == []
    assert reasons(keeper(at=9.99)) == ["ability/range"]


@pytest.mark.parametrize(
    ("state", "units"),
    [
        ({"effects": [{"ability": "spurt"}]}, ["action/ability"]),
        ({"effects": [{"ability": "spurt"}], "hp_crossed": 1}, ["health/box-effects", "action/ability"]),
        ({"mp_crossed": 1}, ["morale/box-effects"]),
        ({"ascended": True}, ["preparation/ascensions"]),
    ],
)
def test_changed_values_cite_what_has_changed_them(state: dict[str, Any], units: list[str]) -> None:
    spurt = {"id": "spurt", "when": "action", "modifiers": {"mov": 4}, "lasts": "round"}
    card = {**CARD, "hp": [{"att": 1}, {}], "mp": [{"mov": -2}, {}], "ascended": {"tec": 1}, "abilities": ["spurt"]}
    ada, bob = unit("ada", [[10, 10]], profile="keeper", **state), unit("bob", [[40, 10]], side="blue")
    posted = scene(units=[ada, bob], profiles={"units": [card], "abilities": [spurt]})
    found = ask("boxes", {"scene": posted, "unit": "ada"}).findings
    assert [list(finding.cites) for finding in found if " now: " in finding.text] == [units]


def test_what_needs_sight_needs_it_of_objectives_too() -> None:
    assert reasons(keeper(box("wall", 20, 0, 21, 30))) == ["ability/line-of-sight"]
    assert reasons(keeper(box("wall", 20, 0, 21, 9))) == []


@given(ap=st.integers(0, 2), rp=st.integers(0, 2), hp=st.integers(0, 3), mp=st.integers(0, 4), used=st.integers(0, 4))
def test_an_ability_is_usable_exactly_where_every_part_of_its_price_is_there(
    ap: int, rp: int, hp: int, mp: int, used: int
) -> None:
    scene = keeper(ap=ap, rp=rp, hp_crossed=hp, mp_crossed=mp, used_match=[{"id": "bargain", "times": used}])
    field = field_of(scene)
    result = abilities.violations(table(), field, "ada", "bargain", None)
    assert len(result) == (ap < 1) + (rp < 1) + (mp == 4) + (used >= 3)
    if result:
        return
    after, success = abilities.use(table(), field, "ada", "bargain", None)
    assert success
    assert after.unit("ada").hp_crossed == hp + 1
    # A casualty of its own price has no morale left to lose.
    assert after.unit("ada").mp_crossed == (mp if hp == 3 else mp + 1)
    assert boxes.points(table(), after, "ada") == (ap - 1, rp - 1)
    assert (after.unit("ada").disabled == "casualty") == (hp == 3)


def test_an_ability_may_be_repeated_until_its_limit_and_no_longer() -> None:
    field = field_of(keeper())
    times = 0
    while not abilities.violations(table(), field, "ada", "bargain", None):
        field, _ = abilities.use(table(), field, "ada", "bargain", None)
        times += 1
    assert times == 3


@pytest.mark.parametrize(
    ("placed", "where", "code"),
    [
        ((("gus", ((60.0, 10.0), (60.5, 10.0), (60.0, 18.0))),), "/case/engage/0/models/1", "figures-overlap"),
        ((("gus", ((60.0, 10.0), (63.0, 10.0), (0.5, 18.0))),), "/case/engage/0/models/2", "off-the-table"),
        ((("gus", ((60.0, 10.0),)),), "/case/engage/0/models", "models"),
        ((("ada", ((40.0, 40.0),)), ("ada", ((50.0, 40.0),))), "/case/engage/1/unit", "repeated-unit"),
        ((("zoe", ((40.0, 40.0),)),), "/case/engage/0/unit", "unknown-unit"),
    ],
)
def test_impossible_places_are_faults_where_they_stand(placed: Any, where: str, code: str) -> None:
    scene_json = msgspec.convert(scene(), Scene)
    with pytest.raises(Faults) as caught:
        checked_places(scene_json, tuple(Placed(id_, models) for id_, models in placed), "engage")
    assert where in [fault.pointer for fault in caught.value.faults]
    assert code in [fault.code for fault in caught.value.faults]


def test_every_fault_of_the_scene_is_reported() -> None:
    """Three bases at one place overlap two by two: the third has two faults of one code at its place."""
    posted = keeper()
    posted["units"] += [unit(id_, [[10, 10]], profile="keeper") for id_ in ("bob", "eve")]
    with pytest.raises(Faults) as caught:
        ask("ability", {"scene": posted, "unit": "ada", "ability": "beacon", "target": "lamp"})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [
        ("/case/scene/units/1/models/0", "figures-overlap"),
        ("/case/scene/units/2/models/0", "figures-overlap"),
        ("/case/scene/units/2/models/0", "figures-overlap"),
    ]
