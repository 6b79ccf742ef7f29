"""The documentation: a page for each question, written from the registry, of which every link leads somewhere."""

import re
import sys
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
import pytest
from flask.testing import FlaskClient

from api.resources.front.contract import FILES
from api.resources.front.docs import document_question
from arbiter.game import Arbiter
from arbiter.sources.catalogue import catalogue_of
from rendering import docs_page
from rendering.docs_page import GameDoor, Member, Part, QuestionPage, Rests, TypeTable
from tests.api.posting import GAMES
from tests.api.worked import examples, ruling_of

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
MOST_CRAWLED = 400
"""Addresses after which entries of the rules are looked up in the catalogue rather than asked for."""

EXPLORER = "6bb3f4f29b0d740f1fc0970cd4245e01d2c1346df5a26ecd20a2f7a5dda5f837"
"""The digest of OpenAPI Explorer 2.4.820 as its package has it."""

EVIL = "<script>alert('x')</script>"


class Page(HTMLParser):
    """What a page has: its links, ids, code and the rest of its text, and whatever is written into it that runs."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: list[str] = []
        self.inline: list[str] = []
        self.code: list[str] = []
        self.pre: dict[str, str] = {}
        self.text = ""
        self._within: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        if tag not in {"meta", "link", "img", "input", "br"}:
            self._within.append((tag, named.get("aria-label", "")))
        self.links += [named["href"]] if tag == "a" else []
        self.loaded += [named["href"]] if tag == "link" else [named["src"]] if "src" in named else []
        self.ids += [named["id"]] if "id" in named else []
        self.inline += [name for name in named if name == "style" or name.startswith("on")]
        self.inline += [tag] if tag == "style" or (tag == "script" and "src" not in named) else []

    def handle_endtag(self, tag: str) -> None:
        assert self._within.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        tag, label = self._within[-1] if self._within else ("", "")
        self.text += data
        if tag == "code":
            self.code.append(data)
        if tag == "pre":
            self.pre[label] = self.pre.get(label, "") + data


PAGES: dict[str, Page] = {}
"""Pages of questions that were read: all tests ask one gateway, and it takes long to write them."""


def questions(game: Arbiter, client: FlaskClient) -> Iterator[tuple[str, str, Page]]:
    """Give the page of each question, with its path."""
    for name in game.questions:
        path = f"/docs/{game.name}/{name}"
        if path not in PAGES:
            answer = client.get(path, headers=BROWSER)
            assert (answer.status_code, answer.mimetype) == (200, "text/html"), path
            PAGES[path] = Page(answer.text)
        yield name, path, PAGES[path]


def test_every_question_has_a_page_with_its_fields_its_example_and_its_grounds(
    game: Arbiter, client: FlaskClient
) -> None:
    for name, path, page in questions(game, client):
        question = game.questions[name]
        scene = [field.type for field in msgspec.structs.fields(question.case) if field.name == "scene"]
        for kind in (question.case, question.answer, *scene):
            if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
                assert {field.encode_name for field in msgspec.structs.fields(kind)} <= set(page.code), (path, kind)
        assert question.gist in page.text
        shown = [each for each in examples(game) if each.question == name]
        assert any(each.title in page.text for each in shown), path
        rests: set[str] = set()
        for each in shown:
            ruling = ruling_of(game, each)
            rests |= {step["rule"] for step in (*ruling["findings"], *ruling["reasons"])}
            rests |= {reading["id"] for reading in ruling["readings"]}
        linked = {unquote(link).partition("/rules/")[2] for link in page.links}
        assert rests <= linked, path


def test_every_member_that_can_be_posted_is_explained(game: Arbiter) -> None:
    for name in game.questions:
        for table in document_question(catalogue_of(game), name).page.posted:
            assert [member.name for member in table.members if not member.gist] == [], (name, table.name)


def test_pages_run_nothing_and_every_place_on_them_is_there(game: Arbiter, client: FlaskClient) -> None:
    for _, path, page in questions(game, client):
        assert page.inline == [], path
        assert len(page.ids) == len(set(page.ids)), path
        assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids), path
        assert [each for each in (*page.links, *page.loaded) if not re.fullmatch(r"/|/[^/].*|#.+", each)] == [], path


def test_the_example_is_one_of_the_game_and_its_ruling_is_the_one_on_the_page(
    game: Arbiter, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request in Python is run as it stands, with this client in the place of the library."""

    def local(url: str) -> str:
        return urlsplit(url).path

    asked = SimpleNamespace(
        get=lambda url, timeout: SimpleNamespace(json=lambda: client.get(local(url)).json),
        post=lambda url, json, timeout: SimpleNamespace(json=lambda: client.post(local(url), json=json).json),
    )
    monkeypatch.setitem(sys.modules, "requests", asked)  # type: ignore[arg-type] # a stand-in for the module
    for name, path, page in questions(game, client):
        body: Any = client.get(f"{path}.json").json
        known: Any = client.get(f"/v1/games/{game.name}/questions/{name}/examples").json
        index = next(index for index, each in enumerate(known["examples"]) if each["body"] == body)
        tables = [link for link in page.links if link.startswith("/table#")]
        assert tables in ([], [f"/table#g={game.name}&e={name}.{index}"]), path
        variables: dict[str, Any] = {"print": lambda *_: None}
        exec(page.pre["The request in Python"], variables)
        ruling = variables["ruling"]
        assert ruling["question"] == name
        for finding in ruling["findings"][: docs_page.MOST_LINES]:
            assert finding["text"] in page.text, path
        assert local(page.pre["The request with curl"].split()[2]) == f"{path}.json"
        assert f"/v1/games/{game.name}/{name} " in page.pre["The request with curl"]
        assert f"/v1/games/{game.name}/{name}`" in page.pre["The request in TypeScript"]
        picture = client.get(f"{path}.svg")
        drawn = f"{path}.svg" in page.loaded
        assert picture.status_code == (200 if drawn else 404), path
        # Where any example has a board, one with a board is shown.
        boards = [each for each in known["examples"] if (each["body"]["case"].get("scene") or {}).get("board")]
        assert drawn or not boards, path


