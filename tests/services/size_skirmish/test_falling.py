"""Falls, pushes and flights: the dice of a fall, where one comes down, and that everybody ends where there is room."""

from fractions import Fraction
from itertools import product
from math import dist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.geometry.plane.shapes import floats
from services.size_skirmish.actions import Action, ActionContext
from services.size_skirmish.attacks import DicePool
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.checks import checked
from services.size_skirmish.geometry import levels
from services.size_skirmish.geometry.levels import Landing
from services.size_skirmish.rules import fall, flight, harm, push
from tests.effort import cases
from tests.services.size_skirmish.field import ask, field_of, odds, table, walked, walled, with_model, with_models
from tests.services.size_skirmish.test_movement import FACING, LEDGE, TOWER, WALL, fields


def stands(field: Battlefield) -> None:
    """Hold that a scene passes the checks when casualties have been taken off."""
    checked(harm.casualties(table(), field).scene)


@settings(max_examples=cases(100))
@given(fields(), st.integers(0, 6), st.sampled_from(["stops", "leaves"]), st.sampled_from(["stops", "falls"]))
def test_whoever_is_pushed_ends_where_there_is_room(field: Battlefield, pips: int, edge: str, over: str) -> None:
    seated = table(push_edge=edge, pushed_over=over)
    after, blows = push.pushed(seated, field, "ada", "bob", 1000 * pips)
    stands(after)
    was, now = field.unit("ada"), after.unit("ada")
    if now.at is not None and not blows:
        gone = dist(was.at or (0, 0), now.at)
        assert gone <= pips + 0.001
        assert now.height_above == was.height_above
    assert now.facing == was.facing


@settings(max_examples=cases(100))
@given(fields(), st.booleans(), st.sampled_from(["stops", "passes"]), st.sampled_from(["stops", "falls"]), FACING)
def test_whoever_flees_keeps_the_direction_and_ends_where_there_is_room(
    field: Battlefield, caused: bool, blocked: str, over: str, direction: tuple[int, int]
) -> None:
    seated = table(flight_blocked=blocked, flight_drop=over)
    after, outcome = flight.fled(seated, field, "ada", "bob" if caused else None)
    stands(after)
    fleeing = after.unit("ada").fleeing
    if after.unit("ada").at is None:
        return
    assert fleeing is not None
    again, _ = flight.fled(seated, after, "ada", None)
    stands(again)
    if again.unit("ada").at is not None:
        assert again.unit("ada").fleeing == fleeing
    for spot in outcome.way[1:]:
        here = field.solid(field.unit("ada")).at
        off = (spot[0] * 1000 - here[0]) * fleeing.direction[1] - (spot[1] * 1000 - here[1]) * fleeing.direction[0]
        assert abs(off) <= 2 * dist((0, 0), fleeing.direction)


@settings(max_examples=cases(60))
@given(fields())
def test_whoever_falls_lies_lower_and_near(field: Battlefield) -> None:
    body = field.solid(field.unit("ada"))
    action = Action("ada", "move", "fall")
    after, outcome = fall.done(table(), field, action, ActionContext())
    stands(after)
    lower = after.unit("ada").height_above < field.unit("ada").height_above
    assert lower == bool(outcome.blows) == (fall.no_drop(table(), field, action) == ())
    if lower:
        assert dist(after.solid(after.unit("ada")).at, body.at) <= 4 * body.radius + 2


# Where one comes down


def test_one_lies_on_the_next_level_below() -> None:
    field = field_of(walled(TOWER, LEDGE, posted=with_model("ada", at=[19.6, 7], height_above=3)))
    body = field.solid(field.unit("ada"))
    assert levels.landing(field, body, body.at) == Landing((20_500, 7000), 2000, 1000)


def test_who_hangs_falls_straight_down() -> None:
    field = field_of(walled(TOWER, posted=with_model("ada", at=[13.5, 7], height_above=2.5)))
    body = field.solid(field.unit("ada"))
    assert levels.at_a_drop(field, body)
    assert levels.landing(field, body, body.at) == Landing((13_500, 7000), 0, 2500)


def test_where_somebody_is_in_the_way_below_one_comes_down_beside() -> None:
    posted = with_models(ada={"at": [14.5, 7], "height_above": 3}, bob={"at": [13.5, 7]})
    field = field_of(walled(TOWER, posted=posted))
    body = field.solid(field.unit("ada"))
    found = levels.landing(field, body, body.at)
    assert found is not None
    assert found.elevation == 0
    assert dist(found.at, (13_500, 7000)) >= 995


def test_there_is_no_drop_on_the_ground_nor_in_the_middle() -> None:
    field = field_of(walled(TOWER, posted=with_model("ada", at=[17, 7], height_above=3)))
    assert not levels.at_a_drop(field, field.solid(field.unit("ada")))
    assert not levels.at_a_drop(field, field.solid(field.unit("bob")))


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ([22, 7], "Guard (ada) comes down beside what it stands on or hangs at, no farther away than 1"),
        ([18.7, 7], "Guard (ada) cannot come down there: it is no lower, or there is no room"),
    ],
)
def test_a_goal_that_nobody_falls_to_is_told_from_a_lack_of_room(goal: list[float], reason: str) -> None:
    posted = walled(TOWER, posted=with_model("ada", at=[19.6, 7], height_above=3))
    ruling = ask("fall", {"scene": posted, "model": "ada", "goal": goal, "reactions": []})
    assert [each.text for each in ruling.reasons] == [reason]


