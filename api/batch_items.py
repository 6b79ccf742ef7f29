"""Batches as they are posted: shared scenes and defaults, and for each query the body that it would have alone."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec import Meta, Raw

from api import wire
from api.bodies import ask_type, odds_type
from api.odds import refuse_without_dice
from arbiter.arbiter import Arbiter
from arbiter.fault import Fault, Faults, UnknownName, pointer
from arbiter.question import Name, Question
from arbiter.value import Value

MOST_SCENES = 20
"""Scenes that one batch may name."""

PARTS = {"ruling": ("dice", "choices", "policies", "readings"), "odds": ("policies", "readings", "heads", "seed")}
"""The members that a body of each kind has beside its case."""

Kind = Literal["ruling", "odds"]


class Query(Value, frozen=True):
    """A query of a batch, or what all of them share: game, question, kind, and the members of the body.

    Each member is what it is in the body of the question, or of its odds, alone. Where `scene` in the `case` is a
    string, it is the name of one of the scenes of the batch.
    """

    game: Name | None = None
    question: Name | None = None
    kind: Kind | None = None
    case: dict[str, Any] = {}
    dice: Any = None
    choices: Any = None
    policies: Any = None
    readings: Any = None
    heads: Any = None
    seed: Any = None


class Batch(Value, frozen=True):
    """Queries of any games, answered one by one and in this order.

    `defaults` are the members of every query that has none of its own, members of the case one by one; a query takes
    only those that its question, and its kind of body, has. `scenes` are scenes by a name.
    """

    queries: Annotated[tuple[Query, ...], Meta(min_length=1)]
    defaults: Query = Query()
    scenes: Annotated[dict[Name, Any], Meta(max_length=MOST_SCENES)] = {}


class _RawBatch(msgspec.Struct, forbid_unknown_fields=True):
    """A batch with the members of its queries left as they are written."""

    queries: Annotated[tuple[dict[str, Raw], ...], Meta(min_length=1)]
    defaults: dict[str, Raw] = {}
    scenes: Annotated[dict[Name, Raw], Meta(max_length=MOST_SCENES)] = {}


_batch = msgspec.json.Decoder(_RawBatch)
_case = msgspec.json.Decoder(dict[str, Raw])
_kind = msgspec.json.Decoder(Kind | None)
_name = msgspec.json.Decoder(Name | None)
_MEMBERS = frozenset(Query.__struct_fields__)
_PART_NAMES = frozenset((*PARTS["ruling"], *PARTS["odds"]))


class Plan(NamedTuple):
    """What queries have in common that ask the same of the same game: the type of their bodies, and their defaults.

    `case` and `parts` are the defaults that such a body has, `written` both as they go into a body that adds only to
    the case.
    """

    game: Arbiter
    question: Question[Any, Any, Any]
    kind: Kind
    wanted: Any
    case: dict[str, bytes]
    parts: dict[str, bytes]
    written: bytes

    @property
    def path(self) -> str:
        """Give the path at which this could be asked alone."""
        return _path(self.game.name, self.question.name, self.kind)


class Item(NamedTuple):
    """A query that was found: its plan, its scene as it was posted, and its body with nothing in the scene's place.

    The scene is None for a case without one.
    """

    plan: Plan
    around: bytes
    scene: bytes | None

    @property
    def body(self) -> bytes:
        """Give the body with which this could be asked alone."""
        if self.scene is None:
            return self.around
        return _BEFORE_SCENE + self.scene + self.around[len(_AROUND_SCENE) :]


class Items:
    """The queries of a batch, each found when it is its turn."""

    def __init__(self, posted: bytes, games: Mapping[str, Arbiter], most: int, deepest: int) -> None:
        """Read a batch; raises `Faults` for what is none, and for one of too many queries."""
        try:
            self._batch = _batch.decode(posted)
            # Counted first: there is room in a body for hundreds of thousands.
            if (count := len(self._batch.queries)) > most:
                raise Faults(
                    [Fault(pointer("queries"), "too-many", f"the batch has {count} queries", count, f"at most {most}")]
                )
            self._queries = [_Said.of(query) for query in self._batch.queries]
            self._defaults = _Said.of(self._batch.defaults)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            wire.decode(Batch, posted, deepest=deepest)
            raise
        self._games = games
        # One object for each scene: what remembers scenes knows it again without going through it.
        self._scenes = {name: bytes(scene) for name, scene in self._batch.scenes.items()}
        self._plans: dict[tuple[str, str, Kind], Plan] = {}

    def __len__(self) -> int:
        return len(self._queries)

    def kind(self, index: int) -> Kind:
        """Say of which kind a query is."""
        return self._queries[index].kind or self._defaults.kind or "ruling"

    def path(self, index: int) -> str:
        """Give the path of a query, as far as it says one; it may lead nowhere."""
        query = self._queries[index]
        game, question = query.game or self._defaults.game, query.question or self._defaults.question
        return _path(game, question, self.kind(index)) if game and question else "/v1/batch"

    def item(self, index: int) -> Item:
        """Find a query; raises what a request of its own would raise for names that are none, and `Faults`."""
        query = self._queries[index]
        plan = self._plan(
            query.game or self._defaults.game, query.question or self._defaults.question, self.kind(index)
        )
        scene = self._scene(query.case.get("scene", plan.case.get("scene")))
        if not query.parts and not (plan.case.keys() & query.case.keys()) - {"scene"}:
            own = b"".join([b",%s:%s" % (_text(name), part) for name, part in query.case.items() if name != "scene"])
            around = b"%s%s%s" % (_AROUND_SCENE, own, plan.written)
        else:
            around = _around({**plan.case, **query.case}, {**plan.parts, **query.parts})
        if scene is None:
            # Nothing stands where the scene would be, and so what stands in its place has to go.
            around = around.replace(_AROUND_SCENE + b",", _BEFORE_CASE, 1).replace(_AROUND_SCENE, _BEFORE_CASE, 1)
        return Item(plan, around, scene)

    def _plan(self, said: str | None, asked: str | None, kind: Kind) -> Plan:
        if said is None or asked is None:
            raise Faults([_unsaid(name) for name, value in (("game", said), ("question", asked)) if value is None])
        plan = self._plans.get((said, asked, kind))
        if plan is None:
            if said not in self._games:
                raise UnknownName("game", said, self._games)
            game = self._games[said]
            question = game.question(asked)
            if kind == "odds":
                refuse_without_dice(game, asked)
            wanted = ask_type(question) if kind == "ruling" else odds_type(question)
            names = question.case.__struct_fields__
            case = {name: part for name, part in self._defaults.case.items() if name in names}
            parts = {name: part for name, part in self._defaults.parts.items() if name in PARTS[kind]}
            written = _around(case, parts)[len(_AROUND_SCENE) :]
            plan = self._plans[said, asked, kind] = Plan(game, question, kind, wanted, case, parts, written)
        return plan

    def _scene(self, said: bytes | None) -> bytes | None:
        if said is None or not said.startswith(b'"'):
            return said
        name = msgspec.json.decode(said)
        if name not in self._scenes:
            listed = ", ".join(self._scenes)
            raise Faults(
                [
                    Fault(
                        pointer("case", "scene"), "unknown-scene", f"the batch has no scene {name!r}", name,
                        f"one of {listed}" if listed else "a scene, or the name of one in `scenes`",
                    )
                ]
            )  # fmt: skip
        return self._scenes[name]


class _Said(NamedTuple):
    """What a query says, its members as they were written."""

    game: str | None
    question: str | None
    kind: Kind | None
    case: dict[str, bytes]
    parts: dict[str, bytes]

    @staticmethod
    def of(members: dict[str, Raw]) -> "_Said":
        """Read the members of a query; raises what decoding raises for one of another name or form."""
        if not members.keys() <= _MEMBERS:
            raise msgspec.ValidationError("a member is unknown")
        case, game, question, kind = (members.get(name) for name in ("case", "game", "question", "kind"))
        return _Said(
            None if game is None else _name.decode(game),
            None if question is None else _name.decode(question),
            None if kind is None else _kind.decode(kind),
            {} if case is None else {name: bytes(part) for name, part in _case.decode(case).items()},
            {name: bytes(part) for name, part in members.items() if name in _PART_NAMES},
        )


_BEFORE_CASE = b'{"case":{'
_BEFORE_SCENE = b'{"case":{"scene":'
_AROUND_SCENE = b'{"case":{"scene":null'


def _around(case: Mapping[str, bytes], parts: Mapping[str, bytes]) -> bytes:
    """Write a body with nothing in the place of its scene."""
    members = b"".join(b",%s:%s" % (_text(name), part) for name, part in case.items() if name != "scene")
    rest = b"".join(b",%s:%s" % (_text(name), part) for name, part in parts.items())
    return b"%s%s}%s}" % (_AROUND_SCENE, members, rest)


def _path(game: str, question: str, kind: Kind) -> str:
    # The names of a query are its client's, and lead nowhere else.
    return f"/v1/games/{quote(game, safe='')}/{quote(question, safe='')}{'/odds' if kind == 'odds' else ''}"


def _text(name: str) -> bytes:
    return msgspec.json.encode(name)


def _unsaid(name: str) -> Fault:
    return Fault(
        pointer(name), "missing", f"neither the query nor `defaults` says the {name}", asked="a name",
        hint="/v1/games lists games and questions",
    )  # fmt: skip
