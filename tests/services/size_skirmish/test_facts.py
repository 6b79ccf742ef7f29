"""At a table of wood: no board, no places, and what the players see for themselves is believed."""

from copy import deepcopy
from fractions import Fraction
from typing import Any

import jsonpatch
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.json import encode, to_builtins
from arbiter.ruling import Ruling
from services.size_skirmish.arbiter import ARBITER
from tests.effort import cases
from tests.services.facts_law import essence, every_fact_listed, holds, ruled
from tests.services.facts_law import given as given_of
from tests.services.size_skirmish.field import CARDS, ask, odds
from tests.services.size_skirmish.test_agreement import tables

Body = dict[str, Any]


def two(ada: Body | None = None, bob: Body | None = None, *others: Body) -> Body:
    """Return a scene without a board: ada, a guard of red, and bob, a guard of blue."""
    models = [
        {"id": "ada", "side": "red", "profile": "guard", **(ada or {})},
        {"id": "bob", "side": "blue", "profile": "guard", **(bob or {})},
        *others,
    ]
    return {"models": models, "profiles": CARDS}


def strike(scene: Body, **rest: Any) -> Body:
    return {"scene": scene, "attacker": "ada", "target": "bob", "reactions": [], **rest}


def shot(scene: Body | None = None, **rest: Any) -> Body:
    return {"scene": scene or two({"in_hand": "bow"}), "shooter": "ada", "target": "bob", "reactions": [], **rest}


def keys(ruling: Ruling[Any]) -> list[str]:
    assert ruling.needs is not None
    return [needs.key for needs in ruling.needs.facts or ()]


def after(case: Body, ruling: Ruling[Any]) -> Body:
    """Return the scene after a ruling."""
    scene: Body = jsonpatch.apply_patch(deepcopy(case["scene"]), to_builtins(ruling.effects.patch))
    return scene


def hand(**rolled: list[int]) -> Body:
    return {"hand": {label.replace("_", ": ", 1).replace("_", " "): faces for label, faces in rolled.items()}}


# What is asked, and in which order


def test_a_strike_needs_front_and_reach_and_then_the_front_of_its_target() -> None:
    assert keys(ask("attack", strike(two()))) == ["in_front:ada,bob", "in_reach:ada,bob"]
    told = {"in_front:ada,bob": True, "in_reach": True}
    assert keys(ask("attack", strike(two(), given=told))) == ["in_front:bob,ada"]
    told = {"in_front": True, "in_reach": True}
    assert ask("attack", strike(two(), given=told), dice={"hand": {}}).status == "needs_dice"


def test_a_shot_needs_sight_and_distance_and_the_front_of_who_sees() -> None:
    assert keys(ask("shoot", shot())) == ["sees:ada,bob", "distance:ada,bob"]
    assert keys(ask("shoot", shot(given={"sees": True, "distance": 5}))) == ["in_front:ada,bob"]
    # Whether it faces a target that it does not see makes no difference.
    blind = ask("shoot", shot(given={"sees": False, "distance": 5}))
    assert [reason.text for reason in blind.reasons] == ["Guard (ada) has no line of sight to Guard (bob)"]
    # Read so, nobody is asked where anybody looks.
    free = {"readings": {"sight-front": "not-needed"}, "dice": {"hand": {}}}
    assert ask("shoot", shot(given={"sees": True, "distance": 5}), **free).status == "needs_dice"


def test_nothing_is_asked_of_what_is_forbidden_anyway() -> None:
    for case, why in (
        (shot(two({"in_hand": "bow", "unloaded": ["bow"]})), "must be reloaded"),
        (shot(two()), "no ranged weapon in hand"),
        (shot(two({"in_hand": "bow", "acted": True})), "already acted"),
    ):
        ruling = ask("shoot", case)
        assert not ruling.allowed
        assert why in ruling.reasons[0].text
        assert ruling.facts == ()


def test_a_distance_is_the_same_from_either_end() -> None:
    for key in ("distance", "distance:bob", "distance:ada,bob", "distance:bob,ada"):
        ruling = ask("shoot", shot(given={key: 5}, assume="usual"), dice={"seed": 1})
        assert [(fact.fact, fact.value) for fact in ruling.facts if fact.origin == "given"] == [("distance", 5.0)]
        assert ruling.surplus == ()


