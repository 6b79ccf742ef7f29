"""Boards from maps that were drawn for virtual tabletops: their walls, doors and objects become terrain.

What of them blocks sight and movement is as on the map; what does not fit a board is refused.
"""

from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault, Faults
from arbiter.geometry.plane.shapes import PER_UNIT, Point, thousandths, units
from arbiter.maps.importer import ImportedMap
from arbiter.value import Value
from services.size_skirmish.ground import place
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

    Openings and open doors are left out; nobody passes through closed objects, but they can be climbed.
    """
    heights = heights or Heights()
    faults = [
        Fault(
            "",
            "table-size",
            f"a side of the map makes a length of {units(side)}",
            float(units(side)),
            f"at most {LONGEST}",
            "take a shorter length to a square, or a part of the map",
        )
        for side in (imported.width, imported.depth)
        if side > thousandths(LONGEST)
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
                _piece("wall", number, wall.outline, heights.walls, wall.stops_sight, wall.stops_movement)
                for number, wall in enumerate(walls, 1)
            ),
            *(_piece("door", number, door.outline, heights.walls) for number, door in enumerate(closed, 1)),
            *(
                _piece("object", number, thing.outline, heights.objects, thing.stops_sight, climbable=True)
                for number, thing in enumerate(objects, 1)
            ),
        ),
    )


def _piece(
    kind: str,
    number: int,
    outline: tuple[Point, ...],
    height: float,
    stops_sight: bool = True,
    stops_movement: bool = True,
    climbable: bool = False,
) -> Piece:
    outlined = tuple(place(corner) for corner in outline)
    return Piece(f"{kind}-{number}", outlined, stops_sight, stops_movement, climbable, height)
