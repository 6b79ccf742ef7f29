"""Ranges: how far a movement goes, so many times B and so many dice.

Follows step 3 of "Movement" and the second column of its table. Lengths are thousandths of the scene's unit.
"""

from math import ceil, floor

from arbiter.geometry.plane.shapes import PER_UNIT, thousandths
from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.table import Table
from services.size_skirmish.actions import Action
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import Movement
from services.size_skirmish.rules import dice


@rule("ranges.fixed", cites="move/ranges", neutral=0)
def fixed(table: Table, field: Battlefield, mover: str, movement: Movement) -> int:
    """Decide how far a movement goes before any dice: so many times B. How a half is rounded is `half-movement`."""
    model = field.unit(mover)
    whole = movement.times * thousandths(field.profile(model).movement)

    def rounded(how: str) -> int:
        if how == "exact" or movement.times.denominator == 1:
            return floor(whole)
        return PER_UNIT * (ceil(whole / PER_UNIT) if how == "up" else floor(whole / PER_UNIT))

    distance = settled(table, rounded, ("half-movement", ("exact", "up", "down")))
    text, cites = "{movement} of {name}: {times} x B = {range:g}", ("move/ranges", f"move/{movement.id}")
    values = {"movement": movement.name, "name": field.name(model), "times": movement.b, "range": distance / PER_UNIT}
    table.find(text, cites=cites, **values)
    return distance


@rule("ranges.determined", cites="move/ranges", neutral=None)
def determined(table: Table, field: Battlefield, action: Action) -> int | None:
    """Decide the range of a movement, its dice rolled; None for what has none."""
    movement = field.book.movements[action.movement] if action.action == "move" and action.movement else None
    if movement is None or not (movement.times or movement.dice):
        return None
    far, name = fixed(table, field, action.model, movement), field.name(action.model)
    text, roll = "{movement} of {name}: range {range:g}", 0
    if movement.dice:
        text = "{movement} of {name}: {roll} + {fixed:g} = {range:g}"
        roll = dice.added(table, action.model, name, movement.id, movement.dice)
    total, cites = far + PER_UNIT * roll, ("move/ranges", f"move/{movement.id}")
    values = {"roll": roll, "fixed": far / PER_UNIT, "range": total / PER_UNIT}
    table.find(text, cites=cites, movement=movement.name, name=name, **values)
    return total


def rolled(table: Table, movement: Movement) -> tuple[int, int]:
    """Return the least and the most that the dice of a movement can add to its range."""
    with table.without_findings():
        least = 0 if movement.dice and table.read("ones-in-sums") == "nothing" else 1
        most = dice.EXPLODES * (2 if movement.dice and table.read("exploding-rolls") == "all" else 1)
    return PER_UNIT * movement.dice * least, PER_UNIT * movement.dice * most
