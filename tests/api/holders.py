"""What tests of keys share: a gateway with keys, where jobs are done as soon as they are handed in."""

import pytest
from flask.testing import FlaskClient

from api import create_app
from tests.api.memory_jobs import MemoryJobs
from tests.api.memory_keys import MemoryKeys, settings
from tests.api.posting import GAMES


@pytest.fixture
def made() -> MemoryKeys:
    return MemoryKeys()


@pytest.fixture
def store() -> MemoryJobs:
    return MemoryJobs(prompt=True)


@pytest.fixture
def client(made: MemoryKeys, store: MemoryJobs) -> FlaskClient:
    return create_app(settings(), GAMES, store, made).test_client()


def by(key: str, **more: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", **more}
