"""Stargrave without a board: the players say what they see, and everything is ruled as on a board that shows it."""

from fractions import Fraction
from typing import Any

import pytest

from arbiter.ruling import Ruling
from tests.services.stargrave.asking import ask, faults, marginal, odds

KEL = {"id": "kel", "profile": "sentry", "crew": "red"}
"""Shoot +2, Fight +3, Armour 11, 14 Health, a carbine and a hand weapon."""
ROB = {"id": "rob", "profile": "recruit", "crew": "red", "weapons": ["carbine"]}
"""Shoot +2, Fight +2, Armour 10, 12 Health."""
CY = {"id": "cy", "profile": "trooper", "crew": "blue"}
"""Shoot +3, Fight +2, Armour 11, 14 Health, a carbine and a knife, whose damage is 1 less."""
WOLF = {"id": "wolf", "profile": "sample-prowler", "role": "creature"}
"""Fight +2, Armour 9, 8 Health, and its own body as a weapon."""

SHOT = {"scene": {"figures": [ROB, CY]}, "shooter": "rob", "weapon": "carbine", "targets": ["cy"]}
FIGHT = {"scene": {"figures": [KEL, CY]}, "fighter": "kel", "opponent": "cy"}
STAYS = {"kel: after the fight": ["stay"]}
HUNT = {"scene": {"figures": [WOLF, ROB, CY]}, "creature": "wolf"}


def needed(question: str, case: dict[str, Any], **rest: Any) -> list[str]:
    """Give the facts that a ruling asks for."""
    ruling = ask(question, case, **rest)
    assert ruling.status == "needs_fact", ruling.status
    return [needs.key for needs in ruling.needs.facts]


def texts(ruling: Ruling[Any]) -> list[str]:
    return [finding.text for finding in ruling.findings]


def test_a_list_of_figures_is_asked_for_with_those_who_can_be_in_it() -> None:
    # Rob is in combat with enemies alone: not with Kel, who is of his crew.
    ruling = ask("shoot", {**SHOT, "scene": {"figures": [ROB, KEL, CY, WOLF]}})
    assert ruling.needs is not None
    combat = next(needs for needs in ruling.needs.facts or () if needs.key == "in_combat:rob")
    assert combat.options == ("cy", "wolf")


@pytest.mark.parametrize(
    ("question", "figures", "case", "reason"),
    [
        ("shoot", [{**ROB, "jammed": ["carbine"]}, CY], {"shooter": "rob", "targets": ["cy"]}, "jams.unusable"),
        ("shoot", [ROB, KEL, CY], {"shooter": "rob", "targets": ["kel"]}, "shooting.own_side"),
        ("shoot", [ROB, KEL, CY], {"shooter": "rob", "targets": ["cy", "cy"]}, "shooting.rapid_fire"),
        (
            "shoot",
            [{**ROB, "stunned": True}, CY],
            {"shooter": "rob", "targets": ["cy"], "moved": "yes"},
            "activation.none_left",
        ),
        ("loot", [{**ROB, "profile": "guard-dog"}, CY], {"figure": "rob", "token": "safe"}, "loot.animals"),
        ("loot", [ROB, CY], {"figure": "rob", "token": "safe", "deed": "pick-up"}, "loot.unlocked"),
        ("heal", [ROB, KEL], {"medic": "rob", "patient": "kel"}, "medicine.may_tend"),
        (
            "heal",
            [{**ROB, "profile": "medic"}, {**KEL, "profile": "mule"}],
            {"medic": "rob", "patient": "kel"},
            "medicine.robots",
        ),
        (
            "activation",
            [{**KEL, "role": "captain"}, {**ROB, "activated": True}],
            {"leader": "kel", "companions": ["rob"]},
            "turn.companion_violations",
        ),
        ("attack", [KEL, ROB], {"fighter": "kel", "opponent": "rob"}, "combat.violations"),
        (
            "power",
            [{**KEL, "profile": "seer"}, CY],
            {"user": "kel", "power": "control-robot", "target": "cy"},
            "power_aims.of_kind",
        ),
        (
            "power",
            [{**KEL, "profile": "seer"}, {**ROB, "profile": "mule"}],
            {"user": "kel", "power": "heal", "target": "rob"},
            "power_aims.of_kind",
        ),
    ],
)
def test_what_the_scene_alone_forbids_is_forbidden_without_a_question(
    question: str, figures: list[dict[str, Any]], case: dict[str, Any], reason: str
) -> None:
    weapon = {"weapon": "carbine"} if question == "shoot" else {}
    seer = {"id": "seer", "powers": [{"id": "control-robot"}, {"id": "heal"}]}
    scene = {"figures": figures, "tokens": [{"id": "safe", "kind": "data"}], "profiles": {"figures": [seer]}}
    ruling = ask(question, {"scene": scene, **case, **weapon})
    assert (ruling.status, ruling.allowed) == ("ruled", False)
    assert {each.rule for each in ruling.reasons} == {reason}


