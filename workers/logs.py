"""The log of a worker: Celery's lines, each with the trace of the job that it is about, where it is about one."""

import logging
from typing import Any

from celery import signals
from celery.utils.log import ColorFormatter

from workers.trace import CURRENT


class Lines(ColorFormatter):
    """Celery's form of a line, with the numbers of the trace behind what is said, in the words of the gateway's log."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  # logging's own name
        """Give the line without what may follow it, such as the lines of an exception."""
        said, here = super().formatMessage(record), CURRENT.get()
        if here is None:
            return said
        return f"{said} trace_id={here.trace_id} span_id={here.span_id} parent_id={here.parent_id}"


def name_traces() -> None:
    """Have Celery write such lines from now on, whatever level and form it is told on its command line."""
    signals.after_setup_logger.connect(_dress, weak=False)


def _dress(logger: logging.Logger, **said: Any) -> None:
    for handler in logger.handlers:
        handler.setFormatter(Lines(said["format"], use_color=bool(said["colorize"])))
