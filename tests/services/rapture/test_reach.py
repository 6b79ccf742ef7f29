"""Distances, contact, sight and range between units, worked out by hand."""

from fractions import Fraction
from math import cos, dist, pi, sin
from typing import Any

import pytest

from arbiter.fault import Faults
from services.rapture.rules import reach
from tests.services.rapture.field import SCENE, ask, box, field_of, scene, table, unit, walled, with_unit

GUARD = "ditch-guard"


def squad(*at: list[float], **rest: Any) -> Any:
    return unit("gus", [list(place) for place in at], "blue", GUARD, **rest)


def test_distance_runs_between_the_nearest_edges_or_centres() -> None:
    """From ada at (10, 10), base 3, to the first guard at (60, 10), base 2.5: 50 less 1.5 and 1.25."""
    field = field_of()
    assert reach.distance(table(), field, "ada", "gus") == 47_250
    assert reach.distance(table(measured_from="centres"), field, "gus", "ada") == 50_000
    assert reach.distance(table(), field, "ada", "bob").is_zero


def test_what_is_exactly_in_range_is_within() -> None:
    field = field_of(scene(units=[unit("ada", [[10, 10]]), squad([40, 50])]))
    # 30 and 40 make 50; less the two radii.
    assert reach.in_range(table(), field, "ada", "gus", 47_250)
    assert not reach.in_range(table(), field, "ada", "gus", 47_249)
    assert not reach.in_range(table(measured_from="centres"), field, "ada", "gus", 49_999)
    at_table = table()
    assert reach.in_range(at_table, field, "ada", "gus", 50_000)
    assert not at_table.read_ids


@pytest.mark.parametrize(("x", "touching"), [(13.495, True), (13.5, True), (13.509, True), (13.51, False)])
def test_less_than_a_hundredth_of_a_centimetre_is_contact(x: float, touching: bool) -> None:
    field = field_of(with_unit("bob", models=[[x, 10]]))
    assert reach.touches(table(), field, "ada", "bob") is touching
    assert reach.contact(table(), field, "ada") == (("bob",) if touching else ())


def test_own_units_are_no_opponents_in_contact() -> None:
    assert reach.contact(table(), field_of(), "una") == ()
    assert reach.touches(table(), field_of(), "una", "fay")


def test_hand_to_hand_takes_contact_or_a_centimetre() -> None:
    field = field_of(with_unit("bob", models=[[14.5, 10]]))
    near = reach.close(table(close_combat_reach="one-centimetre"), field, "ada", "bob")
    far = reach.close(table(), field, "ada", "bob")
    assert (near.open, near.models, far.open, far.models) == (True, 1, False, 0)
    assert [reason.cites for reason in far.reasons] == [("basics/contact",)]
    further = field_of(with_unit("bob", models=[[14.501, 10]]))
    assert not reach.close(table(close_combat_reach="one-centimetre"), further, "ada", "bob").open


def test_a_squad_fights_with_the_models_that_reach() -> None:
    field = field_of(scene(units=[unit("ada", [[10, 10]]), squad([12.75, 10], [7.25, 10], [30, 10])]))
    result = reach.close(table(), field, "gus", "ada")
    assert (result.models, result.of) == (2, 3)
    assert reach.dice(table(), result, 5) == 5
    # Two thirds of five dice are three and a third.
    assert reach.dice(table(squad_dice="share"), result, 5) == 4
    assert reach.dice(table(squad_dice="share"), reach.Reach((), 3, 3), 5) == 5


def test_range_ends_at_the_value_of_now() -> None:
    units = [unit("ada", [[10, 10]]), unit("bob", [[53.5, 10]], "blue", "gate-breaker")]
    assert reach.shot(table(), field_of(scene(units=units)), "ada", "bob").open
    units[1]["models"] = [[53.501, 10]]
    short = reach.shot(table(), field_of(scene(units=units)), "ada", "bob")
    assert [reason.cites for reason in short.reasons] == [("attack/range",)]


