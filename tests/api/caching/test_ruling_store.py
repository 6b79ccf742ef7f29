"""Keeping rulings: the bounds of memory and of Redis, processes that share a store, and stores that are away."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Semaphore, Timer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api import create_app
from api.caching import ruling_store
from api.caching.redis_rulings import Rulings
from api.caching.ruling_store import MEMORY_BYTES, MOST_KEPT_BYTES, Memory, RulingStore, size_of
from api.observability.request_log import make_log
from api.settings import Settings
from infra.errors import StoreUnavailable
from rendering.stored_ruling import StoredRuling
from tests.api.posting import ATTACK, TEMPLATE, ask, attack, problem
from tests.workers.service import Server

SETTINGS = Settings(log_level="error", rate_limits=False)
LOG = make_log("error")
BODY = attack(dice={"seed": 7}, policies={"*": "first"})


def ruling(answer: bytes = b"{}", *, body: bytes = b"{}", made: float | None = None) -> StoredRuling:
    return StoredRuling("ruling", "g", "q", "1", "1", time.time() if made is None else made, body, answer)


def id_(number: int) -> str:
    return f"{number:032x}"


class Store:
    """A store in memory, that can be away, or hold everybody up until it is let go."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.fault: Exception | None = None
        self.free = Event()
        self.free.set()
        self.puts = 0

    def put(self, rulings: Sequence[tuple[str, bytes]]) -> None:
        self.puts += 1
        assert self.free.wait(10)
        if self.fault is not None:
            raise self.fault
        self.kept.update(rulings)

    def get(self, id_: str) -> bytes | None:
        if self.fault is not None:
            raise self.fault
        return self.kept.get(id_)


@pytest.fixture
def counts() -> list[str]:
    return []


@pytest.fixture
def store() -> Iterator[Store]:
    store = Store()
    yield store
    store.free.set()


@pytest.fixture
def keeper(store: Store, counts: list[str]) -> Iterator[RulingStore]:
    keeper = RulingStore(SETTINGS, store, LOG, counts.append)
    yield keeper
    store.free.set()
    assert keeper.flush(5)


# Memory


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 12)), max_size=40),
    st.integers(1, 20),
)
def test_memory_holds_what_came_last_within_its_size(puts: list[tuple[int, int]], most: int) -> None:
    memory: Memory[int, int] = Memory(most)
    expected: list[tuple[int, int]] = []  # by hand: the newest last
    for key, size in puts:
        memory.put(key, size, size)
        expected = [each for each in expected if each[0] != key]
        if size <= most:
            expected.append((key, size))
        while sum(each[1] for each in expected) > most:
            expected.pop(0)
    held = dict(expected)
    assert len(memory) == len(held)
    assert {key: memory.get(key) for key in range(6)} == {key: held.get(key) for key in range(6)}


def test_what_is_looked_at_stays() -> None:
    memory: Memory[str, int] = Memory(2)
    memory.put("a", 1)
    memory.put("b", 2)
    assert memory.get("a") == 1
    memory.put("c", 3)
    assert [memory.get(key) for key in "abc"] == [1, None, 3]
    memory.forget("a")
    memory.forget("nobody")
    memory.put("d", 4)
    assert [memory.get(key) for key in "acd"] == [None, 3, 4]


