"""Escape: who bears an Escape Marker."""

from msgspec.structs import replace

from arbiter.rule import rule
from arbiter.table import Table
from services.rapture.battlefield import Battlefield


@rule("escape.begins", cites=("escape/marker", "escape/only-with-word"), without=lambda field, unit_id: field)
def begins(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide whether a unit that has lost its last MP escapes: only if the last box of its bar says so."""
    unit = field.unit(unit_id)
    bar = field.profile(unit).mp
    if unit.escaping or unit.mp_crossed < len(bar):
        return field
    if not (bar and bar[-1].escape):
        table.find("{unit} has no MP left, but its last one does not say Escape", unit=field.name(unit))
        return field
    table.find("{unit} has no MP left and gets an Escape Marker", unit=field.name(unit))
    table.event("escaping", unit=unit_id)
    return field.put(replace(unit, escaping=True))