def test_with_a_jammed_weapon_nobody_is_a_target_whatever_it_sees() -> None:
    figures = [{**ROB, "jammed": ["carbine"]}, CY]
    ruling = ask("targets", {"scene": {"figures": figures}, "shooter": "rob"})
    assert ruling.status == "ruled"
    (gun,) = ruling.answer.weapons
    assert (gun.eligible, [each.target for each in gun.ineligible]) == ((), ["cy"])
    assert [why.cites for why in gun.ineligible[0].reasons] == [("shooting/jam-unusable",)]
    assert needed("targets", {"scene": {"figures": figures}, "shooter": "rob", "cleared_jam": True})


# Shots


def test_a_shot_asks_first_for_what_makes_it_possible_then_for_what_changes_it() -> None:
    assert needed("shoot", SHOT) == ["in_combat:rob", "range_in:rob,cy", "sees:rob,cy"]
    possible = {"in_combat:rob": [], "range_in": 8, "sees": True}
    assert needed("shoot", {**SHOT, "given": possible}) == ["in_combat:cy", "between:rob,cy", "cover:rob,cy"]


def test_a_question_is_one_that_players_can_answer() -> None:
    (question,) = [needs for needs in ask("shoot", SHOT).needs.facts if needs.fact == "sees"]
    assert (question.question, question.type) == ("Does Recruit (rob) see Trooper (cy)?", "yes-no")
    assert question.rule == "shooting.in_sight"
    assert "line of sight" in question.why


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"in_combat:rob": ["cy"], "range_in": 8, "sees": True}, "Recruit (rob) is in combat and may not shoot"),
        (
            {"in_combat:rob": [], "range_in": 24.5, "sees": True},
            "Trooper (cy) is out of range: the Carbine reaches 24 inches",
        ),
        ({"in_combat:rob": [], "range_in": 24, "sees": False}, "Recruit (rob) does not see Trooper (cy)"),
    ],
)
def test_who_may_not_shoot_is_not_asked_for_cover(given: dict[str, Any], reason: str) -> None:
    ruling = ask("shoot", {**SHOT, "given": given})
    assert (ruling.status, ruling.allowed, [each.text for each in ruling.reasons]) == ("ruled", False, [reason])


# Of 400 pairs f > t + d: 190 for d = 0. For d = 2, 18 * 17 / 2 = 153, and the natural 20 hits 18 and 19 as well.
# For d = 4, 16 * 15 / 2 = 120, and 16 to 19; for d = 3, 17 * 16 / 2 = 136, and 17 to 19. Two natural 20s miss.
@pytest.mark.parametrize(
    ("seen", "cases"),
    [({}, 190), ({"cover": "light"}, 155), ({"cover": "heavy"}, 124), ({"cover": "light", "between": 1}, 139)],
)
def test_the_odds_of_a_shot_by_what_players_see(seen: dict[str, Any], cases: int) -> None:
    result = odds("shoot", {**SHOT, "given": {"range_in": 8, **seen}, "assume": "usual"})
    assert marginal(result, "hits")[1] == Fraction(cases, 400)
    assert result.status == "ruled"


def test_odds_ask_for_facts_too() -> None:
    result = odds("shoot", SHOT)
    assert (result.status, result.outcomes) == ("needs_fact", ())
    assert [needs.fact for needs in result.needs.facts] == ["in_combat", "range_in", "sees"]


