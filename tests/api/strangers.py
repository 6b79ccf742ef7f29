"""What tests of attacks by strangers share: a gateway with keys and quotas, which answers the honest afterwards."""

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api import create_app
from api.auth import keys
from tests.api.holders import by as by
from tests.api.holders import made as made
from tests.api.memory_jobs import MemoryJobs
from tests.api.memory_keys import MemoryKeys, settings
from tests.api.posting import ATTACK, TEMPLATE, ask, attack
from tests.api.small_quotas import stopped

GAME = {TEMPLATE.name: TEMPLATE}

AWAY = "redis://127.0.0.1:1/0"
"""Nobody answers there, so that a gateway that is set up with Redis counts for itself."""


@pytest.fixture
def store() -> MemoryJobs:
    return MemoryJobs()


@pytest.fixture
def app(made: MemoryKeys, store: MemoryJobs) -> Flask:
    return stopped(create_app(settings(redis_url=AWAY), GAME, store, made))


@pytest.fixture
def client(app: Flask, made: MemoryKeys) -> Iterator[FlaskClient]:
    """A gateway with keys and quotas, which answers an honest caller whatever was tried before."""
    yield app.test_client()
    made.away = False
    honest = by(made.make("honest"))
    answer = ask(app.test_client(), ATTACK, attack(), headers=honest, environ_base=at("198.51.100.77"))
    assert answer.status_code == 200, answer.data


def at(address: str) -> dict[str, Any]:
    return {"REMOTE_ADDR": address}


def guess() -> dict[str, str]:
    return by(keys.make("secret").written)
