"""Nonces: what was asked and chosen under each of them, kept in Redis until its epoch is revealed.

A nonce answers one question, and what was chosen once under it stays chosen. Otherwise whoever has seen the dice could
ask something else of them, or choose again.
"""

from collections.abc import Mapping
from typing import Literal, cast

import msgspec

from infra.redis import RedisStore
from infra.settings import WorkerSettings

KEPT_LONGER_S = 60
"""Seconds after the reveal for which a nonce is kept, so that a clock that is late forgets nothing too early."""

Outcome = Literal["fixed", "used", "late"]

FIX = """
local name, asked, lives, fresh, spent, chosen = unpack(ARGV)
local record = P .. 'nonce:' .. name
local before = call('HGET', record, 'asked')
if call('HEXISTS', record, 'spent') == 1 then return 'used' end
if not before and fresh == '0' then return 'late' end
if before and before ~= asked then return 'used' end
chosen = cjson.decode(chosen)
for place, option in pairs(chosen) do
  local was = call('HGET', record, place)
  if was and was ~= option then return 'used' end
end
if not before then call('HSET', record, 'asked', asked) end
for place, option in pairs(chosen) do call('HSET', record, place, option) end
if spent == '1' then call('HSET', record, 'spent', 1) end
call('PEXPIRE', record, lives)
return 'fixed'
"""
"""The one step: everything is as it was before, or nothing is changed."""


class Nonces:
    """What was asked and chosen, nonce by nonce. Everything raises `StoreUnavailable` when Redis cannot be reached."""

    def __init__(self, settings: WorkerSettings) -> None:
        """Remember where Redis is; nothing is connected before the first use."""
        self._store = RedisStore(settings.redis_url)

    def fix(
        self, name: str, asked: str, chosen: Mapping[str, str], *, kept_s: float, fresh: bool, spent: bool = False
    ) -> Outcome:
        """Bind a nonce to what is asked, and to the choices at their places, for so many seconds.

        `used` when something else was asked or chosen under it before, or it was `spent`; `late` for one that is new
        and may not be any more.
        """
        # Counted from now, for the clock of Redis may be another.
        lives_ms = int((kept_s + KEPT_LONGER_S) * 1_000)
        said = self._store.run(FIX, name, asked, lives_ms, int(fresh), int(spent), msgspec.json.encode(chosen))
        return cast(Outcome, said.decode())
