"""Boards from maps: what stops sight and movement, what is refused, and that a scene on one is sound."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from arbiter.maps.importer import ImportedMap, ImportedWall, MapScale
from services.stargrave import checks
from services.stargrave.boards import Heights, board_of
from services.stargrave.scene import Board, Figure, Piece, Scene
from tests.arbiter.mapping import Line, read, scene, uvtt, wall

WALL: Line = [(2, 3), (6, 3)]
TABLE: Line = [(7, 5), (8, 5), (8, 6), (7, 6)]


def test_walls_closed_doors_and_objects_become_pieces() -> None:
    map_ = read(uvtt(WALL, objects=(TABLE,), portals=(([(3, 6), (4, 6)], True), ([(5, 6), (6, 6)], False))))
    assert board_of(map_, Heights(walls_in=4.0, objects_in=1.5)) == Board(
        10,
        8,
        (
            Piece("wall-1", ((2, 3.05), (6, 3.05), (6, 2.95), (2, 2.95)), 4.0, climbable=False),
            Piece("door-1", ((2.95, 6.05), (4.05, 6.05), (4.05, 5.95), (2.95, 5.95)), 4.0, climbable=False),
            Piece("object-1", ((7, 5), (8, 5), (8, 6), (7, 6)), 1.5),
        ),
    )


@pytest.mark.parametrize(
    ("sight", "move", "expected"),
    [
        (20, 20, ("blocks", "solid", "impassable")),
        (0, 20, ("open", "none", "impassable")),
        (20, 0, ("blocks", "solid", "even")),
    ],
)
def test_a_wall_stops_what_it_stopped_on_the_map(sight: int, move: int, expected: tuple[str, str, str]) -> None:
    (piece,) = board_of(read(scene(wall(500, 500, 900, 500, sight=sight, move=move)))).pieces
    assert (piece.sight, piece.cover, piece.ground) == expected


def refused(imported: ImportedMap) -> list[str]:
    with pytest.raises(Faults) as caught:
        board_of(imported)
    return [fault.code for fault in caught.value.faults]


def test_a_board_has_sides_of_120_inches_at_most() -> None:
    assert board_of(read(uvtt(size=(120, 120)))).width_in == 120
    assert refused(read(uvtt(size=(121, 121)))) == ["table-size", "table-size"]
    assert refused(read(uvtt(size=(10, 60.001)), MapScale(square=2000))) == ["table-size"]


def test_a_board_has_300_pieces_at_most() -> None:
    lines: list[Line] = [[(1, 0.3 * k), (2, 0.3 * k)] for k in range(301)]
    assert len(board_of(read(uvtt(*lines[:300], size=(10, 100)))).pieces) == 300
    assert refused(read(uvtt(*lines, size=(10, 100)))) == ["too-many-pieces"]
    everything = ImportedMap(200_000, 1000, (ImportedWall(((0, 0), (9, 0), (9, 9))),) * 301)
    assert refused(everything) == ["table-size", "too-many-pieces"]


@given(st.lists(st.lists(st.tuples(st.floats(-2, 12), st.floats(-2, 10)), min_size=2, max_size=12), max_size=8))
def test_every_imported_board_is_sound(lines: list[Line]) -> None:
    board = board_of(read(uvtt(*lines, objects=tuple(lines[:2]))))
    figure = Figure("kel", "captain", "red", "captain", (5, 4))
    assert checks.checked(Scene(board, (figure,))).ground.width == 10_000
