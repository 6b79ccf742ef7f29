"""Inspiration rolls, points, and what they buy."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.blackstone_fortress.rules import inspiration
from tests.services.blackstone_fortress.tabletop import ask, field_of, guard, marginal, odds, scene, table

WOUNDS = {"traitor-guardsman": 2, "chaos-beastman": 3, "chaos-space-marine": 4, "obsidius-mallex": 12}
"""As the reference cards have them."""


def slayer(slain: list[str], profile: str = "janus-draik", **rest: Any) -> dict[str, Any]:
    fallen = [guard(f"slain-{n}", None, profile=kind, weapon=None, slain=True) for n, kind in enumerate(slain)]
    hero = {"id": "hero", "profile": profile, "hex": [0, 0], "slain": [one["id"] for one in fallen], **rest}
    return scene([hero], fallen)


@given(
    slain=st.lists(st.sampled_from(sorted(WOUNDS)), max_size=4),
    profile=st.sampled_from(["janus-draik", "dahyak-grekh"]),
)
def test_the_chance_of_a_point_is_the_wounds_slain_in_twentieths(slain: list[str], profile: str) -> None:
    together = sum(WOUNDS[kind] for kind in slain) * (2 if profile == "dahyak-grekh" else 1)
    law = marginal(odds("inspiration", {"scene": slayer(slain, profile), "explorer": "hero"}), "gained")
    assert law.get(True, 0) == min(Fraction(together, 20), 1)


@pytest.mark.parametrize(("face", "gained"), [(1, True), (5, True), (6, False), (20, False)])
def test_the_roll_may_equal_the_wounds(face: int, gained: bool) -> None:
    posted = slayer(["traitor-guardsman", "chaos-beastman"])
    answer = ask(
        "inspiration", {"scene": posted, "explorer": "hero"}, dice={"hand": {"hero: inspiration": [face]}}
    ).answer
    assert (answer.gained, answer.points, answer.wounds) == (gained, int(gained), 5)


@given(seed=st.integers(0, 1000), slain=st.lists(st.sampled_from(sorted(WOUNDS)), max_size=4))
def test_the_slain_are_forgotten_and_one_point_is_gained_at_most(seed: int, slain: list[str]) -> None:
    field = inspiration.rolled(table(str(seed)), field_of(slayer(slain)), "hero")[0]
    hero = field.explorer("hero")
    assert hero.slain == ()
    assert hero.inspiration in (0, 1)


@pytest.mark.parametrize("points", range(5))
def test_the_third_point_inspires(points: int) -> None:
    field = inspiration.gain_point(table(), field_of(slayer([], inspiration=points)), "hero")
    assert field.explorer("hero").inspiration == points + 1
    assert field.explorer("hero").inspired == (points + 1 >= 3)


@pytest.mark.parametrize("points", range(5))
def test_read_otherwise_three_points_are_spent(points: int) -> None:
    at = table(inspired_threshold="spends-three")
    hero = inspiration.gain_point(at, field_of(slayer([], inspiration=points)), "hero").explorer("hero")
    assert hero.inspired == (points + 1 >= 3)
    assert hero.inspiration == points + 1 - (3 if hero.inspired else 0)


def test_who_is_inspired_keeps_further_points() -> None:
    at = table(inspired_threshold="spends-three")
    hero = inspiration.gain_point(at, field_of(slayer([], inspiration=4, inspired=True)), "hero").explorer("hero")
    assert (hero.inspired, hero.inspiration) == (True, 5)


def test_a_reroll_is_bought_only_with_a_point() -> None:
    for points in (0, 1):
        field = field_of(slayer([], inspiration=points))
        assert inspiration.buy_reroll(table(), field, "hero", "attack") is field  # the first option is to leave it


def test_an_unknown_explorer_is_a_fault() -> None:
    with pytest.raises(Faults) as caught:
        ask("inspiration", {"scene": slayer([]), "explorer": "nobody"})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [("/case/explorer", "unknown-explorer")]
