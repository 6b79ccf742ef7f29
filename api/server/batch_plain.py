"""Batches in which every query says nothing but its case, of one question about one scene: read at one go.

So a table asks who sees whom. Whatever is not just that, or cannot be read, is found query by query (`batch_items`),
and what is refused there is told there.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec
from msgspec import Raw

from api.problems.handlers import ProblemError
from api.quotas.costs import UNIT_BYTES
from api.schemas.bodies import ask_type
from api.schemas.scenes import Bodies, RawScene, Read
from arbiter.fault import Faults


class _Case(msgspec.Struct, forbid_unknown_fields=True):
    scene: Raw


class _Defaults(msgspec.Struct, forbid_unknown_fields=True):
    game: str
    question: str
    case: _Case
    kind: Literal["ruling"] = "ruling"


class _Batch(msgspec.Struct, forbid_unknown_fields=True):
    queries: Raw
    defaults: _Defaults


_batch = msgspec.json.Decoder(_Batch)


class PlainBatch(NamedTuple):
    """Queries of one question, each read as its body would be alone."""

    game: str
    question: str
    reads: Sequence[Read]


def plain_batch(posted: bytes, games: Mapping[str, Bodies], most: int) -> PlainBatch | None:
    """Read a batch at one go; None for one that is to be read query by query."""
    try:
        batch = _batch.decode(posted)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    said, scene, queries = batch.defaults, bytes(batch.defaults.case.scene), bytes(batch.queries)
    bodies = games.get(said.game)
    question = None if bodies is None else bodies.game.questions.get(said.question)
    # What may be heavy, and what is long, is charged for by itself.
    if bodies is None or question is None or question.cost is not None or len(queries) >= UNIT_BYTES:
        return None
    try:
        reads = bodies.read_queries(ask_type(question), queries, RawScene(scene))
    except (Faults, ProblemError):
        return None
    return PlainBatch(said.game, said.question, reads) if reads and len(reads) <= most else None
