"""The documentation: `/docs`, `/docs/{game}` and `/docs/{game}/{question}`, pages written from the registry.

The page of a question shows a worked example, the first with ground on its board if there is one, as the permalink of
its ruling would; it is decided and drawn when the page is first asked for. `/docs/{game}/{question}.json` is the body
of the example, `.svg` its picture. No page needs a script.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec
from flask import Blueprint, Response, redirect
from werkzeug import Response as BaseResponse
from werkzeug.exceptions import NotFound

from api.openapi.components import envelope_name, prefix, schemas
from api.openapi.members import TypeTables
from api.pictures import making
from api.problems.handlers import ProblemError, no_such
from api.resources.front.table import PARTS, page_response, tagged_response
from api.resources.permalinks import HTML, linked_from_chats
from api.schemas import codec
from api.schemas.bodies import ask_type
from api.schemas.responses import JSON, PROBLEM, SVG, accept
from api.web.services import services
from arbiter.asking.short_forms import forms_of
from arbiter.drawing import Shape
from arbiter.facts import FactCase
from arbiter.game import ENGINE, Arbiter
from arbiter.sources import examples as sources_examples
from arbiter.sources.catalogue import GameCatalogue
from arbiter.sources.lookup.entries import Kind
from rendering import docs_page
from rendering.docs_page import Example, GameDoor, Passage, QuestionPage, Rests
from rendering.pictures import scenes
from rendering.pictures.svg import svg
from rendering.stored_ruling import StoredRuling
from rendering.view import body_lines, view_of

MOST_OF_BODY = 20_000
"""Characters of an example's body that its page shows."""

MOST_QUESTIONS = 512
"""Questions of which a process has the page in memory; five games have about a hundred."""

pages = Blueprint("docs", __name__)


class Documented(NamedTuple):
    """A question as it is documented: its page, the body of its example, and the picture of that."""

    page: QuestionPage
    body: bytes
    picture: bytes


@pages.get("/docs")
def doors() -> Response:
    """Give the page that leads to everything."""
    return page_response(docs_page.doors([door(game) for game in services().games.values()]))


@pages.get("/docs/")
def redirect_to_docs() -> BaseResponse:
    """Lead to the documentation."""
    return redirect("/docs", 308)


@pages.get("/docs/<game>")
def of_game(game: str) -> BaseResponse:
    """Give the page of a game."""
    if game not in services().games:
        return missing_game(game)
    arbiter = services().games[game]
    documents = [
        f"{each.title} ({each.kind}{f', {each.year}' if each.year else ''})"
        for each in arbiter.ledger.documents.values()
    ]
    facts = [(fact.name, fact.question) for fact in arbiter.facts.values()]
    return page_response(docs_page.game(door(arbiter), documents, facts))


@pages.get("/docs/<game>/<question>")
def of_question(game: str, question: str) -> Response:
    """Give the page of a question."""
    if game not in services().games:
        return missing_game(game)
    arbiter = services().games[game]
    if question not in arbiter.questions:
        questions = [(docs_page.words(name), f"/docs/{game}/{name}") for name in arbiter.questions]
        return _missing(
            no_such("question", question, arbiter.questions), f"{arbiter.title} has no such question.", questions
        )
    page = document(services().catalogue(game), question).page
    return page_response(docs_page.question(door(arbiter), page, linked_from_chats("")))


@pages.get("/docs/<game>/<question>.json")
def example_body(game: str, question: str) -> Response:
    """Give the body of the example that the page of a question shows."""
    return tagged_response(_find(game, question).body, JSON)


@pages.get("/docs/<game>/<question>.svg")
def example_picture(game: str, question: str) -> Response:
    """Draw the ruling of the example that the page of a question shows."""
    drawn = _find(game, question).picture
    if not drawn:
        raise NotFound
    answer = tagged_response(drawn, SVG)
    answer.headers.extend(making.HEADERS)
    return answer


def door(game: Arbiter) -> GameDoor:
    """Say what other pages say of a game."""
    questions = tuple((name, question.gist) for name, question in game.questions.items())
    return GameDoor(game.name, game.title, game.edition, game.gist, questions, f"scenes/{game.name}.json" in PARTS)