def test_whom_else_one_could_strike_is_asked_only_where_there_is_somebody() -> None:
    third = {"id": "ole", "side": "blue", "profile": "ogre"}
    told = {"in_front": True, "in_reach": True}
    assert keys(ask("attack", strike(two({}, {}, third), given=told))) == ["other_targets:ada,bob"]
    ruling = ask("attack", strike(two({}, {}, third), given={**told, "other_targets": ["ole"]}))
    assert ruling.needs is not None
    assert ruling.needs.choice is not None
    assert [option.id for option in ruling.needs.choice.options] == ["bob", "ole"]
    ally = {"id": "sam", "side": "red", "profile": "sapper"}
    assert ask("attack", strike(two({}, {}, ally), given=told), dice={"hand": {}}).status == "needs_dice"


def test_a_melee_forbids_a_shot_without_another_question() -> None:
    third = {"id": "ole", "side": "red", "profile": "ogre"}
    fights = {**two({"in_hand": "bow"}, {}, third), "melees": [{"one": "bob", "other": "ole"}]}
    ruling = ask("shoot", shot(fights))
    assert [reason.rule for reason in ruling.reasons] == ["shooting.into_melee"]
    # What is given is told as well.
    ruling = ask("shoot", shot(fights, given={"sees": False, "distance": 30}))
    assert [reason.rule for reason in ruling.reasons] == [
        "shooting.into_melee",
        "shooting.in_sight",
        "shooting.in_range",
    ]


@pytest.mark.parametrize(
    ("question", "ada", "bob", "case", "reason"),
    [
        ("attack", {"in_hand": "bow"}, {}, {}, "melee.in_reach"),
        ("attack", {}, {"reacted": True}, {"reactions": [{"model": "bob", "action": "block"}]}, "markers.may_react"),
        (
            "attack",
            {},
            {"unloaded": ["bow"]},
            {"reactions": [{"model": "bob", "action": "slow-reload", "weapon": "bow"}]},
            "reactions.simple",
        ),
        ("push", {}, {"side": "red"}, {}, "targets.opponent"),
        ("action", {}, {"side": "red"}, {"action": "restore-morale"}, "actions.restore_violations"),
        (
            "action",
            {},
            {"side": "red", "items": ["key"]},
            {"action": "pass-item", "item": "key"},
            "actions.pass_violations",
        ),
    ],
)
def test_what_the_scene_alone_forbids_is_forbidden_without_a_question(
    question: str, ada: Body, bob: Body, case: Body, reason: str
) -> None:
    scene = two(ada, bob, {"id": "ole", "side": "blue", "profile": "ogre"})
    who = {"attack": {"attacker": "ada", "target": "bob"}, "push": {"model": "ada", "target": "bob"}}
    if question == "action":
        case = {"deed": {"model": "ada", "target": "bob", **case}}
    ruling = ask(question, {"scene": scene, "reactions": [], **who.get(question, {}), **case})
    assert (ruling.status, ruling.allowed) == ("ruled", False)
    assert [each.rule for each in ruling.reasons] == [reason]


def test_a_model_that_has_acted_may_do_nothing_whatever_it_sees() -> None:
    ruling = ask("actions", {"scene": two({"acted": True}), "model": "ada"})
    assert ruling.status == "ruled"
    rows = {row.action: row for row in ruling.answer.rows}
    assert {row.open for row in rows.values()} == {False}
    assert [why.cites for why in rows["strike"].why_not] == [("round/one-action",)]


@pytest.mark.parametrize(
    ("away", "status", "allowed"),
    [
        # Both bases are 1 across: from edge to edge, 2 away is within 1, and from middle to middle it is not.
        (1, "ruled", True),
        (1.2, "needs_fact", True),
        (2, "needs_fact", True),
        (2.1, "ruled", False),
    ],
)
def test_a_distance_says_whether_an_item_is_passed(away: float, status: str, allowed: bool) -> None:
    deed = {"model": "ada", "action": "pass-item", "item": "key", "target": "bob"}
    case = {"scene": two({"items": ["key"]}), "deed": deed, "reactions": [], "given": {"distance": away}}
    ruling = ask("action", case)
    assert (ruling.status, ruling.allowed) == (status, allowed)
    with pytest.raises(Faults) as refused:
        ask("action", {**case, "given": {"distance:ada,bob": 3, "within_one:ada,bob": True}})
    assert {fault.code for fault in refused.value.faults} == {"facts-contradict"}
    with pytest.raises(Faults):
        ask("action", {**case, "given": {"distance:ada,bob": 0.4, "within_one:ada,bob": False}})


