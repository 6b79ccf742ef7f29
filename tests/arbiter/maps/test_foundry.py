"""Scenes of Foundry VTT: padding and shift are taken off, and walls stop what they say."""

from typing import Any

import pytest

from arbiter.fault import Faults
from arbiter.maps.importer import MapScale
from tests.arbiter.mapping import notes, read, scene, uvtt, wall


# A quarter of 1000 pixels is 250, up to whole squares 300; of 800 it is 200. So (500, 500) is 2 squares across, 3 down.
def test_padding_is_taken_off_and_pixels_become_squares() -> None:
    assert read(scene(wall(500, 500, 900, 500))) == read(uvtt([(2, 3), (6, 3)]))


def test_a_square_is_as_large_as_the_caller_says() -> None:
    scale = MapScale(square=2000, thickness=200)
    assert read(scene(wall(500, 500, 900, 500)), scale) == read(uvtt([(2, 3), (6, 3)]), scale)


@pytest.mark.parametrize(
    ("change", "across", "down"),
    [
        ({"padding": 0}, 0, 0),
        ({"padding": 0.1}, 100, 100),
        ({"background": {"offsetX": 30, "offsetY": -20}}, 270, 220),
        ({"background": None, "shiftX": 30, "shiftY": -20}, 270, 220),
        ({"grid": 100, "gridType": 1}, 300, 200),
        ({"grid": {"size": 80}}, 320, 240),
    ],
)
def test_where_the_scene_begins_on_the_canvas(change: dict[str, Any], across: float, down: float) -> None:
    size = 80 if change.get("grid") == {"size": 80} else 100
    document = scene(wall(across + 2 * size, down + 3 * size, across + 6 * size, down + 3 * size), **change)
    if size == 80:
        assert read(document) == read(uvtt([(2, 3), (6, 3)], size=(12.5, 10)))
    else:
        assert read(document) == read(uvtt([(2, 3), (6, 3)]))


def test_a_scene_that_does_not_say_has_a_quarter_of_padding() -> None:
    document = scene(wall(500, 500, 900, 500))
    del document["padding"]
    assert read(document) == read(uvtt([(2, 3), (6, 3)]))


@pytest.mark.parametrize(
    ("sight", "move", "stops"),
    [(20, 20, (True, True)), (0, 20, (False, True)), (20, 0, (True, False)), (1, 1, (True, True)), (0, 0, None)],
)
def test_a_wall_stops_what_it_says(sight: int, move: int, stops: tuple[bool, bool] | None) -> None:
    imported = read(scene(wall(500, 500, 900, 500, sight=sight, move=move)))
    assert [(piece.stops_sight, piece.stops_movement) for piece in imported.walls] == ([stops] if stops else [])
    assert notes(imported) == ({} if stops else {"stops-nothing": 1})


def test_walls_of_different_kinds_are_not_joined() -> None:
    walls = [wall(500, 500, 900, 500), wall(900, 500, 900, 800, sight=0), wall(900, 800, 500, 800)]
    assert len(read(scene(*walls)).walls) == 3
    assert len(read(scene(walls[0], {**walls[1], "sight": 20}, walls[2])).walls) == 1


# 0 is shut, 1 open, 2 locked; a secret door is a door.
@pytest.mark.parametrize(
    ("door", "state", "closed"), [(1, 0, True), (1, 1, False), (1, 2, True), (2, 0, True), (2, 1, False)]
)
def test_doors_are_open_or_not(door: int, state: int, closed: bool) -> None:
    imported = read(scene(wall(500, 500, 600, 500, door=door, ds=state)))
    assert imported.walls == ()
    assert [portal.closed for portal in imported.portals] == [closed]


def test_what_walls_do_beside_stopping_is_counted() -> None:
    imported = read(
        scene(
            wall(500, 500, 600, 500, sight=10),
            wall(500, 600, 600, 600, sight=30),
            wall(500, 700, 600, 700, sight=40),
            wall(500, 800, 600, 800, dir=1),
            grid={"type": 2, "size": 100},
        )
    )
    assert notes(imported) == {"limited-sight": 1, "sight-by-distance": 2, "one-way": 1, "hexagonal": 1}
    assert all(piece.stops_sight and piece.stops_movement for piece in imported.walls)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"width": None}, [("/width", "not-a-number")]),
        ({"height": 0}, [("/height", "number-out-of-bounds")]),
        ({"width": 200_000}, [("/width", "map-size")]),
        ({"grid": {}}, [("/grid/size", "not-a-number")]),
        ({"grid": {"size": 0}}, [("/grid/size", "number-out-of-bounds")]),
        ({"padding": 2}, [("/padding", "number-out-of-bounds")]),
        ({"background": {"offsetX": "a"}}, [("/background/offsetX", "not-a-number")]),
        ({"walls": 3}, [("/walls", "not-a-list")]),
        (
            {"walls": [3, {}, {"c": [1, 2, 3]}]},
            [("/walls/0", "not-an-object"), ("/walls/1/c", "ends"), ("/walls/2/c", "ends")],
        ),
        ({"walls": [{"c": [1, 2, 3, "4"]}]}, [("/walls/0/c/3", "not-a-number")]),
        ({"walls": [wall(1, 2, 3, 4, door=None)]}, [("/walls/0/door", "not-a-whole-number")]),
        (
            {"width": "a", "walls": [{**wall(1, 2, 3, 4), "sight": 1.5}]},
            [("/width", "not-a-number"), ("/walls/0/sight", "not-a-whole-number")],
        ),
    ],
)
def test_every_fault_is_told_at_its_place(change: dict[str, Any], found: list[tuple[str, str]]) -> None:
    with pytest.raises(Faults) as caught:
        read(scene(**change))
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == found


# The scene begins at (300, 200) on its canvas. By hand: what ends on the edge or runs along it lies inside, what goes
# on beyond it is cut, and what lies beyond is left out.
@pytest.mark.parametrize(
    ("line", "warned"),
    [
        ([(0, 0), (8, 8)], {}),
        ([(0, 1), (0, 4)], {}),
        ([(8, 3), (10, 3)], {}),
        ([(8, 3), (12, 3)], {"cut": 1}),
        ([(-3, -2), (5, 5)], {"cut": 1}),
        ([(-3, 2), (-1, 2)], {"outside": 1}),
    ],
)
def test_at_the_edge_of_the_map_both_formats_are_cut_and_warned_of_alike(
    line: list[tuple[float, float]], warned: dict[str, int]
) -> None:
    (x, y), (to_x, to_y) = line
    drawn = read(scene(wall(300 + 100 * x, 200 + 100 * y, 300 + 100 * to_x, 200 + 100 * to_y)))
    assert notes(drawn) == warned
    assert drawn == read(uvtt(line))
