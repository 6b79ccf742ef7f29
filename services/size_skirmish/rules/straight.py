"""Straight on: how far a model goes that is pushed or flees, what stops it, and whether it falls there.

Without a board the players say how much room there is, before any distance is rolled.
"""

from collections.abc import Callable
from typing import Final

from arbiter.facts import Number, OneOf, fact
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.table import Table
from services.size_skirmish.actions import AttackOutcome
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import levels
from services.size_skirmish.geometry.courses import Stopped
from services.size_skirmish.rules import fall, movement
from services.size_skirmish.scene import Direction

LONGEST: Final = 200
"""As far as nobody goes."""

CITES: Final = ("move/flee-away", "actions/push-away")

Gone = tuple[Path | None, float, Stopped]
"""A way straight on, which is known only where it is measured, its length, and what stops it."""

Then = Callable[[Battlefield], Battlefield]
"""What happens at the end of a way, before a fall."""

Search = Callable[[float], tuple[Path, Stopped]]
"""A search on the board: how far a model goes within a distance, and what stops it."""


def gone(table: Table, field: Battlefield, mover: str, far: float, search: Search) -> Gone:
    """Return how far a model goes straight on within a distance."""
    if table.facts is None:
        path, stopped = search(far)
        return path, path.length, stopped
    room = PER_UNIT * free_way(table, field, mover, search)
    known = search(far)[0] if field.measures(mover) else None
    if far < room:
        return known, far, "nothing"
    return known, room, stopped_by(table, field, mover, search)


def ended(
    table: Table, field: Battlefield, mover: str, gone: Gone, direction: Direction, reading: str, then: Then
) -> tuple[Battlefield, tuple[AttackOutcome, ...]]:
    """Return the battlefield with a model at the end of its way, or fallen over the brink there by a reading."""
    path, length, stopped = gone
    landing = None
    if stopped == "drop" and path is not None:
        landing = levels.over(field, field.solid(mover), path, direction)
    falls = stopped == "drop" and (path is None or landing is not None) and table.read(reading) == "falls"
    height = fall.drop(table, field, mover, landing) if falls else 0.0
    field = then(movement.shifted(table, field, mover, path) if length else field)
    if not falls:
        return field, ()
    field, blow = fall.fell(table, field, mover, landing, height)
    return field, (blow,)


@fact(
    "free_way",
    "How far could {mover} go straight away before an obstacle, a drop or the edge of the table stops it?",
    of=("mover",),
    kind=Number("the scene's unit", most=LONGEST, tolerance=0.5, usual=LONGEST),
    says="{mover} has {value} of free way",
    cites=CITES,
)
def free_way(table: Table, field: Battlefield, mover: str, search: Search) -> float:
    """Return how far a model can go straight on."""
    return search(PER_UNIT * LONGEST)[0].length / PER_UNIT


@fact(
    "stopped_by",
    "What stops {mover} on its way: an obstacle or a model, a drop, or the edge of the table?",
    of=("mover",),
    kind=OneOf(("obstacle", "edge", "drop")),
    says="{mover} is stopped by this: {value}",
    cites=CITES,
)
def stopped_by(table: Table, field: Battlefield, mover: str, search: Search) -> Stopped:
    """Return what stops a model that goes straight on."""
    return search(PER_UNIT * LONGEST)[1]
