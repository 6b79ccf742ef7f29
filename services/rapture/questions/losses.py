"""Losses of the sides: the count that every answer with a worth uses."""

from services.rapture.battlefield import Battlefield
from services.rapture.rules import boxes


def boxes_lost(before: Battlefield, after: Battlefield) -> dict[str, int]:
    """Give the boxes of HP and MP that each side has lost, in the order of the scene.

    A disabled unit has lost all that it had left; restored boxes count as negative losses.
    """
    losses = {side.id: 0 for side in before.scene.all_sides}
    for unit in before.units:
        if after.unit(unit.id) != unit:
            losses[unit.side] += _left(before, unit.id) - _left(after, unit.id)
    return losses


def _left(field: Battlefield, unit_id: str) -> int:
    if field.unit(unit_id).disabled is not None:
        return 0
    return boxes.left(field, unit_id, "hp") + boxes.left(field, unit_id, "mp")
