"""The table in the browser: `/table`, its modules, its style sheets, and the scenes that it opens with.

The page asks the same questions as every client. It uses no other host and no inline code: its policy lets the browser
load only files of this service.
"""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from flask import Blueprint, Response
from werkzeug.exceptions import NotFound

from api.caching.etags import tagged_response
from api.schemas import codec
from api.schemas.responses import HTML, JSON, SVG
from api.web.services import services
from arbiter.game import Arbiter
from arbiter.skirmish.deeds import deeds
from rendering.pictures import scenes
from rendering.pictures.palette import SHEETS
from rendering.pictures.svg import svg

FOLDER = Path(__file__).parents[2] / "web" / "static" / "table"

PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of pages: scripts, styles and answers come only from this service, and none of them is inline."""

FORMS = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": SVG,
    ".json": JSON,
    ".html": "text/html; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
}

PARTS = {file.relative_to(FOLDER).as_posix(): file for file in FOLDER.rglob("*") if file.suffix in FORMS}
"""The files of the page by name; no other file in the folder is served."""

pages = Blueprint("table", __name__)


@pages.get("/table")
def table() -> Response:
    """Give the page of the table."""
    return page_response((FOLDER / "index.html").read_text(encoding="utf-8"))


@pages.get("/favicon.ico")
def icon() -> Response:
    """Give the icon to browsers that request it without a link."""
    return part("icon.svg")


@pages.get("/table/<path:name>")
def part(name: str) -> Response:
    """Give a module, a style sheet or a scene of the table."""
    file = PARTS.get(name)
    if file is None:
        raise NotFound
    return tagged_response(file.read_bytes(), FORMS[file.suffix], 0)


@pages.get("/table/picture.css")
def sheet() -> Response:
    """Give the style sheet of every picture; the page links it, because it takes no styles from a picture."""
    return tagged_response(SHEETS["auto"].encode(), "text/css; charset=utf-8")


@pages.get("/table/scenes/<game>.json")
def scene(game: str) -> Response:
    """Give the scene that the table of a game opens with, and the unit that is selected."""
    return tagged_response(codec.encode(opening_scene(services().game(game))), JSON, 0)


@pages.get("/table/scenes/<game>.svg")
def thumbnail(game: str) -> Response:
    """Draw the scene that the table opens with."""
    return tagged_response(_draw_thumbnail(services().game(game)), SVG)


def opening_scene(game: Arbiter) -> dict[str, Any]:
    """Give the scene that the table of a game opens with, as JSON values, and the unit that is selected.

    It is the middle scene of the game's story, or that of its first worked example if it has no story.
    """
    file = PARTS.get(f"scenes/{game.name}.json")
    if file is not None:
        read: dict[str, Any] = msgspec.json.decode(file.read_bytes())
        return read
    examples = services().catalogue(game.name).examples
    for deed in deeds(game):
        for example in examples[deed.question]:
            if not example.expect.get("faults"):
                return {"unit": example.case[deed.actor], "scene": example.case["scene"]}
    raise NotFound


@cache
def _draw_thumbnail(game: Arbiter) -> bytes:
    scene_type = next(f.type for f in msgspec.structs.fields(game.questions["line-of-sight"].case) if f.name == "scene")
    drawing = scenes.of_scene(game, msgspec.convert(opening_scene(game)["scene"], scene_type))
    if drawing is None:
        raise NotFound
    return svg(drawing, head=False, legend=False)


def page_response(content: str) -> Response:
    """Answer with a page for people, at an address that may also give JSON to programs."""
    answer = tagged_response(content.encode(), f"{HTML}; charset=utf-8", 0)
    answer.headers.extend(PAGE_HEADERS)
    answer.vary.add("Accept")
    return answer