def missing_game(name: str) -> Response:
    """Say that there is no such game, and which there are."""
    games = services().games
    there = [(game.title, f"/docs/{game.name}") for game in games.values()]
    return _missing(no_such("game", name, games), "There is no such game.", there)


def _missing(problem: ProblemError, what: str, others: list[tuple[str, str]]) -> Response:
    """Say that something is not there: to browsers as a page, to programs as the problem."""
    if accept(PROBLEM, HTML) == PROBLEM:
        raise problem
    answer = page_response(docs_page.missing(what, others))
    answer.status_code = 404
    return answer


def _find(game: str, question: str) -> Documented:
    documented = document(services().catalogue(game), services().game(game).question(question).name)
    if not documented.body:
        raise NotFound
    return documented


@lru_cache(maxsize=MOST_QUESTIONS)
def document(catalogue: GameCatalogue, name: str) -> Documented:
    """Make the page of a question, the body of its example, and the picture of that."""
    game, question = catalogue.game, catalogue.game.questions[name]
    examples = catalogue.examples[name]
    index = _index(game, examples)
    body = codec.encode(examples[index].ready_body()) if examples else b""
    shown, picture = _example(game, name, examples[index].title, index, body) if examples else (None, b"")
    forms = forms_of(game)
    tables = _type_tables(game)
    page = QuestionPage(
        name=name,
        gist=question.gist,
        dice=question.dice,
        facts=issubclass(question.case, FactCase),
        short=forms is not None and name in forms.questions,
        example=shown,
        examples=tuple(each.title for each in examples),
        posted=tables.of(envelope_name(game, name, "Ask")),
        answered=tables.of(codec.component_name(question.answer)),
        rests=_rests(catalogue, name),
    )
    return Documented(page, body, picture)


@lru_cache(maxsize=MOST_QUESTIONS)
def _type_tables(game: Arbiter) -> TypeTables:
    return TypeTables(schemas({game.name: game}, ()), prefix(game))


def _index(game: Arbiter, examples: Sequence[sources_examples.Example]) -> int:
    """Choose the example that a page shows: the first with ground on its board, else with a board, else the first."""
    with_board: int | None = None
    for index, example in enumerate(examples):
        case = msgspec.convert(example.case, game.questions[example.question].case)
        drawing = scenes.of_scene(game, case.scene) if hasattr(case, "scene") else None
        if drawing is not None:
            if any(isinstance(mark, Shape) for mark in drawing.marks):
                return index
            with_board = index if with_board is None else with_board
    return with_board or 0


def _example(game: Arbiter, question: str, title: str, index: int, body: bytes) -> tuple[Example, bytes]:
    """Decide the example of a question; give what its page shows, and its picture where there is a board."""
    ask = codec.decode(ask_type(game.questions[question]), body)
    posted = msgspec.json.decode(body)["case"].get("scene")
    answer = game.ask_json(question, ask, seed=sources_examples.SEED, posted=lambda: posted)
    stored = StoredRuling("ruling", game.name, question, game.edition, ENGINE, 0.0, body, answer)
    view = view_of(stored, {game.name: game})
    assert view is not None, "this version has made the ruling"
    shared = making.link_preview(stored, view.verdict, "")
    opens = posted is not None and f"scenes/{game.name}.json" in PARTS
    table = f"/table#g={game.name}&e={question}.{index}" if opens else ""
    shown = Example(title, shared.said, shared.sentence, shared.picture, view, body_lines(stored, MOST_OF_BODY), table)
    return shown, svg(making.of_stored(stored), "auto", "focus", head=False) if shared.picture else b""


def _rests(catalogue: GameCatalogue, question: str) -> Rests:
    kinds: dict[Kind, list[Passage]] = {"rule": [], "unit": [], "reading": []}
    for entry in catalogue.grounds(question):
        kinds[entry.kind].append(Passage(entry.id, entry.gist))
    return Rests(*map(tuple, (kinds["rule"], kinds["unit"], kinds["reading"])))
