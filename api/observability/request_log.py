"""Logs: one JSON line for each request, and one with its trace for each fault of our own; never a body."""

import logging
import os
import sys
from datetime import UTC, datetime
from typing import TextIO, cast

import msgspec
import structlog
from flask import request

from api.observability.log_lines import lines_to
from infra.logging import WRITTEN, lines
from infra.tracing import Trace

Log = structlog.typing.FilteringBoundLogger

NAME = "arbiter.request_id"
"""Under this name the WSGI environment of a request holds the name of the request."""


def make_log(level: str, file: TextIO | None = None) -> Log:
    """Make the log of one app; it writes to standard output unless a file is given."""
    # What the gateway shares with the workers logs as they do; here its lines go where all others go.
    shared = logging.StreamHandler(file or sys.stdout)
    shared.setFormatter(lines())
    logging.getLogger("workers").handlers = [shared]
    wrapper = structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()])
    made = structlog.wrap_logger(
        structlog.WriteLogger(file or sys.stdout),
        processors=WRITTEN,
        wrapper_class=wrapper,
        cache_logger_on_first_use=True,
    )
    return cast(Log, made.bind())


def request_id() -> str:
    """Name the request that is being answered, as its answer and its log line do."""
    name: str = request.environ[NAME]
    return name


_NONE = Trace("", "", "", sampled=False)


class RequestLine(msgspec.Struct, tag_field="event", tag="request", frozen=True, gc=False):
    """What the log says of one request; the route is the one that matched, so that nothing of the client's is in it."""

    method: str
    route: str
    status: int
    ms: float
    game: str
    question: str
    request_id: str
    trace_id: str
    span_id: str
    parent_id: str
    process: int
    timestamp: str
    level: str = "info"


class RequestLog:
    """The line of each request, in the form of the log's other lines. It is written for every poll, so it is quick."""

    def __init__(self, level: str) -> None:
        self.wanted = logging.getLevelNamesMapping()[level.upper()] <= logging.INFO
        self.out = lines_to(sys.stdout)
        self._encode = msgspec.json.Encoder().encode

    def write(
        self,
        method: str,
        route: str,
        status: int,
        seconds: float,
        game: str,
        question: str,
        request_id: str,
        trace: Trace | None = None,
    ) -> None:
        """Write the line of a request that took so many seconds; one that never was a request has no trace."""
        if not self.wanted:
            return
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        ms = round(seconds * 1000, 3)
        trace_id, span_id, parent_id, _ = trace or _NONE
        line = RequestLine(
            method[:20], route, status, ms, game, question, request_id, trace_id, span_id, parent_id, os.getpid(), now
        )
        self.out.write(self._encode(line) + b"\n")
