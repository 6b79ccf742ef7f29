"""Sight over tiles: every verdict against fractions, the three ways to one verdict, and hand-made cases."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.tile import shadows
from arbiter.geometry.tile.board import NEEDED, Entered, Grazed, TileBoard
from arbiter.geometry.tile.grid import Grid, Tile
from tests.arbiter.geometry.tile import oracle
from tests.arbiter.geometry.tile.boards import grids, random_board, rectangle, some_tiles

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
SQUARES = TileBoard(Grid.SQUARE_8, rectangle(Grid.SQUARE_8, 8, 8))
HEXES = TileBoard(Grid.HEX, product(range(8), repeat=2))


@given(grids, some_tiles, st.data())
def test_sight_is_what_fractions_say(grid: Grid, tiles: set[Tile], data: st.DataObject) -> None:
    board = TileBoard(grid, tiles)
    blockers = data.draw(st.sets(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), max_size=12))
    a = data.draw(st.sampled_from(sorted(tiles)))
    for grazes in NEEDED:
        seen = {b for b in tiles if not oracle.stopped(grid.value, a, b, blockers, grazes)}
        assert board.visible_from(a, blockers, grazes) == seen
        assert {b for b in tiles if board.sees(a, b, blockers, grazes)} == seen


@pytest.mark.parametrize("grid", Grid)
def test_larger_boards_agree_with_fractions(grid: Grid) -> None:
    random = Random(3)
    for _ in range(4):
        board, blockers = random_board(random, grid, 13)
        a = random.choice(sorted(board.tiles))
        for grazes in NEEDED:
            expected = {b for b in board.tiles if not oracle.stopped(grid.value, a, b, blockers, grazes)}
            assert board.visible_from(a, blockers, grazes) == expected


@pytest.mark.parametrize("grid", Grid)
def test_a_view_a_line_and_a_witness_agree_and_sight_is_mutual(grid: Grid) -> None:
    random = Random(8)
    for _ in range(6):
        board, blockers = random_board(random, grid, 8)
        for grazes in NEEDED:
            views = {a: board.visible_from(a, blockers, grazes) for a in board.tiles}
            for a, b in product(board.tiles, repeat=2):
                seen = b in views[a]
                assert seen == (a in views[b]) == board.sees(a, b, blockers, grazes)
                assert seen == board.witness(a, b, frozenset(blockers), grazes).clear


@given(grids, some_tiles, st.data())
def test_more_blockers_and_stricter_readings_never_show_more(grid: Grid, tiles: set[Tile], data: st.DataObject) -> None:
    board = TileBoard(grid, tiles)
    fewer, more = data.draw(st.tuples(some_tiles, some_tiles))
    a = data.draw(st.sampled_from(sorted(tiles)))
    for grazes in NEEDED:
        assert board.visible_from(a, fewer | more, grazes) <= board.visible_from(a, fewer, grazes)
        assert a in board.visible_from(a, tiles, grazes)
        assert board.visible_from(a, (), grazes) == tiles
    either, both, never = (board.visible_from(a, fewer, grazes) for grazes in ("either", "both", "never"))
    assert either <= both <= never


@pytest.mark.parametrize(
    ("board", "a", "b", "blockers", "verdicts"),
    [
        # Straight on, with the blocker in between; and the end tiles themselves, which never block.
        (SQUARES, (0, 0), (3, 0), [(1, 0)], (False, False, False)),
        (SQUARES, (0, 0), (3, 0), [(0, 0), (3, 0), (0, 1), (4, 0)], (True, True, True)),
        (SQUARES, (2, 2), (2, 2), [(2, 2)], (True, True, True)),
        # Through the corner between neighbours across it.
        (SQUARES, (0, 0), (1, 1), [(1, 0)], (True, False, True)),
        (SQUARES, (0, 0), (1, 1), [(1, 0), (0, 1)], (False, False, True)),
        # Past one blocker on the left, and past another on the right further on: no spot is closed.
        (SQUARES, (0, 0), (2, 2), [(1, 0), (1, 2)], (True, False, True)),
        # A pair of blockers that closes the second corner.
        (SQUARES, (0, 0), (2, 2), [(2, 1), (1, 2)], (False, False, True)),
        (SQUARES, (0, 4), (3, 5), [(2, 4), (1, 5)], (False, False, True)),
        (SQUARES, (0, 4), (3, 5), [(2, 4)], (True, False, True)),
        # Two blockers across a corner that the line does not go through.
        (SQUARES, (0, 0), (1, 2), [(1, 0), (0, 2)], (True, True, True)),
        # Along the side between two hexes.
        (HEXES, (0, 0), (1, 1), [(1, 0)], (True, False, True)),
        (HEXES, (0, 0), (1, 1), [(1, 0), (0, 1)], (False, False, True)),
        (HEXES, (0, 0), (2, 2), [(1, 0), (1, 2)], (True, False, True)),
        (HEXES, (0, 0), (2, 2), [(2, 1), (1, 2)], (False, False, True)),
        (HEXES, (0, 0), (2, 2), [(1, 1)], (False, False, False)),
        # Through corners of hexes: (1, 1) and (3, 0) are grazed alone, and a graze of (1, 1) has no other hand.
        (HEXES, (0, 0), (4, 1), [(1, 1), (3, 0)], (True, False, True)),
        (HEXES, (0, 0), (4, 1), [(1, 1), (2, 1)], (False, False, False)),
        # Along a row of hexes, with blockers on both hands all the way.
        (HEXES, (0, 1), (4, 1), [(q, r) for q in range(6) for r in (0, 2)], (True, True, True)),
    ],
)
def test_sight_by_hand(
    board: TileBoard, a: Tile, b: Tile, blockers: list[Tile], verdicts: tuple[bool, bool, bool]
) -> None:
    for grazes, seen in zip(("both", "either", "never"), verdicts, strict=True):
        assert board.sees(a, b, blockers, grazes) == board.sees(b, a, blockers, grazes) == seen
        assert (b in board.visible_from(a, blockers, grazes)) == seen
        witness = board.witness(a, b, blockers, grazes)
        assert (witness.clear, witness.hangs_on_grazes) == (seen, len(set(verdicts)) > 1)


def test_neighbours_see_each_other_across_sides_whatever_blocks() -> None:
    for board, sides in ((SQUARES, "square-4"), (HEXES, "hex")):
        across = set(oracle.around(sides, (3, 3)))
        assert board.visible_from((3, 3), board.tiles, "either") == across | {(3, 3)}


def test_blockers_off_the_board_block_a_line_that_passes_them() -> None:
    board = TileBoard(Grid.SQUARE_4, [(0, 0), (2, 0), (0, 1), (1, 1), (2, 1)])
    assert not board.sees((0, 0), (2, 0), [(1, 0)])
    assert board.visible_from((0, 0), [(1, 0), (1, -1), (99, 99)]) == board.tiles - {(2, 0), (2, 1)}


def test_a_witness_shows_where() -> None:
    witness = SQUARES.witness((0, 0), (4, 2), [(1, 0), (2, 1), (4, 2), (7, 7)])
    assert witness.entered == (
        Entered((1, 0), ((HALF, HALF / 2), (Fraction(1), HALF))),
        Entered((2, 1), ((3 * HALF, 3 * HALF / 2), (5 * HALF, 5 * HALF / 2))),
    )
    assert (witness.start, witness.end, witness.grazed) == ((0, 0), (4, 2), ())
    assert not witness.clear
    assert not witness.hangs_on_grazes
    grazing = SQUARES.witness((1, 1), (3, 3), [(2, 1), (3, 2), (2, 3)])
    assert grazing.grazed == (
        Grazed(((2, 1),), ((3 * HALF, 3 * HALF),), False),
        Grazed(grazing.grazed[1].blockers, ((5 * HALF, 5 * HALF),), True),
    )
    assert set(grazing.grazed[1].blockers) == {(3, 2), (2, 3)}
    run = HEXES.witness((1, 1), (2, 2), [(2, 1)], "either")
    assert run.grazed == (Grazed(((2, 1),), ((4 * THIRD, 4 * THIRD), (5 * THIRD, 5 * THIRD)), True),)
    assert run.hangs_on_grazes


@given(grids, st.tuples(st.integers(-9, 9), st.integers(-9, 9)))
def test_the_stretches_of_a_witness_are_those_that_fractions_find(grid: Grid, b: Tile) -> None:
    entered = grid.contacts(b).entered
    board = TileBoard(grid, {(0, 0), b})
    for found in board.witness((0, 0), b, entered).entered:
        shared = oracle.shared(grid.value, (0, 0), b, found.tile)
        assert shared is not None
        assert found.where == tuple((share * b[0], share * b[1]) for share in shared[:2])


def test_boards_are_equal_by_content_and_do_not_change() -> None:
    tiles = [(0, 0), (1, 0), (1, 1)]
    board, same = TileBoard(Grid.SQUARE_4, tiles), TileBoard(Grid.SQUARE_4, reversed(tiles))
    others = (TileBoard(Grid.SQUARE_8, tiles), TileBoard(Grid.SQUARE_4, tiles[1:]))
    assert board == same
    assert hash(board) == hash(same)
    assert len({board, same, *others}) == 3
    assert board != "a board"
    assert repr(board) == "<TileBoard of 3 tiles on a grid of square-4>"
    with pytest.raises(AttributeError, match="does not change"):
        board.grid = Grid.HEX


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one tile"):
        TileBoard(Grid.HEX, [])
    with pytest.raises(ValueError, match="spans 201 tiles; the most is 200"):
        TileBoard(Grid.HEX, [(0, 0), (0, 200)])
    for asked in (
        lambda: SQUARES.sees((0, 0), (8, 0), ()),
        lambda: SQUARES.visible_from((8, 0), ()),
        lambda: SQUARES.witness((8, 0), (0, 0), ()),
    ):
        with pytest.raises(ValueError, match=r"\(8, 0\) is not on the board"):
            asked()
    with pytest.raises(ValueError, match="send both, either or never"):
        SQUARES.sees((0, 0), (1, 0), (), "touch")


def test_views_stay_right_when_shadows_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shadows, "BYTES_KEPT", 400)
    shadows.shadows.cache_clear()
    board, blockers = random_board(Random(5), Grid.HEX, 8)
    for a in board.tiles:
        assert board.visible_from(a, blockers) == {b for b in board.tiles if board.sees(a, b, blockers)}
    shadows.shadows.cache_clear()
