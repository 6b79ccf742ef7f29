"""Traces: which larger story a request belongs to, by the header `traceparent` (W3C Trace Context).

A caller that names a trace is answered within it; for others one begins here. Each request is a span of its own, whose
number goes into the log line, on to the services that are asked for its sake, and into the jobs that it makes.
"""

from infra.tracing import CURRENT, HEADER, Trace, alone, below


def begin(said: str | None) -> Trace:
    """Begin the span of a request; `said` is the header that came with it. What is malformed counts as not said."""
    trace = below(said) or alone()
    CURRENT.set(trace)
    return trace


def current() -> Trace | None:
    """Give the trace of the request that this thread is answering."""
    return CURRENT.get()


def outgoing() -> dict[str, str]:
    """Give the headers with which another service is asked for the sake of this request; none outside of one."""
    trace = CURRENT.get()
    return {} if trace is None else {HEADER: trace.header}
