"""Moves and routes over tiles against a search through all steps, and by hand."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.tile.grid import Grid, Tile
from arbiter.geometry.tile.paths import reach, routes
from tests.arbiter.geometry.tile import oracle
from tests.arbiter.geometry.tile.boards import grids, rectangle, some_tiles

ROW = [(x, 0) for x in range(6)]
costs_of = st.dictionaries(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), st.integers(1, 3), max_size=10)


@given(grids, some_tiles, st.data())
def test_reach_is_what_going_through_all_steps_finds(grid: Grid, tiles: set[Tile], data: st.DataObject) -> None:
    some = st.frozensets(st.sampled_from(sorted(tiles)), max_size=6)
    start = data.draw(st.sampled_from(sorted(tiles)))
    points, costs, blocked, no_stop, squeezing = data.draw(
        st.tuples(st.integers(0, 6), costs_of, some, some, st.booleans())
    )
    found = reach(grid, tiles, start, points, costs=costs, blocked=blocked, no_stop=no_stop, corner_cutting=squeezing)
    steps = set(oracle.steps(grid.value, tiles, blocked, squeezing))
    edges = [(a, b) for a, b in steps if b not in blocked]
    every = oracle.cheapest(edges, {start: 0}, costs)
    ends = {tile: cost for tile, cost in every.items() if cost <= points and tile not in no_stop - {start}}
    assert dict(found) == found.costs == ends
    assert len(found) == len(ends)
    assert list(found.values()) == sorted(found.values())
    for to, cost in found.items():
        path = found.path(to)
        assert (path[0], path[-1]) == (start, to)
        assert sum(costs.get(tile, 1) for tile in path[1:]) == cost
        assert set(pairwise(path)) <= set(edges)


@given(grids, some_tiles, st.data())
def test_of_equal_ways_the_one_found_first_is_kept_by_cost_and_then_by_direction(
    grid: Grid, tiles: set[Tile], data: st.DataObject
) -> None:
    blocked = data.draw(st.frozensets(st.sampled_from(sorted(tiles)), max_size=6))
    start = data.draw(st.sampled_from(sorted(tiles - blocked) or sorted(tiles)))
    points, costs, squeezing = data.draw(st.tuples(st.integers(0, 6), costs_of, st.booleans()))
    found = reach(grid, tiles, start, points, costs=costs, blocked=blocked, corner_cutting=squeezing)
    steps = set(oracle.steps(grid.value, tiles, blocked, squeezing))
    order = list(found)
    came = {to: next(tile for tile in order if (tile, to) in steps) for to in order if to != start}
    assert all(found.path(to)[-2] == before for to, before in came.items())
    ranks = [(found[to], order.index(before), grid.direction(before, to)) for to, before in came.items()]
    assert ranks == sorted(ranks)


@given(grids, some_tiles, st.data())
def test_routes_are_what_going_through_all_steps_backwards_finds(
    grid: Grid, tiles: set[Tile], data: st.DataObject
) -> None:
    some = st.frozensets(st.sampled_from(sorted(tiles)), max_size=6)
    targets, costs, blocked, squeezing = data.draw(st.tuples(some, costs_of, some, st.booleans()))
    found = routes(grid, tiles, targets, costs=costs, blocked=blocked, corner_cutting=squeezing)
    steps = set(oracle.steps(grid.value, tiles, blocked, squeezing))
    edges = [(a, b) for a, b in steps if b not in blocked or b in targets]
    # A target that is blocked can be entered, but not gone through.
    to_blocked = [
        oracle.cheapest(
            [(a, b) for a, b in edges if b not in blocked or b == target], {target: 0}, costs, backwards=True
        )
        for target in targets
    ]
    expected: dict[Tile, int] = {}
    for each in to_blocked:
        for tile, cost in each.items():
            expected[tile] = min(cost, expected.get(tile, cost))
    assert found == expected
    assert list(found.values()) == sorted(found.values())


def test_squeezing_between_two_blockers() -> None:
    board = rectangle(Grid.SQUARE_8, 3, 3)
    between = [(1, 0), (0, 1)]
    assert routes(Grid.SQUARE_8, board, [(1, 1)], blocked=between)[0, 0] == 1
    assert (0, 0) not in routes(Grid.SQUARE_8, board, [(1, 1)], blocked=between, corner_cutting=False)
    assert routes(Grid.SQUARE_8, board, [(1, 1)], blocked=between[:1], corner_cutting=False)[0, 0] == 1
    # Two tiles that are not there are as good as two blocked ones.
    corner = [(0, 0), (1, 1)]
    assert dict(reach(Grid.SQUARE_8, corner, (0, 0), 3)) == {(0, 0): 0, (1, 1): 1}
    assert dict(reach(Grid.SQUARE_8, corner, (0, 0), 3, corner_cutting=False)) == {(0, 0): 0}
    # Hexes have no steps across corners: no step is beside two tiles that it squeezes between.
    assert reach(Grid.HEX, [(0, 0), (1, -1)], (0, 0), 1, corner_cutting=False)[1, -1] == 1


def test_equal_ways_are_told_apart_by_the_order_of_the_directions() -> None:
    board = rectangle(Grid.SQUARE_4, 3, 3)
    assert reach(Grid.SQUARE_4, board, (1, 1), 2).path((2, 0)) == ((1, 1), (2, 1), (2, 0))
    assert list(reach(Grid.SQUARE_4, board, (1, 1), 1)) == [(1, 1), (2, 1), (1, 0), (0, 1), (1, 2)]


def test_difficult_tiles_cost_what_they_say() -> None:
    found = reach(Grid.HEX, ROW, (0, 0), 4, costs={(1, 0): 2, (0, 0): 9})
    assert found.costs == {(0, 0): 0, (1, 0): 2, (2, 0): 3, (3, 0): 4}
    assert routes(Grid.HEX, ROW, [(0, 0)], costs={(1, 0): 2})[2, 0] == 3


def test_one_passes_where_one_may_not_stop_and_ends_there_only_by_staying() -> None:
    found = reach(Grid.SQUARE_4, ROW, (1, 0), 2, blocked=[(1, 0)], no_stop=[(1, 0), (2, 0), (9, 9)])
    assert found.costs == {(1, 0): 0, (0, 0): 1, (3, 0): 2}
    assert found.path((3, 0)) == ((1, 0), (2, 0), (3, 0))
    assert found.path((1, 0)) == ((1, 0),)
    for nowhere in ((2, 0), (4, 0), (9, 9)):
        with pytest.raises(KeyError):
            found.path(nowhere)


def test_routes_start_in_blocked_tiles_and_lead_into_blocked_targets() -> None:
    assert routes(Grid.SQUARE_4, ROW, [(0, 0)], blocked=[(0, 0), (3, 0)]) == {
        (0, 0): 0,
        (1, 0): 1,
        (2, 0): 2,
        (3, 0): 3,
    }
    assert routes(Grid.SQUARE_4, ROW, [(0, 0)], blocked=[(2, 0)]) == {(0, 0): 0, (1, 0): 1, (2, 0): 2}


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\(0, 1\) is not on the board"):
        reach(Grid.HEX, ROW, (0, 1), 1)
    with pytest.raises(ValueError, match=r"\(0, 1\) is not on the board"):
        routes(Grid.HEX, ROW, [(0, 0), (0, 1)])
    with pytest.raises(ValueError, match="points -1"):
        reach(Grid.HEX, ROW, (0, 0), -1)
    with pytest.raises(ValueError, match=r"\(1, 0\) costs 0: the least is 1"):
        reach(Grid.HEX, ROW, (0, 0), 1, costs={(1, 0): 0})