def test_without_a_ranged_weapon_nobody_shoots() -> None:
    result = reach.shot(table(), field_of(), "bob", "ada")
    assert [reason.cites for reason in result.reasons] == [("profile/ranged-weapon",)]


WALLED = [unit("ada", [[10, 10]]), unit("bob", [[30, 10]], "blue", "gate-breaker")]


def test_a_wall_hides_and_is_named() -> None:
    field = field_of(walled(box("wall", 19, 0, 21, 30), units=WALLED))
    assert reach.sight(table(), field, "ada", "bob") == reach.Sight(False, ("wall",))
    result = reach.shot(table(), field, "ada", "bob")
    assert [reason.cites for reason in result.reasons] == [("ability/line-of-sight",)]
    assert reach.shot(table(ranged_line_of_sight="not-needed"), field, "ada", "bob").open


def test_what_does_not_block_sight_hides_nobody() -> None:
    field = field_of(walled(box("pond", 19, 0, 21, 30, blocks_sight=False), units=WALLED))
    at_table = table()
    assert reach.sight(at_table, field, "ada", "bob").seen
    assert not at_table.read_ids


@pytest.mark.parametrize(
    ("wall", "options", "seen"),
    [
        (box("wall", 19, 0, 21, 11), {}, True),
        (box("wall", 19, 0, 21, 11), {"sight_from": "centre"}, False),
        (box("wall", 19, 0, 21, 10), {"sight_from": "centre"}, True),
        (box("wall", 19, 0, 21, 10), {"sight_from": "centre", "graze": "touch"}, False),
        (box("wall", 19, 0, 21, 30, height_cm=4), {}, False),
        (box("wall", 19, 0, 21, 30, height_cm=4), {"sight_in_height": "space"}, True),
    ],
)
def test_each_reading_of_sight_counts(wall: dict[str, Any], options: dict[str, str], seen: bool) -> None:
    at_table = table(**options)
    assert reach.sight(at_table, field_of(walled(wall, units=WALLED)), "ada", "bob").seen is seen
    assert {id_.replace("_", "-") for id_ in options} <= set(at_table.read_ids)


def test_models_of_others_block_by_a_reading_and_own_ones_never() -> None:
    eve = unit("eve", [[20, 10]], "blue", "gate-breaker")
    field = field_of(scene(units=[unit("ada", [[10, 10]]), squad([30, 10]), eve]))
    assert reach.sight(table(), field, "ada", "gus").seen
    assert reach.sight(table(models_block_sight="yes"), field, "ada", "gus") == reach.Sight(False, ("eve",))
    own = field_of(scene(units=[unit("ada", [[10, 10]]), squad([30, 10], [20, 10])]))
    assert reach.sight(table(models_block_sight="yes"), own, "ada", "gus").seen


def test_models_shoot_that_both_see_and_reach() -> None:
    """Range 25: the first guard is near and behind the wall, the second near and in the open, the third too far."""
    scene = walled(box("wall", 19, 8, 20, 12), units=[unit("ada", [[10, 10]]), squad([23, 10], [20, 30], [80, 80])])
    result = reach.shot(table(sight_from="centre"), field_of(scene), "gus", "ada")
    assert (result.models, result.of, result.open) == (1, 3, True)
    ignoring = reach.shot(table(sight_from="centre", ranged_line_of_sight="not-needed"), field_of(scene), "gus", "ada")
    assert ignoring.models == 2


def test_rules_that_are_off_stand_in_nobodys_way() -> None:
    field = field_of(walled(box("wall", 19, 0, 21, 30), units=WALLED))
    with reach.visible_pairs.switched_off():
        assert reach.shot(table(), field, "ada", "bob").open
    with reach.distance.switched_off():
        assert reach.distance(table(), field, "ada", "bob").squared == Fraction(0)


