"""After the game: the die face by face, experience against a second count, and the gains of levels one by one."""

from fractions import Fraction
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.stargrave.book import table
from services.stargrave.scene import Scene
from tests.services.stargrave.asking import ask, faults, odds


def answer(question: str, case: dict[str, Any], **more: Any) -> Any:
    ruling = ask(question, case, **more)
    assert ruling.answer is not None, ruling.reasons
    return ruling.answer


def fallen(profile: str, role: str = "soldier", health: int | None = 0) -> dict[str, Any]:
    figure = {"id": "rex", "profile": profile, "crew": "red", "role": role, "health": health}
    return {"board": {"width_in": 24, "depth_in": 24}, "figures": [figure]}


@pytest.mark.parametrize("face", range(1, 21))
def test_every_face_of_the_die(face: int) -> None:
    hand = {"hand": {"rex: survival": [face]}}
    soldier = answer("survival", {"scene": fallen("gunner"), "figure": "rex"}, dice=hand)
    expected = "Dead" if face <= 4 else "Badly Wounded" if face <= 8 else "Recovered"
    assert soldier.result == expected
    assert soldier.next_health == {"Dead": None, "Badly Wounded": 7, "Recovered": 14}[expected]
    for role in ("captain", "first-mate"):
        officer = answer("survival", {"scene": fallen(role, role), "figure": "rex"}, dice=hand)
        bounds = ((2, "Barely Alive"), (6, "Badly Wounded"), (8, "Close Call"), (20, "Recovered"))
        assert officer.result == next(name for most, name in bounds if face <= most)
        assert not officer.dead
        assert officer.misses_next_game == (face <= 2)


@pytest.mark.parametrize("profile", sorted({row["id"] for row in table("soldiers")}))
def test_badly_wounded_soldiers_start_with_half_their_health(profile: str) -> None:
    outcome = answer("survival", {"scene": fallen(profile), "figure": "rex"}, dice={"hand": {"rex: survival": [6]}})
    whole = next(row["health"] for row in table("soldiers") if row["id"] == profile)
    assert outcome.next_health == whole // 2
    assert 0 <= whole - 2 * outcome.next_health <= 1


DEEDS = st.fixed_dictionaries(
    {name: st.integers(0, 30) for name in ("tokens", "powers", "rivals", "creatures")}
    | {"extras": st.integers(0, 200), "beyond": st.integers(0, 25)}
)


@given(DEEDS, st.integers(0, 10))
def test_points_are_those_of_a_second_count(deeds: dict[str, int], own: int) -> None:
    points = 30 + (30 if own else 0) + 20 * deeds["tokens"] + deeds["extras"]
    points += min(100, 10 * deeds["powers"]) + min(40, 10 * deeds["rivals"]) + min(20, 5 * deeds["creatures"])
    outcome = answer("experience", {"deeds": deeds, "own_losses": own})
    assert outcome.points == min(300, points) + deeds["beyond"]
    assert outcome.points_left == outcome.points
    assert outcome.possible == ()


LEVELS = st.fixed_dictionaries(
    {"captain": st.integers(5, 40), "first_mate": st.integers(0, 30), "points_before": st.integers(0, 400)}
)


@given(LEVELS)
def test_what_is_possible_is_what_is_allowed(levels: dict[str, int]) -> None:
    """Every gain of up to four levels each is asked for, and allowed if it is listed; so is gaining none."""
    listed = {(gain.captain, gain.first_mate) for gain in answer("experience", {"levels": levels}).possible}
    for captain, mate in product(range(5), repeat=2):
        ruling = ask("experience", {"levels": levels, "gain": {"captain": captain, "first_mate": mate}})
        assert ruling.allowed == ((captain, mate) in listed)
        gap = levels["captain"] + captain - levels["first_mate"] - mate
        lawful = max(captain, mate) <= 3 and 100 * (captain + mate) <= 30 + levels["points_before"] and 5 <= gap <= 20
        assert ruling.allowed == (lawful or (captain, mate) == (0, 0))
        if ruling.answer is not None:
            assert ruling.answer.points_left == 30 + levels["points_before"] - 100 * (captain + mate)
            assert len(ruling.answer.rewards) == captain + mate


REWARDS = {"improve-stat": (2, 7), "new-power": (5,), "power-or-stat": (0,), "lower-activation": (1, 3, 4, 6, 8, 9)}


@pytest.mark.parametrize(
    ("reward", "digit"), [(reward, digit) for reward, digits in REWARDS.items() for digit in digits]
)
def test_the_last_digit_says_what_a_level_brings(reward: str, digit: int) -> None:
    for level in (20 + digit, 30 + digit):
        levels = {"captain": level - 1, "first_mate": level - 10, "points_before": 100}
        gain = {"captain": 1}
        assert [one.reward for one in answer("experience", {"levels": levels, "gain": gain}).rewards] == [reward]


def test_levels_of_nobody_cannot_be_gained() -> None:
    assert faults("experience", {"gain": {"captain": 1}}) == [("/case/levels", "levels")]


def yard(*roles: str) -> dict[str, Any]:
    """A crew of which everybody named is out of the game, and which has brought two tokens."""
    out = [
        {"id": f"m-{n}", "profile": "recruit", "crew": "red", "role": role, "health": 0} for n, role in enumerate(roles)
    ]
    carriers = [
        {"id": f"c-{n}", "profile": "recruit", "crew": "red", "at": [5 + 5 * n, 5], "carries": f"t-{n}"} for n in (0, 1)
    ]
    tokens = [{"id": "t-0", "kind": "physical"}, {"id": "t-1", "kind": "data"}]
    return {"figures": [*out, *carriers], "tokens": tokens}


def test_the_law_of_two_soldiers_is_that_of_each() -> None:
    result = odds("after-game", {"scene": yard("soldier", "soldier"), "crew": "red"})
    masses = {
        tuple(fate.result for fate in chance.answer.survival): Fraction(chance.mass) for chance in result.outcomes
    }
    one = {"Dead": Fraction(4, 20), "Badly Wounded": Fraction(4, 20), "Recovered": Fraction(12, 20)}
    assert masses == {(a, b): one[a] * one[b] for a in one for b in one}


@pytest.mark.parametrize(
    ("change", "at", "code"),
    [
        ({"crew": "green"}, "/case/crew", "unknown-crew"),
        ({"rolled": [{"token": "t-9", "category": "secret"}]}, "/case/rolled/0/token", "unknown-token"),
        ({"rolled": [{"token": "t-0", "category": "secret"}]}, "/case/rolled/0/category", "unknown-category"),
        ({"rolled": [{"token": "t-1", "category": "information", "credits": 80}]}, "/case/rolled/0/credits", "credits"),
        ({"rolled": [{"token": "t-1", "category": "secret"}] * 2}, "/case/rolled/1/token", "repeated-id"),
    ],
)
def test_what_the_crew_does_not_have_is_a_fault(change: dict[str, Any], at: str, code: str) -> None:
    assert faults("after-game", {"scene": yard(), "crew": "red", **change}) == [(at, code)]


def test_the_scene_is_left_as_it_is() -> None:
    case = {"scene": yard("captain"), "crew": "red"}
    ruling = ask("after-game", case)
    assert ruling.effects.patch == ()
    assert [event.name for event in ruling.effects.events] == ["survival"]
    assert msgspec.convert(case["scene"], Scene).figures[0].health == 0
