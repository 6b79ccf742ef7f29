"""The actions that are open to a unit in a battle, in the words by which its player chooses."""

from collections.abc import Mapping
from dataclasses import dataclass

from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.rules import actions
from services.warleague.rules.actions import Action, Turn

MOST_ACTIONS = 60
"""More than action points pay for; a bound, so that a turn ends even where actions cost nothing."""


@dataclass(frozen=True, eq=False, slots=True)
class OpenActions:
    """What a policy sees when a unit acts: the battlefield, the unit, and its open actions by their words."""

    field: Battlefield
    unit: str
    actions: Mapping[str, Action]


def open_actions(table: Table, field: Battlefield, unit: str, before: Action | None) -> OpenActions:
    """Give the actions that are open to the active unit, in the book's order; the last of them ends its turn.

    A unit that has just turned does not turn again: one turn is enough.
    """
    kinds = (kind for kind in actions.ACTION_KINDS if not (kind == "turn" and isinstance(before, Turn)))
    options = {
        _phrase(field, kind, action): action for kind in kinds for action in actions.available(table, field, unit, kind)
    }
    return OpenActions(field, unit, options)


def _phrase(field: Battlefield, kind: str, action: Action) -> str:
    words = actions.describe(field, action)
    return kind if words == kind else f"{kind} {words}"