def test_a_list_for_all_of_whom_one_could_strike_is_of_enemies_but_the_target() -> None:
    others = {"id": "ole", "side": "blue", "profile": "ogre"}, {"id": "sam", "side": "red", "profile": "sapper"}
    given = {"in_front": True, "in_reach": True, "other_targets": ["ada", "bob", "ole", "sam"]}
    ruling = ask("attack", strike(two({}, {}, *others), given=given))
    assert ruling.needs is not None
    assert ruling.needs.choice is not None
    assert [option.id for option in ruling.needs.choice.options] == ["bob", "ole"]
    with pytest.raises(Faults) as refused:
        ask("attack", strike(two({}, {}, *others), given={**given, "other_targets:ada,bob": ["sam"]}))
    assert [fault.pointer for fault in refused.value.faults] == ["/case/given/other_targets:ada,bob/0"]


# Attacks


def test_a_strike_by_hand() -> None:
    # Three dice on 4 and more: two hit. Both do damage; the defence die of 4 takes the 4, and the 3 cannot take the 5.
    dice = hand(ada_hit=[4, 5, 2], ada_damage=[4, 5], bob_defence=[4, 3])
    ruling = ask("attack", strike(two(), given={"in_front": True, "in_reach": True}), dice=dice)
    assert ruling.answer is not None
    assert (ruling.answer.damage, ruling.answer.blows[0].behind) == (1, False)
    scene = after(strike(two()), ruling)
    assert scene["models"][1]["hit_points_lost"] == 1
    assert scene["melees"] == [{"one": "ada", "other": "bob"}]
    assert scene["models"][0]["acted"] is True
    assert "in front of Guard (ada) (as the players say)" in " ".join(finding.text for finding in ruling.findings)


def test_a_strike_from_behind_is_not_answered_where_it_is_read_so() -> None:
    case = strike(
        two(),
        reactions=[{"model": "bob", "action": "strike", "target": "ada"}],
        given={"in_front:ada,bob": True, "in_front:bob,ada": False, "in_reach": True, "sees": True},
    )
    ruling = ask("attack", case)
    assert [reason.text for reason in ruling.reasons] == ["Guard (bob) does not see Guard (ada)"]


def test_blows_are_exchanged_by_the_same_facts() -> None:
    case = strike(
        two(),
        reactions=[{"model": "bob", "action": "strike", "target": "ada"}],
        given={"in_front": True, "in_reach": True, "sees": True},
    )
    dice = hand(ada_hit=[4, 2, 2], ada_damage=[3], bob_hit=[4, 2, 2], bob_damage=[5], ada_defence=[2, 4])
    answer = ask("attack", case, dice=dice).answer
    assert answer is not None
    assert (answer.damage, answer.damage_back) == (0, 1)


def test_out_of_reach_is_told_without_a_distance() -> None:
    ruling = ask("attack", strike(two(), given={"in_front": True, "in_reach": False}))
    assert [reason.text for reason in ruling.reasons] == ["Guard (bob) is out of weapon range (1.5) of Guard (ada)"]


@pytest.mark.parametrize(("away", "dice"), [(6, 3), (6.5, 2), (12, 2), (12.5, 1), (24, 1)])
def test_the_distance_decides_the_band_of_a_shot(away: float, dice: int) -> None:
    # Two dice, one more up to 6, one less beyond 12.
    case = {"scene": two({"in_hand": "bow"}), "model": "ada", "given": {"distance": away}, "assume": "usual"}
    answer = ask("targets", case).answer
    assert answer is not None
    (target,) = answer.targets
    assert (target.open, target.dice, target.distance, target.to_hit) == (True, dice, away, 4)


def test_beyond_the_last_band_nobody_shoots() -> None:
    ruling = ask("shoot", shot(given={"distance": 24.5}, assume="usual"))
    text = "Guard (bob) is 24.5 away from Guard (ada); the maximum range is 24"
    assert [reason.text for reason in ruling.reasons] == [text]


