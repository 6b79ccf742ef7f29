"""Jumps: how far they go, the run-up that they need, and what they cost.

Follows "Jumping" under "Movement". Lengths are thousandths of an inch.
"""

from collections.abc import Iterator
from itertools import accumulate, takewhile
from math import hypot
from typing import Any

from arbiter.geometry.plane.paths.room import TOUCH
from arbiter.geometry.plane.paths.shortest import Leg
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield
from services.stargrave.geometry.ways import Way
from services.stargrave.rules.lengths import inches

FURTHEST = 4 * PER_UNIT


@every_reason
def violations(table: Table, field: Battlefield, mover: str, way: Way, earlier: int) -> Iterator[Reason]:
    """List the violations of the jumps on a way.

    `earlier` is how far it moved in a straight line earlier in its activation.
    """
    name = field.name(mover)
    begun = 0.0
    for until, how in way.steps:
        if how == "jump":
            yield from too_long(table, name, until - begun)
            yield from short_run_up(table, name, until - begun, straight_before(way, begun), earlier)
        begun = until


@violations_rule("jumping.too_long", cites="movement/jump-distance")
def too_long(table: Table, name: str, length: float) -> Iterator[Reason]:
    """Decide whether a jump is longer than figures can jump: 4 inches across."""
    if length > FURTHEST + TOUCH:
        text = "{figure} cannot jump {inches}: the maximum is {most}"
        yield table.reason(text, figure=name, inches=inches(length), most=inches(FURTHEST))


@violations_rule("jumping.short_run_up", cites=("movement/jump-run-up", "movement/jump-straight"))
def short_run_up(table: Table, name: str, length: float, before: float, earlier: int) -> Iterator[Reason]:
    """Decide whether the run-up before a jump is too short: as far as the jump, in one straight line.

    `before` is the straight line right before the jump, `earlier` one earlier in the activation. Whether that counts is
    the reading `jump-run-up`.
    """
    runs = {"same-move": before, "same-activation": max(before, float(earlier))}
    enough = settled(table, lambda when: runs[when] >= length - TOUCH, ("jump-run-up", tuple(runs)))
    values: dict[str, Any] = {"figure": name, "inches": inches(length), "before": inches(before)}
    if enough:
        table.find("{figure} has the run-up for a jump of {inches}", **values)
    else:
        yield table.reason("{figure} needs a run-up of {inches} in a straight line, but has {before}", **values)


@rule("jumping.free_of_charge", cites="movement/jump-distance", neutral=0.0)
def free_of_charge(table: Table, way: Way) -> float:
    """Decide how much of a way costs nothing because it is jumped: the reading `jump-cost`."""
    if not way.jumped or table.read("jump-cost") == "counts":
        return 0.0
    table.find("The jump of {inches} costs nothing", inches=inches(way.jumped))
    return way.jumped


def straight_before(way: Way, along: float) -> float:
    """Measure how far a way runs in one straight line, on one level, right before one of its lengths."""
    ends = accumulate(leg.length for leg in way.path.legs)
    legs = [leg for leg, end in zip(way.path.legs, ends, strict=True) if end <= along + TOUCH]
    in_line = takewhile(lambda leg: leg is legs[-1] or _same_way(leg, legs[-1]), reversed(legs))
    length = sum((leg.length for leg in in_line), 0.0)
    since = max((change.along for change in way.changes if change.along < along - TOUCH), default=0.0)
    jumped = max((part.until for part in way.stretches if part.how == "jump" and part.until < along), default=0.0)
    return min(length, along - max(since, jumped))


def _same_way(a: Leg, b: Leg) -> bool:
    if a.centre is not None or b.centre is not None:
        return False
    (ax, ay), (bx, by) = (
        ((leg.end[0] - leg.start[0]) / leg.length, (leg.end[1] - leg.start[1]) / leg.length) for leg in (a, b)
    )
    return hypot(ax - bx, ay - by) < TOUCH
