"""Walks with a time limit: exact odds and crowds of heads are charged while they are walked, and end with their client.

The time of a walk is not known in advance. So it is watched: it is charged every 50 ms of core time, and it ends when
its caller's quota is spent, when it reaches its limit, when its client has disconnected, or when this process has to
stop.
"""

import re
import select
import socket
from time import thread_time

from flask import Response, g, has_request_context, request

from api.problems.handlers import ProblemError
from api.quotas.limiter import charge, of_work
from api.web import drain
from arbiter.odds.exact import TimeBudgetExceeded

TIMING = "Server-Timing"
"""The header with the time that odds were walked, and from a game's own service also the time that a ruling took; the
gateway charges its caller for it."""

_TIMING = re.compile(r"walk;dur=(\d{1,9}(?:\.\d{1,3})?)")

LOOK_S = 0.05
"""Seconds of core time between two checks of the client, the process and the quota."""


class WalkWatch:
    """Watches the walk of the current request; called again and again during it, in its thread."""

    def __init__(self, limit_s: float) -> None:
        """Let the walk take this many seconds of core time, from now on."""
        self._limit_s, self._began, self._charged = limit_s, thread_time(), 0
        self._look_at_s = LOOK_S
        self._connection: socket.socket | None = (
            request.environ.get("gunicorn.socket") if has_request_context() else None
        )

    def __call__(self) -> None:
        """Raise what ends the walk: `TimeBudgetExceeded`, or the `ProblemError` of a quota, a client or a process."""
        taken_s = thread_time() - self._began
        if taken_s >= self._limit_s:
            self.settle()
            raise TimeBudgetExceeded(self._limit_s)
        if taken_s >= self._look_at_s:
            self._look_at_s = taken_s + LOOK_S
            self.settle()
            if drain.begun():
                raise ProblemError("busy", "The gateway process is stopping; try again.", headers={"Retry-After": "1"})
            if self._connection is not None and hung_up(self._connection):
                raise ProblemError("busy", "The client has closed the connection.")

    def settle(self) -> None:
        """Charge the time since the last charge; a 429 ends the walk."""
        taken_s = thread_time() - self._began
        note(taken_s)
        due = of_work(1_000 * taken_s) - self._charged
        if due > 0:
            self._charged += due
            charge(due)


def note(walk_s: float) -> None:
    """Note how long the odds of the current request were walked, or its ruling took."""
    if has_request_context():
        g.walk_s = walk_s


def add_timing(response: Response) -> Response:
    """Add to a response how long its odds were walked, or its ruling took, even if they are refused."""
    if "walk_s" in g:
        response.headers[TIMING] = f"walk;dur={1_000 * g.walk_s:.1f}"
    return response


def walk_s(header: str) -> float:
    """Give the seconds of a walk from the header of a game's own service; 0 if it names none."""
    return float(found[1]) / 1_000 if (found := _TIMING.match(header)) else 0.0


def hung_up(connection: socket.socket) -> bool:
    """Decide whether the client at the other end has closed the connection, or its half of it."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP | select.POLLHUP | select.POLLERR)
    return bool(poll.poll(0))