def test_a_shot_on_the_run_asks_where_it_ends() -> None:
    case = shot(run=True)
    assert keys(ask("shoot", case)) == ["sees_then:ada,bob", "distance_then:ada,bob"]
    dice = hand(ada_hit=[2, 2])
    there = {"sees_then": True, "in_front_then": True, "distance_then": 9}
    answer = ask("shoot", {**case, "given": there}, dice=dice).answer
    assert answer is not None
    # B of the guard is 5, and run and shoot goes B.
    assert (answer.course.action.done, answer.course.action.distance, answer.damage) == (True, 5, 0)


def test_a_charge_is_walked_by_the_players_and_ends_in_a_strike() -> None:
    case = strike(two(), charge=True)
    assert keys(ask("attack", case)) == ["in_front_then:ada,bob", "in_reach_then:ada,bob"]
    there = {"in_front_then": True, "in_reach_then": True}
    # Whether a charge comes from behind is seen where it begins.
    assert keys(ask("attack", {**case, "given": there})) == ["in_front:bob,ada"]
    case["given"] = {**there, "in_front": True}
    ruling = ask("attack", case, dice=hand(ada_hit=[2, 2, 2]))
    assert ruling.answer is not None
    assert ruling.answer.done
    assert [event.name for event in ruling.effects.events][-2:] == ["moved", "melee_begun"]
    # It never got there: the charge was made, and no strike follows.
    short = ask("attack", strike(two(), charge=True, given={**there, "in_reach_then": False}))
    assert short.answer is not None
    assert short.answer.done
    assert "out of weapon range" in short.answer.course.action.follow_up_why_not[0].text


def test_odds_of_the_commonest_attack_are_exact_and_its_request_is_short() -> None:
    models = [{"id": "a", "side": "r", "profile": "pike-warden"}, {"id": "b", "side": "s", "profile": "quay-guard"}]
    case = {"scene": {"models": models}, "attacker": "a", "target": "b", "reactions": [], "assume": "usual"}
    assert len(encode({"case": case})) <= 300
    # On a board the same strike has the same law.
    board = {
        "board": {"width": 20, "depth": 20},
        "models": [{**models[0], "at": [10, 10], "facing": [1, 0]}, {**models[1], "at": [12, 10], "facing": [-1, 0]}],
    }
    plain = {"scene": board, "attacker": "a", "target": "b", "reactions": []}

    def damages(posted: Body) -> dict[int, Fraction]:
        marginals = {each.field: each for each in odds("attack", posted).marginals}
        return {value.answer: Fraction(value.mass) for value in marginals["damage"].values}

    found = damages(case)
    assert found == damages(plain)
    assert len(found) == 5
    assert sum(found.values()) == 1


# What follows


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


# The law: a board, and the facts read off it, give the same ruling


def bare(case: Body) -> Body:
    """Return a case without board and places."""
    scene = {name: deepcopy(value) for name, value in case["scene"].items() if name != "board"}
    for model in scene["models"]:
        for member in ("at", "facing", "height_above"):
            model.pop(member, None)
        if model.get("fleeing"):
            model["fleeing"].pop("direction", None)
    for item in scene["items"]:
        item.pop("at")
    return {**case, "scene": scene}


ANSWERS: list[list[Body]] = [
    [],
    [{"model": "bob", "action": "strike", "target": "ada"}],
    [{"model": "bob", "action": "shoot", "target": "ada"}, {"model": "ole", "action": "block"}],
]
# Where a figure is, and where it ends, is not known without a board.
PLACES = ("at", "height_above", "direction", "facing", "way")


@given(tables(), st.sampled_from(ANSWERS), st.sampled_from(["attack", "shoot"]), st.sampled_from(["bob", "ole"]))
@settings(max_examples=cases(40))
def test_attacks_and_shots_by_facts_are_those_on_the_board(
    posted: Body, reactions: list[Body], question: str, target: str
) -> None:
    posted["models"][0] |= {"acted": False, "reacted": False}
    actor = "attacker" if question == "attack" else "shooter"
    body = {
        "case": {"scene": posted, actor: "ada", "target": target, "reactions": reactions},
        "policies": {"*": "first"},
        "dice": {"seed": 3},
        # How somebody faces who flees is for the board alone.
        "readings": {"flee-facing": "kept"},
    }
    # The law of what nobody answers is walked in a moment.
    holds(ARBITER, question, body, bare, places=PLACES, odds=not reactions)


@given(tables(), st.sampled_from(["ada", "bob", "ole"]))
@settings(max_examples=cases(40))
def test_targets_by_facts_are_those_on_the_board(posted: Body, model: str) -> None:
    # How far away the target of a strike is, is not asked for where it does not matter.
    holds(ARBITER, "targets", {"case": {"scene": posted, "model": model}}, bare, places=("distance",))


