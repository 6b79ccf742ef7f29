"""Traces: which larger story a request belongs to, by the header `traceparent` (W3C Trace Context).

A caller that names a trace is answered within it; for others one begins here. Each request is a span of its own, whose
number goes into the log line, and on to the services that are asked for its sake.
"""

import os
import re
import secrets
from contextvars import ContextVar
from itertools import count
from typing import NamedTuple

HEADER = "traceparent"

_PARENT = re.compile(r"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_SAMPLED = 1


class Trace(NamedTuple):
    """Where a request stands: its trace, its own span, the span that asked (none if empty), whether it is recorded."""

    trace_id: str
    span_id: str
    parent_id: str
    sampled: bool

    @property
    def header(self) -> str:
        """Write it for a service that is asked next."""
        return f"00-{self.trace_id}-{self.span_id}-{'01' if self.sampled else '00'}"


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


class _Numbers:
    """Numbers that no other process gives: random for each process, and counted on within it."""

    def __init__(self) -> None:
        self.process, self.trace, self.span = 0, "", 0
        self.next = count(1).__next__

    def renew(self) -> None:
        # Asking the system for randomness each time would let other threads in, and so make this one wait its turn.
        self.trace, self.span = secrets.token_hex(10), secrets.randbits(64)
        self.process = os.getpid()


_numbers = _Numbers()


def begin(said: str | None) -> Trace:
    """Begin the span of a request; `said` is the header that came with it. What is malformed counts as not said."""
    if _numbers.process != os.getpid():
        _numbers.renew()
    number = _numbers.next()
    # Multiplying by an odd number visits every number before one comes again; only zero is forbidden.
    span = format((_numbers.span + number * 0x9E3779B97F4A7C15) & 0xFFFF_FFFF_FFFF_FFFF or 1, "016x")
    found = _PARENT.fullmatch(said) if said else None
    # Only a later version may have more to say than the four parts.
    if found is None or (found[5] is not None and found[1] == "00"):
        trace = Trace(f"{_numbers.trace}{number:012x}", span, "", True)
    else:
        trace = Trace(found[2], span, found[3], bool(int(found[4], 16) & _SAMPLED))
    _current.set(trace)
    return trace


def current() -> Trace | None:
    """Give the trace of the request that this thread is answering."""
    return _current.get()


def outgoing() -> dict[str, str]:
    """Give the headers with which another service is asked for the sake of this request; none outside of one."""
    trace = _current.get()
    return {} if trace is None else {HEADER: trace.header}
