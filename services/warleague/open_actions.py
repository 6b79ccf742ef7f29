"""What a unit may do next in a battle: every deed that is open to it, in words by which its player chooses."""

from collections.abc import Mapping
from dataclasses import dataclass

from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.rules import actions
from services.warleague.rules.actions import Action, Turn

MOST_ACTIONS = 60
"""More than action points pay for; a bound, so that every turn ends where deeds cost nothing."""


@dataclass(frozen=True, eq=False, slots=True)
class OpenActions:
    """What a policy sees of a unit that is to do something: the battlefield, the unit, and its deeds by their words."""

    field: Battlefield
    unit: str
    actions: Mapping[str, Action]


def open_actions(table: Table, field: Battlefield, unit: str, before: Action | None) -> OpenActions:
    """Give the deeds that are open to a unit which has its turn, in the book's order; the last of them ends it.

    Who has just turned does not turn again: it might have turned so at once.
    """
    kinds = (kind for kind in actions.ACTION_KINDS if not (kind == "turn" and isinstance(before, Turn)))
    options = {
        _phrase(field, kind, action): action for kind in kinds for action in actions.available(table, field, unit, kind)
    }  # fmt: skip
    return OpenActions(field, unit, options)


def _phrase(field: Battlefield, kind: str, action: Action) -> str:
    words = actions.describe(field, action)
    return kind if words == kind else f"{kind} {words}"
