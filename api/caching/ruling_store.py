"""Stored rulings, which permalinks show for a stated time, in the memory of this process and in Redis behind it.

Each ruling is written to Redis before it is answered (`SET` with an expiry), so that its permalink works on every
process. When Redis is away, it is tried again a second later. Without Redis there is only the memory: then a gateway of
one process gives permalinks from its memory, and one of several processes gives none.

| key, after `arbiter:` | kind | what |
|---|---|---|
| `ruling:<id>` | string | the ruling with its question, as MessagePack |
| `rulings` | list | `<id> <bytes>` of the stored rulings, the newest first |
| `rulings:bytes` | number | bytes of all on the list |

All of them expire. When there are too many, the oldest are deleted. A ruling that is written twice is
counted twice, and deleted with the first of its two entries.
"""

import time
from collections.abc import Callable
from threading import Lock
from typing import cast

import msgspec
from cachetools import LRUCache

from api.observability.request_log import Log
from api.settings import MIB, Settings
from infra.errors import StoreUnavailable
from infra.redis import RedisStore, key, lua
from rendering.stored_ruling import StoredRuling

MOST_BYTES = 524_288
"""Bytes of the longest question and answer, together, that are stored."""

MEMORY_BYTES = 16 * MIB
"""Bytes of the rulings that one process has in memory."""

RETRY_S = 1.0
"""Seconds without writes after Redis did not answer."""

CLOCK_SKEW_S = 300.0
"""Seconds by which the clock of the gateway that made a ruling may be ahead of ours."""

RECENT_SHARE = 0.9
"""Share of its time that a ruling must have left to be answered from memory; an older one is stored again."""

_PUT = lua(__package__, "put_ruling")

_MOST_DELETED = 20
"""Rulings that one write deletes at most; the next write deletes more."""

_OVERHEAD = 512
"""Bytes of overhead that are counted for each ruling."""

_object = msgspec.json.Decoder(dict[str, msgspec.Raw])


def size_of(ruling: StoredRuling) -> int:
    """Give the bytes that a ruling takes in memory, roughly."""
    return len(ruling.body) + len(ruling.answer) + _OVERHEAD


class RulingStore:
    """Stores rulings and finds them. `count` is called with the outcome of each write, in one word."""

    def __init__(
        self,
        settings: Settings,
        backend: "RedisRulings | None",
        log: Log,
        count: Callable[[str], None] = lambda _: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.expiry_s = settings.rulings_ttl_s
        self._backend, self._log, self._count, self.clock = backend, log, count, clock
        self._memory: LRUCache[str, StoredRuling] = LRUCache(MEMORY_BYTES, getsizeof=size_of)
        self._lock = Lock()
        self._retry_at = float("-inf")

    def put(self, id_: str, ruling: StoredRuling, *, alone: bool) -> bool:
        """Store a ruling; decide whether its permalink may be given.

        `alone` says that this process is the only one, so that its memory is enough without Redis.
        """
        if len(ruling.body) + len(ruling.answer) > MOST_BYTES:
            self._count("too-large")
            return False
        outcome = self._write(id_, ruling)
        if outcome:
            self._count(outcome)
        linkable = outcome == "written" or alone
        if linkable:
            self._remember(id_, ruling)
        return linkable

    def _write(self, id_: str, ruling: StoredRuling) -> str:
        """Write a ruling to Redis; give the outcome in one word, empty without Redis."""
        if self._backend is None:
            return ""
        if self.clock() < self._retry_at:
            return "away"
        try:
            self._backend.put(id_, msgspec.msgpack.encode(ruling))
        except StoreUnavailable as away:
            self._retry_at = self.clock() + RETRY_S
            self._log.warning("rulings-not-stored", reason=repr(away.__cause__ or away))
            return "away"
        return "written"

    def recent(self, id_: str) -> StoredRuling | None:
        """Give a ruling of this process's memory whose permalink has nearly all of its time left."""
        ruling = self.recall(id_)
        return None if ruling is None or self.seconds_left(ruling) < RECENT_SHARE * self.expiry_s else ruling

    def recall(self, id_: str) -> StoredRuling | None:
        """Give a ruling that this process has in memory, all of which have permalinks."""
        with self._lock:
            ruling = self._memory.get(id_)
            if ruling is not None and self.seconds_left(ruling) <= 0:
                del self._memory[id_]
                return None
        return ruling

    def find(self, id_: str) -> StoredRuling | None:
        """Give a ruling wherever it is stored; raises `StoreUnavailable`."""
        ruling = self.recall(id_)
        if ruling is not None or self._backend is None:
            return ruling
        packed = self._backend.get(id_)
        ruling = None if packed is None else read(packed, self.clock())
        if ruling is None or self.seconds_left(ruling) <= 0:
            return None
        self._remember(id_, ruling)
        return ruling

    def seconds_left(self, ruling: StoredRuling) -> float:
        """Give the seconds for which a ruling will still be stored."""
        return ruling.made + self.expiry_s - self.clock()

    def _remember(self, id_: str, ruling: StoredRuling) -> None:
        with self._lock:
            self._memory[id_] = ruling


def read(packed: bytes, now: float) -> StoredRuling | None:
    """Read a ruling as it was written; None for a record that no gateway of this version can have written."""
    try:
        ruling = msgspec.msgpack.decode(packed, type=StoredRuling)
        for text in (ruling.body, ruling.answer):
            _object.decode(text)
            text.decode()
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    # A time that is not a number fails this, too; the clocks of other machines may be slightly ahead.
    return ruling if 0 <= ruling.made <= now + CLOCK_SKEW_S else None


class RedisRulings:
    """Rulings in Redis."""

    def __init__(self, settings: Settings) -> None:
        """Remember where the store is and what it may hold; nothing is connected before the first use."""
        self._store = RedisStore(settings.redis_url)
        self._expiry_s = settings.rulings_ttl_s
        self._most, self._most_bytes = settings.rulings_max_count, settings.rulings_max_mib * MIB

    def put(self, id_: str, ruling: bytes) -> None:
        """Store a ruling under its id."""
        self._store.run(_PUT, id_, ruling, self._expiry_s, self._most, self._most_bytes, _MOST_DELETED)

    def get(self, id_: str) -> bytes | None:
        """Give a stored ruling."""
        # The client of redis-py shares its types with the one for asyncio.
        return cast(bytes | None, self._store.ask(lambda redis: redis.get(key("ruling", id_))))
