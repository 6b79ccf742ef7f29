"""Melee: odds against a count of every face, the exchange of blows, and who may be struck and may not."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.ruling import Event, Odds
from services.size_skirmish.actions import Action, AttackOutcome
from services.size_skirmish.rules import harm, melee
from services.size_skirmish.scene import Melee
from tests.effort import cases
from tests.services.size_skirmish.dicing import slow_outcomes
from tests.services.size_skirmish.field import CARDS, ask, field_of, odds, scene, table, with_model, with_models

BACK = {"model": "bob", "action": "strike", "target": "ada"}

HIT = {"XS": (4, 3, 2, 2, 2), "S": (5, 4, 3, 2, 2), "M": (6, 5, 4, 3, 2), "L": (6, 6, 5, 4, 3), "XL": (6, 6, 6, 5, 4)}
"""The hit table as the text prints it; that of damage is its transpose."""


def duel(
    ada: tuple[int, int] = (1, 1),
    bob: tuple[int, int] = (1, 1),
    sizes: tuple[str, str] = ("M", "M"),
    points: int = 5,
    **changes: Any,
) -> dict[str, Any]:
    """Return a table where ada and bob touch, with so many attack dice and armour dice, and no morale."""
    cards = [
        {"id": id_, "size": size, "movement": 5, "hit_points": points, "armour": armour, "weapons": [id_]}
        for id_, size, (_, armour) in (("ada", sizes[0], ada), ("bob", sizes[1], bob))
    ]
    weapons = [
        {"id": id_, "kind": "melee", "attack_dice": of[0], "reach": 2.5} for id_, of in (("ada", ada), ("bob", bob))
    ]
    models = [
        {"id": "ada", "side": "red", "profile": "ada", "at": [10, 10], "facing": [1, 0]},
        {"id": "bob", "side": "blue", "profile": "bob", "at": [12, 10], "facing": [-1, 0]},
    ]
    sizes_ = [{"id": id_, "base": 1, "height": 2} for id_ in HIT]
    return scene(models=models, profiles={"sizes": sizes_, "models": cards, "weapons": weapons}, **changes)


def chances(odds_: Odds[Any], *fields: str) -> Mapping[Any, Fraction]:
    """Return the law of some fields of the answer."""
    found: dict[Any, Fraction] = {}
    for chance in odds_.outcomes:
        values = tuple(getattr(chance.answer, field) for field in fields)
        key = values if len(fields) > 1 else values[0]
        found[key] = found.get(key, Fraction(0)) + Fraction(chance.mass)
    return found


def counted(dice: int, attacker: str, target: str, armour: int, points: int) -> dict[int, Fraction]:
    """Count every face of every die."""
    order = list(HIT)
    number, least = HIT[attacker][order.index(target)], HIT[target][order.index(attacker)]
    found: dict[int, Fraction] = {}
    for (_, damage), chance in slow_outcomes(dice, number, least, armour).items():
        found[min(points, damage)] = found.get(min(points, damage), Fraction(0)) + chance
    return found


def test_one_die_of_size_m_against_one_of_size_m() -> None:
    """The values were worked out twice: by every face of every die, and with generating functions."""
    assert chances(
        odds("attack", {"scene": duel(), "attacker": "ada", "target": "bob", "reactions": []}), "damage"
    ) == {
        0: Fraction(50321, 62208),
        1: Fraction(27835, 186624),
        2: Fraction(2663, 69984),
        3: Fraction(991, 279936),
        4: Fraction(1, 2916),
    }


@given(st.integers(0, 2), st.sampled_from(list(HIT)), st.sampled_from(list(HIT)), st.integers(0, 1), st.integers(1, 3))
@settings(max_examples=cases(12), deadline=None)
def test_odds_of_an_attack_are_those_of_every_face(
    dice: int, attacker: str, target: str, armour: int, points: int
) -> None:
    posted = duel((dice, 0), (0, armour), (attacker, target), points)
    found = odds("attack", {"scene": posted, "attacker": "ada", "target": "bob", "reactions": []})
    assert chances(found, "damage") == counted(dice, attacker, target, armour, points)


@pytest.mark.parametrize("reactions", [[], [BACK]])
def test_twenty_dice_against_twenty_stay_within_the_paths(reactions: list[Any]) -> None:
    posted = duel((20, 20), (20, 20), points=12)
    found = odds("attack", {"scene": posted, "attacker": "ada", "target": "bob", "reactions": reactions})
    assert sum(chances(found, "damage").values()) == 1


def test_the_blows_of_an_exchange_know_nothing_of_each_other() -> None:
    """Each blow is as if there were no other: nobody strikes with less for what it suffers in the same exchange."""
    posted = duel((2, 0), (1, 1), points=3)
    found = odds("attack", {"scene": posted, "attacker": "ada", "target": "bob", "reactions": [BACK]})
    ours, theirs = counted(2, "M", "M", 1, 3), counted(1, "M", "M", 0, 3)
    assert chances(found, "damage", "damage_back") == {
        (one, other): chance * share for one, chance in ours.items() for other, share in theirs.items()
    }


def test_an_exchange_of_equals_is_the_same_from_both_sides() -> None:
    found = odds("attack", {"scene": duel((2, 1), (2, 1)), "attacker": "ada", "target": "bob", "reactions": [BACK]})
    joint = chances(found, "damage", "damage_back")
    assert joint == {(other, one): chance for (one, other), chance in joint.items()}


@pytest.mark.parametrize("armour", [0, 1, 2])
def test_one_armour_die_more_never_helps_the_attacker(armour: int) -> None:
    def least(dice: int, damage: int) -> Fraction:
        posted = duel((2, 0), (0, dice), points=9)
        found = odds("attack", {"scene": posted, "attacker": "ada", "target": "bob", "reactions": []})
        return sum((chance for lost, chance in chances(found, "damage").items() if lost >= damage), Fraction(0))

    assert all(least(armour + 1, damage) <= least(armour, damage) for damage in range(1, 8))


def test_with_morale_and_flight_a_whole_exchange_stays_within_the_paths() -> None:
    posted = with_models(bob={"at": [11.2, 10]}, ole={"at": None, "out": "fled"})
    case = {"scene": posted, "attacker": "ada", "target": "bob", "reactions": [BACK]}
    assert sum(chances(odds("attack", case), "damage").values()) == 1


def test_the_best_answer_is_found_with_all_that_follows() -> None:
    """Bob, who has nothing to fear from ada, does best to strike back."""
    posted = duel((0, 0), (2, 0))
    found = odds("attack", {"scene": posted, "attacker": "ada", "target": "bob"}, policies={"*": "best"})
    assert chances(found, "damage_back") == counted(2, "M", "M", 0, 5)


# Who may be struck


@given(st.integers(-2_000, 2_000), st.integers(-2_000, 2_000))
def test_who_is_in_front_and_no_farther_than_the_weapon_reaches_may_be_struck(x: int, y: int) -> None:
    """Ada faces east with a reach of 1.5; straight aside is in front."""
    if x * x + y * y < 1_000 * 1_000:
        return
    posted = with_models(
        bob={"at": [10 + x / 1000, 10 + y / 1000]}, ole={"at": None, "out": "fled"}, sam={"at": None, "out": "fled"}
    )
    found = melee.strike_violations(table(), field_of(posted), "ada", "bob")
    assert (not found) == (x >= 0 and x * x + y * y <= 1_500 * 1_500)


def test_reasons_against_a_strike_are_all_given() -> None:
    found = melee.strike_violations(table(), field_of(with_model("ada", facing=[-1, 0])), "ada", "bob")
    assert [reason.rule for reason in found] == ["melee.in_view", "melee.in_reach"]


def test_a_reaction_that_kills_does_not_stop_the_blow_but_by_a_reading() -> None:
    """Ole's club reaches ada from behind bob's line; ada, out of hit points, strikes all the same."""
    posted = with_models(ada={"hit_points_lost": 2}, bob={"at": [11.2, 10]}, ole={"at": [10, 12], "facing": [0, -1]})
    case = {
        "scene": posted,
        "attacker": "ada",
        "target": "bob",
        "reactions": [{"model": "ole", "action": "strike", "target": "ada"}],
    }
    hand = {
        "ole: hit": [5, 1, 1, 1],
        "ole: damage": [6],
        "ole: damage extra": [1],
        "ada: defence": [2, 2],
        "ada: hit": [3, 3, 3],
    }
    answer: Any = ask("attack", case, dice={"hand": hand}).answer
    assert answer.done
    assert answer.course.out == ("ada",)
    lost = {"hand": {label: faces for label, faces in hand.items() if label != "ada: hit"}}
    answer = ask("attack", case, dice=lost, readings={"killed-by-reaction": "lost"}).answer
    assert not answer.done
    assert answer.blows == ()


# Redirecting


def crowd() -> dict[str, Any]:
    """Return the table with bob and ole both in reach of ada."""
    return with_models(bob={"at": [11.2, 10]}, ole={"at": [10, 11.5], "facing": [0, -1]})


def test_those_are_offered_who_could_be_struck() -> None:
    found = melee.redirections(table(), field_of(crowd()), Action("ada", "strike", target="bob"))
    assert found == ("ole",)


def test_the_best_attack_is_turned_against_who_is_easier_to_hurt() -> None:
    """Ole is easier to hit and harder to hurt; with three armour dice against none, bob is the better aim."""
    posted = crowd()
    posted["profiles"] = {
        **CARDS,
        "models": [{**card, "armour": 0} if card["id"] == "guard" else card for card in CARDS["models"]],
    }
    case = {"scene": posted, "attacker": "ada", "target": "ole", "reactions": []}
    found = odds("attack", case, policies={"*": "best"}, budget=60_000)
    assert {blow.against for chance in found.outcomes for blow in chance.answer.blows} == {"bob"}


def test_an_answer_is_never_turned_against_another() -> None:
    """Bob is too far from ada to answer her, and sam beside him is not the one who acts."""
    posted = with_models(sam={"at": [19, 11]})
    case = {"scene": posted, "deed": {"model": "ada", "action": "block"}, "reactions": [BACK]}
    answer: Any = ask("action", case).answer
    assert not answer.course.reactions[0].done


def test_who_is_out_of_reach_strikes_back_at_an_attack_that_is_not_turned_away() -> None:
    """Bob's pike reaches ada, whose blade does not reach him; she might strike ole instead, and does not."""
    pike = {"id": "pike", "kind": "melee", "attack_dice": 1, "reach": 3}
    cards = [{**card, "weapons": [*card.get("weapons", ()), "pike"]} for card in CARDS["models"]]
    posted = {
        **with_models(bob={"at": [12.5, 10], "in_hand": "pike"}, ole={"at": [10, 11.5], "facing": [1, 0]}),
        "profiles": {**CARDS, "weapons": [*CARDS["weapons"], pike], "models": cards},
    }
    case = {"scene": posted, "attacker": "ada", "target": "bob", "reactions": [BACK]}
    hand = {"bob: hit": [4], "bob: damage": [4], "ada: defence": [1, 1]}
    answer: Any = ask("attack", case, choices={"ada: target": ["bob"]}, dice={"hand": hand}).answer
    assert not answer.done
    assert [(blow.by, blow.damage) for blow in answer.blows] == [("bob", 1)]
    assert answer.course.action.losers == ("ada",)
    assert answer.course.reactions[0].done


