"""Universal VTT maps (`.uvtt`, `.dd2vtt`, `.df2vtt`): walls, furniture and doors in grid squares.

`resolution.map_origin` is the origin of the picture, and is subtracted from every position. `line_of_sight` are the
walls, `objects_line_of_sight` closed outlines of furniture, `portals` doors (closed) and openings. Lights and the
picture are ignored.
"""

from fractions import Fraction
from typing import Any

from arbiter.geometry.plane.shapes import Point
from arbiter.maps.drawing import Door, Drawn, Line, MapScale, Sheet, in_squares

MEMBERS = ("format", "resolution", "line_of_sight", "objects_line_of_sight", "portals")


def read_uvtt(document: dict[str, Any], scale: MapScale) -> Drawn:
    """Read a Universal VTT map; raises `Faults` with every fault."""
    sheet = Sheet()
    if document.get("format") is not None:
        sheet.number(document["format"], "/format")
    resolution = document["resolution"]
    width, depth = _size(sheet, sheet.member(resolution, "map_size", "/resolution"), scale)
    origin = resolution.get("map_origin") if isinstance(resolution, dict) else None
    start = None if origin is None else _place(sheet, origin, "/resolution/map_origin")
    reader = _Reader(sheet, scale, start or (Fraction(0), Fraction(0)))
    lines = [Line(points) for points in reader.polylines(document.get("line_of_sight"), "/line_of_sight")]
    shapes = []
    for points in reader.polylines(document.get("objects_line_of_sight"), "/objects_line_of_sight"):
        corners = points[:-1] if len(points) > 1 and points[0] == points[-1] else points
        if len(set(corners)) > 2:
            shapes.append(corners)
        else:
            lines.append(Line(corners))
    doors = reader.doors(document.get("portals"))
    sheet.done()
    return Drawn(width, depth, tuple(lines), tuple(shapes), doors)


def _size(sheet: Sheet, size: Any, scale: MapScale) -> tuple[int, int]:
    at = "/resolution/map_size"
    squares = (None, None) if size is None else _place(sheet, size, at) or (None, None)
    if size is None:
        sheet.fault(at, "no-size", "the map does not say its size", None, "x and y in squares")
    width, depth = (sheet.size(side, scale, f"{at}/{axis}") for axis, side in zip("xy", squares, strict=True))
    return width, depth


def _place(sheet: Sheet, value: Any, at: str) -> tuple[Fraction, Fraction] | None:
    if not isinstance(value, dict):
        sheet.fault(at, "not-an-object", "here stands no place", value, "an object with the numbers x and y")
        return None
    x, y = sheet.number(value.get("x"), f"{at}/x"), sheet.number(value.get("y"), f"{at}/y")
    return None if x is None or y is None else (x, y)


class _Reader:
    """Reads lists of positions, and subtracts the origin of the map."""

    def __init__(self, sheet: Sheet, scale: MapScale, origin: tuple[Fraction, Fraction]) -> None:
        self.sheet, self.scale, self.origin = sheet, scale, origin

    def polylines(self, value: Any, at: str) -> list[tuple[Point, ...]]:
        found = []
        for here, row in self.sheet.rows(value, at):
            self.sheet.count_line(here, len(row) if isinstance(row, list) else 0)
            found.append(self.points(row, here))
        return found

    def points(self, value: Any, at: str) -> tuple[Point, ...]:
        if value is None:
            self.sheet.fault(at, "not-a-list", "here stands no list of places", value, "a list of places")
        places = (_place(self.sheet, row, here) for here, row in self.sheet.rows(value, at))
        ox, oy = self.origin
        return tuple(in_squares(one[0] - ox, one[1] - oy, self.scale) for one in places if one is not None)

    def doors(self, value: Any) -> tuple[Door, ...]:
        doors = []
        for here, row in self.sheet.rows(value, "/portals"):
            self.sheet.count_line(here, 2)
            bounds = self.sheet.member(row, "bounds", here)
            if not isinstance(row, dict):
                continue
            if not isinstance(bounds, list) or len(bounds) != 2:
                self.sheet.fault(f"{here}/bounds", "bounds", "a portal has two ends", bounds, "a list of two places")
                continue
            closed = row.get("closed", True)
            if not isinstance(closed, bool):
                self.sheet.fault(
                    f"{here}/closed", "not-a-boolean", "a portal is closed or not", closed, "true or false"
                )
                continue
            doors.append(Door(self.points(bounds, f"{here}/bounds"), closed))
        return tuple(doors)
