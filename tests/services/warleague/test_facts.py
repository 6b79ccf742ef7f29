"""WarLeague without a board: what players see is asked for and believed, and is ruled as a board that shows it."""

import json
import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.ruling import Ruling
from services.warleague.arbiter import ARBITER
from tests.services.facts_law import holds
from tests.services.warleague.field import ask, odds

SIDES = [{"id": "red"}, {"id": "blue"}]
ANN = {"id": "ann", "side": "red", "profile": "scrapper"}
BOB = {"id": "bob", "side": "blue", "profile": "marksman"}
CID = {"id": "cid", "side": "blue", "profile": "raider"}


def table(*units: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"sides": SIDES, "units": list(units or (ANN, BOB, CID)), **rest}


def keys(ruling: Ruling[Any]) -> list[str]:
    """Give the facts that a ruling still needs."""
    return [needs.key for needs in (ruling.needs.facts if ruling.needs else None) or ()]


# What is asked


def test_a_shot_asks_for_line_and_range_and_only_then_from_where_it_comes() -> None:
    case = {"scene": table(), "attacker": "ann", "target": "bob"}
    assert keys(ask("attack", case)) == ["clear_line:ann,bob", "distance:ann,bob"]
    assert keys(ask("attack", {**case, "given": {"clear_line": True}})) == ["distance:ann,bob"]
    assert keys(ask("attack", {**case, "given": {"clear_line": True, "distance": 4}})) == ["behind:ann,bob"]


@pytest.mark.parametrize(
    ("weapon", "asked"),
    [
        ("cleaver", ["adjacent:ann,bob"]),  # a melee weapon of its own method reaches adjacent tiles alone
        ("maul", ["adjacent:ann,bob"]),  # direct, with range 1
        ("phase-lance", ["distance:ann,bob"]),  # nothing is in its way
        ("mortar", ["over_obstacles:ann,bob", "distance:ann,bob"]),
    ],
)
def test_each_method_asks_for_what_can_be_in_its_way(weapon: str, asked: list[str]) -> None:
    armed = {**ANN, "hands": [{"weapon": weapon}]}
    assert keys(ask("attack", {"scene": table(armed, BOB), "attacker": "ann", "target": "bob"})) == asked


def test_of_one_value_of_damage_nobody_is_asked_from_where_it_comes() -> None:
    armed = {**ANN, "hands": [{"weapon": "guard-blade"}]}
    case = {"scene": table(armed, BOB), "attacker": "ann", "target": "bob", "given": {"adjacent": True}}
    ruling = ask("attack", case)
    # 3 and 1 for a blade in the hand: 2 armor and 2 health of bob's.
    assert ruling.status == "ruled"
    assert [(loss.layer, loss.points) for loss in ruling.answer.losses] == [("armor", 2), ("health", 2)]


def test_who_else_is_on_a_tile_is_asked_only_where_tiles_are_shared() -> None:
    case = {"scene": table(shared_tiles=True), "attacker": "ann", "target": "bob"}
    assert keys(ask("attack", case))[0] == "same_tile:bob"
    told = {"same_tile": ["cid"], "clear_line": True, "distance": 2, "behind": False}
    ruling = ask("attack", {**case, "given": told}, dice={"hand": {"ann: intensity": [6]}})
    # Critical, 3: of bob with 9 left and cid with 4 the weakest takes it.
    assert [(loss.unit, loss.points) for loss in ruling.answer.losses] == [("cid", 3)]


def test_the_reading_of_flanks_asks_for_another_enemy_beside_the_target() -> None:
    case = {"scene": table(), "attacker": "ann", "target": "bob"}
    told = {"clear_line": True, "distance": 2, "behind": True}
    ruling = ask("attack", {**case, "given": told}, readings={"flanked": "engaged"})
    assert keys(ruling) == ["engaged:ann,bob"]
    ruling = ask("attack", {**case, "given": {**told, "engaged": True}}, readings={"flanked": "engaged"})
    assert ruling.answer.flanked


