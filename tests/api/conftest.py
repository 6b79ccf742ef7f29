"""The gateway over the template and every game there is."""

import pytest
from flask import Flask
from flask.testing import FlaskClient
from posting import GAMES

from api import create_app
from api.settings import Settings
from arbiter.arbiter import Arbiter


@pytest.fixture(scope="session")
def app() -> Flask:
    return create_app(Settings(log_level="error"), GAMES)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture(params=GAMES.values(), ids=GAMES.keys())
def game(request: pytest.FixtureRequest) -> Arbiter:
    return request.param
