"""The frame of the question `line-of-sight`: one observer, its targets or all of its enemies, and contacts of lines."""

from typing import Any

from arbiter.fault import Faults
from arbiter.geometry.plane.witness import How
from arbiter.skirmish.battlefield import SkirmishBattlefield
from arbiter.skirmish.faults import case_pointer, own_targets
from arbiter.value import Value

Spot = tuple[float, float, float]
"""A point in the scene's unit: along, across and above the table."""


class Contact(Value, frozen=True):
    """A piece of terrain or a body that a line meets, and where.

    `how`: the line passes through it, runs along its side, touches a corner of it, or its top. `at` is the point, or
    both ends of the stretch, each along, across and above the table. `counts` says whether it blocks the line, or
    makes the target harder to hit where the line is free.
    """

    id: str
    how: How
    at: tuple[Spot, ...]
    counts: bool


def observe(
    field: SkirmishBattlefield[Any, Any, Any, Any], observer: str, targets: tuple[str, ...], message: str
) -> tuple[str, ...]:
    """Give the targets of an observer, or all its enemies in play if none is named.

    Raises `Faults` with the message if the observer is among its targets.
    """
    if faults := tuple(own_targets(observer, targets, message, case_pointer("targets"))):
        raise Faults(faults)
    return targets or tuple(enemy.id for enemy in field.enemies(field.unit(observer)))
