"""Games: the list, the questions of each, and its data, sources, readings and worked examples."""

from typing import Any, Literal

from flask import Blueprint, Response

from api.auth.callers import needs
from api.openapi.operations import Operation
from api.problems.handlers import no_such
from api.schemas.responses import Links, accept_json, json_response
from api.web.services import PAGES, services
from arbiter.asking.short_forms import forms_of
from arbiter.facts import Fact, FactCase
from arbiter.game import ENGINE, Arbiter
from arbiter.skirmish import deeds
from arbiter.skirmish.deeds import Battle, Deed, Roster
from arbiter.sources.catalogue import GameCatalogue
from arbiter.sources.ledger import Document, Reading, Unit
from arbiter.value import Value


class GameLine(Value, frozen=True):
    """A game in the list of games; `coverage` counts the passages of its text by status."""

    name: str
    title: str
    edition: str
    gist: str
    questions: tuple[str, ...]
    coverage: dict[str, int]
    links: Links


class GameList(Value, frozen=True):
    """All games, and the version of the engine that decides them."""

    engine: str
    games: tuple[GameLine, ...]


class FactLine(Value, frozen=True):
    """A fact that players can give without a board: its question, subjects, and the values it takes."""

    name: str
    question: str
    of: tuple[str, ...]
    type: Literal["yes-no", "option", "number", "units"]
    cites: tuple[str, ...]
    usual: bool | float | str | tuple[str, ...] | None = None
    options: tuple[str, ...] = ()
    unit: str | None = None
    whole: bool = False
    least: float | None = None
    most: float | None = None


class QuestionLine(Value, frozen=True):
    """A question: what it asks, whether it needs dice (and so has odds), and its first worked example.

    `facts` says whether players can give facts to it instead of a board. A question with a short form has an example of
    it among its links, as `short`.
    """

    name: str
    gist: str
    dice: bool
    facts: bool
    example: str | None
    links: Links


class PolicyLine(Value, frozen=True):
    """A named way to make a player's choices."""

    name: str
    gist: str


class GameFacts(Value, frozen=True):
    """The description of a game: questions, policies, units and deeds.

    `rosters` say where its scenes have units, `deeds` what can be asked about a unit, and `battle` how a battle is
    played out. A page needs these to ask questions by clicks on units.
    """

    name: str
    title: str
    edition: str
    engine: str
    gist: str
    coverage: dict[str, int]
    documents: tuple[Document, ...]
    questions: tuple[QuestionLine, ...]
    facts: tuple[FactLine, ...]
    policies: tuple[PolicyLine, ...]
    readings: int
    tables: tuple[str, ...]
    rosters: tuple[Roster, ...]
    deeds: tuple[Deed, ...]
    battle: Battle | None
    links: Links


class TableLine(Value, frozen=True):
    """A data file, with its number of rows."""

    name: str
    rows: int
    links: Links


class TableList(Value, frozen=True):
    """The data of a game: profiles, weapons, tables."""

    game: str
    tables: tuple[TableLine, ...]


class TableData(Value, frozen=True):
    """One data file, each row with its source."""

    game: str
    name: str
    data: Any


class SourceList(Value, frozen=True):
    """The ledger of a game: its documents, and every passage that can be right or wrong, with our own gist."""

    game: str
    coverage: dict[str, int]
    documents: tuple[Document, ...]
    units: tuple[Unit, ...]


class ReadingList(Value, frozen=True):
    """The unclear passages of a text, the ways to read each, the default one, and the reason for it."""

    game: str
    readings: tuple[Reading, ...]


class ExampleShown(Value, frozen=True):
    """A worked example: its title, the body to post, and the units that its ruling cites."""

    title: str
    body: dict[str, Any]
    cites: tuple[str, ...]
    example_of_book: bool


class ExampleList(Value, frozen=True):
    """The worked examples of a question."""

    game: str
    question: str
    gist: str
    examples: tuple[ExampleShown, ...]
    links: Links


pages = Blueprint("games", __name__)
pages.before_request(accept_json)


@pages.get("/v1/games")
@Operation("games", GameList)
@needs("ask")
def every() -> Response:
    """List the games."""
    lines = tuple(
        GameLine(
            *(game.name, game.title, game.edition, game.gist, tuple(game.questions), game.ledger.coverage()),
            {"self": _path(game), "rules": f"{_path(game)}/rules"},
        )
        for game in services().games.values()
    )
    return json_response(GameList(ENGINE, lines))


