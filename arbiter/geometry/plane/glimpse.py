"""Whether a figure sees any part of another: in floating-point numbers with a bound, exactly only in doubt.

This module answers with yes or no what `view` measures as a share. The highest points of the silhouette are the last to
be hidden, so that only its upper rim counts. A line from the eye to it is as high as its share of the way says,
whichever place of the rim it leads to: a piece stops it between two depths. So what a convex piece hides of the rim is
one interval, from the leftmost to the rightmost corner of the part of the piece between these depths, as seen from the
eye.

Each interval is worked out twice, a little too short and a little too long. If the short ones cover the rim, nothing is
seen; if the long ones do not, something is; else `view` decides.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt

from arbiter.geometry.plane.near import gap
from arbiter.geometry.plane.roots import WHOLE
from arbiter.geometry.plane.shapes import Figure, Piece, is_convex, whereabouts
from arbiter.geometry.plane.view import hidden_share

# Thousandths, far more than the error of the floating-point numbers below.
SLACK = 1e-3
# What comes so near to an eye is left to exact numbers: errors grow on the way from it to the rim.
NEAR = 16.0

Interval = tuple[float, float]


def sees(looker: Figure, target: Figure, pieces: Sequence[Piece]) -> bool:
    """Decide exactly whether some part of a target is visible past pieces that block."""
    seen = surely_sees(looker, target, pieces)
    return hidden_share(looker, target, pieces) < WHOLE if seen is None else seen


def surely_sees(looker: Figure, target: Figure, pieces: Sequence[Piece]) -> bool | None:
    """Decide whether some part of a target is visible; None if floating-point numbers leave it open."""
    (x, y, z), top = looker.eye, target.eye[2]
    dx, dy = target.at[0] - x, target.at[1] - y
    if not dx and not dy:
        return True
    length, radius = sqrt(dx * dx + dy * dy), float(target.radius)
    ux, uy = dx / length, dy / length
    short: list[Interval] = []
    long: list[Interval] = []
    doubtful = False
    for piece in pieces:
        depths = _depths(piece.height - z, top - z, length)
        if depths is None:
            continue
        seen = [(ux * (a - x) + uy * (b - y), ux * (b - y) - uy * (a - x)) for a, b in piece.outline]
        if _misses(seen, depths, radius / length):
            continue
        if min(seen)[0] < NEAR and gap((x, y), piece.outline) < NEAR:
            if piece.height > z and whereabouts((x, y), piece.outline) == "inside":
                return False
            doubtful = True
            continue
        if not is_convex(piece.outline):
            doubtful = True
            continue
        low, high = depths
        short += _interval(seen, max(low, NEAR) + SLACK, high - SLACK, length, -SLACK)
        long += _interval(seen, max(low - SLACK, NEAR), high + SLACK, length, SLACK)
    if _cover(short, radius):
        return False
    return None if doubtful or _cover(long, radius) else True


def _depths(over: int, rise: int, length: float) -> Interval | None:
    """Give between which depths a line to the rim is no higher than a piece; None where it is higher all the way.

    `over` is how far the piece rises above the eye, `rise` how far the rim does.
    """
    if rise > 0:
        return (0.0, min(over / rise, 1.0) * length) if over > 0 else None
    if over >= 0:
        return 0.0, length
    return (over / rise * length, length) if over >= rise else None


def _misses(seen: Sequence[tuple[float, float]], depths: Interval, half: float) -> bool:
    """Decide whether a piece surely lies before or beyond some depths, or aside of all lines to the rim."""
    low, high = depths[0] - SLACK, depths[1] + SLACK
    alongs = [along for along, _ in seen]
    if max(alongs) < low or min(alongs) > high:
        return True
    rights, lefts = [aside - half * along for along, aside in seen], [aside + half * along for along, aside in seen]
    return min(rights) > SLACK or max(lefts) < -SLACK


def _interval(
    seen: Sequence[tuple[float, float]], low: float, high: float, length: float, more: float
) -> Iterator[Interval]:
    """Give what the part of a convex piece between two depths hides of the rim, and somewhat more on both sides."""
    part = _beyond(seen, low, 1.0)
    part = _beyond(part, high, -1.0)
    if part:
        places = [aside * length / along for along, aside in part]
        yield min(places) - more, max(places) + more


def _beyond(seen: Sequence[tuple[float, float]], depth: float, hand: float) -> Sequence[tuple[float, float]]:
    """Give the part of a convex outline beyond a depth, or before it."""
    over = [hand * (along - depth) for along, _ in seen]
    if min(over, default=0.0) >= 0:
        return seen
    part = []
    for number, (along, aside) in enumerate(seen):
        before, here = over[number - 1], over[number]
        if (before < 0) is not (here < 0):
            (last_along, last_aside), share = seen[number - 1], before / (before - here)
            part.append((last_along + share * (along - last_along), last_aside + share * (aside - last_aside)))
        if here >= 0:
            part.append((along, aside))
    return part


def _cover(intervals: Iterable[Interval], radius: float) -> bool:
    """Decide whether some intervals cover the rim, which reaches by the radius to either side."""
    reached = -radius
    for low, high in sorted(intervals):
        if low > reached:
            return False
        reached = max(reached, high)
        if reached >= radius:
            return True
    return False
