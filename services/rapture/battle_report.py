"""The report of a battle: what happens to each unit between two moments, in words."""

from collections.abc import Iterator

from services.rapture.battlefield import Battlefield, in_play
from services.rapture.rules import boxes
from services.rapture.scene import Unit


def changes(before: Battlefield, after: Battlefield) -> Iterator[str]:
    """Give in words what happens to each unit, and to the victory points of each side."""
    for unit in after.scene.units:
        if unit != before.unit(unit.id) and (
            text := ", ".join(_unit_changes(before, before.unit(unit.id), after, unit))
        ):
            yield f"{unit.id} {text}"
    for old, new in zip(before.scene.all_sides, after.scene.all_sides, strict=True):
        if new.victory_points != old.victory_points:
            yield f"{new.id} gains {new.victory_points - old.victory_points} victory points"


def _unit_changes(before: Battlefield, old: Unit, after: Battlefield, new: Unit) -> Iterator[str]:
    if in_play(old) and not in_play(new):
        yield "is a casualty" if new.disabled == "casualty" else "flees from the battlefield"
        return
    if old.models != new.models:
        x, y = new.models[0]
        yield f"goes to {x:g}, {y:g}"
    for bar in ("hp", "mp"):
        lost = boxes.left(before, old.id, bar) - boxes.left(after, new.id, bar)
        if lost:
            yield f"{'loses' if lost > 0 else 'regains'} {abs(lost)} {bar.upper()}"
    if new.escaping != old.escaping:
        yield "begins to escape" if new.escaping else "is rescued"
    if new.shelter_markers != old.shelter_markers:
        yield "seeks shelter" if new.shelter_markers > old.shelter_markers else "gets up"
    for status in sorted({*new.statuses} ^ {*old.statuses}):
        yield f"is {status}" if status in new.statuses else f"is no longer {status}"
    if new.ascended and not old.ascended:
        yield "ascends"
