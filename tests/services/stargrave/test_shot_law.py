"""The closed form of a shot, the walked rules, and an enumeration that shares nothing with either have to agree."""

from fractions import Fraction
from itertools import product
from typing import Any

import icepool
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.stargrave.rules import shot_law, shot_rolls
from services.stargrave.rules.shot_rolls import Shot
from tests.effort import cases
from tests.services.stargrave.firing_range import readings, walked

OPTIONS = {
    "critical_both": ("totals", "critical"),
    "critical_by_target": ("no", "yes"),
    "critical_damage": ("double", "five", "none"),
    "jam": ("misses", "counts"),
}

# Beyond what figures have, so that a face beats none, some and all of the target's faces, and a critical alone hurts.
shots = st.builds(
    Shot,
    shoot=st.integers(-12, 24),
    defence=st.integers(-12, 24),
    damage=st.integers(-4, 6),
    armour=st.integers(0, 35),
    immune=st.booleans(),
    criticals=st.booleans(),
    jams=st.booleans(),
    times=st.integers(1, 3),
    critical_from=st.integers(17, 20),
)
options = st.fixed_dictionaries({reading: st.sampled_from(names) for reading, names in OPTIONS.items()})


def of_walk(shot: Shot, said: dict[str, str]) -> tuple[Fraction, dict[int, Fraction]]:
    law = walked(shot_rolls.exchange, "a", "b", shot, **said)
    damage: dict[int, Fraction] = {}
    for outcome, chance in law.items():
        damage[outcome.damage] = damage.get(outcome.damage, Fraction(0)) + chance
    return sum((chance for outcome, chance in law.items() if outcome.hit), Fraction(0)), damage


def of_form(shot: Shot, said: dict[str, str]) -> tuple[Fraction, dict[int, Fraction]]:
    hits, law = shot_law.chances(shot, readings(**said))
    assert [damage for damage, _ in law] == sorted({damage for damage, _ in law})
    return Fraction(hits, 400), {damage: Fraction(cases, 400) for damage, cases in law if cases}


def by_the_text(shot: Shot, said: dict[str, str], face: int, own: int) -> tuple[bool, int]:
    """Settle one pair of dice straight from the text and its readings."""
    attack, defence = face + shot.shoot, own + shot.defence
    critical = face >= shot.critical_from and shot.criticals
    if own == 20 and (face < 20 or said["critical_both"] == "totals"):
        critical = False
    hit = critical or attack > defence
    if not critical and own == 20 and said["critical_by_target"] == "yes" and not (face == 20 and shot.criticals):
        hit = False
    if face == 1 and shot.jams and said["jam"] == "misses":
        hit = False
    total = attack + shot.damage
    worse = critical and not shot.immune
    if worse and said["critical_damage"] == "five":
        total += 5
    left = max(0, total - shot.armour)
    if worse and said["critical_damage"] == "double":
        left *= 2
    left *= shot.times
    return hit, left if hit else 0


@given(shots, options)
@settings(max_examples=cases(40), deadline=None)
def test_closed_form_is_the_law_of_the_walked_rules(shot: Shot, said: dict[str, str]) -> None:
    assert of_form(shot, said) == of_walk(shot, said)


@given(shots, options)
@settings(max_examples=cases(400), deadline=None)
def test_closed_form_is_the_sum_over_all_pairs_of_dice(shot: Shot, said: dict[str, str]) -> None:
    pairs = [by_the_text(shot, said, face, own) for face, own in product(range(1, 21), repeat=2)]
    damage: dict[int, Fraction] = {}
    for _, points in pairs:
        damage[points] = damage.get(points, Fraction(0)) + Fraction(1, 400)
    assert of_form(shot, said) == (Fraction(sum(hit for hit, _ in pairs), 400), damage)


@pytest.mark.parametrize("defence", [2, 3, 4, 6, 9])
def test_icepool_finds_the_same_law(defence: int) -> None:
    def settled(face: Any, own: Any) -> int:
        said = {"critical_both": "totals", "critical_by_target": "no", "critical_damage": "double", "jam": "misses"}
        return by_the_text(Shot(2, defence, 0, 10), said, face, own)[1]

    die = icepool.map(settled, icepool.d20, icepool.d20)
    law = {damage: Fraction(chance) for damage, chance in zip(die.keys(), die.probabilities(), strict=True)}
    assert of_form(Shot(2, defence, 0, 10), {})[1] == law


def test_numbers_of_the_notes_hold_without_criticals_and_jams() -> None:
    """Shoot +2 against Fight +2 and Armour 10: in the open, in light and in heavy cover."""
    for cover, hit, hurt, stun in ((0, 190, 162, 135), (2, 153, 138, 117), (4, 120, 114, 99)):
        hits, law = shot_law.chances(Shot(2, 2 + cover, 0, 10, criticals=False, jams=False), readings())
        assert hits == hit
        assert sum(cases for damage, cases in law if damage > 0) == hurt
        assert sum(cases for damage, cases in law if damage >= 4) == stun


def test_two_natural_20s_hit_plainly_from_a_lead_of_one() -> None:
    """Of the faces 2 to 19 each beats one less than it shows, and one more with the lead; a 20 beats 1 to 19."""
    level, level_law = shot_law.chances(Shot(2, 2, 0, 10), readings())
    ahead, ahead_law = shot_law.chances(Shot(3, 2, 0, 10), readings())
    assert (level, ahead) == (171 + 19, 189 + 19 + 1)
    assert (dict(level_law).get(12), dict(level_law)[24]) == (None, 19)
    assert (dict(ahead_law)[13], dict(ahead_law)[26]) == (1, 19)
