from fractions import Fraction
from typing import Any

import icepool
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.odds.exact import law
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import hostile_activation, sight, threat
from services.blackstone_fortress.rules.unique_hostile_actions import ACTIONS, perform
from services.blackstone_fortress.scene import Hostile
from tests.effort import cases
from tests.services.blackstone_fortress.skirmishes import FIRST, Plain, field_from, readings, scenes, table
from tests.services.blackstone_fortress.tabletop import block, field_of, guard, janus, scene

# How many moves, each of at most the Move value, an action can hold; Fall Back is one of twice the value.
MOVES = {
    "advance": 1,
    "aim": 0,
    "charge": 2,
    "fall-back": 2,
    "hold": 0,
    "onslaught": 0,
    "sneak": 1,
    "rush": 3,
    "fury": 0,
    "rapid-fire": 0,
    "pounce": 2,
    "recharge": 1,
    "alert": 0,
    "empower": 0,
    "annihilate": 0,
    "disrupt": 0,
    "regenerate": 0,
    "overcharge": 0,
}


def test_every_action_is_named_here() -> None:
    assert set(MOVES) == set(ACTIONS)


@settings(max_examples=cases(150))
@given(scenes(hostiles=3), st.sampled_from(sorted(ACTIONS)), st.integers(0, 9), st.data())
def test_an_action_moves_nobody_but_the_hostile_and_it_no_further_than_it_may(
    posted: dict[str, Any], action: str, seed: int, data: Any
) -> None:
    field = field_from(posted)
    hostile = data.draw(st.sampled_from(field.hostiles))
    table_ = table(str(seed))
    after = perform(table_, field, hostile.id, action)[0]
    now = after.hostile(hostile.id)
    assert [one.hex for one in after.scene.hostiles if one.id != now.id and not one.slain] == [
        one.hex for one in field.scene.hostiles if one.id != now.id and not after.hostile(one.id).slain
    ]
    assert all(one.hex in (None, field.explorer(one.id).hex) for one in after.scene.explorers)
    if not now.slain:
        assert now.hex is not None
        assert hostile.hex is not None
        assert field.ground.distance(hostile.hex, now.hex) <= MOVES[action] * field.card(hostile).move
        assert now.hex not in {one.hex for one in after.explorers}
        assert Plain(after, now).has_room(now.hex)


@settings(max_examples=cases(80))
@given(scenes(), st.integers(0, 9), st.data())
def test_falling_back_either_hides_or_stays(posted: dict[str, Any], seed: int, data: Any) -> None:
    field = field_from(posted)
    hostile = data.draw(st.sampled_from(field.hostiles))
    after = perform(table(str(seed)), field, hostile.id, "fall-back")[0]
    now = after.hostile(hostile.id)
    if now.slain or now.hex is None or now.hex == hostile.hex:
        return
    places = [one.hex for one in after.explorers if one.hex]
    assert not any(sight.visible(table(), field, place, now.hex) for place in places)


@settings(max_examples=cases(60))
@given(scenes(hostiles=3), st.integers(0, 99))
def test_a_group_acts_once_each_and_leaves_a_sound_battlefield(posted: dict[str, Any], seed: int) -> None:
    field = field_from(posted)
    table_ = table(str(seed))
    after, _ = hostile_activation.activate_group(table_, field, "foes")
    activated = [event.values["unit"] for event in table_.events if event.name == "activated"]
    assert len(activated) == len(set(activated))
    standing = {hostile.id for hostile in after.hostiles}
    assert standing <= set(activated)
    assert all(after.hostile(id_).activated for id_ in activated)
    for unit in after.hostiles:
        assert unit.hex is not None
        assert Plain(after, unit).has_room(unit.hex)
        assert unit.hex not in {one.hex for one in after.explorers}


def lost(table_: Any, field: Battlefield, action: str) -> tuple[int, int]:
    """Give the wounds and grievous wounds that one action leaves Draik with."""
    explorer = perform(table_, field, "guard-1", action)[0].explorer("janus")
    return explorer.wounds, explorer.grievous


