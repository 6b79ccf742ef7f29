"""Shots from the case to the table after: what is refused, whom a shot meets, and what is added to the dice."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.stargrave.rules import harm, shooting, shot_modifiers
from tests.effort import cases
from tests.services.stargrave.asking import ask, box, field_of, figure, marginal, odds, table

LANE = [figure("kel", [10, 10], weapons=["carbine", "rapid-fire"]), figure("ivo", [10, 20], "blue")]


def lane(*more: Any, **rest: Any) -> dict[str, Any]:
    return {"figures": [*LANE, *more], **rest}


def shot(scene: dict[str, Any], kel: int, ivo: int, **rest: Any) -> Any:
    case = {"scene": scene, "shooter": "kel", "weapon": "carbine", "targets": ["ivo"], **rest}
    return ask("shoot", case, dice={"hand": {"kel: shooting": [kel], "ivo: combat": [ivo]}})


@given(st.integers(1, 20), st.integers(1, 20))
@settings(max_examples=cases(60), deadline=None)
def test_a_plain_shot_does_what_its_dice_say(kel: int, ivo: int) -> None:
    answer = shot(lane(), kel, ivo).answer
    hit = kel > ivo
    damage = max(0, kel + 2 - 10) * (2 if kel == 20 else 1) if hit else 0
    assert (answer.hits, answer.damage) == (hit, min(damage, 12))
    assert answer.remaining == max(0, 12 - damage)
    assert (answer.stunned, answer.out) == (4 <= damage < 12, damage >= 12)
    assert answer.jammed == (kel == 1)


@given(st.sets(st.sampled_from(["hasty", "cleared", "large", "stunned", "wall"])))
@settings(max_examples=cases(40), deadline=None)
def test_modifiers_add_up_whatever_they_are(chosen: set[str]) -> None:
    ivo = figure("ivo", [10, 20], "blue", was_stunned="stunned" in chosen, activated=True)
    profiles = {"figures": []}
    if "large" in chosen:
        profiles = {"figures": [{"id": "hulk", "fight": 2, "traits": ["large"]}]}
        ivo = {**ivo, "profile": "hulk"}
    pieces = [box("wall", 5, 18.9, 15, 19.5, height_in=0.7)] if "wall" in chosen else []
    scene = {"figures": [LANE[0], ivo], "profiles": profiles, "board": {"pieces": pieces}}
    result = shot_modifiers.for_target(
        table(),
        field_of(scene),
        "ivo",
        field_of(scene).solid(field_of(scene).figure("kel")),
        is_hasty="hasty" in chosen,
        cleared_jam="cleared" in chosen,
    )
    values = {"hasty": 1, "cleared": 1, "large": -2, "stunned": 2, "wall": 4}
    assert sum(each.value for each in result) == sum(values[name] for name in chosen)
    assert len(result) == len(chosen)


def test_every_member_of_a_combat_is_met_as_often() -> None:
    ann, bob = figure("ann", [9, 20]), figure("bob", [11, 20])
    result = odds("shoot", {"scene": lane(ann, bob), "shooter": "kel", "weapon": "carbine", "targets": ["ivo"]})
    met: dict[str, Fraction] = {}
    for chance in result.outcomes:
        (attack,) = chance.answer.attacks
        met[attack.target] = met.get(attack.target, Fraction(0)) + Fraction(chance.mass)
    assert met == {"ivo": Fraction(1, 3), "ann": Fraction(1, 3), "bob": Fraction(1, 3)}


def test_a_shooter_of_the_same_combat_is_not_met_by_its_own_shot() -> None:
    scene = lane(figure("zed", [10, 11], "blue"))
    at = table(shoot_while_in_combat="yes")
    assert shooting.melee(at, field_of(scene), "kel", "zed") == ("zed",)
    assert shooting.struck(at, field_of(scene), "kel", "zed") == "zed"


def test_odds_of_two_shots_are_those_of_one_and_another() -> None:
    zed = figure("zed", [16, 20], "blue")
    case = {"scene": lane(zed), "shooter": "kel", "weapon": "rapid-fire", "targets": ["ivo", "zed"]}
    hits = marginal(odds("shoot", case), "hits")
    one, jam = Fraction(190, 400), Fraction(20, 400)
    # After a jam, which never hits here, there is no second shot.
    assert hits == {0: jam + (1 - one - jam) * (1 - one), 1: one * (1 - one) + (1 - one - jam) * one, 2: one * one}


def test_nobody_shoots_at_a_figure_that_the_first_shot_has_taken_out() -> None:
    case = {"scene": lane(), "shooter": "kel", "weapon": "rapid-fire", "targets": ["ivo", "ivo"]}
    ruling = ask(
        "shoot", case, dice={"hand": {"kel: shooting": [19], "ivo: combat": [1]}}, readings={"rapid-fire": "either"}
    )
    assert (ruling.answer.damage, ruling.answer.out, len(ruling.answer.attacks)) == (12, 1, 1)


def test_weapons_built_into_armour_can_be_shot() -> None:
    trooper = figure("kel", [10, 10], profile="armoured-trooper")
    ruling = shot({"figures": [trooper, LANE[1]]}, 15, 5, weapon="pistol")
    assert ruling.allowed
    assert ruling.answer.damage == 15 + 4 - 10


def test_a_shot_that_is_forbidden_rolls_nothing_and_changes_nothing() -> None:
    case = {"scene": lane(), "shooter": "kel", "weapon": "carbine", "targets": ["ivo"]}
    scene = {**case["scene"], "figures": [LANE[0], figure("ivo", [10, 34.501], "blue")]}
    ruling = ask("shoot", {**case, "scene": {**scene, "board": {"width_in": 60, "depth_in": 60}}})
    assert ruling.allowed
    far = {**scene, "figures": [LANE[0], figure("ivo", [10, 35.002], "blue")]}
    ruling = ask("shoot", {**case, "scene": far})
    assert not ruling.allowed
    assert ruling.throws == ()
    assert ruling.effects.patch == ()


@pytest.mark.parametrize(
    ("case", "pointer", "code"),
    [
        ({"shooter": "nobody"}, "/case/shooter", "unknown-figure"),
        ({"shooter": "out"}, "/case/shooter", "not-in-play"),
        ({"targets": ["out"]}, "/case/targets/0", "not-in-play"),
        ({"targets": ["kel"]}, "/case/targets/0", "itself"),
        ({"weapon": "pistol"}, "/case/weapon", "unknown-weapon"),
        ({"weapon": "knife"}, "/case/weapon", "unknown-weapon"),
    ],
)
def test_impossible_cases_are_faults_at_their_place(case: dict[str, Any], pointer: str, code: str) -> None:
    scene = lane(figure("out", None, "blue", health=0))
    with pytest.raises(Faults) as caught:
        ask("shoot", {"scene": scene, "shooter": "kel", "weapon": "carbine", "targets": ["ivo"], **case})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [(pointer, code)]


@pytest.mark.parametrize(
    ("profile", "needed"),
    [
        ({}, 4),
        ({"gear": ["hardsuit"]}, 6),
        ({"traits": ["high-pain-threshold"]}, 7),
        ({"traits": ["high-pain-threshold"], "gear": ["hardsuit"]}, 7),
    ],
)
def test_damage_stuns_from_its_number_on(profile: dict[str, Any], needed: int) -> None:
    scene = {"figures": [figure("ivo", [1, 1], profile="own")], "profiles": {"figures": [{"id": "own", **profile}]}}
    field = field_of(scene)
    assert [damage for damage in range(12) if harm.stunned(table(), field, "ivo", damage)] == list(range(needed, 12))


def test_targets_give_the_chances_that_the_odds_give() -> None:
    scene = lane(board={"pieces": [box("wall", 5, 18.9, 15, 19.5, height_in=0.6)]})
    case = {"scene": scene, "shooter": "kel", "moved": "yes"}
    (carbine, _) = ask("targets", case).answer.weapons
    (aim,) = carbine.eligible
    result = odds("shoot", {**case, "weapon": "carbine", "targets": ["ivo"]})
    assert Fraction(aim.hits) == marginal(result, "hits")[1]
    assert Fraction(aim.stuns) == marginal(result, "stunned")[1]
    assert Fraction(aim.fells) == marginal(result, "out")[1]
    damage = marginal(result, "damage")
    assert Fraction(aim.expected_damage) == sum(points * chance for points, chance in damage.items())
