"""Traces by W3C Trace Context: reading a `traceparent`, ids of spans, and the current trace.

A trace goes from a client through the gateway into the jobs that a request makes, and on to their callbacks. It is only
for logs and headers: no decision, result or id depends on it.
"""

import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

HEADER = "traceparent"

_PARENT = re.compile(r"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_SAMPLED = 1

_LENGTH = 55
"""Characters of the header that we write."""


class Trace(NamedTuple):
    """A position in a trace: the trace id, our span, the parent span (empty without one), and the sampling flag."""

    trace_id: str
    span_id: str
    parent_id: str
    sampled: bool

    @property
    def header(self) -> str:
        """Write the header for the next service."""
        return f"00-{self.trace_id}-{self.span_id}-{'01' if self.sampled else '00'}"


CURRENT: ContextVar[Trace | None] = ContextVar("trace", default=None)
"""The trace of the current thread's work."""


def current() -> Trace | None:
    """Give the trace of the request or job that this thread handles."""
    return CURRENT.get()


def outgoing() -> dict[str, str]:
    """Give the headers for a call to another service within the current trace; none outside of one."""
    trace = CURRENT.get()
    return {} if trace is None else {HEADER: trace.header}


def below(header: str | None) -> Trace | None:
    """Begin a span below the one that a header names; None for a header that is missing or malformed."""
    match = _PARENT.fullmatch(header) if header else None
    # Only a later version may have more than the four parts.
    if match is None or (match[5] is not None and match[1] == "00"):
        return None
    active = _otel_span()
    span_id = active.span_id if active and active.trace_id == match[2] else secrets.token_hex(8)
    return Trace(match[2], span_id, match[3], bool(int(match[4], 16) & _SAMPLED))


def alone() -> Trace:
    """Begin a trace without a parent."""
    return _otel_span() or Trace(secrets.token_hex(16), secrets.token_hex(8), "", sampled=True)


def below_stored(stored: bytes | None) -> Trace | None:
    """Begin a span below the one whose header is stored; None for bytes that we cannot have written."""
    if stored is None or len(stored) != _LENGTH:
        return None
    return below(stored.decode("ascii", errors="replace"))


@contextmanager
def within(trace: Trace | None) -> Iterator[None]:
    """Let the block belong to a trace, or to none."""
    before = CURRENT.set(trace)
    try:
        yield
    finally:
        CURRENT.reset(before)


def _otel_span() -> Trace | None:
    """Give OpenTelemetry's current span, so that a log line has the ids of the exported span."""
    # Importing OpenTelemetry takes a quarter of a second; if it is not imported yet, it has no span.
    otel: Any = sys.modules.get("opentelemetry.trace")
    context = otel.get_current_span().get_span_context() if otel else None
    if context is None or not context.is_valid:
        return None
    return Trace(f"{context.trace_id:032x}", f"{context.span_id:016x}", "", context.trace_flags.sampled)