def test_a_ruling_says_what_it_stood_on_and_what_changes() -> None:
    case = {**SHOT, "given": {"range_in": 8, "cover:cy": "light"}, "assume": "usual"}
    ruling = ask("shoot", case, dice={"hand": {"rob: shooting": [19], "cy: combat": [10]}})
    # 19 + 2 is 21 against 10 + 2 + 2; less Armour 11 that is 10 of its 14 Health, and 4 stun.
    assert (ruling.answer.hits, ruling.answer.damage, ruling.answer.remaining) == (1, 10, 4)
    assert [(step.path, step.value) for step in ruling.effects.patch if step.op != "test"] == [
        ("/figures/1/health", 4),
        ("/figures/1/stunned", True),
    ]
    assert {fact.fact: fact.origin for fact in ruling.facts} == {
        "in_combat": "assumed",
        "range_in": "given",
        "sees": "assumed",
        "between": "assumed",
        "cover": "given",
    }
    assert "Cover of Trooper (cy) from Recruit (rob): light (as the players say)" in texts(ruling)
    assert "Recruit (rob) sees Trooper (cy) (as usual)" in texts(ruling)


def test_who_goes_out_without_a_board_is_out_in_the_next_question() -> None:
    scene = {"figures": [ROB, {**CY, "health": 3}]}
    case = {**SHOT, "scene": scene, "assume": "usual"}
    ruling = ask("shoot", case, dice={"hand": {"rob: shooting": [19], "cy: combat": [2]}})
    assert ruling.answer.out == 1
    assert [(step.path, step.value) for step in ruling.effects.patch if step.op != "test"] == [("/figures/1/health", 0)]
    gone = {**case, "scene": {"figures": [ROB, {**CY, "health": 0}]}}
    assert faults("shoot", gone) == [("/case/targets/0", "not-in-play")]


def test_a_shot_into_a_combat_meets_one_of_it() -> None:
    scene = {"figures": [ROB, CY, {**KEL, "id": "kel"}]}
    case = {**SHOT, "scene": scene, "given": {"in_combat:cy": ["kel"], "in_combat:kel": ["cy"]}, "assume": "usual"}
    hand = {"rob: target": [2], "rob: shooting": [15], "kel: combat": [2]}
    ruling = ask("shoot", case, dice={"hand": hand})
    # 15 + 2 less Armour 11.
    assert (ruling.answer.attacks[0].target, ruling.answer.damage) == ("kel", 6)


def test_what_a_board_shows_otherwise_is_a_fault_unless_the_players_win() -> None:
    board = {"width_in": 30, "depth_in": 30}
    figures = [{**ROB, "at": [3, 3]}, {**CY, "at": [3, 12]}]
    case = {**SHOT, "scene": {"board": board, "figures": figures}, "given": {"cover": "heavy"}}
    assert faults("shoot", case) == [("/case/given/cover", "fact-contradicts-board")]
    won = odds("shoot", {**case, "given_wins": True})
    assert marginal(won, "hits")[1] == Fraction(124, 400)
    # The bases are 8 inches apart: half an inch more or less is the same.
    assert ask("shoot", {**case, "given": {"range_in": 8.4}}).status == "ruled"
    assert faults("shoot", {**case, "given": {"range_in": 8.6}}) == [("/case/given/range_in", "fact-contradicts-board")]


def test_targets_of_ones_own_list_come_with_their_chances() -> None:
    scene = {"figures": [ROB, CY, {**CY, "id": "di"}]}
    case = {"scene": scene, "shooter": "rob", "weapon": "carbine", "assume": "usual"}
    given = {"cover:di": "light", "range_in:cy": 25, "range_in:di": 8}
    (gun,) = ask("targets", {**case, "given": given}).answer.weapons
    assert [(each.target, each.hits, each.distance_in, each.visible) for each in gun.eligible] == [
        ("di", "31/80", 8.0, None)
    ]
    assert [each.target for each in gun.ineligible] == ["cy"]


def test_a_figure_has_numbers_of_its_own() -> None:
    scene = {"figures": [{**ROB, "own": {"shoot": 4}}, {**CY, "own": {"fight": 3, "armour": 9, "health": 20}}]}
    hand = {"rob: shooting": [15], "cy: combat": [5]}
    ruling = ask("shoot", {**SHOT, "scene": scene, "assume": "usual"}, dice={"hand": hand})
    (attack,) = ruling.answer.attacks
    # 15 + 4 less Armour 9 of 20 Health.
    assert (attack.shoot, attack.defence, attack.armour, ruling.answer.remaining) == (4, 3, 9, 10)
    well = {"figures": [ROB, {**CY, "own": {"health": 20}, "health": 20}]}
    assert ask("shoot", {**SHOT, "scene": well, "assume": "usual"}).status == "ruled"
    assert faults("shoot", {**SHOT, "scene": {"figures": [ROB, {**CY, "health": 20}]}}) == [
        ("/case/scene/figures/1/health", "health")
    ]


