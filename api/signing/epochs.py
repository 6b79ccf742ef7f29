"""Epochs: the secrets to which a service commits before questions are posted, and the seeds made from them.

An epoch is a period of time. Its secret is derived from the service's master secret, its length and its number, so that
nothing is stored and every process agrees. The SHA-256 of the secret, the commitment, is published before the epoch
begins; the secret itself when the epoch is over and no question can use it any more.
"""

import hmac
import math
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

from api.schemas.canonical_json import canonical
from arbiter.value import Value

AHEAD = 2
"""Epochs to come whose commitments are published."""

LISTED = 14
"""Past epochs that are listed; older ones are available by id."""

LONGEST_DELAY_S = 600
"""The longest time from the end of an epoch until it is revealed."""

EXAMPLE = "86400-0"
"""The id of an epoch that is over everywhere: the first day of 1970."""

_ID = re.compile(r"([1-9][0-9]{1,6})-(0|[1-9][0-9]{0,9})")


class Epoch(Value, frozen=True):
    """One epoch: when it begins, ends and is revealed, its commitment, and once it is revealed its secret.

    `commitment` is the SHA-256 of the 32 bytes of `secret`; both are in hex. Between the end and `reveals`, questions
    that were posted before the end may be continued.
    """

    id: str
    begins: str
    ends: str
    reveals: str
    commitment: str
    secret: str | None = None


class EpochList(Value, frozen=True):
    """The epoch whose dice can be used now, the next ones, and the past ones, the last one first.

    The list is empty if the service commits to no dice.
    """

    current: Epoch | None
    coming: tuple[Epoch, ...]
    past: tuple[Epoch, ...]


class Span(NamedTuple):
    """The time of one epoch, in seconds since 1970, by its length and number."""

    length: int
    number: int

    @property
    def id(self) -> str:
        """Name the epoch."""
        return f"{self.length}-{self.number}"

    @property
    def begins(self) -> int:
        """Give its first second."""
        return self.length * self.number

    @property
    def ends(self) -> int:
        """Give the second at which the next begins."""
        return self.begins + self.length

    @property
    def reveals(self) -> int:
        """Give the second from which the secret is public."""
        return self.ends + max(2, min(LONGEST_DELAY_S, self.length // 10))

    @property
    def closes(self) -> float:
        """Give the second from which no question is decided any more: the clocks of a service may differ slightly."""
        return (self.ends + self.reveals) / 2


class Epochs:
    """The epochs of one service."""

    def __init__(self, master: bytes, length: int) -> None:
        self._master, self.length = master, length

    def current(self) -> Span:
        """Give the epoch of this moment."""
        return Span(self.length, int(now()) // self.length)

    def secret(self, span: Span) -> bytes:
        """Give the secret of an epoch, revealed or not."""
        return hmac.digest(self._master, f"arbiter-epoch/{span.id}".encode(), "sha256")

    def commitment(self, span: Span) -> str:
        """Give the commitment to a secret, which is published before the secret is revealed."""
        return sha256(self.secret(span)).hexdigest()

    def publish(self, span: Span) -> Epoch:
        """Give an epoch as it is published now, without its secret until it is revealed."""
        revealed = now() >= span.reveals
        return Epoch(
            span.id,
            moment(span.begins),
            moment(span.ends),
            moment(span.reveals),
            self.commitment(span),
            self.secret(span).hex() if revealed else None,
        )

    def find(self, id_: str) -> Epoch | None:
        """Give the epoch of that id; None for an invalid id, and for an epoch that is not yet published.

        An epoch of a different length is given once it is revealed: the length may have been changed since.
        """
        if (span := span_of(id_)) is None:
            return None
        latest = self.current().number + AHEAD if span.length == self.length else -1
        return self.publish(span) if span.number <= latest or now() >= span.reveals else None

    def list_epochs(self) -> EpochList:
        """List the epochs around this moment."""
        current = self.current()
        earlier = range(current.number - 1, max(-1, current.number - 1 - LISTED), -1)
        return EpochList(
            self.publish(current),
            tuple(self.publish(Span(self.length, current.number + step)) for step in range(1, AHEAD + 1)),
            tuple(self.publish(Span(self.length, number)) for number in earlier),
        )


def span_of(epoch: str) -> Span | None:
    """Give the time of an epoch by its id."""
    match = _ID.fullmatch(epoch)
    return None if match is None else Span(int(match[1]), int(match[2]))


def subject(game: str, question: str, body: Mapping[str, Any]) -> bytes:
    """Give the subject of committed dice in canonical form; raises `NotCanonical`.

    Choices and policies are not part of it: a player may choose after some dice were rolled.
    """
    committed = body["dice"]["committed"]
    return canonical(
        {
            "case": body["case"],
            "client_seed": committed["client_seed"],
            "epoch": committed["epoch"],
            "game": game,
            "hand": body["dice"].get("hand") or {},
            "nonce": committed["nonce"],
            "question": question,
            "readings": body.get("readings", {}),
        }
    )


def seed(secret: bytes, text: bytes) -> str:
    """Give the seed of committed dice: the HMAC-SHA-256 of their subject, under the secret of the epoch, in hex."""
    return hmac.digest(secret, text, "sha256").hex()


def moment(seconds: float) -> str:
    """Write a time as in RFC 3339, to the second."""
    return datetime.fromtimestamp(math.floor(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def now() -> float:
    """Give the seconds since 1970."""
    return time.time()
