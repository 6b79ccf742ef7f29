"""Permalinks: the very bytes that were answered, for a stated time, in the form that the client asks for."""

import html
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from markdown_it import MarkdownIt

from api import create_app
from api.settings import Settings
from rendering.permalink_page import escape_markdown
from tests.api.posting import ATTACK, MOVES, TEMPLATE, ask, attack, problem

BODY = attack(dice={"seed": 7}, policies={"*": "first"})
UNKNOWN = "/v1/rulings/" + "0" * 32
NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}",
    "</title><b>",
    "@everyone",
    "# head",
    "[x](http://evil.example)",
    "![x](//evil.example/p.png)",
    "- item",
    "1. one",
    "`code`",
    "**bold**",
    "a\nb",
    "\x1b[31mred",
    "abc\u202egpj.exe",
    "http://evil.example",
    "www.evil.example",
    "&lt;b&gt;",
    "> quote",
    "||hidden||",
    "a | b",
    "\\*x\\*",
)


@pytest.fixture
def link(client: FlaskClient) -> str:
    return ask(client, ATTACK, BODY).headers["Content-Location"]


def named(name: str) -> dict[str, Any]:
    """Give a body in which Bob has another name."""
    body = attack(dice={"seed": 7}, policies={"*": "first"})
    body["case"]["scene"]["fighters"][1]["id"] = body["case"]["target"] = name
    return body


def told(client: FlaskClient, link: str, form: str) -> str:
    answer = client.get(link, headers={"Accept": form})
    assert answer.status_code == 200
    assert answer.mimetype == form
    assert answer.mimetype_params == {"charset": "utf-8"}
    return answer.get_data(as_text=True)


# What is kept


def test_it_gives_the_very_bytes_that_were_answered(client: FlaskClient) -> None:
    for path, body in ((ATTACK, BODY), (ATTACK, attack()), (f"{ATTACK}/odds", attack()), (ATTACK, attack(heads=1))):
        answer = ask(client, path, body)
        if answer.status_code != 200:
            assert "Content-Location" not in answer.headers
            continue
        link = answer.headers["Content-Location"]
        assert re.fullmatch("/v1/rulings/[0-9a-f]{32}", link)
        kept = client.get(link)
        assert (kept.status_code, kept.data, kept.content_type) == (200, answer.data, "application/json")


def test_a_settled_question_has_one_permalink_and_a_rolled_one_has_one_for_each_answer(client: FlaskClient) -> None:
    def links(body: Any) -> set[str]:
        return {ask(client, ATTACK, body).headers["Content-Location"] for _ in range(2)}

    assert len(links(BODY)) == 1
    assert len(links(attack())) == 2
    assert links(BODY) != links(attack(dice={"seed": 8}, policies={"*": "first"}))


def test_it_says_how_long_it_stays_and_that_it_never_changes(client: FlaskClient, link: str) -> None:
    answer = client.get(link)
    said = re.fullmatch("public, max-age=([0-9]+), immutable", answer.headers["Cache-Control"])
    assert said
    assert 604_800 - 3_600 < int(said[1]) <= 604_800
    assert answer.headers["Vary"] == "Accept, Accept-Encoding"
    page = client.get(link, headers={"Accept": "text/html"})
    assert page.headers["Cache-Control"] == "public, max-age=3600", "the next version may write it better"
    assert page.headers["Vary"] == "Accept, Accept-Encoding"


def test_after_its_time_it_is_gone() -> None:
    client = create_app(
        Settings(rulings_ttl_s=60, log_level="error", rate_limits=False), {TEMPLATE.name: TEMPLATE}
    ).test_client()
    now = 1_800_000_000.0
    client.application.extensions["arbiter"].responses.rulings.clock = lambda: now
    link = ask(client, ATTACK, BODY).headers["Content-Location"]
    now += 59
    assert client.get(link).headers["Cache-Control"] == "public, max-age=1, immutable"
    now += 1
    answer = client.get(link)
    problem(answer, 404, "not-found")
    assert answer.headers["Cache-Control"] == "no-store", "it may be asked again, and kept again"