@pages.get("/v1/games/<game>")
@Operation("game", GameFacts)
@needs("ask")
def one(game: str) -> Response:
    """Give the description of a game, with its questions."""
    catalogue = services().catalogue(game)
    arbiter, path = catalogue.game, _path(catalogue.game)
    battles = catalogue.examples.get("battle", ())
    return json_response(
        GameFacts(
            name=arbiter.name,
            title=arbiter.title,
            edition=arbiter.edition,
            engine=ENGINE,
            gist=arbiter.gist,
            coverage=arbiter.ledger.coverage(),
            documents=tuple(arbiter.ledger.documents.values()),
            questions=tuple(_question(catalogue, name) for name in arbiter.questions),
            facts=tuple(map(_fact, arbiter.facts.values())),
            policies=tuple(
                PolicyLine(name, (policy.__doc__ or "").strip().partition("\n")[0])
                for name, policy in arbiter.policies.items()
            ),
            readings=len(arbiter.readings.by_id),
            tables=tuple(arbiter.catalog),
            rosters=deeds.rosters(arbiter),
            deeds=deeds.deeds(arbiter),
            battle=deeds.battle(arbiter, next((each.policies for each in battles if each.policies), None)),
            links={"self": path, **{room: f"{path}/{room}" for room in PAGES if room != "questions"}},
        )
    )


@pages.get("/v1/games/<game>/data")
@Operation("tables", TableList)
@needs("ask")
def data(game: str) -> Response:
    """List the data of a game: profiles, weapons, tables."""
    arbiter = services().game(game)
    place = f"{_path(arbiter)}/data/"
    lines = [TableLine(name, len(rows), {"self": place + name}) for name, rows in arbiter.catalog.items()]
    return json_response(TableList(game, tuple(lines)))


@pages.get("/v1/games/<game>/data/<table>")
@Operation("table", TableData)
@needs("ask")
def data_table(game: str, table: str) -> Response:
    """Give one data file."""
    catalog = services().game(game).catalog
    if table not in catalog:
        raise no_such("table", table, catalog)
    return json_response(TableData(game, table, catalog[table]))


@pages.get("/v1/games/<game>/sources")
@Operation("sources", SourceList)
@needs("ask")
def ledger(game: str) -> Response:
    """Give the ledger of a game's sources."""
    of = services().game(game).ledger
    return json_response(SourceList(game, of.coverage(), tuple(of.documents.values()), tuple(of.units.values())))


@pages.get("/v1/games/<game>/readings")
@Operation("readings", ReadingList)
@needs("ask")
def all_readings(game: str) -> Response:
    """List the unclear passages of a text."""
    return json_response(ReadingList(game, tuple(services().game(game).readings.by_id.values())))


@pages.get("/v1/games/<game>/questions/<question>/examples")
@Operation("examples", ExampleList)
@needs("ask")
def examples(game: str, question: str) -> Response:
    """Give the worked examples of a question."""
    catalogue = services().catalogue(game)
    gist = catalogue.game.question(question).gist
    shown = tuple(
        ExampleShown(each.title, each.ready_body(), each.cites, each.example_of_book)
        for each in catalogue.examples[question]
    )
    links = {"game": _path(catalogue.game), "ask": f"{_path(catalogue.game)}/{question}"}
    return json_response(ExampleList(game, question, gist, shown, links))


def _question(catalogue: GameCatalogue, name: str) -> QuestionLine:
    question, path = catalogue.game.questions[name], _path(catalogue.game)
    first = next(iter(catalogue.examples[name]), None)
    links = {"ask": f"{path}/{name}", "examples": f"{path}/questions/{name}/examples"}
    if question.dice:
        links |= {"odds": f"{path}/{name}/odds", "simulations": f"{path}/{name}/simulations"}
    takes_facts, forms = issubclass(question.case, FactCase), forms_of(catalogue.game)
    if forms is not None and name in forms.questions:
        links["short"] = f"{path}/{name}?{forms.questions[name].example}"
    return QuestionLine(name, question.gist, question.dice, takes_facts, first.title if first else None, links)


def _fact(fact: Fact[..., Any]) -> FactLine:
    usual = fact.kind.samples[0] if fact.kind.has_usual else None
    return FactLine(fact.name, fact.question, fact.of, cites=fact.cites, usual=usual, **fact.kind.needs())


def _path(game: Arbiter) -> str:
    return f"/v1/games/{game.name}"
