"""What tests of quotas share: a gateway with a small quota, a clock that stands still, and what the fields say."""

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Any, TypeVar

from flask import Flask
from flask.testing import FlaskClient
from limits.errors import StorageError
from limits.storage import MemoryStorage
from werkzeug.test import TestResponse

from api import create_app
from api.settings import Settings
from arbiter.game import Arbiter
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import TEMPLATE, with_questions

App = TypeVar("App", bound=Flask)


class Clock:
    """A clock that stands still, at the beginning of a window, until a test says otherwise."""

    def __init__(self) -> None:
        self.now = Fraction(1_200)

    def __call__(self) -> float:
        return float(self.now)


class ClockStorage(MemoryStorage):
    """Counts as the library does, in exact fractions, by the clock of a test; it can be away."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock, self.counts = clock, Counter[tuple[str, int]]()
        self.away, self.asked = False, 0

    def get_sliding_window(self, key: str, expiry: int) -> tuple[int, float, int, float]:
        self._answer()
        previous, weight, current = self._counted(key, expiry)
        return previous, float(weight * expiry) if previous else 0.0, current, float((weight + 1) * expiry)

    def acquire_sliding_window_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        self._answer()
        previous, weight, current = self._counted(key, expiry)
        if floor(previous * weight) + current + amount > limit:
            return False
        self.counts[key, int(self.clock.now // expiry)] += amount
        return True

    def _answer(self) -> None:
        self.asked += 1
        if self.away:
            raise StorageError(ConnectionError("nobody answers"))

    def _counted(self, key: str, expiry: int) -> tuple[int, Fraction, int]:
        window, into = divmod(self.clock.now, expiry)
        return self.counts[key, int(window) - 1], 1 - into / expiry, self.counts[key, int(window)]


def stopped(app: App, clock: Clock | None = None) -> App:
    """An app whose process counts by a clock that stands still."""
    limiter, clock = app.extensions["quotas"], clock or Clock()
    limiter.local, limiter.clock = ClockStorage(clock), clock
    return app


def gateway(
    units: int = 600, store: MemoryJobs | None = None, game: Arbiter = TEMPLATE, clock: Clock | None = None, **more: Any
) -> FlaskClient:
    """A gateway over one game that gives so many units a minute to an address."""
    settings = Settings(log_level="error", anonymous_units_per_minute=units, **more)
    app = create_app(settings, {game.name: game}, store)
    return (stopped(app, clock) if settings.rate_limits else app).test_client()


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
