"""Fronts: which movements keep to the front area, and how much of a way lies in it.

Follows the third column of the table of movements. Lengths are thousandths of the scene's unit.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from arbiter.geometry.plane.paths.shortest import Path
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.size_skirmish.actions import Action
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import courses
from services.size_skirmish.rules import turns

FRONT: Final = {"march": "move/march-front", "run": "move/run-front", "attack": "move/attack-like-march-and-strike"}
FREE: Final = {"walk": "move/walk-free", "climb": "move/climb-free"}
"""The units of the table for movements in the front area, and for free ones."""


def in_front(table: Table, field: Battlefield, action: Action) -> bool:
    """Return whether a movement has to stay in the front area."""
    entry = turns.row(field, action)
    if entry.id == "attack":
        return like_march(table, field, action)
    return entry.path == "front" or (entry.id in FREE and not unrestricted(table, field, action))


@rule("fronts.unrestricted", cites=tuple(FREE.values()), neutral=False)
def unrestricted(table: Table, field: Battlefield, action: Action) -> bool:
    """Decide whether a movement may lead anywhere: walking and climbing may."""
    entry = turns.row(field, action)
    table.find("{movement} is not limited to the front area", cites=FREE[entry.id], movement=entry.name)
    return True


@rule("fronts.like_march", cites="move/attack-like-march-and-strike", neutral=False)
def like_march(table: Table, field: Battlefield, action: Action) -> bool:
    """Decide whether an attack keeps to the front area: it does, for it is like a march."""
    table.find("{name} attacks within its front area, as in a march", name=field.name(action.model))
    return True


@rule("fronts.front", cites=tuple(FRONT.values()), neutral=lambda field, action, path: path.length)
def front(table: Table, field: Battlefield, action: Action, path: Path) -> float:
    """Decide how much of a way lies in the front area, if it has to: all of it, or the part before it leaves.

    The readings are `front-area`, and `front-border` for straight aside.
    """
    if not path.length or not in_front(table, field, action):
        return path.length
    entry, facing = turns.row(field, action), turns.begins(table, field, action)
    ahead = partial(courses.before, path, facing)
    length = settled(table, ahead, ("front-area", ("area", "heading")), ("front-border", ("included", "excluded")))
    does, cites = "stays in" if length >= path.length else "leaves", FRONT.get(entry.id, "move/march-front")
    table.find(f"The way of {{name}} {does} its front area", cites=cites, name=field.name(action.model))
    return length


@violations_rule("fronts.astray", cites=tuple(FRONT.values()))
def astray(table: Table, field: Battlefield, action: Action, path: Path) -> Iterator[Reason]:
    """Decide whether a way leaves the front area against the rules."""
    if front(table, field, action, path) < path.length:
        entry, name = turns.row(field, action), field.name(action.model)
        cites, text = FRONT.get(entry.id, "move/march-front"), "{movement} of {name} leaves the front area"
        yield table.reason(text, cites=cites, movement=entry.name, name=name)
