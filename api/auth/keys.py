"""API keys: their form, their facts, and how a secret is checked without being stored.

A key is `arb_sk_` (secret) or `arb_pk_` (publishable), eight letters that are its public id, `_`, 160 secret random
bits, and a checksum. The checksum tells a typing error from a wrong key, and lets scanners of source code recognise a
key. Only an HMAC is stored, under a pepper that the store of keys never sees.
"""

import re
import secrets
from base64 import b32encode
from collections.abc import Sequence
from hmac import compare_digest, digest
from typing import Literal, get_args
from urllib.parse import unquote
from zlib import crc32

from arbiter.value import Value

Kind = Literal["secret", "publishable"]
Scope = Literal["ask", "jobs", "boards"]

SCOPES: tuple[Scope, ...] = get_args(Scope)
"""The scopes of keys: rulings, odds and look-ups; jobs; putting and importing boards."""

_MARKS: dict[str, Kind] = {"arb_sk_": "secret", "arb_pk_": "publishable"}
_BEGINNINGS: dict[Kind, str] = {kind: mark for mark, kind in _MARKS.items()}
_ID_BYTES, _SECRET_BYTES = 5, 20

PATTERN = "arb_[sp]k_[a-z2-7]{8}_[a-z2-7]{39}"
"""The pattern of every key, for scanners of source code and logs."""

_KEY = re.compile(r"(arb_[sp]k_)([a-z2-7]{8})_([a-z2-7]{32})([a-z2-7]{7})")
_ID = re.compile(r"[a-z2-7]{8}")


class Malformed(ValueError):
    """A text is not a key, or a key with a typing error; the message says which and does not repeat the text."""


class KeyRefused(ValueError):
    """A key with these facts may not be made; the message says why."""


class Parts(Value, frozen=True):
    """A key, part by part."""

    kind: Kind
    id: str
    secret: str

    @property
    def written(self) -> str:
        """Give the key as it is written."""
        return f"{self._body}{_checksum(self._body)}"

    @property
    def _body(self) -> str:
        return f"{_BEGINNINGS[self.kind]}{self.id}_{self.secret}"

    def __repr__(self) -> str:
        return f"Parts(kind={self.kind!r}, id={self.id!r})"


class KeyFacts(Value, frozen=True):
    """The facts of a key; times are seconds since 1970.

    Its `holder` owns the jobs that are made with it, so that two keys of one holder have the same jobs. `origins` are
    the pages that may send a publishable key, `units_per_minute` is the agreed rate, if any.
    """

    id: str
    kind: Kind
    holder: str
    scopes: tuple[Scope, ...]
    origins: tuple[str, ...] = ()
    units_per_minute: int | None = None
    made: float = 0.0
    expires: float | None = None
    revoked: float | None = None

    def state(self, now: float) -> Literal["live", "expired", "revoked"]:
        """Give the state of the key at that time."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and now >= self.expires else "live"


class KeyRecord(Value, frozen=True):
    """The record of a key: its facts, and the seal of its secret."""

    facts: KeyFacts
    seal: str


def make(kind: Kind) -> Parts:
    """Make a new key."""
    return Parts(kind, _letters(secrets.token_bytes(_ID_BYTES)), _letters(secrets.token_bytes(_SECRET_BYTES)))


def parse(text: str) -> Parts:
    """Read a key; raises `Malformed`."""
    match = _KEY.fullmatch(text)
    if match is None:
        raise Malformed("it does not have the form of a key")
    mark, id_, secret, checksum = match.groups()
    if checksum != _checksum(text[: -len(checksum)]):
        raise Malformed("its checksum is wrong: a letter is mistyped, or a part is missing")
    return Parts(_MARKS[mark], id_, secret)


def seal(parts: Parts, pepper: str) -> str:
    """Give the stored form of a key: an HMAC of all of it, so that no record can match another key."""
    return digest(pepper.encode(), parts._body.encode(), "sha256").hex()


def fits(parts: Parts, sealed: str, peppers: Sequence[str]) -> bool:
    """Decide in constant time whether a key is the one that was sealed under one of these peppers."""
    matches = False
    for pepper in peppers:
        matches |= compare_digest(seal(parts, pepper), sealed)
    return matches


def is_id(text: str) -> bool:
    """Decide whether a text is the id of a key."""
    return _ID.fullmatch(text) is not None


def holds_key(text: str) -> bool:
    """Decide whether a text contains a key, or the beginning of one, plain or escaped as in URLs."""
    plain = text.lower()
    # Programs that pass a URL on may have escaped it a second time.
    for _ in range(3):
        if "arb_sk_" in plain or "arb_pk_" in plain:
            return True
        if "%" not in plain:
            return False
        plain = unquote(plain).lower()
    return False


def without_key(path: str) -> str:
    """Give a path that may be shown and logged: the path itself, or an empty one if it contains a key."""
    return "/" if holds_key(path) else path


def _letters(data: bytes) -> str:
    return b32encode(data).decode().rstrip("=").lower()


def _checksum(body: str) -> str:
    return _letters(crc32(body.encode()).to_bytes(4, "big"))
