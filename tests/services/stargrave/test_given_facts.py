"""Facts as they are given in Stargrave: which are impossible, which follow from others, and who can be in a list."""

from typing import Any

import pytest

from arbiter.fault import Faults
from tests.services.stargrave.asking import ask, faults
from tests.services.stargrave.test_facts import CY, FIGHT, KEL, ROB, SHOT, STAYS, needed, texts


@pytest.mark.parametrize(
    ("question", "case"),
    [
        ("fall", {"figure": "rob", "height_in": 5}),
        ("swim", {"figure": "rob"}),
        ("survival", {"figure": "gone"}),
        ("after-game", {"crew": "red"}),
        ("initiative", {}),
        ("turn", {"phase": "soldier"}),
    ],
)
def test_what_nobody_measures_is_ruled_without_a_board(question: str, case: dict[str, Any]) -> None:
    scene = {"figures": [ROB, CY, {**KEL, "id": "gone", "health": 0}]}
    assert ask(question, {"scene": scene, **case}).status == "ruled"


@pytest.mark.parametrize(
    ("question", "case"),
    [
        ("moves", {"figure": "rob"}),
        ("path", {"figure": "rob", "goal": [3, 3]}),
        ("line-of-sight", {"observer": "rob"}),
        ("battle", {}),
    ],
)
def test_what_is_nothing_but_geometry_wants_a_board(question: str, case: dict[str, Any]) -> None:
    assert faults(question, {"scene": {"figures": [ROB, CY]}, **case}) == [("/case/scene/board", "board-missing")]


@pytest.mark.parametrize(
    ("given", "pointer", "code"),
    [
        ({"covers": "light"}, "/case/given/covers", "unknown-fact"),
        ({"cover": "dense"}, "/case/given/cover", "fact-value"),
        ({"in_combat:rob": ["zoe"]}, "/case/given/in_combat:rob/0", "unknown-unit"),
        ({"in_combat:cy": ["rob", "rob"]}, "/case/given/in_combat:cy", "fact-value"),
    ],
)
def test_facts_that_cannot_be_are_faults_at_their_place(given: dict[str, Any], pointer: str, code: str) -> None:
    assert faults("shoot", {**SHOT, "given": given}) == [(pointer, code)]


def test_nobody_supports_an_enemy_or_is_in_combat_with_a_friend() -> None:
    scene = {"figures": [KEL, ROB, CY, {**CY, "id": "dan"}]}
    fight = {**FIGHT, "scene": scene, "given": {"in_combat_with": True, "supporters:kel,cy": ["rob", "cy"]}}
    assert faults("attack", fight) == [("/case/given/supporters:kel,cy", "fact-value")]
    fight["given"] = {"in_combat_with": True, "supporters:kel,cy": [], "supporters:cy,kel": ["rob"]}
    assert faults("attack", fight) == [("/case/given/supporters:cy,kel/0", "fact-value")]
    assert faults("attack", {**FIGHT, "scene": scene, "opponent": None, "given": {"in_combat:kel": ["rob"]}}) == [
        ("/case/given/in_combat:kel/0", "fact-value")
    ]


def test_a_list_for_all_of_who_supports_is_for_each_of_its_own_friends() -> None:
    figures = [KEL, CY, {**ROB, "id": "ann"}, {**ROB, "id": "ben"}, {**CY, "id": "dan"}]
    given = {"in_combat_with": True, "supporters": ["ann", "ben", "dan"]}
    ruling = ask(
        "attack",
        {**FIGHT, "scene": {"figures": figures}, "given": given},
        dice={"hand": {"kel: combat": [9], "cy: combat": [9]}},
        choices={"kel: after the fight": ["stay"]},
    )
    # Two of kel's against one of cy's: +4 and +2, so kel fights at +2. 9 + 3 + 2, less Armour 11.
    assert (ruling.answer.bonus, ruling.answer.opponent_bonus, ruling.answer.damage) == (5, 2, 3)


@pytest.mark.parametrize("given", [{"in_combat:kel": ["cy"]}, {"in_combat": ["kel", "cy"]}, {"in_combat:cy": ["kel"]}])
def test_whoever_is_listed_as_in_combat_is_not_asked_for_again(given: dict[str, Any]) -> None:
    assert ask("attack", {**FIGHT, "given": given}, dice={"hand": {}}).status == "needs_dice"


def test_whom_an_enemy_is_in_combat_with_is_in_combat_with_it() -> None:
    """Nobody shoots out of the combat of which only the enemy's side is told."""
    ruling = ask("shoot", {**SHOT, "given": {"in_combat:cy": ["rob"]}, "assume": "usual"})
    assert [reason.text for reason in ruling.reasons] == ["Recruit (rob) is in combat and may not shoot"]
    assert "Recruit (rob) is in combat with Trooper (cy) (as the players say)" in texts(ruling)
    # Without the usual it is asked for, since there may be others.
    assert "in_combat:rob" in needed("shoot", {**SHOT, "given": {"in_combat:cy": ["rob"]}})


@pytest.mark.parametrize("given", [{"in_combat:kel": []}, {"in_combat": []}])
def test_nobody_fights_whom_the_players_do_not_list(given: dict[str, Any]) -> None:
    ruling = ask("attack", {**FIGHT, "given": given, "assume": "usual"})
    assert [reason.text for reason in ruling.reasons] == ["Sentry (kel) is not in combat with Trooper (cy)"]


def test_the_only_opponent_that_is_listed_is_fought_without_another_question() -> None:
    case = {**FIGHT, "opponent": None, "given": {"in_combat:kel": ["cy"]}}
    ruling = ask("attack", case, dice={"hand": {"kel: combat": [8], "cy: combat": [4]}}, choices=STAYS)
    # 8 + 3, less Armour 11.
    assert (ruling.answer.opponent, ruling.answer.winner, ruling.answer.damage) == ("cy", "kel", 0)


def test_a_thrower_with_a_launcher_alone_is_told_to_fire_it() -> None:
    scene = {"figures": [{**ROB, "weapons": ["grenade-launcher"]}, CY]}
    with pytest.raises(Faults) as refused:
        ask("grenade", {"scene": scene, "thrower": "rob", "kind": "smoke"})
    (fault,) = refused.value.faults
    assert (fault.pointer, fault.code) == ("/case/kind", "unknown-weapon")
    assert fault.hint == "with `launcher` of true rob fires one"


def test_figures_of_which_one_has_a_place_need_places_all() -> None:
    scene = {"figures": [{**ROB, "at": [3, 3]}, CY]}
    assert faults("shoot", {**SHOT, "scene": scene}) == [("/case/targets/0", "not-in-play")]
