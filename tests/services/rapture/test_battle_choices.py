"""What is offered in a battle of Rapture, where units go, what policies pick, and what is counted."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from arbiter.dice_sources import SeededDice
from arbiter.simulation.memo_table import MemoTable
from arbiter.table import Choice, Chooser, OneTable, first
from services.rapture import battle_actions
from services.rapture.battle_actions import Deeds, actions_of, goals, towards, way_towards
from services.rapture.battlefield import Battlefield
from services.rapture.questions.battle import (
    MS_OF_A_PAIR,
    MS_OF_A_PIECE,
    BattleAnswer,
    BattleState,
    Fate,
    Score,
    cost,
    metrics,
)
from services.rapture.rules import movement, reach, retreat
from services.rapture.scene import Scene
from services.rapture.ways import Way
from tests.services.rapture.field import field_of, readings
from tests.services.rapture.test_battle import EVERY, NAMES, YARD, played, table_of, with_units, yard


def _offered(scene: dict[str, Any], id_: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the open actions, and those that cost boxes apart."""
    table, field = table_of(first, first), field_of(scene)
    deeds = Deeds(table, field, id_)
    free, boxed = actions_of(table, field, id_, frozenset())
    return (
        tuple(action for action in free if deeds.is_open(action)),
        tuple(action for action in boxed if deeds.is_open(action)),
    )


def acting(id_: str, side: str, **changes: dict[str, Any]) -> dict[str, Any]:
    return {**with_units(**changes), "phase": "activation", "turn": side, "active": id_}


def test_a_shooter_is_offered_what_it_can_do_and_what_costs_boxes_apart() -> None:
    # The wall hides bob; lee is 36 cm away. Steeled costs an MP, watchful an RP.
    assert _offered(acting("ada", "blue"), "ada") == (
        ("ranged", "movement", "ability grit", "ability watchful"),
        ("ability steeled",),
    )


def test_who_is_in_contact_strikes_or_retreats_and_does_not_move() -> None:
    near = {"models": [[36.5, 22]]}
    actions, boxed = _offered(acting("ada", "blue", ada=near), "ada")
    assert actions[:2] == ("close-combat", "ranged")
    assert "movement" not in actions
    assert "retreat" in boxed


def test_who_is_sheltered_gets_up_and_who_burns_puts_it_out() -> None:
    assert _offered(acting("bob", "red", bob={"shelter_markers": 1}), "bob") == (("get-up",), ())
    actions, _ = _offered(acting("bob", "red", bob={"statuses": ["burning"]}), "bob")
    assert actions == ("movement", "extinguish-fire")


def test_without_anybody_to_go_to_nobody_moves() -> None:
    alone = {"models": [], "disabled": "casualty"}
    scene = {**acting("ada", "blue", bob=alone, lee=alone), "objectives": []}
    assert "movement" not in _offered(scene, "ada")[0]


# Where units go


def _way(scene: dict[str, Any], id_: str, goal: str) -> tuple[float, float] | None:
    table = table_of(first, first)
    way = towards(table, field_of(scene), id_, goal)
    return None if way is None else way.paths[0].end


def test_goals_are_opponents_friends_that_escape_and_objectives() -> None:
    field = field_of(with_units(una={"escaping": True, "mp_crossed": 3}))
    assert goals(field, "ada") == ("bob", "lee", "una", "pier")
    assert goals(field, "bob") == ("ada", "fay", "una", "pier")


def test_a_unit_moves_into_contact_with_whom_it_reaches() -> None:
    # 12 cm to the base of bob, whose radius is 2 and ada's 1.5.
    scene = with_units(ada={"models": [[24.6, 30]]}, bob={"models": [[40, 30]]})
    assert _way(scene, "ada", "bob") == (36_500, 30_000)


def test_a_unit_that_reaches_nobody_goes_the_whole_of_its_movement_towards_it() -> None:
    scene = with_units(ada={"models": [[10, 30]]}, bob={"models": [[40, 30]]})
    assert _way(scene, "ada", "bob") == (22_000, 30_000)


