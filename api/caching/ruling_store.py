"""Kept rulings: what a permalink leads to, for a stated time, in the memory of this process and in Redis behind it.

Keeping must not slow a question down: what is to be kept goes to memory and into a bounded queue, from which one thread
of the process writes it to Redis. When the queue is full or Redis is away, the answer names no permalink that other
processes could not follow. Without Redis the memory is all there is, and a gateway of several processes names none.
"""

import atexit
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Sequence
from threading import BoundedSemaphore, Condition, Lock, Thread
from typing import Generic, Protocol, TypeVar

import msgspec

from api.observability.request_log import Log
from api.settings import Settings
from infra.codec import pack, unpack
from infra.errors import CorruptRecord, StoreUnavailable
from rendering.stored_ruling import StoredRuling

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST_KEPT_BYTES = 524_288
"""Bytes of the longest question and answer, together, that are kept."""

MEMORY_BYTES = 16_777_216
"""Bytes of the rulings that one process holds in memory."""

QUEUE_BYTES = 8_388_608
"""Bytes of the rulings of one process that may wait for Redis; more are not kept."""

BATCH = 32
"""Rulings that go to Redis together."""

AWAY_S = 1.0
"""Seconds for which nothing is promised after Redis did not answer."""

FLUSH_S = 2.0
"""Seconds that a process which ends waits for its last rulings to be written."""

BEHIND_S, LOOKS = 0.1, 5
"""Seconds in which a ruling that another process has just promised is looked for again, and how many times."""

MOST_LOOKING = 2
"""Threads of a process that look again at the same time: whoever tries links holds no more of them."""

AHEAD_S = 300.0
"""Seconds by which the clock of the gateway that made a ruling may be ahead of ours."""

_OVERHEAD = 512
"""Bytes that are reckoned for each ruling beside its own."""


def size_of(ruling: StoredRuling) -> int:
    """Give the bytes that a ruling takes in memory, roughly."""
    return len(ruling.body) + len(ruling.answer) + _OVERHEAD


class Memory(Generic[K, V]):
    """What was put in last or looked at last, up to a total size; any number of threads may use it."""

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._held: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._held)

    def put(self, key: K, value: V, size: int = 1) -> None:
        """Remember a value, and forget what was not looked at for longest until there is room."""
        with self._lock:
            self._drop(key)
            if size > self._most:
                return
            self._held[key] = (value, size)
            self._size += size
            while self._size > self._most:
                self._drop(next(iter(self._held)))

    def get(self, key: K) -> V | None:
        """Give what is remembered under a key."""
        with self._lock:
            found = self._held.get(key)
            if found is None:
                return None
            self._held.move_to_end(key)
            return found[0]

    def forget(self, key: K) -> None:
        """Forget a key."""
        with self._lock:
            self._drop(key)

    def _drop(self, key: K) -> None:
        found = self._held.pop(key, None)
        if found is not None:
            self._size -= found[1]


class RulingBackend(Protocol):
    """What keeps rulings for all processes. Every method raises `StoreUnavailable` when it cannot be reached."""

    def put(self, rulings: Sequence[tuple[str, bytes]]) -> None:
        """Keep rulings by their ids, for the time that is set from now on."""

    def get(self, id_: str) -> bytes | None:
        """Give a ruling that is kept."""


