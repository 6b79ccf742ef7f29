"""Entity tags (RFC 9110): which questions have an answer that never changes, its tag, and whether a client has it.

A question is *settled* when its body alone determines the answer: no dice have a part in it, or the body says where
they come from: a seed, faces that were rolled, or the throws of an earlier ruling (missing dice are then asked for,
which is an answer, too). Odds are always settled, since a crowd of games that names no seed has the seed 0.

The tag of a settled answer is a digest of the game, its edition, the engine, the question, and the bytes of the body.
The same question in another spelling has a tag of its own.
"""

import re
from hashlib import sha256
from typing import Any

import msgspec

from api.schemas.canonical_json import digest
from arbiter.game import ENGINE, Arbiter

DIGITS = 32
"""Hex digits of a tag and of a permalink: 128 bits, which nobody guesses and which never meet by chance."""

_TAG = re.compile(r'(W/)?("[!#-~\x80-\xff]*")')
_DICE_SOURCES = ("seed", "hand", "throws")


class _WithDice(msgspec.Struct):
    dice: Any = None


_with_dice = msgspec.json.Decoder(_WithDice)


def settled(game: Arbiter, question: str, kind: str, body: bytes) -> bool:
    """Decide whether a body alone determines the answer. A body that is none has none, and counts as not settled."""
    if kind == "odds" or not game.questions[question].dice:
        return True
    # A client that escapes letters of the name merely goes without a tag.
    if b'"dice"' not in body:
        return False
    try:
        dice = _with_dice.decode(body).dice
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(dice, dict) and any(dice.get(source) is not None for source in _DICE_SOURCES)


def settled_id(game: Arbiter, question: str, kind: str, body: bytes) -> str:
    """Give the id of the answer to a settled question: its entity tag without quotes, and its permalink."""
    parts = (game.name, game.edition, ENGINE, question, kind)
    return digest(*(part.encode() for part in parts), sha256(body).digest())[:DIGITS]


def matches(field: str, tag: str) -> bool:
    """Decide whether `If-None-Match` names the tag, weakly compared; `*` names any."""
    return field.strip(" \t") == "*" or any(tag == named for _, named in _TAG.findall(field))


def matches_strongly(field: str, tag: str | None) -> bool:
    """Decide whether `If-Match` names the tag, strongly compared; `*` names any answer, one without a tag, too."""
    return field.strip(" \t") == "*" or any(tag == named and not weak for weak, named in _TAG.findall(field))
