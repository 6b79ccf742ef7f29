"""The fields that tell a client of its quota, after draft-ietf-httpapi-ratelimit-headers-11, as structured fields.

`RateLimit-Policy: "burst";q=600;w=60` is the policy: so many units, and the seconds in which an empty quota is full
again. `RateLimit: "burst";r=590;t=1` is how it stands: what remains, and the seconds until it is full again; on a 429,
until the request that was refused can be asked again, so that `Retry-After` never comes before `t`.
"""

from math import ceil

from arbiter.value import Value

POLICY = "burst"
"""The name of the policy; each caller has one quota of it."""

WINDOW_S = 60
"""Seconds in which an empty quota is full again."""

SLICE_OF = 10
"""What all processes together may hold of a quota at a time is this part of it."""


class Quota(Value, frozen=True):
    """How much a caller may ask: `units` at once, and as many again in every window.

    `most` is what a single request costs at most: half of it, so that the dearest can be asked at all, and the job it
    becomes be looked at. `share` is what a process takes for itself at a time.
    """

    units: int
    most: int
    share: int
    per_s: float
    policy: str


def quota(units: int, processes: int) -> Quota:
    """Give the quota of so many units a minute, where so many processes serve together."""
    share = units // (SLICE_OF * max(processes, 2))
    return Quota(units, max(1, units // 2), share, units / WINDOW_S, f'"{POLICY}";q={units};w={WINDOW_S}')


def seconds(left: float, of: Quota, refused_s: float | None) -> int:
    """Give the whole seconds to be told: until the quota is full again, or the refused request can be asked again."""
    return max(1, ceil((of.units - left) / of.per_s if refused_s is None else refused_s))


def fields(left: float, of: Quota, refused_s: float | None = None) -> tuple[tuple[str, str], tuple[str, str]]:
    """Give the two fields of an answer; `refused_s` is the wait of a request that was refused."""
    remains, again = max(0, int(left)), seconds(left, of, refused_s)
    return ("RateLimit-Policy", of.policy), ("RateLimit", f'"{POLICY}";r={remains};t={again}')