def test_the_question_lists_every_opponent_in_play() -> None:
    answer = ask("line-of-sight", {"scene": SCENE, "observer": "ada"}).answer
    assert [line.target for line in answer.lines] == ["bob", "fay", "una", "vic", "gus"]
    bob, gus = answer.lines[0], answer.lines[-1]
    assert (bob.contact, bob.close, bob.close_dice, bob.shot_dice) == (True, True, 3, 3)
    assert (gus.distance_cm, gus.seen, gus.shot, gus.shot_dice, len(gus.why_not)) == (47.25, True, False, 0, 2)


@pytest.mark.parametrize("case", [{"observer": "ada", "targets": ["ada"]}, {"observer": "nobody"}])
def test_the_question_refuses_whom_it_cannot_look_at(case: dict[str, Any]) -> None:
    with pytest.raises(Faults):
        ask("line-of-sight", {"scene": SCENE, **case})


@pytest.mark.parametrize(("top", "free"), [(9.0, True), (11.0, True), (12.0, False)])
def test_the_line_of_an_answer_runs_past_the_wall_or_between_the_middles(top: float, free: bool) -> None:
    pair = [unit("ada", [[10, 10]]), unit("bob", [[30, 10]], "blue", "gate-breaker")]
    (line,) = ask(
        "line-of-sight", {"scene": walled(box("wall", 19, 0, 20, top), units=pair), "observer": "ada"}
    ).answer.lines
    assert line.seen is free
    if not free or top < 10:
        assert (line.start, line.end) == ((10, 10), (30, 10))
    else:
        (ax, ay), (bx, by) = line.start, line.end
        over = ay + (by - ay) * (19 - ax) / (bx - ax), ay + (by - ay) * (20 - ax) / (bx - ax)
        assert min(over) >= top - 0.001


def test_a_ring_of_rounded_places_is_in_contact_by_the_tolerance_of_the_board() -> None:
    """Five bearers around a sixth, 3 cm from it, their places rounded to a tenth: (40.9, 42.9) is 3.036 cm away."""
    turns = [turn * 2 * pi / 5 for turn in range(5)]
    ring = [(round(40 + 3 * cos(turn), 1), round(40 + 3 * sin(turn), 1)) for turn in turns]
    units = [unit("ada", [[40.0, 40.0]])]
    units += [unit(f"b{number}", [list(at)], side="blue") for number, at in enumerate(ring)]
    assert reach.contact(table(), field_of(scene(units=units)), "ada") == ("b0", "b2", "b3")
    field = field_of(scene(units=units, board={"tolerance_cm": 0.1}))
    assert reach.contact(table(), field, "ada") == ("b0", "b1", "b2", "b3", "b4")
    # At (41.5, 42.6) a bearer is 0.0017 cm away: more than 0.001, less than 0.01.
    apart = [units[0], unit("bob", [[41.5, 42.6]], side="blue")]
    assert dist((0, 0), (1.5, 2.6)) == pytest.approx(3.0017, abs=1e-4)
    for tolerance, contacts in ((0.001, ()), (0.01, ("bob",))):
        loose = field_of(scene(units=apart, board={"tolerance_cm": tolerance}))
        assert reach.contact(table(), loose, "ada") == contacts


def test_who_stands_in_a_base_by_the_tolerance_moves_freely_and_is_not_blocked_by_it() -> None:
    near = [unit("ada", [[40.0, 40.0]]), unit("amy", [[42.9, 40.0]]), unit("bob", [[80.0, 80.0]], side="blue")]
    case = {"scene": scene(units=near, board={"tolerance_cm": 0.2}), "unit": "ada"}
    away = ask("path", {**case, "goal": [36.0, 40.0]})
    assert away.allowed
    assert away.answer.length_cm == pytest.approx(4.0)
    # Past a friend it may not go deeper into the base than the tolerance.
    assert not ask("path", {**case, "way": [[45.0, 40.0]]}).allowed
    with pytest.raises(Faults):
        ask("path", {**case, "scene": scene(units=near), "goal": [36.0, 40.0]})
