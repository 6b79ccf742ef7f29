"""Pictures over HTTP: of a scene, of a ruling by `Accept`, and of stored rulings, with their card."""

import json
import struct
from typing import Any
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

from tests.api.posting import ATTACK, TEMPLATE, ask, attack, problem

PICTURE = f"/v1/games/{TEMPLATE.name}/picture"
SVG, PNG = "image/svg+xml", "image/png"


def settled() -> dict[str, Any]:
    """Give an attack whose dice are settled, so that its ruling has a tag."""
    return attack(dice={"seed": 7}, policies={"*": "first"})


def scene() -> dict[str, Any]:
    return {"case": {"scene": settled()["case"]["scene"]}}


def size(png: bytes) -> tuple[int, int]:
    """Read width and height where a PNG has them: in its first part."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    wide, high = struct.unpack(">II", png[16:24])
    return wide, high


def units(svg: bytes) -> set[str]:
    return {each.get("data-id", "") for each in ElementTree.fromstring(svg.decode()).iter() if each.get("data-id")}


def test_a_scene_is_drawn(client: FlaskClient) -> None:
    answer = client.post(PICTURE, json=scene())
    assert (answer.status_code, answer.mimetype) == (200, SVG)
    assert units(answer.data) == {fighter["id"] for fighter in scene()["case"]["scene"]["fighters"]}
    again = client.open(PICTURE, method="QUERY", json=scene(), headers={"Accept": SVG})
    assert (again.data, again.headers["ETag"]) == (answer.data, answer.headers["ETag"])
    assert answer.headers["Vary"] == "Accept"


def test_a_scene_that_cannot_be_is_refused_at_its_place(client: FlaskClient) -> None:
    wrong = scene()
    wrong["case"]["scene"]["fighters"][0]["hex"] = [40, 40]
    answer = problem(client.post(PICTURE, json=wrong), 422, "invalid")
    assert [fault["pointer"] for fault in answer["errors"]] == ["/case/scene/fighters/0/hex"]
    problem(client.post(PICTURE, json={"case": {}}), 422, "invalid")
    problem(client.post(PICTURE, json=scene(), headers={"Accept": "text/html"}), 406, "not-acceptable")
    problem(client.post(f"{PICTURE}?theme=pink", json=scene()), 422, "invalid")


@pytest.mark.parametrize(("theme", "colour"), [("light", b"#fffdf7"), ("dark", b"#24221e")])
def test_a_theme_has_its_own_colours_alone(client: FlaskClient, theme: str, colour: bytes) -> None:
    picture = client.post(f"{PICTURE}?theme={theme}", json=scene()).data
    assert f".f-floor{{fill:{colour.decode()}}}".encode() in picture
    assert b"prefers-color-scheme" not in picture


def test_a_question_answers_with_its_picture(client: FlaskClient) -> None:
    ruling = ask(client, ATTACK, settled())
    picture = ask(client, ATTACK, settled(), headers={"Accept": SVG})
    assert (picture.status_code, picture.mimetype) == (200, SVG)
    assert picture.headers["Content-Location"] == ruling.headers["Content-Location"]
    assert picture.headers["ETag"] == f"W/{ruling.headers['ETag']}"
    drawn = ElementTree.fromstring(picture.data.decode())
    lines = [each for each in drawn.iter("{http://www.w3.org/2000/svg}g") if each.get("class") == "line"]
    assert len(lines) == 1, "the shot"
    # Who says that anything will do gets what programs read.
    assert ask(client, ATTACK, settled(), headers={"Accept": "*/*"}).mimetype == "application/json"


def test_a_client_that_has_the_picture_is_told_so(client: FlaskClient) -> None:
    headers = {"Accept": SVG}
    first = client.open(ATTACK, method="QUERY", json=settled(), headers=headers)
    again = client.open(
        ATTACK, method="QUERY", json=settled(), headers={**headers, "If-None-Match": first.headers["ETag"]}
    )
    assert (again.status_code, again.data) == (304, b"")


def test_a_body_that_is_refused_has_no_picture(client: FlaskClient) -> None:
    wrong = settled()
    wrong["case"]["attacker"] = "nobody"
    problem(ask(client, ATTACK, wrong, headers={"Accept": SVG}), 422, "invalid")


def test_a_stored_ruling_has_pictures_and_a_card(client: FlaskClient) -> None:
    link = ask(client, ATTACK, settled()).headers["Content-Location"]
    drawn = client.get(f"{link}.svg")
    assert drawn.data == ask(client, ATTACK, settled(), headers={"Accept": SVG}).data
    assert client.get(link, headers={"Accept": SVG}).data == drawn.data
    for path, mimetype in ((f"{link}.svg", SVG), (f"{link}.png", PNG), (f"{link}/card.png", PNG)):
        answer = client.get(path)
        assert (answer.status_code, answer.mimetype) == (200, mimetype)
        assert answer.headers["Cache-Control"].startswith("public, max-age=")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert client.get(path, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    assert size(client.get(f"{link}/card.png").data) == (1200, 630)
    assert max(size(client.get(f"{link}.png").data)) <= 1200


def test_odds_have_a_card_too(client: FlaskClient) -> None:
    body = {"case": settled()["case"]}
    link = ask(client, f"{ATTACK}/odds", body).headers["Content-Location"]
    assert client.get(f"{link}.svg").status_code == 200
    assert size(client.get(f"{link}/card.png").data) == (1200, 630)


def test_what_is_not_stored_has_no_picture(client: FlaskClient) -> None:
    for end in (".svg", ".png", "/card.png"):
        problem(client.get(f"/v1/rulings/{'0' * 32}{end}"), 404, "not-found")


def test_the_page_shows_the_picture_and_unfolds_in_chats(client: FlaskClient) -> None:
    answer = ask(client, ATTACK, settled())
    link = answer.headers["Content-Location"]
    page = client.get(link, headers={"Accept": "text/html"}).get_data(as_text=True)
    assert f'<img class="board" src="{link}.svg?head=no"' in page
    assert f'<meta property="og:image" content="http://localhost{link}/card.png">' in page
    wounds = json.loads(answer.data)["answer"]["wounds"]
    assert f"{wounds} wounds" in page[page.index("<h1") : page.index("</h1>")]


SHEET = "application/vnd.arbiter.sheet+json"


def test_a_sheet_has_the_ruling_the_picture_and_the_reasons_in_groups(client: FlaskClient) -> None:
    """Whom the lines lead to comes first, each with how its line ends; every step of the ruling stands in one group."""
    scene: Any = client.get("/table/scenes/stargrave.json").json
    body = {"case": {"scene": scene["scene"], "observer": scene["unit"]}}
    path = "/v1/games/stargrave/line-of-sight"
    plain = client.post(path, json=body)
    answer = client.post(path, json=body, headers={"Accept": SHEET})
    assert (answer.status_code, answer.mimetype) == (200, SHEET)
    assert answer.headers["Content-Location"] == plain.headers["Content-Location"]
    assert answer.headers["ETag"] == f"W/{plain.headers['ETag']}"
    sheet, ruling = answer.json, plain.json
    assert sheet is not None
    assert ruling is not None
    assert sheet["ruling"] == ruling
    lines = ruling["answer"]["lines"]
    assert sheet["verdict"] == f"{ruling['answer']['seen']} of {len(lines)} seen"
    about = [group for group in sheet["why"] if group["gist"]]
    assert [group["about"] for group in about] == [line["target"] for line in lines]
    for group, line in zip(about, lines, strict=True):
        assert (group["tone"] == "no") is (not line["seen"])
        assert group["gist"].startswith("seen" if line["seen"] else "not seen")
        for met in line["contacts"]:
            assert not met["counts"] or group["tone"] in ("part", "no")
    told = {step["text"] for group in sheet["why"] for step in group["steps"]}
    assert told == {finding["text"] for finding in ruling["findings"]}
    # The page has the title and the sentence itself, beside the picture.
    assert f'data-id="{scene["unit"]}"' in sheet["picture"]
    assert 'class="title' not in sheet["picture"]
    assert client.post(path, json={"case": {}}, headers={"Accept": SHEET}).status_code == 422


def test_a_sheet_without_a_board_has_no_picture_and_says_what_is_to_be_done(client: FlaskClient) -> None:
    figures = [
        {"id": "ann", "profile": "recruit", "crew": "red", "weapons": ["carbine"]},
        {"id": "bob", "profile": "trooper", "crew": "blue"},
    ]
    case = {"scene": {"figures": figures}, "shooter": "ann", "weapon": "carbine", "targets": ["bob"]}
    sheet: Any = client.post("/v1/games/stargrave/shoot", json={"case": case}, headers={"Accept": SHEET}).json
    assert (sheet["verdict"], sheet["tone"], sheet["picture"]) == ("Look at the table", "part", None)
    given = {"given": {"sees": True, "range_in": 8, "cover": "none", "between": 0}, "assume": "usual"}
    body = {"case": {**case, **given}, "dice": {"hand": {}}}
    sheet = client.post("/v1/games/stargrave/shoot", json=body, headers={"Accept": SHEET}).json
    assert sheet["verdict"] == "Roll the dice"
