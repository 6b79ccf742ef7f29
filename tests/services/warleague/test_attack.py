"""Attacks: odds against dice counted by hand and by icepool, parries both ways, best play, and what is refused."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import icepool
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.dice_sources import HandedDice
from arbiter.fault import Faults
from arbiter.table import Choice, Chooser, OneTable
from services.warleague.questions.explosions import Outcome
from services.warleague.questions.losses import SideLoss, worth
from services.warleague.rules import actions, attack, intensity, parry, striking
from services.warleague.rules.happenings import Strike
from services.warleague.rules.parry import Reserve
from tests.effort import cases
from tests.services.warleague.field import FIRST, ask, field_of, odds, readings, scene, table, unit, walked, with_unit

INTENSITIES = ("critical", "high", "low")


def intensity_of(face: int) -> str:
    """Give the intensity of a face by the list of the text."""
    return {1: "low", 2: "low", 3: "high", 4: "high", 5: "critical", 6: "critical"}[face]


def marginal(found: Any, field: str) -> dict[Any, Fraction]:
    return {
        chance.answer: Fraction(chance.mass)
        for each in found.marginals
        if each.field == field
        for chance in each.values
    }


def weapon(id_: str, **values: Any) -> dict[str, Any]:
    return {"id": id_, "targeting": "melee", "damage": [4, 3, 2], **values}


def duel(one: list[dict[str, Any]], other: list[dict[str, Any]], *weapons: dict[str, Any], **of_other: Any) -> Any:
    """Give a scene in which ann (red) and bob (blue), tough and each with its weapons, are next to each other."""
    tough = {"id": "tough", "role": "critter", "ap": 20, "health": 100, "dual": True}
    return {
        "sides": [{"id": "red"}, {"id": "blue"}],
        "units": [
            unit("ann", [2, 2], "red", "tough", facing=0, hands=one),
            unit("bob", [3, 2], "blue", "tough", **{"facing": 3, "hands": other, **of_other}),
        ],
        "profiles": {"units": [tough], "weapons": list(weapons)},
    }


# Odds


@pytest.mark.parametrize("face", range(1, 7))
def test_each_face_makes_its_intensity(face: int) -> None:
    ruling = ask(
        "attack", {"scene": scene(), "attacker": "ann", "target": "bob"}, dice={"hand": {"ann: intensity": [face]}}
    )
    assert ruling.answer is not None
    assert ruling.answer.intensity == intensity_of(face)
    assert ruling.answer.amounts == ({"critical": 3, "high": 2, "low": 1}[intensity_of(face)],)


def test_one_die_makes_each_intensity_with_a_third() -> None:
    found = walked(lambda table: intensity.rolled(table, "x", 1))
    assert found == dict.fromkeys(INTENSITIES, Fraction(1, 3))


def test_the_higher_of_two_dice_is_critical_in_five_of_nine() -> None:
    found = walked(lambda table: intensity.rolled(table, "x", 2))
    assert found == {"critical": Fraction(5, 9), "high": Fraction(1, 3), "low": Fraction(1, 9)}
    counted = icepool.highest(icepool.d6, icepool.d6).map(intensity_of)
    assert found == {kind: Fraction(ways, counted.denominator()) for kind, ways in counted.items()}


triples = st.lists(st.integers(0, 9), min_size=3, max_size=3).map(lambda values: sorted(values, reverse=True))
damages = st.one_of(triples, st.integers(0, 9).map(lambda value: [value]))


@given(damages, damages, st.booleans())
@settings(max_examples=cases(40), deadline=None)
def test_the_law_of_an_attack_is_that_of_the_higher_die(one: list[int], other: list[int], both: bool) -> None:
    """Counted from all faces, with every value of the two cards: both weapons share their dice."""
    posted = duel(
        [{"weapon": "one"}, {"weapon": "other"}], [], weapon("one", damage=one), weapon("other", damage=other)
    )
    hands = [0, 1] if both else [0]
    cards = [one, other][: len(hands)]
    expected: dict[int, Fraction] = {}
    for faces in product(range(1, 7), repeat=len(hands)):
        place = INTENSITIES.index(intensity_of(max(faces)))
        total = sum(card[place] if len(card) == 3 else card[0] for card in cards)
        expected[total] = expected.get(total, Fraction(0)) + Fraction(1, 6 ** len(hands))
    found = odds("attack", {"scene": posted, "attacker": "ann", "target": "bob", "hands": hands})
    assert marginal(found, "damage") == expected


# Parry


@given(st.lists(st.integers(0, 9), min_size=1, max_size=2), st.lists(st.integers(0, 9), min_size=1, max_size=2))
@settings(deadline=None)
def test_a_parry_leaves_nobody_unhurt_unless_both_are_equal(strikes: list[int], guards: list[int]) -> None:
    """Of attack and parry the greater hurts the other side by the difference, to the point."""
    weapons = [weapon(f"a{index}", damage=[value]) for index, value in enumerate(strikes)]
    weapons += [weapon(f"b{index}", damage=[9, 9, value]) for index, value in enumerate(guards)]
    posted = duel(
        [{"weapon": f"a{index}"} for index in range(len(strikes))],
        [{"weapon": f"b{index}", "parries": 1} for index in range(len(guards))],
        *weapons,
    )
    said = "first-hand + other-hand" if len(guards) == 2 else "first-hand"
    case = {"scene": posted, "attacker": "ann", "target": "bob", "hands": list(range(len(strikes)))}
    answer = ask("attack", case, choices={"bob: parry": [said]}).answer
    assert answer is not None
    lost = {row.side: row.points for row in answer.lost}
    difference = sum(strikes) - sum(guards)
    assert (lost["blue"], lost["red"]) == (max(0, difference), max(0, -difference))
    assert (lost["red"] == lost["blue"] == 0) == (difference == 0)
    assert (answer.damage, answer.backlash) == (lost["blue"], lost["red"])


def test_reserving_puts_a_tag_on_a_melee_weapon_that_is_paid() -> None:
    field = field_of(duel([{"weapon": "cleaver"}, {"weapon": "slug-pistol"}], []))
    assert parry.price(table(), field, Reserve("ann", 0)) == 1
    assert not actions.violations(table(), field, Reserve("ann", 0))
    after = parry.reserved(table(), field, Reserve("ann", 0))
    assert [hand.parries for hand in after.hands("ann")] == [1, 0]
    assert [reason.rule for reason in actions.violations(table(), field, Reserve("ann", 1))] == [
        "parry.weapon_violations"
    ]
    poor = field_of(duel([{"weapon": "cleaver"}], [{"weapon": "cleaver"}], ap=0))
    assert [reason.rule for reason in actions.violations(table(), poor, Reserve("bob", 0))] == ["points.violations"]


def test_parries_that_were_not_used_end() -> None:
    field = field_of(duel([{"weapon": "cleaver", "parries": 3}], [{"weapon": "cleaver", "parries": 1}]))
    after = parry.end_all(table(), field)
    assert all(hand.parries == 0 for each in after.units for hand in after.hands(each.id))


def test_best_play_parries_with_what_hurts_the_attacker_most() -> None:
    """Against 4, 3 or 2, two parries of 2: both together are best, and turn 0, 1 or 2 back."""
    posted = duel([{"weapon": "cleaver"}], [{"weapon": "cleaver", "parries": 1}, {"weapon": "cleaver", "parries": 1}])
    case = {"scene": posted, "attacker": "ann", "target": "bob"}
    found = odds("attack", case, policies={"*": "best"})
    third = Fraction(1, 3)
    assert marginal(found, "damage") == {0: 1}
    assert marginal(found, "backlash") == {0: third, 1: third, 2: third}
    assert found.best is not None
    none = odds("attack", case, policies={"*": "first"})
    assert marginal(none, "damage") == {4: third, 3: third, 2: third}


def test_deciding_before_the_dice_is_worth_no_more_to_the_defender() -> None:
    """With 5, 1, 0 against a parry of 2 of a weapon that is spent on anything, knowing more never hurts."""
    posted = duel([{"weapon": "wild"}], [{"weapon": "cleaver", "parries": 1}], weapon("wild", damage=[5, 1, 0]))
    case = {"scene": posted, "attacker": "ann", "target": "bob"}
    means = {}
    for when in ("before", "after"):
        found = odds("attack", case, policies={"*": "best"}, readings={"parry-declared": when})
        mean = {
            name: sum(value * mass for value, mass in marginal(found, name).items()) for name in ("damage", "backlash")
        }
        means[when] = mean["backlash"] - mean["damage"]
    assert means["after"] >= means["before"]
    # A parry of 2 is always the better: 3 instead of 5, 1 back, 2 back.
    assert means["after"] == Fraction(-3 + 1 + 2, 3)


# Units that share a tile


def test_between_equally_weak_units_the_attacker_is_asked_once() -> None:
    asked: list[Choice] = []

    def noting(choice: Choice) -> Any:
        asked.append(choice)
        return choice.options[-1]

    posted = duel([{"weapon": "cleaver"}], [{"weapon": "cleaver", "parries": 1}])
    posted["units"].append(unit("pam", [3, 2], "blue", "tough", facing=3))
    posted["shared_tiles"] = True
    one = OneTable(HandedDice({"ann: intensity": [5]}), Chooser({}, {"*": ("noting", noting)}), readings())
    went = striking.resolve(one, field_of(posted), Strike("ann", (0,), (3, 2)))
    assert [choice.label for choice in asked] == ["ann: who takes the damage first"]
    assert [loss.unit for loss in went.losses] == ["pam"]


# What may be attacked


def every_strike(posted: Any, by: str) -> Iterator[attack.Strike]:
    field = field_of(posted)
    held = range(len(field.hands(by)))
    for hands in (*((hand,) for hand in held), *([tuple(held)] if len(held) > 1 else [])):
        for at in field.ground.in_order:
            yield Strike(by, hands, at)


@pytest.mark.parametrize("by", ["ann", "bob", "cid", "dot"])
def test_strikes_are_all_that_nothing_is_against(by: str) -> None:
    posted = with_unit("ann", hands=[{"weapon": "mortar"}])
    field = field_of(posted)
    expected = [strike for strike in every_strike(posted, by) if not attack.violations(table(), field, strike)]
    assert list(attack.strikes(table(), field, by)) == expected
    assert expected or by == "cid"


def test_a_downed_hero_is_no_target_and_does_not_attack() -> None:
    posted = with_unit("bob", downed=True, health_lost=7, armor_lost=2)
    ruling = ask("attack", {"scene": posted, "attacker": "ann", "target": "bob"})
    assert [reason.rule for reason in ruling.reasons] == ["targeting.aim_violations"]
    for question, more in (("attack", {"target": "ann"}), ("targets", {})):
        ruling = ask(question, {"scene": posted, "attacker": "bob", **more})
        assert not ruling.allowed
        assert "turn.downed" in [reason.rule for reason in ruling.reasons]


@pytest.mark.parametrize(
    ("case", "where", "code"),
    [
        ({}, "/case/target", "aim"),
        ({"target": "bob", "tile": [4, 2]}, "/case/target", "aim"),
        ({"target": "ann"}, "/case/target", "itself"),
        ({"target": "nobody"}, "/case/target", "unknown-unit"),
        ({"tile": [12, 2]}, "/case/tile", "off-the-board"),
        ({"target": "bob", "hands": [0, 0]}, "/case/hands", "hand-twice"),
        ({"target": "bob", "attacker": "cid", "hands": [1]}, "/case/hands/0", "no-weapon"),
        ({"target": "bob", "other_target": "cid"}, "/case/other_target", "aim"),
        ({"target": "bob", "other_target": "ann", "hands": [0, 1]}, "/case/other_target", "itself"),
    ],
)
def test_what_cannot_be_an_attack_is_refused_at_its_place(case: dict[str, Any], where: str, code: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("attack", {"scene": scene(), "attacker": "ann", **case})
    assert (where, code) in {(fault.pointer, fault.code) for fault in caught.value.faults}


def test_targets_refuses_a_unit_as_its_own_target() -> None:
    with pytest.raises(Faults) as caught:
        ask("targets", {"scene": scene(), "attacker": "ann", "targets": ["ann"]})
    assert [fault.pointer for fault in caught.value.faults] == ["/case/targets/0"]


def test_losses_of_a_team_mate_are_losses() -> None:
    rows = (SideLoss("red", "north", 1), SideLoss("blue", None, 4), SideLoss("green", "north", 2))
    answer = Outcome((), (), (), (), (), rows)
    assert worth(answer, "red") == 4 - 3
    assert worth(answer, "blue") == 3 - 4


def test_two_weapons_against_two_targets_take_turns_with_one_pair_of_dice() -> None:
    posted = scene()
    posted["units"][2]["at"] = [3, 0]
    case = {"scene": posted, "attacker": "ann", "target": "bob", "other_target": "cid", "hands": [0, 1]}
    found = odds("attack", case, readings={"dual-targets": "two"})
    assert marginal(found, "damage") == {6: Fraction(5, 9), 4: Fraction(1, 3), 2: Fraction(1, 9)}


def test_an_attack_that_throws_moves_who_survives_it() -> None:
    posted = duel([{"weapon": "ram"}], [], weapon("ram", damage=[1], throw={"tiles": 2, "way": "away"}))
    one = OneTable(HandedDice({}), Chooser({}, FIRST), readings())
    went = striking.resolve(one, field_of(posted), Strike("ann", (0,), (3, 2)))
    assert went.field.unit("bob").at == (5, 2)
