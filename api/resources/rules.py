"""Looking rules up: in players' words, in one game or all; lists of units, rules and readings, and each by its id.

A look-up and a single entry are JSON, a page, or text and Markdown for chats, by `Accept`.
"""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, urlencode

from flask import Blueprint, Response
from msgspec.structs import asdict, replace

from api.auth.callers import needs
from api.openapi.operations import Operation
from api.problems.handlers import no_such
from api.resources.permalinks import WORDS, linked_from_chats
from api.schemas.queries import AllRulesQuery, RulesQuery, query
from api.schemas.responses import HTML, JSON, TEXT, Links, accept, accept_json, json_response
from api.web.services import services
from arbiter.sources.catalogue import GameCatalogue, look_up
from arbiter.sources.lookup.cards import Card, LookupAnswer
from arbiter.sources.lookup.entries import Entry, Kind
from arbiter.value import Value
from rendering import lookup_page, lookup_text

RULES = "/v1/rules"

PAGE = 50
"""Entries of a page by default."""


class EntryLine(Value, frozen=True):
    """One entry that can be looked up: a unit of the source, a rule or a reading, and what it cites."""

    id: str
    kind: Kind
    gist: str
    where: str
    cites: tuple[str, ...]
    status: str
    links: Links


class RulesPage(Value, frozen=True):
    """One page of the entries that can be looked up, in the order of the text."""

    game: str
    total: int
    entries: tuple[EntryLine, ...]
    next: str | None
    links: Links


class EntryFacts(Card, frozen=True):
    """The card of a unit, rule or reading with all related entries.

    `cited_by` are the rules and readings that cite it, `examples` the titles of the worked examples whose rulings use
    it.
    """

    cited_by: tuple[EntryLine, ...] = ()
    examples: tuple[str, ...] = ()


pages = Blueprint("rules", __name__)


@pages.get(RULES)
@Operation("allRules", LookupAnswer, WORDS)
@needs("ask")
@query(AllRulesQuery)
def everywhere(q: str, limit: int | None) -> Response:
    """Look a question up in the rules of all games."""
    catalogues = services().catalogues.values()
    return _respond(look_up(catalogues, q, most=limit), RULES, {"q": q, "limit": limit})


@pages.get("/v1/games/<game>/rules")
@Operation("rules", LookupAnswer | RulesPage, WORDS)
@needs("ask")
@query(RulesQuery)
def search(game: str, q: str, kind: Kind | None, cursor: str | None, limit: int | None) -> Response:
    """Look a question up in the rules of a game; without `q` list its units, rules and readings."""
    catalogue = services().catalogue(game)
    if q.strip():
        parameters = {"q": q, "kind": kind, "limit": limit}
        return _respond(look_up([catalogue], q, kind, limit), f"/v1/games/{game}/rules", parameters)
    accept_json()
    page = _page(catalogue, kind, cursor, limit or PAGE)
    answer = json_response(page)
    if "next" in page.links:
        answer.headers["Link"] = f'<{page.links["next"]}>; rel="next"'
    return answer


@pages.get("/v1/games/<game>/rules/<path:id_>")
@Operation("rule", EntryFacts, WORDS)
@needs("ask")
def entry(game: str, id_: str) -> Response:
    """Show one unit, rule or reading: what it cites, what cites it, and the examples that exercise it."""
    catalogue = services().catalogue(game)
    if id_ not in catalogue.by_id:
        raise no_such("rule", id_, catalogue.by_id)
    form, result = accept(*WORDS), catalogue.by_id[id_]
    card = _add_links(catalogue.cards.card(result))
    path = card.links["self"]
    if form == JSON:
        cited_by = tuple(_line(game, other) for other in catalogue.entries if id_ in other.cites)
        return json_response(EntryFacts(**asdict(card), cited_by=cited_by, examples=catalogue.exercised.get(id_, ())))
    return _readable(form, lookup_page.card(card, path), lookup_text.card(card), path)


def _respond(answer: LookupAnswer, path: str, parameters: dict[str, Any]) -> Response:
    own = _with(path, parameters)
    answer = replace(answer, cards=tuple(map(_add_links, answer.cards)), links={"self": own})
    form = accept(*WORDS)
    if form == JSON:
        return json_response(answer)
    return _readable(form, lookup_page.answer(answer, path, own), lookup_text.answer(answer), own)


def _readable(form: str, page: str, lines: Iterable[lookup_text.Line], path: str) -> Response:
    if form == HTML:
        content = page
    else:
        link = linked_from_chats(path)
        content = (lookup_text.plain if form == TEXT else lookup_text.markdown)(lines, link)
    response = Response(content, 200, content_type=f"{form}; charset=utf-8")
    response.headers.extend({**lookup_page.PAGE_HEADERS, "Vary": "Accept"})
    return response


def _page(catalogue: GameCatalogue, kind: Kind | None, cursor: str | None, limit: int) -> RulesPage:
    game = catalogue.game.name
    every = tuple(entry for entry in catalogue.entries if kind in (None, entry.kind))
    start = int(cursor.removeprefix("from-")) if cursor else 0
    end = start + limit
    links: Links = {"game": f"/v1/games/{game}"}
    following = f"from-{end}" if end < len(every) else None
    if following:
        parameters = {"kind": kind, "limit": limit, "cursor": following}
        links["next"] = _with(f"/v1/games/{game}/rules", parameters)
    return RulesPage(game, len(every), tuple(_line(game, entry) for entry in every[start:end]), following, links)


def _with(path: str, parameters: dict[str, Any]) -> str:
    """Give a path with the parameters that have a value."""
    return f"{path}?{urlencode({name: value for name, value in parameters.items() if value})}"


def _line(game: str, entry: Entry) -> EntryLine:
    links = {"self": _path(game, entry.id)}
    return EntryLine(entry.id, entry.kind, entry.gist, entry.where, entry.cites, entry.status, links)


def _add_links(card: Card) -> Card:
    """Give a card with its links."""
    links = {"self": _path(card.game, card.id), "rules": f"/v1/games/{card.game}/rules"}
    for name, passage in (("previous", card.previous), ("next", card.next)):
        if passage:
            links[name] = _path(card.game, passage.id)
    boards = tuple(replace(board, links={"ask": f"/v1/games/{card.game}/{board.question}"}) for board in card.boards)
    return replace(card, links=links, boards=boards)


def _path(game: str, id_: str) -> str:
    return f"/v1/games/{game}/rules/{quote(id_)}"
