"""Whole games: laws that hold for every one of them, what policies pick, and where units go."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.dice import Die, Face
from arbiter.dice_sources import SeededDice
from arbiter.ruling import Origin
from arbiter.simulation.memo_table import MemoTable
from arbiter.table import Choice, Chooser, Dice, OneTable, Policy, first
from services.rapture.battle import BattleResult, play
from services.rapture.battlefield import in_play
from services.rapture.checks import checked
from services.rapture.policies import POLICIES
from tests.effort import cases
from tests.services.rapture.field import box, field_of, readings, unit

NAMES = ("first", *POLICIES)
EVERY: Mapping[str, Policy] = {"first": first, **POLICIES}


def table_of(
    blue: Policy, red: Policy, dice: Dice | None = None, options: Mapping[str, str] = MappingProxyType({})
) -> OneTable:
    policies = {"blue": ("one", blue), "red": ("other", red)}
    return OneTable(dice or SeededDice("battle"), Chooser({}, policies), readings(**options))


# A yard of 45 by 45 cm with a wall in the middle: a shooter and a band against a brute and runners.
YARD: dict[str, Any] = {
    "board": {
        "width_cm": 45,
        "depth_cm": 45,
        "pieces": [box("wall", 20, 20, 25, 25), box("pond", 30, 5, 36, 9, blocks_sight=False)],
    },
    "sides": [{"id": "blue", "edge": "west", "mission": "hold-the-landing"}, {"id": "red", "edge": "east"}],
    "objectives": [{"id": "pier", "at": [22, 35]}],
    "units": [
        unit("ada", [[5, 22]], "blue"),
        unit("fay", [[5, 10]], "blue", "ferrywoman"),
        unit("una", [[5, 12.75]], "blue", "ferry-hand", leader="fay"),
        unit("bob", [[40, 22]], "red", "gate-breaker"),
        unit("lee", [[40, 34], [43, 34], [40, 37]], "red", "roof-runners"),
    ],
    "phase": "preparation",
}


def yard(**changes: Any) -> dict[str, Any]:
    return {**YARD, **changes}


def with_units(**changes: dict[str, Any]) -> dict[str, Any]:
    return yard(units=[{**row, **changes.get(row["id"], {})} for row in YARD["units"]])


@st.composite
def yards(draw: st.DrawFn) -> dict[str, Any]:
    """Give a yard somewhere in a game: boxes crossed out, a round, and not everybody in play."""
    scene = yard(round=draw(st.integers(4, 6)), phase=draw(st.sampled_from(["preparation", "activation"])))
    rows = []
    for row in scene["units"]:
        hp = draw(st.integers(0, {"una": 1, "lee": 2}.get(row["id"], 3)))
        mp = draw(st.integers(0, 2))
        statuses = draw(st.sampled_from([(), (), ("burning",)]))
        shelter = draw(st.sampled_from([0, 0, 1]))
        rows.append({**row, "hp_crossed": hp, "mp_crossed": mp, "statuses": statuses, "shelter_markers": shelter})
    removed = draw(st.sampled_from(["ada", "lee", None]))
    for row in rows:
        if row["id"] == removed:
            row.update(models=[], disabled="casualty", statuses=())
    return {**scene, "units": rows}


@settings(max_examples=cases(25), deadline=None)
@given(
    scene=yards(),
    seed=st.text(min_size=1, max_size=8),
    blue=st.sampled_from(NAMES),
    red=st.sampled_from(NAMES),
    strict=st.booleans(),
)
def test_every_battle_ends_in_a_sound_scene_and_nobody_spends_what_it_has_not(
    scene: dict[str, Any], seed: str, blue: str, red: str, strict: bool
) -> None:
    options = {"idle_activation": "one-action", "cleanup_engage": "strike", "end_checked": "round"} if strict else {}
    table = table_of(EVERY[blue], EVERY[red], SeededDice(seed), options)
    actions: list[tuple[int, str, str]] = []

    def watching(policy: Policy) -> Policy:
        def watch(choice: Choice) -> Any:
            chosen = policy(choice)
            if choice.label.endswith(": action"):
                actions.append((len(table.events), choice.label.partition(":")[0], chosen))
            return chosen

        return watch

    table.chooser.policies = {side: (name, watching(policy)) for side, (name, policy) in table.chooser.policies.items()}
    before = field_of(scene)
    with table.without_findings():
        after, fought = play(table, before, 6)
    assert checked(after.scene).scene == after.scene
    assert fought.over
    assert after.scene.phase == "over"
    assert 0 <= fought.rounds <= 7 - scene["round"]
    _paid_in_full(table, actions)
    lost = {each.id for each in after.scene.units if each.disabled}
    assert all(not in_play(after.unit(id_)) for id_ in lost)
    assert {each.id for each in before.scene.units if each.disabled} <= lost


def _paid_in_full(table: OneTable, actions: list[tuple[int, str, str]]) -> None:
    """Look whether every deed and every reaction was paid for, with as many points as it costs."""
    for since, id_, action in actions:
        if action in ("close-combat", "ranged", "get-up"):
            paid = next(event for event in table.events[since:] if event.name == "paid")
            assert paid.values == {"unit": id_, "ap": 1, "rp": 0}
    prices = {"dodge": 1, "counterblow": 2, "countershot": 2, "seek-shelter": 1}
    for paid, reacted in zip(table.events, table.events[1:], strict=False):
        if reacted.name == "reacted":
            assert paid.name == "paid"
            assert paid.values == {"unit": reacted.values["unit"], "ap": 0, "rp": prices[reacted.values["reaction"]]}


class Renamed(Dice):
    """The dice of another table on which the sides have other names."""

    def __init__(self, dice: Dice, names: Mapping[str, str]) -> None:
        self.dice, self.names = dice, names

    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Face, Origin]:
        who, _, what = label.partition(": ")
        return self.dice.face(die, f"{self.names.get(who, who)}: {what}", index, missing)


@settings(max_examples=cases(6, 2), deadline=None)
@given(seed=st.text(min_size=1, max_size=8), policy=st.sampled_from(NAMES))
def test_the_names_of_the_sides_change_nothing(seed: str, policy: str) -> None:
    swap = {"blue": "red", "red": "blue"}
    scene = yard(round=5)
    other = msgspec.json.decode(
        msgspec.json.encode(scene).replace(b'"blue"', b'"?"').replace(b'"red"', b'"blue"').replace(b'"?"', b'"red"')
    )
    one = played(scene, table_of(EVERY[policy], EVERY[policy], SeededDice(seed)))
    two = played(other, table_of(EVERY[policy], EVERY[policy], Renamed(SeededDice(seed), swap)))
    assert two.winner == (None if one.winner is None else swap[one.winner])
    assert two.points == tuple((swap[side], points) for side, points in one.points)
    assert [_swapped(line) for line in two.transcript] == list(one.transcript)


def played(scene: dict[str, Any], table: OneTable) -> BattleResult:
    with table.without_findings():
        return play(table, field_of(scene), 6)[1]


def _swapped(line: str) -> str:
    return line.replace("blue", "?").replace("red", "blue").replace("?", "red")


def test_a_battle_in_bulk_is_the_same_battle() -> None:
    policies = {"*": ("charging", POLICIES["charging"])}
    one = OneTable(SeededDice("bulk"), Chooser({}, policies), readings())
    swift = MemoTable(SeededDice("bulk"), Chooser({}, policies), readings())
    scene = yard(round=5)
    assert played(scene, one) == played(scene, swift)


def test_a_battle_is_broken_off_after_the_rounds_that_were_asked_for() -> None:
    table = table_of(first, first)
    with table.without_findings():
        after, fought = play(table, field_of(yard()), 1)
    assert (fought.rounds, fought.over, fought.winner) == (1, False, None)
    assert (after.scene.round, after.scene.phase) == (2, "preparation")


def test_a_battle_goes_on_with_the_unit_that_is_active_and_its_side_is_followed_by_the_other() -> None:
    scene = yard(phase="activation", turn="red", active="lee", order=["blue", "red"], round=6)
    on_event: list[str] = []

    def asked(choice: Choice) -> Any:
        on_event.append(choice.label)
        return "end" if "end" in choice.options else first(choice)

    played(scene, table_of(asked, asked))
    # Blue has two to choose from and then one, red has bob alone after lee; a band acts one after the other.
    assert on_event == ["lee: action", "blue: activation", "ada: action", "bob: action", "fay: action", "una: action"]


def test_who_falls_to_a_counterblow_in_its_own_activation_has_been_activated() -> None:
    # lee strikes at bob with one HP left, and falls to the counterblow: 5 and 6 hit at 3 + 1.
    lee = {"models": [[36.75, 22], [36.75, 30], [36.75, 34]], "hp_crossed": 2, "side": "blue"}
    bob = {"models": [[40, 22]], "hp_crossed": 0}
    scene = {**with_units(lee=lee, bob=bob), "phase": "activation", "round": 6, "order": ["blue", "red"]}
    on_event: list[str] = []

    def asked(choice: Choice) -> Any:
        on_event.append(choice.label)
        wanted = {"blue: activation": "lee", "lee: action": "close-combat", "bob: after the attack": "counterblow"}
        pick = wanted.get(choice.label, "end")
        return pick if pick in choice.options else first(choice)

    dice = Handed({"bob: counterblow": 6})
    with (table := table_of(asked, asked, dice)).without_findings():
        after, _ = play(table, field_of(scene), 1)
    assert after.unit("lee").disabled == "casualty"
    following = on_event[on_event.index("bob: after the attack") + 1 :]
    assert next(label for label in following if label.endswith("action")) == "bob: action"


class Handed(Dice):
    """Dice that show 1, but for some labels."""

    def __init__(self, faces: Mapping[str, int]) -> None:
        self.faces = faces

    def face(self, die: Die, label: str, index: int, missing: int) -> tuple[Face, Origin]:
        return self.faces.get(label, 1), "handed"
