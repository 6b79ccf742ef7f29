"""Whole games: laws that hold for every one of them, their course, and the question about them."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.dice import Die, Face
from arbiter.dice_sources import HandedDice, SeededDice
from arbiter.ruling import Origin
from arbiter.simulation.memo_table import MemoTable
from arbiter.skirmish.cases import CaseState
from arbiter.table import Choice, Chooser, Dice, OneTable, first
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.checks import checked
from services.size_skirmish.policies import POLICIES
from services.size_skirmish.questions.battle import (
    MS_OF_A_PAIR,
    MS_OF_A_PIECE,
    BattleAnswer,
    BattleCase,
    Fate,
    Score,
    battle,
    cost,
    metrics,
)
from tests.effort import cases
from tests.services.size_skirmish.field import field_of, readings
from tests.services.size_skirmish.yards import EVERY, NAMES, YARD, table_of, with_models, yard

ROUNDS = 2


def played(
    scene: dict[str, Any], table: OneTable, rounds: int = ROUNDS, points_for_out: int = 1
) -> tuple[Battlefield, BattleAnswer]:
    field = field_of(scene)
    decided = battle(table, CaseState(field, BattleCase(field.scene, rounds, points_for_out)))
    return checked(decided.after), decided.answer


@st.composite
def yards(draw: st.DrawFn) -> dict[str, Any]:
    """Return a yard somewhere in a game: hit points lost, flights, markers, a phase, and not everybody in play."""
    phase = draw(st.sampled_from(["start", "action", "end", "npc"]))
    rows = []
    for row in yard()["models"]:
        lost = draw(st.integers(0, 1 if row["id"] in ("tik", "rex") else 2)) if row["id"] != "mia" else 0
        fleeing = draw(st.sampled_from([None, None, {"direction": [1, 1]}])) if "npc" not in row else None
        acted = draw(st.booleans()) if phase == "action" and "npc" not in row else False
        rows.append({**row, "hit_points_lost": lost, "fleeing": fleeing, "acted": acted})
    gone = draw(st.sampled_from(["ari", "yan", None]))
    for row in rows:
        if row["id"] == gone:
            row.update(at=None, out="fled", fleeing=None)
    return yard(models=rows, phase=phase, round=draw(st.integers(1, 3)), starting="watch")


STRICT = {
    "reaction_budget": "unlimited",
    "leave_melee": "any-move",
    "move_checked": "after-reactions",
    "charge_answered": "arrival",
    "npc_quota": "until-all",
    "npc_moved": "active-too",
    "flight_drop": "falls",
    "npc_phase_markers": "kept",
    "rally": "spent",
    "run_and_shoot_when": "either",
    "blows_back": "both",
}


@settings(max_examples=cases(12, 5), deadline=None)
@given(
    scene=yards(),
    seed=st.text(min_size=1, max_size=8),
    watch=st.sampled_from(NAMES),
    wharf=st.sampled_from(NAMES),
    strict=st.booleans(),
)
def test_every_battle_ends_in_a_sound_scene_and_nobody_is_activated_twice(
    scene: dict[str, Any], seed: str, watch: str, wharf: str, strict: bool
) -> None:
    table = table_of(EVERY[watch], EVERY[wharf], SeededDice(seed), STRICT if strict else {})
    before = field_of(scene)
    after, fought = played(scene, table)
    assert checked(after.scene).scene == after.scene
    assert after.scene.phase == "over"
    assert 0 <= fought.rounds <= ROUNDS
    out = {side.id: 0 for side in before.scene.sides}
    for model in before.units:
        if model.npc is None and not in_play(after.unit(model.id)):
            out[model.side] += 1
    # All that the others have lost, a point each.
    points = {side.id: side.victory_points for side in after.scene.sides}
    assert points == {"watch": out["wharf"], "wharf": out["watch"]}
    assert fought.winners == tuple(side for side in points if points[side] == max(points.values()))
    _once_a_round(table, before)


def _once_a_round(table: OneTable, before: Battlefield) -> None:
    """Look whether no model got the marker of an action twice between two starts of a round."""
    acted = {model.id for model in before.units if model.acted}
    for event in table.events:
        if event.name == "phase_begun" and event.values["phase"] in ("action", "npc"):
            acted = set()
        if event.name == "marked":
            assert event.values["acted"] not in acted
            acted.add(event.values["acted"])


class Renamed(Dice):
    """The dice of another table on which the sides have other names."""

    def __init__(self, dice: Dice, names: Mapping[str, str]) -> None:
        self.dice, self.names = dice, names

    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Face, Origin]:
        who, _, what = label.partition(": ")
        return self.dice.face(die, f"{self.names.get(who, who)}: {what}", index, missing)


@settings(max_examples=cases(5, 2), deadline=None)
@given(seed=st.text(min_size=1, max_size=8), policy=st.sampled_from(NAMES))
def test_the_names_of_the_sides_change_nothing(seed: str, policy: str) -> None:
    swap = {"watch": "wharf", "wharf": "watch"}
    other = msgspec.json.decode(_swapped(msgspec.json.encode(YARD).decode()))
    one = played(yard(), table_of(EVERY[policy], EVERY[policy], SeededDice(seed)))[1]
    two = played(other, table_of(EVERY[policy], EVERY[policy], Renamed(SeededDice(seed), swap)))[1]
    assert two.winners == tuple(swap[side] for side in one.winners)
    assert [_swapped(line) for line in two.transcript] == list(one.transcript)


def _swapped(line: str) -> str:
    return line.replace("watch", "?").replace("wharf", "watch").replace("?", "wharf").replace("wharfer", "watcher")


@pytest.mark.parametrize("policy", NAMES)
def test_a_battle_in_bulk_is_the_same_battle(policy: str) -> None:
    policies = {"*": (policy, EVERY[policy])}
    one = OneTable(SeededDice("bulk"), Chooser({}, policies), readings())
    swift = MemoTable(SeededDice("bulk"), Chooser({}, policies), readings())
    assert played(yard(), one) == played(yard(), swift)


def test_a_battle_goes_on_with_the_side_whose_turn_it_is_and_ends_after_the_rounds() -> None:
    acted = {"acted": True}
    scene = with_models(
        yard(phase="action", turn="wharf", starting="watch"), ari=acted, tik=acted, wes=acted, lil=acted
    )
    on_event: list[str] = []

    def asked(choice: Choice) -> Any:
        on_event.append(choice.label)
        if choice.label.endswith(": npc"):
            return "none"
        return "block" if "block" in choice.options and choice.options[0] != "none" else first(choice)

    after, fought = played(scene, table_of(asked, asked), 1, 1)
    # Each side has one model left, so nobody is asked which. No NPC is moved.
    assert [label for label in on_event if label.endswith(": action")][:2] == ["yan: action", "oda: action"]
    assert (fought.rounds, after.scene.round) == (1, 2)
    assert after.unit("mia").at == (14, 19)


def test_scenario_npcs_act_before_active_ones_and_players_move_theirs_in_turn() -> None:
    scene = yard(phase="npc", starting="wharf")
    scene["models"].append({"id": "moe", "side": "npc", "profile": "market-goer", "at": [22, 2], "npc": "passive"})
    table = table_of(POLICIES["guarding"], POLICIES["guarding"])
    _, fought = played(scene, table, 1, 1)
    assert [event.values["acted"] for event in table.events if event.name == "marked"] == ["tom", "rex", "mia", "moe"]
    assert [made.label for made in table.made if made.label.endswith(": npc")] == ["wharf: npc", "watch: npc"]
    assert fought.rounds == 1


def test_who_flees_says_what_it_would_do_and_tests_first() -> None:
    # Morale 3 without a loss needs no success: ari rallies and shoots.
    scene = with_models(
        yard(phase="action", turn="watch", starting="watch"),
        ari={"fleeing": {"direction": [-1, 0]}},
        wes={"at": [12, 8]},
    )
    table = table_of(POLICIES["shooting"], first)
    _, fought = played(scene, table, 1, 0)
    line = next(line for line in fought.transcript if line.startswith("  ari:"))
    assert line.startswith("  ari: shoot at wes")
    assert "ari stops fleeing" in line


def test_a_model_that_goes_out_is_worth_what_the_scenario_says() -> None:
    # L hits S on 6 and more and damages it on 2 and more; lil has one of three hit points left.
    gone = {"at": None, "out": "eliminated"}
    sides = [{"id": "watch", "victory_points": 2}, {"id": "wharf"}]
    scene = with_models(
        yard(phase="action", turn="watch", starting="watch", sides=sides),
        ari=gone,
        tik=gone,
        wes=gone,
        yan=gone,
        oda={"at": [18.85, 8]},
        lil={"hit_points_lost": 2, "acted": True},
    )
    hand = {"oda: hit": [6, 6, 2, 2, 2], "oda: hit extra": [2, 2], "oda: damage": [3, 3], "lil: defence": [2]}
    after, fought = played(scene, table_of(POLICIES["charging"], first, HandedDice(hand)), 6, 3)
    assert after.unit("lil").out == "eliminated"
    assert (fought.winners, fought.rounds) == (("watch",), 1)
    assert [side.victory_points for side in after.scene.sides] == [5, 0]
    assert fought.transcript[-1] == "Victory points: watch 5, wharf 0"


def test_without_two_sides_there_is_no_battle() -> None:
    gone = {"at": None, "out": "fled"}
    _, fought = played(with_models(wes=gone, lil=gone, yan=gone), table_of(first, first))
    assert (fought.rounds, fought.winners) == (0, ("watch", "wharf"))
    assert fought.transcript == ("Victory points: watch 0, wharf 0",)


# The question


def test_a_simulation_counts_who_wins_alone_and_who_is_out() -> None:
    points = (Score("watch", 2, 0), Score("wharf", 1, 1))
    fates = (Fate("oda", 7, True, None), Fate("lil", 0, False, "eliminated"))
    answer = BattleAnswer(("watch",), 2, points, fates, (), "wharf", 0)
    assert metrics(answer) == {
        "winner": "watch",
        "rounds": 2,
        "starter": "wharf",
        "idle rounds": 0,
        "margin of watch": 1,
        "margin of wharf": -1,
        "kills of watch": 1,
        "kills of wharf": 0,
        "victory points of watch": 2,
        "victory points of wharf": 1,
        "hit points of oda": 7,
        "oda is out": False,
        "hit points of lil": 0,
        "lil is out": True,
    }
    assert metrics(msgspec.structs.replace(answer, winners=("watch", "wharf")))["winner"] is None


def test_a_battle_is_estimated_by_its_models_its_terrain_and_its_rounds() -> None:
    field = field_of(yard())
    six, two = (cost(CaseState(field, BattleCase(field.scene, rounds))) for rounds in (6, 2))
    assert six == pytest.approx(6 * 81 * (MS_OF_A_PAIR + 3 * MS_OF_A_PIECE))
    assert six == pytest.approx(3 * two)