def test_flames_attack_those_whom_the_players_name() -> None:
    burner = {**ROB, "weapons": ["flame-thrower"]}
    case = {"scene": {"figures": [burner, CY]}, "shooter": "rob", "touched": ["cy"]}
    assert needed("flame", case) == ["in_combat:rob"]
    assert needed("flame", {**case, "given": {"in_combat": []}}) == ["cover:rob,cy", "between:rob,cy"]
    hand = {"rob: shooting": [12], "cy: combat": [11]}
    ruling = ask("flame", {**case, "given": {"cover": "light"}, "assume": "usual"}, dice={"hand": hand})
    # Light cover counts for none: 12 + 2 beats 11 + 2.
    assert ruling.answer.hits == 1
    towards = {"scene": case["scene"], "shooter": "rob", "towards": [3, 3], "assume": "usual"}
    assert faults("flame", towards) == [("/case/scene/board", "board-missing")]


def test_a_grenade_is_thrown_at_a_point_that_only_the_players_see() -> None:
    case = {"scene": {"figures": [{**ROB, "weapons": ["grenades"]}, CY]}, "thrower": "rob", "kind": "fragmentation"}
    assert needed("grenade", case) == ["in_combat:rob", "point_range_in:rob"]
    ruling = ask("grenade", {**case, "given": {"point_range_in": 6.5}, "assume": "usual"})
    assert [reason.text for reason in ruling.reasons] == [
        "The point is out of range: with the Grenades Recruit (rob) reaches 6 inches"
    ]
    hand = {"rob: grenade": [8], "grenade: shooting": [15], "cy: combat": [5]}
    seen = {**case, "given": {"in_blast": ["cy"]}, "assume": "usual"}
    ruling = ask("grenade", seen, dice={"hand": hand})
    # 8, 2 for Shoot and 2 for the sight of it make 12. The blast at 3: 18 less Armour 11.
    assert (ruling.answer.landed, ruling.answer.damage) == ("on the point", 7)
    hand = {"rob: grenade": [6], "grenade: direction": [3]}
    assert needed(
        "grenade", {**seen, "assume": "nothing", "given": {**_thrown(), "in_blast": ["cy"]}}, dice={"hand": hand}
    ) == ["in_blast_scattered"]
    assert "Short by 2: the point moves 2 inches in direction 3 of 12" in texts(
        ask("grenade", seen, dice={"hand": hand})
    )


def _thrown() -> dict[str, Any]:
    return {"in_combat": [], "point_range_in": 5, "sees_point": True}


# Fights


def test_a_fight_asks_whether_it_is_one_and_for_support_where_there_are_friends() -> None:
    assert needed("attack", FIGHT) == ["in_combat_with:kel,cy"]
    together = {**FIGHT, "scene": {"figures": [KEL, ROB, CY]}}
    assert needed("attack", together) == ["in_combat_with:kel,cy"]
    assert needed("attack", {**together, "given": {"in_combat_with": True}}) == ["supporters:kel,cy"]
    assert needed("attack", {**FIGHT, "opponent": None}) == ["in_combat:kel"]
    ruling = ask("attack", {**FIGHT, "given": {"in_combat_with": False}})
    assert [reason.text for reason in ruling.reasons] == ["Sentry (kel) is not in combat with Trooper (cy)"]


def test_the_odds_of_a_fight_are_those_of_two_figures_in_contact() -> None:
    result = odds("attack", {**FIGHT, "assume": "usual"})
    # 3 against 2: of 400 pairs 210 are higher, and 19 equal, of which one has a natural 20 of the other.
    chances = marginal(result, "winner")
    assert (chances["kel"], chances["cy"], chances[None]) == (Fraction(21, 40), Fraction(43, 100), Fraction(9, 200))


def test_support_that_the_players_see_adds_two() -> None:
    case = {**FIGHT, "scene": {"figures": [KEL, ROB, CY]}, "given": {"supporters:kel,cy": ["rob"]}, "assume": "usual"}
    ruling = ask("attack", case, dice={"hand": {"kel: combat": [12], "cy: combat": [14]}}, policies={"*": "first"})
    # 12 + 3 + 2 against 14 + 2, and 17 less Armour 11.
    assert (ruling.answer.winner, ruling.answer.bonus, ruling.answer.damage) == ("kel", 5, 6)
    assert ruling.answer.still_in_combat
    assert "Sentry (kel) has the support of Recruit (rob) against Trooper (cy) (as the players say)" in texts(ruling)