def test_an_obstacle_in_between_leaves_no_clear_line_and_a_clear_line_no_obstacle() -> None:
    case = {"scene": table(), "attacker": "ann", "target": "bob", "assume": "usual"}
    ruling = ask("attack", {**case, "given": {"over_obstacles": False}})
    assert [reason.rule for reason in ruling.reasons] == ["targeting.clear_line"]
    grenade = {"scene": table({**ANN, "slots": [{"item": "frag-grenade"}]}, BOB, CID), "unit": "ann", "item": 0}
    given = {"clear_line": True, "distance": 2, "caught": []}
    assert ask("use-item", {**grenade, "target": "bob", "given": given}, dice={"hand": {}}).status == "needs_dice"


def test_who_shares_a_tile_is_told_once_of_all_on_it() -> None:
    eve, dan = {**CID, "id": "eve"}, {**CID, "id": "dan"}
    case = {"scene": table(ANN, CID, eve, dan, shared_tiles=True), "attacker": "ann", "target": "eve"}
    given = {"clear_line": True, "distance": 1, "behind": True, "same_tile:cid": ["dan", "eve"]}
    ruling = ask("attack", {**case, "given": given})
    told = [used for used in ruling.facts if used.fact == "same_tile"]
    assert [(used.of["unit"], used.value, used.origin) for used in told] == [("eve", ("cid", "dan"), "given")]
    with pytest.raises(Faults) as refused:
        ask("attack", {**case, "given": {**given, "same_tile:eve": []}})
    assert {fault.code for fault in refused.value.faults} == {"facts-contradict"}


@pytest.mark.parametrize(("radius", "read"), [(0, {}), (1, {"explosion-radius": "centre-first"})])
def test_nobody_is_asked_who_else_is_within_a_radius_of_one_tile(radius: int, read: dict[str, str]) -> None:
    case = {"scene": table(), "target": "bob", "radius": radius, "damage": [2]}
    assert ask("explosion", case, readings=read).answer.damage == 2
    assert keys(ask("explosion", {**case, "radius": radius + 1}, readings=read)) == ["caught:bob"]


def test_the_closest_enemy_is_no_friend() -> None:
    scene = table({**CID, "side": "red"}, ANN, BOB, {**BOB, "id": "eve"})
    with pytest.raises(Faults) as refused:
        ask("behaviour", {"scene": scene, "unit": "cid", "given": {"closest:cid": ["ann"], "approach": 9}})
    assert [(fault.pointer, fault.expected) for fault in refused.value.faults] == [
        ("/case/given/closest:cid/0", "some of bob, eve, or an empty list")
    ]


def test_an_npc_asks_for_its_next_target_after_the_first_has_fallen() -> None:
    npc = {**CID, "side": "red"}
    scene = table(
        npc,
        {**BOB, "profile": "raider", "health_lost": 3},
        {**BOB, "id": "eve", "profile": "raider"},
        BOB | {"id": "dan"},
    )
    told: dict[str, Any] = {"closest": ["bob"], "approach": 0, "behind": True}
    assert keys(ask("behaviour", {"scene": scene, "unit": "cid", "given": told})) == ["closest_then:cid"]
    # Whose way matters follows from who is the closest.
    told |= {"closest_then": ["eve"]}
    assert keys(ask("behaviour", {"scene": scene, "unit": "cid", "given": told})) == ["approach_then:cid,eve"]
    told |= {"approach_then": 2, "behind_then": True}
    answer = ask("behaviour", {"scene": scene, "unit": "cid", "given": told}).answer
    # 4 points: one bite for bob with 1 health, two for the way, one for eve with 4.
    assert [(each.target, each.damage) for each in answer.attacks] == [("bob", 1), ("eve", 4)]
    assert (answer.fallen, answer.left) == (("bob", "eve"), 0)


# What is believed


