"""The round: initiative, turns, its end, and the NPC phase."""

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.size_skirmish.checks import checked
from services.size_skirmish.rules import initiative, npc, rounds
from services.size_skirmish.scene import Scene
from tests.services.size_skirmish.field import SCENE, ask, field_of, odds, scene, table, walked


def test_initiative_is_a_die_and_the_highest_morale_and_equals_roll_again() -> None:
    """With two more to add, blue is ahead in some of the 36 rolls; the equal ones repeat the same."""
    rolls = list(product(range(1, 7), repeat=2))
    red, blue = (sum(sign * (b + 2 - r) > 0 for r, b in rolls) for sign in (-1, 1))
    law = walked(initiative.rolled, (("red", 3), ("blue", 5)))
    assert law[(("red", 3),)] == Fraction(red, 36)
    assert law[(("blue", 5),)] == Fraction(blue, 36)
    assert law[(("red", 3), ("blue", 5))] == Fraction(36 - red - blue, 36)
    found = odds("initiative", {"scene": scene(phase="start")}, policies={"*": "first"})
    assert sum(Fraction(chance.mass) for chance in found.outcomes) == 1
    # Both have a morale of 3, so that only the last of all rolls, which goes by the order of the scene, favours red.
    blues = next(Fraction(chance.mass) for chance in found.outcomes if chance.answer.starts == "blue")
    assert 0 < Fraction(1, 2) - blues < Fraction(1, 6**20)


def test_who_wins_says_who_starts() -> None:
    hand = {"red: initiative": [1], "blue: initiative": [2]}
    for starts in ("red", "blue"):
        ruling = ask(
            "initiative", {"scene": scene(phase="start")}, dice={"hand": hand}, choices={"blue: starts": [starts]}
        )
        assert ruling.answer.starts == starts


def test_the_start_of_a_round_takes_all_markers() -> None:
    posted = scene(phase="start", scenario_starts="red")
    posted["models"] = [{**model, "acted": True, "reacted": True} for model in posted["models"]]
    posted["sides"] = [{"id": "red", "npcs_moved": 2}, {"id": "blue", "npcs_moved": 1}]
    taken = {step.path for step in ask("initiative", {"scene": posted}).effects.patch if step.op != "test"}
    assert {f"/models/{index}/{mark}" for index in range(5) for mark in ("acted", "reacted")} <= taken
    assert {"/sides/0/npcs_moved", "/sides/1/npcs_moved"} <= taken


@given(st.integers(0, 5), st.integers(0, 5), st.sampled_from(["red", "blue"]))
def test_players_alternate_until_all_have_been_activated(reds: int, blues: int, starting: str) -> None:
    """Every model is activated once, and nobody twice in a row while the other has one left."""
    posted: dict[str, Any] = {
        **SCENE,
        "starting": starting,
        "models": [
            {"id": f"{side}{number}", "side": side, "profile": "goat", "at": [2 + 2 * number, y]}
            for side, many, y in (("red", reds, 5), ("blue", blues, 9))
            for number in range(many)
        ],
    }
    field = checked(msgspec.convert(posted, Scene))
    turns: list[str] = []
    last = None
    while (last := rounds.alternate(table(), field, last)) is not None:
        model = rounds.left(table(), field, last)[0]
        field = field.changed(model, acted=True)
        turns.append(last)
    assert sorted(turns) == ["blue"] * blues + ["red"] * reds
    both = 2 * min(reds, blues)
    assert all(one != other for one, other in pairwise(turns[:both]))
    if reds and blues:
        assert turns[0] == starting


def npcs(many: int, **changes: Any) -> dict[str, Any]:
    return scene(
        phase="npc",
        starting="blue",
        models=[
            *SCENE["models"][:4],
            *(
                {"id": f"n{number}", "side": "npc", "npc": "passive", "profile": "goat", "at": [4 + 3 * number, 40]}
                for number in range(many)
            ),
        ],
        **changes,
    )


@pytest.mark.parametrize(
    ("many", "turns"),
    [
        (0, []),
        (1, ["blue"]),
        (3, ["blue", "red", "blue"]),
        (4, ["blue", "red", "blue", "red"]),
        (6, ["blue", "red", "blue", "red"]),
    ],
)
def test_each_player_moves_two_npcs_one_at_a_time(many: int, turns: list[str]) -> None:
    assert _moving(many) == turns


@pytest.mark.parametrize(
    ("many", "turns"),
    [(1, ["blue"]), (3, ["blue", "blue", "red"]), (6, ["blue", "blue", "red", "red", "blue", "blue"])],
)
def test_read_so_each_turn_has_two_until_all_have_been_moved(many: int, turns: list[str]) -> None:
    assert _moving(many, npc_quota="until-all") == turns


def _moving(many: int, **options: str) -> list[str]:
    """Move one NPC after the other as long as it is somebody's turn, and give whose turns there were."""
    field = field_of(npcs(many))
    turns: list[str] = []
    seat = table(**options)
    while left := npc.unmoved(seat, field):
        side = npc.mover(seat, field)
        assert not npc.quota(seat, field, side)
        field = npc.moved(seat, field.changed(left[0], acted=True), side)
        turns.append(side)
        if field.scene.turn is None:
            break
    return turns


def test_a_phase_in_which_there_is_no_npc_is_over_at_once() -> None:
    ruling = ask("npc", {"scene": npcs(0)})
    assert (ruling.answer.phase, ruling.answer.left) == ("start", ())
    assert any(step.path == "/round" and step.value == 2 for step in ruling.effects.patch)
