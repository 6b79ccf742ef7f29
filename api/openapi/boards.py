"""The part of the contract about maps that become boards, with an example that was run."""

from collections.abc import Mapping
from typing import Any

from api.openapi.words import MAPPED, refusals
from api.resources.board_import import FORMS, ImportedBoard, board_from, with_boards
from api.schemas import codec
from api.schemas.queries import MapQuery, describe_parameters
from api.schemas.responses import JSON
from arbiter.game import Arbiter

Schema = dict[str, Any]

KINDS = (ImportedBoard,)
"""The types of the answers."""

MAP: Schema = {
    "format": 0.3,
    "resolution": {"map_origin": {"x": 0, "y": 0}, "map_size": {"x": 24, "y": 24}, "pixels_per_grid": 70},
    "line_of_sight": [[{"x": 4, "y": 6}, {"x": 12, "y": 6}]],
    "objects_line_of_sight": [],
    "portals": [{"bounds": [{"x": 12, "y": 6}, {"x": 14, "y": 6}], "closed": True}],
}
"""A map of one wall and a door, as an example."""

_MEANING = """\
The body is the file itself: a Universal VTT map (`.uvtt`, `.dd2vtt`, `.df2vtt`), or a scene exported from Foundry VTT.
Its walls, doors and closed objects become terrain of a board, which can be put into a scene as it is; `warnings` say
what did not become terrain as it was drawn. The picture in the file is not looked at, and may be left out."""


def operations(games: Mapping[str, Arbiter]) -> Schema:
    """Give the path of the import, with its operation."""
    taking = with_boards(games)
    parameters = describe_parameters(MapQuery)
    for parameter in parameters:
        if parameter["name"] == "game" and taking:
            parameter["schema"] = {"type": "string", "enum": list(taking)}
            parameter["example"] = taking[0]
    body: Schema = {"schema": {"type": "object"}}
    answer: Schema = {"schema": {"$ref": f"#/components/schemas/{codec.component_name(ImportedBoard)}"}}
    if taking:
        made = board_from(codec.encode(MAP), games[taking[0]])
        body["examples"] = {"first": {"summary": "A wall and a door.", "value": MAP}}
        answer["examples"] = {"first": {"summary": "A wall and a door.", "value": codec.to_builtins(made)}}
    gist = "Make a board of a map that was drawn for a virtual tabletop."
    operation = {
        "operationId": "board_import",
        "tags": ["boards"],
        "summary": gist,
        "description": _MEANING,
        "parameters": parameters,
        "requestBody": {"required": True, "content": dict.fromkeys(FORMS, body)},
        "responses": {"200": {"description": "The board.", "content": {JSON: answer}}, **refusals(*MAPPED)},
    }
    return {"/v1/boards/import": {"post": operation}}
