"""The actions that are open to a unit in a battle, in the words by which its player chooses."""

from collections.abc import Iterator

from arbiter.option import Option
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.rules import actions
from services.warleague.rules.actions import Action, ActionKind, Turn

MOST_ACTIONS = 60
"""More than action points pay for; a bound, so that a turn ends even where actions cost nothing."""


class OpenActions:
    """What a policy sees when a unit acts: the battlefield, the unit, and its open actions by their words.

    Actions are listed one by one as somebody looks at them: those of all kinds only where a player is asked.
    """

    def __init__(self, table: Table, field: Battlefield, unit: str, kinds: tuple[ActionKind, ...]) -> None:
        self.field, self.unit = field, unit
        begun = actions.at_hand(table, field, unit)
        self._unlisted = {kind: actions.each(table, begun, unit, kind) for kind in kinds}
        self._words: dict[ActionKind, list[str]] = {kind: [] for kind in kinds}
        self._actions: dict[str, Action] = {}

    def __iter__(self) -> Iterator[str]:
        """Go through the words of all open actions, in the book's order."""
        for kind in self._words:
            yield from self._each(kind)

    def of(self, *kinds: ActionKind) -> dict[str, Action]:
        """Give the open actions of some kinds by their words, in the book's order."""
        return {words: self._actions[words] for kind in self._words if kind in kinds for words in self._each(kind)}

    @property
    def actions(self) -> dict[str, Action]:
        """All open actions by their words."""
        return self.of(*self._words)

    def action(self, words: str) -> Action:
        """Give an open action that is listed, by its words."""
        return self._actions[words]

    def option(self, words: str) -> Option:
        """Give what the words mean to players."""
        return actions.option(self.field, self.action(words), words)

    def _each(self, kind: ActionKind) -> Iterator[str]:
        place, listed = 0, self._words[kind]
        while place < len(listed) or self._list_next(kind):
            yield listed[place]
            place += 1

    def _list_next(self, kind: ActionKind) -> bool:
        for action in self._unlisted[kind]:
            words = _phrase(self.field, kind, action)
            self._actions[words] = action
            self._words[kind].append(words)
            return True
        return False


def open_actions(table: Table, field: Battlefield, unit: str, before: Action | None) -> OpenActions:
    """Give the actions that are open to the active unit, in the book's order; the last of them ends its turn.

    A unit that has just turned does not turn again: one turn is enough.
    """
    kinds = tuple(kind for kind in actions.ACTION_KINDS if not (kind == "turn" and isinstance(before, Turn)))
    return OpenActions(table, field, unit, kinds)


def _phrase(field: Battlefield, kind: str, action: Action) -> str:
    words = actions.describe(field, action)
    return kind if words == kind else f"{kind} {words}"
