"""The contract: of all games and of each, as JSON, as YAML, and as a page to try it out; and `security.txt`."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from flask import Blueprint, Response
from werkzeug.exceptions import NotFound

from api.auth.callers import needs
from api.caching.etags import tagged_response
from api.openapi.operations import TAGGED, Operation
from api.resources.front.docs import door, missing_game
from api.resources.front.table import FORMS, PAGE_HEADERS
from api.schemas.responses import JSON, YAML
from api.web.services import services
from rendering import docs_page

FOLDER = Path(__file__).parents[2] / "web" / "static" / "docs"

FILES = {file.name: file for file in FOLDER.iterdir()}
"""The style sheet of the documentation, and the third-party program that shows contracts, with its licence."""

VIEWER_HEADERS = {
    **PAGE_HEADERS,
    "Content-Security-Policy": f"{PAGE_HEADERS['Content-Security-Policy']}; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:",
}
"""Headers of the viewer's page: as with other pages, but the viewer may write styles into its elements."""

pages = Blueprint("contract", __name__)


@pages.get("/openapi.json")
@Operation("contract", **TAGGED)
def whole() -> Response:
    """Give this contract, with all games."""
    return tagged_response(services().contract.as_json, JSON)


@pages.get("/openapi.yaml")
@Operation("contractYaml", forms=(YAML,), **TAGGED)
def whole_as_yaml() -> Response:
    """Give this contract as YAML, one file for each game."""
    return tagged_response(services().contract.files["openapi.yaml"], YAML)


@pages.get("/openapi/<game>.yaml")
@Operation("gameYaml", forms=(YAML,), **TAGGED)
def game_as_yaml(game: str) -> Response:
    """Give one game's part of the contract as YAML."""
    return tagged_response(services().contract.files[f"openapi/{services().game(game).name}.yaml"], YAML)


@pages.get("/v1/games/<game>/openapi.json")
@Operation("gameContract", **TAGGED)
@needs("ask")
def of_game(game: str) -> Response:
    """Give the self-contained contract of one game."""
    return tagged_response(services().contract.of_game(services().game(game).name).as_json, JSON)


@pages.get("/docs/<game>/contract")
def viewer(game: str) -> Response:
    """Give the page that shows the contract of a game and lets readers try it out."""
    if game not in services().games:
        return missing_game(game)
    answer = tagged_response(docs_page.contract(door(services().games[game])).encode(), "text/html; charset=utf-8", 0)
    answer.headers.extend(VIEWER_HEADERS)
    return answer


@pages.get("/docs/<game>/contract.json")
def of_viewer(game: str) -> Response:
    """Give the part that the page of a contract shows: the game's questions, much less than the whole contract."""
    return tagged_response(services().contract.of_game(services().game(game).name).of_questions, JSON)


@pages.get("/docs/files/<name>")
def file(name: str) -> Response:
    """Give the style sheet of the documentation, or the program that shows contracts."""
    if name not in FILES:
        raise NotFound
    return tagged_response(FILES[name].read_bytes(), FORMS[FILES[name].suffix])


@pages.get("/.well-known/security.txt")
def security_txt() -> Response:
    """Give the contact for security faults; 404 if none is configured."""
    contact = services().settings.security_contact
    if not contact:
        raise NotFound
    # It is valid for 90 days from each request.
    until = (datetime.now(UTC) + timedelta(days=90)).strftime("%Y-%m-%dT%H:%M:%SZ")
    lines = (f"Contact: {contact}", f"Expires: {until}", "Preferred-Languages: en", "")
    return Response("\n".join(lines), content_type="text/plain; charset=utf-8")
