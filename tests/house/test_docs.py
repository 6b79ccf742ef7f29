"""The documentation page asks nothing of any other host, whatever the browser does with it."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urljoin

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.resources.front import docs
from cli.serve import ROOT

PAGE = ROOT / "api" / "web" / "static" / "docs"
SWAGGER_UI = Path(str(files("flask_swagger_ui"))) / "dist"


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.policy = ""
        self.inline_scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        self.targets += [said[name] for name in ("src", "href", "action", "data", "srcset") if name in said]
        self.inline_scripts += tag == "script" and "src" not in said
        if said.get("http-equiv", "").lower() == "content-security-policy":
            self.policy = said["content"]


@pytest.fixture
def links() -> Links:
    links = Links()
    links.feed((PAGE / "index.html").read_text())
    return links


@pytest.fixture
def client() -> Iterator[FlaskClient]:
    app = Flask(__name__)
    app.register_blueprint(docs.pages)
    contract = SimpleNamespace(files={"openapi.yaml": b"openapi: 3.1.0"}, as_json=b"{}")
    app.extensions["arbiter"] = SimpleNamespace(contract=contract)
    with app.test_client() as client:
        yield client


def test_the_page_names_no_host(links: Links) -> None:
    assert "swagger-ui-bundle.js" in links.targets
    assert [target for target in links.targets if re.match(r"[a-z]+:|//|/", target)] == []
    for own in PAGE.iterdir():
        assert not re.search(r"https?:|[\"'(]//", own.read_text()), own.name


def test_the_browser_is_told_to_ask_this_host_alone(links: Links) -> None:
    directives = dict(part.split(maxsplit=1) for part in links.policy.split(";"))
    assert directives["default-src"] == "'self'"
    sources = {source for directive in directives.values() for source in directive.split()}
    assert sources <= {"'self'", "'unsafe-inline'", "data:"}
    # Styles within elements are Swagger UI's; scripts within the page are nobody's.
    assert "unsafe-inline" not in directives.get("script-src", directives["default-src"])
    assert links.inline_scripts == 0


def test_the_validator_on_another_host_is_switched_off() -> None:
    assert re.search(r'validatorUrl: "none"', (PAGE / "page.js").read_text())


def test_the_style_loads_nothing_from_elsewhere() -> None:
    style = (SWAGGER_UI / "swagger-ui.css").read_text()
    assert "@import" not in style
    assert set(re.findall(r"url\([\"']?([^\"')]{5})", style)) == {"data:"}


def test_the_user_interface_knows_openapi_3_1() -> None:
    version = (SWAGGER_UI / "VERSION").read_text().strip().removeprefix("v")
    assert int(version.partition(".")[0]) >= 5


def test_everything_the_page_needs_is_served(links: Links, client: FlaskClient) -> None:
    with client.get("/docs", follow_redirects=True) as answer:
        assert answer.status_code == 200
    contract = re.search(r'url: "([^"]+)"', (PAGE / "page.js").read_text())
    assert contract is not None
    for target in [*links.targets, contract[1]]:
        with client.get(urljoin("/docs/", target)) as answer:
            assert answer.status_code == 200, target
            assert answer.data, target


def test_nothing_beside_the_pages_is_served(client: FlaskClient) -> None:
    for path in ("../serve.py", "%2e%2e/%2e%2e/serve.py", "../../settings.py", "nothing.js"):
        assert client.get("/docs/" + path).status_code == 404
