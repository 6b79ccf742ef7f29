"""What policies pick in a battle of WarLeague, and what is told and counted."""

from typing import Any

import msgspec
import pytest

from arbiter.candidates import Candidates
from arbiter.table import Choice, first
from services.warleague import tactics
from services.warleague.battle import OpenActions
from services.warleague.battlefield import Battlefield
from services.warleague.policies import POLICIES
from services.warleague.questions.battle import (
    MS_OF_A_TILE,
    MS_OF_A_TURN,
    USUAL_ROUNDS,
    BattleAnswer,
    BattleState,
    Fate,
    Score,
    cost,
    metrics,
)
from services.warleague.rules.actions import Walk
from tests.services.warleague.field import field_of
from tests.services.warleague.test_battle import COURT, EVERY, table_of, with_units


def _open(scene: dict[str, Any], id_: str) -> OpenActions:
    field = field_of({**scene, "phase": "turns", "order": ["red", "blue", "wild"], "active": id_})
    return OpenActions(table_of(first, first), field, id_, None)


def _picked(policy: str, scene: dict[str, Any], id_: str) -> str:
    open_ = _open(scene, id_)
    found: str = EVERY[policy](Choice("red", f"{id_}: deed", tuple(open_.actions), open_))
    return found


def test_deeds_are_offered_in_the_books_order_and_the_end_of_the_turn_comes_last() -> None:
    words = list(_open(COURT, "bob").actions)
    kinds = [word.split()[0] for word in words]
    assert list(dict.fromkeys(kinds)) == ["attack", "ability", "item", "swap", "move", "turn", "end"]
    assert kinds.count("turn") == 5


@pytest.mark.parametrize("policy", sorted(EVERY))
def test_what_is_picked_does_not_depend_on_what_is_listed_before(policy: str) -> None:
    hurt = {"health_lost": 3, "slots": [{"item": "healing-stimulant"}]}
    near = with_units(bob={"at": [3, 3]}, hal={"at": [1, 2]})
    for scene in (COURT, near, with_units(bob={"ap": 0}), with_units(ann={"at": [6, 3]}, bob=hurt)):
        for id_ in ("ann", "mia", "bob", "hal"):
            open_ = _open(scene, id_)
            options = Candidates(open_, lambda words: True)
            assert EVERY[policy](Choice("red", f"{id_}: deed", options, open_)) == _picked(policy, scene, id_)
            assert list(options) == list(_open(scene, id_).actions)


def test_who_has_just_turned_does_not_turn_again() -> None:
    field = _open(COURT, "bob").field
    turned = next(action for words, action in _open(COURT, "bob").actions.items() if words == "turn E")
    assert not any(
        word.startswith("turn") for word in OpenActions(table_of(first, first), field, "bob", turned).actions
    )


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_everybody_loads_what_is_empty_and_heals_what_is_hurt_first(policy: str) -> None:
    empty = {"hands": [{"weapon": "beam-rifle", "ammo": 0}]}
    assert _picked(policy, with_units(bob=empty), "bob").startswith("reload hand 0 from slots 0")
    stimulant = {"slots": [{"item": "healing-stimulant"}]}
    assert _picked(policy, with_units(bob={**stimulant, "health_lost": 3}), "bob") == "item slots 0"
    assert _picked(policy, with_units(bob={**stimulant, "health_lost": 2}), "bob") != "item slots 0"


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_everybody_strikes_with_both_weapons_at_a_hero_rather_than_at_others(policy: str) -> None:
    scene = with_units(bob={"at": [3, 3]}, hal={"at": [1, 2]})
    assert _picked(policy, scene, "ann") == "attack hand 0 and hand 1 at tile 3,3"


def test_nobody_throws_a_grenade_among_friends() -> None:
    # Ann and mia stand beside each other; a blast that reaches only hal costs red nothing.
    scene = with_units(ann={"at": [5, 3], "slots": [{"item": "frag-grenade"}], "hands": []}, mia={"at": [5, 4]})
    scene["units"] = [{**row, "at": [6, 3]} if row["id"] == "hal" else row for row in scene["units"]]
    open_ = _open(scene, "ann")
    harms = {
        words: tactics.harm(open_.field, action) for words, action in open_.actions.items() if words.startswith("item")
    }
    # 3 of hal's 5; on his tile it would reach ann, too, whose 3 count twice.
    assert harms["item slots 0 at tile 6,3"] == pytest.approx(3 + 2 * 3 - 2 * 3)
    assert max(harms, key=harms.__getitem__) not in ("item slots 0 at tile 5,3", "item slots 0 at tile 5,4")


