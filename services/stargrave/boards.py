"""Boards from maps that were drawn for virtual tabletops: their walls, doors and objects become terrain.

Walls and closed doors cannot be climbed, closed objects can; what of a map does not fit a board is refused.
"""

from typing import Annotated

from msgspec import Meta

from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.maps.importer import ImportedMap
from arbiter.skirmish.maps import MapPiece, map_pieces
from arbiter.value import Value
from services.stargrave.scene import MOST_PIECES, Board, Piece

LONGEST_IN = 120
"""No side of a board is longer."""

Height = Annotated[float, Meta(gt=0, le=24)]


class Heights(Value, frozen=True):
    """How high the terrain of a map is, which no map says: its walls and doors, and its closed objects, in inches."""

    walls_in: Height = 3.0
    objects_in: Height = 1.0


def board_of(imported: ImportedMap, heights: Heights | None = None) -> Board:
    """Make a board of a map; raises `Faults` if the map is too large for one, or has more pieces than one holds.

    A wall that stops movement only is there for those who move, and gives no cover; one that stops sight only can be
    walked through. Openings are left out.
    """
    high = heights or Heights()
    pieces = tuple(_piece(piece, high) for piece in map_pieces(imported, LONGEST_IN, MOST_PIECES, "inches"))
    return Board(imported.width / PER_UNIT, imported.depth / PER_UNIT, pieces)


def _piece(piece: MapPiece, high: Heights) -> Piece:
    climbable = piece.kind == "object"
    stops_sight = climbable or piece.stops_sight
    return Piece(
        piece.id,
        piece.outline,
        high.objects_in if climbable else high.walls_in,
        "blocks" if stops_sight else "open",
        "solid" if stops_sight else "none",
        "impassable" if piece.stops_movement else "even",
        climbable,
    )