def test_a_board_that_shows_something_else_is_a_fault_unless_players_overrule_it() -> None:
    scene = table({**ANN, "at": [2, 2]}, {**BOB, "at": [5, 2]})
    case = {"scene": scene, "attacker": "ann", "target": "bob", "given": {"distance": 9}}
    with pytest.raises(Faults) as refused:
        ask("attack", case)
    assert [(fault.pointer, fault.code) for fault in refused.value.faults] == [
        ("/case/given/distance", "fact-contradicts-board")
    ]
    ruling = ask("attack", {**case, "given_wins": True})
    assert [reason.rule for reason in ruling.reasons] == ["targeting.range_violations"]
    assert ask("attack", {**case, "given": {"distance": 3}}, dice={"seed": 1}).allowed


def test_what_only_a_board_shows_says_so() -> None:
    for question, rest in (
        ("moves", {"unit": "ann"}),
        ("path", {"unit": "ann", "goal": [3, 3]}),
        ("line-of-sight", {"observer": "ann"}),
        ("battle", {}),
        ("attack", {"attacker": "ann", "tile": [3, 3], "hands": [0]}),
        ("explosion", {"at": [3, 3], "radius": 1, "damage": [1]}),
    ):
        with pytest.raises(Faults) as refused:
            ask(question, {"scene": table(), **rest}, policies={"*": "first"})
        assert refused.value.faults[0].code == "board-missing", question


def test_the_dead_and_the_unknown_are_not_caught_in_an_explosion() -> None:
    dead = {**CID, "health_lost": 4, "dead": True}
    case = {"scene": table(ANN, BOB, dead), "target": "bob", "radius": 1, "damage": [2], "given": {"caught": ["cid"]}}
    assert ask("explosion", case).answer.damage == 2
    with pytest.raises(Faults) as refused:
        ask("explosion", {**case, "given": {"caught": ["bob", "zed"]}})
    assert [fault.pointer for fault in refused.value.faults] == ["/case/given/caught/1"]


@pytest.mark.parametrize(
    ("more", "expected"), [({"given": {"distance:ann,bob": 3}}, 3), ({"given": {"distance": 2}}, 2), ({}, 1)]
)
def test_how_far_a_target_is_without_a_board_is_as_the_players_say(more: dict[str, Any], expected: int) -> None:
    """Where nobody says it, it is the usual tile that the ruling stands on."""
    rows = ask("targets", {"scene": table(), "attacker": "ann", "assume": "usual", **more}).answer.weapons
    assert {target.distance for row in rows for target in row.targets if target.target == "bob"} == {expected}


def test_npcs_of_a_battle_do_not_attack_where_nobody_sees_them() -> None:
    scene = table({**CID, "side": "red"}, {**CID, "id": "eve"})
    with pytest.raises(Faults) as refused:
        ask("battle", {"scene": scene}, policies={"*": "first"}, dice={"seed": 1})
    assert refused.value.faults[0].code == "board-missing"


def test_the_dead_are_out_of_the_next_question() -> None:
    scene = table()
    case = {"scene": scene, "unit": "cid", "amount": 4}
    ruling = ask("damage", case)
    (dead,) = [step for step in ruling.effects.patch if step.path == "/units/2/dead"]
    assert dead.value is True
    later = table(ANN, BOB, {**CID, "health_lost": 4, "dead": True})
    with pytest.raises(Faults) as refused:
        ask("damage", {**case, "scene": later})
    assert refused.value.faults[0].code == "nobody"
    rows = ask("targets", {"scene": later, "attacker": "ann", "assume": "usual"}).answer.weapons
    assert {target.target for row in rows for target in row.targets} == {"bob"}


def test_the_commonest_attack_is_one_short_request() -> None:
    given_ = {"clear_line": True, "distance": 3, "behind": False}
    body = {"case": {"attacker": "ann", "target": "bob", "given": given_, "scene": table(ANN, BOB)}}
    assert len(json.dumps(body)) <= 300