def test_a_unit_comes_nearer_to_whom_others_surround() -> None:
    # lee stands wall to wall with bob: no place of ada's base is free where lee is, but there is one nearer to it.
    scene = with_units(bob={"models": [[36.75, 34]]})
    end = _way(scene, "ada", "lee")
    assert end is not None
    field = field_of(scene)
    assert (end[0] - 40_000) ** 2 + (end[1] - 34_000) ** 2 < (5_000 - 40_000) ** 2 + (22_000 - 34_000) ** 2
    assert reach.contact(table_of(first, first), field, "bob") == ()


@pytest.mark.parametrize("policy", NAMES)
def test_where_a_unit_goes_hangs_on_nothing_but_layout_and_movement(
    policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Battlefield, str, str, Way | None]] = []

    def noting(table: OneTable, field: Battlefield, unit_id: str, goal: str) -> Way | None:
        way = towards(table, field, unit_id, goal)
        seen.append((field, unit_id, goal, way))
        return way

    monkeypatch.setattr(battle_actions, "towards", noting)
    swift = MemoTable(SeededDice("layout"), Chooser({}, {"*": (policy, EVERY[policy])}), readings())
    played(yard(round=4), swift)
    assert len(seen) >= 5
    # The same by the whole scene, with all that has become of the units, where nothing was worked out before.
    for field, unit_id, goal, way in seen:
        table, whole = table_of(first, first), field_of(msgspec.to_builtins(field.scene))
        far = movement.allowance(table, whole, unit_id)
        assert way_towards(table, whole.ground, whole.book, whole.scene, unit_id, goal, far) == way


def test_the_layout_is_known_as_long_as_nobody_moves_falls_or_flees() -> None:
    field = field_of(yard())
    layout = field.layout
    ada = field.unit("ada")
    assert field.put(replace(ada, ap=0, activated=True)).layout is layout
    assert field.with_(active="ada").layout is layout
    for other in (
        replace(ada, models=((6.0, 22.0),)),
        replace(ada, escaping=True),
        replace(ada, disabled="casualty"),
        replace(ada, side="red"),
    ):
        assert field.put(other).layout != layout


def test_contacts_and_enemies_are_those_of_the_units_as_they_stand() -> None:
    field = field_of(with_units(ada={"models": [[36.5, 22]]}))
    assert field.contacts("ada") == ("bob",)
    assert "bob" in [enemy.id for enemy in field.enemies(field.unit("ada"))]
    away_ = field.put(replace(field.unit("ada"), models=((5.0, 22.0),)))
    assert away_.contacts("ada") == ()
    gone = field.put(replace(field.unit("bob"), disabled="fled"))
    assert gone.contacts("ada") == ()
    assert "bob" not in [enemy.id for enemy in gone.enemies(gone.unit("ada"))]
    assert away_.solids(away_.unit("ada"))[0].at == (5_000, 22_000)
    assert field.solids(field.unit("ada"))[0].at == (36_500, 22_000)


def test_a_unit_onto_an_objective_stops_there_and_goes_no_further() -> None:
    scene = with_units(ada={"models": [[22, 40]]})
    assert _way(scene, "ada", "pier") == (22_000, 35_000)
    assert _way(with_units(ada={"models": [[22, 35]]}), "ada", "pier") is None


def test_a_retreat_goes_half_of_the_movement_straight_away() -> None:
    field = field_of(acting("ada", "blue", ada={"models": [[36.5, 22]]}))
    way = retreat.way_out(table_of(first, first), field, "ada")
    assert way is not None
    assert way.paths[0].end == (30_500, 22_000)


# Policies


def _picked(policy: str, label: str, options: tuple[Any, ...], scene: dict[str, Any] | None = None) -> Any:
    return EVERY[policy](Choice("blue", label, options, field_of(scene or yard())))


