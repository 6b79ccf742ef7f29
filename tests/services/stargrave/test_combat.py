"""Combat: who is in combat, who supports, what is impossible to ask, and what holds of every fight."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.stargrave.rules import combat, harm
from tests.effort import cases
from tests.services.stargrave.asking import ask, box, faults, field_of, handed, marginal, odds
from tests.services.stargrave.brawl import duel, fighter, scene, walls

AROUND_ROB = [[12, 10], [11, 11], [11, 9]]
AROUND_KEL = [[9, 10], [9.4, 10.8], [9.4, 9.2]]


def field(*more: Any, **rest: Any) -> Any:
    return field_of(scene(*duel()["figures"], *more, **rest))


# Who is in combat


@pytest.mark.parametrize(
    ("spot", "option", "engaged"),
    [
        ([11, 10], "contact", True),
        ([11.002, 10], "contact", True),
        ([11.003, 10], "contact", False),
        ([11.003, 10], "one-inch", True),
        ([12, 10], "one-inch", True),
        ([12.001, 10], "one-inch", False),
    ],
)
def test_how_near_combat_is(spot: list[float], option: str, engaged: bool) -> None:
    posted = field_of(scene(fighter("kel", [10, 10]), fighter("rob", spot, "blue")))
    assert combat.in_combat(handed(in_combat=option), posted, "kel") is engaged


def test_friends_are_not_in_combat_and_neither_are_creatures_with_each_other() -> None:
    posted = field_of(
        scene(
            fighter("kel", [10, 10]),
            fighter("pal", [11, 10]),
            fighter("one", [3, 3], None, "ravaged"),
            fighter("two", [4, 3], None, "ravaged"),
        )
    )
    assert [combat.opponents(handed(), posted, id_) for id_ in ("kel", "pal", "one", "two")] == [()] * 4


def test_who_is_out_of_the_game_is_in_combat_with_nobody() -> None:
    posted = field_of(scene(fighter("kel", [10, 10]), fighter("rob", [11, 10], "blue", health=0)))
    assert combat.opponents(handed(), posted, "kel") == ()


def test_a_figure_on_a_roof_is_not_in_combat_with_one_below() -> None:
    posted = field_of(scene(fighter("kel", [10, 10], elevation_in=3), fighter("rob", [11, 10], "blue")))
    assert combat.opponents(handed(), posted, "kel") == ()


@pytest.mark.parametrize(("climbable", "height", "engaged"), [(False, 3, False), (True, 3, True), (False, 0, True)])
def test_only_what_cannot_be_crossed_parts_figures(climbable: bool, height: float, engaged: bool) -> None:
    wall = box("wall", 10.7, 9, 10.8, 11, climbable=climbable, height_in=height)
    posted = field_of(scene(fighter("kel", [10, 10]), fighter("rob", [11.5, 10], "blue"), board=walls(wall)))
    assert combat.in_combat(handed(in_combat="one-inch"), posted, "kel") is engaged


@settings(max_examples=cases(40), deadline=None)
@given(st.lists(st.tuples(st.integers(2, 8), st.integers(2, 8)), unique=True, min_size=2, max_size=8))
def test_combat_is_mutual(spots: list[tuple[int, int]]) -> None:
    figures = [fighter(f"f{n}", spot, ("red", "blue", None)[n % 3]) for n, spot in enumerate(spots)]
    posted = field_of(scene(*figures))
    engaged = {figure["id"]: combat.opponents(handed(), posted, figure["id"]) for figure in figures}
    for id_, others in engaged.items():
        assert all(id_ in engaged[other] for other in others)


# Support


@pytest.mark.parametrize(
    ("reds", "blues", "expected"),
    [(0, 0, (0, 0)), (1, 0, (2, 0)), (3, 0, (6, 0)), (0, 2, (0, 4)), (1, 1, (0, 0)), (2, 1, (2, 0)), (1, 2, (0, 2))],
)
def test_support_is_set_off(reds: int, blues: int, expected: tuple[int, int]) -> None:
    others = AROUND_KEL[:1] if blues == 1 else AROUND_KEL[1:]
    more = [fighter(f"r{n}", spot) for n, spot in enumerate(AROUND_ROB[:reds])]
    more += [fighter(f"b{n}", spot, "blue") for n, spot in enumerate(others[:blues])]
    assert combat.support(handed(), field(*more), "kel", "rob") == expected
    assert combat.support(handed(), field(*more), "rob", "kel") == expected[::-1]


def test_creatures_support_each_other() -> None:
    posted = field_of(
        scene(
            fighter("kel", [10, 10]),
            fighter("one", [11, 10], None, "ravaged"),
            fighter("two", [9, 10], None, "ravaged"),
        )
    )
    assert combat.support(handed(), posted, "kel", "one") == (0, 2)


# Weapons


def test_the_better_weapon_is_used_unless_another_is_named() -> None:
    posted = field_of(scene(fighter("kel", [10, 10], weapons=["knife", "hand-weapon", "pistol"])))
    here = handed()
    assert combat.weapon(here, posted, "kel").id == "hand-weapon"
    assert combat.weapon(here, posted, "kel", "knife").id == "knife"
    assert set(combat.melee(posted, posted.figure("kel"))) == {"knife", "hand-weapon", "unarmed"}


def test_a_void_blade_does_more_damage_and_claws_arm_the_unarmed() -> None:
    blade = fighter("kel", [10, 10], spells=[{"power": "void-blade"}])
    claws = fighter("pal", [3, 3], "red", "medic", spells=[{"power": "toxic-claws"}])
    posted = field_of(scene(blade, claws, fighter("rob", [11, 10], "blue")))
    assert combat.side(handed(), posted, "kel", "rob", 0).damage == 2
    assert combat.side(handed(), posted, "pal", "rob", 0).bonus == 2
    assert combat.side(handed(), posted, "pal", "rob", 0).damage == 2


# What cannot be asked


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"fighter": "nobody"}, ("/case/fighter", "unknown-figure")),
        ({"opponent": "nobody"}, ("/case/opponent", "unknown-figure")),
        ({"opponent": "kel"}, ("/case/opponent", "same-figure")),
        ({"weapon": "pistol"}, ("/case/weapon", "unknown-weapon")),
        ({"opponent": "rob", "opponent_weapon": "carbine"}, ("/case/opponent_weapon", "unknown-weapon")),
        ({"opponent_weapon": "knife"}, ("/case/opponent_weapon", "no-opponent")),
    ],
)
def test_an_impossible_fight_is_a_fault_at_its_place(changes: dict[str, Any], expected: tuple[str, str]) -> None:
    assert faults("attack", {"scene": duel(), "fighter": "kel", **changes}) == [expected]


def test_who_is_not_in_play_is_refused() -> None:
    posted = scene(fighter("kel", [10, 10]), fighter("rob", None, "blue"))
    ruling = ask("attack", {"scene": posted, "fighter": "kel", "opponent": "rob"})
    assert [reason.text for reason in ruling.reasons] == ["Sentry (rob) is not in play"]


def test_who_is_in_combat_with_nobody_is_refused() -> None:
    ruling = ask("attack", {"scene": scene(fighter("kel", [10, 10])), "fighter": "kel"})
    assert not ruling.allowed
    assert [reason.text for reason in ruling.reasons] == ["Sentry (kel) is not in combat with anybody"]


# Odds


def test_the_odds_of_winning_and_of_felling() -> None:
    """Rob has 1 Health, so that any damage fells: x + 3 - 11 > 0, x of 9 or more, with x + 3 no less than y + 2."""
    posted = duel()
    posted["figures"][1]["health"] = 1
    result = marginal(odds("attack", {"scene": posted, "fighter": "kel"}), "health")
    felled = 0
    for x in range(1, 21):
        for y in range(1, 21):
            critical_of_rob = y == 20 and x != 20
            # On equal totals both do their damage.
            felled += x >= 9 and (x + 1 >= y) and not critical_of_rob
    assert result[0] == Fraction(felled, 400)


@settings(max_examples=cases(30), deadline=None)
@given(st.integers(1, 20), st.integers(1, 20), st.sampled_from(["stay", "push-self", "push-opponent"]))
def test_a_fight_takes_from_the_loser_only(x: int, y: int, done: str) -> None:
    hand = {"kel: combat": [x], "rob: combat": [y]}
    case = {"scene": duel(), "fighter": "kel"}
    ruling = ask("attack", case, dice={"hand": hand})
    if ruling.status == "needs_choice":
        ruling = ask("attack", case, dice={"hand": hand}, choices={ruling.needs.choice.label: [done]})
    answer = ruling.answer
    assert answer.health == max(0, 14 - answer.damage)
    assert answer.fighter_health == max(0, 14 - answer.damage_to_fighter)
    assert answer.winner is None or 0 in (answer.damage, answer.damage_to_fighter)
    assert answer.still_in_combat == (answer.after == "stay")


# Harm


def test_the_last_health_takes_a_figure_out_and_its_loot_is_dropped_where_it_stood() -> None:
    token = {"id": "crate", "kind": "physical", "unlocked": True}
    posted = field_of(scene(fighter("kel", [10, 10], elevation_in=2, carries="crate"), tokens=[token]))
    here = handed()
    after = harm.harm(here, posted, "kel", 20, None)
    figure, dropped = after.figure("kel"), after.token("crate")
    assert (figure.health, figure.at, figure.carries) == (0, None, None)
    assert (dropped.at, dropped.elevation_in, dropped.unlocked) == ((10, 10), 2.0, True)
    assert [event.name for event in here.events] == ["damaged", "dropped", "out"]


@pytest.mark.parametrize("damage", [0, -3])
def test_no_damage_changes_nothing(damage: int) -> None:
    posted = field()
    assert harm.harm(handed(), posted, "kel", damage, None) is posted


def test_a_stun_ends_the_powers_that_last_until_then() -> None:
    spells = [{"power": "camouflage"}, {"power": "inspiring", "fight": 1}]
    posted = field_of(scene(fighter("kel", [10, 10], spells=spells)))
    after = harm.stun(handed(), posted, "kel").figure("kel")
    assert after.stunned
    assert [spell.power for spell in after.spells] == ["inspiring"]
