"""The store of boards by digest: in Redis, or in the memory of this process.

Either way a board is stored for a stated time after its last use, and boards are limited in number and in bytes; beyond
the limit, the least recently used are deleted first.
"""

import time
from threading import Lock
from typing import Protocol

from cachetools import TTLCache

from api.settings import MIB, Settings
from infra.codec import pack, unpack
from infra.errors import CorruptRecord
from infra.redis import RedisStore, lua

_PUT, _GET = lua(__package__, "put_board"), lua(__package__, "get_board")

PACKING = 16
"""Bytes that compression adds to a board at most, so that the largest one fits."""


class BoardStore(Protocol):
    """Keeps boards. Every method counts as a use, and raises `StoreUnavailable` when the store cannot be reached."""

    def put(self, game: str, digest: str, text: bytes) -> bool:
        """Store a board, or renew it; decide whether it is new."""

    def get(self, game: str, digest: str) -> bytes | None:
        """Give a board as it was put."""


class InRedis:
    """Stores boards in Redis, for all processes and machines."""

    def __init__(self, settings: Settings) -> None:
        """Remember where the store is; nothing is connected before the first use."""
        self._store, self._kept_ms = RedisStore(settings.redis_url), settings.boards_ttl_s * 1_000
        self._most, self._most_bytes = settings.boards_max_count, settings.boards_max_mib * MIB

    def put(self, game: str, digest: str, text: bytes) -> bool:
        arguments = (f"{game}:{digest}", pack(text), self._kept_ms, self._most, self._most_bytes)
        return bool(self._store.run(_PUT, *arguments))

    def get(self, game: str, digest: str) -> bytes | None:
        packed = self._store.run(_GET, f"{game}:{digest}", self._kept_ms)
        try:
            return None if packed is None else unpack(packed)
        except CorruptRecord:
            return None  # a client that has the board puts it again


class InMemory:
    """Stores boards in this process only; they are lost when it ends."""

    def __init__(self, settings: Settings) -> None:
        self._most = settings.boards_max_count
        self._boards: TTLCache[tuple[str, str], bytes] = TTLCache(
            settings.boards_in_memory_mib * MIB + PACKING,
            settings.boards_ttl_s,
            lambda: time.monotonic(),
            getsizeof=len,
        )
        self._lock = Lock()

    def put(self, game: str, digest: str, text: bytes) -> bool:
        with self._lock:
            fresh = self._boards.pop((game, digest), None) is None
            while len(self._boards) >= self._most:
                self._boards.popitem()
            self._boards[game, digest] = pack(text)
            return fresh

    def get(self, game: str, digest: str) -> bytes | None:
        with self._lock:
            packed = self._boards.pop((game, digest), None)
            if packed is None:
                return None
            # Its time to live begins again with each use.
            self._boards[game, digest] = packed
        return unpack(packed)


def store_of(settings: Settings, *, with_redis: bool) -> BoardStore:
    """Give the store of boards that the settings name."""
    return InRedis(settings) if with_redis else InMemory(settings)
