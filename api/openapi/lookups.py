"""The part of the contract about everything that is looked up: one line for each page, and its parameters."""

from collections.abc import Iterable, Mapping
from typing import Any

from api.openapi.caching import with_tag
from api.openapi.links import OF_EPOCHS
from api.openapi.words import IDENTIFIED, LOOKED_UP, NAMED, refusals
from api.problems.catalogue import KINDS, Kind
from api.resources.docs import Home
from api.resources.games import ExampleList, GameFacts, GameList, ReadingList, SourceList, TableData, TableList
from api.resources.health import Alive, Readiness
from api.resources.limits import Limits
from api.resources.rules import EntryFacts, RulesPage
from api.schemas.queries import RulesQuery, describe_parameters
from api.schemas.responses import JSON
from api.signing.epochs import EXAMPLE, Epoch, EpochList
from api.signing.keys import KEYS_PATH, JwkSet
from arbiter.sources.catalogue import GameCatalogue
from arbiter.value import Value

Schema = dict[str, Any]


class Lookup(Value, frozen=True):
    """A page that is looked up: its path, what it is called, what it gives, and how it may be refused.

    `answer` is the type of the page where that is one of ours; every other page is only said to be of its media type.
    """

    path: str
    name: str
    gist: str
    answer: Any = None
    refused: tuple[str, ...] = LOOKED_UP
    query: Any = None
    media_type: str = JSON
    tag: str = "look-up"
    free: bool = False


class Service(Lookup, frozen=True):
    """A page about the service itself, which is given in whatever form it has."""

    refused: tuple[str, ...] = IDENTIFIED
    tag: str = "service"


class Free(Service, frozen=True):
    """A page about the service itself that asks nobody who they are."""

    refused: tuple[str, ...] = ("key-in-url",)
    free: bool = True


GAME = NAMED

LOOKUPS = (
    Lookup("/v1/games", "games", "List the games.", GameList),
    Lookup("/v1/games/{game}", "game", "Give the facts of a game, and what can be asked.", GameFacts, GAME),
    Lookup("/v1/games/{game}/data", "tables", "List the data of a game: profiles, weapons, tables.", TableList, GAME),
    Lookup("/v1/games/{game}/data/{table}", "table", "Give one file of data as it stands.", TableData, GAME),
    Lookup(
        "/v1/games/{game}/rules", "rules", "Search the units, rules and readings of a game, or list all.", RulesPage,
        (*GAME, "invalid"), query=RulesQuery,
    ),
    Lookup(
        "/v1/games/{game}/rules/{id}", "rule",
        "Show one unit, rule or reading: what it rests on, what rests on it, and the examples that exercise it.",
        EntryFacts, GAME,
    ),
    Lookup("/v1/games/{game}/sources", "sources", "Give the ledger of a game's sources.", SourceList, GAME),
    Lookup("/v1/games/{game}/readings", "readings", "List the unclear places of a text.", ReadingList, GAME),
    Lookup(
        "/v1/games/{game}/questions/{question}/examples", "examples", "Give the worked examples of a question.",
        ExampleList, GAME,
    ),
    Lookup("/v1/limits", "limits", "List every limit.", Limits),
    Lookup("/v1/epochs", "epochs", "List the epochs of committed dice: now, next, and revealed.", EpochList),
    Lookup(
        "/v1/epochs/{epoch}", "epoch", "Give one epoch, with its secret once it is revealed.", Epoch, GAME
    ),
    Lookup(KEYS_PATH, "signing_keys", "Give the public keys of this service as a JWK Set.", JwkSet, tag="service"),
    Service("/", "home", "Say what this is and where to go on.", Home),
    Free("/problems", "problems", "List the kinds of problems.", tuple[Kind, ...]),
    Free("/problems/{slug}", "problem", "Explain one kind of problem.", Kind, ("not-found", "key-in-url")),
    Free("/healthz", "alive", "Say that the process answers.", Alive),
    Free("/readyz", "ready", "Say whether every part of the service answers.", Readiness),
    Free("/metrics", "metrics", "Count the requests that were answered, and time them.", media_type="text/plain"),
    Service("/openapi.json", "contract", "Give this contract."),
    Service("/openapi.yaml", "contract_yaml", "Give this contract as YAML.", media_type="application/yaml"),
)  # fmt: skip


def lookup_operation(page: Lookup, schema: Schema | None) -> Schema:
    """Give the operation of a page."""
    names = [part[1:-1] for part in page.path.split("/") if part.startswith("{")]
    content = {
        page.media_type: {"schema": schema or {"type": "string" if page.media_type.startswith("text/") else "object"}}
    }
    responses: Schema = {"200": {"description": page.gist, "content": content}}
    if page.answer is EpochList:
        responses["200"] |= OF_EPOCHS
    if page.answer is Readiness:
        responses["503"] = {"description": "A part of the service does not answer.", "content": content}
    operation = {
        "operationId": page.name,
        "tags": [page.tag],
        **({"security": []} if page.free else {}),
        "summary": page.gist,
        "parameters": [*names, *(describe_parameters(page.query) if page.query else ())],
        "responses": {**responses, **refusals(*page.refused, "internal")},
    }
    return with_tag(operation) if page.answer is Limits else operation


def parameters(shelves: Mapping[str, GameCatalogue]) -> dict[str, Schema]:
    """Give the parameters of paths by name, each with the values there are and one that works in an example."""
    games = [shelf.game for shelf in shelves.values()]
    tables = _unique(name for game in games for name in game.catalog)
    questions = _unique(name for game in games for name in game.questions)
    entries = [entry.id for shelf in list(shelves.values())[:1] for entry in shelf.entries]
    return {
        "game": _parameter("The name of a game.", shelves),
        "table": _parameter("The name of a file of data.", tables),
        "question": _parameter("The name of a question.", questions),
        "id": _parameter("The id of a unit, rule or reading; it may hold slashes.", entries, whole=False),
        "epoch": _parameter("The id of an epoch: its length in seconds, and its number.", [EXAMPLE], whole=False),
        "slug": _parameter("The kind of a problem, as in its `type`.", KINDS),
    }


def _parameter(gist: str, known: Iterable[str], *, whole: bool = True) -> Schema:
    names = list(known)
    schema: Schema = {"type": "string", "minLength": 1}
    if whole and names:
        schema = {"type": "string", "enum": names}
    return {"description": gist, "schema": schema, **({"example": names[0]} if names else {})}


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
