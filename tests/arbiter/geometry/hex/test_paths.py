"""Moves and routes against a search that tries every way, and by hand."""

from collections.abc import Collection, Mapping
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.hex.board import HexBoard
from arbiter.geometry.hex.coordinates import from_offset, within
from arbiter.geometry.hex.paths import beside, reach, routes
from tests.arbiter.geometry.hex import oracle
from tests.arbiter.geometry.hex.boards import Given, Hex, boards

ROW = [(q, 0) for q in range(8)]
DISC = within((0, 0), 3)


def steps_from(given: Given, a: Hex, shut: Collection[Hex]) -> list[Hex]:
    walls = {frozenset(wall) for wall in given.walls}
    return [
        b
        for b in oracle.around(a)
        if b in given.hexes and b not in given.obstructions and b not in shut and frozenset((a, b)) not in walls
    ]


def every_way(
    given: Given, start: Hex, steps: int, shut: Collection[Hex], halting: Collection[Hex], costs: Mapping[Hex, int]
) -> dict[Hex, int]:
    """Walk every way there is, hex by hex, and keep the least that each hex cost."""
    found = {start: 0}

    def walk(a: Hex, spent: int) -> None:
        for b in steps_from(given, a, shut):
            total = spent + costs.get(b, 1)
            if total <= steps:
                found[b] = min(found.get(b, total), total)
                if b not in halting:
                    walk(b, total)

    if start not in given.obstructions:
        walk(start, 0)
    return found


@given(boards(), st.data())
def test_reach_is_what_walking_every_way_finds(given: Given, data: st.DataObject) -> None:
    hexes = st.sampled_from(sorted(given.hexes))
    some = st.frozensets(hexes, max_size=3)
    start, enemies, blocked, full = data.draw(st.tuples(hexes, some, some, some))
    halting = data.draw(st.none() | some)
    costs = data.draw(st.dictionaries(hexes, st.integers(1, 3), max_size=4))
    steps = data.draw(st.integers(0, 5))
    found = reach(
        given.board(), start, steps, enemies=enemies, halting=halting, blocked=blocked, full=full, costs=costs
    )
    halts = {b for a in enemies for b in oracle.around(a)} if halting is None else halting
    shut = (enemies | blocked) - {start}
    expected = every_way(given, start, steps, shut, halts, costs)
    assert dict(found) == found.costs == {a: cost for a, cost in expected.items() if a not in full or a == start}
    for to, cost in found.items():
        path = found.path(to)
        assert (path[0], path[-1]) == (start, to)
        assert sum(costs.get(a, 1) for a in path[1:]) == cost
        assert all(b in steps_from(given, a, shut) for a, b in pairwise(path))
        assert not any(a in halts for a in path[1:-1])


@given(boards(), st.data())
def test_routes_are_what_stepping_outwards_finds(given: Given, data: st.DataObject) -> None:
    hexes = st.sampled_from(sorted(given.hexes))
    targets, blocked = data.draw(st.tuples(st.frozensets(hexes, max_size=3), st.frozensets(hexes, max_size=3)))
    board = given.board()
    expected: dict[Hex, int] = {}
    frontier = set(targets - given.obstructions)
    steps = 0
    while frontier:
        expected.update(dict.fromkeys(frontier, steps))
        steps += 1
        entered = {a for a in frontier if a not in blocked or a in targets}
        frontier = {b for a in entered for b in steps_from(given, a, ())} - expected.keys()
    found = routes(board, targets, blocked=blocked)
    assert found == expected


def test_entering_a_hex_next_to_an_enemy_halts_and_leaving_one_does_not() -> None:
    board = HexBoard(ROW)
    assert dict(reach(board, (0, 0), 6, enemies=[(5, 0)])) == {(q, 0): q for q in range(5)}
    assert dict(reach(board, (4, 0), 6, enemies=[(5, 0)])) == {(q, 0): 4 - q for q in range(5)}
    between = HexBoard(DISC)
    beside_both = reach(between, (1, 0), 1, enemies=[(2, 0)])  # from one hex next to the enemy to another
    assert beside_both[2, -1] == 1
    assert (3, -1) not in reach(between, (1, 0), 2, enemies=[(2, 0)])


def test_the_caller_decides_whether_a_wall_breaks_adjacency() -> None:
    board = HexBoard(ROW, walls=[((3, 0), (4, 0))])
    assert beside(board, [(4, 0)]) == {(3, 0), (5, 0)}
    assert beside(board, [(4, 0)], through_walls=False) == {(5, 0)}
    wide = HexBoard(DISC, walls=[((0, 0), (1, 0))])
    start, through, to, enemies, blocked = (-1, 0), (0, 0), (0, 1), [(1, 0)], [(-1, 1)]
    assert to not in reach(wide, start, 2, enemies=enemies, blocked=blocked)
    sighted = beside(wide, enemies, through_walls=False)
    found = reach(wide, start, 2, enemies=enemies, blocked=blocked, halting=sighted)
    assert found.path(to) == (start, through, to)


