"""Rapture without a board: the players say what they see, and all is ruled as on a board that shows it.

The bearer ada has ATT 3, ROF 3 with MMS 4 to 40 cm, TEC 2, five HP; the breaker bob CCS 3, ATT 4, DEF 3, seven HP.
"""

import time
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.json import encode
from services.rapture.arbiter import ARBITER
from tests.services import facts_law
from tests.services.rapture.field import ask, odds, scene
from tests.services.rapture.test_agreement import pairs, tables

FIRST = {"*": "first"}
ADA = {"id": "ada", "side": "red", "profile": "lantern-bearer"}
BOB = {"id": "bob", "side": "blue", "profile": "gate-breaker"}
FAY = {"id": "fay", "side": "blue", "profile": "ferrywoman"}
UNA = {"id": "una", "side": "blue", "profile": "ferry-hand", "leader": "fay"}
GUS = {"id": "gus", "side": "blue", "profile": "ditch-guard"}


def bare(*units: dict[str, Any], **rest: Any) -> dict[str, Any]:
    """Give a scene without a board."""
    return {"units": list(units), **rest}


def needed(question: str, case: dict[str, Any], **rest: Any) -> list[str]:
    ruling = ask(question, case, **rest)
    assert ruling.status == "needs_fact"
    assert ruling.needs is not None
    return [needs.key for needs in ruling.needs.facts or ()]


def wounds(law: Any) -> dict[Any, Fraction]:
    marginal = next(each for each in law.marginals if each.field == "wounds")
    return {chance.answer: Fraction(chance.mass) for chance in marginal.values}


# Attacks


@pytest.mark.parametrize("question", ["attack", "shoot"])
def test_odds_by_best_play_ask_for_the_facts_that_all_odds_ask_for(question: str) -> None:
    # Bob may react before the hit roll, which best play decides in a whole law alone.
    who = {"attack": {"attacker": "ada"}, "shoot": {"shooter": "ada"}}[question]
    case = {"scene": bare(ADA, BOB), **who, "target": "bob"}
    first, best = (odds(question, case, policies={"*": policy}).needs for policy in ("first", "best"))
    assert first is not None
    assert best is not None
    assert [needs.fact for needs in best.facts or ()][:1] == [{"attack": "contact", "shoot": "range_cm"}[question]]
    assert {needs.key for needs in best.facts or ()} <= {needs.key for needs in first.facts or ()}


def test_an_attack_asks_for_contact_and_nothing_else() -> None:
    case = {"scene": bare(ADA, BOB), "attacker": "ada", "target": "bob"}
    assert needed("attack", case) == ["contact:ada,bob"]
    # Three dice at 4+: hits 1, 3, 3, 1 of 8; three blocks at 5+: blocks 8, 12, 6, 1 of 27; his thick coat takes one
    # off. No wound: no hit (27 of 216), one hit (81), two hits and a block (3 x 19), three hits and two blocks (7).
    law = odds("attack", {**case, "given": {"contact": True}})
    assert wounds(law)[0] == Fraction(27 + 81 + 57 + 7, 216)
    assert [(fact.fact, fact.value, fact.origin) for fact in law.facts] == [("contact", True, "given")]


def test_who_is_not_in_contact_cannot_be_attacked() -> None:
    case = {"scene": bare(ADA, BOB), "attacker": "ada", "target": "bob", "given": {"contact": False}}
    ruling = ask("attack", case)
    assert [reason.rule for reason in ruling.reasons] == ["reach.close"]
    # Within a centimetre is near enough by the other reading, which asks how far it is.
    near = {"close-combat-reach": "one-centimetre"}
    assert needed("attack", case, readings=near) == ["range_cm:ada,bob"]
    for centimetres, allowed in ((1.0, True), (1.25, False)):
        case["given"]["range_cm"] = centimetres
        assert ask("attack", case, readings=near, policies=FIRST).allowed is allowed


