"""What the sides have lost by something: what all answers that have a worth count, in the same way."""

from services.rapture.battlefield import Battlefield
from services.rapture.rules import boxes


def boxes_lost(before: Battlefield, after: Battlefield) -> dict[str, int]:
    """Count the boxes of HP and MP that each side has lost, in the order of the scene.

    A unit that is disabled has lost all that it had left, and one to which something is given back counts as less.
    """
    losses = {side.id: 0 for side in before.scene.sides}
    for unit in before.units:
        if after.unit(unit.id) != unit:
            losses[unit.side] += _left(before, unit.id) - _left(after, unit.id)
    return losses


def _left(field: Battlefield, unit_id: str) -> int:
    if field.unit(unit_id).disabled is not None:
        return 0
    return boxes.left(field, unit_id, "hp") + boxes.left(field, unit_id, "mp")
