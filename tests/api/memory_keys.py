"""A store of keys in memory, and a clock that goes when it is told to."""

from collections.abc import Callable, Sequence

import msgspec

from api.auth import keys
from api.auth.keys import KeyRecord, Kind
from api.settings import Settings
from cli.key_schema import new_key
from infra.errors import StoreUnavailable

PEPPER = "pepper " * 5
OLD_PEPPER = "former " * 5
ORIGIN = "https://table.example"


def settings(peppers: Sequence[str] = (PEPPER,), **more: object) -> Settings:
    return msgspec.convert({"log_level": "error", "key_peppers": tuple(peppers), **more}, Settings)


class MemoryKeys:
    """Keys in memory; `away` refuses to look for one, and `asked` counts how often one was looked for."""

    def __init__(self, now: Callable[[], float] = lambda: 1_000.0) -> None:
        self.kept: dict[str, KeyRecord] = {}
        self.away = False
        self.asked = 0
        self.now = now

    def make(
        self,
        holder: str = "acme",
        kind: Kind = "secret",
        scopes: Sequence[str] = (),
        *,
        lasts_s: float | None = None,
        pepper: str = PEPPER,
        units_per_minute: int | None = None,
    ) -> str:
        """Make a key."""
        origins = () if kind == "secret" else (ORIGIN,)
        parts, now = keys.make(kind), self.now()
        facts = msgspec.structs.replace(
            new_key(kind, holder, scopes, origins, units_per_minute),
            id=parts.id,
            made=now,
            expires=None if lasts_s is None else now + lasts_s,
        )
        self.kept[parts.id] = KeyRecord(facts, keys.seal(parts, pepper))
        return parts.written

    def revoke(self, written: str) -> None:
        """Let a key count no more."""
        id_ = keys.parse(written).id
        record = self.kept[id_]
        self.kept[id_] = KeyRecord(msgspec.structs.replace(record.facts, revoked=self.now()), record.seal)

    def find(self, key_id: str) -> KeyRecord | None:
        self.asked += 1
        if self.away:
            raise StoreUnavailable("nobody answers")
        return self.kept.get(key_id)


class Clock:
    """A clock that stands still unless it is moved."""

    def __init__(self, at: float = 1_000.0) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at
