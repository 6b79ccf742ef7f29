"""The readable forms of a stored ruling: a page for browsers, and short text and Markdown for chats.

The page loads nothing from any host, runs no script, and tells the browser so (`PAGE_HEADERS`). The template escapes
everything that a client wrote; in Markdown every mark is escaped, including links and mentions.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any

from arbiter.value import Value
from rendering.pages import FOLDER, templates
from rendering.stored_ruling import StoredRuling
from rendering.view import Chances, RulingView, Step, body_lines

MOST_SHORT = 12
"""Lines of each part in a chat; the permalink has the rest."""

MOST_ON_PAGE = 400
"""Lines of each part that the page shows."""

MOST_OF_BODY = 20_000
"""Characters of the question's body that the page shows."""

STYLE = re.findall(r"<style>(.*?)</style>", (FOLDER / "ruling.html").read_text(encoding="utf-8"), re.DOTALL)[0]
_STYLE_DIGEST = b64encode(sha256(STYLE.encode()).digest()).decode()

PAGE_HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_DIGEST}'; img-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of the page: only its own style is applied, and its address is not sent to any host."""

# Marks that CommonMark or a chat gives a meaning to: anywhere, and at the beginning of a line.
_MARKS = re.compile(r"[\\`*_{}\[\]<>#!|~&]|:(?=/)|(?<=[Ww]{3})\.")
_LEADING = re.compile(r"([0-9]{0,9})([-+=.)])")


class Shared(Value, frozen=True):
    """The preview of a link to a ruling: a short verdict, a sentence, the address, and whether it is drawn."""

    said: str
    sentence: str
    address: str
    picture: bool


def page(view: RulingView, stored: StoredRuling, link: str, until: str, shared: Shared, table: str) -> str:
    """Give the page of a ruling: the outcome first, then the picture; `until` says how long the link is valid.

    `table` is the address of its table.
    """
    shown: dict[str, Any] = {
        **parts(view, MOST_ON_PAGE),
        "said": shared.said,
        "sentence": shared.sentence,
        "address": shared.address,
        "picture": shared.picture,
        "link": link,
        "until": until,
        "table": table,
        "body": body_lines(stored, MOST_OF_BODY),
    }
    return templates().get_template("ruling.html").render(shown)


def parts(view: RulingView, most: int) -> dict[str, Any]:
    """Give the values for the template of a ruling's sections: at most this many lines of each."""
    each: list[tuple[str, Sequence[str]]] = [
        ("Needed", view.needs),
        ("Not used", view.notices),
        ("Dice", view.dice),
        ("Choices", view.choices),
        ("On the table", view.changes),
        ("Facts", view.facts),
        ("Readings", view.readings),
    ]
    return {"view": view, "groups": _groups, "parts": [part for part in each if part[1]], "most": most}


def _groups(steps: Sequence[Step]) -> list[tuple[str, list[tuple[int, Step]]]]:
    """Give steps, each with its number, in groups by their unit."""
    numbered = enumerate(steps, 1)
    return [(about, list(group)) for about, group in groupby(numbered, key=lambda each: each[1].about)]


def text(view: RulingView, link: str) -> str:
    """Give the short text of a ruling."""
    return "\n".join(_lines(view, link, lambda part: part, bullet="  ")) + "\n"


def markdown(view: RulingView, link: str) -> str:
    """Give the short Markdown of a ruling."""
    return "\n".join(_lines(view, link, escape_markdown, bullet="- ", strong="**", apart=True)) + "\n"


def escape_markdown(text_: str) -> str:
    """Write a text so that Markdown shows it as it is, in one line, without mentions or links."""
    # A mention can only be escaped by splitting it.
    marked = _MARKS.sub(r"\\\g<0>", text_.strip()).replace("@", "@\u200b")
    leading = _LEADING.match(marked)
    return marked if leading is None else f"{leading[1]}\\{marked[leading.start(2) :]}"


def _lines(
    view: RulingView, link: str, written: Any, *, bullet: str, strong: str = "", apart: bool = False
) -> Iterator[str]:
    yield f"{strong}{written(view.verdict)}{strong}: {written(view.question)} ({written(view.title)})"
    # Without an empty line Markdown would add a list to the paragraph before it.
    gap = ("",) if apart else ()
    for title, lines in (
        ("", view.answer),
        ("", tuple(_step(step) for step in view.reasons)),
        ("Needed", view.needs),
        ("Not used", view.notices),
        ("Why", tuple(_step(step) for step in view.steps)),
        ("Dice", view.dice),
        ("On the table", view.changes),
        # The steps of a ruling already name its facts.
        ("Facts", () if view.steps else view.facts),
        *((_heading(each), tuple(_row(each))) for each in view.chances),
        *((each.of, each.lines) for each in view.tables),
    ):
        if lines:
            yield from gap
            if title:
                yield f"{strong}{written(title)}{strong}"
                yield from gap
            for row in lines[:MOST_SHORT]:
                # The items of an answer are below its name, further indented.
                inner = row.startswith("  ")
                yield f"{'  ' * inner}{bullet}{written(row.strip().removeprefix('- ') if inner else row)}"
            if len(lines) > MOST_SHORT:
                yield f"{bullet}{written(f'and {len(lines) - MOST_SHORT:,} more')}"
    yield from gap
    yield f"<{link}>" if apart else link


def _step(step: Step) -> str:
    return f"{step.text} [{step.rule}]"


def _heading(each: Chances) -> str:
    return f"{each.of}, {each.mean} on average" if each.mean else each.of


def _row(each: Chances) -> Iterator[str]:
    yield from (f"{row.percent} {row.answer}" for row in each.rows)
