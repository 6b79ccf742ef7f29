"""Limits, as data at `/v1/limits`: of every request, of every caller in a minute, and of every type in a case."""

from collections.abc import Iterator
from functools import lru_cache
from math import ceil
from pathlib import Path
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
from arbiter.sources.yaml_file import load_yaml
from arbiter.value import Value
from rendering import docs_page

_BOUNDS = {"maxItems": "items", "maxLength": "characters", "maxProperties": "fields", "maximum": "as a number"}


class Limit(Value, frozen=True):
    """One limit of every request: its name, the number, its unit, and what happens beyond it."""

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
    """The quota of one kind of caller: units in each window, and the most that one request costs.

    `policy` is the name in the `RateLimit` fields. Beyond it a request is refused as `too-many-requests` (429).
    """

    caller: Literal["anonymous", "key"]
    policy: str
    quota: int
    window_s: int
    most_of_a_request: int


class Limits(Value, frozen=True):
    """Every limit of this service; beyond one of those by type, game by game, a body is refused as `invalid`.

    `rates` is empty if quotas are not enforced; `costs` lists the costs of requests.
    """

    general: tuple[Limit, ...]
    rates: tuple[Rate, ...]
    costs: tuple[Cost, ...]
    types: dict[str, tuple[TypeLimit, ...]]


_GENERAL = load_yaml(Path(__file__).with_suffix(".yaml"))


def general(settings: Settings) -> tuple[Limit, ...]:
    """Give the limits of every request."""
    streams = settings.gateway_threads - 1
    bounds = {
        "games": MOST_GAMES,
        "axes": MOST_AXES,
        "points": MOST_POINTS,
        "streams": streams,
        "streams-of-caller": most_places_of_caller(streams),
        "key": LONGEST_KEY,
        "chosen": MOST_CHOSEN,
        "faults": MOST_FAULTS,
    }

    def most(row: dict[str, str]) -> int:
        return ceil(getattr(settings, row["setting"])) if "setting" in row else bounds[row["name"]]

    return tuple(Limit(row["name"], most(row), row["unit"], row["gist"]) for row in _GENERAL)


def rates(settings: Settings) -> tuple[Rate, ...]:
    """Give the quotas of callers without a key and with one."""
    if not settings.rate_limits:
        return ()
    anonymous, key = settings.anonymous_units_per_minute, settings.key_units_per_minute
    units: dict[Literal["anonymous", "key"], int] = {"anonymous": anonymous, "key": key}
    return tuple(Rate(who, POLICY, most, WINDOW_S, most_of_request(most)) for who, most in units.items())


def by_type(game: Arbiter) -> tuple[TypeLimit, ...]:
    """Give the limits of every type that can be posted for a game."""
    kinds = [kind(question) for question in game.questions.values() for kind in (ask_type, odds_type, simulation_type)]
    components, _ = json_schema(kinds)
    parts = ((name, *part) for name, of in components.items() for part in of.get("properties", {}).items())
    return tuple(dict.fromkeys(TypeLimit(name, field, *each) for name, field, part in parts for each in _bounds(part)))


def _bounds(schema: Any) -> Iterator[tuple[int, str]]:
    """Give the bounds of a field and of its contents, down to the next named type."""
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
    # The next start may have other limits, so clients revalidate.
    answer = tagged_response(_limits(services()), JSON, 0)
    answer.vary.add("Accept")
    return answer


def _shown(of: Services) -> Limits:
    """Give the limits of every request, for the page; the bounds of types are for programs."""
    return Limits(general(of.settings), rates(of.settings), TABLE, {})


# Long, and constant while an app runs.
@lru_cache(maxsize=4)
def _limits(of: Services) -> bytes:
    types = {name: by_type(game) for name, game in of.games.items()}
    return codec.encode(replace(_shown(of), types=types))
