"""Batches: `POST /v1/batch`, many queries of any games in one request, each answered as if it were posted alone.

A scene that many queries share is sent once and decoded once. A bad query does not affect the others.
"""

import time
from typing import Any

from flask import Blueprint, Response, current_app, g
from msgspec import Raw

from api.arbiters.local import LocalArbiter, Reply
from api.auth.callers import needs
from api.jobs.sweeps import game_ms, odds_ms
from api.observability.request_log import request_id
from api.problems.handlers import ASKED_PATH, ProblemError
from api.quotas import costs
from api.quotas.limiter import charge, charged, of_work
from api.resources.batch_items import Item, Items, Plan
from api.schemas import request_body
from api.schemas.responses import accept_json, json_response
from api.web.services import services
from arbiter.question import AskOdds
from arbiter.value import Value

PATH = "/v1/batch"

UNITS = {"ruling": costs.RULING, "odds": costs.ODDS}
"""The units that a query costs at least, by its kind."""


class Answer(Value, frozen=True):
    """The answer to one query: its status, and the ruling, the law or the problem, as if it were posted alone."""

    status: int
    body: Any


class Answers(Value, frozen=True):
    """The answers to a batch, in the order of its queries."""

    answers: tuple[Answer, ...]


def _answer(items: Items, index: int, deadline: float) -> Answer:
    try:
        if time.monotonic() > deadline:
            raise ProblemError("out-of-time", "The queries before this one took as long as a batch may; post it again.")
        reply = _reply(items.item(index))
    except Exception as refusal:
        # Any error is the problem of this query, answered as if it were posted alone.
        setattr(g, ASKED_PATH, items.path(index))
        try:
            problem: Response = current_app.make_response(current_app.handle_user_exception(refusal))
        finally:
            g.pop(ASKED_PATH)
        return Answer(problem.status_code, Raw(problem.get_data()))
    return Answer(reply.status, Raw(reply.body))


def _reply(item: Item) -> Reply:
    """Decide a query, or pass it on; raises the error that refuses it."""
    plan = item.plan
    arbiter, bodies, name = services().arbiters[plan.game.name], services().bodies[plan.game.name], plan.question.name
    _charge_bytes(len(item.around))
    if isinstance(arbiter, LocalArbiter):
        decoded = None if item.scene is None else bodies.decode_around(plan.body_type, item.around, item.scene)
        if decoded is None:
            # The scene is charged for each query, even if others share it.
            _charge_bytes(item.scene_bytes)
            decoded = bodies.decode(plan.body_type, item.body)
        _refuse_heavy(plan, decoded.ask)
        return Reply(arbiter.decide(name, decoded) if plan.kind == "ruling" else arbiter.weigh(name, decoded))
    _charge_bytes(item.scene_bytes)
    if plan.question.cost is not None:
        _refuse_heavy(plan, bodies.decode(plan.body_type, item.body).ask)
    ask = arbiter.ask if plan.kind == "ruling" else arbiter.odds
    return ask(name, item.body, request_id())


def _charge_bytes(size: int) -> None:
    """Charge for bytes that are read, even if they are sent once for many; most are too few to cost anything."""
    if units := size // costs.UNIT_BYTES:
        charge(units)


def _refuse_heavy(plan: Plan, ask: Any) -> None:
    """Refuse a question that becomes a job, and charge for a heavy one; odds are charged during their walk."""
    if plan.question.cost is None:
        return
    settings, weighs = services().settings, isinstance(ask, AskOdds)
    estimate_ms = odds_ms(plan.question, ask) if weighs else game_ms(plan.question, ask.case)
    limit_ms = settings.odds_limit_ms if weighs else settings.sync_cost_ms
    if estimate_ms > limit_ms:
        estimate_s, limit_s = estimate_ms / 1_000, limit_ms / 1_000
        detail = (
            f"This is estimated to take {estimate_s:,.1f} seconds of one core; an item of a batch may take "
            f"{limit_s:,.1f}. Post it alone to {plan.path} to make it a job."
        )
        raise ProblemError("alone", detail, estimate_s=estimate_s, limit_s=limit_s)
    charge(0 if weighs else of_work(estimate_ms))


pages = Blueprint("batch", __name__)
pages.before_request(accept_json)


@pages.post(PATH)
@needs("ask")
@charged(costs.RULING)
def batch() -> Response:
    """Answer every query of a batch, each as if it were posted alone."""
    settings = services().settings
    items = Items(request_body.body(settings.max_body_bytes), services().games, settings)
    charge(sum(map(UNITS.__getitem__, items.kinds())))
    deadline = time.monotonic() + settings.batch_seconds
    return json_response(Answers(tuple(_answer(items, index, deadline) for index in range(len(items)))))
