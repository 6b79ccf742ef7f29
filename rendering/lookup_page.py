"""A look-up and its cards as a page: with a box for the next question, and no script."""

from jinja2 import Template

from arbiter.sources.lookup.cards import Card, LookupAnswer
from rendering import data_rows, lookup_text
from rendering.pages import templates
from rendering.permalink_page import PAGE_HEADERS as RULING_HEADERS
from rendering.permalink_page import STYLE
from rendering.view import rule_path

PAGE_HEADERS = {
    **RULING_HEADERS,
    "Content-Security-Policy": RULING_HEADERS["Content-Security-Policy"].replace(
        "form-action 'none'", "form-action 'self'"
    ),
}
"""Headers of the page: as for a ruling's page, but its form may be sent to this service."""


def _template() -> Template:
    names = {"words": lookup_text, "rows": data_rows, "path_to": rule_path, "style": STYLE}
    return templates().get_template("lookup.html", None, names)


def answer(found: LookupAnswer, path: str, link: str) -> str:
    """Give the page of a look-up; the form sends to `path`, `link` is the address of this page."""
    title = found.answer.text if found.answer and found.answer.text else found.q
    shown = {"title": title, "found": found, "cards": found.cards, "others": found.others}
    return _template().render(shown, path=path, link=link)


def card(each: Card, link: str) -> str:
    """Give the page of one entry."""
    shown = {"title": each.id, "found": None, "cards": (each,), "others": ()}
    return _template().render(shown, path=f"/v1/games/{each.game}/rules", link=link)
