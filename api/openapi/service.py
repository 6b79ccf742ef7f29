"""The part of the contract that all games share: look-ups, jobs, batches, maps, permalinks and the service itself."""

from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Any, get_args

from api.caching.etags import PERMALINKS
from api.openapi.operations import OF_A_JOB, OF_EPOCHS, Schema, operation, reference, response, type_reference
from api.openapi.questions import prose
from api.problems.catalogue import KINDS, Kind
from api.resources.batch import Answers
from api.resources.batch_items import Batch
from api.resources.board_import import FORMS, ImportedBoard
from api.resources.docs import YAML, Home
from api.resources.games import ExampleList, GameFacts, GameList, ReadingList, SourceList, TableData, TableList
from api.resources.health import Alive, Readiness
from api.resources.limits import Limits
from api.resources.permalinks import HTML, MARKDOWN, TEXT
from api.resources.rules import FORMS as READABLE
from api.resources.rules import RULES, EntryFacts, RulesPage
from api.schemas.job_status import JOBS, JobFacts, JobList
from api.schemas.queries import AllRulesQuery, JobsQuery, MapQuery, RulesQuery, describe_parameters
from api.schemas.responses import CSV, EVENTS, JSON, SVG
from api.settings import Settings
from api.signing.epochs import EXAMPLE, Epoch, EpochList
from api.signing.keys import KEYS_PATH, JwkSet
from arbiter.game import Arbiter
from arbiter.sources.lookup.cards import LookupAnswer
from arbiter.value import Value

TAGS = {
    "boards": "Boards from maps.",
    "batch": "Many questions at once.",
    "jobs": "Work that goes on by itself: simulations, and whatever is too heavy to wait for.",
    "look-up": "What there is to ask, and what the answers rest on.",
    "rulings": "Rulings and odds by their permalinks.",
    "service": "The service itself.",
}


class Page(Value, frozen=True):
    """A page that is looked up: its path, the name of the operation, what it gives, and in which forms.

    `answer` is the type of its JSON, where that is one of ours. `takes` are headers of the request, `others` the
    statuses that it has beside 200. A free page asks nobody for a key.
    """

    path: str
    name: str
    gist: str
    answer: Any = None
    tag: str = "look-up"
    method: str = "get"
    query: Any = None
    forms: tuple[str, ...] = (JSON,)
    takes: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    others: dict[str, str] = {}
    free: bool = False


class Service(Page, frozen=True):
    """A page about the service itself."""

    tag: str = "service"


class Free(Service, frozen=True):
    """A page about the service itself that asks nobody for a key."""

    free: bool = True


_JOB = f"{JOBS}/{{job}}"
_CACHED = ("ETag", "Cache-Control")
_UNCHANGED = {"304": "The client has the answer: `If-None-Match` names its tag."}

