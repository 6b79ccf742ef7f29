"""The ground in the board's own coordinates: neighbours, distances, facings, lines and ways, on every grid."""

from collections import deque
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.tile.board import Grazes
from services.warleague.ground import GRIDS, Ground, Prices
from services.warleague.scene import Board, Scheme, Shape, Tile

ROUGH = ((3, 1), (3, 2))

BOARDS = [
    Board(grid="hex", coordinates=scheme, columns=6, rows=5, missing=((2, 2),), difficult=ROUGH)
    for scheme in get_args(Scheme)
] + [Board(grid=grid, columns=6, rows=5, missing=((2, 2),), difficult=ROUGH) for grid in ("square-4", "square-8")]

EVERY = pytest.mark.parametrize("board", BOARDS, ids=lambda board: f"{board.grid}-{board.coordinates}")


def ground(grid: Shape = "hex", **rest: Any) -> Ground:
    return Ground.of(Board(grid=grid, **rest))


def test_boards_of_the_same_content_share_their_ground() -> None:
    assert ground(columns=4) is ground(columns=4)
    assert ground(columns=4) is not ground(columns=5)


@EVERY
def test_tiles_are_all_but_the_missing_ones_by_row_and_column(board: Board) -> None:
    tiles = Ground.of(board).in_order
    assert len(tiles) == 29
    assert (tiles[:2], tiles[-1]) == (((0, 0), (1, 0)), (5, 4))
    assert (2, 2) not in tiles


@EVERY
def test_steps_and_directions_belong_to_each_other(board: Board) -> None:
    on = Ground.of(board)
    for tile in on.in_order:
        steps = [on.step(tile, direction) for direction in range(len(on.directions))]
        assert tuple(step for step in steps if step is not None) == on.neighbours(tile)
        for direction, step in enumerate(steps):
            if step is not None:
                assert (on.direction(tile, step), on.towards(tile, step)) == (direction, (direction,))
                assert (on.distance(tile, step), on.adjacent(tile, step)) == (1, True)


@EVERY
def test_the_first_direction_is_east_and_the_order_counter_clockwise(board: Board) -> None:
    on = Ground.of(board)
    names = {"square-4": ("E", "N", "W", "S"), "square-8": ("E", "NE", "N", "NW", "W", "SW", "S", "SE")}
    flat = board.coordinates in ("odd-q", "even-q")
    hexes = ("SE", "NE", "N", "NW", "SW", "S") if flat else ("E", "NE", "NW", "W", "SW", "SE")
    assert on.directions == names.get(board.grid, hexes)


def test_neighbours_by_hand() -> None:
    # In odd-r the odd rows are half a hex further east.
    assert ground().neighbours((3, 3)) == ((4, 3), (4, 2), (3, 2), (2, 3), (3, 4), (4, 4))
    assert ground().neighbours((3, 4)) == ((4, 4), (3, 3), (2, 3), (2, 4), (2, 5), (3, 5))
    assert ground(coordinates="even-r").neighbours((3, 3)) == ((4, 3), (3, 2), (2, 2), (2, 3), (2, 4), (3, 4))
    # In odd-q the odd columns are half a hex further south.
    assert set(ground(coordinates="odd-q").neighbours((3, 3))) == {(3, 2), (3, 4), (2, 3), (4, 3), (2, 4), (4, 4)}
    assert ground("square-4").neighbours((3, 3)) == ((4, 3), (3, 2), (2, 3), (3, 4))
    assert len(ground("square-8").neighbours((3, 3))) == 8
    assert ground("square-8").neighbours((0, 0)) == ((1, 0), (0, 1), (1, 1))


@EVERY
def test_distances_are_steps_on_the_whole_grid(board: Board) -> None:
    whole = Ground.of(Board(grid=board.grid, coordinates=board.coordinates, columns=6, rows=5))
    for start in whole.in_order[::7]:
        steps: dict[Tile, int] = {start: 0}
        waiting = deque([start])
        while waiting:
            here = waiting.popleft()
            for near in whole.neighbours(here):
                if near not in steps:
                    steps[near] = steps[here] + 1
                    waiting.append(near)
        assert {tile: whole.distance(start, tile) for tile in whole.in_order} == steps


def test_a_missing_tile_makes_nothing_further_away() -> None:
    board = ground("square-4", columns=3, rows=2, missing=((1, 0),))
    assert board.distance((0, 0), (2, 0)) == 2


def test_diagonals_count_as_one_where_that_is_asked_on_squares_with_four_neighbours() -> None:
    assert [ground("square-4").distance((1, 1), (4, 3), metric) for metric in ("steps", "diagonals")] == [5, 3]
    assert len(ground("square-4").within((3, 3), 1, "steps")) == 5
    assert len(ground("square-4").within((3, 3), 1, "diagonals")) == 9
    for grid in ("hex", "square-8"):
        on = ground(grid)
        assert on.distance((1, 1), (4, 3), "diagonals") == on.distance((1, 1), (4, 3), "steps")


@EVERY
@given(data=st.data())
def test_what_is_within_a_distance_is_all_of_it_the_nearest_first(board: Board, data: st.DataObject) -> None:
    on = Ground.of(board)
    centre = data.draw(st.sampled_from(on.in_order))
    tiles = data.draw(st.integers(0, 100))
    found = on.within(centre, tiles, "steps")
    assert on.area(centre, tiles, "steps") == set(found)
    assert set(found) == {tile for tile in on.in_order if on.distance(centre, tile) <= tiles}
    assert list(found) == sorted(found, key=lambda tile: (on.distance(centre, tile), tile[1], tile[0]))


