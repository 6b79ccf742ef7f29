from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from arbiter import registry
from infra.settings import WorkerSettings
from tests.workers import naps
from tests.workers.service import Server
from tests.workers.service import one_server as one_server
from workers.jobs.store import Jobs
from workers.webhooks.delivery import DeliverySettings


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


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def trusting(authority: trustme.CA, tmp_path: Path) -> DeliverySettings:
    bundle = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(bundle))
    return DeliverySettings(loopback_allowed=True, ca_bundle=str(bundle))