def test_a_counterblow_needs_no_second_word_on_contact_and_the_fallen_are_out_in_the_next_question() -> None:
    """Ada, with one HP left, hits nobody; bob strikes back at 4+ with two of four dice, and she blocks none of them."""
    weak = {**ADA, "hp_crossed": 4}
    case = {"scene": bare(weak, BOB), "attacker": "ada", "target": "bob", "given": {"contact:bob,ada": True}}
    dice = {"hand": {"ada: hit": [1, 1], "bob: counterblow": [4, 4, 1, 1], "ada: block": [1, 1]}}
    choices = {"bob: before the hit roll": ["none"], "bob: after the attack": ["counterblow"]}
    choices["ada: before the hit roll of the counterblow"] = ["none"]
    ruling = ask("attack", case, dice=dice, choices=choices)
    assert ruling.answer.fallen == ("ada",)
    steps = {step.path: step.value for step in ruling.effects.patch}
    assert steps["/units/0/disabled"] == "casualty"
    assert steps["/units/0/disabled_by"] == "blue"
    # No place appears from nowhere, and sides that the scene does not list stay unlisted.
    assert not any(path.endswith(("/models", "/sides")) for path in steps)
    dead = {**weak, "hp_crossed": 5, "disabled": "casualty", "disabled_by": "blue"}
    with pytest.raises(Faults) as refused:
        ask("attack", {**case, "scene": bare(dead, BOB)})
    assert [fault.code for fault in refused.value.faults] == ["not-in-play"]


def test_a_squad_is_asked_how_many_models_reach_only_where_dice_depend_on_it() -> None:
    case = {"scene": bare(ADA, GUS), "attacker": "gus", "target": "ada", "given": {"contact": True}}
    assert ask("attack", case, policies=FIRST).answer.blows[0].dice == 2
    share = {"squad-dice": "share"}
    assert needed("attack", case, readings=share) == ["models:gus,ada"]
    # Two dice for three models: one model has two thirds of a die, rounded up; two have four thirds.
    for models, dice in ((1, 1), (2, 2), (3, 2)):
        case["given"]["models"] = models
        assert ask("attack", case, readings=share, policies=FIRST).answer.blows[0].dice == dice


# Shots


def test_a_shot_asks_for_the_range_and_then_for_sight() -> None:
    case = {"scene": bare(ADA, BOB), "shooter": "ada", "target": "bob"}
    assert needed("shoot", case) == ["range_cm:ada,bob"]
    assert needed("shoot", {**case, "given": {"range_cm": 40}}) == ["sees:ada,bob"]
    # Out of range, sight does not matter.
    ruling = ask("shoot", {**case, "given": {"range_cm": 40.5}})
    assert (ruling.status, ruling.answer.made, ruling.answer.distance_cm) == ("ruled", False, 40.5)
    hidden = ask("shoot", {**case, "given": {"range_cm": 40, "sees": False}})
    assert [reason.text for reason in hidden.reasons] == [
        "Lantern Bearer (ada) cannot see any model of Gate Breaker (bob) within range"
    ]


def test_a_usual_shot_is_in_range_and_seen() -> None:
    case = {"scene": bare(ADA, BOB), "shooter": "ada", "target": "bob", "assume": "usual"}
    # Three dice at 4+ and three blocks at 5+ less one for the coat, as in close combat.
    law = odds("shoot", case)
    assert wounds(law)[0] == Fraction(172, 216)
    assert [fact.origin for fact in law.facts] == ["assumed", "assumed"]


def test_contact_matters_to_a_shot_by_readings_alone() -> None:
    case = {"scene": bare(ADA, BOB), "shooter": "ada", "target": "bob", "given": {"range_cm": 5, "sees": True}}
    assert ask("shoot", case, policies=FIRST).allowed
    forbidden = {"shoot-while-in-contact": "forbidden"}
    assert needed("shoot", case, readings=forbidden) == ["in_contact:ada"]
    case["given"]["in_contact:ada"] = ["bob"]
    assert not ask("shoot", case, readings=forbidden).allowed


def test_own_numbers_count_without_a_card_of_ones_own() -> None:
    """One die less and one easier: two dice at 3+."""
    case = {"scene": bare({**ADA, "changes": {"rof": -1, "mms": -1}}, BOB), "shooter": "ada", "target": "bob"}
    answer = ask("shoot", {**case, "assume": "usual"}, policies=FIRST).answer
    assert (answer.dice, answer.difficulty) == (2, 3)
    card = {"id": "mine", "ccs": 2, "att": 1, "ap": 1, "hp": [{}]}
    own = bare({**ADA, "profile": "mine"}, BOB, profiles={"units": [card]})
    blow = ask("attack", {"scene": own, "attacker": "ada", "target": "bob", "given": {"contact": True}}, policies=FIRST)
    assert (blow.answer.blows[0].dice, blow.answer.blows[0].difficulty) == (1, 2)


def test_a_request_of_300_bytes_is_answered_with_exact_odds() -> None:
    case: dict[str, Any] = {"scene": bare(ADA, BOB), "attacker": "ada", "target": "bob", "given": {"contact": True}}
    assert len(msgspec.json.encode({"case": case})) < 300
    odds("attack", case)
    began = time.process_time()
    for _ in range(5):
        odds("attack", case)
    assert (time.process_time() - began) / 5 < 0.05