def test_the_memory_of_a_process_is_bounded_whatever_is_asked() -> None:
    keeper = RulingStore(SETTINGS, None, LOG)
    answer = b"x" * 400_000
    for number in range(100):
        assert keeper.keep(id_(number), ruling(answer), alone=True)
    held = [number for number in range(100) if keeper.here(id_(number))]
    assert held == list(range(100 - MEMORY_BYTES // size_of(ruling(answer)), 100))


# What is promised


def test_what_is_too_large_is_not_kept(keeper: RulingStore, counts: list[str]) -> None:
    at_most = ruling(b"x" * (MOST_KEPT_BYTES - 2))
    assert keeper.keep(id_(1), at_most, alone=False)
    assert not keeper.keep(id_(2), ruling(b"x" * (MOST_KEPT_BYTES - 1)), alone=True)
    assert keeper.flush(5)
    assert counts == ["too-large", "written"] or counts == ["written", "too-large"]
    assert keeper.here(id_(2)) is None


def test_when_the_queue_is_full_nothing_more_is_promised(
    keeper: RulingStore, store: Store, counts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ruling_store, "QUEUE_BYTES", 3 * size_of(ruling()))
    store.free.clear()
    promised = [keeper.keep(id_(number), ruling(), alone=False) for number in range(10)]
    assert promised.count(True) >= 3
    assert promised[-1] is False
    store.free.set()
    assert keeper.flush(5)
    assert {id_(number) for number, each in enumerate(promised) if each} == store.kept.keys()
    assert counts.count("dropped") == promised.count(False)


def test_while_the_store_is_away_nothing_is_promised_and_what_was_is_known_to_be_lost(
    keeper: RulingStore, store: Store, counts: list[str]
) -> None:
    store.fault = StoreUnavailable("nobody answers")
    assert keeper.keep(id_(1), ruling(), alone=False)
    assert keeper.flush(5)
    assert (keeper.losses, counts) == (1, ["away"])
    assert not keeper.keep(id_(2), ruling(), alone=False)
    assert keeper.keep(id_(3), ruling(), alone=True), "the memory of the only process will do"
    assert keeper.here(id_(1)) is not None


def test_a_fault_of_the_store_does_not_end_the_keeping(keeper: RulingStore, store: Store, counts: list[str]) -> None:
    store.fault = RuntimeError("broken")
    assert keeper.keep(id_(1), ruling(), alone=False)
    assert keeper.flush(5)
    store.fault = None
    assert keeper.keep(id_(2), ruling(), alone=False)
    assert keeper.flush(5)
    assert counts == ["failed", "written"]
    assert set(store.kept) == {id_(2)}


@pytest.mark.parametrize("found", [b"", b"p", b"pnonsense", b"znonsense", b"p\x80", b"p\x91\x01"])
def test_what_nobody_of_us_wrote_is_nothing(keeper: RulingStore, store: Store, found: bytes) -> None:
    store.kept[id_(1)] = found
    assert keeper.find(id_(1)) is None


def test_a_settled_answer_is_written_once(keeper: RulingStore, store: Store) -> None:
    app = create_app(SETTINGS, {TEMPLATE.name: TEMPLATE})
    lasting = app.express._lasting
    lasting.keeper = keeper
    client = app.test_client()
    links = {ask(client, ATTACK, BODY).headers["Content-Location"] for _ in range(5)}
    assert keeper.flush(5)
    assert (len(links), len(store.kept), store.puts) == (1, 1, 1)
    # After a loss nobody knows what of it was there, so that it is kept anew.
    keeper.losses += 1
    ask(client, ATTACK, BODY)
    assert keeper.flush(5)
    assert store.puts == 2


def test_when_the_store_is_back_the_same_question_has_its_permalink_again(
    keeper: RulingStore, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(SETTINGS, {TEMPLATE.name: TEMPLATE})
    app.express._lasting.keeper = keeper
    store.fault = StoreUnavailable("nobody answers")
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def linked() -> bool:
        answer = ask(app.test_client(), ATTACK, BODY, environ_overrides={"wsgi.multiprocess": True})
        assert keeper.flush(5)
        return "Content-Location" in answer.headers

    assert [linked() for _ in range(3)] == [True, False, False], "the first is lost, and then that is known"
    store.fault = None
    now += ruling_store.AWAY_S
    assert [linked() for _ in range(2)] == [True, True]
    assert len(store.kept) == 1


# Redis


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    server.start()
    yield server
    server.kill()


def rulings(server: Server, *, seconds: int = 60, most: int = 100, mib: int = 1) -> Rulings:
    return Rulings(Settings(redis_url=server.url), seconds, most, mib)


def test_redis_keeps_rulings_for_their_time(server: Server) -> None:
    store = rulings(server)
    assert store.get(id_(1)) is None
    store.put([(id_(1), b"one"), (id_(2), b"\x00\xff")])
    assert (store.get(id_(1)), store.get(id_(2))) == (b"one", b"\x00\xff")
    assert all(0 < server.client.pttl(name) <= 60_000 for name in server.names()), "everything expires"


def test_redis_keeps_so_many_and_the_oldest_make_room(server: Server) -> None:
    store = rulings(server, most=3)
    for number in range(5):
        store.put([(id_(number), b"x" * 10)])
        time.sleep(0.002)  # the clock of Redis has milliseconds
    assert [store.get(id_(number)) is not None for number in range(5)] == [False, False, True, True, True]
    # One that is kept again is the newest.
    store.put([(id_(2), b"y" * 20)])
    time.sleep(0.002)
    store.put([(id_(9), b"x" * 10)])
    assert [store.get(id_(number)) is not None for number in (2, 3, 4, 9)] == [True, False, True, True]
    assert int(server.client.get("arbiter:rulings:bytes") or 0) == 40
    assert server.client.zcard("arbiter:rulings") == server.client.hlen("arbiter:rulings:sizes") == 3


def test_redis_keeps_so_many_bytes(server: Server) -> None:
    store = rulings(server, mib=1)
    for number in range(30):
        store.put([(id_(number), bytes(100_000))])
    left = [number for number in range(30) if store.get(id_(number))]
    assert len(left) == 10, "1,048,576 bytes hold ten of them"
    assert int(server.client.get("arbiter:rulings:bytes") or 0) == 1_000_000


def test_what_has_expired_is_counted_no_more(server: Server) -> None:
    rulings(server, seconds=1).put([(id_(1), b"x" * 10)])
    # As if it had been kept long ago.
    server.client.zadd("arbiter:rulings", {id_(1): 1.0})
    rulings(server).put([(id_(2), b"y" * 5)])
    assert int(server.client.get("arbiter:rulings:bytes") or 0) == 5
    assert server.client.zcard("arbiter:rulings") == 1


def test_two_players_at_two_processes_look_at_the_same_ruling(server: Server) -> None:
    settings = Settings(redis_url=server.url, log_level="error", rate_limits=False)
    one, other = (create_app(settings, {TEMPLATE.name: TEMPLATE}) for _ in range(2))
    many = {"wsgi.multiprocess": True}
    asked = ask(one.test_client(), ATTACK, attack(), environ_overrides=many)
    assert one.keeper.flush(5)
    found = other.test_client().get(asked.headers["Content-Location"], environ_overrides=many)
    assert (found.status_code, found.data) == (200, asked.data)
    server.kill()
    # What the other has seen it shows without Redis; whether there is anything else, it cannot say.
    assert other.test_client().get(asked.headers["Content-Location"]).status_code == 200
    answer = other.test_client().get("/v1/rulings/" + id_(77))
    problem(answer, 503, "store-away")
    assert int(answer.headers["Retry-After"]) > 0
    # Rulings go on, and promise nothing once the loss is known.
    assert ask(other.test_client(), ATTACK, attack(), environ_overrides=many).status_code == 200
    assert other.keeper.flush(15)
    assert "Content-Location" not in ask(other.test_client(), ATTACK, attack(), environ_overrides=many).headers


# A link that comes before its ruling


def test_a_ruling_that_is_still_on_its_way_is_waited_for(keeper: RulingStore, store: Store) -> None:
    store.free.clear()
    assert keeper.keep(id_(1), ruling(), alone=False)
    Timer(ruling_store.BEHIND_S / 4, store.free.set).start()
    other = RulingStore(SETTINGS, store, LOG)
    assert other.find(id_(1)) is not None


def test_what_was_never_kept_is_waited_for_by_few(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = RulingStore(SETTINGS, store, LOG)
    slept: list[float] = []
    looking, enough = Semaphore(0), Event()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        looking.release()
        assert enough.wait(10)

    monkeypatch.setattr(time, "sleep", sleep)
    with ThreadPoolExecutor(ruling_store.MOST_LOOKING) as pool:
        waiting = [pool.submit(keeper.find, id_(1)) for _ in range(ruling_store.MOST_LOOKING)]
        for _ in waiting:
            assert looking.acquire(timeout=10)
        assert keeper.find(id_(1)) is None
        assert len(slept) == ruling_store.MOST_LOOKING
        enough.set()
        assert [each.result() for each in waiting] == [None] * ruling_store.MOST_LOOKING
    assert sum(slept) == pytest.approx(ruling_store.BEHIND_S * ruling_store.MOST_LOOKING)
    # And the next may wait again.
    assert keeper.find(id_(1)) is None
    assert sum(slept) == pytest.approx(ruling_store.BEHIND_S * (ruling_store.MOST_LOOKING + 1))


def test_who_looks_again_while_the_store_goes_away_is_told_so(store: Store) -> None:
    keeper = RulingStore(SETTINGS, store, LOG)

    def away() -> None:
        store.fault = StoreUnavailable("away")

    Timer(ruling_store.BEHIND_S / 4, away).start()
    with pytest.raises(StoreUnavailable):
        keeper.find(id_(1))
    store.fault = None
    assert keeper.find(id_(1)) is None
