"""The gateway over the template and every game there is.

With `TEST_REMOTE=1` in the environment, every gateway that a test makes passes its questions on to services of the
games, over real sockets: whatever is tested of the gateway has to hold that way, too.
"""

import os
from collections.abc import Callable, Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from api import app as gateway
from api import create_app
from api.settings import Settings
from api.web import services
from arbiter.game import Arbiter
from arbiter.sources import catalogue
from tests.api.game_services import RemoteRouter
from tests.api.memory_jobs import MemoryJobs
from tests.api.posting import GAMES
from tests.api.worked import SHELVED
from tests.api.written import contract_of
from tests.workers.service import one_server as one_server

gateway.Contract = contract_of
# Examples that were read and ruled for other tests serve the look-ups, too.
catalogue.sources_examples = SHELVED

COMPILE: Callable[[Rule, bool], Callable[..., Any]] = Rule._compile_builder


def compile_when_asked(rule: Rule, append_unknown: bool = True) -> Callable[..., Any]:
    """Compile how addresses of a route are written when the first one is: most tests make an app, and few write any."""
    compiled = cache(lambda: COMPILE(rule, append_unknown))
    return lambda *arguments, **values: compiled()(*arguments, **values)


# Nine tenths of the time that it takes to make an app go there.
pytest.MonkeyPatch().setattr(Rule, "_compile_builder", compile_when_asked)

if os.environ.get("TEST_REMOTE"):
    # Some modules make their gateway when they are read, before any fixture.
    pytest.MonkeyPatch().setattr(services, "ArbiterRouter", RemoteRouter)


def pytest_unconfigure() -> None:
    RemoteRouter.close()


@pytest.fixture(scope="module", autouse=True)
def workers_know_the_template() -> Iterator[None]:
    """Let work be done on the template, which the registry does not list, as on any game.

    It ends with each module, for tests of other folders may come next in the same process.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("workers.jobs.work.registry", SimpleNamespace(alone=GAMES.__getitem__))
        yield


@pytest.fixture(scope="session")
def app() -> Flask:
    """A gateway that all tests ask together, and so without quotas."""
    return create_app(Settings(log_level="error", rate_limits=False), GAMES)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def store() -> MemoryJobs:
    return MemoryJobs()


@pytest.fixture
def with_jobs(store: MemoryJobs) -> FlaskClient:
    """A gateway with jobs, which are done when a test says so."""
    return create_app(Settings(log_level="error", rate_limits=False), GAMES, store).test_client()


@pytest.fixture(params=GAMES.values(), ids=GAMES.keys())
def game(request: pytest.FixtureRequest) -> Arbiter:
    return request.param
