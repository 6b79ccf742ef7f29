"""Boards from maps that were drawn for virtual tabletops: their walls, doors and objects become terrain."""

from typing import Annotated

from msgspec import Meta

from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.maps.importer import ImportedMap
from arbiter.skirmish.maps import MapPiece, map_pieces
from arbiter.value import Value
from services.size_skirmish.scene import MOST_PIECES, Board, Piece

LONGEST = 200
"""No side of a board is longer."""

Height = Annotated[float, Meta(gt=0, le=60)]


class Heights(Value, frozen=True):
    """How high the terrain of a map is, which no map says: its walls and doors, and its closed objects."""

    walls: Height = 4.0
    objects: Height = 1.5


def board_of(imported: ImportedMap, heights: Heights | None = None) -> Board:
    """Make a board of a map; raises `Faults` if the map is too large for one, or has more pieces than one holds.

    What of a map blocks sight and movement does so on the board; nobody passes through closed objects, but they can be
    climbed.
    """
    high = heights or Heights()
    pieces = tuple(_piece(piece, high) for piece in map_pieces(imported, LONGEST, MOST_PIECES))
    return Board(imported.width / PER_UNIT, imported.depth / PER_UNIT, pieces)


def _piece(piece: MapPiece, high: Heights) -> Piece:
    climbable = piece.kind == "object"
    height = high.objects if climbable else high.walls
    return Piece(piece.id, piece.outline, piece.stops_sight, piece.stops_movement, climbable, height)
