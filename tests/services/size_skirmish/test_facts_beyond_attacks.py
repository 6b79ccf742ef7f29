"""Facts in Size Skirmish beyond attacks: flights, pushes, falls, reactions, rounds, and boards that show otherwise."""

import pytest

from arbiter.fault import Faults
from arbiter.json import to_builtins
from tests.services.size_skirmish.field import ask
from tests.services.size_skirmish.test_facts import Body, after, hand, keys, shot, strike, two


def test_who_is_out_is_out_in_the_next_question() -> None:
    case = strike(two({}, {"hit_points_lost": 2}), given={"in_front": True, "in_reach": True})
    ruling = ask("attack", case, dice=hand(ada_hit=[5, 2, 2], ada_damage=[5], bob_defence=[2, 2]))
    assert ruling.answer is not None
    assert ruling.answer.course.out == ("bob",)
    scene = after(case, ruling)
    assert scene["models"][1]["out"] == "eliminated"
    scene["models"][0]["acted"] = False
    with pytest.raises(Faults) as refused:
        ask("attack", strike(scene))
    assert [(fault.pointer, fault.code) for fault in refused.value.faults] == [("/case/target", "not-in-play")]
    answer = ask("targets", {"scene": scene, "model": "ada"}).answer
    assert answer is not None
    assert answer.targets == ()


LOST = {"scene": two({"hit_points_lost": 2}), "model": "ada", "lost_before": 1, "cause": "bob"}
FAILS = hand(ada_morale=[1, 2, 4], ada_flee=[3])


def test_a_flight_asks_for_its_way_and_only_then_for_what_stops_it() -> None:
    # Of 3 hit points 2 are lost: more than half. One success is too few for two of them. B is 5, and the die shows 3.
    assert keys(ask("morale", LOST, dice=FAILS)) == ["free_way:ada"]
    clear = ask("morale", {**LOST, "given": {"free_way": 8.5}}, dice=FAILS)
    told = to_builtins(clear.answer)
    assert (told["does"], told["fleeing"], told["at"]) == ("flees", True, None)
    assert after(LOST, clear)["models"][0]["fleeing"] == {"direction": None, "cause": "bob"}
    short = {**LOST, "given": {"free_way": 8}}
    assert keys(ask("morale", short, dice=FAILS)) == ["stopped_by:ada"]
    for stop, out in (("obstacle", None), ("drop", None), ("edge", "fled")):
        ruling = ask("morale", {**short, "given": {"free_way": 8, "stopped_by": stop}}, dice=FAILS)
        assert after(LOST, ruling)["models"][0].get("out") == out
    passed = ask("morale", LOST, dice=hand(ada_morale=[4, 5, 1]))
    assert passed.status == "ruled"
    assert passed.facts == ()


def test_a_model_that_flees_without_a_board_goes_on_so_in_the_next_question() -> None:
    fled = after(LOST, ask("morale", {**LOST, "given": {"free_way": 9}}, dice=FAILS))
    case = {"scene": fled, "model": "ada"}
    fails = hand(ada_morale=[1, 2, 2], ada_flee=[1])
    blocking = {"scene": fled, "deed": {"model": "ada", "action": "block"}, "reactions": []}
    assert keys(ask("action", blocking, dice=fails)) == ["free_way:ada"]
    on = ask("action", {**blocking, "given": {"free_way": 40}}, dice=fails).answer
    assert on is not None
    assert (on.done, on.course.action.movement, on.course.action.distance) == (False, "flee", 6)
    ruling = ask("morale", case, dice=hand(ada_morale=[4, 5, 1]))
    assert ruling.answer is not None
    assert (ruling.answer.does, ruling.answer.fleeing) == ("acts", False)


def test_a_push_by_hand() -> None:
    case = {"scene": two(), "model": "ada", "target": "bob", "reactions": []}
    assert keys(ask("push", case)) == ["push_reach:ada,bob"]
    near = {"push_reach": True, "free_way": 3}
    free = ask("push", {**case, "given": near}, dice=hand(ada_push=[2]))
    assert free.answer is not None
    assert (free.answer.done, free.answer.distance, free.answer.damage, free.answer.out) == (True, 2, None, False)
    assert keys(ask("push", {**case, "given": near}, dice=hand(ada_push=[3]))) == ["stopped_by:bob"]
    over = {**near, "stopped_by": "drop"}
    assert keys(ask("push", {**case, "given": over}, dice=hand(ada_push=[3]))) == ["drop:bob"]
    # A fall of 2 is two dice, all of which hit: on 4 and more they do damage.
    dice = {"hand": {"ada: push": [3], "bob: damage": [4, 5], "bob: defence": [4, 3]}}
    fell = ask("push", {**case, "given": {**over, "drop": 2}}, dice=dice)
    assert fell.answer is not None
    assert (fell.answer.damage, fell.answer.lost) == (1, 1)


