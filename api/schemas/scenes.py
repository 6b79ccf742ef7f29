"""Bodies of questions, decoded once directly into typed values, and each board only when it is new.

A question contains its whole scene, and most of a scene is a board that the previous question contained, too. So the
board is left as raw JSON while the rest is decoded, and is then looked up by its bytes, or by its digest. A body that
msgspec refuses is loaded by the derived schema (`codec.decode`), which reports every fault with its place.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from operator import itemgetter
from threading import Lock
from typing import Any, NamedTuple, cast, get_args, get_origin, get_type_hints

import msgspec
from cachetools import LRUCache
from msgspec import Raw

from api.caching.board_library import DIGEST, BoardLibrary
from api.schemas import codec
from api.schemas.type_info import nests_without_end
from api.settings import MIB, Settings
from arbiter.caching import of_the_same
from arbiter.fault import Faults, pointer
from arbiter.game import Arbiter
from arbiter.json import read_custom

BOARDS_BYTES = 8 * MIB
"""Bytes of posted boards that a process keeps decoded."""

LONGEST_REFERENCE = 1_000
_ESCAPED_LETTER = re.compile(rb"\\u00[2-7]")
_BOARD_PLACE = "/case/scene/board"

_REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class DecodedBody(NamedTuple):
    """A decoded body, and a function that gives its scene as the client wrote it, for the patch."""

    ask: Any
    posted: Callable[[], Any]


class SharedScene(NamedTuple):
    """A scene that several queries of a batch share: its text, and its decoded forms, by type."""

    text: bytes
    decoded: dict[type[msgspec.Struct], Any]

    def posted(self) -> Any:
        """Give the scene as the client wrote it."""
        return _as_posted(self.text)


class BoardCache:
    """The most recently decoded boards, by type and bytes; thread-safe, shared by all games."""

    def __init__(self, most_bytes: int = BOARDS_BYTES) -> None:
        # Each with its size.
        self._boards: LRUCache[tuple[Any, bytes], tuple[Any, int]] = LRUCache(most_bytes, getsizeof=itemgetter(1))
        self._lock = Lock()

    def decode(self, kind: Any, text: bytes) -> Any:
        """Decode a board, or give the one that was decoded from the same bytes; raises what msgspec raises."""
        key = (kind, text)
        with self._lock:
            cached = self._boards.get(key)
        if cached is not None:
            return cached[0]
        board = msgspec.json.decode(text, type=kind, dec_hook=read_custom)
        with self._lock:
            if len(text) <= self._boards.maxsize:
                self._boards[key] = board, len(text)
        return board


class Bodies:
    """Decodes the bodies that are posted to the questions of one game."""

    def __init__(
        self, game: Arbiter, library: BoardLibrary, settings: Settings, cache: BoardCache | None = None
    ) -> None:
        self.game, self.library, self._deepest = game, library, settings.max_depth
        self._cache = cache or BoardCache()
        self._decoders: dict[tuple[Any, tuple[Any, ...]], _Decoder | None] = {}
        # A ruling and its picture belong to one request, with the same bytes.
        self._decoded_of: Callable[[bytes], dict[Any, DecodedBody]] = of_the_same(4)(lambda body: {})

    def decode(self, body_type: Any, body: bytes) -> DecodedBody:
        """Decode a body as one of the type, such as `Ask[…]`; raises `Faults` and `ProblemError`."""
        decoded, decoder = self._decoded_of(body), self._decoder(body_type)
        as_what = decoder or body_type
        if as_what not in decoded:
            decoded[as_what] = self._decode(decoder, body_type, body)
        return decoded[as_what]

    def _decode(self, decoder: "_Decoder | None", body_type: Any, body: bytes) -> DecodedBody:
        if decoder is not None:
            try:
                ask = decoder.decode(body, self._board)
            except _REFUSED:
                pass
            else:
                if not self._too_deep(decoder, ask):
                    return DecodedBody(ask, partial(_scene_of, body))
        ask = codec.decode(body_type, self.expand_boards(body), deepest=self._deepest)
        return DecodedBody(ask, partial(_scene_of, body))

    def decode_around(self, body_type: Any, body: bytes, scene: SharedScene) -> DecodedBody | None:
        """Decode a body without a scene, and insert a shared one; None if either is not valid."""
        decoder = self._decoder(body_type)
        if decoder is None:
            return None
        try:
            ask = decoder.decode_around(body, scene, self._board)
        except _REFUSED:
            return None
        return None if self._too_deep(decoder, ask) else DecodedBody(ask, scene.posted)

    def expand_boards(self, body: bytes) -> bytes:
        """Give a body with digests replaced by their boards; raises `ProblemError` for one that is not stored.

        A sweep may refer to boards among its values. An invalid body is returned unchanged.
        """
        if not may_refer(body):
            return body
        try:
            members = msgspec.json.decode(body, type=dict[str, Raw])
            case = msgspec.json.decode(members["case"], type=dict[str, Raw])
            scene = msgspec.json.decode(case["scene"], type=dict[str, Raw])
            board = scene.get("board")
            if board is not None:
                scene["board"] = self._in_full(board, ("case", "scene", "board", "ref"))
            if scene.get("board") is board and "vary" not in members:
                return body
            case["scene"] = Raw(msgspec.json.encode(scene))
            members["case"] = Raw(msgspec.json.encode(case))
            if "vary" in members:
                members["vary"] = self._varied_in_full(members["vary"])
        except (*_REFUSED, KeyError):
            return body
        return msgspec.json.encode(members)

    def _varied_in_full(self, raw: Raw) -> Raw:
        vary = msgspec.json.decode(raw, type=dict[str, Raw])
        if _BOARD_PLACE in vary:
            values = msgspec.json.decode(vary[_BOARD_PLACE], type=list[Raw])
            boards = [self._in_full(value, ("vary", _BOARD_PLACE, index, "ref")) for index, value in enumerate(values)]
            vary[_BOARD_PLACE] = Raw(msgspec.json.encode(boards))
        return Raw(msgspec.json.encode(vary))

    def _in_full(self, raw: Raw, place: tuple[str | int, ...]) -> Raw:
        digest = reference_in(raw, place)
        return raw if digest is None else Raw(self.library.text(self.game, digest, place))

    def _board(self, kind: Any, raw: Raw) -> Any:
        digest = reference_in(raw, ("case", "scene", "board", "ref"))
        return self._cache.decode(kind, bytes(raw)) if digest is None else self.library.board(self.game, digest)

    def _too_deep(self, decoder: "_Decoder", ask: Any) -> bool:
        return (decoder.endless or bool(getattr(ask, "choices", None))) and codec.deeper(ask, self._deepest)

    def _decoder(self, body_type: Any) -> "_Decoder | None":
        # Generic types are slow to hash, their parts are fast.
        parts = body_type.__origin__, body_type.__args__
        if parts not in self._decoders:
            self._decoders[parts] = _decoder_of(body_type)
        return self._decoders[parts]


class _Partial:
    """A struct with one separate member: `with_raw` has it with another type, `without` lacks it."""

    def __init__(self, kind: type[msgspec.Struct], member: str, instead: Any, *, may_be_missing: bool = False) -> None:
        self._kind, self._member = kind, member
        hints = get_type_hints(kind, include_extras=True)
        others = [field for field in msgspec.structs.fields(kind) if field.name != member]
        self._names = tuple(field.name for field in others)
        rest = [(field.name, hints[field.name], _default(field)) for field in others]
        apart = next(field for field in msgspec.structs.fields(kind) if field.name == member)
        self.default = apart.default if may_be_missing and not apart.required else None
        member_field = (
            msgspec.field(name=apart.encode_name)
            if self.default is None
            else msgspec.field(name=apart.encode_name, default=Raw())
        )
        options: dict[str, Any] = {"frozen": True, "forbid_unknown_fields": True, "kw_only": True}
        self.with_raw = msgspec.defstruct(kind.__name__, [*rest, (member, instead, member_field)], **options)
        self.without = msgspec.defstruct(kind.__name__, rest, **options)

    def build(self, decoded: msgspec.Struct, value: Any) -> Any:
        """Give the struct itself, with this value for the separate member."""
        values = {name: getattr(decoded, name) for name in self._names}
        return self._kind(**values, **{self._member: value})


@cache
def _is_endless(case: type[msgspec.Struct]) -> bool:
    """Decide whether a case may nest without limit; bodies for rulings and for odds have the same case."""
    return nests_without_end(msgspec.inspect.type_info(case))


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.required:
        return msgspec.field(name=field.encode_name)
    if field.default is not msgspec.NODEFAULT:
        return msgspec.field(default=field.default, name=field.encode_name)
    return msgspec.field(default_factory=cast(Any, field.default_factory), name=field.encode_name)


class _Decoder:
    """Decodes one type of body whose case has a scene."""

    def __init__(self, body_type: Any, case: type[msgspec.Struct], scene: type[msgspec.Struct]) -> None:
        has_board = "board" in scene.__struct_fields__
        self.scene = scene
        self._board_kind = get_type_hints(scene)["board"] if has_board else None
        self._scene = _Partial(scene, "board", Raw, may_be_missing=True) if has_board else None
        raw_scene: Any = scene if self._scene is None else self._scene.with_raw
        self._case = _Partial(case, "scene", raw_scene)
        body: Any = get_origin(body_type)
        self._whole = msgspec.json.Decoder(body[self._case.with_raw], dec_hook=read_custom)
        self._around = msgspec.json.Decoder(body[self._case.without], dec_hook=read_custom)
        self._raw_scene: msgspec.json.Decoder[Any] = msgspec.json.Decoder(raw_scene, dec_hook=read_custom)
        self.endless = _is_endless(case)

    def decode(self, body: bytes, board: Callable[[Any, Raw], Any]) -> Any:
        """Decode a body; `board` decodes its board."""
        ask = self._whole.decode(body)
        return self._with(ask, self._with_board(ask.case.scene, board))

    def decode_around(self, body: bytes, scene: SharedScene, board: Callable[[Any, Raw], Any]) -> Any:
        """Decode a body that has no scene, and give it a shared one."""
        ask = self._around.decode(body)
        if self.scene not in scene.decoded:
            scene.decoded[self.scene] = self._with_board(self._raw_scene.decode(scene.text), board)
        return self._with(ask, scene.decoded[self.scene])

    def _with(self, ask: Any, scene: Any) -> Any:
        return msgspec.structs.replace(ask, case=self._case.build(ask.case, scene))

    def _with_board(self, scene: Any, board: Callable[[Any, Raw], Any]) -> Any:
        if self._scene is None:
            return scene
        posted = board(self._board_kind, scene.board) if scene.board else self._scene.default
        return self._scene.build(scene, posted)


def _decoder_of(body_type: Any) -> _Decoder | None:
    """Give the decoder of a type of body; None for one whose case has no scene of one type."""
    case = get_args(body_type)[0]
    scene = get_type_hints(case).get("scene")
    return _Decoder(body_type, case, scene) if isinstance(scene, type) and issubclass(scene, msgspec.Struct) else None


def reference_in(raw: bytes | msgspec.Raw, place: tuple[str | int, ...]) -> str | None:
    """Give the digest that refers to a board, None for a whole board.

    Raises `Faults` for a reference that is not a digest, at its place in the body.
    """
    # A reference is short; a long board need not be parsed to see that it is not one.
    if len(raw) > LONGEST_REFERENCE:
        return None
    value = msgspec.json.decode(raw)
    if not isinstance(value, dict) or value.keys() != {"ref"}:
        return None
    ref = value["ref"]
    if isinstance(ref, str) and ref.startswith("sha256:") and DIGEST.fullmatch(ref, 7):
        return ref[7:]
    raise Faults.one(
        pointer(*place),
        "wrong-reference",
        "this names no board",
        ref if isinstance(ref, str) else None,
        "`sha256:` and 64 lower-case hexadecimal digits",
    )


def may_refer(text: bytes) -> bool:
    """Decide whether a text may refer to a board by digest, even with an escaped letter."""
    # A client that forgets `sha256:` should be told, so the search does not include it.
    return b'"ref"' in text or (b"\\" in text and _ESCAPED_LETTER.search(text) is not None)


class _Around(msgspec.Struct):
    case: dict[str, Raw]


def _scene_of(body: bytes) -> Any:
    return _as_posted(msgspec.json.decode(body, type=_Around).case["scene"])


def without_board(posted: Callable[[], Any]) -> Any:
    """Give a posted scene without its board, so that the patch replaces the whole board."""
    return {**posted(), "board": None}


def _as_posted(raw: bytes | Raw) -> Any:
    """Give a scene as it was posted, without a board that is a reference."""
    scene = msgspec.json.decode(raw)
    if isinstance(scene, dict) and isinstance(scene.get("board"), dict) and "ref" in scene["board"]:
        scene["board"] = None
    return scene
