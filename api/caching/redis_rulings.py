"""Rulings in Redis: each for its time, with bounds on their number and their bytes.

| key, after `arbiter:` | kind | what |
|---|---|---|
| `ruling:<id>` | string | the ruling with its question, as MessagePack |
| `rulings` | list | `<id> <bytes>` of those that are stored, the newest first |
| `rulings:bytes` | number | bytes of all on the list |

All of them expire. When there are too many, the oldest are deleted. Steps of several processes may interleave: a ruling
that two of them write at once is counted twice, and deleted with the first of its two entries.
"""

from typing import Any, cast

from infra.redis import RedisStore, key
from infra.settings import WorkerSettings

_LIST, _BYTES = key("rulings"), key("rulings", "bytes")
_MOST_DELETED = 20
"""Rulings that one write deletes at most; more are left to the next."""


class RedisRulings:
    """Rulings in Redis."""

    def __init__(self, settings: WorkerSettings, expiry_s: int, most: int, most_mib: int) -> None:
        """Remember where the store is and what it may hold; nothing is connected before the first use."""
        self._store = RedisStore(settings.redis_url)
        self._expiry_s, self._most, self._most_bytes = expiry_s, most, most_mib * 1_048_576

    def put(self, id_: str, ruling: bytes) -> None:
        """Store a ruling under its id."""

        def write(redis: Any) -> None:
            with redis.pipeline(transaction=False) as pipe:
                pipe.set(key("ruling", id_), ruling, ex=self._expiry_s)
                pipe.lpush(_LIST, f"{id_} {len(ruling)}")
                pipe.incrby(_BYTES, len(ruling))
                pipe.expire(_LIST, self._expiry_s)
                pipe.expire(_BYTES, self._expiry_s)
                _, count, total, *_ = pipe.execute()
            self._make_room(redis, count, total)

        self._store.ask(write)

    def get(self, id_: str) -> bytes | None:
        """Give a stored ruling."""
        # The client of redis-py shares its types with the one for asyncio.
        return cast(bytes | None, self._store.ask(lambda redis: redis.get(key("ruling", id_))))

    def _make_room(self, redis: Any, count: int, total: int) -> None:
        for _ in range(_MOST_DELETED):
            if count <= self._most and total <= self._most_bytes:
                return
            oldest = redis.rpop(_LIST)
            if oldest is None:
                redis.set(_BYTES, 0, ex=self._expiry_s)
                return
            id_, size = oldest.decode().split(" ")
            redis.delete(key("ruling", id_))
            count, total = count - 1, redis.decrby(_BYTES, int(size))