# The law: a board, and the facts read off it

WEAPONS = [
    {"id": "rifle", "targeting": "ranged", "range": 4, "damage": [5, 3, 1], "against": [{"layer": "armor", "step": 2}]},
    {"id": "lance", "targeting": "ranged", "method": "limitless", "range": 2, "damage": [3], "bypasses": ["armor"]},
    {"id": "sling", "targeting": "thrown", "range": 3, "damage": [3, 2, 1]},
    {"id": "sword", "targeting": "melee", "damage": [4, 2, 1]},
    {"id": "pike", "targeting": "melee", "method": "clear-line", "range": 2, "damage": [2]},
    {"id": "bomb", "targeting": "thrown", "range": 3, "damage": [3, 2, 1], "explosion_radius": 1},
    {"id": "gun", "targeting": "ranged", "ammo": "slugs", "magazine": 2, "damage": [2]},
]
GRENADE = {
    "id": "grenade",
    "kind": "grenade",
    "method": "ballistics",
    "range": 3,
    "damage": [3, 2, 1],
    "explosion_radius": 1,
}
SHOVE = {"id": "shove", "method": "direct", "ap": 1, "damage": [1], "throw": {"tiles": 2}}
READINGS = st.fixed_dictionaries(
    {},
    optional={
        "rear-sector": st.sampled_from(["edge", "three"]),
        "flanked": st.just("engaged"),
        "flanking-weapons": st.just("melee"),
        "flanking-explosions": st.just("aimed"),
        "friends-block": st.just("no"),
        "grazes": st.sampled_from(["either", "never"]),
        "range-metric": st.just("diagonals"),
        "melee-method": st.just("clear-line"),
        "thrown-over-obstacles": st.just("pass"),
        "parry-from-behind": st.just("forbidden"),
        "explosion-pool": st.just("each"),
    },
)
ONLY_A_BOARD = ("at", "from", "to", "start", "tiles", "distance", "source")
THINGS = ("board", "obstacles", "crates")
LEFT_LYING = ("rads", "loot", "traps", "items", "obstacles", "crates")


@st.composite
def boards(draw: st.DrawFn, *, things: bool = True, role: str = "drone") -> dict[str, Any]:
    """A small board with two fighters of ann's side and three against them, on tiles that some may share."""
    tiles = draw(st.permutations([[column, row] for column in range(4) for row in range(4)]))
    shared = draw(st.booleans())
    held = st.sampled_from(WEAPONS).map(
        lambda weapon: (
            {"weapon": weapon["id"], "parries": 1} if weapon["targeting"] == "melee" else {"weapon": weapon["id"]}
        )
    )
    places = [tiles[0], tiles[1], draw(st.sampled_from(tiles[1:3])) if shared else tiles[2], tiles[3], tiles[4]]
    units = [
        {
            "id": id_,
            "side": side,
            "profile": "fighter",
            "at": at,
            "facing": draw(st.integers(0, 3)),
            "health_lost": draw(st.integers(0, 3)),
            "hands": [draw(held), draw(held)],
            "slots": [{"item": "grenade"}],
        }
        for id_, side, at in zip(
            ("ann", "bob", "cal", "dan", "eve"), ("red", "blue", "blue", "blue", "red"), places, strict=True
        )
    ]
    card = {"id": "fighter", "name": "Fighter", "role": role, "ap": 3, "health": 5, "armor": 2, "slots": 1, "rad": 1}
    fighter = {**card, "dual": draw(st.booleans()), "abilities": ["shove"]}
    return {
        "sides": SIDES,
        "board": {"grid": draw(st.sampled_from(["hex", "square-4", "square-8"])), "columns": 4, "rows": 4},
        "shared_tiles": shared,
        "units": units,
        "obstacles": [{"id": f"w{index}", "at": at} for index, at in enumerate(tiles[5:7])] if things else [],
        "crates": [{"at": tiles[7], "holds": "nothing"}] if things else [],
        "profiles": {"units": [fighter], "weapons": WEAPONS, "items": [GRENADE], "abilities": [SHOVE]},
    }


