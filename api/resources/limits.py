"""Limits: how much may be asked, as data at `/v1/limits`: of every request, in a while, and of every part of a case."""

from collections.abc import Iterator
from functools import lru_cache
from math import ceil
from typing import Any, Literal

from flask import Blueprint, Response
from msgspec.structs import replace

from api.caching.etags import tagged_response
from api.jobs.service import most_places_of_caller
from api.openapi.operations import TAGGED, Operation
from api.quotas.costs import TABLE, Cost
from api.quotas.limiter import POLICY, WINDOW_S, most_of_request
from api.resources.front.table import page_response
from api.schemas import codec
from api.schemas.bodies import ask_type, odds_type, simulation_type
from api.schemas.field_errors import MOST_FAULTS
from api.schemas.headers import LONGEST_KEY
from api.schemas.json_schema import json_schema
from api.schemas.responses import HTML, JSON, PROBLEM, accept
from api.settings import Settings
from api.signing.commitments import MOST_CHOSEN
from api.web.services import Services, services
from arbiter.game import Arbiter
from arbiter.simulation.simulate import MOST_GAMES
from arbiter.simulation.sweep import MOST_AXES, MOST_POINTS
from arbiter.value import Value
from rendering import docs_page

_BOUNDS = {"maxItems": "items", "maxLength": "characters", "maxProperties": "fields", "maximum": "as a number"}


class Limit(Value, frozen=True):
    """One limit of every request: its name, how much, of what, and what happens beyond it."""

    name: str
    most: int
    unit: str
    gist: str


class TypeLimit(Value, frozen=True):
    """The most that one field of a type may hold; types are named as in the contract."""

    type: str
    field: str
    most: int | float
    unit: str


class Rate(Value, frozen=True):
    """How much one kind of caller may ask: a quota of units, as many again in every window, and the most of a request.

    `policy` is the name in the `RateLimit` fields. Beyond it a request is refused as `too-many-requests` (429).
    """

    caller: Literal["anonymous", "key"]
    policy: str
    quota: int
    window_s: int
    most_of_a_request: int


class Limits(Value, frozen=True):
    """Every limit of this service; beyond one of those by type, game by game, a body is refused as `invalid`.

    `rates` is empty where callers are not held to a quota; `costs` says what things cost of it.
    """

    general: tuple[Limit, ...]
    rates: tuple[Rate, ...]
    costs: tuple[Cost, ...]
    types: dict[str, tuple[TypeLimit, ...]]