@pytest.mark.parametrize(
    "path",
    [UNKNOWN, UNKNOWN[:-1], UNKNOWN + "0", "/v1/rulings/" + "G" * 32, "/v1/rulings/..%2f..%2fetc", "/v1/rulings/"],
)
def test_what_was_never_kept_is_not_found(client: FlaskClient, path: str) -> None:
    problem(client.get(path), 404, "not-found")


def test_only_rulings_are_kept(with_jobs: FlaskClient) -> None:
    for path, headers in ((ATTACK, {"Prefer": "respond-async"}), (f"{ATTACK}/simulations", {})):
        answer = ask(with_jobs, path, attack(), headers=headers)
        assert answer.status_code == 202
        assert "Content-Location" not in answer.headers


def test_processes_that_share_no_store_promise_nothing(app: Flask) -> None:
    def asked(multiprocess: bool) -> Any:
        return ask(app.test_client(), ATTACK, attack(), environ_overrides={"wsgi.multiprocess": multiprocess})

    assert "Content-Location" in asked(False).headers
    assert "Content-Location" not in asked(True).headers


# Conditions and forms


@pytest.mark.parametrize("form", ["application/json", "text/html", "text/plain", "text/markdown"])
def test_who_has_it_is_told_so(client: FlaskClient, link: str, form: str) -> None:
    answer = client.get(link, headers={"Accept": form})
    again = client.get(link, headers={"Accept": form, "If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    for name in ("ETag", "Vary"):
        assert again.headers[name] == answer.headers[name]
    assert client.get(link, headers={"Accept": form, "If-None-Match": '"x"'}).data == answer.data
    wanted = client.get(link, headers={"Accept": form, "If-Match": '"x"'})
    problem(wanted, 412, "precondition-failed")
    headed = client.head(link, headers={"Accept": form})
    assert (headed.status_code, headed.data) == (200, b"")
    assert headed.headers["Content-Length"] == str(len(answer.data))


def test_each_form_has_a_tag_of_its_own(client: FlaskClient, link: str) -> None:
    forms = ("application/json", "text/html", "text/plain", "text/markdown")
    assert len({client.get(link, headers={"Accept": form}).headers["ETag"] for form in forms}) == 4


@pytest.mark.parametrize(
    ("said", "form"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
        ("text/*", "text/html"),
        ("text/markdown, text/plain;q=0.5", "text/markdown"),
        ("text/plain", "text/plain"),
        ("text/html;q=0.2, application/json;q=0.3", "application/json"),
    ],
)
def test_the_form_is_the_one_that_the_client_likes_best(
    client: FlaskClient, link: str, said: str | None, form: str
) -> None:
    assert client.get(link, headers={} if said is None else {"Accept": said}).mimetype == form


def test_a_form_that_there_is_not_is_refused(client: FlaskClient, link: str) -> None:
    problem(client.get(link, headers={"Accept": "image/webp"}), 406, "not-acceptable")


# What is told


def test_the_outcome_comes_first_and_everything_is_there(client: FlaskClient, link: str) -> None:
    ruling = json.loads(client.get(link).data)
    page = html.unescape(told(client, link, "text/html"))
    assert page.index("<h1") < page.index("<h2>Why</h2>") < page.index("<h2>Dice</h2>") < page.index("hits: 2")
    for finding in ruling["findings"]:
        assert finding["text"] in page
        assert f"/v1/games/{TEMPLATE.name}/rules/{finding['rule']}" in page
        assert client.get(f"/v1/games/{TEMPLATE.name}/rules/{finding['rule']}").status_code == 200
    for citation in ruling["citations"]:
        assert citation["gist"] in page
    for form in ("text/plain", "text/markdown"):
        short = told(client, link, form).replace("\\", "")
        assert "Ruled" in short.splitlines()[0]
        assert "slain: yes" in short
        assert "to hit: 1 4 5" in short
        assert f"http://localhost{link}" in short


def test_what_is_forbidden_what_is_missing_and_odds_are_told(client: FlaskClient) -> None:
    friend = attack()
    friend["case"]["scene"]["fighters"][1]["side"] = "red"
    for path, body, said, headline, more in (
        (ATTACK, friend, "Forbidden", "Forbidden", "Only enemies"),
        (ATTACK, attack(dice={"hand": {}}), "Dice are missing", "Roll the dice", "d6 for to hit"),
        (f"{ATTACK}/odds", attack(), "Odds (exact, 104 paths)", "Odds (exact, 104 paths)", "37.50%"),
        (MOVES, {"case": {"scene": attack()["case"]["scene"], "fighter": "ann"}}, "Ruled", "Where it may go", "hexes"),
    ):
        link = ask(client, path, body).headers["Content-Location"]
        for form in ("text/html", "text/plain", "text/markdown"):
            text = html.unescape(told(client, link, form)).replace("\\", "")
            assert (headline if form == "text/html" else said) in text, (form, text)
            if form == "text/html":
                assert more in text


def test_the_short_forms_are_short(client: FlaskClient) -> None:
    body = attack(dice={"seed": 3}, policies={"*": "bold"})
    body["case"] = {"scene": body["case"]["scene"], "rounds": 50}
    link = ask(client, f"/v1/games/{TEMPLATE.name}/battle", body).headers["Content-Location"]
    assert len(json.loads(client.get(link).data)["findings"]) > 12
    for form in ("text/plain", "text/markdown"):
        assert len(told(client, link, form).splitlines()) < 80
        assert "more" in told(client, link, form)


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.targets: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.targets += [value or "" for name, value in attrs if name in {"href", "src", "action", "srcset"}]
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]


def test_the_page_asks_nothing_of_anybody(client: FlaskClient, link: str) -> None:
    answer = client.get(link, headers={"Accept": "text/html"})
    page = Page()
    page.feed(answer.get_data(as_text=True))
    assert not {"script", "link", "iframe", "form", "object", "base"} & set(page.tags)
    assert page.handlers == []
    # All of them lead to this service.
    assert all(target.startswith("/") and not target.startswith("//") for target in page.targets)
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "img-src 'self'" in policy
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("name", NASTY)
def test_names_cannot_become_markup_on_the_page(client: FlaskClient, link: str, name: str) -> None:
    plain, nasty = Page(), Page()
    plain.feed(told(client, link, "text/html"))
    answer = ask(client, ATTACK, named(name))
    text = told(client, answer.headers["Content-Location"], "text/html")
    nasty.feed(text)
    assert nasty.tags == plain.tags
    assert nasty.handlers == []
    assert "7 * 7" not in text or "{{ 7 * 7 }}" in html.unescape(text)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


@pytest.mark.parametrize("name", NASTY)
def test_texts_cannot_become_markup_in_markdown(name: str) -> None:
    written = escape_markdown(name.replace("\n", " ").replace("\x1b", "\ufffd"))
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(f"- {written}\n")
    kinds = [token.type for token in tokens]
    assert kinds == [
        "bullet_list_open",
        "list_item_open",
        "paragraph_open",
        "inline",
        "paragraph_close",
        "list_item_close",
        "bullet_list_close",
    ], kinds
    inline = tokens[3].children or []
    assert {token.type for token in inline} <= {"text", "text_special"}
    assert "@everyone" not in written
    assert not re.search(r"https?://|www\.e", written)


def test_a_host_that_is_none_is_not_repeated(client: FlaskClient, link: str) -> None:
    for form in ("text/plain", "text/markdown"):
        text = client.get(link, headers={"Accept": form, "Host": "evil.example/<b>"}).get_data(as_text=True)
        assert "evil" not in text
