"""Whole games: laws that hold for every one of them, what policies pick, and how it is told."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.dice import Die, Face
from arbiter.dice_sources import SeededDice
from arbiter.ruling import Origin
from arbiter.simulation.memo_table import MemoTable
from arbiter.table import Choice, Chooser, Dice, OneTable, Policy, first
from services.warleague.battle import MOST_ACTIONS, BattleOutcome, fight, over, winners
from services.warleague.battlefield import WORKED_OUT, Battlefield, Supply
from services.warleague.checks import checked
from services.warleague.policies import POLICIES
from services.warleague.profiles import Change
from services.warleague.scene import Effect
from tests.effort import cases
from tests.services.warleague.field import field_of, readings, unit

NAMES = ("first", *POLICIES)
EVERY: Mapping[str, Policy] = {"first": first, **POLICIES}

# A court of 9 by 7 hexes (odd-r): a scrapper and a critter against a marksman and a drone, a raider of nobody's.
COURT: dict[str, Any] = {
    "sides": [{"id": "red", "command_points": 3}, {"id": "blue", "command_points": 3}, {"id": "wild"}],
    "board": {"columns": 9, "rows": 7, "killing": [{"at": [4, 5]}], "difficult": [[3, 3]]},
    "units": [
        unit("ann", [1, 3], facing=0, slots=[{"item": "slug-box"}, {"item": "small-shield"}]),
        unit("mia", [1, 5], profile="mandible", facing=0),
        unit("bob", [7, 3], "blue", "marksman", facing=3, slots=[{"item": "rifle-pack"}, {"item": "frag-grenade"}]),
        unit("hal", [7, 1], "blue", "watch-drone", facing=3),
        unit("rex", [4, 0], "wild", "raider", facing=3),
    ],
    "obstacles": [{"id": "pillar", "at": [4, 3], "kind": "column"}],
    "crates": [{"at": [3, 4], "holds": "trap"}, {"at": [5, 2], "holds": "loot"}],
    "concealed": [{"at": [3, 2], "holds": "trap"}, {"at": [5, 4], "holds": "loot"}],
    "trap_deck": {"cards": ["powder-keg", "catapult", "snare"], "shuffled": True},
    "loot_deck": {"cards": ["healing-stimulant", "frag-grenade"], "shuffled": True},
    "phase": "order",
}


def court(**changes: Any) -> dict[str, Any]:
    return {**COURT, **changes}


def with_units(**changes: dict[str, Any]) -> dict[str, Any]:
    return court(units=[{**row, **changes.get(row["id"], {})} for row in COURT["units"]])


def table_of(
    red: Policy, blue: Policy, dice: Dice | None = None, options: Mapping[str, str] = MappingProxyType({})
) -> OneTable:
    policies = {"red": ("one", red), "blue": ("other", blue), "*": ("first", first)}
    return OneTable(dice or SeededDice("battle"), Chooser({}, policies), readings(**options))


def _played(scene: dict[str, Any], table: OneTable, rounds: int = 8) -> BattleOutcome:
    with table.without_findings():
        return fight(table, field_of(scene), rounds)[1]


# Laws


@st.composite
def courts(draw: st.DrawFn) -> dict[str, Any]:
    """Give a court somewhere in a game: units hurt, reserved, spent, gone, of whatever round and phase."""
    number = draw(st.integers(1, 4))
    phases = ("order", "turns") if number == 1 else ("update", "order", "turns")
    rows = []
    for row in COURT["units"]:
        lost = draw(st.integers(0, 2)) if row["id"] != "hal" else 0
        hurt = {"health_lost": lost} if row["id"] != "hal" else {"armor_lost": draw(st.integers(0, 4))}
        rows.append({**row, **hurt, "ap": draw(st.sampled_from([None, None, 0, 1, 3])), "acted": draw(st.booleans())})
    gone = draw(st.sampled_from([None, None, "rex", "mia", "hal"]))
    rows = [{**row, "at": None, "dead": True} if row["id"] == gone else row for row in rows]
    grid = draw(st.sampled_from(["hex", "hex", "square-8", "square-4"]))
    facing = {"hex": 5, "square-8": 7, "square-4": 3}[grid]
    rows = [{**row, "facing": min(row["facing"], facing)} for row in rows]
    return court(units=rows, round=number, phase=draw(st.sampled_from(phases)), board={**COURT["board"], "grid": grid})


SUPPLIES: tuple[Supply, ...] = get_args(Supply)

OTHERWISE: tuple[dict[str, str], ...] = (
    {},
    {"update_when": "end", "points_renewed": "turn", "downed_hero": "yes"},
    {"turning": "point", "reserve_when": "player-turn", "through_friends": "yes", "heroes_first": "own"},
    {"walk_into_killing": "yes", "passing": "yes", "used_up": "no", "npc_order": "last"},
)


def test_what_a_battlefield_has_worked_out_holds_after_every_change() -> None:
    field = field_of(COURT)
    for each in WORKED_OUT:
        getattr(field, each)
    _fulls(field)
    ann, scene = field.unit("ann"), field.scene
    stronger = tuple(Change(stat, 2) for stat in SUPPLIES)
    changed = [
        field.put(replace(ann, at=(2, 3))),
        field.put(replace(ann, dead=True)),
        field.put(replace(ann, side="blue")),
        field.put(replace(ann, ap=0, facing=3)),
        field.put(replace(ann, effects=(Effect("focus", stronger),))),
        field.put(replace(ann, profile="marksman")),
        field.put(replace(ann, slots=())),
        field.put(replace(ann, hands=())),
        field.with_(obstacles=()),
        field.with_(crates=scene.crates[:1]),
        field.with_(sides=tuple(replace(side, team="all") for side in scene.sides)),
        field.with_(units=scene.units[1:]),
        field.with_(units=(replace(ann, effects=(Effect("focus", stronger),)), *scene.units[1:])),
        field.with_(phase="over"),
    ]
    for after in changed:
        fresh = Battlefield.of(after.ground, after.book, after.scene)
        assert _fulls(after) == _fulls(fresh)
        assert [getattr(after, each) for each in WORKED_OUT] == [getattr(fresh, each) for each in WORKED_OUT]


def _fulls(field: Battlefield) -> list[int]:
    return [field.full(unit.id, supply) for unit in field.scene.units for supply in SUPPLIES]


@settings(max_examples=cases(25), deadline=None)
@given(
    scene=courts(),
    seed=st.text(min_size=1, max_size=8),
    red=st.sampled_from(NAMES),
    blue=st.sampled_from(NAMES),
    options=st.sampled_from(OTHERWISE),
)
def test_every_battle_ends_in_a_sound_scene_and_nobody_spends_what_it_has_not(
    scene: dict[str, Any], seed: str, red: str, blue: str, options: Mapping[str, str]
) -> None:
    table = table_of(EVERY[red], EVERY[blue], SeededDice(seed), options)
    before = field_of(scene)
    with table.without_findings():
        after, fought = fight(table, before, 4)
    assert checked(after.scene).scene == after.scene
    assert fought.over == (after.scene.phase == "over")
    assert fought.over or fought.rounds == 4
    assert all(event.values["left"] >= 0 for event in table.events if event.name == "points-spent")
    fallen = {each.id for each in before.scene.units if each.dead}
    assert fallen <= {each.id for each in after.scene.units if each.dead}
    if fought.over:
        assert len(fought.winners) <= 1


@settings(max_examples=cases(10), deadline=None)
@given(seed=st.text(min_size=1, max_size=8), red=st.sampled_from(NAMES), blue=st.sampled_from(NAMES))
def test_each_unit_has_at_most_one_turn_in_a_round_and_troops_have_theirs_for_a_command_point(
    seed: str, red: str, blue: str
) -> None:
    table = table_of(EVERY[red], EVERY[blue], SeededDice(seed))
    with table.without_findings():
        fight(table, field_of(COURT), 4)
    turns: list[str] = []
    for event in table.events:
        if event.name == "round-began":
            turns = []
        if event.name == "turn-began":
            turns.append(event.values["unit"])
        assert len(turns) == len(set(turns))
    begun = [event.values["unit"] for event in table.events if event.name == "turn-began"]
    for side, troop in (("red", "mia"), ("blue", "hal")):
        paid = [each for each in table.events if each.name == "command-points-spent" and each.values["side"] == side]
        assert len(paid) == begun.count(troop) <= 3


class Renamed(Dice):
    """The dice of another table on which the sides have other names."""

    def __init__(self, dice: Dice, names: Mapping[str, str]) -> None:
        self.dice, self.names = dice, names

    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Face, Origin]:
        side, _, rest = label.partition(": ")
        return self.dice.face(die, f"{self.names.get(side, side)}: {rest}", index, missing)


@settings(max_examples=cases(8, 3), deadline=None)
@given(seed=st.text(min_size=1, max_size=8), policy=st.sampled_from(NAMES))
def test_the_names_of_the_sides_change_nothing(seed: str, policy: str) -> None:
    swap = {"blue": "red", "red": "blue"}
    one = _played(COURT, table_of(EVERY[policy], EVERY[policy], SeededDice(seed)))
    other = msgspec.json.decode(_swapped(msgspec.json.encode(COURT).decode()))
    two = _played(other, table_of(EVERY[policy], EVERY[policy], Renamed(SeededDice(seed), swap)))
    assert two.winners == tuple(swap[side] for side in one.winners)
    assert [_swapped(line) for line in two.transcript] == list(one.transcript)


def _swapped(text: str) -> str:
    return re.sub(r"\b(red|blue)\b", lambda found: {"red": "blue", "blue": "red"}[found[0]], text)


@pytest.mark.parametrize("policy", NAMES)
def test_a_battle_in_bulk_is_the_same_battle(policy: str) -> None:
    policies = {"*": (policy, EVERY[policy])}
    one = OneTable(SeededDice("bulk"), Chooser({}, policies), readings())
    swift = MemoTable(SeededDice("bulk"), Chooser({}, policies), readings())
    assert _played(COURT, one, 4) == _played(COURT, swift, 4)


# How a game goes on and ends


def test_a_scene_that_keeps_no_turns_begins_with_the_order_of_its_round() -> None:
    kept, unkept = (_played(court(phase=phase), table_of(first, first), 1) for phase in ("order", "turns"))
    assert kept == unkept
    assert kept.transcript[1].startswith("  order: ")


def test_a_battle_is_broken_off_after_the_rounds_that_were_asked_for() -> None:
    table = table_of(first, first)
    with table.without_findings():
        after, fought = fight(table, field_of(COURT), 2)
    assert (fought.rounds, fought.over, fought.winners) == (2, False, ())
    assert (after.scene.round, after.scene.phase) == (3, "update")


def test_a_battle_goes_on_with_the_unit_that_is_active() -> None:
    on_event: list[str] = []

    def asked(choice: Choice) -> Any:
        on_event.append(choice.label)
        return "end" if "end" in choice.options else first(choice)

    acted = {"acted": True}
    scene = with_units(ann=acted, bob=acted, rex=acted)
    scene |= {"phase": "turns", "order": ["red", "blue", "wild"], "turn": "blue", "active": "hal"}
    _played(scene, table_of(asked, asked), 1)
    assert on_event == ["hal: deed", "mia: deed"]


def test_who_falls_in_its_own_turn_has_had_it() -> None:
    # The open keg on the tile of the way does 4, and ann has 1 left of 12.
    hurt = {"health_lost": 7, "armor_lost": 4, "slots": []}
    scene = with_units(ann=hurt) | {"traps": [{"at": [2, 3], "trap": "powder-keg"}]}
    words = {"ann: deed": "move to tile 2,3"}
    table = table_of(lambda choice: words.get(choice.label) or choice.options[-1], first)
    with table.without_findings():
        after, fought = fight(table, field_of(scene), 1)
    assert (fought.over, fought.winners) == (True, ("blue",))
    assert after.unit("ann").downed
    assert fought.transcript[-2].startswith("  ann: goes to 2,3 [ann loses 1 health, is downed; ")


def test_deeds_that_cost_nothing_come_to_an_end() -> None:
    free = {
        "id": "shout",
        "method": "limitless",
        "range": 9,
        "ap": 0,
        "changes": [{"stat": "range", "step": 1}],
        "lasts": 1,
    }
    card = {"id": "loud", "role": "hero", "ap": 2, "health": 5, "abilities": ["shout"]}
    scene = with_units(ann={"profile": "loud", "slots": []}) | {"profiles": {"units": [card], "abilities": [free]}}
    count = 0

    def shouting(choice: Choice) -> Any:
        nonlocal count
        count += choice.label == "ann: deed"
        return next((each for each in choice.options if str(each).startswith("ability shout")), choice.options[-1])

    _played(scene, table_of(shouting, first), 1)
    assert count == MOST_ACTIONS


def _over(*sides: dict[str, Any], units: list[dict[str, Any]], **options: str) -> tuple[bool, tuple[str, ...]]:
    table, field = table_of(first, first, options=options), field_of(court(sides=sides, units=units))
    return over(table, field), winners(table, field)


def test_a_game_is_over_when_no_two_enemies_play_on() -> None:
    red, blue, wild = {"id": "red"}, {"id": "blue"}, {"id": "wild"}
    ann, bob = unit("ann", [1, 1]), unit("bob", [3, 3], "blue", "marksman")
    rex, down = unit("rex", [5, 5], "wild", "raider"), {"downed": True, "health_lost": 8, "armor_lost": 4}
    dead = {"at": None, "dead": True}
    assert _over(red, blue, wild, units=[ann, bob, rex]) == (False, ("red", "blue"))
    assert _over(red, blue, wild, units=[ann | down, bob, rex]) == (True, ("blue",))
    assert _over(red, blue, wild, units=[ann | down, bob, rex], downed_hero="yes") == (False, ("red", "blue"))
    assert _over(red, blue, wild, units=[ann | down, bob | dead, rex]) == (True, ())
    # Allies, or one player alone, have only the NPCs against them.
    team = ({**red, "team": "us"}, {**blue, "team": "us"}, wild)
    assert _over(*team, units=[ann, bob, rex]) == (False, ("red", "blue"))
    assert _over(*team, units=[ann | down, bob, rex]) == (False, ("blue",))
    assert _over(*team, units=[ann, bob, rex | dead]) == (True, ("red", "blue"))
    assert _over(red, wild, units=[ann | down, rex]) == (True, ())
    # A player whose troops are all gone, and who never had a hero, is out; NPCs alone fight each other.
    troop = unit("mia", None, "blue", "mandible", dead=True)
    assert _over(red, blue, units=[ann, troop]) == (True, ("red",))
    other = unit("ned", [6, 6], "blue", "raider")
    assert _over(blue, wild, units=[rex, other]) == (False, ("blue", "wild"))
    assert _over(blue, wild, units=[rex, other | dead]) == (True, ("wild",))
