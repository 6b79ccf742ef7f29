"""Whole combats: the swift table plays the same game, who fell by what, and what a simulation counts of it."""

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from random import Random

import pytest
from msgspec.structs import replace

from arbiter.dice_sources import SeededDice
from arbiter.simulation.memo_table import Experience, MemoTable
from arbiter.table import Choice, Chooser, OneTable
from services.blackstone_fortress.arbiter import ARBITER
from services.blackstone_fortress.battle import CombatLog, Loss
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.policies import bold, escaping
from services.blackstone_fortress.questions.battle import BattleAnswer, BattleState, Fate, battle, cost, measures
from services.blackstone_fortress.rules import sight
from services.blackstone_fortress.scene import Explorer, Hostile, Turn
from tests.effort import cases
from tests.services.blackstone_fortress.combats import (
    Combat,
    Played,
    battlefields,
    combat,
    played_plainly,
    played_swiftly,
)
from tests.services.blackstone_fortress.skirmishes import FIRST, readings

EXPERIENCE = Experience()
"""Shared by all the combats of this file, as by those of a simulation."""


@pytest.mark.parametrize("first", range(0, 102, 17))
def test_the_swift_table_plays_the_same_combats_die_by_die(first: int) -> None:
    for number in range(first, first + 17, cases(1, 3)):
        setting = combat(number)
        assert played_swiftly(setting, EXPERIENCE) == played_plainly(setting), (number, setting.name)


def test_the_same_combat_again_and_again_is_the_same_game_of_the_same_seed() -> None:
    setting = combat(sorted(battlefields()).index("combat"))
    experience = Experience()
    for seed in ("a", "b", "a"):
        once_more = setting._replace(seed=seed)
        assert played_swiftly(once_more, experience) == played_plainly(once_more)


def test_a_rule_that_is_switched_off_is_off_at_the_swift_table_too() -> None:
    setting = combat(sorted(battlefields()).index("combat"))._replace(turns=3)
    experience = Experience()
    on = played_swiftly(setting, experience)
    with sight.line_is_free.switched_off():
        off = played_swiftly(setting, experience)
        assert off == played_plainly(setting)
    assert off != on
    assert played_swiftly(setting, experience) == on


REMEMBERED = sorted(
    id_
    for id_ in ARBITER.rules
    if id_.startswith(("armoury.", "attacks.", "hex_limits.", "hostile_attacks.", "routes.", "shelter.", "sight."))
    or id_ in ("explorer_actions.no_target", "explorer_actions.beside_hostile", "covering_fire.unseen")
    or (id_.startswith("payments.") and "spend" not in id_)
)
"""Rules of which the swift table asks less often than any other. Without some of the others a combat has no end."""


@pytest.mark.parametrize("id_", REMEMBERED)
def test_whatever_rule_is_switched_off_both_tables_play_the_same_combat(id_: str) -> None:
    setting = combat(sorted(battlefields()).index("combat"))._replace(turns=cases(3, 2))
    with ARBITER.rules[id_].switched_off():
        assert _outcome(lambda one: played_swiftly(one, EXPERIENCE), setting) == _outcome(played_plainly, setting)


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_when_several_rules_are_switched_off_both_tables_play_the_same_combat(first: int) -> None:
    for number in range(first, first + cases(10, 3)):
        random = Random(f"off {number}")
        off = random.sample(REMEMBERED, random.choice((1, 3, 8)))
        setting = combat(number)
        with ExitStack() as stack:
            for id_ in off:
                stack.enter_context(ARBITER.rules[id_].switched_off())
            plainly = _outcome(played_plainly, setting)
            assert _outcome(lambda one: played_swiftly(one, EXPERIENCE), setting) == plainly, (
                number,
                setting.name,
                off,
            )


def _outcome(play: Callable[[Combat], Played], setting: Combat) -> Played | str:
    """Give how a combat went, or how it broke off: without some rules a combat comes to what no scene can hold."""
    try:
        return play(setting)
    except (ArithmeticError, LookupError, ValueError) as broken:
        return type(broken).__name__


def test_every_loss_is_told_with_its_turn_and_its_cause() -> None:
    for number in range(0, 102, cases(3, 7)):
        setting = combat(number)
        result = played_swiftly(setting, EXPERIENCE).result
        cards = {unit.card or unit.id if isinstance(unit, Explorer) else unit.group for unit in _units(setting.field)}
        first_turn = setting.field.scene.turn.number
        turns = [loss.turn for loss in result.losses]
        assert turns == sorted(turns)
        for loss in result.losses:
            assert first_turn <= loss.turn < first_turn + result.turns
            assert loss.cause in cards or loss.cause.startswith(("event ", "twist ")), loss


def test_who_is_lost_in_the_end_has_fallen() -> None:
    for number in range(1, 102, cases(3, 7)):
        setting = combat(number)
        after, result, _, _ = played_plainly(setting)
        fallen = {loss.unit for loss in result.losses}
        for before, unit in zip(setting.field.scene.hostiles, after.hostiles, strict=True):
            assert not unit.slain or before.slain or unit.id in fallen
        for one, explorer in zip(setting.field.scene.explorers, after.explorers, strict=True):
            assert not explorer.out_of_action or one.out_of_action or explorer.id in fallen


