"""Boards from maps: `POST /v1/boards/import` makes a board of a file that was drawn for a virtual tabletop.

What is kept of the file is its terrain; the picture in it is neither looked at nor given back.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from flask import Blueprint, Response, request
from msgspec import Meta
from werkzeug.datastructures import MultiDict

from api.quotas import costs
from api.quotas.costs import charged
from api.schemas import query, request_body
from api.schemas.responses import JSON, accept_json, encoded
from api.settings import Settings
from arbiter.fault import Fault, Faults, UnknownName, pointer
from arbiter.game import Arbiter
from arbiter.geometry.plane.shapes import PER_UNIT, thousandths, units
from arbiter.maps.importer import MapNote, MapScale, read_map
from arbiter.value import Value

BYTES = "application/octet-stream"
FORMS = (JSON, BYTES)
"""The media types of a map file: it is JSON, and its name ends in something that few programs know."""

_DECIMALS = frozenset({"square", "thickness"})
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?")


class MapQuery(Value, frozen=True):
    """For which game a map is meant, and how large it is on the table."""

    game: Annotated[str, Meta(min_length=1, max_length=120, description="The game whose board it becomes.")]
    square: Annotated[
        float, Meta(ge=1 / PER_UNIT, le=100, description="The side of a square of the map, in the lengths of the game.")
    ] = 1.0
    thickness: Annotated[
        float, Meta(ge=10 / PER_UNIT, le=1, description="How thick a wall is, which a map draws as a line without any.")
    ] = 0.1


class Portal(Value, frozen=True):
    """A door or an opening of the map: its outline in the lengths of the game, and whether it is closed."""

    outline: tuple[tuple[float, float], ...]
    closed: bool


class ImportedBoard(Value, frozen=True):
    """A board for the scenes of a game, with the portals of the map, and what did not become terrain as it was drawn.

    `board` has the form in which the game's scenes hold it. Closed portals are terrain of the board, too.
    """

    game: str
    board: Any
    portals: tuple[Portal, ...]
    warnings: tuple[MapNote, ...]


def game_for(asked: MapQuery, games: Mapping[str, Arbiter]) -> Arbiter:
    """Give the game that a map is meant for; `UnknownName`, or `Faults` for a game that takes no maps."""
    if asked.game not in games:
        raise UnknownName("game", asked.game, games)
    game = games[asked.game]
    if game.boards is None:
        taking = with_boards(games)
        raise Faults(
            [
                Fault(
                    pointer("game"), "no-open-board", f"{game.title} is not played on an open board",
                    seen=asked.game, asked=f"one of {', '.join(taking)}" if taking else "nothing: no game here is",
                    hint=f"post a scene with a board of its own form to the questions of {game.name}",
                )
            ]
        )  # fmt: skip
    return game


def with_boards(games: Mapping[str, Arbiter]) -> tuple[str, ...]:
    """Name the games that take maps."""
    return tuple(name for name, game in games.items() if game.boards is not None)


def board_from(file: bytes, asked: MapQuery, game: Arbiter) -> ImportedBoard:
    """Make a board of a map file; raises `Faults` with everything that is wrong with it, by its place in the file."""
    assert game.boards is not None, "game_for gives no other"
    read = read_map(file, MapScale(thousandths(asked.square), thousandths(asked.thickness)))
    portals = tuple(
        Portal(tuple((float(units(x)), float(units(y))) for x, y in portal.outline), portal.closed)
        for portal in read.portals
    )
    return ImportedBoard(game.name, game.boards(read), portals, read.warnings)


def resource(games: Mapping[str, Arbiter], settings: Settings) -> Blueprint:
    """Make boards of maps."""
    pages = Blueprint("boards", __name__)
    pages.before_request(accept_json)

    @pages.post("/v1/boards/import")
    @charged(costs.BOARD)
    def made() -> Response:
        """Make a board of a map."""
        asked = _asked(request.args)
        game = game_for(asked, games)
        return encoded(board_from(request_body.body(settings.max_map_bytes, FORMS, "map"), asked, game))

    return pages


def _asked(parameters: MultiDict[str, str]) -> MapQuery:
    # A parameter is text; where a number is asked for, what JSON writes as one is read as that.
    said: MultiDict[str, Any] = MultiDict(
        (name, float(text) if name in _DECIMALS and _NUMBER.fullmatch(text) else text)
        for name, text in parameters.items(multi=True)
    )
    return query.read(MapQuery, said)
