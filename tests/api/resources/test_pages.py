import re
from html.parser import HTMLParser
from pathlib import Path
from shlex import split
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from api.resources.front.table import FOLDER
from rendering import front_page
from tests.api.posting import TEMPLATE
from upkeep import tables

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"}


class Parts(HTMLParser):
    """What a page has: addresses that it loads or leads to, and whether a script or a style is written into it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.inline: list[str] = []
        self.text: list[str] = []
        self._within = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self._within = tag
        self.addresses += [named[name] or "" for name in ("href", "src") if name in named]
        self.inline += [name for name in named if name == "style" or name.startswith("on")]
        self.inline += [tag] if tag == "style" or (tag == "script" and "src" not in named) else []

    def handle_data(self, data: str) -> None:
        if self._within == "pre":
            self.text.append(data)
            self._within = ""


def test_programs_get_json_and_browsers_a_page(client: FlaskClient) -> None:
    for headers, form in ((None, "application/json"), ({"Accept": "*/*"}, "application/json"), (BROWSER, "text/html")):
        answer = client.get("/", headers=headers)
        assert (answer.status_code, answer.mimetype) == (200, form), headers
        assert "Accept" in answer.vary
    assert client.get("/", headers={"Accept": "image/png"}).status_code == 406


@pytest.mark.parametrize("path", ["/", "/?shot=wall", "/table"])
def test_pages_load_what_is_ours_and_nothing_is_written_into_them(client: FlaskClient, path: str) -> None:
    answer = client.get(path, headers=BROWSER)
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'; ")
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    page = Parts(answer.text)
    assert page.inline == []
    assert len(page.addresses) > 3
    for address in page.addresses:
        assert re.fullmatch(r"/[^/].*|/", address), address
        with client.get(address.partition("#")[0], follow_redirects=True) as loaded:
            assert loaded.status_code == 200, address


def test_every_module_is_served_and_imports_what_is_there(client: FlaskClient) -> None:
    for file in FOLDER.glob("*.js"):
        answer = client.get(f"/table/{file.name}")
        assert answer.mimetype == "text/javascript", file.name
        again = client.get(f"/table/{file.name}", headers={"If-None-Match": answer.headers["ETag"]})
        assert again.status_code == 304
        for name in re.findall(r'from "\./([a-z]+\.js)"', answer.text):
            assert (FOLDER / name).is_file(), f"{file.name}: {name}"
    assert client.get("/table/../app.py").status_code == 404


def test_a_page_that_links_nothing_has_the_icon_too(client: FlaskClient) -> None:
    unbidden = client.get("/favicon.ico")
    assert (unbidden.status_code, unbidden.mimetype) == (200, "image/svg+xml")
    assert unbidden.data == client.get("/table/icon.svg").data


def test_the_table_opens_with_the_stories(client: FlaskClient) -> None:
    assert tables.main(["--check"]) == 0
    for game in tables.OPENED:
        opened: Any = client.get(f"/table/scenes/{game}.json").json
        assert (tables.ROOT / opened["story"]).is_file()
        asked = {"case": {"scene": opened["scene"], "observer": opened["unit"]}, "dice": {"hand": {}}}
        ruling: Any = client.post(f"/v1/games/{game}/line-of-sight", json=asked).json
        assert ruling["allowed"], game
        picture = client.get(f"/table/scenes/{game}.svg")
        assert picture.mimetype == "image/svg+xml"
        assert f'data-id="{opened["unit"]}"' in picture.text
    assert client.get("/table/scenes/chess.svg").status_code == 404


def test_the_front_page_shows_what_the_service_answers(client: FlaskClient) -> None:
    """By hand: 18 and Shoot 4 make 22, 6 with Fight 3 and heavy cover 4 make 13; of 22, Armour 11 leaves 11."""
    page = client.get("/", headers=BROWSER).text
    assert "11 damage, stunned" in page
    assert "Sniper (sal) does not see Commando (cy)" in client.get("/?shot=wall", headers=BROWSER).text
    # Past the barricade nothing is added to the defence: 6 and Fight 3.
    assert "combat 6 + 3 = 9 against 22" in client.get("/?shot=closer", headers=BROWSER).text


def test_other_dice_are_asked_for_one_after_the_other(client: FlaskClient) -> None:
    seen = []
    address = "/?shot=start"
    for _ in range(front_page.ROLLS + 1):
        page = client.get(address, headers=BROWSER).text
        address = next(each for each in Parts(page).addresses if "shot=roll" in each).partition("#")[0]
        seen.append(address)
    assert len(set(seen)) == front_page.ROLLS
    assert client.get("/?shot=roll-999", headers=BROWSER).text == client.get("/", headers=BROWSER).text
    assert client.get("/front/roll-999.svg").status_code == 404


def test_the_request_on_the_front_page_is_answered_with_a_ruling(client: FlaskClient) -> None:
    command = split("".join(Parts(client.get("/", headers=BROWSER).text).text))
    assert command[0] == "curl"
    answer = client.post(command[1].partition("localhost")[2], json=msgspec.json.decode(command[-1]))
    assert answer.json is not None
    assert answer.json["status"] == "ruled"


def test_the_sheet_of_the_pages_is_that_of_the_pictures(client: FlaskClient) -> None:
    picture = client.get("/front/start.svg").text
    assert client.get("/table/picture.css").text in picture


def test_the_pages_are_part_of_the_package() -> None:
    patterns = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    for ending in ("html", "js", "css", "svg"):
        assert f'"**/*.{ending}"' in patterns


def test_every_game_says_what_the_table_needs_of_it_and_opens(client: FlaskClient) -> None:
    """Also a game without a story, as `make new-game` makes it: the table opens with its first worked example."""
    listed: Any = client.get("/v1/games").json
    names = [game["name"] for game in listed["games"]]
    assert TEMPLATE.name in names
    for name in names:
        facts: Any = client.get(f"/v1/games/{name}").json
        opened: Any = client.get(f"/table/scenes/{name}.json").json
        units = {unit["id"]: unit for roster in facts["rosters"] for unit in opened["scene"][roster["list"]]}
        assert opened["unit"] in units
        assert facts["deeds"], name
        picture = client.get(f"/table/scenes/{name}.svg").text
        assert f'data-id="{opened["unit"]}"' in picture
        by_rules = re.findall(r'data-id="([^"]+)"[^>]* data-by-rules', picture)
        other = next(id_ for id_ in reversed(units) if id_ != opened["unit"])
        for deed in facts["deeds"]:
            actor = next(iter(by_rules), opened["unit"]) if deed["by_rules"] else opened["unit"]
            case: Any = {"scene": opened["scene"], deed["actor"]: actor}
            if deed["weapons"]:
                rows: Any = client.post(f"/v1/games/{name}/targets", json={"case": case, "dice": {"hand": {}}}).json
                row = rows["answer"]["weapons"][0]
                case |= {member: row[member] for member in deed["weapons"] if row.get(member) is not None}
                assert len(case) > 2, (name, deed)
            if deed["target"]:
                case[deed["target"]] = [other] if deed["several"] else other
            body = {"case": case, "dice": {"hand": {}}, "surplus": "ignore"}
            ruling = client.post(f"/v1/games/{name}/{deed['question']}", json=body)
            assert ruling.status_code == 200, (name, deed, ruling.text)
        policies = {"first", "best", *(each["name"] for each in facts["policies"])}
        assert set(facts["battle"]["policies"].values()) <= policies