def test_the_transcript_tells_the_same_losses() -> None:
    """Count the lines that tell of a fall, which the transcript finds by comparing the table before and after."""
    setting = combat(sorted(battlefields()).index("combat"))._replace(turns=12)
    for seed in range(4):
        result = played_plainly(setting._replace(seed=f"told {seed}")).result
        counts = Counter(
            part.split()[0]
            for line in result.transcript
            for part in line.split(": ", 1)[-1].split("; ")
            if "is slain" in part or "is out of action" in part
        )
        fell = Counter(loss.unit for loss in result.losses)
        # One that comes back and falls again before its card is down is told once by the transcript, or not at all.
        assert not counts - fell
        assert sum((fell - counts).values()) <= 2


def test_an_explorer_whose_return_fails_has_not_fallen_again() -> None:
    field = battlefields()["battle-last-stand"]
    explorer = field.scene.explorers[0]
    log = CombatLog()
    log.blame(field.put(_out(explorer)), "event heroic-effort")
    log.on_event("out-of-action", {"unit": explorer.id})
    assert log.losses == []
    log.blame(field, "group-1")
    log.on_event("out-of-action", {"unit": explorer.id})
    log.on_event("moved", {"unit": explorer.id})
    assert log.losses == [Loss(explorer.id, field.scene.turn.number, "group-1")]


def test_explorers_whose_ids_have_colons_fight_as_others_do() -> None:
    field = battlefields()["combat"]
    explorers = tuple(replace(one, id=f"team:{one.id}", card=None) for one in field.scene.explorers)
    renamed = field.with_(explorers=explorers, turn=Turn())
    field = field.with_(turn=Turn())
    for one, other in zip(field.explorers, renamed.explorers, strict=True):
        ends = tuple(sorted(field.ground.open))
        for policy in (bold, escaping):
            there = policy(Choice("explorers", f"{one.id}: destination", ends, field))
            assert policy(Choice("explorers", f"{other.id}: destination", ends, renamed)) == there != ends[0]


ANSWER = BattleAnswer(
    outcome="victory",
    turns=4,
    explorers_lost=1,
    hostiles_slain=1,
    fates=(
        Fate("janus", (0, 0), 2, 1, False),
        Fate("espern", None, 3, 0, True),
        Fate("guard-1", None, 0, 2, True),
        Fate("guard-2", (1, 0), 0, 0, False),
        Fate("guard-3", None, 0, 0, True),
    ),
    transcript=(),
    losses=(
        Loss("guard-2", 1, "janus"),
        Loss("espern", 2, "event all-is-dust"),
        Loss("guard-1", 3, "janus"),
        Loss("guard-1", 4, "espern"),
    ),
    starter="hostiles",
    idle_turns=1,
    explorer_falls=1,
    hostile_falls=3,
)


def test_what_is_counted_of_a_combat() -> None:
    counted = measures(ANSWER)
    assert (counted["outcome"], counted["turns"]) == ("victory", 4)
    assert (counted["explorers_lost"], counted["hostiles_slain"]) == (1, 1)
    assert (counted["wounds of janus"], counted["grievous wounds of janus"], counted["janus is lost"]) == (2, 1, False)
    assert counted["cause of janus"] == "none"
    assert counted["cause of espern"] == "event all-is-dust"
    assert counted["cause of guard-1"] == "espern", "the last fall counts"
    assert counted["cause of guard-2"] == "none", "it has come back"
    assert counted["cause of guard-3"] == "before"
    assert (counted["starter"], counted["idle turns"]) == ("hostiles", 1)
    assert (counted["kills of explorers"], counted["kills of hostiles"]) == (3, 1), "one that came back, twice"
    assert (counted["margin of explorers"], counted["margin of hostiles"]) == (0, 0)
    assert len(counted) == 10 + 4 * len(ANSWER.fates)


def test_a_combat_costs_more_with_more_turns_and_units_up_to_the_usual_length() -> None:
    field = battlefields()["combat"]
    costs = [cost(BattleState(field, turns)) for turns in (1, 2, 10, 18, 50)]
    assert costs == sorted(costs)
    assert costs[1] == pytest.approx(2 * costs[0])
    assert costs[3] == costs[4]
    fewer = field.with_(hostiles=field.scene.hostiles[:2])
    assert cost(BattleState(fewer, 10)) < cost(BattleState(field, 10))


def test_the_question_answers_the_same_at_either_table() -> None:
    state = BattleState(battlefields()["combat"], 2)
    plain = OneTable(SeededDice("asked"), Chooser({}, FIRST), readings())
    swift = MemoTable(SeededDice("asked"), Chooser({}, FIRST), readings())
    assert battle(plain, state) == battle(swift, state)


def _units(field: Battlefield) -> tuple[Explorer | Hostile, ...]:
    return (*field.scene.explorers, *field.scene.hostiles)


def _out(explorer: Explorer) -> Explorer:
    return Explorer(explorer.id, explorer.profile, out_of_action=True)
