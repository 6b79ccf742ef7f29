"""Where boards are kept that were put once and are named by their digest: in Redis, or in the memory of this process.

Either way a board is kept for a stated time since it was last used, and boards are bounded in number and in bytes; when
there is no room, those that have not been used for longest go first.
"""

import time
from collections import OrderedDict
from threading import Lock
from typing import Protocol

from api.settings import MIB, Settings
from infra.codec import pack, unpack
from infra.errors import CorruptRecord
from infra.redis import RedisStore

PUT = """
local name, text, keep, most, most_bytes = unpack(ARGV)
keep, most, most_bytes = tonumber(keep), tonumber(most), tonumber(most_bytes)
local used, sizes, total = P .. 'boards:used', P .. 'boards:sizes', P .. 'boards:bytes'

local function forget(name)
  call('UNLINK', P .. 'board:' .. name)
  local size = call('HGET', sizes, name)
  if size then
    call('HDEL', sizes, name)
    call('DECRBY', total, size)
  end
  call('ZREM', used, name)
end

for _, old in ipairs(call('ZRANGEBYSCORE', used, '-inf', now - keep, 'LIMIT', 0, 200)) do forget(old) end
-- What is there under the name but differs was damaged.
local fresh = call('GET', P .. 'board:' .. name) ~= text
if fresh then
  -- Redis may have dropped the board by itself and left what was noted about it.
  forget(name)
  while call('ZCARD', used) >= most or tonumber(call('GET', total) or 0) + #text > most_bytes do
    local oldest = call('ZRANGE', used, 0, 0)[1]
    if not oldest then break end
    forget(oldest)
  end
  call('SET', P .. 'board:' .. name, text)
  call('HSET', sizes, name, #text)
  call('INCRBY', total, #text)
end
call('ZADD', used, now, name)
for _, key in ipairs({P .. 'board:' .. name, used, sizes, total}) do call('PEXPIRE', key, keep) end
return fresh and 1 or 0
"""
"""Keep a board, or keep it on; gives whether it was not there before."""

GET = """
local name, keep = unpack(ARGV)
local text = call('GET', P .. 'board:' .. name)
if text then
  local used = P .. 'boards:used'
  call('ZADD', used, now, name)
  for _, key in ipairs({P .. 'board:' .. name, used, P .. 'boards:sizes', P .. 'boards:bytes'}) do
    call('PEXPIRE', key, tonumber(keep))
  end
end
return text
"""
"""Give a board and keep it on."""


class BoardStore(Protocol):
    """Keeps boards. Every method counts as a use, and raises `StoreUnavailable` when the store cannot be reached."""

    def put(self, game: str, digest: str, text: bytes) -> bool:
        """Keep a board, or keep it on; say whether it was not there before."""

    def get(self, game: str, digest: str) -> bytes | None:
        """Give a board as it was put."""


class InRedis:
    """Keeps boards in Redis, where all processes and machines find them."""

    def __init__(self, settings: Settings) -> None:
        """Remember where the store is; nothing is connected before the first use."""
        self._store, self._kept_ms = RedisStore(settings.redis_url), settings.boards_kept_s * 1_000
        self._most, self._most_bytes = settings.most_boards, settings.boards_kept_mib * MIB

    def put(self, game: str, digest: str, text: bytes) -> bool:
        said = (f"{game}:{digest}", pack(text), self._kept_ms, self._most, self._most_bytes)
        return bool(self._store.run(PUT, *said))

    def get(self, game: str, digest: str) -> bytes | None:
        found = self._store.run(GET, f"{game}:{digest}", self._kept_ms)
        try:
            return None if found is None else unpack(found)
        except CorruptRecord:
            return None  # whoever has the board puts it again


class InMemory:
    """Keeps boards in this process, which no other process knows of; they go when it ends."""

    def __init__(self, settings: Settings) -> None:
        self._kept_s, self._most = settings.boards_kept_s, settings.most_boards
        self._most_bytes = settings.boards_in_memory_mib * MIB
        self._boards: OrderedDict[tuple[str, str], tuple[bytes, float]] = OrderedDict()
        self._bytes, self._lock = 0, Lock()

    def put(self, game: str, digest: str, text: bytes) -> bool:
        packed, key = pack(text), (game, digest)
        with self._lock:
            fresh = self._used(key) is None
            if fresh:
                while self._boards and (
                    len(self._boards) >= self._most or self._bytes + len(packed) > self._most_bytes
                ):
                    self._forget(next(iter(self._boards)))
                self._boards[key] = packed, time.monotonic()
                self._bytes += len(packed)
            return fresh

    def get(self, game: str, digest: str) -> bytes | None:
        with self._lock:
            found = self._used((game, digest))
        return None if found is None else unpack(found)

    def _used(self, key: tuple[str, str]) -> bytes | None:
        """Give what is kept and keep it on; what is too old is forgotten, and so is all that is older still."""
        now = time.monotonic()
        while self._boards and next(iter(self._boards.values()))[1] <= now - self._kept_s:
            self._forget(next(iter(self._boards)))
        if key not in self._boards:
            return None
        packed, _ = self._boards[key]
        self._boards[key] = packed, now
        self._boards.move_to_end(key)
        return packed

    def _forget(self, key: tuple[str, str]) -> None:
        packed, _ = self._boards.pop(key)
        self._bytes -= len(packed)


def store_of(settings: Settings, *, with_redis: bool) -> BoardStore:
    """Give the store of boards that the settings name."""
    return InRedis(settings) if with_redis else InMemory(settings)
