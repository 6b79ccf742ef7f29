"""How the house logs: one JSON object a line; and a worker's log, Celery's lines and ours in that form."""

import logging
from typing import Any, cast

import structlog
from celery import signals
from structlog.stdlib import BoundLogger, ProcessorFormatter
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import EventDict, Processor

from infra.tracing import CURRENT


def _traced(logger: object, method: str, event: EventDict) -> EventDict:
    """Say to which trace a line belongs, so that a fault is found from the request for whose sake it was met."""
    if (here := CURRENT.get()) is not None:
        event["trace_id"], event["span_id"], event["parent_id"], _ = here
    return event


WRITTEN: tuple[Processor, ...] = (
    structlog.processors.add_log_level,
    _traced,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    # An exception without the values of variables: among them are bodies, and those are nobody's business.
    structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
    structlog.processors.JSONRenderer(),
)
"""How a line is made of an event and what is said with it."""


def log_of(module: str) -> BoundLogger:
    """Give the log of a module of a worker: events by a short name, with what they are about."""
    made = structlog.wrap_logger(
        logging.getLogger(module),
        processors=[structlog.stdlib.filter_by_level, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=BoundLogger,
    )
    return cast(BoundLogger, made)


def lines() -> logging.Formatter:
    """Give what writes what is logged, in Celery's sentences or as events of ours, with who says it."""
    return ProcessorFormatter(processors=(_said_by, ProcessorFormatter.remove_processors_meta, *WRITTEN))


def _said_by(logger: object, method: str, event: EventDict) -> EventDict:
    record: logging.LogRecord = event["_record"]
    event["logger"], event["process"] = record.name, record.process
    return event


def write_lines(level: str) -> None:
    """Have Celery write such lines from now on: ours from a level on, its own from the one on its command line on."""

    def dress(logger: logging.Logger, **_: Any) -> None:
        logging.getLogger("workers").setLevel(level.upper())
        for handler in logger.handlers:
            handler.setFormatter(lines())

    signals.after_setup_logger.connect(dress, weak=False)
