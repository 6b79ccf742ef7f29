"""The `RateLimit` and `RateLimit-Policy` header fields: draft-ietf-httpapi-ratelimit-headers-11, structured fields.

`RateLimit-Policy: "burst";q=600;w=60` is the policy: a quota of 600 units in a window of 60 seconds.
`RateLimit: "burst";r=590;t=61` is its state: the units that remain, and the seconds until the whole quota is there
again; on a 429, until the refused request can be sent again.
"""

from math import floor
from typing import NamedTuple

POLICY = "burst"
"""The name of the policy; each caller has one quota of it."""

WINDOW_S = 60
"""Seconds of the window in which a quota may be spent."""

_ROUNDING_S = 1e-6


class Window(NamedTuple):
    """What a caller spent: units in the previous window, back in `previous_s`, and in the current, in `current_s`."""

    previous: int
    previous_s: float
    current: int
    current_s: float

    def left(self, quota: int) -> int:
        """Give the units that remain of a quota."""
        return min(quota, max(0, quota - self.current - floor(self.previous * self.previous_s / WINDOW_S)))

    def wait_s(self, quota: int, cost: int) -> int:
        """Give the whole seconds until a request of this cost is admitted, if nothing else is spent; at least 1."""
        # Admitted is what finds less than this spent, since parts of a unit do not count.
        bound, wait = quota - cost + 1, 0.0
        if self.current >= bound:
            wait = self.current_s - WINDOW_S * bound / self.current
        elif self.previous > 0:
            wait = self.previous_s - WINDOW_S * (bound - self.current) / self.previous
        return max(1, floor(wait + _ROUNDING_S) + 1)


def most_of_request(quota: int) -> int:
    """Give the most that a single request costs: half of the quota, so that its job can be polled afterwards."""
    return max(1, quota // 2)


def fields(quota: int, left: int, wait_s: int) -> tuple[tuple[str, str], tuple[str, str]]:
    """Give the two header fields of a response."""
    return ("RateLimit-Policy", f'"{POLICY}";q={quota};w={WINDOW_S}'), ("RateLimit", f'"{POLICY}";r={left};t={wait_s}')
