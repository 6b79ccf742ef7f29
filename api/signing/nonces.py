"""Nonces: the question and choices bound to each, stored in Redis until its epoch is revealed.

A nonce answers one question, and what was chosen once under it stays chosen. Otherwise whoever has seen the dice could
ask something else of them, or choose again.
"""

from collections.abc import Mapping
from typing import Literal, cast

import msgspec

from infra.redis import RedisStore, lua
from infra.settings import WorkerSettings

KEPT_LONGER_S = 60
"""Seconds after the reveal for which a nonce is kept, so that a clock that is late forgets nothing too early."""

Outcome = Literal["fixed", "used", "late"]

_FIX = lua(__package__, "fix_nonce")


class Nonces:
    """The store of nonces. Everything raises `StoreUnavailable` when Redis cannot be reached."""

    def __init__(self, settings: WorkerSettings) -> None:
        """Remember where Redis is; nothing is connected before the first use."""
        self._store = RedisStore(settings.redis_url)

    def fix(
        self, name: str, subject: str, chosen: Mapping[str, str], *, kept_s: float, fresh: bool, spent: bool = False
    ) -> Outcome:
        """Bind a nonce to a question, and to the choices at their places, for so many seconds.

        `used` when something else was asked or chosen under it before, or it was `spent`; `late` for one that is new
        and may not be any more.
        """
        # Counted from now, for the clock of Redis may be another.
        lives_ms = int((kept_s + KEPT_LONGER_S) * 1_000)
        outcome = self._store.run(_FIX, name, subject, lives_ms, int(fresh), int(spent), msgspec.json.encode(chosen))
        return cast(Outcome, outcome.decode())
