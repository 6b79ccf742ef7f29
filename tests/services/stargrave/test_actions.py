"""Special actions: the law of powers, loot and swimming by hand, how powers aim, and invalid cases."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import cases
from tests.services.stargrave.asking import ask, box, faults, marginal, odds
from tests.services.stargrave.brawl import fighter, scene, walls

POWERS = ("heal", "pull", "regenerate", "transport", "lift", "fling", "break-lock", "dark-energy", "life-leach")


def crew(*more: Any, role: str = "captain", knows: tuple[Any, ...] = POWERS, **rest: Any) -> dict[str, Any]:
    """Give a mystic with 16 Health and Will +3, and whoever else is named."""
    profile = {
        "id": "mystic",
        "health": 16,
        "will": 3,
        "fight": 3,
        "armour": 9,
        "weapons": ["hand-weapon"],
        "powers": [{"id": power} if isinstance(power, str) else power for power in knows],
    }
    mystic = fighter("mys", [5, 5], "red", "mystic", role=role, **rest.pop("mystic", {}))
    return scene(mystic, *more, profiles={"figures": [profile]}, **rest)


def use(power: str, posted: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"scene": posted, "user": "mys", "power": power, **rest}


# Powers


@pytest.mark.parametrize(
    ("role", "of_background", "number"),
    [
        ("captain", True, 10),
        ("captain", False, 12),
        ("first-mate", True, 12),
        ("first-mate", False, 14),
        ("soldier", False, 10),
    ],
)
def test_the_activation_number_by_office(role: str, of_background: bool, number: int) -> None:
    case = use("heal", crew(role=role), target="mys", of_background=of_background, exertion=0)
    assert marginal(odds("power", case), "number") == {number: 1}
    assert marginal(odds("power", case), "success")[True] == Fraction(21 - number, 20)


def test_an_own_activation_number_takes_the_place_of_all_that() -> None:
    posted = crew(role="first-mate", knows=({"id": "heal", "activation": 9},))
    case = use("heal", posted, target="mys", of_background=False, exertion=0)
    assert marginal(odds("power", case), "number") == {9: 1}


@settings(max_examples=cases(30), deadline=None)
@given(st.integers(0, 20), st.integers(1, 16), st.sampled_from(["keeps-one", "may-kill"]))
def test_exertion_buys_exactly_what_is_missing(most: int, health: int, limit: str) -> None:
    """Heal asks for 10: a roll of f needs 10 - f, which has to be within what may be spent, and within Health."""
    case = use("heal", crew(mystic={"health": health}), target="mys", exertion=most)
    result = marginal(odds("power", case, readings={"exertion-limit": limit}), "success")
    affordable = min(most, health - 1 if limit == "keeps-one" else health)
    successes = sum(face >= 10 or 10 - face <= affordable for face in range(1, 21))
    assert result.get(True, 0) == Fraction(successes, 20)


@settings(max_examples=cases(20), deadline=None)
@given(st.integers(0, 20))
def test_exertion_before_the_roll_is_spent_whatever_is_rolled(most: int) -> None:
    case = use("heal", crew(), target="mys", exertion=most)
    result = odds("power", case, readings={"exertion-when": "before"})
    spent = min(most, 15)
    assert marginal(result, "exertion") == {spent: 1}
    assert marginal(result, "success").get(True) == Fraction(min(20, 11 + spent), 20)


def test_strain_falls_on_success_only() -> None:
    """Transport asks for 10 and has a strain of 1."""
    result = odds("power", use("transport", crew(fighter("pal", [8, 5])), target="pal", to=[8, 8], exertion=0))
    assert marginal(result, "strain") == {1: Fraction(11, 20), 0: Fraction(9, 20)}
    assert marginal(result, "health") == {15: Fraction(11, 20), 16: Fraction(9, 20)}


def test_a_power_is_resisted_as_often_as_the_stat_reaches_the_number() -> None:
    """Pull asks for 12 and Will 16: a trooper with Will +0 resists on 16 and more."""
    case = use("pull", crew(fighter("foe", [8, 5], "blue", "trooper")), target="foe", to=[8, 8], exertion=0)
    assert marginal(odds("power", case), "resisted")[True] == Fraction(9, 20) * Fraction(5, 20)
    assert marginal(odds("power", case), "moved")["foe"] == Fraction(9, 20) * Fraction(15, 20)


def test_a_wounded_target_resists_less_often() -> None:
    foe = fighter("foe", [8, 5], "blue", "trooper", wounded=True)
    case = use("pull", crew(foe), target="foe", to=[8, 8], exertion=0)
    assert marginal(odds("power", case), "resisted")[True] == Fraction(9, 20) * Fraction(3, 20)


def test_transport_makes_its_target_drop_what_it_carries_and_lift_does_not() -> None:
    tokens = [{"id": "crate", "kind": "physical", "unlocked": True}]
    for power, carried in (("transport", None), ("lift", "crate")):
        posted = crew(fighter("pal", [8, 5], carries="crate"), tokens=tokens)
        hand = {"mys: power": [20]}
        ruling = ask("power", use(power, posted, target="pal", to=[8, 8], exertion=0), dice={"hand": hand})
        after = {step.path: step.value for step in ruling.effects.patch if step.op == "add"}
        assert after.get("/figures/1/carries", "crate") == carried


def test_a_wall_keeps_a_token_from_being_opened() -> None:
    tokens = [{"id": "crate", "kind": "physical", "at": [12, 5]}]
    case = use("break-lock", crew(tokens=tokens), token="crate", exertion=0)
    assert ask("power", case).allowed
    case["scene"]["board"] = walls(box("wall", 8, 2, 9, 8, height_in=5))
    assert not ask("power", case).allowed


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"user": "who"}, [("/case/user", "unknown-figure")]),
        ({"power": "haggle"}, [("/case/power", "unknown-power")]),
        ({"target": None, "to": None}, [("/case/target", "no-target"), ("/case/to", "no-place")]),
        ({"to": None}, [("/case/to", "no-place")]),
        ({"power": "break-lock", "to": None}, [("/case/token", "no-token")]),
        ({"token": "crate"}, [("/case/token", "unknown-token")]),
        ({"to": [8, 12]}, [("/case/to", "too-far")]),
        ({"to": [5.5, 5]}, [("/case/to", "figures-overlap")]),
        ({"power": "heal", "to": [8, 8]}, [("/case/to", "moves-nobody")]),
    ],
)
def test_an_impossible_power_is_a_fault_at_its_place(changes: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    case = use("pull", crew(fighter("foe", [8, 5], "blue", "trooper")), target="foe", to=[8, 8])
    assert faults("power", {**case, **changes}) == expected


def test_nobody_is_moved_off_the_table() -> None:
    case = use("pull", crew(fighter("foe", [8, 1], "blue", "trooper")), target="foe", to=[8, 0.4])
    assert faults("power", case) == [("/case/to", "off-the-table")]


# Loot


@pytest.mark.parametrize(
    ("profile", "kind", "chance"),
    [
        ("recruit", "physical", Fraction(7, 20)),
        ("chiseler", "physical", Fraction(14, 20)),
        ("chiseler", "data", Fraction(8, 20)),
        ("hacker", "data", Fraction(14, 20)),
        ("casecracker", "physical", Fraction(15, 20)),
    ],
)
def test_the_chance_to_unlock(profile: str, kind: str, chance: Fraction) -> None:
    posted = scene(fighter("s", [5, 5], "red", profile), tokens=[{"id": "t", "kind": kind, "at": [5, 5.5]}])
    assert marginal(odds("loot", {"scene": posted, "figure": "s", "token": "t"}), "success")[True] == chance


@pytest.mark.parametrize(("spot", "allowed"), [([5, 5.502], True), ([5, 5.503], False), ([5, 5], True)])
def test_a_token_is_touched(spot: list[float], allowed: bool) -> None:
    posted = scene(fighter("s", [5, 5]), tokens=[{"id": "t", "kind": "data", "at": spot}])
    assert ask("loot", {"scene": posted, "figure": "s", "token": "t"}).allowed is allowed


@pytest.mark.parametrize(("spot", "allowed"), [([5, 7], False), ([5, 7.001], True)])
def test_an_enemy_one_inch_from_the_token_is_near(spot: list[float], allowed: bool) -> None:
    foe = fighter("foe", spot, "blue")
    posted = scene(fighter("s", [5, 5]), foe, tokens=[{"id": "t", "kind": "data", "at": [5, 5.5]}])
    assert ask("loot", {"scene": posted, "figure": "s", "token": "t"}).allowed is allowed


def test_a_token_on_a_roof_is_not_touched_from_below() -> None:
    token = {"id": "t", "kind": "data", "at": [5, 5.5], "elevation_in": 3}
    ruling = ask("loot", {"scene": scene(fighter("s", [5, 5]), tokens=[token]), "figure": "s", "token": "t"})
    assert not ruling.allowed


# Swimming


@settings(max_examples=cases(40), deadline=None)
@given(st.sampled_from(["guard-dog", "recruit", "hacker", "medic"]), st.integers(-12, 12), st.booleans())
def test_the_law_of_swimming(profile: str, modifiers: int, wounded: bool) -> None:
    will = {"guard-dog": -2, "recruit": 0, "hacker": 1, "medic": 3}[profile] - 2 * wounded
    posted = scene(fighter("s", [5, 5], "red", profile, wounded=wounded))
    result = odds("swim", {"scene": posted, "figure": "s", "modifiers": modifiers})
    short = [max(0, 5 - face - will - modifiers) for face in range(1, 21)]
    health = {"guard-dog": 10, "recruit": 12, "hacker": 12, "medic": 14}[profile]
    taken = [min(health, points) for points in short]
    assert marginal(result, "damage") == {points: Fraction(taken.count(points), 20) for points in taken}
    acting = Fraction(short.count(0), 20)
    expected = {1 if wounded else 2: acting, 0: 1 - acting}
    assert marginal(result, "actions") == {actions: mass for actions, mass in expected.items() if mass}


# Medicine


@pytest.mark.parametrize(("spot", "allowed"), [([8, 5], True), ([8.001, 5], False)])
def test_a_medic_kit_reaches_two_inches(spot: list[float], allowed: bool) -> None:
    posted = scene(fighter("doc", [5, 5], "red", "medic"), fighter("pal", spot, stunned=True))
    assert ask("heal", {"scene": posted, "medic": "doc", "patient": "pal"}).allowed is allowed


def test_a_medic_may_tend_itself() -> None:
    posted = scene(fighter("doc", [5, 5], "red", "medic", wounded=True))
    assert ask("heal", {"scene": posted, "medic": "doc", "patient": "doc"}).answer.removed == ("wounded",)
