"""Maps that the tests make themselves, to the published fields of the formats."""

import json
from typing import Any

from arbiter.maps.importer import ImportedMap, MapScale, read_map

Line = list[tuple[float, float]]


def at(x: float, y: float) -> dict[str, float]:
    return {"x": x, "y": y}


def uvtt(
    *lines: Line,
    objects: tuple[Line, ...] = (),
    portals: tuple[tuple[Line, bool], ...] = (),
    size: tuple[float, float] = (10, 8),
    origin: tuple[float, float] | None = (0, 0),
    **more: Any,
) -> dict[str, Any]:
    """Write a Universal VTT map, in squares."""
    resolution: dict[str, Any] = {"map_size": at(*size), "pixels_per_grid": 70}
    if origin is not None:
        resolution["map_origin"] = at(*origin)
    return {
        "format": 0.3,
        "resolution": resolution,
        "line_of_sight": [[at(*place) for place in line] for line in lines],
        "objects_line_of_sight": [[at(*place) for place in line] for line in objects],
        "portals": [
            {
                "position": at((bounds[0][0] + bounds[1][0]) / 2, (bounds[0][1] + bounds[1][1]) / 2),
                "bounds": [at(*place) for place in bounds],
                "rotation": 0.0,
                "closed": closed,
                "freestanding": False,
            }
            for bounds, closed in portals
        ],
        "environment": {"baked_lighting": True, "ambient_light": "ffffffff"},
        "lights": [{"position": at(1, 1), "range": 5.5, "intensity": 1.0, "color": "ffeccd8b", "shadows": True}],
        "image": "iVBORw0KGgo=",
        **more,
    }


def scene(*walls: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Write an exported scene of Foundry VTT: 1000 by 800 pixels, 100 to a square, with a quarter of padding."""
    return {
        "name": "Cellar",
        "width": 1000,
        "height": 800,
        "padding": 0.25,
        "grid": {"type": 1, "size": 100, "distance": 5, "units": "ft"},
        "background": {"src": "cellar.webp", "offsetX": 0, "offsetY": 0},
        "walls": list(walls),
        "tokens": [],
        **more,
    }


def wall(*ends: float, sight: int = 20, move: int = 20, **more: Any) -> dict[str, Any]:
    return {
        "_id": "k3x0",
        "c": list(ends),
        "move": move,
        "sight": sight,
        "light": 20,
        "sound": 20,
        "dir": 0,
        "door": 0,
        "ds": 0,
        "flags": {},
        **more,
    }


def read(document: Any, scale: MapScale | None = None) -> ImportedMap:
    return read_map(json.dumps(document).encode(), scale)


def notes(imported: ImportedMap) -> dict[str, int]:
    return {note.code: note.count for note in imported.warnings}