def bare(case: dict[str, Any]) -> dict[str, Any]:
    """Give a case without its board, and what stands on it."""
    scene = {name: value for name, value in case["scene"].items() if name not in THINGS}
    units = [{name: value for name, value in unit.items() if name != "at"} for unit in scene["units"]]
    return {**case, "scene": {**scene, "units": units}}


def by_units(scene: dict[str, Any], target: str) -> Any:
    """Give what names tiles in a text by the unit there, as players do who have no board."""
    names: dict[str, str] = {}
    for unit in scene["units"]:
        at = "{},{}".format(*unit["at"])
        if at not in names or unit["id"] == target:
            names[at] = unit["id"]
    titles = {unit["id"]: unit["profile"].capitalize() for unit in scene["units"]}

    def reworded(text: str) -> str:
        text = re.sub(r" is blocked by [^\"]*", " is blocked", text)
        for at, id_ in names.items():
            column, row = at.split(",")
            text = text.replace(f'"tile": [{column}, {row}]', f'"tile": {{"unit": "{id_}"}}')
            text = re.sub(rf"\btile {at}: ", f"tile of {id_}: ", text)
            text = re.sub(rf"\btile {at}\b", f"the tile of {titles[id_]} ({id_})", text)
        return re.sub(r', "things": \[[^]]*\]', "", text)

    return reworded


def law(
    question: str, case: dict[str, Any], target: str, readings: dict[str, str], *, odds: bool = False
) -> Ruling[Any]:
    """Hold a question about a target to the law."""
    body = {"case": case, "readings": readings, "policies": {"*": "first"}}
    words = by_units(case["scene"], target)
    return holds(ARBITER, question, body, bare, places=ONLY_A_BOARD, unlisted=LEFT_LYING, reworded=words, odds=odds)


def fires(scene: dict[str, Any], hands: list[int]) -> bool:
    return any(scene["units"][0]["hands"][hand]["weapon"] == "bomb" for hand in hands)


def can_kill(scene: dict[str, Any], readings: dict[str, str], hand: int) -> bool:
    """Whether the weapon in a hand can kill its target, however dice fall."""
    case = {"scene": scene, "attacker": "ann", "target": "bob", "hands": [hand]}
    chances = odds("attack", case, readings=readings, policies={"*": "first"})
    return any("bob" in outcome.answer.fallen for outcome in chances.outcomes)


@given(scene=boards(), readings=READINGS, hands=st.sampled_from([[0], [1], [0, 1]]))
@settings(max_examples=80, deadline=None)
def test_an_attack_by_facts_is_the_attack_on_the_board(
    scene: dict[str, Any], readings: dict[str, str], hands: list[int]
) -> None:
    if fires(scene, hands):
        scene = {**scene, "obstacles": [], "crates": []}
    # Nobody stands on the tile of a target that the other weapon has killed, which strikes before a bomb goes off: whom
    # the bomb catches is then no fact of a unit on a board, and players have to be asked.
    before = next((hand for hand in hands if not fires(scene, [hand])), hands[0])
    assume(len(hands) == 1 or not fires(scene, hands) or not can_kill(scene, readings, before))
    law("attack", {"scene": scene, "attacker": "ann", "target": "bob", "hands": hands}, "bob", readings, odds=True)


@given(scene=boards(), readings=READINGS)
@settings(max_examples=40, deadline=None)
def test_targets_by_facts_are_those_of_the_board(scene: dict[str, Any], readings: dict[str, str]) -> None:
    assume(not scene["shared_tiles"])
    law("targets", {"scene": scene, "attacker": "ann"}, "bob", readings)


