"""Movement: what is reached and what it costs, ways one by one, and what holds for every board."""

from heapq import heappop, heappush
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked
from services.warleague.rules import movement
from services.warleague.scene import Tile
from tests.services.warleague.field import ask, field_of, scene, table, unit, with_unit


def reached(posted: dict[str, Any], points: int, **readings: str) -> dict[Tile, int]:
    ruling = ask("moves", {"scene": posted, "unit": "ann", "points": points}, readings=readings)
    assert ruling.answer is not None
    return {row.at: row.ap for row in ruling.answer.tiles}


def by_hand(field: Battlefield, closed: set[Tile], passed: set[Tile], points: int) -> dict[Tile, int]:
    """A second method: the cheapest costs by a search of its own over neighbours, corners left aside."""
    start = field.at("ann")
    costs: dict[Tile, int] = {}
    waiting = [(0, start)]
    while waiting:
        spent, here = heappop(waiting)
        if here in costs:
            continue
        costs[here] = spent
        for to in field.ground.neighbours(here):
            total = spent + (2 if to in field.scene.board.difficult else 1)
            if to not in closed and total <= points:
                heappush(waiting, (total, to))
    return {at: cost for at, cost in costs.items() if at == start or at not in passed}


@st.composite
def boards(draw: st.DrawFn) -> dict[str, Any]:
    tiles = draw(st.permutations([[column, row] for column in range(6) for row in range(6)]))
    grid = draw(st.sampled_from(("hex", "square-4", "square-8")))
    return scene(
        board={"grid": grid, "columns": 6, "rows": 6, "difficult": tiles[20:26], "killing": [{"at": tiles[4]}]},
        units=[unit("ann", tiles[0]), unit("bob", tiles[1], "blue"), unit("dot", tiles[2]), unit("eve", tiles[3])],
        obstacles=[{"id": f"w{index}", "at": at} for index, at in enumerate(tiles[5:11])],
        crates=[],
        concealed=[],
    )


@given(posted=boards(), points=st.integers(0, 8), through=st.sampled_from(("yes", "no")))
def test_what_is_reached_is_what_a_search_of_its_own_finds(posted: dict[str, Any], points: int, through: str) -> None:
    field = field_of(posted)
    closed = set(field.obstacles) | set(field.ground.killing) | {field.at("bob")}
    friends = {field.at("dot"), field.at("eve")}
    shut = closed if through == "yes" else closed | friends
    assert reached(posted, points, **{"through-friends": through}) == by_hand(field, shut, friends, points)


@given(posted=boards())
def test_each_tile_that_is_reached_can_be_gone_to_for_its_price_and_no_other(posted: dict[str, Any]) -> None:
    tiles = reached(posted, 6)
    for at in field_of(posted).ground.in_order:
        case = {"scene": posted, "unit": "ann", "goal": list(at)}
        if at == field_of(posted).at("ann"):
            continue
        ruling = ask("path", case)
        assert ruling.allowed == (at in tiles)
        if ruling.answer is not None:
            assert (ruling.answer.ap, ruling.answer.left, ruling.answer.at) == (tiles[at], 6 - tiles[at], at)


@given(posted=boards(), data=st.data())
def test_a_step_that_is_allowed_leaves_a_sound_table(posted: dict[str, Any], data: st.DataObject) -> None:
    field = field_of(posted)
    to = data.draw(st.sampled_from(field.ground.neighbours(field.at("ann"))))
    if movement.way_violations(table(), field, "ann", (to,)):
        return
    after = movement.take_step(table(), field, "ann", to)
    assert checked(after.scene) == after
    assert after.at("ann") == to


def test_a_unit_without_a_facing_gets_none_by_a_step() -> None:
    field = movement.take_step(table(), field_of(with_unit("ann", facing=None)), "ann", (3, 2))
    assert field.unit("ann").facing is None


def test_a_way_over_its_own_first_tile_is_a_way() -> None:
    field = field_of()
    assert movement.way_violations(table(), field, "ann", ((3, 2), (2, 2))) == ()
    assert movement.walk(table(), field, "ann", ((3, 2), (2, 2))).at("ann") == (2, 2)


@pytest.mark.parametrize("way", [[[2, 2]], [[3, 2], [3, 2]], [[6, 6]]], ids=["nowhere", "nowhere at last", "far"])
def test_a_way_that_is_no_way_is_forbidden_whichever_way_the_unit_is_to_face(way: list[list[int]]) -> None:
    """A last step onto the same tile has no direction in which the unit could face."""
    for facing in range(6):
        ruling = ask("path", {"scene": scene(), "unit": "ann", "way": way, "facing": facing})
        assert not ruling.allowed
        assert [cite for reason in ruling.reasons for cite in reason.cites] == ["move/step"]


def test_readings_are_asked_only_where_they_matter() -> None:
    def asked(posted: dict[str, Any], **case: Any) -> list[str]:
        return [reading.id for reading in ask("path", {"scene": posted, "unit": "ann", **case}).readings]

    assert asked(scene(), goal=[3, 2]) == []
    assert asked(scene(), goal=[3, 4]) == ["through-friends"]
    assert asked(scene(), way=[[3, 2]], facing=0) == []
    assert asked(scene(), way=[[3, 2]], facing=1) == ["turning"]


def test_who_lands_on_a_catapult_does_not_go_on_from_where_it_is_thrown() -> None:
    posted = {**with_unit("ann", at=[3, 4]), "trap_deck": {"cards": ["catapult"]}}
    case = {"scene": posted, "unit": "ann", "way": [[3, 5], [3, 6]]}
    ruling = ask("path", case, policies={"*": "first"})
    assert ruling.answer is not None
    assert not ruling.answer.arrived
    assert ruling.answer.left == 5


@pytest.mark.parametrize(
    ("case", "pointer"),
    [
        ({"unit": "zoe", "goal": [3, 2]}, "/case/unit"),
        ({"unit": "ann"}, "/case"),
        ({"unit": "ann", "goal": [3, 2], "way": [[3, 2]]}, "/case"),
        ({"unit": "ann", "goal": [2, 2]}, "/case/goal"),
        ({"unit": "ann", "goal": [12, 2]}, "/case/goal"),
        ({"unit": "ann", "way": [[3, 2], [40, 2]]}, "/case/way/1"),
        ({"unit": "ann", "way": [[3, 2]], "facing": 6}, "/case/facing"),
    ],
)
def test_ways_that_cannot_be_are_faults(case: dict[str, Any], pointer: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("path", {"scene": scene(), **case})
    assert [fault.pointer for fault in caught.value.faults] == [pointer]
