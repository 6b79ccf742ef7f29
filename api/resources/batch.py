"""Batches: `POST /v1/batch`, many queries of any games at once, each with the answer that it would have alone.

A scene that many queries share is sent once, read once and checked once. One bad query harms no other.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from flask import Blueprint, Response, current_app, g
from msgspec import Raw

from api.arbiters.local import ArbiterClient, LocalArbiter, Reply
from api.jobs.sweeps import game_ms
from api.observability.request_log import request_id
from api.problems.handlers import ASKED_PATH, ProblemError
from api.quotas import costs
from api.quotas.costs import charged
from api.resources.batch_items import Item, Items, asked_path
from api.schemas import codec, request_body
from api.schemas.responses import JSON, accept_json
from api.schemas.scenes import Bodies, RawScene, Read
from api.server.batch_plain import PlainBatch, plain_batch
from api.settings import Settings
from arbiter.game import Arbiter
from arbiter.value import Value

PATH = "/v1/batch"

UNITS = {"ruling": costs.RULING, "odds": costs.ODDS}
"""What a query costs in the units by which callers are charged, by its kind, before it is known to be heavier."""

Charge = Callable[[int], object]
"""Charges the caller so many units; raises `ProblemError` where they are not to be had."""


class Answer(Value, frozen=True):
    """The answer to one query: its status, and the ruling, the law or the problem that it would have had alone."""

    status: int
    body: Any


class Answers(Value, frozen=True):
    """The answers to a batch, in the order of its queries."""

    answers: tuple[Answer, ...]


class Batches:
    """Answers batches, each query as a request of its own would be answered; inside a request of Flask's."""

    def __init__(
        self,
        games: Mapping[str, Arbiter],
        seats: Mapping[str, ArbiterClient],
        bodies: Mapping[str, Bodies],
        settings: Settings,
        charge: Charge,
    ) -> None:
        self._games, self._settings, self._charge = games, settings, charge
        self._here = {name: seat for name, seat in seats.items() if isinstance(seat, LocalArbiter)}
        self._bodies = {name: bodies[name] for name in self._here}
        self._one = _One(seats, bodies, settings, charge)

    def answered(self, body: bytes) -> bytes:
        """Answer every query; raises `Faults` for what is none, and `ProblemError` where too little is left."""
        queries = self._at_one_go(body) or _Each(Items(body, self._games, self._settings), self._one)
        self._charge(queries.units)
        until = time.monotonic() + self._settings.batch_seconds
        answers = [self._answer(queries, index, until) for index in range(len(queries))]
        return codec.encode(Answers(tuple(answers)))

    def _at_one_go(self, body: bytes) -> "_Queries | None":
        batch = plain_batch(body, self._bodies, self._settings.most_batch)
        return None if batch is None else _Plain(batch, self._here[batch.game])

    def _answer(self, queries: "_Queries", index: int, until: float) -> Answer:
        try:
            if time.monotonic() > until:
                raise ProblemError(
                    "out-of-time", "The queries before this one took as long as a batch may; ask it again."
                )
            return queries.answer(index)
        except Exception as refusal:
            # Whatever it is, it is this query's problem, told as it would be told alone.
            setattr(g, ASKED_PATH, queries.path(index))
            try:
                told: Response = current_app.make_response(current_app.handle_user_exception(refusal))
            finally:
                g.pop(ASKED_PATH)
            return Answer(told.status_code, Raw(told.get_data()))


def resource(batches: Batches, settings: Settings) -> Blueprint:
    """Answer batches."""
    pages = Blueprint("batch", __name__)
    pages.before_request(accept_json)

    @pages.post(PATH)
    @charged(costs.RULING)
    def batch() -> Response:
        """Answer every query of a batch."""
        return Response(batches.answered(request_body.body(settings.max_body_bytes)), content_type=JSON)

    return pages