def general(settings: Settings) -> tuple[Limit, ...]:
    """Give the limits of every request."""
    streams = settings.gateway_threads - 1
    invalid, large = "More is refused as `invalid` (422).", "More is refused as `too-large` (413)."
    return (
        Limit("body", settings.max_body_bytes, "bytes", large),
        Limit("map", settings.max_map_bytes, "bytes", large),
        Limit("depth", settings.max_depth, "levels", "Deeper arrays and objects are refused as `invalid` (422)."),
        Limit("paths", settings.path_budget, "paths", "A law with more is refused as `too-many-paths` (422)."),
        Limit("odds-ms", settings.odds_limit_ms, "milliseconds of a core", "Longer odds are `odds-too-long` (422)."),
        Limit("job-odds-s", settings.job_odds_limit_s, "seconds of a core", "A ruling or odds as a job fail beyond."),
        Limit("job-paths", settings.job_path_budget, "paths", "A law with more fails as a job, too."),
        Limit("games", MOST_GAMES, "games of a simulation", invalid),
        Limit("axes", MOST_AXES, "places of a sweep", invalid),
        Limit("points", MOST_POINTS, "points of a sweep", invalid),
        Limit("at-once", settings.sync_cost_ms, "milliseconds", "A question that takes longer becomes a job (202)."),
        Limit("job", settings.job_cost_s, "seconds", "A job with a higher estimate is `too-dear` (422)."),
        Limit("wait", settings.most_wait_s, "seconds", "A longer `Prefer: wait` counts as this."),
        Limit("open-jobs", settings.most_open_jobs, "jobs", "More are refused as `queue-full` (503)."),
        Limit("open-jobs-of-caller", settings.most_open_jobs_of_caller, "jobs", "More are `too-many-jobs` (429)."),
        Limit("waiting", settings.most_waiting_s, "seconds of open jobs", "More is refused as `queue-full` (503)."),
        Limit("waiting-of-caller", settings.most_waiting_s_of_caller, "seconds", "More is `too-much-waiting` (429)."),
        Limit("kept", settings.result_expiry_s, "seconds", "After it a job that has ended is forgotten."),
        Limit("rulings", settings.rulings_ttl_s, "seconds", "After it the permalink of a ruling leads nowhere."),
        Limit("streams", streams, "clients of a process", "More that wait or follow events are `busy` (503)."),
        Limit("streams-of-caller", most_places_of_caller(streams), "clients", "The same of one caller."),
        Limit("key", LONGEST_KEY, "characters", "A longer `Idempotency-Key` is refused as `bad-request` (400)."),
        Limit("chosen", MOST_CHOSEN, "choices with committed dice", invalid),
        Limit("board", settings.max_board_bytes, "bytes", large),
        Limit("boards", settings.boards_max_count, "boards", "More that are put push out those used longest ago."),
        Limit("boards-size", settings.boards_max_mib, "MiB", "More, packed, push out those used longest ago."),
        Limit("boards-ttl", settings.boards_ttl_s, "seconds", "After it a board that nobody used is forgotten."),
        Limit("batch", settings.most_batch, "queries", invalid),
        Limit("batch-time", ceil(settings.batch_seconds), "seconds", "Queries that are left are `out-of-time` (503)."),
        Limit("faults", MOST_FAULTS, "faults", "One problem lists no more; the rest are counted."),
    )


def rates(settings: Settings) -> tuple[Rate, ...]:
    """Give the quotas of those who come without a key and with one."""
    if not settings.rate_limits:
        return ()
    anonymous, key = settings.anonymous_units_per_minute, settings.key_units_per_minute
    return (
        Rate("anonymous", POLICY, anonymous, WINDOW_S, most_of_request(anonymous)),
        Rate("key", POLICY, key, WINDOW_S, most_of_request(key)),
    )


def by_type(game: Arbiter) -> tuple[TypeLimit, ...]:
    """Give the limits of every type that can be posted about a game."""
    kinds = [kind(question) for question in game.questions.values() for kind in (ask_type, odds_type, simulation_type)]
    components, _ = json_schema(kinds)
    limits = (
        TypeLimit(name, field, most, unit)
        for name, schema in components.items()
        for field, part in schema.get("properties", {}).items()
        for most, unit in _bounds(part)
    )
    return tuple(dict.fromkeys(limits))


def _bounds(schema: Any) -> Iterator[tuple[int, str]]:
    """Give the bounds of a field, those of what it holds included, down to the next named type."""
    if isinstance(schema, dict):
        yield from ((schema[word], unit) for word, unit in _BOUNDS.items() if word in schema)
        for name, part in schema.items():
            if name != "default":
                yield from _bounds(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _bounds(part)


pages = Blueprint("limits", __name__)


@pages.get("/v1/limits")
@Operation("limits", Limits, forms=(JSON, HTML), **TAGGED)
def show() -> Response:
    """List every limit."""
    if accept(JSON, PROBLEM, HTML) == HTML:
        return page_response(docs_page.limits(_shown(services())))
    # The next start may have other limits: whoever has them asks whether they still hold.
    answer = tagged_response(_limits(services()), JSON, 0)
    answer.vary.add("Accept")
    return answer


def _shown(of: Services) -> Limits:
    """Give what holds of every request; the bounds of types are for programs."""
    return Limits(general(of.settings), rates(of.settings), TABLE, {})


# Long, and the same for as long as an app runs.
@lru_cache(maxsize=4)
def _limits(of: Services) -> bytes:
    types = {name: by_type(game) for name, game in of.games.items()}
    return codec.encode(replace(_shown(of), types=types))
