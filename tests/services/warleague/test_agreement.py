"""Questions that can answer the same agree on random tables: targets, lines, damage, actions, and the deeds."""

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.json import to_builtins
from tests.services.asking import every_game, examples, is_light, ruled
from tests.services.warleague.field import ask, field_of, unit

WEAPONS = [
    {"id": "rifle", "targeting": "ranged", "range": 4, "damage": [5, 3, 1], "against": [{"layer": "armor", "step": 2}]},
    {"id": "lance", "targeting": "ranged", "method": "limitless", "damage": [3], "bypasses": ["armor"]},
    {"id": "sword", "targeting": "melee", "damage": [4, 2, 1]},
    {"id": "bomb", "targeting": "thrown", "range": 3, "damage": [3], "explosion_radius": 1},
    {"id": "hammer", "targeting": "melee", "damage": [2], "explosion_radius": 0},
    {"id": "gun", "targeting": "ranged", "ammo": "slugs", "magazine": 2, "damage": [2]},
]
READINGS = st.fixed_dictionaries(
    {},
    optional={
        "weakest": st.sampled_from(["met", "body", "card"]),
        "weakest-tie": st.just("listed"),
        "named-target": st.just("named"),
        "rear-sector": st.sampled_from(["edge", "three"]),
        "flanked": st.just("engaged"),
        "friends-block": st.just("no"),
        "friendly-targets": st.just("yes"),
        "dual-empty": st.just("loaded-alone"),
        "layer-bonus": st.sampled_from(["bonus-first", "carried"]),
        "modifier-units": st.just("each"),
    },
)
HANDS = [[0], [1], [0, 1]]


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """A small board with tiles that units share, and two fighters with two weapons each."""
    tiles = draw(st.permutations([[column, row] for column in range(4) for row in range(4)]))
    held = st.sampled_from(WEAPONS).map(lambda weapon: {"weapon": weapon["id"]})
    places = [tiles[0], *(draw(st.sampled_from(tiles[1:4])) for _ in range(4))]
    units = [
        unit(
            id_,
            at,
            side,
            "fighter",
            facing=draw(st.integers(0, 3)),
            health_lost=draw(st.integers(0, 3)),
            hands=[draw(held), draw(held)],
            slots=draw(st.sampled_from([[], [{"item": "small-shield"}]])),
        )
        for id_, side, at in zip(
            ("ann", "bob", "cal", "dan", "eve"), ("red", "blue", "blue", "blue", "red"), places, strict=True
        )
    ]
    # A friend shares its tile with no enemy.
    units[4]["at"] = tiles[4]
    if draw(st.booleans()):
        units[0]["hands"] = [{**hand, "ammo": 0} if hand["weapon"] == "gun" else hand for hand in units[0]["hands"]]
    card = {"id": "fighter", "role": "npc", "ap": 3, "health": 5, "armor": 2, "slots": 1, "dual": draw(st.booleans())}
    return {
        "sides": [{"id": "red"}, {"id": "blue"}],
        "board": {"grid": draw(st.sampled_from(["hex", "square-4", "square-8"])), "columns": 4, "rows": 4},
        "shared_tiles": True,
        "units": units,
        "obstacles": [{"id": f"w{index}", "at": at} for index, at in enumerate(tiles[5:7])],
        "crates": [{"at": tiles[7], "holds": "nothing"}],
        "profiles": {"units": [card], "weapons": WEAPONS},
    }


@given(posted=tables(), readings=READINGS)
@settings(max_examples=60, deadline=None)
def test_a_target_is_open_and_flanked_as_the_attack_on_it_is(posted: dict[str, Any], readings: dict[str, str]) -> None:
    answer = ask("targets", {"scene": posted, "attacker": "ann"}, readings=readings).answer
    assert answer is not None
    for row in answer.weapons:
        for target in row.targets:
            case = {"scene": posted, "attacker": "ann", "target": target.target, "hands": list(row.hands)}
            ruling = ask("attack", case, readings=readings, policies={"*": "first"})
            assert (ruling.allowed, tuple(reason.text for reason in ruling.reasons)) == (target.open, target.why_not)
            if ruling.answer is not None:
                assert ruling.answer.flanked == target.flanked
                assert answer.ap - ruling.answer.attacker_ap == row.ap


