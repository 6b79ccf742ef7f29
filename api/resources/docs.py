"""The contract and its pages: `/openapi.json`, `/openapi.yaml`, `/docs`, and `/`, where everything begins."""

from importlib.resources import files
from pathlib import Path
from typing import Protocol

from flask import Blueprint, Response, redirect, send_from_directory
from werkzeug import Response as BaseResponse

from api.schemas.responses import JSON, encoded
from arbiter.game import ENGINE
from arbiter.value import Value

PAGES = Path(__file__).parents[1] / "web" / "static" / "docs"
OURS = frozenset(path.name for path in PAGES.iterdir())
SWAGGER_UI = Path(str(files("flask_swagger_ui"))) / "dist"
"""The documentation's program and style are a package's; only the page around them is ours."""
YAML = "application/yaml"


class Written(Protocol):
    """A contract that is written down."""

    @property
    def as_json(self) -> bytes:
        """The document as JSON."""

    @property
    def as_yaml(self) -> str:
        """The document as YAML."""


class Home(Value, frozen=True):
    """Where everything begins."""

    service: str
    engine: str
    links: dict[str, str]


HOME = Home(
    "Arbiter: rulings for tabletop skirmish games, with their reasons, dice, effects and exact odds", ENGINE,
    {
        "games": "/v1/games", "board_import": "/v1/boards/import", "batch": "/v1/batch",
        "keys": "/.well-known/arbiter-keys.json", "limits": "/v1/limits",
        "problems": "/problems", "contract": "/openapi.json", "documentation": "/docs/", "health": "/healthz",
        "readiness": "/readyz", "metrics": "/metrics",
    },
)  # fmt: skip


def resource(contract: Written) -> Blueprint:
    """Show the contract and the documentation."""
    pages = Blueprint("docs", __name__)

    @pages.get("/")
    def home() -> Response:
        """Say what this is and where to go on."""
        return encoded(HOME)

    @pages.get("/openapi.json")
    def as_json() -> Response:
        """Give the contract."""
        return Response(contract.as_json, content_type=JSON)

    @pages.get("/openapi.yaml")
    def as_yaml() -> Response:
        """Give the contract as YAML."""
        return Response(contract.as_yaml, content_type=YAML)

    @pages.get("/docs")
    def moved() -> BaseResponse:
        """Lead to the documentation, whose page names its parts relative to its own path."""
        return redirect("/docs/", 308)

    @pages.get("/docs/")
    @pages.get("/docs/<path:page>")
    def page(page: str = "index.html") -> Response:
        """Show the documentation."""
        return send_from_directory(PAGES if page in OURS else SWAGGER_UI, page)

    return pages
