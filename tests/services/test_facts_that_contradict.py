"""Facts that cannot all be so, at a table of wood: the players are told both, and look again."""

import json
from typing import Any
from urllib.parse import parse_qsl

import msgspec
import pytest

from arbiter.asking.short_forms import case_of, forms_of
from arbiter.fault import Faults
from arbiter.question import Ask
from arbiter.registry import game
from arbiter.ruling import Ruling

SHOT = "shooter=recruit:pistol&target=trooper&assume=usual"
FIGHT = "fighter=recruit&opponent=trooper&assume=usual"
BLOW = "attacker=lantern-bearer&target=gate-breaker&sees=yes"
AIM = "attacker=janus-draik:pistol-and-rapier&target=traitor-guardsman&assume=usual"
STRIKE = "attacker=pike-warden&target=quay-guard&assume=usual"
PUNCH = "attacker=scrapper&target=marksman&other=raider&assume=usual"


def ruled(name: str, question: str, asked: str, given: dict[str, Any]) -> Ruling[Any]:
    """Ask a question in its short form, with facts of single units beside it."""
    asked_game = game(name)
    forms, form = forms_of(asked_game), asked_game.question(question)
    assert forms is not None
    case = case_of(asked_game, forms, question, dict(parse_qsl(asked)))
    case["given"] = {**case.get("given", {}), **given}
    kind: Any = Ask
    ask = msgspec.convert({"case": case, "policies": {"*": "first"}}, kind[form.case])
    return asked_game.ask(question, ask, seed="1")


@pytest.mark.parametrize(
    ("name", "question", "asked", "given"),
    [
        ("stargrave", "attack", FIGHT, {"in_combat:fighter": [], "in_combat_with:fighter,opponent": True}),
        ("stargrave", "attack", FIGHT, {"range_in:fighter,opponent": 20, "in_combat_with:fighter,opponent": True}),
        ("stargrave", "shoot", SHOT, {"in_combat:shooter": [], "in_combat:target": ["shooter"], "range_in:target": 1}),
        ("rapture", "attack", BLOW, {"contact:attacker,target": True, "in_contact:attacker": []}),
        ("rapture", "attack", BLOW, {"contact:attacker,target": True, "range_cm:attacker,target": 30}),
        ("blackstone-fortress", "attack", AIM, {"beside:attacker": ["target"], "range:attacker,target": 4}),
        (
            "blackstone-fortress",
            "attack",
            AIM,
            {"beside:attacker": ["target"], "range:attacker,target": 1, "sees:attacker,target": False},
        ),
        ("size-skirmish", "attack", STRIKE, {"in_reach:attacker,target": True, "distance:attacker,target": 9}),
        ("warleague", "targets", PUNCH, {"distance:attacker,target": 5, "adjacent:attacker,target": True}),
        ("warleague", "targets", PUNCH, {"clear_line:attacker,target": True, "over_obstacles:attacker,target": False}),
    ],
)
def test_players_are_told_both_facts(name: str, question: str, asked: str, given: dict[str, Any]) -> None:
    with pytest.raises(Faults) as refused:
        ruled(name, question, asked, given)
    faults = refused.value.faults
    assert {fault.code for fault in faults} == {"facts-contradict"}
    places = {fault.pointer.removeprefix("/case/given/") for fault in faults}
    assert len(places) == 2
    assert places <= given.keys()
    assert all(", and yet: " in fault.message for fault in faults)


@pytest.mark.parametrize(
    ("name", "question", "asked", "given"),
    [
        # Combat is within an inch at most, and players measure to half of one.
        ("stargrave", "attack", FIGHT, {"range_in:fighter,opponent": 1.5, "in_combat_with:fighter,opponent": True}),
        ("rapture", "attack", BLOW, {"contact:attacker,target": True, "range_cm:attacker,target": 0}),
        # Measured from the middles of two bases that touch.
        ("rapture", "attack", BLOW, {"contact:attacker,target": True, "range_cm:attacker,target": 3.5}),
        # A wall between two adjacent hexes: next to each other, and out of sight.
        (
            "blackstone-fortress",
            "attack",
            AIM,
            {"beside:attacker": [], "range:attacker,target": 1, "sees:attacker,target": False},
        ),
        # A diagonal neighbour is two steps away by one reading.
        ("warleague", "targets", PUNCH, {"distance:attacker,target": 2, "adjacent:attacker,target": True}),
        # What holds for all has an exception.
        ("rapture", "attack", BLOW, {"contact:attacker,target": True, "range_cm": 12}),
    ],
)
def test_facts_that_can_all_be_so_are_believed(name: str, question: str, asked: str, given: dict[str, Any]) -> None:
    ruling = ruled(name, question, asked, given)
    used = [(each.fact, list(each.of.values())) for each in ruling.facts if each.origin == "given"]
    assert used, json.dumps(given)
