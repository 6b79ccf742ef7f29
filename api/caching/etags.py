"""Validators (RFC 9110): which questions have an answer that never changes, its entity tag, and what clients say of it.

A question is *settled* when its body alone determines the answer: no dice have a part in it, or the body says where
they come from: a seed, faces that were rolled, or the throws of an earlier ruling (missing dice are then asked for,
which is an answer, too). Odds are always settled, since a crowd of games that names no seed has the seed 0.

The tag of a settled answer is a digest of the game, its edition, the question, the body in canonical form (RFC 8785,
its board by a digest of its own), the engine and the representation, so that it is known before anything is decided. It
is strong: the members of a body may come in any order and numbers in any spelling, and the answer is the same to the
last byte.
"""

import re
from typing import Any

import msgspec

from api.schemas.canonical_json import NotCanonical, canonical, digest, hashed
from api.server.boards_by_text import BoardTexts, digest_of
from arbiter.game import ENGINE, Arbiter

DIGITS = 32
"""Hex digits of a tag and of a permalink: 128 bits, which nobody guesses and which never meet by chance."""

_TAG = re.compile(r'(W/)?("[!#-~\x80-\xff]*")')
_WHENCE = ("seed", "hand", "throws")


def settled(game: Arbiter, question: str, kind: str, body: bytes) -> bool:
    """Say whether a body that was answered alone determines the answer."""
    if kind == "odds" or not game.questions[question].dice:
        return True
    # Nearly every body without dice is told by its bytes; that of a client that writes the name in escapes counts as
    # one without, which merely leaves its answer without a tag.
    if b'"dice"' not in body:
        return False
    dice = _dice.decode(body).dice
    return isinstance(dice, dict) and any(dice.get(name) is not None for name in _WHENCE)


class _Diced(msgspec.Struct):
    dice: Any = None


_dice = msgspec.json.Decoder(_Diced)


def tag_of(
    game: Arbiter, question: str, kind: str, body: bytes, representation: str, texts: BoardTexts | None = None
) -> str:
    """Give the entity tag of the answer to a settled question. It is the same whatever boards are known already."""
    said = (game.name, game.edition, ENGINE, question, kind, representation)
    return f'"{digest(*(part.encode() for part in said), _form(body, texts))[:DIGITS]}"'


def _form(body: bytes, texts: BoardTexts | None) -> bytes:
    """Give the canonical form of a body, the digest of its board's in the place of the board."""
    lean = None if texts is None else texts.lean(body)
    try:
        if lean is not None:
            value = msgspec.json.decode(lean.text)
            scene = _scene(value)
            if scene is not None and scene["board"] == lean.board.mark:
                scene["board"] = {"sha256": lean.board.digest}
                return b"c" + canonical(value)
        value = msgspec.json.decode(body)
        scene = _scene(value)
        if scene is not None:
            named = "ref" in scene["board"]
            scene["board"] = {"sha256": digest_of(scene["board"])}
            if texts is not None and not named:
                texts.learn_from(body)
        return b"c" + canonical(value)
    except NotCanonical:
        # A whole number that no double holds, a long seed say, has no canonical form: then the bytes have to do.
        return b"b" + body


def _scene(value: Any) -> dict[str, Any] | None:
    """Give the scene of a body if it has a board."""
    case = value.get("case") if isinstance(value, dict) else None
    scene = case.get("scene") if isinstance(case, dict) else None
    return scene if isinstance(scene, dict) and isinstance(scene.get("board"), dict) else None


def mark_of(path: str, body: bytes, representation: str = "json") -> bytes:
    """Give a short name for a body as it was posted to a path, to know it again without reading it."""
    return hashed(f"{representation}\0{path}\0".encode(), body).digest()


def matches(said: str, tag: str | None) -> bool:
    """Say whether `If-None-Match` names the tag, weakly compared; `*` names any answer that has one."""
    if tag is None:
        return False
    return said.strip(" \t") == "*" or any(tag == named for _, named in _TAG.findall(said))


def matches_strongly(said: str, tag: str | None) -> bool:
    """Say whether `If-Match` names the tag, strongly compared; `*` names any answer, one without a tag, too."""
    return said.strip(" \t") == "*" or any(tag == named and not weak for weak, named in _TAG.findall(said))
