"""Boards of inches or centimetres from maps that were drawn for virtual tabletops."""

from collections.abc import Iterator
from typing import Literal

from arbiter.fault import Fault, Faults
from arbiter.geometry.plane.shapes import thousandths, units
from arbiter.maps.importer import ImportedMap
from arbiter.skirmish.plane import Place, place
from arbiter.value import Value


class MapPiece(Value, frozen=True):
    """A wall, a closed door or a closed object of a map: its outline, and what it stops in the map."""

    id: str
    kind: Literal["wall", "door", "object"]
    outline: tuple[Place, ...]
    stops_sight: bool = True
    stops_movement: bool = True


def map_pieces(imported: ImportedMap, longest: int, most_pieces: int, unit: str = "") -> tuple[MapPiece, ...]:
    """Give the pieces of a map in the order walls, doors, objects; openings and open doors are left out.

    Raises `Faults` if a side is longer than `longest`, counted in `unit`, or if there are more than `most_pieces`.
    """
    if faults := tuple(_faults(imported, longest, most_pieces, unit)):
        raise Faults(faults)
    walls = [wall for wall in imported.walls if not wall.closed]
    doors = [portal for portal in imported.portals if portal.closed]
    objects = [wall for wall in imported.walls if wall.closed]
    return (
        *(
            MapPiece(f"wall-{number}", "wall", tuple(map(place, wall.outline)), wall.stops_sight, wall.stops_movement)
            for number, wall in enumerate(walls, 1)
        ),
        *(MapPiece(f"door-{number}", "door", tuple(map(place, door.outline))) for number, door in enumerate(doors, 1)),
        *(
            MapPiece(f"object-{number}", "object", tuple(map(place, thing.outline)), thing.stops_sight)
            for number, thing in enumerate(objects, 1)
        ),
    )


def _faults(imported: ImportedMap, longest: int, most_pieces: int, unit: str) -> Iterator[Fault]:
    for side in (imported.width, imported.depth):
        if side > thousandths(longest):
            yield Fault(
                "",
                "table-size",
                f"the map makes a table with a side of {units(side)} {unit}".rstrip(),
                float(units(side)),
                f"at most {longest} {unit}".rstrip(),
                "take a shorter length to a square, or a part of the map",
            )
    if (pieces := len(imported.walls) + sum(portal.closed for portal in imported.portals)) > most_pieces:
        yield Fault(
            "",
            "too-many-pieces",
            f"the map makes {pieces} pieces of terrain",
            pieces,
            f"at most {most_pieces}",
            "take a part of the map, or leave out what is small",
        )
