"""Turns: how a model faces before and after a movement, which costs nothing.

Follows the sentence above the table of movements, and its first row. Fleeing is without turns; see `flight`.
"""

from typing import Final

from arbiter.rule import rule
from arbiter.table import Table
from services.size_skirmish.actions import Action
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import Movement
from services.size_skirmish.geometry import ways
from services.size_skirmish.scene import Direction

AIMED: Final = ("towards", "pursuit")
"""Movements that lead to a target, by their `path`."""


def row(field: Battlefield, action: Action) -> Movement:
    """Return the row of the table of movements for an action."""
    return field.book.movements[action.movement or "walk"]


@rule("turns.turned", cites="move/free-rotation", neutral=None)
def turned(
    table: Table, field: Battlefield, action: Action, turn: Direction | None, facing: Direction
) -> Direction | None:
    """Decide whether a model turns at the beginning or at the end of a movement, `facing` so: it may, at no cost."""
    if turn is not None and not ways.alike(turn, facing):
        table.find("{name} turns for free", name=field.name(action.model), facing=turn)
    return turn


@rule("turns.aligned", cites="move/align-free", neutral=None)
def aligned(table: Table, field: Battlefield, action: Action) -> Direction | None:
    """Decide how a model faces after aligning: as its player likes."""
    if action.facing is not None:
        table.find("{name} turns in place", name=field.name(action.model), facing=action.facing)
    return action.facing


def begins(table: Table, field: Battlefield, action: Action) -> Direction:
    """Return how a model faces when it begins to move; one that moves to a target without a way turns to it."""
    facing = field.unit(action.model).facing
    return turned(table, field, action, _turn(field, action, action.turned), facing) or facing


def ends(table: Table, field: Battlefield, action: Action, facing: Direction) -> Direction | None:
    """Return how a model turns at the end of a movement, from how it faces then; None if it does not."""
    if row(field, action).path == "none":
        return aligned(table, field, action)
    return turned(table, field, action, _turn(field, action, action.facing), facing)


def _turn(field: Battlefield, action: Action, posted: Direction | None) -> Direction | None:
    """Return the posted turn, or else that to the target of a movement without a way; None if there is none."""
    if posted is not None or not aimed(field, action):
        return posted
    return ways.direction(field, action.model, action.target or action.model)


def aimed(field: Battlefield, action: Action) -> bool:
    """Return whether an action leads to a target without a posted way."""
    return row(field, action).path in AIMED and not action.way and action.goal is None