def test_a_fall_asks_how_deep_it_is() -> None:
    case = {"scene": two(), "model": "ada", "reactions": []}
    assert keys(ask("fall", case)) == ["drop:ada"]
    dice = {"hand": {"ada: damage": [5, 2, 2], "ada: defence": [4, 4]}}
    ruling = ask("fall", {**case, "given": {"drop": 3.9}}, dice=dice)
    told = to_builtins(ruling.answer)
    assert (told["damage"], told["at"]) == (1, None)


def test_reactions_ask_who_sees_and_what_could_be_done() -> None:
    deed = {"model": "ada", "action": "block"}
    case = {"scene": two(), "deed": deed}
    assert keys(ask("reactions", case)) == ["sees:bob,ada"]
    blind = ask("reactions", {**case, "given": {"sees": False}}).answer
    assert blind is not None
    assert (blind.may, blind.models[0].why_not[0].text) == ((), "Guard (bob) does not see Guard (ada)")
    told = {"sees": True, "in_front": True, "push_reach": False, "in_reach": True}
    near = ask("reactions", {**case, "given": told}).answer
    assert near is not None
    assert near.models[0].options == ("change-weapon:bow", "strike", "block")
    # Who has reacted already is not asked what it sees.
    choosing = {"scene": two({}, {"reacted": True}), "deed": deed}
    assert ask("action", choosing).facts == ()


def test_items_and_morale_of_others_take_facts_too() -> None:
    sam = {"id": "sam", "side": "red", "profile": "sapper", "fleeing": {}}
    scene = {**two({"items": ["key"]}, {}, sam), "items": [{"id": "rope"}]}
    for deed, fact in (
        ({"action": "item", "use": "pick-up", "item": "rope"}, "item_in_reach:ada"),
        ({"action": "pass-item", "item": "key", "target": "sam"}, "within_one:ada,sam"),
        ({"action": "restore-morale", "target": "sam"}, "sees:ada,sam"),
    ):
        case = {"scene": scene, "deed": {"model": "ada", **deed}, "reactions": []}
        assert keys(ask("action", case)) == [fact]
        name = fact.partition(":")[0]
        assert ask("action", {**case, "given": {name: False}}).allowed is False
        assert ask("action", {**case, "given": {name: True}, "assume": "usual"}, dice={"seed": 1}).allowed
    dropped = {
        "scene": scene,
        "deed": {"model": "ada", "action": "item", "use": "drop", "item": "key"},
        "reactions": [],
    }
    lying = after(dropped, ask("action", dropped))
    assert [item["id"] for item in lying["items"]] == ["rope", "key"]
    again = {"scene": lying, "deed": {"model": "bob", "action": "item", "use": "pick-up", "item": "key"}}
    assert ask("action", {**again, "reactions": []}, dice={"seed": 1}).needs is not None


def test_moves_without_a_way_are_made_by_the_players() -> None:
    case = {"scene": two(), "deed": {"model": "ada", "action": "move", "movement": "run"}, "reactions": []}
    answer = ask("action", case, dice=hand(ada_run=[2, 5])).answer
    assert answer is not None
    # B and two dice.
    assert (answer.done, answer.course.action.distance, answer.course.action.way) == (True, 12, ())
    melee = {**two(), "melees": [{"one": "ada", "other": "bob"}]}
    leaves = {"scene": melee, "deed": {"model": "ada", "action": "move", "movement": "disengage"}, "reactions": []}
    assert keys(ask("action", leaves)) == ["clear_then:ada"]
    for clear, left in ((True, []), (False, melee["melees"])):
        ruling = ask("action", {**leaves, "given": {"clear_then": clear}})
        assert after(leaves, ruling)["melees"] == left


def test_actions_are_open_by_facts() -> None:
    told = {"in_reach": False, "in_front": True, "push_reach": False}
    answer = ask("actions", {"scene": two(), "model": "ada", "given": told}).answer
    assert answer is not None
    assert "strike" not in answer.open
    assert {"change-weapon", "block", "walk", "attack"} <= set(answer.open)


# The rest of the round


