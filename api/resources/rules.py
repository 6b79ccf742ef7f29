"""Rules looked up: every unit of the sources, every rule and every reading of a game, by id or by full-text search."""

from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import quote, urlencode

from flask import Blueprint, Response, request
from msgspec import Meta

from api.problems.handlers import unknown
from api.quotas import costs
from api.quotas.costs import charged
from api.resources.games import shelf_of
from api.schemas.query import read
from api.schemas.responses import Links, accept_json, encoded
from arbiter.ruling import Citation
from arbiter.sources.catalogue import GameCatalogue
from arbiter.sources.search import Entry
from arbiter.value import Value

Kind = Literal["unit", "rule", "reading"]
Cursor = Annotated[str, Meta(pattern=r"^from-[0-9]{1,9}(?!\n)$")]


class RulesQuery(Value, frozen=True):
    """What is looked up: words that must all be found (or begin a word), kinds of entries, and which page."""

    q: Annotated[str, Meta(max_length=200, description="Words to look for; every one must be found.")] = ""
    kind: Annotated[Kind | None, Meta(description="Only entries of this kind.")] = None
    cursor: Annotated[Cursor | None, Meta(description="`next` of the page before; leave it out at first.")] = None
    limit: Annotated[int, Meta(ge=1, le=200, description="Entries of one page.")] = 50


class EntryLine(Value, frozen=True):
    """One thing that can be looked up: a unit of the source, a rule or a reading, and what it rests on."""

    id: str
    kind: Kind
    gist: str
    where: str
    cites: tuple[str, ...]
    status: str
    links: Links


class RulesPage(Value, frozen=True):
    """One page of what was found: best match first when words are looked for, else in the order of the text."""

    game: str
    total: int
    entries: tuple[EntryLine, ...]
    next: str | None
    links: Links


class EntryFacts(Value, frozen=True):
    """A unit, rule or reading with everything around it.

    `cites` are the units it rests on, `cited_by` the rules and readings that rest on it, `examples` the titles of the
    worked examples whose ruling takes a step by it.
    """

    id: str
    kind: Kind
    gist: str
    where: str
    status: str
    cites: tuple[Citation, ...]
    cited_by: tuple[EntryLine, ...]
    examples: tuple[str, ...]
    links: Links


def resource(shelves: Mapping[str, GameCatalogue]) -> Blueprint:
    """Look rules up."""
    pages = Blueprint("rules", __name__)
    pages.before_request(accept_json)

    @pages.get("/v1/games/<game>/rules")
    @charged(costs.LOOKUP)
    def search(game: str) -> Response:
        """Search the rules of a game, or list all."""
        shelf, asked = shelf_of(shelves, game), read(RulesQuery, request.args)
        page = _page(shelf, asked)
        answer = encoded(page)
        if "next" in page.links:
            answer.headers["Link"] = f'<{page.links["next"]}>; rel="next"'
        return answer

    @pages.get("/v1/games/<game>/rules/<path:id_>")
    @charged(costs.LOOKUP)
    def entry(game: str, id_: str) -> Response:
        """Show one unit, rule or reading."""
        shelf = shelf_of(shelves, game)
        found = next((entry for entry in shelf.entries if entry.id == id_), None)
        if found is None:
            raise unknown("rule", id_, [entry.id for entry in shelf.entries])
        return encoded(_facts(shelf, found))

    return pages


def _page(shelf: GameCatalogue, asked: RulesQuery) -> RulesPage:
    game = shelf.game.name
    found = shelf.lookup.search(asked.q, most=len(shelf.entries)) if asked.q.strip() else shelf.entries
    if asked.kind:
        found = tuple(entry for entry in found if entry.kind == asked.kind)
    start = int(asked.cursor.removeprefix("from-")) if asked.cursor else 0
    end = start + asked.limit
    links: Links = {"game": f"/v1/games/{game}"}
    following = f"from-{end}" if end < len(found) else None
    if following:
        said = {"q": asked.q, "kind": asked.kind or "", "limit": str(asked.limit), "cursor": following}
        links["next"] = f"/v1/games/{game}/rules?" + urlencode({name: value for name, value in said.items() if value})
    return RulesPage(game, len(found), tuple(_line(game, entry) for entry in found[start:end]), following, links)


def _facts(shelf: GameCatalogue, entry: Entry) -> EntryFacts:
    game = shelf.game
    return EntryFacts(
        id=entry.id,
        kind=_kind(entry),
        gist=entry.gist,
        where=entry.where,
        status=entry.status,
        cites=tuple(game.cite(id_) for id_ in entry.cites),
        cited_by=tuple(_line(game.name, other) for other in shelf.entries if entry.id in other.cites),
        examples=shelf.exercised.get(entry.id, ()),
        links={"self": _path(game.name, entry), "rules": f"/v1/games/{game.name}/rules"},
    )


def _line(game: str, entry: Entry) -> EntryLine:
    links = {"self": _path(game, entry)}
    return EntryLine(entry.id, _kind(entry), entry.gist, entry.where, entry.cites, entry.status, links)


def _kind(entry: Entry) -> Kind:
    return "unit" if entry.kind == "unit" else "rule" if entry.kind == "rule" else "reading"


def _path(game: str, entry: Entry) -> str:
    return f"/v1/games/{game}/rules/{quote(entry.id)}"
