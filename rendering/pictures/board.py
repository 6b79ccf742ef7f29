"""The board under a picture: its layout in the picture, its floor and grid, and the ground on it."""

import json
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from math import hypot
from typing import NamedTuple

from arbiter.drawing import Area, Cells, Edge, Plane, Point, Ring, Shape, Template, Token
from rendering.pictures.pen import Pen, cut, number, width

LONGEST = 960.0
"""The greatest width or height of a board."""

WIDEST_CELL = 52.0
HIGHEST_PLANE = 640.0
BIGGEST_UNIT = 24.0
"""The greatest number of pixels for a unit of length, for small planes."""

SMALLEST_NUMBERED = 34.0
"""Cells below this scale are too small for their coordinates."""

MARGIN = 30.0

BOARDS_KEPT = 16
"""Drawn boards that a process caches: questions of one game use the same board."""

DIGITS = 16
"""Hex digits of the id of a ground: a client has few at a time."""

DEFINITIONS = (
    '<defs><pattern id="p-rock" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="6" height="6" class="f-rock"/><path d="M0 0V6" class="s-vein" stroke-width="1.6"/></pattern>'
    '<pattern id="p-rough" width="7" height="7" patternUnits="userSpaceOnUse"><rect width="7" height="7" '
    'class="f-rough"/><circle cx="2" cy="2" r="1" class="f-grass"/><circle cx="5.5" cy="5.5" r="1" class="f-grass"/>'
    '</pattern><pattern id="p-water" width="14" height="7" patternUnits="userSpaceOnUse"><rect width="14" height="7" '
    'class="f-water"/><path d="M0 4q3.5-3 7 0t7 0" class="none s-wave"/></pattern></defs>'
)


class Layout(NamedTuple):
    """The layout of a board in its picture: `scale` pixels for a unit, the point of (0, 0); `up`: y grows upwards."""

    scale: float
    x: float
    y: float
    up: bool
    wide: float
    high: float
    left: float
    top: float

    def at(self, point: Point) -> Point:
        """Give the position of a point in the picture."""
        return self.x + point[0] * self.scale, self.y + (-point[1] if self.up else point[1]) * self.scale

    def ring(self, ring: Ring) -> list[Point]:
        """Give the positions of some points in the picture."""
        return [self.at(point) for point in ring]


@lru_cache(maxsize=BOARDS_KEPT)
def layout(board: Plane | Cells, top: float) -> Layout:
    """Find the layout of a board in its picture, below the first `top` pixels."""
    if isinstance(board, Plane):
        scale = min(HIGHEST_PLANE / max(board.width, board.depth), BIGGEST_UNIT)
        wide, high = board.width * scale, board.depth * scale
        return Layout(scale, MARGIN, top + high, True, wide, high, MARGIN, top)
    corners = [corner for cell in board.cells for corner in board.corners(cell.centre)]
    left, right = min(x for x, _ in corners), max(x for x, _ in corners)
    upper, lower = min(y for _, y in corners), max(y for _, y in corners)
    scale = min(WIDEST_CELL, LONGEST / max(right - left, lower - upper))
    margin = MARGIN / 2
    wide, high = (right - left) * scale, (lower - upper) * scale
    return Layout(scale, margin - left * scale, top - upper * scale, False, wide, high, margin, top)


@lru_cache(maxsize=BOARDS_KEPT)
def grid_data(board: Plane | Cells, place: Layout) -> str:
    """Give the mapping between positions of the board and points of the picture, as JSON."""
    if isinstance(board, Plane):
        grid = {"kind": "plane", "x": round(place.x, 1), "y": round(place.y, 1), "scale": round(place.scale, 3)}
        return json.dumps({**grid, "step": board.step, "width": board.width, "depth": board.depth, "unit": board.unit})
    cells = [[*cell.at, *(round(part, 1) for part in place.at(cell.centre))] for cell in board.cells]
    kind = {"kind": board.shape, "scale": round(place.scale, 3), "cells": cells}
    return json.dumps(kind, separators=(",", ":"))


class Ground(NamedTuple):
    """The constant part of a picture while units move: the floor, the sides of its cells, and a unique id."""

    digest: str
    floor: str
    edges: str