def test_a_round_goes_on_without_sides_and_without_a_board() -> None:
    scene = two()
    start = ask("initiative", {"scene": {**scene, "phase": "start"}}, dice={"seed": 1}, policies={"*": "first"})
    assert start.answer is not None
    assert start.answer.starts in ("red", "blue")
    turn = ask("turn", {"scene": scene, "acted": "red"}).answer
    assert turn is not None
    assert (turn.turn, turn.left) == ("blue", ("bob",))
    done = two({"acted": True, "statuses": ["blocking"]}, {"acted": True})
    ended = ask("round-end", {"scene": done}).answer
    assert ended is not None
    assert ended.cleared == ("ada",)
    goat = {"id": "nan", "side": "npc", "profile": "goat", "npc": "passive"}
    npc = {"scene": {**two({}, {}, goat), "phase": "npc"}}
    moved = ask("npc", {**npc, "deed": {"model": "nan", "action": "move", "movement": "walk"}, "reactions": []})
    assert moved.answer is not None
    assert moved.answer.left == ()
    assert [side["npcs_moved"] for side in after(npc, moved)["sides"]] == [0, 0] or moved.answer.phase == "start"


def test_values_of_a_model_go_before_those_of_its_card() -> None:
    strong = {"own": {"size": "L", "armour": 0, "hit_points": 9}}
    answer = ask("targets", {"scene": two({}, strong), "model": "ada", "assume": "usual"}).answer
    plain = ask("targets", {"scene": two(), "model": "ada", "assume": "usual"}).answer
    assert answer is not None
    assert plain is not None
    # A guard of size M hits one of size L more easily, and does damage less easily.
    assert answer.targets[0].defence == 0
    assert answer.targets[0].to_hit < plain.targets[0].to_hit
    assert answer.targets[0].to_damage > plain.targets[0].to_damage
    armed = ask("targets", {"scene": two({"own": {"weapons": ["club"]}}), "model": "ada", "assume": "usual"}).answer
    assert armed is not None
    assert (armed.weapon, armed.targets[0].dice) == ("club", 4)
    many = ask("targets", {"scene": two({"own": {"attack_dice": 7}}), "model": "ada", "assume": "usual"}).answer
    assert many is not None
    assert (many.weapon, many.targets[0].dice) == ("blade", 7)
    with pytest.raises(Faults) as refused:
        ask("targets", {"scene": two({"own": {"weapons": ["spoon"]}}), "model": "ada"})
    assert [fault.pointer for fault in refused.value.faults] == ["/case/scene/models/0/own/weapons/0"]


# What stays as it is


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("moves", {"model": "ada"}),
        ("path", {"model": "ada", "goal": [3, 3]}),
        ("line-of-sight", {"observer": "ada"}),
        ("battle", {}),
        ("action", {"deed": {"model": "ada", "action": "move", "movement": "walk", "goal": [3, 3]}, "reactions": []}),
    ],
)
def test_what_is_geometry_alone_needs_a_board(question: str, rest: Body) -> None:
    with pytest.raises(Faults) as refused:
        ask(question, {"scene": two(), **rest}, dice={"seed": 1})
    assert [fault.code for fault in refused.value.faults] == ["board-missing"]


def test_nobody_plays_without_models_and_sides() -> None:
    with pytest.raises(Faults) as refused:
        ask("ending", {"scene": {"models": []}})
    assert [fault.pointer for fault in refused.value.faults] == ["/case/scene/sides"]


def test_with_a_board_everything_has_to_have_its_place() -> None:
    board = {"board": {"width": 20, "depth": 20}}
    sam = {"id": "sam", "side": "red", "profile": "sapper", "at": [3, 3], "fleeing": {}}
    with pytest.raises(Faults) as refused:
        ask("turn", {"scene": {**two({}, {}, sam), **board, "items": [{"id": "rope"}]}})
    pointers = [fault.pointer for fault in refused.value.faults]
    assert pointers == ["/case/scene/models/2/fleeing/direction", "/case/scene/items/0/at"]


# A board that shows something else


PLACED = two({"at": [10, 10], "facing": [1, 0], "in_hand": "bow"}, {"at": [15, 10], "facing": [-1, 0]})
BOARD = {**PLACED, "board": {"width": 20, "depth": 20}}


def test_a_board_is_believed_unless_the_players_overrule_it() -> None:
    assert ask("shoot", shot(BOARD, given={"distance": 5.4}), dice={"seed": 1}).status == "ruled"
    with pytest.raises(Faults) as refused:
        ask("shoot", shot(BOARD, given={"distance": 7}), dice={"seed": 1})
    (fault,) = refused.value.faults
    assert (fault.pointer, fault.code) == ("/case/given/distance", "fact-contradicts-board")
    # Beyond 6 there is one die less.
    ruling = ask("shoot", shot(BOARD, given={"distance": 7}, given_wins=True), dice=hand(ada_hit=[2, 3]))
    assert ruling.status == "ruled"
    assert [(fact.fact, fact.origin) for fact in ruling.facts] == [
        ("sees", "board"),
        ("in_front", "board"),
        ("distance", "given"),
    ]
