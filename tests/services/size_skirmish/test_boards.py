"""Boards from maps: what stops sight and movement, what is refused, and that a scene on one is sound."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.maps.importer import ImportedMap, ImportedWall, MapScale
from services.size_skirmish import checks
from services.size_skirmish.boards import Heights, board_of
from services.size_skirmish.scene import Board, Piece, Scene, Side
from tests.arbiter.mapping import Line, read, scene, uvtt, wall

WALL: Line = [(2, 3), (6, 3)]
TABLE: Line = [(7, 5), (8, 5), (8, 6), (7, 6)]


def test_walls_closed_doors_and_objects_become_pieces() -> None:
    map_ = read(uvtt(WALL, objects=(TABLE,), portals=(([(3, 6), (4, 6)], True), ([(5, 6), (6, 6)], False))))
    assert board_of(map_, Heights(walls=5.0, objects=2.5)) == Board(
        10,
        8,
        (
            Piece("wall-1", ((2, 3.05), (6, 3.05), (6, 2.95), (2, 2.95)), height=5.0),
            Piece("door-1", ((2.95, 6.05), (4.05, 6.05), (4.05, 5.95), (2.95, 5.95)), height=5.0),
            Piece("object-1", ((7, 5), (8, 5), (8, 6), (7, 6)), height=2.5, climbable=True),
        ),
    )


@pytest.mark.parametrize(
    ("sight", "move", "expected"), [(20, 20, (True, True)), (0, 20, (False, True)), (20, 0, (True, False))]
)
def test_a_wall_stops_what_it_stopped_on_the_map(sight: int, move: int, expected: tuple[bool, bool]) -> None:
    (piece,) = board_of(read(scene(wall(500, 500, 900, 500, sight=sight, move=move)))).pieces
    assert (piece.blocks_sight, piece.impassable) == expected


def refused(imported: ImportedMap) -> list[str]:
    with pytest.raises(Faults) as caught:
        board_of(imported)
    return [fault.code for fault in caught.value.faults]


def test_a_board_has_sides_of_200_at_most() -> None:
    assert board_of(read(uvtt(size=(200, 200)))).width == 200
    assert refused(read(uvtt(size=(201, 201)))) == ["table-size", "table-size"]
    assert refused(read(uvtt(size=(10, 100.001)), MapScale(square=2000))) == ["table-size"]


def test_a_board_has_200_pieces_at_most() -> None:
    lines: list[Line] = [[(1, 0.3 * k), (2, 0.3 * k)] for k in range(201)]
    assert len(board_of(read(uvtt(*lines[:200], size=(10, 100)))).pieces) == 200
    assert refused(read(uvtt(*lines, size=(10, 100)))) == ["too-many-pieces"]
    everything = ImportedMap(201_000, 1000, (ImportedWall(((0, 0), (9, 0), (9, 9))),) * 201)
    assert refused(everything) == ["table-size", "too-many-pieces"]


@given(st.lists(st.lists(st.tuples(st.floats(-2, 12), st.floats(-2, 10)), min_size=2, max_size=12), max_size=8))
def test_every_imported_board_is_sound(lines: list[Line]) -> None:
    board = board_of(read(uvtt(*lines, objects=tuple(lines[:2]))))
    assert checks.checked(Scene((Side("blue"),), board=board)).ground.width == 10_000
