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
"""The sheet of the documentation, and the program that shows contracts, which others have written, with its licence."""

VIEWER_HEADERS = {
    **PAGE_HEADERS,
    "Content-Security-Policy": f"{PAGE_HEADERS['Content-Security-Policy']}; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:",
}
"""Fields that go out with the viewer's page: as with others, but that the viewer writes styles into its elements."""

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
    """Give the part of the contract about one game as YAML."""
    return tagged_response(services().contract.files[f"openapi/{services().game(game).name}.yaml"], YAML)


@pages.get("/v1/games/<game>/openapi.json")
@Operation("gameContract", **TAGGED)
@needs("ask")
def of_game(game: str) -> Response:
    """Give the contract of one game, complete in itself."""
    return tagged_response(services().contract.of_game(services().game(game).name).as_json, JSON)


@pages.get("/docs/<game>/contract")
def viewer(game: str) -> Response:
    """Give the page on which the contract of a game is read and tried out."""
    if game not in services().games:
        return missing_game(game)
    answer = tagged_response(docs_page.contract(door(services().games[game])).encode(), "text/html; charset=utf-8", 0)
    answer.headers.extend(VIEWER_HEADERS)
    return answer


@pages.get("/docs/<game>/contract.json")
def of_viewer(game: str) -> Response:
    """Give what the page of a contract shows: the questions of the game, which is much less than the contract."""
    return tagged_response(services().contract.of_game(services().game(game).name).of_questions, JSON)


@pages.get("/docs/files/<name>")
def file(name: str) -> Response:
    """Give the sheet of the documentation, or the program that shows contracts."""
    if name not in FILES:
        raise NotFound
    return tagged_response(FILES[name].read_bytes(), FORMS[FILES[name].suffix])


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
