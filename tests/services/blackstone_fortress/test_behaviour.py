from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.odds.exact import law
from services.blackstone_fortress.arbiter import ARBITER
from services.blackstone_fortress.book import table as rows
from services.blackstone_fortress.rules import behaviour, sight
from services.blackstone_fortress.rules.unique_hostile_actions import ACTIONS
from tests.effort import cases
from tests.services.blackstone_fortress.skirmishes import FIRST, field_from, readings, scenes, table
from tests.services.blackstone_fortress.tabletop import block, field_of, janus, scene

TABLES = {row["id"]: [column["id"] for column in row["columns"]] for row in rows("behaviours")}

# The printed table, read off column by column: the faces of each action, counted.
PRINTED = {
    "hidden": {"hold": 3, "sneak": 3, "advance": 6, "charge": 7, "rush": 1},
    "engaged": {"fall-back": 3, "onslaught": 16, "fury": 1},
    "in-cover": {"aim": 9, "onslaught": 10, "fury": 1},
    "close": {"fall-back": 3, "onslaught": 6, "charge": 10, "fury": 1},
    "other": {"advance": 6, "aim": 6, "onslaught": 7, "rush": 1},
}

# What the reference cards of the others give, as the sources that agree have it.
CARDS = {
    "negavolt-cultist": {
        "hidden": {"recharge": 3, "hold": 3, "charge": 13, "rush": 1},
        "engaged": {"recharge": 3, "onslaught": 16, "fury": 1},
        "other": {"recharge": 3, "charge": 16, "rush": 1},
    },
    "chaos-beastman": {
        "hidden": {"hold": 3, "advance": 6, "charge": 10, "rush": 1},
        "engaged": {"onslaught": 15, "fury": 5},
        "close": {"onslaught": 9, "charge": 10, "rush": 1},
        "other": {"advance": 9, "charge": 10, "rush": 1},
    },
    "spindle-drone": {
        "hidden": {"hold": 3, "sneak": 9, "advance": 7, "alert": 1},
        "engaged": {"fall-back": 6, "onslaught": 13, "alert": 1},
        "in-cover": {"aim": 6, "onslaught": 13, "alert": 1},
        "close": {"fall-back": 3, "aim": 6, "onslaught": 10, "alert": 1},
        "other": {"fall-back": 3, "aim": 6, "onslaught": 6, "advance": 4, "alert": 1},
    },
    "ur-ghul": {
        "hidden": {"hold": 3, "sneak": 6, "charge": 10, "rush": 1},
        "engaged": {"fall-back": 6, "onslaught": 13, "pounce": 1},
        "close": {"fall-back": 6, "charge": 13, "pounce": 1},
        "other": {"fall-back": 9, "rush": 11},
    },
    "rogue-psyker": {
        "hidden": {"hold": 9, "disrupt": 6, "regenerate": 4, "empower": 1},
        "engaged": {"fall-back": 6, "onslaught": 9, "annihilate": 5},
        "close": {"fall-back": 3, "disrupt": 6, "onslaught": 6, "regenerate": 4, "empower": 1},
        "other": {"hold": 3, "disrupt": 6, "onslaught": 6, "regenerate": 4, "empower": 1},
    },
    "chaos-space-marine": {
        "hidden": {"sneak": 3, "advance": 6, "charge": 6, "rush": 5},
        "engaged": {"onslaught": 15, "rapid-fire": 5},
        "in-cover": {"aim": 3, "onslaught": 9, "advance": 3, "rapid-fire": 5},
        "close": {"aim": 6, "onslaught": 6, "advance": 3, "rapid-fire": 5},
        "other": {"aim": 9, "advance": 6, "rapid-fire": 5},
    },
    "obsidius-mallex": {
        "hidden": {"sneak": 3, "advance": 6, "charge": 3, "rush": 8},
        "engaged": {"onslaught": 12, "fury": 8},
        "close": {"onslaught": 6, "charge": 9, "overcharge": 5},
        "in-cover": {"charge": 6, "aim": 3, "onslaught": 6, "overcharge": 4, "rush": 1},
        "other": {"advance": 6, "aim": 3, "onslaught": 6, "overcharge": 4, "rush": 1},
    },
    "traitor-guardsman": PRINTED,
}


def foe(profile: str, hex_: list[int] | None, **rest: Any) -> dict[str, Any]:
    return {"id": "foe", "group": "foes", "profile": profile, "hex": hex_, **rest}


