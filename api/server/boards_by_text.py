"""Boards known by their text: most questions bring the board that the question before them brought, to the letter.

To read thirty kilobytes takes longer than to decide what is asked of them. So a board that was read once is known
again by its bytes, and the body is read *lean*, with a short mark in the place of the board. A mark cannot be guessed,
so that no client can have written it, and it is nowhere but where a board was taken out.
"""

import re
import secrets
from functools import cached_property
from hashlib import sha256
from itertools import count
from threading import Lock
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

from api.schemas.canonical_json import canonical

LEAST_BYTES = 1_024
"""Shorter boards are read as fast as they are known again."""

MOST_ALIKE = 256
"""Boards with the same beginning, as all have that list the hexes of a rectangle, of which a text may hold one.

Of more, those are known that were used last.
"""

_BEGINNING = _END = 64
_PLACE = re.compile(rb'"board"[ \t\n\r]*+:[ \t\n\r]*+(?=\{)')
_NAME = "board known by its text"


class KnownBoard:
    """A board that was read before: its text as it came, and what is known of it by now."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.end, self.end_at = text[-_END:], len(text) - _END
        """The end of its text, and where that begins: boards that begin alike differ there, if not by their length."""
        self.mark = {_NAME: secrets.token_hex(16)}
        self.marked = msgspec.json.encode(self.mark)
        self.decoded: dict[Any, Any] = {}
        """The board by the type it was decoded as."""
        self.used = 0

    @cached_property
    def digest(self) -> str:
        """Give the SHA-256 of the board's canonical form; raises `NotCanonical` where it has none."""
        return digest_of(msgspec.json.decode(self.text))


class Lean(NamedTuple):
    """A text with a known board taken out, and that board."""

    text: bytes
    board: KnownBoard


class BoardTexts:
    """The boards that a process knows by their texts, at most so many bytes of them. For many threads."""

    def __init__(self, most_bytes: int, least_bytes: int = LEAST_BYTES) -> None:
        """Boards of fewer than `least_bytes` are not known."""
        self.least, self._most, self.size = max(least_bytes, _BEGINNING), most_bytes, 0
        self._alike: dict[bytes, tuple[KnownBoard, ...]] = {}
        self._uses = count(1)
        self._lock = Lock()
        self._last: tuple[bytes | None, Lean | None] = None, None

    def lean(self, text: bytes) -> Lean | None:
        """Take the board out of a text; None where it has none that is known.

        It is taken out at the first place that could be a board's. Whoever reads the lean text sees by the mark whether
        that was the place.
        """
        # One text is asked about several times on its way, and that very object is known at once.
        last = self._last
        if last[0] is text:
            return last[1]
        found = self._found(text)
        self._last = text, found
        return found

    def _found(self, text: bytes) -> Lean | None:
        place = _PLACE.search(text) if len(text) > self.least else None
        if place is None:
            return None
        at = place.end()
        for known in self._alike.get(text[at : at + _BEGINNING], ()):
            if text.startswith(known.end, at + known.end_at) and text.startswith(known.text, at):
                known.used = next(self._uses)
                return Lean(b"%b%b%b" % (text[:at], known.marked, text[at + len(known.text) :]), known)
        return None

    def short(self, text: bytes) -> bytes:
        """Give what a text is told from all others by: itself, or itself with the mark of its board."""
        lean = self.lean(text)
        # No text that is answered begins with a zero, whatever marks a client may write.
        return text if lean is None else b"\0" + lean.text

    def learn(self, text: bytes | Raw, kind: Any = None, board: Any = None) -> None:
        """Know a board by its text from now on, and what it is as one of a type, if that is known."""
        text = bytes(text)
        if not self.least <= len(text) <= self._most or not text.startswith(b"{"):
            return
        known = KnownBoard(text)
        if kind is not None:
            known.decoded[kind] = board
        known.used = next(self._uses)
        beginning = text[:_BEGINNING]
        with self._lock:
            alike = self._alike.get(beginning, ())
            if any(each.text == text for each in alike):
                return
            for each in sorted(alike, key=_used)[: max(0, len(alike) + 1 - MOST_ALIKE)]:
                self._forget(each)
            self._alike[beginning] = (*self._alike.get(beginning, ()), known)
            self._last = None, None
            self.size += len(text)
            if self.size > self._most:
                self._make_room()

    def learn_from(self, body: bytes) -> None:
        """Know the board of a body, one that was answered, by its text from now on."""
        if len(body) > self.least:
            try:
                self.learn(_body.decode(body).case.scene.board)
            except msgspec.DecodeError:
                return  # it has none where boards are

    def _make_room(self) -> None:
        """Forget a quarter of what may be known, those boards that were used longest ago."""
        for each in sorted((each for alike in self._alike.values() for each in alike), key=_used):
            if self.size <= self._most * 3 // 4:
                return
            self._forget(each)

    def _forget(self, known: KnownBoard) -> None:
        beginning = known.text[:_BEGINNING]
        left = tuple(each for each in self._alike[beginning] if each is not known)
        self.size -= len(known.text)
        if left:
            self._alike[beginning] = left
        else:
            del self._alike[beginning]


class _Scene(msgspec.Struct):
    board: Raw


class _Case(msgspec.Struct):
    scene: _Scene


class _Body(msgspec.Struct):
    case: _Case


_body = msgspec.json.Decoder(_Body)


def digest_of(board: Any) -> str:
    """Give the SHA-256 of a board's canonical form, by which boards are named; raises `NotCanonical`."""
    return sha256(canonical(board)).hexdigest()


def _used(known: KnownBoard) -> int:
    return known.used
