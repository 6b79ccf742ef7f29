"""Traces as W3C Trace Context has them: reading what a caller says, numbering spans of our own, and where one stands.

A trace goes from a caller through the gateway into the jobs that are made for its sake, and on to whoever is told of
their end. What it says is for logs alone: nothing that is decided, computed or named depends on it.
"""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import NamedTuple

HEADER = "traceparent"

_PARENT = re.compile(r"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_SAMPLED = 1

_LENGTH = 55
"""Characters of what we write ourselves."""


class Trace(NamedTuple):
    """Where something stands: its trace, its own span, the span that asked (none if empty), whether it is recorded."""

    trace_id: str
    span_id: str
    parent_id: str
    sampled: bool

    @property
    def header(self) -> str:
        """Write it for a service that is asked next."""
        return f"00-{self.trace_id}-{self.span_id}-{'01' if self.sampled else '00'}"


CURRENT: ContextVar[Trace | None] = ContextVar("trace", default=None)
"""The trace of what this thread is at."""


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


def below(said: str | None) -> Trace | None:
    """Begin a span below the one that a header names; None for a header that is missing or malformed."""
    found = _PARENT.fullmatch(said) if said else None
    # Only a later version may have more to say than the four parts.
    if found is None or (found[5] is not None and found[1] == "00"):
        return None
    return Trace(found[2], _span(_number()), found[3], bool(int(found[4], 16) & _SAMPLED))


def alone() -> Trace:
    """Begin a trace of its own."""
    number = _number()
    return Trace(f"{_numbers.trace}{number:012x}", _span(number), "", True)


def below_kept(kept: bytes | None) -> Trace | None:
    """Begin a span below the one that was kept in the store; None for what cannot be ours."""
    if kept is None or len(kept) != _LENGTH:
        return None
    return below(kept.decode("ascii", errors="replace"))


@contextmanager
def within(trace: Trace | None) -> Iterator[None]:
    """Let what is done inside belong to a trace, or to none."""
    before = CURRENT.set(trace)
    try:
        yield
    finally:
        CURRENT.reset(before)


def _number() -> int:
    if _numbers.process != os.getpid():
        _numbers.renew()
    return _numbers.next()


def _span(number: int) -> str:
    # Multiplying by an odd number visits every number before one comes again; only zero is forbidden.
    return format((_numbers.span + number * 0x9E3779B97F4A7C15) & 0xFFFF_FFFF_FFFF_FFFF or 1, "016x")