@pytest.mark.parametrize(("action", "again"), [("onslaught", False), ("fury", True), ("rapid-fire", True)])
def test_the_law_of_two_attacks_is_that_of_icepool(action: str, again: bool) -> None:
    field = field_of(scene([janus([0, 0])], [guard("guard-1", [3, 0])], {"hexes": block(6, 1)}))
    result = law(lost, field, action, policies=FIRST, readings=readings())
    die = icepool.Die({"failure": 4, "success": 2, "critical": 2})
    attack = die.reroll(["failure"], depth=1) if again else die

    def left(struck: str, defence: str) -> tuple[int, int]:
        if struck == "failure" or defence == "critical":
            return 0, 0
        if struck == "success":
            return (1, 0) if defence == "failure" else (0, 0)
        return (0, 1) if defence == "failure" else (1, 0)

    once = icepool.map(left, attack, die)
    both = icepool.map(lambda a, b: (a[0] + b[0], a[1] + b[1]), once, once)
    assert result == {outcome: Fraction(both.probability(outcome)) for outcome in both}


def test_a_rush_that_finds_nobody_is_three_moves_long() -> None:
    field = field_of(scene([janus([0, 0])], [guard("guard-1", [9, 0])], {"hexes": block(10, 1)}))
    assert perform(table(), field, "guard-1", "rush")[0].hostile("guard-1").hex == (3, 0)


def test_disrupt_never_wounds_while_there_is_a_die() -> None:
    posted = scene([janus([0, 0], activation=[1, 6])], [guard("guard-1", [4, 0])], turn={"destiny": [2]})
    field = field_of(posted)
    for _ in range(3):
        field = perform(table(), field, "guard-1", "disrupt")[0]
        assert field.explorer("janus").wounds == field.explorer("janus").grievous == 0
    assert field.explorer("janus").activation == ()
    assert (field.scene.turn.destiny, field.scene.turn.discarded_destiny) == ((), (2,))
    assert (
        perform(table(hand={"janus: defence": ["failure"]}), field, "guard-1", "disrupt")[0].explorer("janus").wounds
        == 1
    )


def test_threat_stops_at_three() -> None:
    field = field_of(scene([], [guard("guard-1", [4, 0])], threat=2))
    once = perform(table(), field, "guard-1", "alert")[0]
    assert once.scene.threat == 3
    assert perform(table(), once, "guard-1", "alert")[0].scene.threat == 3


@pytest.mark.parametrize(("option", "left"), [("zero", 2), ("zero-each-turn", 0)])
def test_threat_is_kept_or_lost_when_a_turn_begins(option: str, left: int) -> None:
    field = field_of(scene([], [guard("guard-1", [4, 0])], threat=2))
    assert threat.in_new_turn(table(drone_threat_start=option), field).scene.threat == left


def test_an_empowered_psyker_stays_so_and_disrupts() -> None:
    psyker = {"id": "guard-1", "group": "guards", "profile": "rogue-psyker", "hex": [4, 0]}
    field = field_of(scene([janus([0, 0], activation=[3])], [psyker]))
    once = perform(table(), field, "guard-1", "empower")[0]
    assert isinstance(once.units["guard-1"], Hostile)
    assert once.hostile("guard-1").empowered
    assert once.explorer("janus").activation == (3,)
    twice = perform(table(), once, "guard-1", "empower")[0]
    assert twice.hostile("guard-1").empowered
    assert twice.explorer("janus").activation == ()


@settings(max_examples=40)
@given(scenes(hostiles=2), st.sampled_from(["onslaught", "advance", "aim", "charge", "fury"]), st.integers(0, 999))
def test_the_attacks_that_are_listed_are_those_that_hurt_or_missed(
    posted: dict[str, Any], action: str, seed: int
) -> None:
    field = field_from(posted)
    hostile = field.hostiles[0].id
    table_ = table(str(seed))
    after, outcomes = perform(table_, field, hostile, action)
    assert all(one.attacker == hostile for one in outcomes)
    assert len(outcomes) <= 2
    misses = [event.values["unit"] for event in table_.events if event.name == "missed"]
    blank = [one.target for one in outcomes if one.struck_wounds + one.struck_grievous == 0]
    if not any(event.name == "riposte" for event in table_.events):
        assert misses == blank
    for explorer in field.explorers:
        suffered = sum(one.wounds + one.grievous for one in outcomes if one.target == explorer.id)
        now = after.explorer(explorer.id)
        counters = now.wounds + now.grievous - explorer.wounds - explorer.grievous
        # The wound that takes somebody out of action lies on no space.
        assert suffered - counters == int(now.out_of_action)
