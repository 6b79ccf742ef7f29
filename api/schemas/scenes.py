"""Questions read with their scene apart: a scene comes with one question after the other, and is decoded once.

What is posted is read around the scene, whose bytes are left as they are. A scene whose very bytes were read before is
known again, so that its checks and what was prepared for it are, too; and so is a board that stands in another scene
(`boards_by_text`). A board may stand there by its digest, and then comes from the shelf as it was decoded when it was
first used. Whatever is refused on this way is read once more as a whole, with the board in its place, so that the
faults of a body are those that it always has.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Raw

from api.resources.boards import BoardLibrary, naming_boards, reference_in
from api.schemas import codec
from api.schemas.derive import nests_without_end
from api.server.boards_by_text import BoardTexts, KnownBoard, Lean
from api.settings import Settings
from arbiter.caching import Weighed
from arbiter.game import Arbiter
from arbiter.json import read_custom

SCENES_BYTES = 2 * 1_048_576
"""Bytes of scenes, as they were posted, that a process remembers in each of two generations."""

BOARDS_BYTES = 4 * 1_048_576
"""Bytes of boards, as they were posted, that a process knows again."""

_ESCAPED_LETTER = re.compile(rb"\\u00[2-7]")

_REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Read(NamedTuple):
    """A question as it was read, and what gives its scene as the client wrote it, for the patch to be made against.

    `refers` says whether it names its board by the digest.
    """

    ask: Any
    posted: Callable[[], Any]
    refers: bool


class PartialDecoder:
    """Reads a struct with some fields left as they are written: `mirror` has them, `remainder` does not."""

    def __init__(self, kind: type[msgspec.Struct], *left: str) -> None:
        self.kind = kind
        self._rest = tuple(name for name in kind.__struct_fields__ if name not in left)
        hints = get_type_hints(kind, include_extras=True)
        self.mirror, self.remainder = (
            msgspec.defstruct(
                kind.__name__,
                [(field.name, Raw if field.name in left else hints[field.name], _field(field, left))
                 for field in msgspec.structs.fields(kind) if with_left or field.name not in left],
                frozen=True, forbid_unknown_fields=True, kw_only=True,
            )
            for with_left in (True, False)
        )  # fmt: skip

    def whole(self, read: msgspec.Struct, **values: Any) -> Any:
        """Give the struct itself, with these values for the fields that were left."""
        for name in self._rest:
            values[name] = getattr(read, name)
        return self.kind(**values)


def _field(field: msgspec.structs.FieldInfo, left: tuple[str, ...]) -> Any:
    if field.required:
        return msgspec.field(name=field.encode_name)
    if field.name in left:
        return msgspec.field(default=Raw(b""), name=field.encode_name)
    if field.default is not msgspec.NODEFAULT:
        return msgspec.field(default=field.default, name=field.encode_name)
    return msgspec.field(default_factory=cast(Any, field.default_factory), name=field.encode_name)


class _Known(NamedTuple):
    """A scene that was read before, and the digest of its board where it names it."""

    scene: Any
    digest: str | None


class RawScene:
    """A scene as it was posted, which is read once for all the questions that come with this very object.

    `board` is the one that was taken out of its text, if one was; `size` counts the bytes of the whole.
    """

    __slots__ = ("board", "known", "size", "text")

    def __init__(self, text: bytes, board: KnownBoard | None = None) -> None:
        self.text, self.board = text, board
        self.size = len(text) if board is None else len(text) - len(board.marked) + len(board.text)
        self.known: dict[type[msgspec.Struct], _Known] = {}

    def read(self) -> Any:
        """Give the scene as the client wrote it."""
        scene = _as_posted(self.text)
        return scene if self.board is None else _WithBoard(scene, self.board)


class _WithBoard(dict[str, Any]):
    """A scene as it was posted, whose board is read when somebody looks at it: nearly nothing ever changes there."""

    def __init__(self, scene: dict[str, Any], board: KnownBoard) -> None:
        super().__init__(scene)
        self._board = board

    def __getitem__(self, name: str) -> Any:
        return msgspec.json.decode(self._board.text) if name == "board" else super().__getitem__(name)


class _Reader:
    """Reads one type of body with its scene apart."""

    def __init__(self, wanted: Any, case: type[msgspec.Struct], scene: type[msgspec.Struct]) -> None:
        self.case, self.scene = PartialDecoder(case, "scene"), scene
        self.endless = nests_without_end(msgspec.inspect.type_info(case))
        self.wanted = get_origin(wanted)
        self.decoder = msgspec.json.Decoder(self.wanted[self.case.mirror], dec_hook=read_custom)
        self.rest_decoder = msgspec.json.Decoder(self.case.remainder, dec_hook=read_custom)
        query: Any = msgspec.defstruct("Query", [("case", self.case.remainder)], forbid_unknown_fields=True)
        self.queries_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(list[query], dec_hook=read_custom)
        self.scene_decoder = msgspec.json.Decoder(scene, dec_hook=read_custom)
        self.board = PartialDecoder(scene, "board") if "board" in scene.__struct_fields__ else None
        around: Any = scene if self.board is None else self.board.mirror
        self.around_board: msgspec.json.Decoder[Any] = msgspec.json.Decoder(around, dec_hook=read_custom)
        self.board_kind = None if self.board is None else get_type_hints(scene)["board"]

    def beside(self, rest: msgspec.Struct, scene: RawScene, known: _Known) -> Read:
        """Give a question that is nothing but a scene and the rest of its case, each of them read."""
        return Read(self.wanted(case=self.case.whole(rest, scene=known.scene)), scene.read, known.digest is not None)


class Bodies:
    """Reads what is posted to the questions of one game."""

    def __init__(
        self,
        game: Arbiter,
        shelf: BoardLibrary,
        settings: Settings,
        scenes: "Scenes | None" = None,
        texts: BoardTexts | None = None,
    ) -> None:
        """Read them with the scenes and the boards that this process knows already."""
        self.game, self.shelf, self._deepest = game, shelf, settings.max_depth
        self._scenes = Scenes(SCENES_BYTES) if scenes is None else scenes
        self._texts = BoardTexts(BOARDS_BYTES) if texts is None else texts
        self._readers: dict[tuple[Any, tuple[Any, ...]], _Reader | None] = {}

    def read(self, wanted: Any, body: bytes) -> Read:
        """Read a body as one of the type, `Ask[…]` or like it; raises `Faults` and `ProblemError`."""
        return self.read_around(wanted, body, None) or self._whole(wanted, body)

    def read_around(self, wanted: Any, body: bytes, scene: RawScene | None) -> Read | None:
        """Read a body with its scene apart; None if that will not do.

        Where a scene is given, that is the one, and whatever stands in its place in the body is passed over.
        """
        reader = self._reader(wanted)
        if reader is None:
            return None
        lean = self._texts.lean(body) if scene is None and reader.board is not None else None
        try:
            if lean is None:
                read = reader.decoder.decode(body)
                posted = RawScene(bytes(read.case.scene)) if scene is None else scene
            else:
                read = reader.decoder.decode(lean.text)
                text = bytes(read.case.scene)
                if lean.board.marked not in text:
                    # Taken out elsewhere, where anything may stand: nobody is to see the mark.
                    return None
                posted = RawScene(text, lean.board)
            known = self._known(reader, posted)
        except _REFUSED:
            return None
        ask = msgspec.structs.replace(read, case=reader.case.whole(read.case, scene=known.scene))
        if (reader.endless or getattr(ask, "choices", None)) and codec.deeper(ask, self._deepest):
            return None
        return Read(ask, posted.read, known.digest is not None)

    def read_beside(self, wanted: Any, case: bytes, scene: RawScene) -> Read | None:
        """Read a body of nothing but a scene and the rest of its case, each apart; None if that will not do."""
        reader = self._reader(wanted)
        if reader is None:
            return None
        try:
            rest = reader.rest_decoder.decode(case)
            known = self._known(reader, scene)
        except _REFUSED:
            return None
        read = reader.beside(rest, scene, known)
        return None if reader.endless and codec.deeper(read.ask, self._deepest) else read

    def read_queries(self, wanted: Any, queries: bytes, scene: RawScene) -> list[Read] | None:
        """Read a list of what has nothing but the rest of a `case`, all about one scene; None if that will not do."""
        reader = self._reader(wanted)
        if reader is None or reader.endless:
            return None
        try:
            rests = reader.queries_decoder.decode(queries)
            known = self._known(reader, scene)
        except _REFUSED:
            return None
        return [reader.beside(query.case, scene, known) for query in rests]

    def expanded(self, body: bytes) -> bytes:
        """Give a body with its boards in the place of their digests; raises `ProblemError` for one that is not kept.

        A sweep may name boards among the values that it varies over. A body that is none is given back as it is.
        """
        if not may_refer(body):
            return body
        try:
            members = msgspec.json.decode(body, type=dict[str, Raw])
            case = msgspec.json.decode(members["case"], type=dict[str, Raw])
            scene = msgspec.json.decode(case["scene"], type=dict[str, Raw])
            if "board" in scene:
                scene["board"] = self._in_full(scene["board"], ("case", "scene", "board", "ref"))
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
        return raw if digest is None else Raw(self.shelf.text(self.game, digest, place))

    def _whole(self, wanted: Any, body: bytes) -> Read:
        whole = self.expanded(body)
        with naming_boards():
            ask = codec.decode(wanted, whole, deepest=self._deepest)
        return Read(ask, lambda: _as_posted(msgspec.json.decode(body, type=_Around).case["scene"]), whole is not body)

    def _known(self, reader: _Reader, posted: RawScene) -> _Known:
        """Give a scene, decoded now or before; raises what decoding raises."""
        known = posted.known.get(reader.scene)
        if known is None:
            # With the board: a client may write what it likes, a mark as well, and has no board taken out.
            question = reader.scene, posted.text, posted.board
            known = self._scenes[question]
            if known is None:
                known = self._decoded(reader, posted)
                self._scenes.keep(question, known, posted.size)
            posted.known[reader.scene] = known
        if known.digest is not None:
            self.shelf.use(self.game, known.digest)
        return known

    def _decoded(self, reader: _Reader, posted: RawScene) -> _Known:
        """Decode a scene that is not known."""
        if reader.board is None:
            return _Known(reader.scene_decoder.decode(posted.text), None)
        lean = self._texts.lean(posted.text) if posted.board is None else Lean(posted.text, posted.board)
        if lean is not None:
            around = reader.around_board.decode(lean.text)
            if bytes(around.board) == lean.board.marked:
                return _Known(reader.board.whole(around, board=_as_one_of(lean.board, reader.board_kind)), None)
        if posted.board is not None:
            # Taken out somewhere else than where the scene has its board: it is to be read as a whole.
            raise msgspec.DecodeError("a board in another place")
        if may_refer(posted.text):
            around = reader.around_board.decode(posted.text)
            digest = reference_in(around.board, ("case", "scene", "board", "ref"))
            if digest is not None:
                return _Known(reader.board.whole(around, board=self.shelf.board(self.game, digest)), digest)
        scene: Any = reader.scene_decoder.decode(posted.text)
        if len(posted.text) > self._texts.least:
            self._texts.learn(reader.around_board.decode(posted.text).board, reader.board_kind, scene.board)
        return _Known(scene, None)

    def _reader(self, wanted: Any) -> _Reader | None:
        # What a type is made of is hashed faster than the type.
        parts = wanted.__origin__, wanted.__args__
        try:
            return self._readers[parts]
        except KeyError:
            reader = self._readers[parts] = _reader_of(wanted)
            return reader


Scenes = Weighed[tuple[type[msgspec.Struct], bytes, KnownBoard | None], _Known]
"""The scenes that a process remembers, by their type, their bytes, and the board that was taken out of these."""

_BOARD_PLACE = "/case/scene/board"


def _as_one_of(board: KnownBoard, kind: Any) -> Any:
    """Give a board decoded as one of a type; raises what decoding raises."""
    found = board.decoded.get(kind)
    if found is None:
        found = board.decoded.setdefault(kind, msgspec.json.decode(board.text, type=kind, dec_hook=read_custom))
    return found


class _Around(msgspec.Struct):
    case: dict[str, Raw]


def _reader_of(wanted: Any) -> _Reader | None:
    """Give what reads a type with its scene apart; None for one whose case has no scene."""
    case = get_args(wanted)[0]
    scene = get_type_hints(case).get("scene")
    return _Reader(wanted, case, scene) if isinstance(scene, type) and issubclass(scene, msgspec.Struct) else None


def may_refer(text: bytes) -> bool:
    """Say whether a text may name a board by its digest; few do that have a letter of it escaped, but they may."""
    # Whoever forgets `sha256:` is to be told of that, and so it is not looked for.
    return b'"ref"' in text or (b"\\" in text and _ESCAPED_LETTER.search(text) is not None)


def _as_posted(raw: bytes | Raw) -> Any:
    """Give a scene as it was posted; of a board that is named by its digest, what changes takes the whole place."""
    scene = msgspec.json.decode(raw)
    if isinstance(scene, dict) and isinstance(scene.get("board"), dict) and "ref" in scene["board"]:
        scene["board"] = None
    return scene
