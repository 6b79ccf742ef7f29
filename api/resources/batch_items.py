"""Posted batches: shared scenes and defaults, and for each query the body that it would have alone."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec import Meta, Raw

from api.resources.questions import refuse_without_dice
from api.schemas import codec
from api.schemas.bodies import ask_type, odds_type
from api.schemas.scenes import SharedScene
from api.settings import Settings
from arbiter.fault import Fault, Faults, UnknownName, pointer
from arbiter.game import Arbiter
from arbiter.question import Name, Question
from arbiter.value import Value

MOST_SCENES = 20
"""Scenes that one batch may name."""

PARTS = {
    "ruling": ("dice", "choices", "policies", "readings", "include", "surplus"),
    "odds": ("policies", "readings", "heads", "seed"),
}
"""The members that a body of each kind has in addition to its case."""

Kind = Literal["ruling", "odds"]

_ABSENT = Raw(b"")


class Query(Value, frozen=True):
    """A query of a batch, or the defaults of all queries: game, question, kind, and the members of the body.

    Each member has the same meaning as in the body of the question, or of its odds. If `scene` in the `case` is a
    string, it is the name of one of the scenes of the batch.
    """

    game: Name | None = None
    question: Name | None = None
    kind: Kind | None = None
    case: dict[str, Raw] = {}
    dice: Raw = _ABSENT
    choices: Raw = _ABSENT
    policies: Raw = _ABSENT
    readings: Raw = _ABSENT
    include: Raw = _ABSENT
    surplus: Raw = _ABSENT
    heads: Raw = _ABSENT
    seed: Raw = _ABSENT

    def parts(self) -> dict[str, Raw]:
        """Give the members of the body that are present, without the case."""
        return {name: part for name in _PART_NAMES if (part := getattr(self, name))}


class Batch(Value, frozen=True):
    """Queries of any games, answered one by one in this order.

    `defaults` fill in the members that a query lacks, members of the case one by one; a query takes only those that its
    question and its kind of body have. `scenes` are named scenes.
    """

    queries: Annotated[tuple[Query, ...], Meta(min_length=1)]
    defaults: Query = Query()
    scenes: Annotated[dict[Name, Raw], Meta(max_length=MOST_SCENES)] = {}


class _Counted(msgspec.Struct):
    queries: tuple[Raw, ...]


_PART_NAMES = tuple(dict.fromkeys((*PARTS["ruling"], *PARTS["odds"])))
_batch = msgspec.json.Decoder(Batch)
_counted = msgspec.json.Decoder(_Counted)


class Plan(NamedTuple):
    """The shared part of queries with the same question: the type of their bodies, and their defaults.

    `case` and `parts` are the defaults that such a body has, and `scene` is the default scene.
    """

    game: Arbiter
    question: Question[Any, Any, Any]
    kind: Kind
    body_type: Any
    case: dict[str, Raw]
    parts: dict[str, Raw]
    scene: SharedScene | None

    @property
    def path(self) -> str:
        """The path at which this could be posted alone."""
        return asked_path(self.game.name, self.question.name, self.kind)


class Item(NamedTuple):
    """A query: its plan, its scene (None for a case without one), and the body that it would have alone."""

    plan: Plan
    scene: SharedScene | None
    case: dict[str, Raw]
    parts: dict[str, Raw]

    @property
    def around(self) -> bytes:
        """The body to post this alone, without its scene."""
        return msgspec.json.encode({"case": self.case, **self.parts})

    @property
    def scene_bytes(self) -> int:
        """The bytes of the scene."""
        return 0 if self.scene is None else len(self.scene.text)

    @property
    def body(self) -> bytes:
        """The body to post this alone."""
        scene = {} if self.scene is None else {"scene": Raw(self.scene.text)}
        return msgspec.json.encode({"case": {**scene, **self.case}, **self.parts})


class Items:
    """The queries of a batch, each read at its turn."""

    def __init__(self, posted: bytes, games: Mapping[str, Arbiter], settings: Settings) -> None:
        """Read a batch; raises `Faults` for an invalid one, and for too many queries."""
        try:
            self._batch = _batch.decode(posted)
            self._queries, self._defaults = self._batch.queries, self._batch.defaults
            _refuse_beyond(settings.most_batch, len(self._queries))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            # Counted first: a body can hold hundreds of thousands.
            with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                _refuse_beyond(settings.most_batch, len(_counted.decode(posted).queries))
            codec.decode(Batch, posted, deepest=settings.max_depth)
            raise
        self._games = games
        self._scenes = {name: SharedScene(bytes(scene), {}) for name, scene in self._batch.scenes.items()}
        self._plans: dict[tuple[str, str, Kind], Plan] = {}

    def __len__(self) -> int:
        return len(self._queries)

    def kinds(self) -> Iterator[Kind]:
        """Give the kind of each query."""
        return (self._names(query)[2] for query in self._queries)

    def _names(self, query: Query) -> tuple[Name | None, Name | None, Kind]:
        """Give the game, the question and the kind of a query, each from the query or else from the defaults."""
        usual = self._defaults
        return query.game or usual.game, query.question or usual.question, query.kind or usual.kind or "ruling"

    def path(self, index: int) -> str:
        """Give the path of a query, as far as it names one; it may not exist."""
        game, question, kind = self._names(self._queries[index])
        return asked_path(game, question, kind) if game and question else "/v1/batch"

    def item(self, index: int) -> Item:
        """Give a query; raises the error of a single request for unknown names, and `Faults`."""
        query = self._queries[index]
        plan = self._plan(query)
        own = dict(query.case)
        scene = self._shared_scene(own.pop("scene")) if "scene" in own else plan.scene
        return Item(plan, scene, {**plan.case, **own}, {**plan.parts, **query.parts()})

    def _plan(self, query: Query) -> Plan:
        game_name, question_name, kind = self._names(query)
        if game_name is None or question_name is None:
            raise Faults(
                [_missing(name) for name, value in (("game", game_name), ("question", question_name)) if value is None]
            )
        plan = self._plans.get((game_name, question_name, kind))
        if plan is None:
            if game_name not in self._games:
                raise UnknownName("game", game_name, self._games)
            game = self._games[game_name]
            question = game.question(question_name)
            if kind == "odds":
                refuse_without_dice(game, question_name)
            body_type = ask_type(question) if kind == "ruling" else odds_type(question)
            names = question.case.__struct_fields__
            case = {name: part for name, part in self._defaults.case.items() if name in names}
            parts = {name: part for name, part in self._defaults.parts().items() if name in PARTS[kind]}
            scene = self._shared_scene(case.pop("scene")) if "scene" in case else None
            plan = self._plans[game_name, question_name, kind] = Plan(
                game, question, kind, body_type, case, parts, scene
            )
        return plan

    def _shared_scene(self, raw: Raw) -> SharedScene:
        """Give the scene of a case: the one that a string names, else the scene itself."""
        text = bytes(raw)
        if not text.startswith(b'"'):
            return SharedScene(text, {})
        name = msgspec.json.decode(text)
        if name not in self._scenes:
            listed = ", ".join(self._scenes)
            raise Faults.one(
                pointer("case", "scene"),
                "unknown-scene",
                f"the batch has no scene {name!r}",
                name,
                f"one of {listed}" if listed else "a scene, or the name of one in `scenes`",
            )
        return self._scenes[name]


def _refuse_beyond(most: int, count: int) -> None:
    if count > most:
        raise Faults.one(pointer("queries"), "too-many", f"the batch has {count} queries", count, f"at most {most}")


def asked_path(game: str, question: str, kind: Kind) -> str:
    """Give the path at which a question of that name could be posted, if it exists."""
    # The names of a query come from its client, and are escaped.
    return f"/v1/games/{quote(game, safe='')}/{quote(question, safe='')}{'/odds' if kind == 'odds' else ''}"


def _missing(name: str) -> Fault:
    return Fault(
        pointer(name),
        "missing",
        f"neither the query nor `defaults` names the {name}",
        expected="a name",
        hint="/v1/games lists games and questions",
    )
