"""The contract and its pages: `/openapi.json`, `/openapi.yaml`, one of each game, `/docs`, and `security.txt`."""

from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response, redirect, send_from_directory
from werkzeug import Response as BaseResponse
from werkzeug.exceptions import NotFound

from api.auth.callers import needs
from api.openapi.operations import Operation
from api.schemas.responses import JSON, YAML
from api.web.services import services

PAGES = Path(__file__).parents[2] / "web" / "static" / "docs"
OURS = frozenset(path.name for path in PAGES.iterdir())
SWAGGER_UI = Path(str(files("flask_swagger_ui"))) / "dist"
"""The documentation's program and style are a package's; only the page around them is ours."""


pages = Blueprint("docs", __name__)


@pages.get("/openapi.json")
@Operation("contract")
def whole() -> Response:
    """Give this contract, with all games."""
    return Response(services().contract.as_json, content_type=JSON)


@pages.get("/openapi.yaml")
@Operation("contractYaml", forms=(YAML,))
def whole_as_yaml() -> Response:
    """Give this contract as YAML, one file for each game."""
    return Response(services().contract.files["openapi.yaml"], content_type=YAML)


@pages.get("/openapi/<game>.yaml")
@Operation("gameYaml", forms=(YAML,))
def game_as_yaml(game: str) -> Response:
    """Give the part of the contract about one game as YAML."""
    return Response(services().contract.files[f"openapi/{services().game(game).name}.yaml"], content_type=YAML)


@pages.get("/v1/games/<game>/openapi.json")
@Operation("gameContract")
@needs("ask")
def of_game(game: str) -> Response:
    """Give the contract of one game, complete in itself."""
    return Response(services().contract.of_game(services().game(game).name).as_json, content_type=JSON)


@pages.get("/docs")
def moved() -> BaseResponse:
    """Lead to the documentation, whose page names its parts relative to its own path."""
    return redirect("/docs/", 308)


@pages.get("/docs/")
@pages.get("/docs/<path:page>")
def page(page: str = "index.html") -> Response:
    """Give a page of the documentation, or a part of one."""
    return send_from_directory(PAGES if page in OURS else SWAGGER_UI, page)


@pages.get("/.well-known/security.txt")
def security_txt() -> Response:
    """Give the contact for faults of security; nothing is there when there is none."""
    contact = services().settings.security_contact
    if not contact:
        raise NotFound
    # It may be relied on for 90 days, counted anew each time.
    until = (datetime.now(UTC) + timedelta(days=90)).strftime("%Y-%m-%dT%H:%M:%SZ")
    lines = (f"Contact: {contact}", f"Expires: {until}", "Preferred-Languages: en", "")
    return Response("\n".join(lines), content_type="text/plain; charset=utf-8")
