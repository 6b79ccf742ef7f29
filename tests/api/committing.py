"""A service that signs and commits to dice, with a clock that tests set, and a Redis of its own for nonces."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api import create_app
from api.settings import Settings
from api.signing import epochs
from tests.api.posting import ATTACK, TEMPLATE, ask, attack
from tests.workers.service import Server

KEY = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
"""The private key of RFC 8037, appendix A.1."""

SECRET = "c2VjcmV0IG9mIGVwb2NocyBmb3IgdGVzdHMsIDMyIEI"
LENGTH_S = 1_000
BEGINS = 1_780_000_000
"""The first second of epoch 1,780,000."""

EPOCH = f"{LENGTH_S}-1780000"
SIGNED = {"Accept": "application/vnd.arbiter.signed+json"}


class Clock:
    """What the service takes for the time."""

    def __init__(self) -> None:
        self.now = BEGINS + 10.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(epochs, "now", lambda: clock.now)
    return clock


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(Path(tmp_path_factory.mktemp("redis")))
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def app(redis: Server) -> Flask:
    return create_app(settings(redis_url=redis.url), {TEMPLATE.name: TEMPLATE})


@pytest.fixture
def client(app: Flask, clock: Clock, redis: Server) -> FlaskClient:
    # Clocks are set back from one test to the next.
    redis.client.delete("arbiter:latest")
    return app.test_client()


def settings(**more: Any) -> Settings:
    return Settings(log_level="error", signing_key=KEY, epoch_secret=SECRET, epoch_s=LENGTH_S, **more)


def committed(nonce: int, *, epoch: str = EPOCH, client_seed: str = "ann and bob", **members: Any) -> dict[str, Any]:
    """Give a body that asks for committed dice."""
    dice = {"committed": {"epoch": epoch, "client_seed": client_seed, "nonce": nonce}, **members.pop("dice", {})}
    return attack(dice=dice, **members)


def signed(client: FlaskClient, body: Any) -> dict[str, Any]:
    """Ask for a signed ruling and give it."""
    answer = ask(client, ATTACK, body, headers=SIGNED)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    assert answer.content_type == SIGNED["Accept"]
    told: dict[str, Any] = answer.get_json(force=True)
    return told
