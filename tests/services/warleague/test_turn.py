"""Turns and rounds: the order by fractions, whole rounds of turns, command points, and the update phase."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.fault import Faults
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked
from services.warleague.rules import points, sequence, turn, update
from tests.services.warleague.field import ask, field_of, scene, table, unit, walked, with_unit

SIDES = ("red", "blue", "wild")


def law_by_hand() -> dict[tuple[str, ...], Fraction]:
    """A second method: all throws of three dice, and of the dice that fall again."""
    found: dict[tuple[str, ...], Fraction] = {}
    for faces in product(range(1, 7), repeat=3):
        again = [side for side, face in zip(SIDES, faces, strict=True) if faces.count(face) > 1]
        for more in product(range(1, 7), repeat=len(again)):
            second = dict(zip(again, more, strict=True))
            keys = {side: (-face, -second.get(side, 0)) for side, face in zip(SIDES, faces, strict=True)}
            order = tuple(sorted(SIDES, key=keys.__getitem__))
            found[order] = found.get(order, Fraction(0)) + Fraction(1, 6 ** (3 + len(again)))
    return found


def test_the_order_has_the_law_that_all_throws_give() -> None:
    field = field_of(scene(phase="order"))
    law = walked(sequence.settle, field)
    orders: dict[tuple[str, ...], Fraction] = {}
    for after, mass in law.items():
        orders[after.scene.order] = orders.get(after.scene.order, Fraction(0)) + mass
    assert orders == law_by_hand()


def test_dice_that_are_rolled_stay_on_the_scene() -> None:
    after = sequence.settle(table(), field_of(scene(phase="order")))
    faces = {side.id: side.die for side in after.scene.sides}
    assert faces[after.scene.order[0]] == max(face or 0 for face in faces.values())
    assert checked(after.scene) == after


def round_of(field: Battlefield, **readings: str) -> tuple[list[str], Battlefield]:
    """Let every unit that can have its turn, first come first served, until the turns of the round are over."""
    at, acted = table(**readings), []
    while field.scene.phase == "turns":
        side = turn.next_side(at, field)
        assert side is not None
        unit_id = turn.units_ready(at, field, side)[0]
        assert turn.violations(at, field, unit_id) == ()
        field = turn.ended(at, turn.begin(at, field, unit_id), unit_id)
        assert checked(field.scene) == field
        acted.append(unit_id)
    return acted, field


def test_heroes_of_all_sides_act_first_then_sides_in_turn() -> None:
    field = field_of(scene(order=["wild", "red", "blue"]))
    assert round_of(field)[0] == ["ann", "bob", "cid", "dot"]


def test_with_heroes_before_their_own_units_alone_the_order_is_that_of_sides() -> None:
    field = field_of(scene(order=["wild", "red", "blue"]))
    assert round_of(field, heroes_first="own")[0] == ["cid", "ann", "bob", "dot"]


ROLES = {"scrapper": "hero", "watch-drone": "drone", "mandible": "critter", "raider": "npc"}


@given(data=st.data())
def test_in_a_round_each_acts_once_as_far_as_command_points_last(data: st.DataObject) -> None:
    profiles = data.draw(st.lists(st.sampled_from(sorted(ROLES)), min_size=1, max_size=8))
    sides = [data.draw(st.sampled_from(("red", "blue"))) for _ in profiles]
    command = {side: data.draw(st.integers(0, 4)) for side in ("red", "blue")}
    posted = scene(
        units=[unit(f"u{index}", [index, 0], sides[index], profile) for index, profile in enumerate(profiles)],
        sides=[{"id": side, "command_points": many} for side, many in command.items()],
        order=["blue", "red"],
    )
    field = field_of(posted)
    if not any(turn.units_ready(table(), field, side) for side in command):
        return
    acted, after = round_of(field)
    paid = {"drone", "critter"}
    for side in command:
        own = [ROLES[profile] for profile, of in zip(profiles, sides, strict=True) if of == side]
        wanted = sum(role in paid for role in own)
        served = min(wanted, command[side])
        assert sum(field.player(unit_id) == side for unit_id in acted) == len(own) - wanted + served
        assert after.side(side).command_points == command[side] - served
    assert len(set(acted)) == len(acted)
    heroes = [ROLES[field.unit(unit_id).profile] == "hero" for unit_id in acted]
    assert heroes == sorted(heroes, reverse=True), "heroes first"
    assert (after.scene.round, after.scene.phase) == (2, "update")
    assert not any(each.acted for each in after.scene.units)


def test_the_turn_of_who_falls_in_it_is_over() -> None:
    before = field_of(
        {**with_unit("ann", health_lost=7, armor_lost=4), "turn": "red", "active": "ann", "order": list(SIDES)}
    )
    fallen = before.put(replace(before.unit("ann"), downed=True)).with_(active=None)
    after = turn.after_action(table(), before, fallen)
    assert after.scene.turn == "blue"
    assert after.unit("ann").acted
    assert turn.after_action(table(), before, before) == before


def test_who_dies_by_its_own_step_hands_the_turn_on() -> None:
    posted = {**with_unit("ann", at=[5, 7]), "turn": "red", "active": "ann", "order": list(SIDES)}
    ruling = ask("path", {"scene": posted, "unit": "ann", "way": [[6, 8]]}, readings={"walk-into-killing": "yes"})
    patch = {step.path: step.value for step in ruling.effects.patch if step.op != "test"}
    assert patch["/turn"] == "blue"


def test_a_scene_that_keeps_no_account_of_turns_lets_anyone_act_once() -> None:
    field = field_of()
    assert turn.act_violations(table(), field, "dot") == ()
    after = turn.ended(table(), field, "dot")
    assert after.scene.turn is None
    assert [reason.rule for reason in turn.act_violations(table(), after, "dot")] == ["turn.unready"]


def test_two_update_phases_lead_through_two_rounds() -> None:
    for when, phases in (("start", ["update", "order"]), ("end", ["order"])):
        field = field_of(scene(order=list(SIDES)))
        _, after = round_of(field, update_when=when)
        seen = [after.scene.phase]
        if after.scene.phase == "update":
            after = update.phase(table(update_when=when), after)
            seen.append(after.scene.phase)
        assert (seen, after.scene.round) == (phases, 2)


def test_points_are_renewed_with_what_effects_leave() -> None:
    snared = {"card": "snare", "changes": [{"stat": "ap", "step": -2}], "rounds": 3}
    field = points.with_round(table(), field_of(with_unit("ann", ap=0, effects=[snared])))
    assert points.left(field, "ann") == 4
    assert points.with_round(table(points_renewed="turn"), field_of(with_unit("ann", ap=0))).unit("ann").ap == 0
    assert points.left(points.with_turn(table(points_renewed="turn"), field_of(with_unit("ann", ap=0)), "ann"), "ann")


@pytest.mark.parametrize(
    ("case", "pointer"),
    [({"step": "begin"}, "/case/unit"), ({"step": "pass"}, "/case/side"), ({"unit": "zoe"}, "/case/unit")],
)
def test_steps_of_nobody_are_faults(case: dict[str, Any], pointer: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("turn", {"scene": scene(), **case})
    assert [fault.pointer for fault in caught.value.faults] == [pointer]