# Before and after the blows


def _moves_ada(event: Event) -> bool:
    return event.name == "moved" and event.values["model"] == "ada"


@given(st.integers(1_000, 1_500), st.integers(-1_000, 1_000))
@settings(max_examples=cases(40), deadline=None)
def test_a_step_before_the_blows_ends_in_contact_and_is_never_farther_away(x: int, y: int) -> None:
    posted = with_models(bob={"at": [10 + x / 1000, 10 + y / 1000]}, ole={"at": None, "out": "fled"})
    if x * x + y * y > 1_500 * 1_500:
        return
    case = {"scene": posted, "attacker": "ada", "target": "bob", "closing": "contact", "reactions": []}
    events = ask("attack", case).effects.events
    at = next((event.values["at"] for event in events if _moves_ada(event)), (10, 10))
    away = ((at[0] - 10 - x / 1000) ** 2 + (at[1] - 10 - y / 1000) ** 2) ** 0.5
    assert 0.99 <= away <= 1.01


def test_another_melee_holds_who_steps_up() -> None:
    """Ada is in melee with ole, whose club reaches 2.5, and would leave that reach by stepping up to bob."""
    weapons = [{**row, "reach": 4} if row["id"] == "blade" else row for row in CARDS["weapons"]]
    posted = {
        **with_models(bob={"at": [13.5, 10]}, ole={"at": [8, 10], "facing": [1, 0]}),
        "melees": [{"one": "ada", "other": "ole"}],
        "profiles": {**CARDS, "weapons": weapons},
    }
    case = {"scene": posted, "attacker": "ada", "target": "bob", "closing": "contact", "reactions": []}
    events = ask("attack", case, policies={"*": "first"}).effects.events
    assert [event.values["at"] for event in events if _moves_ada(event)] == [(12, 10)]