class RulingStore:
    """Keeps rulings and finds them. `count` is told what became of each that was to be kept, in one word."""

    def __init__(
        self, settings: Settings, store: RulingBackend | None, log: Log, count: Callable[[str], None] = lambda _: None
    ) -> None:
        self.kept_s = settings.rulings_kept_s
        self.losses = 0
        self._store, self._log, self._count = store, log, count
        self._memory: Memory[str, StoredRuling] = Memory(MEMORY_BYTES)
        self._waiting: deque[tuple[str, StoredRuling]] = deque()
        self._waiting_bytes, self._writing = 0, False
        self._changed = Condition()
        self._thread: Thread | None = None
        self._away_until = 0.0
        self._looking = BoundedSemaphore(MOST_LOOKING)

    @property
    def shared(self) -> bool:
        """Say whether rulings are kept where other processes find them, too."""
        return self._store is not None

    def keep(self, id_: str, kept: StoredRuling, *, alone: bool) -> bool:
        """Keep a ruling; say whether whoever follows its permalink will find it.

        `alone` says that this process is the only one, so that its memory will do where there is no Redis.
        """
        if len(kept.body) + len(kept.answer) > MOST_KEPT_BYTES:
            self._count("too-large")
            return False
        self._memory.put(id_, kept, size_of(kept))
        if self._store is None:
            return alone
        if time.monotonic() < self._away_until:
            self._count("away")
            return alone
        with self._changed:
            if self._waiting_bytes + size_of(kept) > QUEUE_BYTES:
                self._count("dropped")
                return alone
            self._waiting.append((id_, kept))
            self._waiting_bytes += size_of(kept)
            if self._thread is None:
                # Started by the first ruling and not before, so that it is in the process that answers.
                self._thread = Thread(target=self._write, name="rulings", daemon=True)
                self._thread.start()
                atexit.register(self.flush, FLUSH_S)
            self._changed.notify_all()
        return True

    def here(self, id_: str) -> StoredRuling | None:
        """Give a ruling if the memory of this process has it and its time is not over."""
        kept = self._memory.get(id_)
        if kept is not None and self.left_s(kept) <= 0:
            self._memory.forget(id_)
            return None
        return kept

    def find(self, id_: str) -> StoredRuling | None:
        """Give a ruling wherever it is kept; raises `StoreUnavailable`."""
        kept = self.here(id_)
        if kept is not None or self._store is None:
            return kept
        packed = self._store.get(id_) or self._awaited(id_, self._store)
        kept = None if packed is None else _read(packed)
        if kept is None or self.left_s(kept) <= 0:
            return None
        self._memory.put(id_, kept, size_of(kept))
        return kept

    def _awaited(self, id_: str, store: RulingBackend) -> bytes | None:
        """Look again for a moment: who follows a link at once may come to a process that sees it a little later."""
        if not self._looking.acquire(blocking=False):
            return None
        try:
            for _ in range(LOOKS):
                time.sleep(BEHIND_S / LOOKS)
                if (packed := store.get(id_)) is not None:
                    return packed
        finally:
            self._looking.release()
        return None

    def left_s(self, kept: StoredRuling) -> float:
        """Say for how many seconds a ruling will still be kept."""
        return kept.made + self.kept_s - time.time()

    def flush(self, seconds: float) -> bool:
        """Wait until everything that was to be kept is written, at most so long; say whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._writing, seconds)

    def _write(self) -> None:
        assert self._store is not None
        while True:
            batch = self._next()
            try:
                self._store.put([(id_, pack(msgspec.msgpack.encode(kept))) for id_, kept in batch])
                outcome = "written"
            except StoreUnavailable:
                outcome = "away"
                self._away_until = time.monotonic() + AWAY_S
            except Exception as fault:
                # The thread has to go on whatever it was: without it nothing would be kept any more.
                outcome = "failed"
                self._log.error("rulings-not-kept", exc_info=fault)
            if outcome != "written":
                # Promises that were remembered no longer hold; what is asked again is kept again.
                self.losses += 1
            for _ in batch:
                self._count(outcome)
            with self._changed:
                self._writing = False
                self._changed.notify_all()

    def _next(self) -> list[tuple[str, StoredRuling]]:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting)
            batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
            self._waiting_bytes -= sum(size_of(kept) for _, kept in batch)
            self._writing = True
            return batch


def _read(packed: bytes) -> StoredRuling | None:
    """Read a ruling as it was written; None for what no gateway of this version can have written."""
    try:
        kept = msgspec.msgpack.decode(unpack(packed), type=StoredRuling)
        for text in (kept.body, kept.answer):
            _object.decode(text)
            text.decode()
    except (msgspec.MsgspecError, CorruptRecord, UnicodeDecodeError, RecursionError):
        return None
    # A time that is none fails this, too; other machines may be ahead of us by a little.
    return kept if 0 <= kept.made <= time.time() + AHEAD_S else None


_object = msgspec.json.Decoder(dict[str, msgspec.Raw])
