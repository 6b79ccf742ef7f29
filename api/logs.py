"""Logs: one JSON line for each request, and one with its trace for each fault of our own; never a body."""

import logging
import sys
from typing import TextIO, cast

import structlog
from structlog.tracebacks import ExceptionDictTransformer

Log = structlog.typing.FilteringBoundLogger


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
