"""Stored rulings: the bounds of memory and of Redis, processes that share a store, and stores that are away."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from api import create_app
from api.caching.ruling_store import MEMORY_BYTES, MOST_BYTES, RETRY_S, RedisRulings, RulingStore, size_of
from api.observability.request_log import make_log
from api.settings import Settings
from infra.errors import StoreUnavailable
from rendering.stored_ruling import StoredRuling
from tests.api.posting import ATTACK, TEMPLATE, ask, attack, problem
from tests.workers.service import Server

SETTINGS = Settings(log_level="error", rate_limits=False)
LOG = make_log("error")
BODY = attack(dice={"seed": 7}, policies={"*": "first"})
MANY = {"wsgi.multiprocess": True}


def ruling(answer: bytes = b"{}", *, body: bytes = b"{}", made: float | None = None) -> StoredRuling:
    return StoredRuling("ruling", "g", "q", "1", "1", time.time() if made is None else made, body, answer)


def id_(number: int) -> str:
    return f"{number:032x}"


class Backend:
    """A store in memory that may be away."""

    def __init__(self) -> None:
        self.stored: dict[str, bytes] = {}
        self.away = False
        self.puts = 0

    def put(self, id_: str, ruling: bytes) -> None:
        self.puts += 1
        if self.away:
            raise StoreUnavailable("nobody answers")
        self.stored[id_] = ruling

    def get(self, id_: str) -> bytes | None:
        if self.away:
            raise StoreUnavailable("nobody answers")
        return self.stored.get(id_)


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def counts() -> list[str]:
    return []


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def backend() -> Backend:
    return Backend()


@pytest.fixture
def rulings(backend: Backend, counts: list[str], clock: Clock) -> RulingStore:
    return RulingStore(SETTINGS, backend, LOG, counts.append, clock)


def test_the_memory_of_a_process_is_bounded_whatever_is_asked() -> None:
    rulings = RulingStore(SETTINGS, None, LOG)
    answer = b"x" * 400_000
    for number in range(100):
        assert rulings.put(id_(number), ruling(answer), alone=True)
    held = [number for number in range(100) if rulings.recall(id_(number))]
    assert held == list(range(100 - MEMORY_BYTES // size_of(ruling(answer)), 100))


def test_what_is_too_large_is_not_stored(rulings: RulingStore, counts: list[str], clock: Clock) -> None:
    assert rulings.put(id_(1), ruling(b"x" * (MOST_BYTES - 2), made=clock.now), alone=False)
    assert not rulings.put(id_(2), ruling(b"x" * (MOST_BYTES - 1), made=clock.now), alone=True)
    assert counts == ["written", "too-large"]
    assert rulings.recall(id_(2)) is None


def test_while_the_store_is_away_nothing_is_promised_but_by_the_only_process(
    rulings: RulingStore, backend: Backend, counts: list[str], clock: Clock
) -> None:
    backend.away = True
    assert not rulings.put(id_(1), ruling(made=clock.now), alone=False)
    assert not rulings.put(id_(2), ruling(made=clock.now), alone=False)
    assert (backend.puts, counts) == (1, ["away", "away"]), "the store is not tried again at once"
    assert rulings.put(id_(3), ruling(made=clock.now), alone=True), "the memory of the only process will do"
    assert [rulings.recall(id_(number)) is not None for number in (1, 2, 3)] == [False, False, True]
    backend.away = False
    clock.now += RETRY_S
    assert rulings.put(id_(1), ruling(made=clock.now), alone=False)


def test_several_processes_without_a_store_promise_nothing() -> None:
    rulings = RulingStore(SETTINGS, None, LOG)
    assert not rulings.put(id_(1), ruling(), alone=False)
    assert rulings.find(id_(1)) is None


@pytest.mark.parametrize("stored", [b"", b"p", b"nonsense", b"\x80", b"\x91\x01"])
def test_a_record_of_somebody_else_is_no_ruling(rulings: RulingStore, backend: Backend, stored: bytes) -> None:
    backend.stored[id_(1)] = stored
    assert rulings.find(id_(1)) is None


def test_a_settled_answer_is_written_once_and_anew_after_a_tenth_of_its_time(
    rulings: RulingStore, backend: Backend, clock: Clock
) -> None:
    app = create_app(SETTINGS, {TEMPLATE.name: TEMPLATE})
    app.extensions["arbiter"].responses.rulings = rulings
    links = {ask(app.test_client(), ATTACK, BODY).headers["Content-Location"] for _ in range(5)}
    assert (len(links), len(backend.stored), backend.puts) == (1, 1, 1)
    clock.now += 0.1 * SETTINGS.rulings_ttl_s + 1
    assert ask(app.test_client(), ATTACK, BODY).headers["Content-Location"] in links
    assert (len(backend.stored), backend.puts) == (1, 2)


def test_when_the_store_is_back_the_same_question_has_its_permalink_again(
    rulings: RulingStore, backend: Backend, clock: Clock
) -> None:
    app = create_app(SETTINGS, {TEMPLATE.name: TEMPLATE})
    app.extensions["arbiter"].responses.rulings = rulings
    backend.away = True

    def linked() -> bool:
        return "Content-Location" in ask(app.test_client(), ATTACK, BODY, environ_overrides=MANY).headers

    assert [linked() for _ in range(3)] == [False, False, False]
    backend.away = False
    clock.now += RETRY_S
    assert [linked() for _ in range(2)] == [True, True]
    assert len(backend.stored) == 1


# Redis


@pytest.fixture(scope="module")
def one_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def server(one_redis: Server) -> Server:
    one_redis.client.flushall()
    return one_redis


def redis_rulings(server: Server, *, seconds: int = 60, most: int = 100, mib: int = 1) -> RedisRulings:
    return RedisRulings(
        Settings(redis_url=server.url, rulings_ttl_s=seconds, rulings_max_count=most, rulings_max_mib=mib)
    )


def test_redis_stores_rulings_for_their_time(server: Server) -> None:
    store = redis_rulings(server)
    assert store.get(id_(1)) is None
    store.put(id_(1), b"one")
    store.put(id_(2), b"\x00\xff")
    assert (store.get(id_(1)), store.get(id_(2))) == (b"one", b"\x00\xff")
    assert all(0 < server.client.pttl(name) <= 60_000 for name in server.names()), "everything expires"


def test_redis_stores_so_many_and_the_oldest_are_deleted(server: Server) -> None:
    store = redis_rulings(server, most=3)
    for number in range(5):
        store.put(id_(number), b"x" * 10)
    assert [store.get(id_(number)) is not None for number in range(5)] == [False, False, True, True, True]
    assert int(server.client.get("arbiter:rulings:bytes") or 0) == 30
    assert server.client.llen("arbiter:rulings") == 3


def test_redis_stores_so_many_bytes(server: Server) -> None:
    store = redis_rulings(server, mib=1)
    for number in range(30):
        store.put(id_(number), bytes(100_000))
    left = [number for number in range(30) if store.get(id_(number))]
    assert left == list(range(20, 30)), "1,048,576 bytes hold ten of them"
    assert int(server.client.get("arbiter:rulings:bytes") or 0) == 1_000_000


def test_a_count_of_bytes_that_is_lost_is_found_again(server: Server) -> None:
    store = redis_rulings(server)
    server.client.set("arbiter:rulings:bytes", 10**12)
    store.put(id_(1), b"x")
    assert int(server.client.get("arbiter:rulings:bytes") or 0) == 0
    store.put(id_(2), b"x")
    assert store.get(id_(2)) == b"x"


def test_two_players_at_two_processes_look_at_the_same_ruling(tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.start()
    settings = Settings(redis_url=server.url, log_level="error", rate_limits=False)
    one, other = (create_app(settings, {TEMPLATE.name: TEMPLATE}).test_client() for _ in range(2))
    asked = ask(one, ATTACK, attack(), environ_overrides=MANY)
    found = other.get(asked.headers["Content-Location"], environ_overrides=MANY)
    assert (found.status_code, found.data) == (200, asked.data)
    server.kill()
    # What the other has seen it shows without Redis; whether there is anything else, it cannot say.
    assert other.get(asked.headers["Content-Location"]).status_code == 200
    answer = other.get("/v1/rulings/" + id_(77))
    problem(answer, 503, "store-away")
    assert int(answer.headers["Retry-After"]) > 0
    # Questions are answered on, without a permalink.
    without = ask(other, ATTACK, attack(), environ_overrides=MANY)
    assert (without.status_code, "Content-Location" in without.headers) == (200, False)
