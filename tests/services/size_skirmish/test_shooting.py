"""Shooting and reloading: bands, odds by them, what is against a shot, and what it leaves behind."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.size_skirmish.rules import armour, shooting
from tests.effort import cases
from tests.services.size_skirmish.dicing import slow_outcomes
from tests.services.size_skirmish.field import CARDS, ask, box, field_of, odds, table, walled, with_model, with_models

GONE = {"at": None, "out": "fled"}


def archery(away: float = 8, **of_bob: Any) -> dict[str, Any]:
    """Return the table where ada has her bow in hand, of 2 dice: bob stands so far away, and nobody else."""
    return with_models(ada={"in_hand": "bow"}, bob={"at": [10 + away, 10], **of_bob}, ole=GONE, sam=GONE)


def shot(posted: dict[str, Any], **rest: Any) -> Any:
    return ask("shoot", {"scene": posted, "shooter": "ada", "target": "bob", "reactions": []}, **rest)


# Bands


@given(st.integers(1_000, 26_000))
def test_the_band_of_a_distance_is_the_first_that_reaches_it(away: int) -> None:
    """The bow has one die more up to 6, its own up to 12, one less up to 24."""
    field = field_of(archery(away / 1000))
    expected = 1 if away <= 6_000 else 0 if away <= 12_000 or away > 24_000 else -1
    assert shooting.modifier(table(), field, "ada", "bob") == (expected, 0)
    assert shooting.modifier(table(range_modifier="number"), field, "ada", "bob") == (0, expected)
    assert (not shooting.shot_violations(table(), field, "ada", "bob")) == (away <= 24_000)


def test_no_modifier_leaves_less_than_no_dice() -> None:
    field = field_of(archery())
    weapon = field.armed("ada", "ranged")
    assert weapon is not None
    assert armour.attacking(field, "ada", weapon, -7).dice == 0


@pytest.mark.parametrize(("away", "dice", "number"), [(5.0, 2, 3), (8.0, 1, 4), (20.0, 0, 5)])
@pytest.mark.parametrize("reading", ["dice", "number"])
def test_odds_of_a_shot_are_those_of_every_face(away: float, dice: int, number: int, reading: str) -> None:
    """One die of M on M: 4 and more to hit, or by the reading one less or more; 4 and more for damage; no armour."""
    posted = archery(away)
    cards = [{**card, "armour": 0, "abilities": []} if card["id"] == "guard" else card for card in CARDS["models"]]
    weapons = [{**row, "attack_dice": 1} if row["id"] == "bow" else row for row in CARDS["weapons"]]
    posted["profiles"] = {**CARDS, "models": cards, "weapons": weapons}
    case = {"scene": posted, "shooter": "ada", "target": "bob", "reactions": []}
    found = odds("shoot", case, readings={"range-modifier": reading})
    expected: dict[int, Fraction] = {}
    with_ = (dice, 4) if reading == "dice" else (1, number)
    for (_, damage), chance in slow_outcomes(*with_, 4, 0).items():
        expected[min(3, damage)] = expected.get(min(3, damage), Fraction(0)) + chance
    got: dict[int, Fraction] = {}
    for chance_ in found.outcomes:
        got[chance_.answer.damage] = got.get(chance_.answer.damage, Fraction(0)) + Fraction(chance_.mass)
    assert got == expected


def test_a_shot_of_twenty_dice_at_twenty_stays_within_the_paths() -> None:
    weapons = [{**row, "attack_dice": 20} if row["id"] == "bow" else row for row in CARDS["weapons"]]
    cards = [{**card, "armour": 20} if card["id"] == "guard" else card for card in CARDS["models"]]
    posted = {**archery(), "profiles": {**CARDS, "weapons": weapons, "models": cards}}
    found = odds("shoot", {"scene": posted, "shooter": "ada", "target": "bob", "reactions": []})
    assert sum(Fraction(chance.mass) for chance in found.outcomes) == 1


# What is against it


def test_all_reasons_against_a_shot_are_given() -> None:
    """Bob is in melee with sam, behind ada, behind a wall, and too far away."""
    posted = with_models(
        ada={"in_hand": "bow", "facing": [-1, 0]}, bob={"at": [40, 10]}, sam={"at": [41.2, 10], "facing": [-1, 0]}
    )
    posted["melees"] = [{"one": "sam", "other": "bob"}]
    field = field_of(walled(box("wall", 20, 5, 21, 15, height=5), posted=posted))
    found = shooting.shot_violations(table(), field, "ada", "bob")
    assert [reason.rule for reason in found] == ["shooting.into_melee", "shooting.in_sight", "shooting.in_range"]


def test_somebody_in_melee_anywhere_is_not_shot_at_by_either_side() -> None:
    posted = with_models(bob={"at": [18, 10]}, sam={"at": [19.2, 10]}, ada={"in_hand": "bow"})
    posted["melees"] = [{"one": "sam", "other": "bob"}]
    assert not shot(posted).allowed
    posted["melees"] = []
    assert shot(posted, dice={"seed": 1}).allowed


@given(st.sampled_from(["bow", "arbalest"]), st.booleans())
@settings(max_examples=cases(8), deadline=None)
def test_a_weapon_is_unloaded_by_a_shot_and_only_then_reloaded(weapon: str, loaded: bool) -> None:
    card = "guard" if weapon == "bow" else "sapper"
    action = "fast-reload" if weapon == "bow" else "slow-reload"
    posted = archery()
    posted["models"][0] |= {"in_hand": weapon, "profile": card, "unloaded": [] if loaded else [weapon]}
    assert shot(posted, dice={"seed": 1}).allowed == loaded
    reloaded = ask("action", {"scene": posted, "deed": {"model": "ada", "action": action}, "reactions": []})
    assert reloaded.allowed == (not loaded)


def test_a_shot_from_a_weapon_that_needs_no_reload_leaves_it_loaded() -> None:
    weapons = [{**row, "reload": "none"} if row["id"] == "bow" else row for row in CARDS["weapons"]]
    ruling = shot({**archery(), "profiles": {**CARDS, "weapons": weapons}}, dice={"seed": 1})
    assert "unloaded" not in [event.name for event in ruling.effects.events]


def test_a_shot_in_answer_is_made_before_the_action_and_unloads_the_weapon() -> None:
    posted = archery(in_hand="bow")
    case = {
        "scene": posted,
        "shooter": "ada",
        "target": "bob",
        "reactions": [{"model": "bob", "action": "shoot", "target": "ada"}],
    }
    names = [event.name for event in ask("shoot", case, dice={"seed": 3}).effects.events]
    assert names.count("unloaded") == 2


def test_a_model_without_a_card_s_weapon_shoots_at_nobody() -> None:
    found = shooting.shot_violations(table(), field_of(with_model("nan", npc="active")), "nan", "ada")
    assert [reason.text for reason in found] == ["nan has no ranged weapon in hand"]


# Impossible cases


@pytest.mark.parametrize(
    ("changes", "pointer", "code"),
    [
        ({"shooter": "ann"}, "/case/shooter", "unknown-model"),
        ({"target": "ada"}, "/case/target", "itself"),
        ({"goal": [12, 10]}, "/case/goal", "idle-member"),
        ({"turned": [1, 0]}, "/case/turned", "idle-member"),
        ({"run": True, "way": [[12, 10]], "goal": [12, 10]}, "/case/goal", "idle-member"),
        ({"reactions": [{"model": "bob", "action": "shoot"}]}, "/case/reactions/0/target", "missing-member"),
    ],
)
def test_impossible_shots_are_faults_at_their_place(changes: dict[str, Any], pointer: str, code: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("shoot", {"scene": archery(), "shooter": "ada", "target": "bob", **changes})
    assert (pointer, code) in [(fault.pointer, fault.code) for fault in caught.value.faults]
