"""The documentation: `/docs`, `/docs/{game}` and `/docs/{game}/{question}`, pages generated from the registry.

The page of a question is generated at its first request. `/docs/{game}/{question}.json` is the body of the example on
it, `.svg` its picture. No page needs a script.
"""

from functools import lru_cache

from flask import Blueprint, Response, redirect
from werkzeug import Response as BaseResponse
from werkzeug.exceptions import NotFound

from api.caching.etags import tagged_response
from api.openapi.components import envelope_name, prefix, schemas
from api.pictures import making
from api.problems.handlers import ProblemError, no_such
from api.resources.front.table import PARTS, page_response
from api.resources.permalinks import linked_from_chats
from api.schemas.json_schema import component_name
from api.schemas.responses import HTML, JSON, PROBLEM, SVG, accept
from api.web.services import services
from arbiter.game import Arbiter
from arbiter.sources.catalogue import GameCatalogue
from rendering import docs_page
from rendering.docs_example import Documented, document
from rendering.docs_page import GameDoor
from rendering.type_tables import TypeTables

MOST_QUESTIONS = 512
"""Pages of questions that a process caches; five games have about a hundred."""

pages = Blueprint("docs", __name__)


@pages.get("/docs")
def doors() -> Response:
    """Give the page with links to everything."""
    return page_response(docs_page.doors([door(game) for game in services().games.values()]))


@pages.get("/docs/")
def redirect_to_docs() -> BaseResponse:
    """Redirect to the documentation."""
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
    page = document_question(services().catalogue(game), question).page
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
    """Give the summary of a game for other pages."""
    questions = tuple((name, question.gist) for name, question in game.questions.items())
    return GameDoor(game.name, game.title, game.edition, game.gist, questions, _opens(game))


def _opens(game: Arbiter) -> bool:
    """Decide whether the table opens scenes of a game."""
    return f"scenes/{game.name}.json" in PARTS


def missing_game(name: str) -> Response:
    """Answer that there is no such game, and list the games."""
    games = services().games
    there = [(game.title, f"/docs/{game.name}") for game in games.values()]
    return _missing(no_such("game", name, games), "There is no such game.", there)


def _missing(problem: ProblemError, what: str, others: list[tuple[str, str]]) -> Response:
    """Answer that something does not exist: to browsers as a page, to programs as the problem."""
    if accept(PROBLEM, HTML) == PROBLEM:
        raise problem
    answer = page_response(docs_page.missing(what, others))
    answer.status_code = 404
    return answer


def _find(game: str, question: str) -> Documented:
    documented = document_question(services().catalogue(game), services().game(game).question(question).name)
    if not documented.body:
        raise NotFound
    return documented


@lru_cache(maxsize=MOST_QUESTIONS)
def document_question(catalogue: GameCatalogue, name: str) -> Documented:
    """Document a question, with tables of its types from the contract."""
    game = catalogue.game
    tables = _type_tables(game)
    posted = tables.of(envelope_name(game, name, "Ask"))
    answered = tables.of(component_name(game.questions[name].answer))
    return document(catalogue, name, posted, answered, opens=_opens(game))


@lru_cache(maxsize=MOST_QUESTIONS)
def _type_tables(game: Arbiter) -> TypeTables:
    return TypeTables(schemas({game.name: game}, ()), prefix(game))
