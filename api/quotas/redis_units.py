"""Where quotas are kept for all processes of the gateway: one bucket for each caller, in Redis.

Key `arbiter:units:<caller>` is a hash of `level`, the units that are there, and `at`, when that was, in milliseconds
of Redis's own clock; it expires when the bucket is full again, for a full bucket is as good as none.
"""

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as NotConnected
from redis.exceptions import RedisError
from redis.retry import Retry

from api.quotas.limiter import UnitsAway
from infra.redis import key

ANSWER_S = 0.05
"""Seconds that an answer of the store is worth: a request that cannot be counted is let in."""

TAKE = """
local capacity, per_ms, need, share, back, forced = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]),
  tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6] == '1'
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local kept = redis.call('HMGET', KEYS[1], 'level', 'at')
local gone = math.max(0, now - tonumber(kept[2] or now))
local level = math.min(capacity, tonumber(kept[1] or capacity) + gone * per_ms + back)
local granted = 0
if forced or level + 0.000001 >= need then
  granted = need
  -- Near the bottom everybody takes no more than is needed, so that the last units are counted exactly.
  if level - need >= 2 * share then granted = need + share end
end
level = math.max(level - granted, -capacity)
redis.call('HSET', KEYS[1], 'level', string.format('%.6f', level), 'at', string.format('%.3f', now))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', (capacity - level) / per_ms + 1000))
return {granted, string.format('%.6f', level)}
"""
"""Hand units back, then take what is needed and a share more where there is plenty; gives what was granted, 0 for too
little, and what is left. What is forced is taken in any case, down to an empty bucket's worth of debt."""


class RedisUnits:
    """Buckets in Redis. It may be used by many threads, and on both sides of a fork."""

    def __init__(self, url: str, *, answer_s: float = ANSWER_S) -> None:
        """Remember where the store is; nothing is connected before the first use."""
        redis = Redis.from_url(
            url,
            socket_timeout=answer_s,
            socket_connect_timeout=answer_s,
            # A connection that a restart of the server has cut is made anew, once; what is taken twice is little.
            retry=Retry(NoBackoff(), 1, supported_errors=(NotConnected,)),
        )
        self._take = redis.register_script(TAKE)

    def take(
        self, caller: str, capacity: int, per_s: float, need: int, share: int, back: int, *, forced: bool = False
    ) -> tuple[int, float]:
        """Hand back what was not spent, then take what is needed and a share; raises `UnitsAway`."""
        said = (capacity, per_s / 1000, need, share, back, int(forced))
        try:
            granted, level = self._take(keys=(key("units", caller),), args=said)
        except (RedisError, OSError) as away:
            raise UnitsAway(str(away)) from away
        return int(granted), float(level)
