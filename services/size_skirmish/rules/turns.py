"""Turns: how a model faces before and after a movement, which costs nothing.

Follows the sentence above the table of movements, and its first row. Fleeing is without turns; see `flight`.
"""

from typing import Final

from arbiter.rule import rule
from arbiter.table import Table
from services.size_skirmish.actions import Deed
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import Movement
from services.size_skirmish.geometry import ways
from services.size_skirmish.ground import point
from services.size_skirmish.scene import Direction

AIMED: Final = ("towards", "pursuit")
"""Movements that lead to a target, by their `path`."""


def row(field: Battlefield, deed: Deed) -> Movement:
    """Give the row of the table of movements that a deed goes by."""
    return field.book.movements[deed.movement or "walk"]


@rule("turns.turned", cites="move/free-rotation", neutral=None)
def turned(table: Table, field: Battlefield, deed: Deed, turn: Direction | None) -> Direction | None:
    """Decide whether a model turns at the beginning or at the end of a movement: it may, at no cost."""
    if turn is not None:
        table.find("{name} turns, which costs nothing", name=field.name(deed.model), facing=turn)
    return turn


@rule("turns.aligned", cites="move/align-free", neutral=None)
def aligned(table: Table, field: Battlefield, deed: Deed) -> Direction | None:
    """Decide how a model faces that is aligned: as its player likes."""
    if deed.facing is not None:
        table.find("{name} is aligned", name=field.name(deed.model), facing=deed.facing)
    return deed.facing


def begins(table: Table, field: Battlefield, deed: Deed) -> Direction:
    """Give how a model faces when it begins to move; who goes for a target without a way turns to it."""
    turn = deed.turned
    if turn is None and aimed(field, deed) and (to := _to_target(field, deed)) != (0, 0):
        turn = to
    return turned(table, field, deed, turn) or field.model(deed.model).facing


def ends(table: Table, field: Battlefield, deed: Deed) -> Direction | None:
    """Give how a model turns at the end of a movement, standing there already; None where it does not."""
    if row(field, deed).path == "none":
        return aligned(table, field, deed)
    turn = deed.facing
    if turn is None and aimed(field, deed) and (to := _to_target(field, deed)) != (0, 0):
        turn = to
    return turned(table, field, deed, turn)


def _to_target(field: Battlefield, deed: Deed) -> Direction:
    model, target = field.model(deed.model), field.model(deed.target or deed.model)
    if model.at is None or target.at is None:
        return 0, 0
    return ways.towards(point(model.at), point(target.at))


def aimed(field: Battlefield, deed: Deed) -> bool:
    """Say whether a deed leads to a target, and no way is said."""
    return row(field, deed).path in AIMED and not deed.way and deed.goal is None
