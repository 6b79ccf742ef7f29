"""The frame of the question `line-of-sight`: one observer, and its targets or all of its enemies."""

from typing import Any

from arbiter.fault import Faults
from arbiter.skirmish.battlefield import SkirmishBattlefield
from arbiter.skirmish.faults import case_pointer, own_targets


def observed(
    field: SkirmishBattlefield[Any, Any, Any, Any], observer: str, targets: tuple[str, ...], message: str
) -> tuple[str, ...]:
    """Give the targets of an observer, all its enemies in play where none is named.

    Raises `Faults` with the message where the observer is among its targets.
    """
    if faults := tuple(own_targets(observer, targets, message, case_pointer("targets"))):
        raise Faults(faults)
    return targets or tuple(enemy.id for enemy in field.enemies(field.unit(observer)))