# Reactions, actions, abilities


@pytest.mark.parametrize(
    ("trigger", "moment", "keys"),
    [
        ("close-combat", "before-hit-roll", None),
        ("close-combat", "after-attack", ["contact:ada,bob"]),
        ("movement-into-contact", "before-contact", ["range_cm:ada,bob"]),
        ("ranged", "before-hit-roll", None),
    ],
)
def test_reactions_ask_for_what_their_moment_needs(trigger: str, moment: str, keys: list[str] | None) -> None:
    case = {"scene": bare(ADA, BOB), "unit": "ada", "by": "bob", "trigger": trigger, "moment": moment}
    if keys is None:
        assert ask("reactions", case).status == "ruled"
    else:
        assert needed("reactions", case) == keys


def test_the_overview_of_actions_asks_whom_the_unit_touches_and_whom_it_can_shoot() -> None:
    case = {"scene": bare(ADA, BOB), "unit": "ada"}
    assert needed("actions", case) == ["in_contact:ada", "range_cm:ada,bob"]
    free = ask("actions", {**case, "assume": "usual"})
    assert {"movement", "ranged"} <= {*free.answer.open}
    assert "close-combat" not in free.answer.open
    # In contact she is held, strikes and can retreat; she can shoot, too.
    held = ask("actions", {**case, "given": {"in_contact": ["bob"]}, "assume": "usual"})
    assert {"close-combat", "ranged", "retreat"} <= {*held.answer.open}
    assert "movement" not in held.answer.open


def test_abilities_ask_for_their_range_and_sight() -> None:
    """The war cry reaches 15 cm and needs no sight, the thrown hook 20 cm and sight."""
    case = {"scene": bare(ADA, FAY, UNA), "unit": "fay", "ability": "war-cry", "target": "ada"}
    assert needed("ability", case) == ["range_cm:ada,fay"]
    assert ask("ability", {**case, "given": {"range_cm": 15}}, dice={"seed": 1}).allowed
    assert not ask("ability", {**case, "given": {"range_cm": 15.5}}).allowed
    hook = {**case, "unit": "una", "ability": "thrown-hook"}
    assert needed("ability", hook) == ["range_cm:ada,una", "sees:una,ada"]


def test_an_ability_at_an_objective_that_only_the_players_see() -> None:
    own = {"id": "dig", "when": "action", "target": "objective", "range_cm": 0, "line_of_sight": True, "name": "Dig"}
    mission = {"id": "digging", "when": "end", "counts": "deeds", "points_each": 3, "ability": "dig"}
    rows = {"abilities": [own], "missions": [mission]}
    table = bare(
        ADA,
        BOB,
        sides=[{"id": "red", "mission": "digging"}, {"id": "blue"}],
        objectives=[{"id": "hole"}],
        profiles=rows,
    )
    case = {"scene": table, "unit": "ada", "ability": "dig", "target": "hole"}
    assert needed("ability", case) == ["at_objective:ada,hole", "sees_objective:ada,hole"]
    assert not ask("ability", {**case, "given": {"at_objective": False, "sees_objective": True}}).allowed
    assert ask("ability", {**case, "assume": "usual"}).answer.success


# Morale, and the round


@pytest.mark.parametrize(("crosses", "out"), [(True, ("fay", "una")), (False, ())])
def test_who_loses_the_last_mp_flees_and_players_see_how_far(crosses: bool, out: tuple[str, ...]) -> None:
    case = {"scene": bare(ADA, FAY, UNA), "unit": "fay", "morale": 5}
    assert needed("escape", case) == ["crosses_edge:fay"]
    ruling = ask("escape", {**case, "given": {"crosses_edge": crosses}})
    assert ruling.answer.disabled == out
    assert ruling.answer.escaping
    assert ruling.answer.moved
    fled = [event.values["unit"] for event in ruling.effects.events if event.name == "fled"]
    assert fled == (["fay"] if crosses else ["fay", "una"])
    assert ask("boxes", {**case, "given": {"crosses_edge": crosses}}).answer.disabled == out


