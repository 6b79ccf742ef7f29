"""Exported scenes of Foundry VTT: walls and doors in pixels of the canvas.

The canvas is larger than the scene by its padding, rounded up to whole squares, and the scene may be shifted on it;
both are taken off. A wall's `sight` and `move` say what it stops, `door` and `ds` whether it is a door and is open.
Lights, tokens and pictures are ignored.
"""

from collections import Counter
from fractions import Fraction
from math import ceil
from typing import Any

from arbiter.maps.drawing import Door, Drawn, Line, MapNote, MapScale, Sheet, in_squares

MEMBERS = ("walls", "width", "height", "grid", "gridType", "padding", "background", "shiftX", "shiftY")

USUAL_PADDING = 0.25
LARGEST_PADDING = 1
OPEN = 1
LIMITED = (2, 10)
BY_DISTANCE = (30, 40)
HEXAGONAL = (2, 3, 4, 5)

NOTES = {
    "limited-sight": "walls that hide only what lies behind a second one are taken to stop every line of sight",
    "sight-by-distance": "walls that can be seen through from near or from afar are taken to stop every line of sight",
    "one-way": "walls that stop one side only are taken to stop both",
    "stops-nothing": "walls that stop neither sight nor movement are left out",
    "hexagonal": "the grid has hexes, and its padding is taken as that of a grid of squares",
}


def read_foundry(document: dict[str, Any], scale: MapScale) -> Drawn:
    """Read a scene; raises `Faults` with every fault."""
    sheet = Sheet()
    counts: Counter[str] = Counter()
    # Faults are recorded, and reading continues with substitutes to find the rest.
    stated = _grid(sheet, document, counts)
    size = stated or Fraction(1)
    sides = [sheet.number(document.get(name), f"/{name}", least=1) for name in ("width", "height")]
    padding = sheet.number(document.get("padding", USUAL_PADDING), "/padding", least=0, most=LARGEST_PADDING)
    start = tuple(
        ceil((padding or 0) * (side or 0) / size) * size - shift
        for side, shift in zip(sides, _shift(sheet, document), strict=True)
    )
    squares = [None if side is None or stated is None else side / size for side in sides]
    width, depth = (
        sheet.size(side, scale, f"/{name}") for side, name in zip(squares, ("width", "height"), strict=True)
    )
    lines, doors = [], []
    for here, wall in sheet.rows(document.get("walls"), "/walls"):
        sheet.count_line(here, 2)
        ends = _ends(sheet, wall, here)
        facts = {name: _whole(sheet, wall, name, here) for name in ("sight", "move", "door", "ds", "dir")}
        if ends is None:
            continue
        points = tuple(in_squares((x - start[0]) / size, (y - start[1]) / size, scale) for x, y in ends)
        if facts["door"]:
            doors.append(Door(points, facts["ds"] != OPEN))
        else:
            line = Line(points, facts["sight"] != 0, facts["move"] != 0)
            counts.update(_notes(facts, line))
            if line.sight or line.move:
                lines.append(line)
    sheet.done()
    notes = tuple(MapNote(code, NOTES[code], counts[code]) for code in NOTES if counts[code])
    return Drawn(width, depth, tuple(lines), (), tuple(doors), notes)


def _grid(sheet: Sheet, document: dict[str, Any], counts: Counter[str]) -> Fraction | None:
    """Give the pixels of a square; old scenes have them as a number, and the type of the grid as another member."""
    grid = document.get("grid")
    if isinstance(grid, dict):
        kind, at, size = grid.get("type"), "/grid/size", grid.get("size")
    else:
        kind, at, size = document.get("gridType"), "/grid", grid
    counts["hexagonal"] += kind in HEXAGONAL
    return sheet.number(size, at, least=1)


def _shift(sheet: Sheet, document: dict[str, Any]) -> tuple[Fraction, Fraction]:
    background = document.get("background")
    if isinstance(background, dict):
        stated = {f"/background/{name}": background.get(name) for name in ("offsetX", "offsetY")}
    else:
        stated = {f"/{name}": document.get(name) for name in ("shiftX", "shiftY")}
    x, y = (sheet.number(0 if value is None else value, at) for at, value in stated.items())
    return x or Fraction(0), y or Fraction(0)


def _ends(sheet: Sheet, wall: Any, here: str) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]] | None:
    spelled = sheet.member(wall, "c", here)
    if not isinstance(wall, dict):
        return None
    if not isinstance(spelled, list) or len(spelled) != 4:
        sheet.fault(f"{here}/c", "ends", "a wall has two ends", spelled, "a list of four numbers: x, y, x, y")
        return None
    x0, y0, x1, y1 = (sheet.number(value, f"{here}/c/{index}") for index, value in enumerate(spelled))
    if x0 is None or y0 is None or x1 is None or y1 is None:
        return None
    return (x0, y0), (x1, y1)


def _whole(sheet: Sheet, wall: Any, name: str, here: str) -> int:
    """Give one of a wall's kinds; by default a wall stops everything, and is not a door."""
    usual = 1 if name in ("sight", "move") else 0
    value = wall.get(name, usual) if isinstance(wall, dict) else usual
    if isinstance(value, bool) or not isinstance(value, int):
        sheet.fault(f"{here}/{name}", "not-a-whole-number", f"{name} of a wall is a whole number", value, "0 or more")
        return usual
    return value


def _notes(facts: dict[str, int], line: Line) -> list[str]:
    if not line.sight and not line.move:
        return ["stops-nothing"]
    found = ["one-way"] if facts["dir"] else []
    if facts["sight"] in LIMITED:
        found.append("limited-sight")
    if facts["sight"] in BY_DISTANCE:
        found.append("sight-by-distance")
    return found