def test_a_push_is_made_by_the_players_who_say_what_comes_of_it() -> None:
    hand, choice = {"kel: combat": [15], "cy: combat": [3]}, {"kel: after the fight": ["push-opponent"]}
    case = {**FIGHT, "given": {"in_combat_with": True}}
    pushing = {"dice": {"hand": hand}, "choices": choice}
    assert needed("attack", case, **pushing) == ["drop_in"]
    case["given"]["drop_in"] = 0
    assert needed("attack", case, **pushing) == ["still_in_combat"]
    for still in (True, False):
        case["given"]["still_in_combat"] = still
        assert ask("attack", case, **pushing).answer.still_in_combat is still
    case["given"] = {"in_combat_with": True, "drop_in": 5}
    ruling = ask("attack", case, **pushing)
    # 18 less Armour 11 is 7; five inches do seven points, which are all that is left of 14.
    assert (ruling.answer.damage, ruling.answer.health, ruling.answer.still_in_combat) == (7, 0, False)
    assert {"pushed", "fell", "out"} <= {event.name for event in ruling.effects.events}
    # Nobody has a place, so that no place has changed.
    assert not any(step.path.endswith("/at") for step in ruling.effects.patch)


# Creatures


def test_a_creature_asks_whom_it_fights_and_whom_it_sees() -> None:
    # Who fights does not look around.
    assert needed("behaviour", HUNT) == ["in_combat:wolf"]
    assert needed("behaviour", {**HUNT, "given": {"in_combat": []}}) == ["sees:wolf,rob", "sees:wolf,cy"]
    engaged = {**HUNT, "given": {"in_combat:wolf": ["rob", "cy"], "supporters": []}}
    ruling = ask("behaviour", {**engaged, "carry_out": False})
    # The recruit has 12 Health, the trooper 14.
    assert (ruling.answer.action, ruling.answer.target) == ("fight", "rob")


def test_of_two_that_it_sees_a_creature_goes_for_the_nearer_one() -> None:
    seen = {**HUNT, "given": {"in_combat": [], "sees": True}, "carry_out": False}
    assert needed("behaviour", seen) == ["range_in:wolf,rob", "range_in:wolf,cy"]
    seen["given"] |= {"range_in:rob": 9, "range_in:cy": 7}
    assert (ask("behaviour", seen).answer.action, ask("behaviour", seen).answer.target) == ("advance", "cy")


def test_after_its_move_a_creature_asks_anew() -> None:
    given = {"in_combat:wolf": [], "sees:rob": True, "sees:cy": False}
    assert needed("behaviour", {**HUNT, "given": given}) == ["in_combat_then:wolf"]
    short = ask("behaviour", {**HUNT, "given": {**given, "in_combat_then": []}})
    # It moves on with its second action, half as far, and nobody knows where it stands then.
    assert [(deed.kind, deed.target) for deed in short.answer.deeds] == [("advance", "rob"), ("advance", "rob")]
    assert "Sample Prowler (wolf) moves up to 7 inches towards Recruit (rob)" in texts(short)
    hand = {"wolf: combat": [15], "rob: combat": [5]}
    reached = {**HUNT, "given": {**given, "in_combat_then": ["rob"], "supporters": []}}
    ruling = ask("behaviour", reached, dice={"hand": hand})
    assert [deed.kind for deed in ruling.answer.deeds] == ["advance", "fight"]
    # 15 + 2 beats 5 + 2, less Armour 10; natural weapons add nothing.
    assert ruling.answer.damage == 7


def test_a_creature_that_sees_nobody_wanders_and_looks_again() -> None:
    given: dict[str, Any] = {"in_combat": [], "sees": False}
    hand = {"dice": {"hand": {"wolf: direction": [4]}}}
    assert needed("behaviour", {**HUNT, "given": given}, **hand) == ["in_combat_then:wolf"]
    given["in_combat_then"] = []
    assert needed("behaviour", {**HUNT, "given": given}, **hand) == ["sees_then:wolf,rob"]
    given |= {"sees_then:rob": False, "sees_then:cy": True}
    answer = ask("behaviour", {**HUNT, "given": given}, **hand).answer
    assert answer.steps == (1, 2, 3, 2)
    assert [(deed.kind, deed.target) for deed in answer.deeds] == [("random-move", None), ("advance", "cy")]
