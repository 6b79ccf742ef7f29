"""Wounds, defence, being stunned and vitality: bounds that no sequence of wounds breaks, and laws by hand."""

from fractions import Fraction
from typing import Any

import icepool
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.fault import Faults
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import vitality, wounds
from services.blackstone_fortress.scene import Explorer
from tests.services.blackstone_fortress.tabletop import (
    ask,
    field_of,
    guard,
    janus,
    marginal,
    odds,
    scene,
    table,
    walked,
)

PROFILES = ("janus-draik", "ur-025", "espern-locarno", "dahyak-grekh")

suffering = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.booleans()), max_size=8)
"""Rounds of wounds, grievous wounds, and whether the unit is stunned."""


def alone(profile: str = "janus-draik", **rest: Any) -> Battlefield:
    return field_of(scene([{"id": "hero", "profile": profile, "hex": [0, 0], **rest}], []))


def spaces(field: Battlefield) -> int:
    return field.book.explorers[field.explorer("hero").profile].spaces


@given(
    seed=st.integers(0, 10_000),
    profile=st.sampled_from(PROFILES),
    dice=st.lists(st.integers(1, 6), max_size=3),
    rounds=suffering,
    one_space=st.booleans(),
    beyond=st.booleans(),
    replaced=st.booleans(),
    rolled=st.booleans(),
)
def test_counters_and_dice_never_outgrow_the_track(
    seed: int,
    profile: str,
    dice: list[int],
    rounds: list[tuple[int, int, bool]],
    one_space: bool,
    beyond: bool,
    replaced: bool,
    rolled: bool,
) -> None:
    at = table(
        str(seed),
        grievous_spaces="one" if one_space else "two",
        out_of_action_trigger="beyond-full" if beyond else "when-full",
        grievous_on_full_track="replaces-wound" if replaced else "out-of-action",
        defence_without_attack="roll" if rolled else "no-roll",
    )
    field = alone(profile, activation=dice)
    for plain, grievous, stunned in rounds:
        before = field.explorer("hero")
        field = wounds.wound_explorer(at, field, "hero", plain, grievous)
        if stunned and not field.explorer("hero").out_of_action:
            field = wounds.stun(at, field, "hero")
        hero = field.explorer("hero")
        filled = hero.wounds + hero.grievous
        assert filled <= spaces(field)
        assert len(hero.activation) + len(hero.overwatch) <= spaces(field) - filled
        assert before.wounds + before.grievous <= filled
        assert hero.out_of_action == (hero.hex is None)
        if not rolled and not hero.out_of_action and not stunned:
            assert (
                filled >= min(before.wounds + before.grievous + plain + grievous, spaces(field)) - replaced * grievous
            )
        if hero.out_of_action:
            assert (hero.activation, hero.overwatch, hero.stunned) == ((), (), False)
            break
        if not beyond:
            assert hero.wounds + (1 if one_space else 2) * hero.grievous < spaces(field)


@given(counts=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=6))
def test_a_hostile_stands_exactly_as_long_as_its_damage_is_below_its_wounds(counts: list[tuple[int, int]]) -> None:
    field = field_of(scene([], [guard("mallex", [0, 0], profile="obsidius-mallex", weapon=None)]))
    damage = 0
    for plain, grievous in counts:
        field = wounds.wound_hostile(table(), field, "mallex", plain, grievous)
        damage += plain + 3 * grievous
        mallex = field.hostile("mallex")
        assert mallex.slain == (damage >= 12)
        assert (mallex.hex is None) == mallex.slain
        assert mallex.wounds + 3 * mallex.grievous == damage
        assert wounds.remaining(field, "mallex") == max(0, 12 - damage)
        if mallex.slain:
            break


def test_excess_damage_that_is_carried_on_slays_on() -> None:
    field = field_of(scene([], [guard(f"guard-{n}", [0, 0]) for n in range(3)]))
    at = table(excess_damage="carried")
    field = wounds.wound_hostile(at, field, "guard-0", 0, 1)
    assert [field.hostile(f"guard-{n}").wounds for n in range(3)] == [0, 1, 0]
    field = wounds.wound_hostile(at, field, "guard-1", 4, 0)
    assert [field.hostile(f"guard-{n}").slain for n in range(3)] == [True, True, True]


def test_healing_takes_one_wound_and_no_grievous_wound() -> None:
    field = field_of(scene([], [guard("mallex", [0, 0], profile="obsidius-mallex", weapon=None, wounds=2, grievous=1)]))
    for left in (1, 0, 0):
        field = wounds.heal_hostile(table(), field, "mallex")
        assert (field.hostile("mallex").wounds, field.hostile("mallex").grievous) == (left, 1)


# Defence


