"""The format of a signed ruling, for signing and for verifying."""

from typing import Any, Literal

import msgspec

from api.signing.keys import Signature
from arbiter.question import DiceSpec
from arbiter.value import Value

VERSION = "arbiter-ruling/1"
"""Part of every statement, so that no other signed text can be mistaken for one; it changes with the format."""

Origin = Literal["service", "caller", "committed"]


class DiceOrigin(Value, frozen=True):
    """Who could choose the dice: the `service`, the `caller` that posted a seed or faces, or neither (`committed`).

    `commitment` is that of the epoch, as published before.
    """

    origin: Origin
    commitment: str | None = None


class Statement(Value, frozen=True):
    """The signed content: the SHA-256 of the posted text, the ruling, its time, and the origin of the dice."""

    version: Literal["arbiter-ruling/1"]
    body_sha256: str
    dice: DiceOrigin
    made: str
    ruling: Any


class Signed(Value, frozen=True):
    """A signed ruling: the statement, the posted text, and the signature over the statement's canonical form."""

    statement: Statement
    body: str
    signature: Signature


class _Dice(msgspec.Struct):
    seed: Any = None
    hand: Any = None
    throws: Any = None
    committed: Any = None


class _Posted(msgspec.Struct):
    dice: _Dice | None = None


_posted = msgspec.json.Decoder(_Posted)


def origin(body: bytes) -> Origin:
    """Decide from a posted body who could choose the dice."""
    # Without escapes the name occurs literally, and a long text need not be parsed to see that it does not.
    if b'"dice"' not in body and b"\\" not in body:
        return "service"
    return chosen_by(_posted.decode(body).dice or _Dice())


def chosen_by(dice: DiceSpec | _Dice) -> Origin:
    """Decide from the dice of a body who could choose them."""
    if dice.committed is not None:
        return "committed"
    return "service" if dice.seed is None and dice.hand is None and dice.throws is None else "caller"