PAGES = (
    Page("/v1/games", "games", "List the games.", GameList),
    Page("/v1/games/{game}", "game", "Give the facts of a game, and what can be asked.", GameFacts),
    Page("/v1/games/{game}/data", "tables", "List the data of a game: profiles, weapons, tables.", TableList),
    Page("/v1/games/{game}/data/{table}", "table", "Give one file of data as it stands.", TableData),
    Page(
        "/v1/games/{game}/rules",
        "rules",
        "Look a question up in the rules of a game; without `q` list its units, rules and readings.",
        LookupAnswer | RulesPage,
        query=RulesQuery,
        forms=READABLE,
    ),
    Page(
        "/v1/games/{game}/rules/{id}",
        "rule",
        "Show one unit, rule or reading: what it rests on, what rests on it, and the examples that exercise it.",
        EntryFacts,
        forms=READABLE,
    ),
    Page(
        RULES,
        "allRules",
        "Look a question up in the rules of all games.",
        LookupAnswer,
        query=AllRulesQuery,
        forms=READABLE,
    ),
    Page("/v1/games/{game}/sources", "sources", "Give the ledger of a game's sources.", SourceList),
    Page("/v1/games/{game}/readings", "readings", "List the unclear places of a text.", ReadingList),
    Page(
        "/v1/games/{game}/questions/{question}/examples",
        "examples",
        "Give the worked examples of a question.",
        ExampleList,
    ),
    Page("/v1/games/{game}/openapi.json", "gameContract", "Give the contract of one game, complete in itself."),
    Page(
        "/v1/limits",
        "limits",
        "List every limit.",
        Limits,
        takes=("If-None-Match",),
        headers=_CACHED,
        others=_UNCHANGED,
    ),
    Page(
        "/v1/epochs",
        "epochs",
        "List the epochs of committed dice: now, next, and revealed.",
        EpochList,
        links=OF_EPOCHS,
    ),
    Page("/v1/epochs/{epoch}", "epoch", "Give one epoch, with its secret once it is revealed.", Epoch),
    Service(KEYS_PATH, "signingKeys", "Give the public keys of this service as a JWK Set.", JwkSet),
    Service("/", "home", "Say what this is and where to go on.", Home),
    Free("/problems", "problems", "List the kinds of problems.", tuple[Kind, ...]),
    Free("/problems/{slug}", "problem", "Explain one kind of problem.", Kind),
    Free("/healthz", "alive", "Say that the process answers.", Alive),
    Free("/readyz", "ready", "Say whether every part of the service answers.", Readiness),
    Free("/metrics", "metrics", "Count the requests that were answered, and time them.", forms=(TEXT,)),
    Service("/openapi.json", "contract", "Give this contract, with all games."),
    Service("/openapi.yaml", "contractYaml", "Give this contract as YAML, one file for each game.", forms=(YAML,)),
    Service("/openapi/{game}.yaml", "gameYaml", "Give the part of the contract about one game as YAML.", forms=(YAML,)),
    Page(
        JOBS,
        "jobs",
        "List the caller's jobs, the newest first.",
        JobList,
        "jobs",
        query=JobsQuery,
        headers=("Link",),
        links=("NewestJob",),
    ),
    Page(_JOB, "job", "Tell of a job as it stands.", JobFacts, "jobs", headers=("Retry-After",), links=OF_A_JOB),
    Page(
        _JOB, "dismissJob", "Dismiss a job that is open; one that has ended stays as it is.", JobFacts, "jobs", "delete"
    ),
    Page(
        f"{_JOB}/result",
        "jobResult",
        "Give the result of a job; that of a simulation also as a table.",
        Any,
        "jobs",
        forms=(JSON, CSV),
    ),
    Page(f"{_JOB}/result.svg", "jobPlot", "Draw the result of a simulation.", tag="jobs", forms=(SVG,)),
    Page(
        f"{_JOB}/events",
        "jobEvents",
        "Follow a job until it has ended: events `state` and `progress`, whose `data` is the job.",
        tag="jobs",
        forms=(EVENTS,),
        takes=("Last-Event-ID",),
        others={"204": "The job has ended, and the client has read its last event."},
    ),
    Page(
        f"{PERMALINKS}/{{digest}}",
        "permalink",
        "Show a ruling or odds: to programs, as a page, or in a few lines.",
        tag="rulings",
        forms=(JSON, HTML, TEXT, MARKDOWN),
        takes=("If-None-Match",),
        headers=_CACHED,
        others=_UNCHANGED,
    ),
)


def _kinds(answer: Any) -> tuple[Any, ...]:
    """Give the types that an answer may have."""
    return get_args(answer) if isinstance(answer, UnionType) else (answer,)


ANSWERS = (
    *(kind for page in PAGES if page.answer not in (None, Any) for kind in _kinds(page.answer)),
    Batch,
    Answers,
    ImportedBoard,
)
"""The types that the games have no part in."""


