"""Where boards are kept, in Redis and in memory alike: since their last use, and no more than there is room for."""

import time
from collections import OrderedDict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.caching.board_store import BoardStore, InMemory, InRedis, store_of
from api.settings import MIB, Settings
from infra.codec import pack
from infra.errors import StoreUnavailable
from tests.effort import cases
from tests.workers.service import Server

TEXT = b'{"hexes":[[0,0]]}'


@pytest.fixture(params=["memory", "redis"])
def redis_url(request: pytest.FixtureRequest, one_server: Server) -> str | None:
    """Give where boards are kept: in the memory of the process, or in an empty Redis."""
    one_server.client.flushall()
    return None if request.param == "memory" else one_server.url


def made(redis_url: str | None, **chosen: int) -> BoardStore:
    if redis_url is None:
        return store_of(Settings(**chosen), with_redis=False)
    return store_of(Settings(redis_url=redis_url, **chosen), with_redis=True)


def noise(size: int, seed: int) -> bytes:
    """Give a text that no packing makes smaller, and that differs from those of other seeds."""
    state, out = seed + 1, bytearray()
    while len(out) < size:
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        out += state.to_bytes(8, "big")
    return bytes(out[:size])


def test_what_was_put_is_there_and_what_was_not_is_not(redis_url: str | None) -> None:
    store = made(redis_url)
    assert store.put("one-game", "a", TEXT)
    assert not store.put("one-game", "a", TEXT)
    assert store.get("one-game", "a") == TEXT
    assert store.get("one-game", "b") is None
    assert store.get("another-game", "a") is None


def test_a_long_board_comes_back_as_it_was(redis_url: str | None) -> None:
    store, text = made(redis_url), TEXT * 10_000
    store.put("game", "long", text)
    assert store.get("game", "long") == text


@given(uses=st.lists(st.tuples(st.booleans(), st.sampled_from("abcdef")), max_size=25), most=st.integers(1, 4))
@settings(max_examples=cases(25), deadline=None)
def test_the_one_used_longest_ago_makes_room(one_server: Server, uses: list[tuple[bool, str]], most: int) -> None:
    for url in (None, one_server.url):
        one_server.client.flushall()
        store, known = made(url, boards_max_count=most), OrderedDict[str, None]()
        for puts, name in uses:
            if url is not None:
                time.sleep(0.0015)  # Redis tells uses apart by milliseconds
            if puts:
                assert store.put("game", name, TEXT) == (name not in known)
                known.setdefault(name)
            else:
                assert (store.get("game", name) is not None) == (name in known)
            if name in known:
                known.move_to_end(name)
            while len(known) > most:
                known.popitem(last=False)


def test_boards_take_no_more_bytes_than_they_may(redis_url: str | None) -> None:
    store = made(redis_url, boards_max_mib=1, boards_in_memory_mib=1)
    for number in range(5):
        store.put("game", str(number), noise(300_000, number))
        time.sleep(0.002)
    # Three of them fit into a MiB and four do not.
    assert 3 * 300_000 < MIB < 4 * 300_000
    assert [store.get("game", str(number)) is not None for number in range(5)] == [False, False, True, True, True]
    # The largest that may be put needs all the room there is, and has it.
    store.put("game", "large", noise(Settings(boards_max_mib=1, max_body_bytes=2 * MIB).max_board_bytes - 1, 9))
    assert store.get("game", "large") is not None
    assert store.get("game", "4") is None


def test_a_board_that_nobody_uses_is_forgotten_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("api.caching.board_store.time.monotonic", lambda: now[0])
    store = InMemory(Settings(boards_ttl_s=60))
    store.put("game", "used", TEXT)
    store.put("game", "unused", TEXT)
    now[0] = 59.0
    assert store.get("game", "used") == TEXT
    now[0] = 60.0
    assert store.get("game", "unused") is None
    now[0] = 118.0
    assert store.get("game", "used") == TEXT
    assert not store.put("game", "used", TEXT)
    now[0] = 178.0
    assert store.put("game", "used", TEXT)
    assert store._boards.currsize == len(pack(TEXT))


def test_everything_in_redis_expires(one_server: Server) -> None:
    one_server.client.flushall()
    store = InRedis(Settings(redis_url=one_server.url, boards_ttl_s=60))
    store.put("game", "a", TEXT)
    assert one_server.names() == {
        "arbiter:board:game:a",
        "arbiter:boards:used",
        "arbiter:boards:sizes",
        "arbiter:boards:bytes",
    }
    for name in one_server.names():
        assert 59_000 < one_server.client.pttl(name) <= 60_000
        one_server.client.pexpire(name, 5_000)
    assert store.get("game", "a") == TEXT
    for name in one_server.names():
        assert 59_000 < one_server.client.pttl(name) <= 60_000


def test_what_redis_dropped_by_itself_is_put_anew_and_counted_once(one_server: Server) -> None:
    one_server.client.flushall()
    store = InRedis(Settings(redis_url=one_server.url))
    for _ in range(3):
        assert store.put("game", "a", TEXT)
        one_server.client.delete("arbiter:board:game:a")
    assert store.put("game", "a", TEXT)
    assert int(one_server.client.get("arbiter:boards:bytes") or 0) == len(pack(TEXT))


@pytest.mark.parametrize("damaged", [b"", b"p", b"z\x00", b"pnonsense"])
def test_a_damaged_board_is_as_good_as_none_and_is_put_again(one_server: Server, damaged: bytes) -> None:
    one_server.client.flushall()
    store = InRedis(Settings(redis_url=one_server.url))
    assert store.put("game", "a", TEXT)
    one_server.client.set("arbiter:board:game:a", damaged)
    assert store.get("game", "a") is None
    assert store.put("game", "a", TEXT)
    assert store.get("game", "a") == TEXT
    assert int(one_server.client.get("arbiter:boards:bytes") or 0) == len(pack(TEXT))


def test_a_server_that_is_gone_is_away(tmp_path: Path) -> None:
    server = Server(tmp_path)
    store = InRedis(Settings(redis_url=server.url))
    with pytest.raises(StoreUnavailable):
        store.get("game", "a")
    with pytest.raises(StoreUnavailable):
        store.put("game", "a", TEXT)