def test_doors_lead_to_every_question(client: FlaskClient) -> None:
    doors = Page(client.get("/docs", headers=BROWSER).text)
    for game in GAMES.values():
        own = Page(client.get(f"/docs/{game.name}", headers=BROWSER).text)
        for name, question in game.questions.items():
            assert f"/docs/{game.name}/{name}" in doors.links
            assert f"/docs/{game.name}/{name}" in own.links
            assert question.gist in own.text
        assert f"/docs/{game.name}/contract" in own.links
        for fact in game.facts.values():
            assert fact.question in own.text


def test_pages_have_tags_and_a_strict_policy(client: FlaskClient) -> None:
    name, game = next(iter(GAMES.items()))
    question = next(iter(game.questions))
    for path in ("/docs", f"/docs/{name}", f"/docs/{name}/{question}", f"/docs/{name}/contract"):
        answer = client.get(path)
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'; ")
        assert "script-src" not in answer.headers["Content-Security-Policy"]
        again = client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
    # The viewer alone writes styles into its elements.
    assert "unsafe" not in client.get(f"/docs/{name}/{question}").headers["Content-Security-Policy"]
    for path in ("/openapi.json", "/openapi.yaml", f"/v1/games/{name}/openapi.json", f"/docs/{name}/{question}.json"):
        answer = client.get(path)
        assert answer.headers["Cache-Control"] == "max-age=600"
        assert client.get(path, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


def test_the_documentation_has_one_address(client: FlaskClient) -> None:
    answer = client.get("/docs/")
    assert (answer.status_code, answer.headers["Location"]) == (308, "/docs")


@pytest.mark.parametrize("path", ["/docs/chess", f"/docs/{EVIL[:8]}", "/docs/stargrave/castle", "/docs/chess/contract"])
def test_what_is_not_there_is_a_page_for_people_and_a_problem_for_programs(client: FlaskClient, path: str) -> None:
    answer = client.get(path, headers=BROWSER)
    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert "Accept" in answer.vary
    assert "<script" not in answer.text
    for link in Page(answer.text).links:
        assert client.get(link, headers=BROWSER, follow_redirects=True).status_code == 200, link
    assert client.get(path).mimetype == "application/problem+json"


def test_what_is_written_into_a_page_is_escaped() -> None:
    door = GameDoor(EVIL, EVIL, EVIL, EVIL, ((EVIL, EVIL),), True)
    table = TypeTable(
        EVIL, EVIL, f"{EVIL} `{EVIL}`", (Member(EVIL, (Part(EVIL, EVIL), Part(EVIL)), f"`{EVIL}`", True),)
    )
    rests = Rests((docs_page.Passage(EVIL, EVIL),), (), ())
    page = QuestionPage(EVIL, EVIL, True, True, True, None, (EVIL,), (table,), (table,), rests)
    for written in (
        docs_page.doors([door]),
        docs_page.game(door, [EVIL], [(EVIL, EVIL)]),
        docs_page.question(door, page, EVIL),
        docs_page.missing(EVIL, [(EVIL, EVIL)]),
        docs_page.contract(door),
    ):
        assert "<script>" not in written
        assert "&lt;script&gt;" in written


def test_the_host_on_a_page_is_the_name_of_a_host(client: FlaskClient) -> None:
    path = "/docs/stargrave/shoot"
    assert (
        "http://arbiter.example:81/docs/stargrave/shoot.json"
        in client.get(path, headers={"Host": "arbiter.example:81"}).text
    )
    for host in ("$(id)", "a'b", 'a"b', "a`b", "a;b"):
        answer = client.get(path, headers={"Host": host})
        assert host not in answer.text


def test_every_link_from_the_front_page_on_leads_somewhere(client: FlaskClient) -> None:
    """Pages are read as browsers get them; of the entries of the rules that they link, many are asked for as well."""
    queue, parents = ["/"], {"/": ""}
    for path in queue:
        if (page := PAGES.get(path)) is None:
            answer = client.get(path, headers=BROWSER, follow_redirects=True)
            assert answer.status_code == 200, f"{path}, from {parents[path]}"
            if answer.mimetype != "text/html":
                continue
            page = Page(answer.text)
        for address in (*page.links, *page.loaded):
            link = urlsplit(address)._replace(fragment="").geturl()
            entry = re.fullmatch(r"/v1/games/([a-z-]+)/rules/(.+)", unquote(link))
            if entry and len(parents) > MOST_CRAWLED:
                assert entry[2] in catalogue_of(GAMES[entry[1]]).by_id, f"{link}, from {path}"
            elif link and link not in parents:
                parents[link] = path
                queue.append(link)
    assert {f"/docs/{game.name}/{name}" for game in GAMES.values() for name in game.questions} <= parents.keys()


def test_the_viewer_asks_no_other_host_and_brings_its_licence(client: FlaskClient) -> None:
    program = FILES["openapi-explorer.min.js"].read_text(encoding="utf-8")
    assert sha256(program.encode()).hexdigest() == EXPLORER, "this file is the work of others, and stays as it came"
    hosts = set(re.findall(r"https?://([a-z0-9.-]+)", program))
    # Of these none is asked: a comment, an example of an address, and the base by which addresses are taken apart.
    assert hosts <= {"github.com", "marked.js.org", "localhost", "example.com"}
    assert "Apache License" in FILES["openapi-explorer.LICENSE.txt"].read_text(encoding="utf-8")
    for name in GAMES:
        page = Page(client.get(f"/docs/{name}/contract").text)
        assert {"/docs/files/openapi-explorer.min.js", "/docs/files/viewer.js"} <= set(page.loaded)
        assert page.inline == []
        for address in page.loaded:
            assert client.get(address).status_code == 200, address
    assert client.get("/docs/files/..%2fdocs.css").status_code == 404


def test_files_of_the_documentation_are_part_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    patterns = project["tool"]["setuptools"]["package-data"]["*"]
    assert sorted(FILES) == ["docs.css", "openapi-explorer.LICENSE.txt", "openapi-explorer.min.js", "viewer.js"]
    for file in FILES.values():
        assert any(file.match(pattern) for pattern in patterns), file.name
