"""Boards by digest: uploaded once, then referred to in every scene by `"board": {"ref": "sha256:…"}`.

The digest is the SHA-256 of the board's canonical JSON (RFC 8785), so that any client with a board can compute its
name, and no client can store a different board under it.
"""

import re
import time
from hashlib import sha256
from threading import Lock
from typing import Annotated, Any, NamedTuple, get_type_hints

import msgspec
from cachetools import LRUCache
from msgspec import Meta
from msgspec.structs import replace

from api.caching.board_store import BoardStore
from api.problems.handlers import ProblemError
from api.schemas import codec
from api.schemas.canonical_json import NotCanonical, canonical
from api.settings import MIB, Settings
from arbiter.fault import Fault, Faults, pointer
from arbiter.game import Arbiter
from arbiter.value import Value
from infra.errors import StoreUnavailable

USED_EVERY = 24
"""Renewals in the store, within a board's time to live, by a process that has the board in memory."""

MOST_BETWEEN_USES_S = 3_600.0

DIGEST = re.compile(r"[0-9a-f]{64}")
_USUAL_PLACE = ("case", "scene", "board", "ref")


class BoardRef(Value, frozen=True):
    """A board that was put before, by its digest: the SHA-256 of its canonical JSON (RFC 8785)."""

    ref: Annotated[str, Meta(pattern="^sha256:[0-9a-f]{64}$")]


class _Decoded(NamedTuple):
    """A board in memory: decoded, as text, and the time at which to renew its use in the store."""

    board: Any
    text: bytes
    until: float


class BoardLibrary:
    """The uploaded boards of all games: read from the store, and cached in memory after their first use."""

    def __init__(self, store: BoardStore, settings: Settings) -> None:
        self.store, self._deepest = store, settings.max_depth
        self._decoded: LRUCache[tuple[str, str], _Decoded] = LRUCache(
            settings.boards_in_memory_mib * MIB, getsizeof=lambda decoded: len(decoded.text)
        )
        self._lock = Lock()
        self._silent_s = min(settings.boards_ttl_s / USED_EVERY, MOST_BETWEEN_USES_S)

    def put(self, game: Arbiter, digest: str, body: bytes) -> bool:
        """Store a board under its digest; decide whether it is new.

        Raises `Faults` if it is not a board of the game or has no canonical form, `ProblemError` for a wrong digest.
        """
        codec.decode(board_type(game), body, deepest=self._deepest)
        try:
            text = canonical(msgspec.json.decode(body))
        except NotCanonical as wrong:
            raise Faults.one(
                "",
                "not-canonical",
                f"the board has no canonical JSON (RFC 8785): {wrong}",
                expected="numbers that a double holds exactly",
            ) from None
        right = sha256(text).hexdigest()
        if right != digest:
            detail = f"The SHA-256 of this board's canonical JSON (RFC 8785) is {right}, and not {digest[:64]}."
            raise ProblemError("wrong-digest", detail, digest=right, put=path(game.name, right))
        return self.store.put(game.name, digest, text)

    def board(self, game: Arbiter, digest: str) -> Any:
        """Give a board, decoded; raises `ProblemError` for one that is not stored."""
        return self._load(game, digest, _USUAL_PLACE).board

    def text(self, game: Arbiter, digest: str, place: tuple[str | int, ...] = _USUAL_PLACE) -> bytes:
        """Give a board as JSON; raises `ProblemError`, with the place in the body, for one that is not stored."""
        return self._load(game, digest, place).text

    def _load(self, game: Arbiter, digest: str, place: tuple[str | int, ...]) -> _Decoded:
        """Give a board and renew its use; a cached board needs no store."""
        with self._lock:
            decoded = self._decoded.get((game.name, digest))
        if decoded is None:
            text = self._read(game.name, digest, place)
            try:
                board = codec.decode(board_type(game), text, deepest=self._deepest)
            except Faults as wrong:
                # It was put when boards of the game had another format; the faults are reported where it is named.
                where = pointer(*place[:-1])
                raise Faults(replace(each, pointer=where + each.pointer) for each in wrong.faults) from None
            return self._cache(game.name, digest, board, text)
        if decoded.until > time.monotonic():
            return decoded
        try:
            # This restores the board if the store has lost it.
            self.store.put(game.name, digest, decoded.text)
        except StoreUnavailable:
            # The question can be answered without the store, and the next use renews it.
            return decoded
        return self._cache(game.name, digest, decoded.board, decoded.text)

    def _cache(self, game: str, digest: str, board: Any, text: bytes) -> _Decoded:
        """Cache a board whose use the store has just noted."""
        decoded = _Decoded(board, text, time.monotonic() + self._silent_s)
        with self._lock:
            if len(text) <= self._decoded.maxsize:
                self._decoded[game, digest] = decoded
        return decoded

    def _read(self, game: str, digest: str, place: tuple[str | int, ...]) -> bytes:
        text = self.store.get(game, digest)
        if text is None:
            put = path(game, digest)
            fault = Fault(
                pointer(*place),
                "unknown-board",
                "no board with this digest is stored",
                f"sha256:{digest}",
                "the digest of a board that was put",
                f"PUT the board to {put}, and post the question again",
            )
            detail = f"No board with the digest {digest} is stored; put it to {put}, and post the question again."
            raise ProblemError("unknown-board", detail, [fault], digest=digest, put=put)
        return text


def board_type(game: Arbiter) -> Any:
    """Give the type of the boards in a game's scenes; None for a game whose scenes have none."""
    for question in game.questions.values():
        scene = get_type_hints(question.case).get("scene")
        if isinstance(scene, type) and issubclass(scene, msgspec.Struct) and "board" in scene.__struct_fields__:
            return get_type_hints(scene)["board"]
    return None


def path(game: str, digest: str) -> str:
    """Give the path of a board."""
    return f"/v1/games/{game}/boards/{digest}"
