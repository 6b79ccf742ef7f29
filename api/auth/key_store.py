"""The store of keys in Redis: a key is made, found, listed and revoked, each as one step.

| key, after `arbiter:` | kind | what |
|---|---|---|
| `apikey:<id>` | hash | the facts of a key, the seal of its secret, and when it was made, expires, was revoked |
| `apikeys` | set | the ids of all keys |
| `apikeys:<digest>` | set | the ids of one holder's keys |

A key stays until it is revoked or expires, and is listed for a while after that. Times are those of Redis.
"""

from typing import Any

import msgspec

from api.auth import keys
from api.auth.keys import KeyFacts, KeyRecord
from infra.errors import StoreUnavailable
from infra.redis import RedisStore, digest, key, lua
from infra.settings import WorkerSettings

MOST_LIVE = 2
"""Valid keys of one holder at a time: one in use, and its replacement."""

LISTED_MS = 30 * 86_400_000
"""Milliseconds for which a key stays listed after it ends."""

ANSWER_S = 1.0
"""Seconds after which a store that does not answer counts as away; every request waits for its key."""

_FIELDS = ("about", "seal", "made", "expires", "revoked")
"""The fields that are read from the record of a key, as in `lua/look.lua`."""

_CREATE, _REVOKE, _LISTED = (
    lua(__package__, "look") + lua(__package__, step) for step in ("create_key", "revoke_key", "list_keys")
)


class EnoughKeys(Exception):
    """The holder has the maximum of live keys; `live` are their ids."""

    def __init__(self, live: tuple[str, ...]) -> None:
        self.live = live
        super().__init__(f"there are {len(live)} live keys")


class Keystore:
    """The store of keys; everything raises `StoreUnavailable` when it cannot be reached. Thread-safe."""

    def __init__(self, settings: WorkerSettings) -> None:
        """Remember where the store is; nothing is connected before the first use."""
        self._store = RedisStore(settings.redis_url, ANSWER_S)

    def create(self, facts: KeyFacts, pepper: str, lasts_s: float | None = None) -> tuple[str, KeyFacts]:
        """Make a key with these facts; give its text, which is not stored. Raises `EnoughKeys`."""
        while True:
            parts = keys.make(facts.kind)
            about = msgspec.structs.replace(facts, id=parts.id)
            outcome, row = self._store.run(
                _CREATE,
                parts.id,
                digest(about.holder),
                msgspec.json.encode(about),
                keys.seal(parts, pepper),
                "" if lasts_s is None else round(lasts_s * 1_000),
                MOST_LIVE,
                LISTED_MS,
            )
            if outcome == b"held":
                raise EnoughKeys(tuple(sorted(id_.decode() for id_ in row)))
            if outcome == b"made":
                record = _record(row)
                if record is None:
                    raise StoreUnavailable("the key was not stored")
                return parts.written, record.facts

    def find(self, key_id: str) -> KeyRecord | None:
        """Give the record of a key; None for an unknown id."""
        row: Any = self._store.ask(lambda redis: redis.hmget(key("apikey", key_id), _FIELDS))
        return _record(row)

    def list_keys(self) -> tuple[KeyFacts, ...]:
        """Give all keys, by holder and then oldest first."""
        records = (_record(row) for _, row in self._store.run(_LISTED))
        keys_ = (record.facts for record in records if record is not None)
        return tuple(sorted(keys_, key=lambda facts: (facts.holder, facts.made, facts.id)))

    def revoke(self, key_id: str) -> KeyFacts | None:
        """Revoke a key; give it, with the time of the first revocation. None for an unknown id."""
        record = _record(self._store.run(_REVOKE, key_id, LISTED_MS))
        return None if record is None else record.facts


def _record(row: list[bytes | None]) -> KeyRecord | None:
    about, seal, made, expires, revoked = row
    if about is None or seal is None:
        return None
    facts = msgspec.structs.replace(
        msgspec.json.decode(about, type=KeyFacts),
        made=int(made or 0) / 1_000,
        expires=None if expires is None else int(expires) / 1_000,
        revoked=None if revoked is None else int(revoked) / 1_000,
    )
    return KeyRecord(facts, seal.decode())
