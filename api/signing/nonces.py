"""Nonces: the question and choices bound to each, stored in Redis until its epoch is revealed.

A nonce answers one question, and a choice made under it is final. Otherwise a client that has seen the dice could use
them for a different question, or choose again.
"""

from collections.abc import Mapping
from typing import Literal, cast

import msgspec
from redis import Redis

from api.signing import epochs
from infra.redis import RedisStore, key, lua
from infra.settings import WorkerSettings

KEPT_LONGER_S = 60
"""Seconds after the reveal for which a nonce is kept, so that a slow clock deletes nothing too early."""

LATEST_KEPT_S = 86_400
"""Seconds for which the latest time of a publication of secrets is stored: a clock that was briefly years ahead must
not stop committed dice for years."""

_LATEST = key("latest")

Outcome = Literal["fixed", "used", "late"]

_FIX = lua(__package__, "fix_nonce")


class Nonces:
    """The store of nonces. Everything raises `StoreUnavailable` when Redis cannot be reached."""

    def __init__(self, settings: WorkerSettings) -> None:
        """Remember where Redis is; nothing is connected before the first use."""
        self._store = RedisStore(settings.redis_url)

    def fix(
        self, name: str, subject: str, chosen: Mapping[str, str], *, reveals: int, fresh: bool, spent: bool = False
    ) -> Outcome:
        """Bind a nonce to a question, and to its choices by place, until its epoch is revealed.

        `used` if a different question or choice is bound to it, or it was `spent`; `late` for a new one that is no
        longer allowed, or if the epoch is already revealed.
        """
        # Counted from now, because the clock of Redis may differ.
        lives_ms = int((reveals - epochs.now() + KEPT_LONGER_S) * 1_000)
        choices = msgspec.json.encode(chosen)
        outcome = self._store.run(_FIX, name, subject, lives_ms, int(fresh), int(spent), choices, reveals)
        return cast(Outcome, outcome.decode())

    def note_time(self) -> None:
        """Record that secrets are published now: a clock that is set back cannot make them usable again."""

        def note(redis: Redis) -> None:
            pipeline = redis.pipeline()
            pipeline.zadd(_LATEST, {"latest": epochs.now()}, gt=True)
            pipeline.expire(_LATEST, LATEST_KEPT_S)
            pipeline.execute()

        self._store.ask(note)