@pytest.mark.parametrize(
    ("profile", "marks", "left"),
    [
        ("espern-locarno", [], {"grievous": "2/3", "wound": "1/6", "none": "1/6"}),
        ("janus-draik", [], {"grievous": "1/2", "wound": "1/4", "none": "1/4"}),
        ("amallyn-shadowguide", ["cloak"], {"grievous": "1/3", "wound": "1/3", "none": "1/3"}),
        ("espern-locarno", ["barrier"], {"grievous": "1/3", "wound": "1/3", "none": "1/3"}),
        ("ur-025", [], {"grievous": "1/9", "wound": "4/9", "none": "4/9"}),
        ("amallyn-shadowguide", ["cloak", "barrier"], {"grievous": "1/9", "wound": "1/3", "none": "5/9"}),
    ],
)
def test_what_is_left_of_a_grievous_wound(profile: str, marks: list[str], left: dict[str, str]) -> None:
    def suffered(at: Any) -> str:
        return wounds.suffer(at, alone(profile, marks=marks), "hero", "grievous")[1]

    assert walked(suffered) == {kind: Fraction(chance) for kind, chance in left.items()}


def test_two_defence_dice_that_are_each_applied_ease_a_grievous_wound_twice() -> None:
    def suffered(at: Any) -> str:
        hero = alone("amallyn-shadowguide", marks=["cloak", "barrier"])
        return wounds.suffer(at, hero, "hero", "grievous")[1]

    # Two d12: both fail 1/9; one success and a failure 2/9; anything else eases it by two steps.
    assert walked(suffered, two_dice="each") == {
        "grievous": Fraction(1, 9),
        "wound": Fraction(2, 9),
        "none": Fraction(6, 9),
    }


@given(seed=st.integers(0, 10_000))
def test_a_die_is_lost_only_when_no_space_is_free(seed: int) -> None:
    field = alone(activation=[2, 3, 6])
    first = wounds.fill_space(table(str(seed)), field, "hero", "wound")
    assert first.explorer("hero").activation == (2, 3, 6)
    second = wounds.fill_space(table(str(seed)), first, "hero", "wound")
    assert second.explorer("hero").activation == (3, 6)


# Stunned


def test_a_stunned_explorer_who_stands_up_loses_exactly_one_die() -> None:
    field = wounds.stand_up(table(), alone(stunned=True, activation=[5, 2, 5]), "hero")
    assert field.explorer("hero").activation == (5, 5)
    assert not field.explorer("hero").stunned


def test_whoever_is_not_stunned_does_not_stand_up() -> None:
    field = alone(activation=[5])
    assert wounds.stand_up(table(), field, "hero") is field
    with pytest.raises(Faults) as caught:
        ask("stand-up", {"scene": scene([janus([0, 0])], []), "unit": "janus"})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [("/case/unit", "not-stunned")]


def test_wounds_fall_on_units_on_the_battlefield_only() -> None:
    posted = scene([janus(None, out_of_action=True)], [])
    for unit, code in (("nobody", "unknown-unit"), ("janus", "not-on-the-battlefield")):
        with pytest.raises(Faults) as caught:
            ask("wounds", {"scene": posted, "unit": unit, "wounds": 1})
        assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [("/case/unit", code)]


# Vitality


@given(
    seed=st.integers(0, 10_000),
    profile=st.sampled_from(PROFILES),
    plain=st.integers(0, 2),
    grievous=st.integers(0, 1),
    two=st.booleans(),
)
def test_a_vitality_roll_heals_two_wounds_at_most_and_no_grievous_wound_of_its_own(
    seed: int, profile: str, plain: int, grievous: int, two: bool
) -> None:
    field = alone(profile, wounds=plain, grievous=grievous)
    at = table(str(seed), critical_vitality="exactly-two" if two else "up-to-two")
    before, hero = field.explorer("hero"), vitality.vitality_roll(at, field, "hero").explorer("hero")
    if hero.grievous != before.grievous:
        assert profile == "ur-025"
        assert replace(before, wounds=plain + 1, grievous=grievous - 1) == hero
    else:
        assert 0 <= before.wounds - hero.wounds <= 2


@pytest.mark.parametrize("wounded", [1, 2, 3])
@pytest.mark.parametrize(
    ("profile", "faces"), [("janus-draik", (4, 2, 2)), ("ur-025", (4, 4, 4)), ("espern-locarno", (4, 1, 1))]
)
def test_icepool_agrees_on_what_is_healed(profile: str, faces: tuple[int, int, int], wounded: int) -> None:
    posted = scene([{"id": "hero", "profile": profile, "hex": [0, 0], "wounds": wounded}], [])
    healed = icepool.Die(dict(enumerate(faces))).map(lambda result: min(result, wounded))
    law = {count: Fraction(weight, healed.denominator()) for count, weight in healed.items()}
    assert marginal(odds("vitality", {"scene": posted, "explorer": "hero"}), "healed") == law


def test_an_unknown_explorer_has_no_vitality() -> None:
    with pytest.raises(Faults) as caught:
        ask("vitality", {"scene": scene([janus([0, 0])], []), "explorer": "nobody"})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [("/case/explorer", "unknown-explorer")]


def test_an_explorer_is_worn_down_to_out_of_action_and_no_further() -> None:
    at, field = table(defence_without_attack="no-roll"), alone()
    states = []
    for _ in range(5):
        field = wounds.wound_explorer(at, field, "hero", 1, 0)
        hero = field.explorer("hero")
        assert isinstance(hero, Explorer)
        states.append((hero.wounds, hero.out_of_action))
    assert states == [(1, False), (2, False), (3, False), (4, False), (4, True)]
