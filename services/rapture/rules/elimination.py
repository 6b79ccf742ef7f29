"""Elimination: which units count as disabled, and for which side they score. The rules on points cite the text."""

from arbiter.table import Table
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.scene import Unit


def disabled(table: Table, unit: Unit) -> bool:
    """Decide whether a unit counts as disabled; with an Escape Marker that is `fleeing-at-end`."""
    if unit.disabled is not None:
        return True
    return unit.escaping and in_play(unit) and table.read("fleeing-at-end") == "yes"


def eliminated_units(table: Table, field: Battlefield, side: str) -> tuple[Unit, ...]:
    """Give the eliminated units of other sides that score for a side.

    Whether fled units score is `eliminated`; which side must have disabled them is `scored-by`.
    """
    units = []
    for unit in field.scene.units:
        if unit.side == side or not disabled(table, unit):
            continue
        if unit.disabled != "casualty" and table.read("eliminated") == "casualties":
            continue
        if unit.disabled_by != side and table.read("scored-by") == "who-did":
            continue
        units.append(unit)
    return tuple(units)
