"""Logs of gateway and workers: one JSON object a line, by one chain of structlog's processors."""

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
    """Name the trace of a line, so that a fault is found from the request that led to it."""
    if (trace := CURRENT.get()) is not None:
        event["trace_id"], event["span_id"], event["parent_id"], _ = trace
    return event


PROCESSORS: tuple[Processor, ...] = (
    structlog.processors.add_log_level,
    _add_trace,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    # An exception without the values of variables: bodies are among them.
    structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
    structlog.processors.JSONRenderer(separators=(",", ":")),
)
"""How an event becomes a line."""


class LineWriter(structlog.WriteLogger):
    """Writes each line at once. Where nobody reads the log any more, or a disk is full, the service goes on."""

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
    """Give the log of a module of the workers: events by a short name, with what they are about."""
    logger = structlog.wrap_logger(
        logging.getLogger(module),
        processors=[structlog.stdlib.filter_by_level, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=BoundLogger,
    )
    return cast(BoundLogger, logger)


def formatter() -> logging.Formatter:
    """Give the formatter of such lines for the standard library's handlers: our events, and sentences of Celery."""
    return ProcessorFormatter(processors=(_add_source, ProcessorFormatter.remove_processors_meta, *PROCESSORS))


def _add_source(logger: object, method: str, event: EventDict) -> EventDict:
    record: logging.LogRecord = event["_record"]
    event["logger"], event["process"] = record.name, record.process
    return event


def write_lines(level: str) -> None:
    """Have Celery write such lines: ours from a level on, its own from the one on its command line on."""

    def configure(logger: logging.Logger, **_: Any) -> None:
        logging.getLogger("workers").setLevel(level.upper())
        for handler in logger.handlers:
            handler.setFormatter(formatter())

    signals.after_setup_logger.connect(configure, weak=False)
