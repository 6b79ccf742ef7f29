"""The documentation as pages without a script: for all games, for a game, and for a question with an example."""

import re
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from arbiter.value import Value
from rendering.pages import templates
from rendering.permalink_page import parts
from rendering.view import RulingView, rule_path

MOST_LINES = 12
"""Lines of each part of a ruling that the page of a question shows."""


class Part(Value, frozen=True):
    """A part of a type's description: a text, and the name of the type whose table it links to, if any."""

    text: str
    target: str = ""


class Member(Value, frozen=True):
    """A member of a type: its values in words, its meaning, and whether it is required."""

    name: str
    type: tuple[Part, ...]
    gist: str
    required: bool


class TypeTable(Value, frozen=True):
    """A type with its members: its name in the contract, and its name without the game."""

    name: str
    title: str
    gist: str
    members: tuple[Member, ...]


class GameDoor(Value, frozen=True):
    """A game as other pages name it; `table` says whether it can be opened in the table."""

    name: str
    title: str
    edition: str
    gist: str
    questions: tuple[tuple[str, str], ...]
    table: bool


class Passage(Value, frozen=True):
    """A rule, a passage of the text or a reading that rulings use."""

    id: str
    gist: str


class Rests(Value, frozen=True):
    """The rules, passages and readings that the rulings of a question use, from its examples."""

    rules: tuple[Passage, ...]
    passages: tuple[Passage, ...]
    readings: tuple[Passage, ...]


class Example(Value, frozen=True):
    """An example of a question with its ruling: the verdict in words, the sentence of its picture, its body.

    `table` is its address in the table; empty if the table cannot open it.
    """

    title: str
    said: str
    sentence: str
    picture: bool
    view: RulingView
    body: str
    table: str


class QuestionPage(Value, frozen=True):
    """The content of the page of a question."""

    name: str
    gist: str
    dice: bool
    facts: bool
    short: bool
    example: Example | None
    examples: tuple[str, ...]
    posted: tuple[TypeTable, ...]
    answered: tuple[TypeTable, ...]
    rests: Rests


def doors(games: Sequence[GameDoor]) -> str:
    """Give the page with links to everything."""
    return _page("docs/doors.html", games=games)


def game(door: GameDoor, documents: Sequence[str], facts: Sequence[tuple[str, str]]) -> str:
    """Give the page of a game: its questions, the texts that it follows, and the facts that players can give."""
    return _page("docs/game.html", game=door, documents=documents, facts=facts)


def question(door: GameDoor, page: QuestionPage, service: str) -> str:
    """Give the page of a question; `service` is the base address of the requests on it."""
    ruling = {} if page.example is None else parts(page.example.view, MOST_LINES)
    return _page("docs/question.html", game=door, page=page, service=service, path_to=rule_path, **ruling)


def contract(door: GameDoor) -> str:
    """Give the page that shows the contract of a game."""
    return _page("docs/contract.html", game=door)


def problems(kinds: Sequence[Any]) -> str:
    """Give the page that explains kinds of problems, or a single kind."""
    return _page("docs/problems.html", kinds=kinds)


def limits(limits_: Any) -> str:
    """Give the page of the costs and limits of requests."""
    return _page("docs/limits.html", limits=limits_)


def missing(what: str, others: Sequence[tuple[str, str]]) -> str:
    """Give the page for a missing name, with the existing names and their paths."""
    return _page("docs/missing.html", what=what, others=others)


def words(name: str) -> str:
    """Give a name in words."""
    return name.replace("-", " ")


def mark_up(text: str) -> Markup:
    """Write one of our texts as HTML, with its paragraphs, and with code for backticks."""
    escaped = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup("").join(Markup(f"<p>{each}</p>") for each in escaped.split("\n\n") if each.strip())


def _page(name: str, **shown: Any) -> str:
    return templates().get_template(name, None, {"words": words, "marked": mark_up}).render(shown)
