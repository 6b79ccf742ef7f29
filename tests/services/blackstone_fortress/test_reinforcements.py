from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.blackstone_fortress.rules import reinforcements
from tests.effort import cases
from tests.services.blackstone_fortress.skirmishes import Plain, field_from, scenes, table
from tests.services.blackstone_fortress.tabletop import block, field_of, guard, janus, scene

# The table beside the rule, and the one of the back page, for rolls of 1, 2, 3 and more.
FULL = {"small": (6, 4, 2, 0), "large": (4, 2, 1, 0), "huge": (1, 0, 0, 0)}
BACK = {"small": (6, 4, 2, 0), "large": (4, 2, 1, 0), "huge": (2, 1, 0, 0)}


@pytest.mark.parametrize(("option", "expected"), [("full-rule", FULL), ("back-page", BACK)])
def test_the_table_is_the_printed_one_up_to_the_number_of_slain(option: str, expected: dict[str, Any]) -> None:
    for size, row in expected.items():
        for roll in range(1, 21):
            for slain in range(1, 9):
                table_ = table(reinforcement_table=option)
                assert reinforcements.number(table_, size, roll, slain) == min(row[min(roll, 4) - 1], slain)


def test_the_table_is_a_reading_only_where_the_two_differ() -> None:
    for size in ("small", "large", "huge"):
        for roll in range(1, 21):
            table_ = table()
            reinforcements.number(table_, size, roll, 9)
            assert ("reinforcement-table" in table_.read_ids) == (size == "huge" and roll in (1, 2))
    single = table()
    reinforcements.number(single, "huge", 1, 1)
    assert single.read_ids == {}, "with one huge hostile slain, a 1 brings one back by either table"


@settings(max_examples=cases(80))
@given(
    scenes(hostiles=2),
    st.lists(st.sampled_from(["traitor-guardsman", "chaos-beastman"]), min_size=1, max_size=5),
    st.integers(1, 4),
    st.data(),
)
def test_reinforcements_never_exceed_the_slain_and_come_in_beside_a_portal(
    posted: dict[str, Any], gone: list[str], roll: int, data: Any
) -> None:
    slain = [
        {"id": f"gone-{number}", "group": "foes", "profile": profile, "slain": True, "wounds": 2}
        for number, profile in enumerate(gone)
    ]
    open_hexes = [hex_ for hex_ in posted["board"]["hexes"] if hex_ not in posted["board"]["obstructions"]]
    beside = data.draw(st.lists(st.sampled_from(open_hexes), min_size=1, max_size=3, unique=True))
    board = {**posted["board"], "portals": [{"id": "p-1", "beside": beside}]}
    field = field_from({**posted, "board": board, "hostiles": [*posted["hostiles"], *slain]})
    table_ = table("seed", hand=None)
    rolled = reinforcements.ReinforcementRoll(
        "small" if "traitor-guardsman" in gone else "large",
        roll,
        min(FULL["small" if "traitor-guardsman" in gone else "large"][roll - 1], len(gone)),
    )
    after, returned = reinforcements.arrive(table_, field, "foes", rolled)
    back = [one for one in after.scene.hostiles if one.reinforcement]
    assert len(back) <= rolled.number <= len(gone)
    assert all(one.id.startswith("gone-") for one in back)
    arrived = [event.values for event in table_.events if event.name == "deployed"]
    assert [one["unit"] for one in arrived] == list(dict.fromkeys(one["unit"] for one in arrived))
    assert {one["unit"] for one in arrived} == {one.id for one in back}
    assert returned == tuple(one["unit"] for one in arrived)
    assert all(one["hex"] in beside for one in arrived)
    explorers = {one.hex for one in after.explorers}
    for hostile in after.hostiles:
        assert hostile.hex is not None
        assert hostile.hex not in explorers
        assert Plain(after, hostile).has_room(hostile.hex)


def test_a_group_without_slain_rolls_nothing() -> None:
    field = field_of(scene([janus([0, 0])], [guard("guard-1", [4, 0])]))
    table_ = table(hand={})
    assert reinforcements.rolled(table_, field, "guards") is None
    assert table_.throws == []


def test_only_the_group_of_the_card_counts() -> None:
    other = {**guard("other", None, slain=True), "group": "others"}
    field = field_of(scene([janus([0, 0])], [guard("guard-1", [4, 0]), other]))
    assert reinforcements.rolled(table(hand={}), field, "guards") is None
    result = reinforcements.rolled(table(hand={"others: reinforcements": [1]}), field, "others")
    assert result == reinforcements.ReinforcementRoll("small", 1, 1)


def test_one_who_returns_a_second_time_in_a_turn_has_returned_all_the_same() -> None:
    fallen = guard("guard-2", None, slain=True, reinforcement=True)
    board = {"portals": [{"id": "p-1", "beside": [[7, 4]]}]}
    field = field_of(scene([janus([0, 0])], [guard("guard-1", [6, 4]), fallen], board))
    rolled = reinforcements.ReinforcementRoll("small", 3, 1)
    _, returned = reinforcements.arrive(table("again"), field, "guards", rolled)
    assert returned == ("guard-2",)


def test_alike_hostiles_are_not_told_apart_when_one_returns() -> None:
    gone = [guard(f"guard-{number}", None, slain=True) for number in (1, 2, 3)]
    field = field_of(scene([janus([0, 0])], gone, {"hexes": block(4, 1)}))
    slain = reinforcements.slain_of(field, "guards")
    assert reinforcements.returning(table(), field, "guards", "small", slain) == "guard-1"
