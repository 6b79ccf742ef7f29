"""What tests of quotas share: a gateway with a small quota, a clock that stands still, and what the fields say."""

import re
from dataclasses import replace
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api import create_app
from api.settings import Settings
from arbiter.game import Arbiter
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import TEMPLATE, with_questions


class Clock:
    """The clock of the rates, which stands still until a test says otherwise."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def gateway(units: int = 600, store: MemoryJobs | None = None, game: Arbiter = TEMPLATE, **more: Any) -> FlaskClient:
    """A gateway over one game that gives so many units a minute to an address."""
    settings = Settings(log_level="error", anonymous_units_per_minute=units, **more)
    return create_app(settings, {game.name: game}, store).test_client()


# The fields, read after RFC 9651 by rules of its own: a list of strings with parameters.

_KEY = r"[a-z*][a-z0-9_.*-]*"
_STRING = r'"(?:[ !#-\[\]-~]|\\["\\])*"'
_MEMBER = re.compile(rf"({_STRING})((?:; *{_KEY}(?:=-?[0-9]{{1,15}})?)*)")


def members(said: str) -> dict[str, dict[str, int]]:
    found, at = {}, 0
    while True:
        member = _MEMBER.match(said, at)
        assert member is not None, said
        parameters = (part.strip().split("=") for part in member[2].split(";")[1:])
        found[member[1][1:-1]] = {name: int(value) for name, value in parameters}
        if member.end() == len(said):
            return found
        comma = re.compile(r"[ \t]*,[ \t]*").match(said, member.end())
        assert comma is not None, said
        at = comma.end()


def stands(answer: TestResponse) -> dict[str, int]:
    """How the quota stands, by the answer's own words."""
    assert len(answer.headers.getlist("RateLimit")) == len(answer.headers.getlist("RateLimit-Policy")) == 1
    policy, limit = members(answer.headers["RateLimit-Policy"]), members(answer.headers["RateLimit"])
    assert policy.keys() == limit.keys() == {"burst"}
    assert policy["burst"].keys() == {"q", "w"}
    assert limit["burst"].keys() == {"r", "t"}
    assert 0 <= limit["burst"]["r"] <= policy["burst"]["q"]
    assert limit["burst"]["t"] >= 1
    return {**policy["burst"], **limit["burst"]}


def cost(answer: TestResponse, units: int) -> int:
    """What was taken of a quota that was full before."""
    return units - stands(answer)["r"]


def heavy(cost_ms: float) -> Arbiter:
    """The template, whose attack is estimated to take so long."""
    return with_questions(TEMPLATE, attack=replace(TEMPLATE.questions["attack"], cost=lambda _: cost_ms))
