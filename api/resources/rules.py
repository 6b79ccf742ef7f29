"""Rules looked up: every unit of the sources, every rule and every reading of a game, by id or by full-text search."""

from typing import Literal
from urllib.parse import quote, urlencode

from flask import Blueprint, Response

from api.auth.callers import needs
from api.problems.handlers import unknown
from api.quotas import costs
from api.quotas.limiter import charged
from api.schemas.queries import RulesQuery, query
from api.schemas.responses import Links, accept_json, encoded
from api.web.services import services
from arbiter.ruling import Citation
from arbiter.sources.catalogue import GameCatalogue
from arbiter.sources.search import Entry
from arbiter.value import Value

Kind = Literal["unit", "rule", "reading"]


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


pages = Blueprint("rules", __name__)
pages.before_request(accept_json)


@pages.get("/v1/games/<game>/rules")
@needs("ask")
@charged(costs.LOOKUP)
@query(RulesQuery)
def search(game: str, q: str, kind: Kind | None, cursor: str | None, limit: int) -> Response:
    """Search the rules of a game, or list all."""
    page = _page(services().catalogue(game), q, kind, cursor, limit)
    answer = encoded(page)
    if "next" in page.links:
        answer.headers["Link"] = f'<{page.links["next"]}>; rel="next"'
    return answer


@pages.get("/v1/games/<game>/rules/<path:id_>")
@needs("ask")
@charged(costs.LOOKUP)
def entry(game: str, id_: str) -> Response:
    """Give one unit, rule or reading."""
    catalogue = services().catalogue(game)
    result = next((entry for entry in catalogue.entries if entry.id == id_), None)
    if result is None:
        raise unknown("rule", id_, [entry.id for entry in catalogue.entries])
    return encoded(_facts(catalogue, result))


def _page(catalogue: GameCatalogue, q: str, kind: Kind | None, cursor: str | None, limit: int) -> RulesPage:
    game = catalogue.game.name
    matches = catalogue.lookup.search(q, most=len(catalogue.entries)) if q.strip() else catalogue.entries
    if kind:
        matches = tuple(entry for entry in matches if entry.kind == kind)
    start = int(cursor.removeprefix("from-")) if cursor else 0
    end = start + limit
    links: Links = {"game": f"/v1/games/{game}"}
    following = f"from-{end}" if end < len(matches) else None
    if following:
        parameters = {"q": q, "kind": kind, "limit": limit, "cursor": following}
        links["next"] = f"/v1/games/{game}/rules?" + urlencode(
            {name: value for name, value in parameters.items() if value}
        )
    return RulesPage(game, len(matches), tuple(_line(game, entry) for entry in matches[start:end]), following, links)


def _facts(catalogue: GameCatalogue, entry: Entry) -> EntryFacts:
    game = catalogue.game
    return EntryFacts(
        id=entry.id,
        kind=_kind(entry),
        gist=entry.gist,
        where=entry.where,
        status=entry.status,
        cites=tuple(game.cite(id_) for id_ in entry.cites),
        cited_by=tuple(_line(game.name, other) for other in catalogue.entries if entry.id in other.cites),
        examples=catalogue.exercised.get(entry.id, ()),
        links={"self": _path(game.name, entry), "rules": f"/v1/games/{game.name}/rules"},
    )


def _line(game: str, entry: Entry) -> EntryLine:
    links = {"self": _path(game, entry)}
    return EntryLine(entry.id, _kind(entry), entry.gist, entry.where, entry.cites, entry.status, links)


def _kind(entry: Entry) -> Kind:
    return "unit" if entry.kind == "unit" else "rule" if entry.kind == "rule" else "reading"


def _path(game: str, entry: Entry) -> str:
    return f"/v1/games/{game}/rules/{quote(entry.id)}"