# Facing


def test_behind_by_hand() -> None:
    # Who faces east has its back to the west: on hexes one neighbour in the rear sector, three in the rear half.
    hexes = ground()
    around = hexes.neighbours((3, 3))
    behind = {
        how: [i for i, tile in enumerate(around) if hexes.behind((3, 3), 0, tile, how)]
        for how in ("edge", "three", "half")
    }
    assert behind == {"edge": [3], "three": [2, 3, 4], "half": [2, 3, 4]}
    square = ground("square-4")
    assert [i for i, tile in enumerate(square.neighbours((3, 3))) if square.behind((3, 3), 0, tile, "half")] == [2]
    eight = ground("square-8")
    assert [i for i, tile in enumerate(eight.neighbours((3, 3))) if eight.behind((3, 3), 0, tile, "half")] == [3, 4, 5]
    assert [i for i, tile in enumerate(eight.neighbours((3, 3))) if eight.behind((3, 3), 2, tile, "edge")] == [6]


def test_between_two_directions_both_lead_there() -> None:
    # Two rows straight north of a hex lies halfway between its north-east and its north-west.
    assert ground().towards((3, 3), (3, 1)) == (1, 2)
    assert ground("square-4").towards((3, 3), (5, 1)) == (0, 1)
    assert ground().towards((3, 3), (3, 3)) == ()


# Lines


def test_what_a_line_meets_is_named_in_order() -> None:
    on = ground()
    met = on.contacts((0, 2), (4, 2), frozenset([(3, 2), (1, 2), (0, 0)]), "both")
    assert [(one.tiles, one.how, one.blocks) for one in met] == [
        (((1, 2),), "enters", True),
        (((3, 2),), "enters", True),
    ]
    assert not on.sees((0, 2), (4, 2), frozenset([(1, 2)]), "never")


def test_a_line_between_two_hexes_is_closed_by_both_and_by_one_as_it_is_read() -> None:
    # Straight north from (3, 3) to (3, 1) the line runs along the side between (3, 2) and (4, 2).
    on = ground()
    one, both = frozenset([(3, 2)]), frozenset([(3, 2), (4, 2)])
    assert [on.sees((3, 3), (3, 1), one, grazes) for grazes in ("both", "either", "never")] == [True, False, True]
    assert [on.sees((3, 3), (3, 1), both, grazes) for grazes in ("both", "either", "never")] == [False, False, True]
    (met,) = on.contacts((3, 3), (3, 1), both, "both")
    assert (set(met.tiles), met.how, met.blocks) == (set(both), "grazes", True)


@EVERY
@given(data=st.data())
def test_what_is_seen_from_a_tile_is_what_each_line_says(board: Board, data: st.DataObject) -> None:
    on = Ground.of(board)
    blockers = data.draw(st.frozensets(st.sampled_from(on.in_order), max_size=6))
    grazes: Grazes = data.draw(st.sampled_from(get_args(Grazes)))
    start = data.draw(st.sampled_from(on.in_order))
    shut = {on.inner(tile) for tile in blockers}
    seen = {tile for tile in on.in_order if on.board.sees(on.inner(start), on.inner(tile), shut, grazes)}
    assert {tile for tile in on.in_order if on.sees(start, tile, blockers, grazes)} == seen
    assert on.visible_from(start, blockers, grazes) == seen
    for tile in on.in_order:
        blocks = [one for one in on.contacts(start, tile, blockers, grazes) if one.blocks]
        assert (tile in seen) == (not blocks)
        assert all(at in blockers - {start, tile} for one in blocks for at in one.tiles)


# Ways


@EVERY
def test_ways_go_step_by_step_and_cost_what_their_tiles_cost(board: Board) -> None:
    on = Ground.of(board)
    costs = dict.fromkeys(ROUGH, 3)
    blocked = frozenset({(1, 3)})
    found = on.reach((1, 1), 4, Prices(1, 3), blocked, frozenset({(2, 1)}), True)
    assert found[(1, 1)] == 0
    assert (2, 1) not in found
    assert not blocked & set(found)
    for to, cost in found.items():
        way = found.path(to)
        assert sum(costs.get(tile, 1) for tile in way) == cost <= 4
        assert all(on.adjacent(a, b) for a, b in zip(((1, 1), *way), way, strict=False))


@EVERY
def test_routes_agree_with_reach(board: Board) -> None:
    on = Ground.of(board)
    none = frozenset[Tile]()
    routes = on.routes(frozenset({(5, 4)}), Prices(2, 2), none, True)
    for tile in on.in_order:
        assert routes[tile] == on.reach(tile, 40, Prices(2, 2), none, none, True)[(5, 4)]


def test_corners_may_be_closed_on_squares_with_eight_neighbours() -> None:
    on = ground("square-8", columns=2, rows=2)
    shut = frozenset({(1, 0), (0, 1)})
    assert (1, 1) in on.reach((0, 0), 1, Prices(), shut, frozenset(), True)
    assert (1, 1) not in on.reach((0, 0), 1, Prices(), shut, frozenset(), False)


def test_every_grid_of_the_model_has_its_geometry() -> None:
    assert set(GRIDS) == set(get_args(Shape))
    assert [len(GRIDS[shape].directions) for shape in get_args(Shape)] == [6, 4, 8]