class _Queries(Protocol):
    """The queries of a batch; `units` is what they cost before any is known to be heavier."""

    @property
    def units(self) -> int: ...

    def __len__(self) -> int: ...

    def path(self, index: int) -> str:
        """Give the path at which a query could be asked alone, as far as it says one."""

    def answer(self, index: int) -> Answer:
        """Answer a query; raises whatever refuses it."""


class _Plain:
    """Queries that were read at one go, and are decided here."""

    def __init__(self, batch: PlainBatch, seat: LocalArbiter) -> None:
        self._batch, self._seat = batch, seat
        self.units = UNITS["ruling"] * len(batch.reads)

    def __len__(self) -> int:
        return len(self._batch.reads)

    def path(self, index: int) -> str:
        return asked_path(self._batch.game, self._batch.question, "ruling")

    def answer(self, index: int) -> Answer:
        return Answer(200, Raw(self._seat.ruled(self._batch.question, self._batch.reads[index])))


class _Each:
    """Queries that are found and decided one by one."""

    def __init__(self, items: Items, one: "_One") -> None:
        self._items, self._one = items, one
        self.units = sum(map(UNITS.__getitem__, items.kinds()))

    def __len__(self) -> int:
        return len(self._items)

    def path(self, index: int) -> str:
        return self._items.path(index)

    def answer(self, index: int) -> Answer:
        reply = self._one.reply(self._items.item(index))
        return Answer(reply.status, Raw(reply.body))


class _One:
    """Decides one query as a request of its own would be decided."""

    def __init__(
        self, seats: Mapping[str, ArbiterClient], bodies: Mapping[str, Bodies], settings: Settings, charge: Charge
    ) -> None:
        self._seats, self._bodies, self._settings, self._charge = seats, bodies, settings, charge

    def reply(self, item: Item) -> Reply:
        """Decide a query, or pass it on; raises whatever refuses it."""
        plan = item.plan
        seat, name = self._seats[plan.game.name], plan.question.name
        self._pay_for(item.size)
        if plan.question.cost is not None:
            self._weigh(item)
        if isinstance(seat, LocalArbiter):
            read = self._read(item)
            return Reply(seat.ruled(name, read) if plan.kind == "ruling" else seat.weighed(name, read))
        self._pay_for(_size(item.scene))
        ask = seat.ask if plan.kind == "ruling" else seat.odds
        return ask(name, item.body, request_id())

    def _read(self, item: Item) -> Read:
        bodies, wanted = self._bodies[item.plan.game.name], item.plan.wanted
        read = None
        if item.case is not None and item.scene is not None:
            read = bodies.read_beside(wanted, item.case, item.scene)
        if read is None:
            read = bodies.read_around(wanted, item.around, item.scene)
        if read is None:
            # Now its scene is read with it, though others may share that.
            self._pay_for(_size(item.scene))
            read = bodies.read(wanted, item.body)
        return read

    def _pay_for(self, size: int) -> None:
        """Charge for what is read; most is too short to cost anything."""
        if size >= costs.UNIT_BYTES:
            self._charge(costs.of_bytes(size))

    def _weigh(self, item: Item) -> None:
        """Refuse what becomes a job alone, and charge for what is heavier than most."""
        estimate_ms = game_ms(item.plan.question, self._read(item).ask.case)
        if estimate_ms > self._settings.sync_cost_ms:
            estimate_s, limit_s = estimate_ms / 1_000, self._settings.sync_cost_ms / 1_000
            said = (
                f"This is estimated to take {estimate_s:,.1f} seconds of one core; an item of a batch may take "
                f"{limit_s:,.1f}. Post it alone to {item.plan.path}, and it becomes a job."
            )
            raise ProblemError("alone", said, estimate_s=estimate_s, limit_s=limit_s)
        self._charge(costs.of_work(estimate_ms))


def _size(scene: RawScene | None) -> int:
    return 0 if scene is None else scene.size
