"""The log of requests: an id for each, one line for each answer, and no content from clients."""

import logging
import os
import re
import secrets
import sys
import time
from collections.abc import Mapping
from typing import TextIO

from flask import Flask, Response, g, request
from structlog.typing import FilteringBoundLogger

from api.auth.keys import holds_key
from arbiter.game import Arbiter
from infra import tracing
from infra.logging import formatter, make_logger

Log = FilteringBoundLogger

REQUEST_ID = "X-Request-Id"

NAME = "arbiter.request_id"
"""The name under which the WSGI environment of a request holds its id."""

_SANE_ID = re.compile(r"[A-Za-z0-9._:+/=-]{1,128}")


def make_log(level: str, file: TextIO | None = None) -> Log:
    """Make the log of one app; it writes to standard output unless a file is given."""
    # The code shared with the workers logs with the standard library, into the same file.
    shared = logging.StreamHandler(file or sys.stdout)
    shared.setFormatter(formatter())
    logging.getLogger("workers").handlers = [shared]
    return make_logger(level, file or sys.stdout)


def init_app(app: Flask, log: Log, games: Mapping[str, Arbiter]) -> None:
    """Give each request of the app an id and a trace, and write a line of the log for each answer.

    Its hooks run first before a request and so last after it, so that refusals by other hooks are logged, too.
    """

    @app.before_request
    def begin() -> None:
        g.began = time.perf_counter()
        request.environ[NAME] = _id_of(request.headers.get(REQUEST_ID))
        tracing.CURRENT.set(tracing.below(request.headers.get(tracing.HEADER)) or tracing.alone())

    @app.after_request
    def end(response: Response) -> Response:
        response.headers[REQUEST_ID] = request_id()
        route, game, question = route_labels(games)
        log.info(
            "request",
            method=request.method[:20],
            route=route,
            status=response.status_code,
            ms=round(elapsed_s() * 1000, 3),
            game=game,
            question=question,
            request_id=request_id(),
            process=os.getpid(),
        )
        return response


def _id_of(requested: str | None) -> str:
    """Give the id that the client chose, if it is short, plain and not a key; else a new one."""
    if requested is not None and _SANE_ID.fullmatch(requested) and not holds_key(requested):
        return requested
    return secrets.token_hex(16)


def request_id() -> str:
    """Give the id of the current request, as in its answer and its log line."""
    name: str = request.environ[NAME]
    return name


def elapsed_s() -> float:
    """Give the seconds since the current request began."""
    began: float = g.began
    return time.perf_counter() - began


def route_labels(games: Mapping[str, Arbiter]) -> tuple[str, str, str]:
    """Name the route, the game and the question of the current request: names of the service, never a client's."""
    rule, named = request.url_rule, request.view_args or {}
    game = games.get(named.get("game", ""))
    if rule is None or game is None:
        return rule.rule if rule else "", "", ""
    question = named.get("question", "")
    return rule.rule, game.name, question if question in game.questions else ""
