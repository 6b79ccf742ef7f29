"""Boards from maps that were drawn for virtual tabletops: their walls, doors and objects become terrain.

Walls and closed doors cannot be climbed, closed objects can; what of a map does not fit a board is refused.
"""

from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault, Faults
from arbiter.geometry.plane.shapes import PER_UNIT, Point, thousandths, units
from arbiter.maps.importer import ImportedMap
from arbiter.value import Value
from services.stargrave.ground import place
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
    heights = heights or Heights()
    faults = [
        Fault(
            "",
            "table-size",
            f"the map makes a table of {units(side)} inches",
            float(units(side)),
            f"at most {LONGEST_IN} inches",
            "take fewer inches to a square, or a part of the map",
        )
        for side in (imported.width, imported.depth)
        if side > thousandths(LONGEST_IN)
    ]
    closed = [portal for portal in imported.portals if portal.closed]
    if (pieces := len(imported.walls) + len(closed)) > MOST_PIECES:
        faults.append(
            Fault(
                "",
                "too-many-pieces",
                f"the map makes {pieces} pieces of terrain",
                pieces,
                f"at most {MOST_PIECES}",
                "take a part of the map, or leave out what is small",
            )
        )
    if faults:
        raise Faults(faults)
    walls = [wall for wall in imported.walls if not wall.closed]
    objects = [wall for wall in imported.walls if wall.closed]
    return Board(
        imported.width / PER_UNIT,
        imported.depth / PER_UNIT,
        (
            *(
                _piece("wall", number, wall.outline, heights.walls_in, wall.stops_sight, wall.stops_movement)
                for number, wall in enumerate(walls, 1)
            ),
            *(_piece("door", number, door.outline, heights.walls_in) for number, door in enumerate(closed, 1)),
            *(
                _piece("object", number, thing.outline, heights.objects_in, climbable=True)
                for number, thing in enumerate(objects, 1)
            ),
        ),
    )


def _piece(
    kind: str,
    number: int,
    outline: tuple[Point, ...],
    height_in: float,
    stops_sight: bool = True,
    stops_movement: bool = True,
    climbable: bool = False,
) -> Piece:
    return Piece(
        f"{kind}-{number}",
        tuple(place(corner) for corner in outline),
        height_in,
        "blocks" if stops_sight else "open",
        "solid" if stops_sight else "none",
        "impassable" if stops_movement else "even",
        climbable,
    )
