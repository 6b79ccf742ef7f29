"""Boards from maps: `POST /v1/boards/import` makes a board from a file that was drawn for a virtual tabletop.

Only the terrain of the file is used; the picture in it is neither read nor returned.
"""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response

from api.auth.callers import needs
from api.quotas import costs
from api.quotas.limiter import charged
from api.schemas import request_body
from api.schemas.queries import MapQuery, query
from api.schemas.responses import JSON, accept_json, json_response
from api.web.services import services
from arbiter.fault import Faults, UnknownName, pointer
from arbiter.game import Arbiter
from arbiter.geometry.plane.shapes import thousandths, units
from arbiter.maps.importer import MapNote, MapScale, read_map
from arbiter.value import Value

BYTES = "application/octet-stream"
FORMS = (JSON, BYTES)
"""The media types of a map file: it is JSON, and few programs know its file extension."""


class Portal(Value, frozen=True):
    """A door or an opening of the map: its outline in the lengths of the game, and whether it is closed."""

    outline: tuple[tuple[float, float], ...]
    closed: bool


class ImportedBoard(Value, frozen=True):
    """A board for the scenes of a game, with the portals of the map, and warnings for what could not become terrain.

    `board` has the format of boards in the game's scenes. Closed portals are terrain of the board, too.
    """

    game: str
    board: Any
    portals: tuple[Portal, ...]
    warnings: tuple[MapNote, ...]


def game_for(name: str, games: Mapping[str, Arbiter]) -> Arbiter:
    """Give the game that a map is meant for; `UnknownName`, or `Faults` for a game that takes no maps."""
    if name not in games:
        raise UnknownName("game", name, games)
    game = games[name]
    if game.boards is None:
        taking = [name for name, other in games.items() if other.boards is not None]
        raise Faults.one(
            pointer("game"),
            "no-open-board",
            f"{game.title} is not played on an open board",
            seen=name,
            expected=f"one of {', '.join(taking)}" if taking else "nothing: no game here is",
            hint=f"post a scene with a board of its own form to the questions of {game.name}",
        )
    return game


def board_from(file: bytes, game: Arbiter, square: float = 1.0, thickness: float = 0.1) -> ImportedBoard:
    """Make a board from a map file; raises `Faults` with every fault, by its place in the file."""
    assert game.boards is not None, "game_for gives no other"
    read = read_map(file, MapScale(thousandths(square), thousandths(thickness)))
    portals = tuple(
        Portal(tuple((float(units(x)), float(units(y))) for x, y in portal.outline), portal.closed)
        for portal in read.portals
    )
    return ImportedBoard(game.name, game.boards(read), portals, read.warnings)


pages = Blueprint("boards", __name__)
pages.before_request(accept_json)


@pages.post("/v1/boards/import")
@needs("boards")
@charged(costs.BOARD)
@query(MapQuery)
def import_board(game: str, square: float, thickness: float) -> Response:
    """Make a board from a map."""
    recipient = game_for(game, services().games)
    file = request_body.body(services().settings.max_map_bytes, FORMS, "map")
    return json_response(board_from(file, recipient, square, thickness))