def paths(games: Mapping[str, Arbiter], settings: Settings) -> dict[str, dict[str, Schema]]:
    """Give the paths that all games share, each with its operations by method."""
    items: dict[str, dict[str, Schema]] = {}
    for page in PAGES:
        items.setdefault(page.path, {})[page.method] = _look_up(page)
    items["/v1/batch"] = {"post": _batch(settings)}
    items["/v1/boards/import"] = {"post": _board_import(games)}
    return items


def _look_up(page: Page) -> Schema:
    schema = _schema(page.answer)
    headers = page.headers
    answers = {"200": response(page.gist, schema, headers, page.forms, page.links)}
    if YAML in page.forms:
        answers["200"]["content"] = {YAML: {"schema": schema}}
    if page.answer is Readiness:
        answers["503"] = response("A part of the service does not answer.", schema)
    for status, gist in page.others.items():
        answers[status] = response(gist, headers=headers)
    names = [part.removesuffix(".yaml")[1:-1] for part in page.path.split("/") if part.startswith("{")]
    parameters = [*names, *page.takes, *(describe_parameters(page.query) if page.query else ())]
    more: Schema = {"security": []} if page.free else {}
    return operation(page.name, page.tag, page.gist, answers, parameters, **more)


def _schema(answer: Any) -> Schema:
    if answer is Any:
        return {}
    if answer is None:
        return {"type": "object"}
    if isinstance(answer, UnionType):
        return {"oneOf": [type_reference(kind) for kind in _kinds(answer)]}
    if answer == tuple[Kind, ...]:
        return {"type": "array", "items": type_reference(Kind)}
    return type_reference(answer)


def _batch(settings: Settings) -> Schema:
    return operation(
        "batch",
        "batch",
        f"Ask up to {settings.most_batch} questions of any games at once.",
        {"200": response("The answers.", type_reference(Answers))},
        body={JSON: {"schema": type_reference(Batch)}},
        description=prose("batch"),
    )


def _board_import(games: Mapping[str, Arbiter]) -> Schema:
    parameters = describe_parameters(MapQuery)
    for parameter in parameters:
        if parameter["name"] == "game" and games:
            parameter["schema"] = reference("GameName")
    return operation(
        "importBoard",
        "boards",
        "Make a board of a map that was drawn for a virtual tabletop.",
        {"200": response("The board.", type_reference(ImportedBoard))},
        parameters,
        {form: {"schema": {"type": "object"}} for form in FORMS},
        description=prose("map"),
    )


def accepted() -> Schema:
    """Describe the answer to what became a job."""
    return response(
        "It is a job now, or was one before: the job as it stands.",
        type_reference(JobFacts),
        ("Location", "Retry-After", "Preference-Applied"),
        links=("Job", *OF_A_JOB),
    )


def path_parameters(games: Mapping[str, Arbiter]) -> dict[str, Schema]:
    """Give the parameters of look-ups by name, each with a value that is there."""
    name, game = next(iter(games.items()), ("", None))
    words: dict[str, tuple[str, Iterable[str]]] = {
        "table": ("The name of a file of data.", game.catalog if game else ()),
        "question": ("The name of a question.", game.questions if game else ()),
        "id": ("The id of a unit, rule or reading; it may hold slashes.", game.ledger.units if game else ()),
        "epoch": ("The id of an epoch: its length in seconds, and its number.", (EXAMPLE,)),
        "slug": ("The kind of a problem, as in its `type`.", KINDS),
    }
    text: Schema = {"type": "string", "minLength": 1}
    parameters = {
        each: {"description": gist, "schema": text, **_example(names)} for each, (gist, names) in words.items()
    }
    named = reference("GameName") if games else text
    return {
        "game": {"description": "The name of a game.", "schema": named, **_example([name] if name else [])},
        **parameters,
    }


def _example(names: Iterable[str]) -> Schema:
    return {"example": first} if (first := next(iter(names), None)) else {}