def test_melee_lasts_with_those_who_are_left() -> None:
    field = field_of({**crowd(), "melees": [{"one": "ada", "other": "bob"}, {"one": "ole", "other": "ada"}]})
    after = harm.casualties(table(), field.changed("bob", hit_points_lost=3))
    assert after.scene.melees == (Melee("ole", "ada"),)
    assert after.unit("bob").out == "eliminated"


@pytest.mark.parametrize(
    ("blows", "losers"),
    [
        ((), ()),
        ((AttackOutcome("ada", "bob", "melee"),), ()),
        ((AttackOutcome("ada", "bob", "melee", damage=1),), ("bob",)),
        ((AttackOutcome("ada", "bob", "melee", damage=1), AttackOutcome("bob", "ada", "melee", damage=2)), ("ada",)),
        (
            (AttackOutcome("ada", "bob", "melee", damage=2), AttackOutcome("bob", "ada", "melee", damage=2)),
            ("ada", "bob"),
        ),
    ],
)
def test_who_has_lost_more_has_the_worse_of_a_combat(blows: tuple[AttackOutcome, ...], losers: tuple[str, ...]) -> None:
    assert melee.result(table(), field_of(), blows) == losers


# Impossible cases


@pytest.mark.parametrize(
    ("changes", "pointer", "code"),
    [
        ({"attacker": "ann"}, "/case/attacker", "unknown-model"),
        ({"target": "ann"}, "/case/target", "unknown-model"),
        ({"target": "ada"}, "/case/target", "itself"),
        ({"facing": [1, 0]}, "/case/facing", "idle-member"),
        ({"facing": 0}, "/case/facing", "idle-member"),
        ({"goal": [12, 10]}, "/case/goal", "idle-member"),
        ({"way": [[12, 10]]}, "/case/way", "idle-member"),
        ({"charge": True, "way": [[60, 10]]}, "/case/way/0", "off-the-table"),
        ({"charge": True, "facing": [0, 0]}, "/case/facing", "facing"),
        ({"reactions": [{**BACK, "closing": "align"}]}, "/case/reactions/0/closing", "idle-member"),
        (
            {"reactions": [{"model": "bob", "action": "block", "closing": "align"}]},
            "/case/reactions/0/closing",
            "idle-member",
        ),
    ],
)
def test_impossible_attacks_are_faults_at_their_place(changes: dict[str, Any], pointer: str, code: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("attack", {"scene": scene(), "attacker": "ada", "target": "bob", **changes})
    assert (pointer, code) in [(fault.pointer, fault.code) for fault in caught.value.faults]
