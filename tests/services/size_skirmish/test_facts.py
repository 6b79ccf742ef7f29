"""At a table of wood: no board, no places, and what the players see for themselves is believed."""

from copy import deepcopy
from fractions import Fraction
from typing import Any

import jsonpatch
import pytest

from arbiter.fault import Faults
from arbiter.json import encode, to_builtins
from arbiter.ruling import Ruling
from tests.services.size_skirmish.field import CARDS, ask, odds

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