@given(scene=boards(things=False), readings=READINGS)
@settings(max_examples=40, deadline=None)
def test_a_grenade_by_facts_is_the_grenade_on_the_board(scene: dict[str, Any], readings: dict[str, str]) -> None:
    law("use-item", {"scene": scene, "unit": "ann", "item": 0, "target": "bob"}, "bob", readings, odds=True)


@given(scene=boards(things=False), readings=READINGS)
@settings(max_examples=40, deadline=None)
def test_an_explosion_by_facts_is_that_on_the_board(scene: dict[str, Any], readings: dict[str, str]) -> None:
    case = {"scene": scene, "target": "bob", "by": "ann", "radius": 1, "damage": [4, 3, 2]}
    law("explosion", case, "bob", readings, odds=True)


@given(scene=boards(), readings=READINGS, amount=st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_damage_on_a_tile_by_facts_is_that_on_the_board(
    scene: dict[str, Any], readings: dict[str, str], amount: int
) -> None:
    # Of so little nobody dies: whose tile it is where the Rad of another one lies is a matter of words.
    case = {"scene": scene, "unit": "bob", "amount": amount, "shared": scene["shared_tiles"]}
    law("damage", case, "bob", readings, odds=True)


@given(scene=boards(things=False), readings=READINGS, way=st.sampled_from(["away", "towards"]))
@settings(max_examples=40, deadline=None)
def test_a_throw_by_facts_ends_as_on_the_board(scene: dict[str, Any], readings: dict[str, str], way: str) -> None:
    case = {"scene": scene, "unit": "dan", "by": "ann", "throw": {"tiles": 2, "way": way}}
    # Between two ways of flight a player decides with a board alone.
    assume(not ask("throw", case, readings=readings, policies={"*": "first"}).choices)
    law("throw", case, "dan", readings)


@given(scene=boards(things=False), readings=READINGS)
@settings(max_examples=40, deadline=None)
def test_an_ability_by_facts_is_that_on_the_board(scene: dict[str, Any], readings: dict[str, str]) -> None:
    case = {"scene": scene, "unit": "ann", "ability": "shove", "target": "dan"}
    assume(not ask("ability", case, readings=readings, policies={"*": "first"}).choices)
    law("ability", case, "dan", readings)


@given(scene=boards(things=False, role="npc"), readings=READINGS)
@settings(max_examples=40, deadline=None)
def test_an_npc_that_stands_where_it_attacks_does_by_facts_what_it_does_on_the_board(
    scene: dict[str, Any], readings: dict[str, str]
) -> None:
    ann, bob = scene["units"][:2]
    # Two attacks of at most 5 on the twelve points of bob, from the next tile.
    ann |= {"hands": [{"weapon": "sword"}, {"weapon": "rifle"}], "at": [0, 0], "ap": 2}
    bob |= {"at": [1, 0], "profile": "scrapper", "hands": None}
    case = {"scene": {**scene, "units": [ann, bob]}, "unit": "ann"}
    answer = ask("behaviour", case, readings=readings, policies={"*": "first"}).answer
    assert answer is not None
    assert len(answer.attacks) == 2
    law("behaviour", case, "bob", readings)


def test_a_chain_that_never_comes_to_rest_is_a_fault_of_the_facts() -> None:
    # Each crate holds a trap by the policy, each trap is a catapult, and each flight ends at a crate.
    decks = {"trap_deck": {"cards": ["catapult"]}, "loot_deck": {"cards": ["healing-stimulant"]}}
    case = {"scene": table(ANN, BOB, **decks), "unit": "ann", "given": {"flight:ann": "crate"}}
    with pytest.raises(Faults) as refused:
        ask("reveal", case, dice={"seed": "7"}, policies={"*": "first"})
    assert [fault.code for fault in refused.value.faults] == ["endless-chain"]
    at_rest = ask("reveal", {**case, "given": {"flight:ann": "free"}}, dice={"seed": "7"}, policies={"*": "first"})
    assert at_rest.status == "ruled"