@pytest.mark.parametrize(
    ("policy", "label", "options", "picked"),
    [
        ("reacting", "ada: before the hit roll", ("none", "dodge"), "dodge"),
        ("charging", "ada: before the hit roll", ("none", "seek-shelter"), "none"),
        ("shooting", "ada: before the hit roll", ("none", "seek-shelter"), "seek-shelter"),
        ("charging", "ada: after the attack", ("none", "counterblow"), "counterblow"),
        ("charging", "ada: before the hit roll", ("none", "retreat"), "none"),
        ("first", "ada: before contact", ("none", "countershot"), "none"),
        ("shooting", "ada: before contact", ("none", "countershot"), "countershot"),
        ("charging", "ada: action", ("ranged", "movement", "end"), "movement"),
        ("shooting", "ada: action", ("ranged", "movement", "end"), "ranged"),
        ("shooting", "ada: action", ("get-up", "end"), "get-up"),
        ("charging", "ada: action", ("ability grit", "end", "retreat", "ability steeled"), "ability grit"),
        ("charging", "ada: action", ("end", "retreat", "ability steeled"), "end"),
        ("charging", "ada: action", ("retreat", "ability steeled"), "ability steeled"),
        ("charging", "blue: activation", ("ada", "fay"), "ada"),
        ("charging", "ada: towards", ("bob", "lee", "pier"), "bob"),
        ("shooting", "ada: towards", ("bob", "lee", "pier"), "pier"),
        ("shooting", "ada: towards", ("bob", "una", "pier"), "una"),
        ("charging", "ada: target", ("bob", "lee"), "lee"),
        ("charging", "ada: engage", ("none", "bob"), "bob"),
        ("charging", "lee: model taken off", (1, 2, 3), 1),
    ],
)
def test_policies_pick(policy: str, label: str, options: tuple[Any, ...], picked: Any) -> None:
    assert _picked(policy, label, options) == picked


def test_an_objective_at_which_a_friend_stands_is_none_to_go_for() -> None:
    scene = with_units(fay={"models": [[22, 36]]}, una={"models": [[22, 38.75]]})
    assert _picked("shooting", "ada: towards", ("bob", "lee", "pier"), scene) == "bob"


def test_policies_choose_without_a_battlefield_too() -> None:
    choice = Choice("blue", "ada: before the hit roll", ("none", "dodge"))
    assert [EVERY[name](choice) for name in NAMES] == ["none", "dodge", "dodge", "dodge"]


def _lines(scene: dict[str, Any], policy: str) -> Iterator[str]:
    return iter(played(scene, table_of(EVERY[policy], EVERY[policy])).transcript)


def test_the_transcript_tells_rounds_phases_and_points() -> None:
    lines = list(_lines(yard(round=6), "charging"))
    assert lines[0] == "Round 6"
    assert lines[1].startswith("  preparation: ")
    # Ada 4, fay 3 and una 1 against 2 and 2.
    assert lines[2] == "  order of activation: blue, red"
    assert lines[-1].startswith("Victory points: blue ")


def test_an_empty_field_is_over_at_once() -> None:
    removed = {"models": [], "disabled": "casualty"}
    fought = played(with_units(bob=removed, lee=removed), table_of(first, first))
    # 28 and 16 for the cards, and 30 for all of them.
    assert (fought.over, fought.rounds, fought.winner) == (True, 0, "blue")
    assert fought.points == (("blue", 74), ("red", 0))


def test_a_simulation_counts_who_wins_and_who_is_lost() -> None:
    points = (Score("blue", 46, 1), Score("red", 0, 0))
    fates = (Fate("bob", 7, 4, None), Fate("lee", 0, 3, "casualty"))
    answer = BattleAnswer(True, "blue", 2, points, fates, (), "red", 1)
    assert metrics(answer) == {
        "winner": "blue",
        "rounds": 2,
        "starter": "red",
        "idle rounds": 1,
        "margin of blue": 46,
        "margin of red": -46,
        "victory points of blue": 46,
        "kills of blue": 1,
        "victory points of red": 0,
        "kills of red": 0,
        "HP of bob": 7,
        "bob is lost": False,
        "HP of lee": 0,
        "lee is lost": True,
    }


def test_a_battle_is_estimated_by_its_pairs_of_models_its_terrain_and_the_rounds_there_can_be() -> None:
    # Three models against four, with two pieces: 12 pairs in each of six rounds, or of the last two.
    six, two = (cost(BattleState(field_of(yard(round=number)), 6)) for number in (1, 5))
    assert six == pytest.approx(6 * 12 * (MS_OF_A_PAIR + 2 * MS_OF_A_PIECE))
    assert six == pytest.approx(3 * two)
    assert cost(BattleState(field_of(yard()), 2)) == pytest.approx(two)


def test_scenes_of_the_tests_are_sound() -> None:
    assert isinstance(field_of(YARD).scene, Scene)
