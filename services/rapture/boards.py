"""Boards from maps that were drawn for virtual tabletops: their walls, doors and objects become terrain."""

from typing import Annotated

from msgspec import Meta

from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.maps.importer import ImportedMap
from arbiter.skirmish.maps import map_pieces
from arbiter.value import Value
from services.rapture.scene import MOST_PIECES, Board, Piece

LONGEST_CM = 200
"""No side of a board is longer."""

Height = Annotated[float, Meta(gt=0, le=60)]


class Heights(Value, frozen=True):
    """How high the terrain of a map is, which no map says: its walls and doors, and its closed objects, in centimetres.

    Heights matter by one reading alone.
    """

    walls_cm: Height = 8.0
    objects_cm: Height = 3.0


def board_of(imported: ImportedMap, heights: Heights | None = None) -> Board:
    """Make a board of a map; raises `Faults` if the map is too large for one, or has more pieces than one holds.

    What of a map blocks sight and movement does so on the board; closed objects are impassable.
    """
    high = heights or Heights()
    pieces = tuple(
        Piece(
            piece.id,
            piece.outline,
            piece.stops_sight,
            piece.stops_movement,
            high.objects_cm if piece.kind == "object" else high.walls_cm,
        )
        for piece in map_pieces(imported, LONGEST_CM, MOST_PIECES, "cm")
    )
    return Board(imported.width / PER_UNIT, imported.depth / PER_UNIT, pieces)
