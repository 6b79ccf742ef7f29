"""A remote arbiter as tests ask it: an address where nobody listens, and the problem that a refusal is."""

import json
import socket
from collections.abc import Iterator

import pytest

from api.arbiters.identity import Identity
from api.arbiters.remote import RemoteArbiter
from api.problems.handlers import ProblemError
from api.settings import Settings
from tests.api.posting import TEMPLATE, attack
from tests.api.scripted import answer

HERE = Identity.of(TEMPLATE)
FINE = answer(200, b'{"fine":1}', HERE)
BODY = json.dumps(attack()).encode()
PROBLEM = "application/problem+json"


@pytest.fixture
def nowhere() -> Iterator[str]:
    # A port that is bound and never listens refuses connections, and nobody else can take it meanwhile.
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


def arbiter(address: str, connect_s: float = 1.0, read_s: float = 5.0, threads: int = 4) -> RemoteArbiter:
    settings = Settings(remote_connect_s=connect_s, remote_read_s=read_s, gateway_threads=threads)
    return RemoteArbiter(TEMPLATE, address, settings)


def refused(asked: RemoteArbiter, slug: str = "arbiter-away") -> ProblemError:
    with pytest.raises(ProblemError) as refusal:
        asked.ask("attack", BODY, "id")
    assert refusal.value.kind.slug == slug
    assert refusal.value.kind.status == 503
    assert int(refusal.value.headers["Retry-After"]) >= 1
    return refusal.value