@given(tables(), st.sampled_from(["strike", "block"]))
@settings(max_examples=cases(30))
def test_reactions_by_facts_are_those_on_the_board_but_for_turns(posted: Body, action: str) -> None:
    deed = {"model": "ada", "action": action, **({"target": "bob"} if action == "strike" else {})}
    body = {"case": {"scene": posted, "deed": deed}}
    with every_fact_listed():
        seen = ruled(ARBITER, "reactions", body)
    told = ruled(
        ARBITER, "reactions", {"case": {**bare(body["case"]), "given": given_of(seen.facts)}, "surplus": "ignore"}
    )
    assert seen.answer is not None
    assert told.answer is not None
    for mine, theirs in zip(seen.answer.models, told.answer.models, strict=True):
        assert tuple(option for option in mine.options if option != "align") == theirs.options
        assert (mine.model, mine.may, mine.why_not) == (theirs.model, theirs.may, theirs.why_not)


@given(tables())
@settings(max_examples=cases(30))
def test_actions_by_facts_are_those_on_the_board_but_for_movements(posted: Body) -> None:
    body = {"case": {"scene": posted, "model": "ada"}}
    with every_fact_listed():
        seen = ruled(ARBITER, "actions", body)
    told = ruled(ARBITER, "actions", {"case": {**bare(body["case"]), "given": given_of(seen.facts)}})
    assert seen.answer is not None
    assert told.answer is not None
    moves = {row["id"] for row in ARBITER.catalog["movements"]}
    for mine, theirs in zip(seen.answer.rows, told.answer.rows, strict=True):
        assert mine == theirs or mine.action in moves


@given(tables(), st.sampled_from(["block", "change-weapon", "restore-morale"]))
@settings(max_examples=cases(40))
def test_simple_actions_by_facts_are_those_on_the_board(posted: Body, action: str) -> None:
    posted["models"][0] |= {"acted": False, "reacted": False}
    deed: Body = {"model": "ada", "action": action}
    if action == "change-weapon":
        deed["weapon"] = "blade" if posted["models"][0]["in_hand"] == "bow" else "bow"
    body = {"case": {"scene": posted, "deed": deed}, "policies": {"*": "first"}, "dice": {"seed": 4}}
    holds(ARBITER, "action", body, bare, places=PLACES, odds=False)


@given(tables(), st.sampled_from(["bob", "ole"]))
@settings(max_examples=cases(30))
def test_pushes_by_facts_are_those_on_the_board(posted: Body, target: str) -> None:
    posted["models"][0] |= {"acted": False, "reacted": False}
    case = {"scene": posted, "model": "ada", "target": target, "reactions": []}
    holds(ARBITER, "push", {"case": case, "dice": {"seed": 5}}, bare, places=PLACES, odds=False)


@given(tables(), st.sampled_from(["bob", "ole", None]), st.integers(1, 9))
@settings(max_examples=cases(60, 25))
def test_flights_by_facts_are_those_on_the_board(posted: Body, cause: str | None, seed: int) -> None:
    posted["models"][0] |= {"hit_points_lost": 2}
    case = {"scene": posted, "model": "ada", "lost_before": 1, "cause": cause}
    # How it faces after it is for the board alone, and whereto one flees that nobody has frightened.
    body = {"case": case, "dice": {"seed": seed}, "readings": {"flee-facing": "kept", "causeless-flight": "faced"}}
    by_hand = () if cause else ("flight.away",)
    holds(ARBITER, "morale", body, bare, places=PLACES, by_hand=by_hand, odds=False)


def test_the_law_does_not_hold_by_chance() -> None:
    """A fact that is told otherwise than the board shows it is noticed by the law."""
    body: Body = {"case": {"scene": {**BOARD, "items": []}, "shooter": "ada", "target": "bob", "reactions": []}}
    body["dice"] = {"seed": 1}
    with every_fact_listed():
        seen = ruled(ARBITER, "shoot", body)
    wrong = {**given_of(seen.facts), "distance:ada,bob": 13}
    told = ruled(ARBITER, "shoot", {**body, "case": {**bare(body["case"]), "given": wrong}, "surplus": "ignore"})
    assert essence(told, PLACES) != essence(seen, PLACES)