# The dice


@pytest.mark.parametrize(
    ("height", "distance", "expected"),
    [
        (999, "whole", 0),
        (1000, "whole", 1),
        (1999, "whole", 1),
        (999, "begun", 1),
        (1000, "begun", 1),
        (1001, "begun", 2),
    ],
)
def test_the_attack_dice_of_a_fall(height: int, distance: str, expected: int) -> None:
    assert fall.attack_dice(table(fall_distance=distance), "ada", "Ada", height) == expected


def test_the_attack_dice_by_multiplication() -> None:
    law = walked(fall.attack_dice, "ada", "Ada", 2000, fall_dice="times-roll")
    assert law == {2 * pips: Fraction(1, 6) for pips in range(1, 7)}


def test_the_damage_of_one_die_against_one_is_what_counting_all_dice_gives() -> None:
    """An attack die, its extra die, a defence die and its extra die: 1,296 cases, counted one by one."""
    counted: dict[int, Fraction] = {}
    for attack, more, defence, other in product(range(1, 7), repeat=4):
        hits = [die for die in (attack, more if attack == 6 else 1) if die >= 4]
        shields = sorted(die for die in (defence, other if defence == 6 else 1) if die > 1)
        for shield in shields:
            under = [die for die in hits if die <= shield]
            if under:
                hits.remove(max(under))
        counted[len(hits)] = counted.get(len(hits), Fraction(0)) + Fraction(1, 6**4)
    who, against = DicePool("ada", "Ada", "M", 1), DicePool("ada", "Ada", "M", 1)
    assert walked(fall.hurt, who, against) == counted


def test_the_odds_of_a_high_fall_take_the_closed_form() -> None:
    posted = walled({**TOWER, "height": 20}, posted=with_model("ada", at=[14.5, 7], height_above=20))
    found = odds("fall", {"scene": posted, "model": "ada", "reactions": []}, budget=2000, policies={"*": "first"})
    marginal = next(each for each in found.marginals if each.field == "damage")
    assert sum(Fraction(chance.mass) for chance in marginal.values) == 1


# Pushes


def test_damage_counts_as_far_as_there_are_hit_points() -> None:
    field = field_of(with_model("bob", hit_points_lost=1))
    after, blow = fall.fell(table(), field, "bob", Landing((20_000, 10_000), 0, 40_000), 40.0)
    assert blow.damage == 2
    assert after.hit_points(after.unit("bob")) == 0


def test_a_push_of_somebody_who_is_gone_does_nothing() -> None:
    field = field_of(with_model("bob", at=[11, 10])).changed("bob", at=None, out="eliminated")
    action = Action("ada", "push", target="bob")
    assert push.done(table(), field, action, ActionContext())[0] == field
    assert len(push.violations(table(), field, action, ActionContext())) == 1


def test_who_hangs_at_a_side_falls_by_any_push() -> None:
    posted = with_models(ada={"at": [13.5, 7], "height_above": 2}, bob={"at": [12.5, 7]})
    field = field_of(walled(TOWER, posted=posted))
    after, blows = push.pushed(table(), field, "ada", "bob", 3000)
    assert (after.unit("ada").at, after.unit("ada").height_above, len(blows)) == ((13.5, 7.0), 0.0, 1)


def test_in_a_corner_nobody_is_pushed_anywhere() -> None:
    field = field_of(walled(WALL, posted=with_models(ada={"at": [10, 12.5]}, bob={"at": [10, 11.5]})))
    after, _ = push.pushed(table(), field, "ada", "bob", 6000)
    assert after.unit("ada").at == (10.0, 12.5)


def test_a_flight_from_below_leads_away_as_one_faces() -> None:
    """Bob stands straight above ada: no direction leads away from there, so it is backwards."""
    posted = with_models(ada={"at": [13.5, 7]}, bob={"at": [13.5, 7], "height_above": 3}, ole={"at": [30, 30]})
    field = field_of(walled(TOWER, posted=posted))
    assert flight.away(table(), field, "ada", "bob") == (-1, 0)


def test_ways_of_flights_lead_straight_on() -> None:
    field = field_of(with_models(ole={"at": [30, 30]}, bob={"at": [7, 6]}))
    after, outcome = flight.fled(table({"ada: flee": [5]}), field, "ada", "bob")
    # From (7, 6) to (10, 10) it is 3 east and 4 north; 10 more lead to (16, 18).
    assert after.unit("ada").at == (16.0, 18.0)
    assert outcome.distance == 10_000
    assert floats((16_000, 18_000)) == (16_000.0, 18_000.0)
