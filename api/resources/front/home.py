"""The entry point `/`: JSON for programs, and for browsers a page with a real ruling to try."""

from functools import lru_cache

from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

from api.caching.etags import tagged_response
from api.openapi.operations import Operation
from api.resources.front.table import opening_scene, page_response
from api.schemas.responses import HTML, JSON, SVG, accept, json_response
from api.web.services import services
from arbiter.game import ENGINE, Arbiter
from arbiter.value import Value
from rendering import front_page
from rendering.front_page import GAME, SHOTS, Shot


class Home(Value, frozen=True):
    """The entry point of the service."""

    service: str
    engine: str
    links: dict[str, str]


HOME = Home(
    "Arbiter: rulings for tabletop skirmish games, with their reasons, dice, effects and exact odds",
    ENGINE,
    {
        "games": "/v1/games",
        "board_import": "/v1/boards/import",
        "batch": "/v1/batch",
        "keys": "/.well-known/arbiter-keys.json",
        "limits": "/v1/limits",
        "problems": "/problems",
        "contract": "/openapi.json",
        "documentation": "/docs",
        "table": "/table",
        "health": "/healthz",
        "readiness": "/readyz",
        "metrics": "/metrics",
    },
)


pages = Blueprint("home", __name__)


@pages.get("/")
@Operation("home", Home, forms=(JSON, HTML))
def home() -> Response:
    """Say what this service is, with links to everything."""
    if accept(JSON, HTML) == JSON:
        answer = json_response(HOME)
        answer.vary.add("Accept")
        return answer
    name, game = request.args.get("shot", ""), services().games.get(GAME)
    shot = None if game is None else _shot(game, name if name in SHOTS else SHOTS[0])
    return page_response(front_page.page(services().games.values(), shot, request.url_root.rstrip("/")))


@pages.get("/front/<name>.svg")
def picture(name: str) -> Response:
    """Draw the ruling of the front page."""
    if name not in SHOTS or GAME not in services().games:
        raise NotFound
    return tagged_response(_shot(services().games[GAME], name).picture, SVG)


@lru_cache(maxsize=len(SHOTS))
def _shot(game: Arbiter, name: str) -> Shot:
    return front_page.shoot(game, opening_scene(game)["scene"], name)
