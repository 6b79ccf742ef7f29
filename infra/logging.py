"""Logs of gateway and workers: one JSON object a line, through one chain of structlog processors."""

import logging
from contextlib import suppress
from typing import Any, TextIO, cast

import structlog
from celery import signals
from structlog.stdlib import BoundLogger, ProcessorFormatter
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import EventDict, FilteringBoundLogger, Processor

from infra.tracing import CURRENT


def _add_trace(logger: object, method: str, event: EventDict) -> EventDict:
    """Add the trace to a line, so that a fault can be found from its request."""
    if (trace := CURRENT.get()) is not None:
        event["trace_id"], event["span_id"], event["parent_id"], _ = trace
    return event


PROCESSORS: tuple[Processor, ...] = (
    structlog.processors.add_log_level,
    _add_trace,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    # An exception without the values of variables, which include bodies.
    structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
    structlog.processors.JSONRenderer(separators=(",", ":")),
)
"""How an event becomes a line."""


class LineWriter(structlog.WriteLogger):
    """Writes each line immediately. If the log has no reader any more, or a disk is full, the service continues."""

    def msg(self, message: str) -> None:
        with suppress(OSError):
            super().msg(message)

    debug = info = warning = error = msg


def make_logger(level: str, file: TextIO) -> FilteringBoundLogger:
    """Make a log that writes lines of this level and above to a file."""
    logger = structlog.wrap_logger(
        LineWriter(file),
        processors=PROCESSORS,
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
    )
    return cast(FilteringBoundLogger, logger.bind())


def log_of(module: str) -> BoundLogger:
    """Give the log of a module of the workers: events by a short name, with the ids concerned."""
    logger = structlog.wrap_logger(
        logging.getLogger(module),
        processors=[structlog.stdlib.filter_by_level, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=BoundLogger,
    )
    return cast(BoundLogger, logger)


def formatter() -> logging.Formatter:
    """Give the formatter of such lines for the standard library's handlers: our events, and Celery's messages."""
    return ProcessorFormatter(processors=(_add_source, ProcessorFormatter.remove_processors_meta, *PROCESSORS))


def _add_source(logger: object, method: str, event: EventDict) -> EventDict:
    record: logging.LogRecord = event["_record"]
    event["logger"], event["process"] = record.name, record.process
    return event


def write_lines(level: str) -> None:
    """Let Celery write such lines: our events from a level, its own from the level on its command line."""

    def configure(logger: logging.Logger, **_: Any) -> None:
        logging.getLogger("workers").setLevel(level.upper())
        for handler in logger.handlers:
            handler.setFormatter(formatter())

    signals.after_setup_logger.connect(configure, weak=False)