@given(posted=tables(), readings=READINGS)
@settings(max_examples=40, deadline=None)
def test_a_weapon_without_a_range_reaches_whom_its_method_reaches(
    posted: dict[str, Any], readings: dict[str, str]
) -> None:
    lines = ask("line-of-sight", {"scene": posted, "observer": "ann", "targets": ["bob", "cal", "eve"]}).answer
    assert lines is not None
    for line in lines.lines:
        for method in line.methods:
            weapon = {"id": "probe", "targeting": "ranged", "method": method.method, "damage": [1]}
            probing = [
                {**each, "hands": [{"weapon": "probe"}]} if each["id"] == "ann" else each for each in posted["units"]
            ]
            scene = {**posted, "units": probing, "profiles": {**posted["profiles"], "weapons": [*WEAPONS, weapon]}}
            case = {"scene": scene, "attacker": "ann", "targets": [line.target]}
            (row,) = ask("targets", case, readings={"friendly-targets": "yes"}).answer.weapons
            (target,) = row.targets
            assert (target.open, target.distance) == (method.open, line.distance)
            assert target.why_not == method.why_not


@given(posted=tables(), readings=READINGS, hand=st.sampled_from([0, 1]))
@settings(max_examples=60, deadline=None)
def test_an_attack_without_dice_does_what_the_question_of_damage_says(
    posted: dict[str, Any], readings: dict[str, str], hand: int
) -> None:
    """Nobody parries here, so that damage falls on a tile as that question has it."""
    for target in (unit_ for unit_ in posted["units"][1:4] if unit_["at"] is not None):
        case = {"scene": posted, "attacker": "ann", "tile": target["at"], "hands": [hand]}
        ruling = ask("attack", case, readings=readings, policies={"*": "first"})
        if ruling.answer is None or ruling.answer.blasts:
            continue
        (amount,) = ruling.answer.amounts
        weapon = posted["units"][0]["hands"][hand]["weapon"]
        case = {"scene": posted, "tile": target["at"], "amount": amount, "weapon": weapon, "by": "ann"}
        answer = ask("damage", case, readings=readings, policies={"*": "first"}).answer
        assert answer is not None
        assert (answer.losses, answer.taken, answer.fallen) == (
            ruling.answer.losses,
            ruling.answer.damage,
            ruling.answer.fallen,
        )


@given(posted=tables(), readings=READINGS)
@settings(max_examples=25, deadline=None)
def test_an_action_is_open_in_as_many_ways_as_its_own_question_allows(
    posted: dict[str, Any], readings: dict[str, str]
) -> None:
    rows = {row.action: row for row in ask("actions", {"scene": posted, "unit": "ann"}, readings=readings).answer.rows}
    every = field_of(posted).ground.in_order
    allowed = [
        ask(
            "attack",
            {"scene": posted, "attacker": "ann", "tile": list(at), "hands": hands},
            readings=readings,
            policies={"*": "first"},
        ).allowed
        for hands in HANDS
        for at in every
    ]
    assert rows["attack"].ways == sum(allowed)
    ways = [
        ask("path", {"scene": posted, "unit": "ann", "goal": list(at)}, readings=readings, policies={"*": "first"})
        for at in every
        if list(at) != posted["units"][0]["at"]
    ]
    assert rows["move"].ways == sum(ruling.allowed for ruling in ways)


def test_whoever_is_named_in_a_finding_is_among_its_values() -> None:
    game = every_game()["warleague"]
    for example in filter(is_light, examples(game)):
        units = {unit_["id"] for unit_ in example.case["scene"].get("units", ())}
        for finding in to_builtins(ruled(game, example)[0]["findings"]):
            named = {id_ for id_ in units if f"({id_})" in finding["text"]}
            listed = set(re.findall(r'"unit": "([^"]+)"', json.dumps(finding["values"])))
            assert named <= listed, finding
