from collections.abc import Iterator
from pathlib import Path

import pytest

from arbiter import registry
from tests.workers import naps
from tests.workers.service import Server
from workers.settings import WorkerSettings
from workers.store import Jobs


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def only_naps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make naps the only game, and take no time for them here."""
    monkeypatch.setattr(registry, "games", lambda home="services": {"naps": naps.NAPS})
    monkeypatch.setattr(naps, "sleep", lambda seconds: None)


@pytest.fixture
def jobs(server: Server, only_naps: None) -> Jobs:
    return Jobs(WorkerSettings(redis_url=server.url))