def test_the_round_goes_on_without_a_board() -> None:
    """Combat values 4 + 0 and 2 + 3 + 1; fay and her hand stay together, and she may cross the edge in step 4."""
    fleeing = {**FAY, "mp_crossed": 5, "escaping": True}
    table = bare(ADA, BOB, fleeing, UNA, phase="preparation")
    assert needed("preparation", {"scene": table}) == ["contact:fay,una"]
    assert needed("preparation", {"scene": table, "given": {"contact": True}}) == ["crosses_edge:fay"]
    ruling = ask("preparation", {"scene": table, "assume": "usual"}, dice={"seed": 1})
    assert (ruling.answer.disabled, ruling.answer.escaping) == ((), ("fay",))
    gone = ask("preparation", {"scene": table, "given": {"contact": True, "crosses_edge": True}}, dice={"seed": 1})
    assert gone.answer.disabled == ("fay", "una")
    values = ask("combat-value", {"scene": bare(ADA, BOB, FAY, UNA)}).answer.values
    assert [(row.side, row.value) for row in values] == [("red", 4), ("blue", 6)]
    assert ask("activation", {"scene": bare(ADA, BOB), "unit": "ada"}).answer.active == "ada"
    assert ask("cleanup", {"scene": bare(ADA, BOB, phase="cleanup")}).answer.round == 2


def test_missions_count_what_the_players_see() -> None:
    held = {"id": "hold", "when": "end", "counts": "objectives-held", "points_each": 4, "reach_cm": 3}
    beyond = {"id": "over", "when": "end", "counts": "units-beyond-middle", "points_each": 5}
    sides = [{"id": "red", "mission": "hold"}, {"id": "blue", "mission": "over"}]
    table = bare(ADA, BOB, FAY, sides=sides, profiles={"missions": [held, beyond]})
    assert needed("victory", {"scene": table}) == ["objectives_held:red", "beyond_middle:blue"]
    facts = {"objectives_held:red": 2, "beyond_middle": ["fay", "ada"]}
    standing = ask("victory", {"scene": table, "given": facts}).answer.sides
    # Two objectives, and one unit of blue's own.
    assert [(side.side, side.missions) for side in standing] == [("red", 8), ("blue", 5)]


# What is impossible, and what needs a board


def test_geometry_alone_needs_a_board() -> None:
    table = bare(ADA, {**FAY, "mp_crossed": 5, "escaping": True}, GUS)
    for question, case in (
        ("moves", {"unit": "ada"}),
        ("path", {"unit": "ada", "goal": [10, 10]}),
        ("line-of-sight", {"observer": "ada"}),
        ("rescue", {"rescuer": "gus", "escaping": "fay"}),
        ("battle", {}),
        ("preparation", {"formations": [{"unit": "gus", "models": [[1, 1], [4, 4], [7, 7]]}]}),
    ):
        with pytest.raises(Faults) as refused:
            ask(question, {"scene": table, **case}, policies={"*": "charging"})
        assert [fault.code for fault in refused.value.faults] == ["board-missing"], question


def test_a_board_needs_the_edges_of_its_sides_and_the_places_of_its_objectives() -> None:
    posted = scene(sides=[{"id": "red"}, {"id": "blue", "edge": "east"}], objectives=[{"id": "hill"}])
    with pytest.raises(Faults) as refused:
        ask("victory", {"scene": posted})
    assert {(fault.pointer, fault.code) for fault in refused.value.faults} == {
        ("/case/scene/sides/0/edge", "no-edge"),
        ("/case/scene/objectives/0/at", "no-place"),
    }
    with pytest.raises(Faults) as refused:
        ask("victory", {"scene": {}})
    assert [fault.code for fault in refused.value.faults] == ["no-sides"]


def test_a_fact_that_contradicts_the_board_is_a_fault_unless_it_wins() -> None:
    """Bob stands beside ada, and the ferrywoman 17 cm from her."""
    case = {"scene": scene(), "attacker": "ada", "target": "fay", "given": {"contact": True}}
    with pytest.raises(Faults) as refused:
        ask("attack", case)
    (fault,) = refused.value.faults
    assert (fault.code, fault.pointer) == ("fact-contradicts-board", "/case/given/contact")
    assert ask("attack", {**case, "given_wins": True}, policies=FIRST).allowed
    shot = {"scene": scene(), "shooter": "ada", "target": "fay", "given": {"range_cm": 17.4}}
    assert ask("shoot", shot, policies=FIRST).answer.distance_cm == 17.4
    with pytest.raises(Faults):
        ask("shoot", {**shot, "given": {"range_cm": 18}})


# The law: a board, and the facts read off it without the board, give the same ruling


PLACES = ("models", "edge", "moved", "distance_cm")
READINGS = {
    "close-combat-reach": ("contact", "one-centimetre"),
    "squad-dice": ("card", "share"),
    "shoot-into-contact": ("allowed", "forbidden"),
    "shoot-while-in-contact": ("allowed", "forbidden"),
    "ranged-line-of-sight": ("needed", "not-needed"),
    "shelter-in-contact": ("allowed", "forbidden"),
    "leaving-contact": ("retreat-only", "free"),
    "countershot-answers": tuple(option.id for option in ARBITER.readings.by_id["countershot-answers"].options),
}
readings = st.fixed_dictionaries({}, optional={id_: st.sampled_from(options) for id_, options in READINGS.items()})


