"""Where rulings are kept for all processes: in Redis, each for its time, with bounds on their number and their bytes.

| key, after `arbiter:` | kind | what |
|---|---|---|
| `ruling:<id>` | string | the ruling with its question, packed |
| `rulings` | sorted set | ids by when they were kept |
| `rulings:sizes` | hash | bytes of each |
| `rulings:bytes` | number | bytes of all |

All of them expire. When there are too many, those that were kept first go first, whatever their time.
"""

from collections.abc import Sequence
from typing import Any, cast

from infra.redis import RedisStore, key
from infra.settings import WorkerSettings

_KEEP = """
local rulings, sizes, bytes = KEYS[1], KEYS[2], KEYS[3]
local kept_ms, most, most_bytes, name = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function forget(id)
  local size = call('HGET', sizes, id)
  call('DEL', name .. id)
  call('ZREM', rulings, id)
  call('HDEL', sizes, id)
  if size then call('DECRBY', bytes, size) end
end

for at = 5, #ARGV, 2 do
  local id, data = ARGV[at], ARGV[at + 1]
  forget(id)
  call('SET', name .. id, data, 'PX', kept_ms)
  call('ZADD', rulings, now, id)
  call('HSET', sizes, id, #data)
  call('INCRBY', bytes, #data)
end

-- No step does more than this of the clearing up, so that it never holds Redis up; it keeps pace all the same.
for _, id in ipairs(call('ZRANGEBYSCORE', rulings, '-inf', now - kept_ms, 'LIMIT', 0, 500)) do forget(id) end
local count, total = call('ZCARD', rulings), tonumber(call('GET', bytes) or '0')
for _ = 1, 500 do
  if count <= most and total <= most_bytes then break end
  local first = call('ZRANGE', rulings, 0, 0)[1]
  if not first then break end
  forget(first)
  count, total = call('ZCARD', rulings), tonumber(call('GET', bytes) or '0')
end
for _, each in ipairs({rulings, sizes, bytes}) do call('PEXPIRE', each, kept_ms) end
"""


class Rulings:
    """Rulings in Redis."""

    def __init__(self, settings: WorkerSettings, kept_s: int, most: int, most_mib: int) -> None:
        """Remember where the store is and what it may hold; nothing is connected before the first use."""
        self._store = RedisStore(settings.redis_url)
        self._bounds = (kept_s * 1_000, most, most_mib * 1_048_576, key("ruling", ""))
        self._script: Any = None

    def put(self, rulings: Sequence[tuple[str, bytes]]) -> None:
        """Keep rulings by their ids, for the time that is set from now on."""
        said = [part for ruling in rulings for part in ruling]

        def run(redis: Any) -> Any:
            if self._script is None:
                self._script = redis.register_script(_KEEP)
            names = [key("rulings"), key("rulings", "sizes"), key("rulings", "bytes")]
            return self._script(keys=names, args=(*self._bounds, *said))

        self._store.ask(run)

    def get(self, id_: str) -> bytes | None:
        """Give a ruling that is kept."""
        # The client of redis-py shares its types with the one for asyncio.
        return cast(bytes | None, self._store.ask(lambda redis: redis.get(key("ruling", id_))))