def test_every_face_gives_an_action_in_every_column_of_every_table_by_every_reading() -> None:
    readings_of = {cell["reading"] for row in rows("behaviours") for cell in row["disputed"]}
    for profile, columns in TABLES.items():
        field = field_of(scene([], [foe(profile, [1, 1])]))
        options = [(id_, option.id) for id_ in readings_of for option in ARBITER.readings.by_id[id_].options]
        for column in columns:
            for face in range(1, 21):
                for id_, option in options:
                    table_ = table(**{id_: option})
                    assert behaviour.cell(table_, field, "foe", column, face) in ACTIONS
                    assert set(table_.read_ids) <= readings_of


@pytest.mark.parametrize("profile", sorted(CARDS))
def test_the_tables_have_the_faces_of_the_cards(profile: str) -> None:
    field = field_of(scene([], [foe(profile, [1, 1])]))
    assert set(CARDS[profile]) == set(TABLES[profile])
    for column, faces in CARDS[profile].items():
        result = Counter(behaviour.cell(table(), field, "foe", column, face) for face in range(1, 21))
        assert result == faces, column


def test_the_actions_of_the_tables_are_those_that_can_be_performed() -> None:
    assert set(ACTIONS) == {row["id"] for row in rows("hostile_actions")}


@settings(max_examples=cases(80))
@given(scenes(), st.data())
def test_columns_are_tested_in_the_order_of_the_card_until_one_applies(posted: dict[str, Any], data: Any) -> None:
    field = field_from(posted)
    hostile = data.draw(st.sampled_from(field.hostiles))
    tests = behaviour.columns(table(), field, hostile.id)
    assert [test.column for test in tests] == TABLES[hostile.profile][: len(tests)]
    assert [test.applies for test in tests] == [False] * (len(tests) - 1) + [True]


@settings(max_examples=cases(80))
@given(scenes(), st.data())
def test_the_column_is_the_one_that_the_conditions_ask_for(posted: dict[str, Any], data: Any) -> None:
    field = field_from(posted)
    hostile = data.draw(st.sampled_from(field.hostiles))
    here = hostile.hex
    assert here is not None
    seen = [one.hex for one in field.explorers if one.hex and sight.visible(table(), field, here, one.hex)]
    near = min((field.ground.distance(here, hex_) for hex_ in seen), default=0)
    covered = all(sight.in_cover(table(), field, hex_, here) for hex_ in seen)
    holds = {
        "hidden": not seen,
        "engaged": near == 1,
        # Without a named weapon a Guardsman may carry any of his card, a lasgun among them.
        "in-cover": bool(seen) and covered,
        "close": near in (2, 3),
        "other": True,
    }
    expected = next(column for column in TABLES[hostile.profile] if holds[column])
    assert behaviour.column(table(), field, hostile.id) == expected


def test_the_law_of_a_behaviour_roll_is_that_of_its_column() -> None:
    field = field_of(scene([janus([0, 0])], [foe("traitor-guardsman", [3, 0])], {"hexes": block(8, 1)}))
    result = law(behaviour.action, field, "foe", policies=FIRST, readings=readings())
    assert result == {action: Fraction(faces, 20) for action, faces in PRINTED["close"].items()}


@pytest.mark.parametrize(("turn", "held"), [(1, 10), (2, 0)])
def test_odd_rolls_hold_in_the_first_turn_alone(turn: int, held: int) -> None:
    posted = scene(
        [janus([0, 0])],
        [foe("ur-ghul", [6, 0])],
        {"hexes": block(8, 1)},
        twists=["odd-rolls-hold"],
        turn={"number": turn},
    )
    field = field_of(posted)
    result = Counter(behaviour.action_on(table(), field, "foe", "other", face) for face in range(1, 21))
    # Ur-Ghuls never hold in the last column by themselves; even faces up to 9 fall back and from 10 rush.
    assert result["hold"] == held
    assert result["rush"] == (6 if held else 11)


@pytest.mark.parametrize(("far", "column"), [(1, "engaged"), (2, "close"), (3, "close"), (4, "other"), (5, "other")])
def test_the_range_to_the_nearest_explorer_in_sight_picks_the_column(far: int, column: str) -> None:
    posted = scene([janus([0, 0])], [foe("ur-ghul", [far, 0])], {"hexes": block(8, 1)})
    assert behaviour.column(table(), field_of(posted), "foe") == column
