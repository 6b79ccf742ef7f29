"""What a board takes, what it refuses, and what makes two boards equal."""

from collections.abc import Callable
from random import Random

import pytest

from arbiter.geometry.hex.board import HexBoard
from arbiter.geometry.hex.coordinates import Hex, distance, neighbours, rim, within
from tests.arbiter.geometry.hex import oracle
from tests.arbiter.geometry.hex.boards import random_board

DISC = within((0, 0), 2)


def test_hexsides_are_taken_from_either_side() -> None:
    board = HexBoard(DISC, walls=[((1, 0), (0, 0))], cover=[((2, 0), (3, 0)), ((3, 0), (2, 0))])
    assert board.walls == {((0, 0), (1, 0))}
    assert board.cover == {((2, 0), (3, 0))}


def test_edges_are_the_rim_unless_they_are_given() -> None:
    assert HexBoard(DISC).edges == rim(DISC) == oracle.rim(set(DISC))
    assert HexBoard(DISC, edges=()).edges == frozenset()
    assert HexBoard(DISC, edges=[((1, 0), (0, 0))]).edges == {((0, 0), (1, 0))}


def test_boards_are_equal_by_content() -> None:
    board = HexBoard(DISC, walls=[((0, 0), (1, 0))], obstructions=[(0, 1)])
    same = HexBoard(reversed(DISC), walls=[((1, 0), (0, 0))] * 2, obstructions=[(0, 1)], edges=rim(DISC))
    assert board == same
    assert hash(board) == hash(same)
    others = (
        HexBoard(DISC[1:], walls=[((0, 0), (1, 0))], obstructions=[(0, 1)]),
        HexBoard(DISC, obstructions=[(0, 1)]),
        HexBoard(DISC, walls=[((0, 0), (1, 0))]),
        HexBoard(DISC, walls=[((0, 0), (1, 0))], obstructions=[(0, 1)], edges=()),
        HexBoard(DISC, walls=[((0, 0), (1, 0))], obstructions=[(0, 1)], cover=[((0, 0), (1, 0))]),
    )
    assert all(board != other for other in others)
    assert board != "a board"
    assert len({board, same, *others}) == 6


def test_a_board_does_not_change() -> None:
    board = HexBoard(DISC)
    with pytest.raises(AttributeError, match="does not change"):
        board.walls = frozenset()
    assert board.walls == frozenset()


@pytest.mark.parametrize(
    "board",
    [
        lambda sides: HexBoard(DISC, walls=sides),
        lambda sides: HexBoard(DISC, cover=sides),
        lambda sides: HexBoard(DISC, edges=sides),
    ],
)
def test_hexsides_that_are_none_are_named(board: Callable[[list[tuple[Hex, Hex]]], HexBoard]) -> None:
    for apart in ((2, 0), (0, 0)):
        with pytest.raises(ValueError, match=r"\(0, 0\) - \(., 0\): these hexes share no hexside"):
            board([((0, 0), apart)])
    with pytest.raises(ValueError, match="neither hex is on the board"):
        board([((5, 0), (6, 0))])


def test_obstructions_off_the_board_and_empty_boards_are_refused() -> None:
    with pytest.raises(ValueError, match=r"obstruction \(5, 0\) is not on the board"):
        HexBoard(DISC, obstructions=[(0, 0), (5, 0)])
    with pytest.raises(ValueError, match="at least one hex"):
        HexBoard([])


def test_a_board_says_what_it_holds() -> None:
    board = HexBoard(DISC, walls=[((0, 0), (1, 0))], obstructions=[(0, 1)])
    assert repr(board) == "<HexBoard of 19 hexes, 1 walls, 0 cover hexsides, 1 obstructions>"


@pytest.mark.parametrize("seed", range(8))
def test_lines_that_touch_no_rim_go_over_hexes_of_the_board_by_a_shortest_way(seed: int) -> None:
    random = Random(seed)
    hexes = frozenset(random_board(random, random.randrange(2, 9), random.randrange(2, 9), "none").hexes)
    # Whatever else stands on the board, the rim is what it is.
    board = HexBoard(hexes, edges=(), obstructions=random.sample(sorted(hexes), len(hexes) // 5))
    some = random.sample(sorted(hexes), min(len(hexes), 9))
    for a in some:
        counted, edge = {a: 0}, [a]
        for hex_ in edge:
            fresh = [near for near in neighbours(hex_) if near in hexes and near not in counted]
            counted.update(dict.fromkeys(fresh, counted[hex_] + 1))
            edge.extend(fresh)
        for b in some:
            crosses = board.crosses_rim(a, b)
            assert crosses == oracle.stopped(a, b, rim(hexes), "touch")
            assert crosses or counted[b] == distance(a, b)
    with pytest.raises(ValueError, match=r"hex \(99, 0\) is not on the board"):
        board.crosses_rim(a, (99, 0))