def test_charging_goes_next_to_the_nearest_and_shooting_stays_as_far_away_as_it_can_shoot() -> None:
    far = with_units(ann={"at": [0, 3]}, mia={"at": None, "dead": True}, rex={"at": None, "dead": True})
    assert _picked("charging", far, "bob").startswith(("attack", "move"))
    away = {"at": [8, 6], "hands": [{"weapon": "arc-emitter"}]}
    scene = with_units(hal=away, mia={"at": None, "dead": True}, rex={"at": None, "dead": True})
    field = field_of(scene)
    assert field.ground.distance((8, 6), (1, 3)) > 4 + 2
    near, farther = (_end(scene, policy) for policy in ("charging", "shooting"))
    assert field.ground.distance(near, (1, 3)) <= field.ground.distance(farther, (1, 3))


def _end(scene: dict[str, Any], policy: str) -> tuple[int, int]:
    action = _open(scene, "hal").actions[_picked(policy, scene, "hal")]
    assert isinstance(action, Walk)
    return action.way[-1]


def test_gathering_goes_for_the_nearest_loot_and_shooting_around_what_is_hidden() -> None:
    alone = {"at": None, "dead": True}
    scene = with_units(mia=alone, rex=alone, hal=alone)
    assert _picked("gathering", scene, "ann") in ("move to tile 3,4", "move to tile 3,2")
    open_ = _open(scene, "ann")
    way = open_.actions[_picked("shooting", scene, "ann")]
    assert isinstance(way, Walk)
    assert tactics.hidden(open_.field).isdisjoint(way.way)


def test_who_has_nothing_better_to_do_parries_faces_the_nearest_and_ends() -> None:
    scene = with_units(
        mia={"at": [0, 6], "facing": 3, "ap": 1}, ann={"at": [0, 5]}, bob={"at": [8, 0]}, hal={"at": [8, 1]}
    )
    scene["obstacles"] = [{"id": f"wall-{x}", "at": [1, x]} for x in range(7)]
    assert _picked("charging", scene, "mia") == "parry hand 0"
    spent = {**scene, "units": [{**row, "ap": 0} if row["id"] == "mia" else row for row in scene["units"]]}
    assert _picked("charging", spent, "mia").startswith("turn ")
    units = [{**row, "facing": None} for row in spent["units"]]
    blind = {**spent, "units": units, "board": {**COURT["board"], "facing": False}}
    assert _picked("charging", blind, "mia") == "end"


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_a_reserved_parry_is_used_and_other_choices_go_to_what_is_named_first(policy: str) -> None:
    answer = Choice("red", "mia: parry", ("none", "first-hand"), field_of(COURT))
    assert EVERY[policy](answer) == "first-hand"
    assert EVERY[policy](Choice("table", "tile 3,4: shows", ("trap", "loot", "nothing"))) == "trap"
    # Rex is 3 tiles from ann and 5 from mia.
    assert EVERY[policy](Choice("red", "red: unit", ("mia", "ann"), field_of(COURT))) == "ann"


# What is told and counted


def test_a_simulation_counts_who_wins_what_is_collected_and_lost_and_who_has_fallen() -> None:
    scores = (Score("red", 3, 4, 0), Score("blue", 0, 9, 1))
    fates = (Fate("ann", (1, 1), 4, 0, False), Fate("bob", (2, 2), 0, 0, True))
    answer = BattleAnswer(True, ("red",), ("blue",), 5, scores, fates, (), "blue", 2)
    assert metrics(answer) == {
        "winner": "red",
        "rounds": 5,
        "starter": "blue",
        "idle rounds": 2,
        "margin of red": 5,
        "margin of blue": -5,
        "kills of red": 1,
        "kills of blue": 0,
        "Rad of red": 3,
        "losses of red": 4,
        "Rad of blue": 0,
        "losses of blue": 9,
        "ann has fallen": False,
        "bob has fallen": True,
    }
    assert metrics(msgspec.structs.replace(answer, winners=()))["winner"] is None
    assert metrics(msgspec.structs.replace(answer, winners=("red", "gold")))["winner"] == "red and gold"


def test_a_battle_is_estimated_by_its_units_its_tiles_and_the_rounds_there_may_be() -> None:
    five, two = (cost(BattleState(field_of(COURT), rounds)) for rounds in (30, 2))
    a_turn = MS_OF_A_TURN + 63 * MS_OF_A_TILE
    assert five == pytest.approx(USUAL_ROUNDS * 5 * a_turn)
    assert two == pytest.approx(2 * 5 * a_turn)


def test_the_table_of_the_tests_is_sound() -> None:
    assert isinstance(field_of(COURT), Battlefield)