@lru_cache(maxsize=BOARDS_KEPT)
def ground(board: Plane | Cells, shapes: tuple[Shape, ...], edges: tuple[Edge, ...], place: Layout) -> Ground:
    """Draw the floor with its grid, the pieces of ground on it, and the coordinates of cells above them; and edges."""
    pen = Pen()
    if isinstance(board, Plane):
        _plane(pen, board, place)
    else:
        # One path for all cells is drawn in a fraction of the time of many polygons.
        floor = "".join(closed_path(place.ring(board.corners(cell.centre))) for cell in board.cells)
        pen.path(floor, "f-floor s-grid")
    for shape in shapes:
        draw_shape(pen, shape, place, highest(shapes))
    if isinstance(board, Cells) and place.scale >= SMALLEST_NUMBERED:
        _coordinates(pen, board, place)
    sides = Pen()
    for edge in edges:
        draw_edge(sides, edge, place)
    digest = sha256(f"{pen.written()}{sides.written()}".encode()).hexdigest()[:DIGITS]
    return Ground(digest, pen.written(), sides.written())


def closed_path(corners: list[Point]) -> str:
    """Give the data of a path through some corners and back."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in corners) + "Z"


def _coordinates(pen: Pen, board: Cells, place: Layout) -> None:
    with pen.group("", "tiny f-dim", aria_hidden="true"):
        for cell in board.cells:
            x, y = place.at(cell.centre)
            pen.text((x, y - place.scale * 0.31), f"{cell.at[0]},{cell.at[1]}", "tiny")


def _plane(pen: Pen, board: Plane, place: Layout) -> None:
    left, top, right, bottom = place.left, place.top, place.left + place.wide, place.top + place.high
    pen.rect(left, top, place.wide, place.high, "f-floor s-wall", stroke_width=2)
    across = _steps(board.width, board.grid)
    along = _steps(board.depth, board.grid)
    with pen.group("", "s-grid"):
        for x in across[1:]:
            if x < board.width:
                pen.path(f"M{number(place.at((x, 0))[0])} {number(top)}V{number(bottom)}", "")
        for y in along[1:]:
            if y < board.depth:
                pen.path(f"M{number(left)} {number(place.at((0, y))[1])}H{number(right)}", "")
    for x in across:
        pen.text((place.at((x, 0))[0], bottom + 11), f"{x:g}", "tiny f-dim")
    for y in along:
        pen.text((left - 9, place.at((0, y))[1] + 3), f"{y:g}", "tiny f-dim")


def _steps(length: float, step: float) -> list[float]:
    return [step * index for index in range(int(length / step + 1e-9) + 1)]


_FILLS = {
    "obscuring": "f-rough",
    "open": "f-low",
    "rough": "",
    "water": "",
    "wall": "f-wall",
    "column": "",
    "deadly": "f-lava",
    "hole": "f-hole",
    "off": "none",
    "zone": "none",
    "chamber": "f-loot",
    "smoke": "f-rock",
}
_PATTERNS = {"rough": "url(#p-rough)", "water": "url(#p-water)", "column": "url(#p-rock)", "obscuring": "url(#p-rough)"}
_STROKES = {"water": "s-wave", "rough": "s-grass", "obscuring": "s-grass", "off": "s-grid", "zone": "s-dim"}
_DASHED = {"obscuring": "5 3", "off": "3 3", "zone": "6 4", "rough": "3 2", "smoke": "2 3"}
_CLEAR = {"chamber": 0.3, "smoke": 0.55}


def tone(height: float, highest: float) -> str:
    """Give the tone of solid ground by its height, relative to the highest of the board."""
    share = height / highest if highest else 0
    return "f-high" if share > 2 / 3 else "f-mid" if share > 1 / 3 else "f-low"


def draw_shape(pen: Pen, shape: Shape, place: Layout, highest: float) -> None:
    """Draw a piece of ground, with a short shadow if it is solid, and its height or text written into it."""
    ring = place.ring(shape.outline)
    more: dict[str, float | str] = {}
    if shape.ground in _PATTERNS:
        more["fill"] = _PATTERNS[shape.ground]
    if shape.ground in _DASHED:
        more["stroke_dasharray"] = _DASHED[shape.ground]
    if shape.ground in _CLEAR:
        more["fill_opacity"] = _CLEAR[shape.ground]
    with pen.group(shape.title):
        fill = _FILLS.get(shape.ground, "")
        if shape.ground == "solid":
            fill = tone(shape.height or 0, highest)
            drop = min(5.0, 1.2 * (shape.height or 0) * place.scale / 17 + 1)
            pen.polygon([(x + drop, y + drop) for x, y in ring], "f-shade", fill_opacity="0.16")
        pen.polygon(ring, f"{fill} {_STROKES.get(shape.ground, 's-vein')}".strip(), **more)
        text = shape.text or (f"{shape.height:g}" if shape.height else "")
        if text:
            _write_label(pen, ring, text, shape.ground)


def _write_label(pen: Pen, ring: list[Point], text: str, ground: str) -> None:
    """Write the name of a piece of ground into it, if there is space."""
    x, y = sum(x for x, _ in ring) / len(ring), sum(y for _, y in ring) / len(ring)
    room = max(x for x, _ in ring) - min(x for x, _ in ring)
    if width(text, 8.5) < room and max(y for _, y in ring) - min(y for _, y in ring) > 10:
        ink = {"hole": "f-pale", "deadly": "f-print"}.get(ground, "f-ink")
        pen.text((x, y + 3), cut(text), f"in small {ink}")


def draw_edge(pen: Pen, edge: Edge, place: Layout) -> None:
    """Draw an object on the side of a cell."""
    thick = max(2.0, place.scale / 10)
    ends = [place.at(edge.a), place.at(edge.b)]
    with pen.group(edge.title):
        if edge.kind == "wall":
            pen.lines(ends, "s-wall", stroke_width=thick, stroke_linecap="round")
        elif edge.kind == "cover":
            pen.lines(ends, "s-edge", stroke_width=thick, stroke_dasharray=f"{number(thick)} {number(thick / 2)}")
        else:
            pen.lines(ends, "s-yes", stroke_width=thick, stroke_dasharray=f"{number(thick / 2)} {number(thick / 2)}")


def draw_area(pen: Pen, area: Area, place: Layout) -> None:
    """Draw an exact area, holes and all."""
    d = "".join(closed_path(place.ring(ring)) for ring in area.rings)
    with pen.group(area.title):
        pen.path(d, "f-a s-a", fill_rule="evenodd", fill_opacity=f"{area.strength:.2f}", stroke_opacity="0.55")
        if area.text and place.scale >= 24:
            ring = place.ring(area.rings[0])
            x, y = sum(x for x, _ in ring) / len(ring), sum(y for _, y in ring) / len(ring)
            pen.text((x, y + place.scale * 0.38), area.text, "in small f-a")


def draw_template(pen: Pen, template: Template, place: Layout) -> None:
    """Draw a template, true to its size."""
    with pen.group(template.title):
        more: dict[str, float | str] = {"fill_opacity": "0.16", "stroke_width": 1.5, "stroke_dasharray": "6 3"}
        if template.at is not None:
            pen.circle(place.at(template.at), template.radius * place.scale, "f-no s-no", **more)
        else:
            pen.polygon(place.ring(template.outline), "f-no s-no", **more)


def draw_token(pen: Pen, token: Token, place: Layout) -> None:
    """Draw a marker that lies on the board."""
    x, y = place.at(token.at)
    # A marker on cells is as large as the cell allows; on planes all have one size.
    r = max(5.0, min(8.0, place.scale * 0.17)) if not place.up else 6.5
    with pen.group(token.title):
        if token.kind == "crate":
            r *= 1.5
            pen.rect(x - r, y - r, 2 * r, 2 * r, "f-loot s-print")
            pen.path(
                f"M{number(x - r)} {number(y - r)}L{number(x + r)} {number(y + r)}M{number(x + r)} {number(y - r)}"
                f"L{number(x - r)} {number(y + r)}",
                "none s-print",
            )
        elif token.kind == "objective":
            pen.polygon([(x, y - r - 2), (x + r + 2, y), (x, y + r + 2), (x - r - 2, y)], "f-loot s-print")
        elif token.kind == "warning":
            pen.polygon([(x, y - r - 2), (x + r + 2, y + r), (x - r - 2, y + r)], "f-lava s-print")
        elif token.kind == "unknown":
            pen.circle((x, y), r + 3, "f-floor s-dim", stroke_dasharray="3 2")
        else:
            pen.circle((x, y), r, "f-loot s-print")
        if token.text:
            ink = "f-dim" if token.kind == "unknown" else "f-print"
            pen.text((x, y + 3), cut(token.text, 3), f"in small {ink}")


def highest(shapes: Iterable[Shape]) -> float:
    """Give the height of the highest piece of ground."""
    return max((shape.height or 0 for shape in shapes), default=0)


def apart(a: Point, b: Point) -> float:
    """Measure the distance of two points."""
    return hypot(a[0] - b[0], a[1] - b[1])
