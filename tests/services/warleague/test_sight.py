"""Targeting methods: what is in the way of each, which readings are asked, and what holds for all of them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.warleague.ground import Ground
from services.warleague.rules import targeting
from tests.services.warleague.field import ask, field_of, scene, table, unit, with_unit


def by_method(posted: dict[str, Any], **case: Any) -> dict[str, bool]:
    ruling = ask("line-of-sight", {"scene": posted, "observer": "ann", "targets": ["bob"], **case})
    assert ruling.answer is not None
    return {one.method: one.open for one in ruling.answer.lines[0].methods}


def test_each_method_has_its_own_blockers() -> None:
    free = {"direct": False, "clear-line": True, "ballistics": True, "limitless": True}
    between = [3, 2]
    assert by_method(scene()) == free
    assert by_method(scene(concealed=[{"at": between}])) == free
    assert by_method(scene(items=[{"at": between, "item": "slug-box"}])) == free
    assert by_method(scene(rads=[{"at": between, "number": 2}])) == free
    assert by_method(scene(traps=[{"at": between, "trap": "snare"}])) == free
    assert by_method(scene(crates=[{"at": between}])) == {**free, "clear-line": False}
    assert by_method(with_unit("cid", at=between)) == {**free, "clear-line": False}
    wall = {**free, "clear-line": False, "ballistics": False}
    assert by_method(scene(obstacles=[{"id": "wall", "at": between}])) == wall


def test_what_stands_behind_the_target_is_not_in_the_way() -> None:
    assert by_method(scene(obstacles=[{"id": "w", "at": [5, 2]}, {"id": "v", "at": [1, 2]}]))["clear-line"]


def test_units_on_the_tiles_of_both_ends_are_not_in_the_way() -> None:
    crowd = [unit("ann", [2, 2]), unit("eve", [2, 2]), unit("bob", [4, 2], "blue"), unit("pam", [4, 2], "blue")]
    assert by_method(scene(units=crowd, shared_tiles=True))["clear-line"]


def test_readings_are_asked_only_where_they_matter() -> None:
    def asked(posted: dict[str, Any]) -> list[str]:
        ruling = ask("line-of-sight", {"scene": posted, "observer": "ann", "targets": ["bob"]})
        return [reading.id for reading in ruling.readings]

    assert asked(scene()) == []
    assert asked(with_unit("dot", at=[3, 2])) == ["friends-block"]
    beside = {"obstacles": [{"id": "wall", "at": [3, 2]}]}
    assert asked({**scene(units=[unit("ann", [3, 3]), unit("bob", [3, 1], "blue")]), **beside}) == ["grazes"]


def test_what_is_thrown_passes_obstacles_by_one_reading() -> None:
    field = field_of(scene(obstacles=[{"id": "wall", "at": [3, 2]}]))
    passing = table(thrown_over_obstacles="pass")
    assert not targeting.ballistics(table(), field, "ann", (4, 2), thrown=True).open
    assert targeting.ballistics(passing, field, "ann", (4, 2), thrown=True).open
    assert not targeting.ballistics(passing, field, "ann", (4, 2)).open


@pytest.mark.parametrize(
    ("case", "pointer"),
    [
        ({"observer": "zoe"}, "/case/observer"),
        ({"observer": "ann", "targets": ["bob", "zoe"]}, "/case/targets/1"),
        ({"observer": "ann", "targets": ["ann"]}, "/case/targets/0"),
    ],
)
def test_names_that_are_none_are_faults(case: dict[str, Any], pointer: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("line-of-sight", {"scene": scene(), **case})
    assert [fault.pointer for fault in caught.value.faults] == [pointer]


@pytest.mark.parametrize(
    ("beside", "both", "either", "never"),
    [([], True, True, True), ([[0, 0]], True, False, True), ([[0, 0], [1, 1]], False, False, True)],
)
def test_a_corner_between_two_obstacles_has_no_clear_line_though_its_tiles_are_adjacent(
    beside: list[list[int]], both: bool, either: bool, never: bool
) -> None:
    """Direct asks that tiles be adjacent and nothing else; for other methods it counts what their line meets."""
    corner = scene(
        board={"grid": "square-8", "columns": 6, "rows": 6},
        units=[unit("ann", [1, 0]), unit("bob", [0, 1], "blue")],
        obstacles=[{"id": f"w{index}", "at": at} for index, at in enumerate(beside)],
        crates=[],
        concealed=[],
    )
    assert by_method(corner) == {"direct": True, "clear-line": both, "ballistics": both, "limitless": True}
    field = field_of(corner)
    for grazes, clear in (("both", both), ("either", either), ("never", never)):
        assert targeting.direct(table(grazes=grazes), field, "ann", (0, 1)).open
        assert targeting.clear_line(table(grazes=grazes), field, "ann", (0, 1)).open == clear
        assert targeting.ballistics(table(grazes=grazes), field, "ann", (0, 1)).open == clear


@given(data=st.data())
def test_a_method_with_fewer_blockers_reaches_whatever_another_reaches(data: st.DataObject) -> None:
    grid = data.draw(st.sampled_from(("hex", "square-4", "square-8")))
    board = {"grid": grid, "columns": 6, "rows": 6}
    tiles = data.draw(st.permutations([[column, row] for column in range(6) for row in range(6)]))
    posted = scene(
        board=board,
        units=[
            unit("ann", tiles[0]),
            unit("bob", tiles[1], "blue"),
            unit("eve", tiles[2]),
            unit("pam", tiles[3], "wild"),
        ],
        obstacles=[{"id": f"w{index}", "at": at} for index, at in enumerate(tiles[4:8])],
        crates=[{"at": at} for at in tiles[8:11]],
        concealed=[{"at": at} for at in tiles[11:14]],
    )
    found = by_method(posted)
    assert found["clear-line"] <= found["ballistics"] <= found["limitless"]
    field = field_of(posted)
    assert found["direct"] == (field.ground.distance(field.at("ann"), field.at("bob")) == 1)
    solid = field.obstacles | field.crates | (field.occupied - {field.at("ann"), field.at("bob")})
    if found["direct"]:
        # No tile is in between. Neighbours share a side, or else a corner, which two blockers beside it may close.
        (x, y), (to_x, to_y) = field.at("ann"), field.at("bob")
        by_corner = grid == "square-8" and x != to_x and y != to_y
        assert found["clear-line"] == (not (by_corner and {(x, to_y), (to_x, y)} <= solid))
    unless_entered = targeting.clear_line(table(grazes="never"), field, "ann", field.at("bob")).open
    assert found["direct"] <= unless_entered, "between adjacent tiles there is none that could be entered"
    back = targeting.clear_line(table(), field, "bob", field.at("ann")).open
    assert found["clear-line"] == back, "sight is the same both ways"
    # A second method: the free tiles in bulk.
    assert found["clear-line"] == (
        field.at("bob") in Ground.of(field.scene.board).visible_from(field.at("ann"), solid, "both")
    )