def without_board(case: dict[str, Any]) -> dict[str, Any]:
    """Give a case without its board and the places of units."""
    posted = {name: part for name, part in case["scene"].items() if name != "board"}
    posted["sides"] = [{name: part for name, part in side.items() if name != "edge"} for side in posted["sides"]]
    posted["units"] = [{name: part for name, part in unit.items() if name != "models"} for unit in posted["units"]]
    return {**case, "scene": posted}


def same(question: str, case: dict[str, Any], rest: dict[str, Any], *, odds: bool = True) -> None:
    # What the board names as standing in the way, players need not name.
    with patch("services.rapture.rules.reach._blockers", return_value=()):
        facts_law.holds(ARBITER, question, {"case": case, **rest}, without_board, places=PLACES, odds=odds)


@settings(max_examples=40, deadline=None)
@given(tables(), readings, st.sampled_from(("first", "reacting")))
def test_attacks_and_shots_are_ruled_as_on_the_board(table: dict[str, Any], chosen: Any, policy: str) -> None:
    for one, other in pairs(table)[:2]:
        rest = {"readings": chosen, "policies": {"*": policy}}
        same("attack", {"scene": table, "attacker": one, "target": other}, rest)
        same("shoot", {"scene": table, "shooter": one, "target": other}, rest)


MOMENTS = (
    ("close-combat", "before-hit-roll"),
    ("close-combat", "after-attack"),
    ("counterblow", "after-attack"),
    ("ranged", "before-hit-roll"),
    ("movement-into-contact", "before-contact"),
)


@settings(max_examples=40, deadline=None)
@given(tables(), readings, st.sampled_from(MOMENTS))
def test_reactions_and_actions_are_those_of_the_board(
    table: dict[str, Any], chosen: Any, when: tuple[str, str]
) -> None:
    for one, other in pairs(table)[:2]:
        case = {"scene": table, "unit": one, "by": other, "trigger": when[0], "moment": when[1]}
        same("reactions", case, {"readings": chosen})
    for unit in table["units"]:
        same("actions", {"scene": table, "unit": unit["id"]}, {"readings": chosen})
        same("action", {"scene": table, "unit": unit["id"], "action": "end"}, {"readings": chosen})
        same("activation", {"scene": table, "unit": unit["id"]}, {"readings": chosen})


@settings(max_examples=30, deadline=None)
@given(tables(), st.sampled_from(("preparation", "cleanup")), st.integers(0, 6))
def test_the_round_is_that_of_the_board(table: dict[str, Any], phase: str, morale: int) -> None:
    posted = {**table, "phase": phase}
    # The order in which several units flee is that of their places, and changes nothing else.
    fleeing = [unit["id"] for unit in table["units"] if unit.get("escaping")][:1]
    calm = {"activated": False, "mp_crossed": 0, "escaping": False}
    posted["units"] = [
        {**unit, **(calm if unit["id"] not in fleeing else {"activated": False})} for unit in table["units"]
    ]
    rest = {"policies": FIRST}
    same(phase, {"scene": posted}, rest, odds=False)
    same("combat-value", {"scene": table}, rest, odds=False)
    same("victory", {"scene": table}, rest)
    one = table["units"][0]
    if one["profile"] != "roof-runners":
        same("escape", {"scene": table, "unit": one["id"], "morale": morale}, rest)
        same("boxes", {"scene": table, "unit": one["id"], "morale": morale}, rest)


@settings(max_examples=30, deadline=None)
@given(tables())
def test_abilities_work_as_on_the_board(table: dict[str, Any]) -> None:
    cards = {row["id"]: row for row in ARBITER.catalog["profiles"]}
    user = table["units"][0]
    for ability in cards[user["profile"]]["abilities"]:
        for target in (None, *(unit["id"] for unit in table["units"][1:3])):
            case = {"scene": table, "unit": user["id"], "ability": ability, "target": target}
            same("ability", case, {"policies": FIRST})


def test_answers_without_a_board_are_written() -> None:
    """What stands for places has a form in JSON."""
    ruling = ask("escape", {"scene": bare(ADA, FAY), "unit": "fay", "morale": 5, "given": {"crosses_edge": False}})
    assert msgspec.json.decode(encode(ruling))["answer"]["models"] == []
