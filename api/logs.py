"""Logs: one JSON line for each request, and one with its trace for each fault of our own; never a body."""

import logging
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from io import UnsupportedOperation
from typing import TextIO, cast

import msgspec
import structlog
from flask import request
from structlog.tracebacks import ExceptionDictTransformer

Log = structlog.typing.FilteringBoundLogger

NAME = "arbiter.request_id"
"""Under this name the WSGI environment of a request holds the name of the request."""


def make_log(level: str, file: TextIO | None = None) -> Log:
    """Make the log of one app; it writes to standard output unless a file is given."""
    wrapper = structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()])
    made = structlog.wrap_logger(
        structlog.WriteLogger(file or sys.stdout),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # A trace without the values of variables: among them are bodies, and those are nobody's business.
            structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=wrapper,
        cache_logger_on_first_use=True,
    )
    return cast(Log, made.bind())


def request_id() -> str:
    """Name the request that is being answered, as its answer and its log line do."""
    name: str = request.environ[NAME]
    return name


class RequestLine(msgspec.Struct, tag_field="event", tag="request", frozen=True, gc=False):
    """What the log says of one request; the route is the one that matched, so that nothing of the client's is in it."""

    method: str
    route: str
    status: int
    ms: float
    game: str
    question: str
    request_id: str
    timestamp: str
    level: str = "info"


class RequestLog:
    """The line of each request, in the form of the log's other lines. It is written for every poll, so it is quick."""

    def __init__(self, level: str) -> None:
        self.wanted = logging.getLevelNamesMapping()[level.upper()] <= logging.INFO
        self._put = _straight_to(sys.stdout)
        self._encode = msgspec.json.Encoder().encode

    def write(
        self, method: str, route: str, status: int, seconds: float, game: str, question: str, request_id: str
    ) -> None:
        """Write the line of a request that took so many seconds."""
        if not self.wanted:
            return
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        ms = round(seconds * 1000, 3)
        line = self._encode(RequestLine(method[:20], route, status, ms, game, question, request_id, now)) + b"\n"
        self._put(line)


def _straight_to(file: TextIO) -> Callable[[bytes], object]:
    """Give what writes whole lines to a file, past its buffer where the system has it.

    A line of this length goes out in one piece, so that threads need not wait for each other.
    """
    try:
        return partial(os.write, file.fileno())
    except UnsupportedOperation:  # a file in memory

        def put(line: bytes) -> None:
            file.write(line.decode())

        return put