def test_full_hexes_are_passed_through_and_enemies_are_not() -> None:
    board = HexBoard(ROW)
    assert dict(reach(board, (0, 0), 3, full=[(1, 0), (2, 0)])) == {(0, 0): 0, (3, 0): 3}
    assert dict(reach(board, (0, 0), 3, enemies=[(1, 0)])) == {(0, 0): 0}
    assert dict(reach(board, (0, 0), 3, blocked=[(2, 0)])) == {(0, 0): 0, (1, 0): 1}
    assert dict(reach(board, (0, 0), 3, full=[(0, 0)], blocked=[(0, 0)])) == {(q, 0): q for q in range(4)}


def test_walls_and_obstructions_stop_a_move_and_edges_and_cover_do_not() -> None:
    inner = [((2, 0), (3, 0))]
    assert dict(reach(HexBoard(ROW, edges=inner, cover=inner), (0, 0), 4)) == {(q, 0): q for q in range(5)}
    assert dict(reach(HexBoard(ROW, walls=inner), (0, 0), 4)) == {(q, 0): q for q in range(3)}
    assert dict(reach(HexBoard(ROW, obstructions=[(3, 0)]), (0, 0), 4)) == {(q, 0): q for q in range(3)}
    open_rim = HexBoard(ROW, edges=())
    assert dict(reach(open_rim, (0, 0), 1)) == {(0, 0): 0, (1, 0): 1}


def test_a_dear_hex_is_gone_round_if_that_is_cheaper() -> None:
    board = HexBoard(DISC)
    dear = {(1, 0): 3}
    assert reach(board, (0, 0), 2, costs=dear).path((2, -1)) == ((0, 0), (1, -1), (2, -1))
    found = reach(board, (0, 0), 3, costs=dear)
    assert (found[1, 0], found[2, 0]) == (3, 3)
    assert found.path((2, 0)) in (((0, 0), (1, -1), (2, -1), (2, 0)), ((0, 0), (0, 1), (1, 1), (2, 0)))
    assert (1, 0) not in reach(board, (0, 0), 2, costs=dear)
    assert reach(HexBoard(ROW), (0, 0), 10**12, costs={(1, 0): 4})[7, 0] == 10  # ends when nothing new is left
    assert dict(reach(HexBoard(ROW), (0, 0), 5, costs={(1, 0): 4})) == {(0, 0): 0, (1, 0): 4, (2, 0): 5}


def test_no_path_leads_where_the_mover_may_not_end() -> None:
    found = reach(HexBoard(ROW), (0, 0), 3, full=[(2, 0)])
    assert found.path((0, 0)) == ((0, 0),)
    for to in ((2, 0), (4, 0), (9, 9)):
        with pytest.raises(KeyError):
            found.path(to)


def test_the_same_question_gets_the_same_path() -> None:
    board = HexBoard(within((0, 0), 6))
    random = Random(3)
    enemies = random.sample(within((0, 0), 6)[:60], 5)
    paths = [{a: found.path(a) for a in found} for found in (reach(board, (2, 3), 6, enemies=enemies),) * 2]
    again = reach(HexBoard(reversed(within((0, 0), 6))), (2, 3), 6, enemies=enemies[::-1])
    assert paths[0] == paths[1] == {a: again.path(a) for a in again}


def test_a_long_way_round_is_counted_to_its_end() -> None:
    # Two rows with a wall between them but for the last column: there and back along 150 columns.
    columns = 150
    top, bottom = ([from_offset(c, r, "odd-r") for c in range(columns)] for r in (0, 1))
    walls = [(a, b) for a in top for b in bottom if b in oracle.around(a) and a != top[-1] and b != bottom[-1]]
    board = HexBoard([*top, *bottom], walls=walls)
    found = routes(board, [top[0]])
    assert found[top[-1]] == columns - 1
    assert found[bottom[0]] == 2 * columns - 2
    assert len(found) == 2 * columns
    moved = reach(board, top[0], 1000)
    assert dict(moved) == found
    assert len(moved.path(bottom[0])) == 2 * columns - 1


def test_blocked_hexes_are_left_but_not_entered() -> None:
    board = HexBoard(ROW)
    assert routes(board, [(0, 0)], blocked=[(2, 0)]) == {(0, 0): 0, (1, 0): 1, (2, 0): 2}
    assert routes(board, [(2, 0)], blocked=[(2, 0)]) == {(q, 0): abs(q - 2) for q in range(8)}
    assert routes(HexBoard(ROW, obstructions=[(0, 0)]), [(0, 0)]) == {}


def test_what_cannot_be_asked_is_named() -> None:
    board = HexBoard(ROW)
    with pytest.raises(ValueError, match=r"\(9, 9\) is not on the board"):
        reach(board, (9, 9), 1)
    with pytest.raises(ValueError, match="steps -1"):
        reach(board, (0, 0), -1)
    with pytest.raises(ValueError, match=r"entering hex \(1, 0\) costs 0"):
        reach(board, (0, 0), 1, costs={(1, 0): 0})
    with pytest.raises(ValueError, match=r"\(9, 9\) is not on the board"):
        routes(board, [(0, 0), (9, 9)])
