"""The actions that are open to a unit in a battle, in the words by which its player chooses."""

from collections.abc import Iterator
from functools import partial

from arbiter.option import Option
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.rules import actions
from services.warleague.rules.actions import Action, ActionKind, Turn

MOST_ACTIONS = 60
"""More than action points pay for; a bound, so that a turn ends even where actions cost nothing."""


AFTER_TURNING = tuple(kind for kind in actions.ACTION_KINDS if kind != "turn")
"""What a unit can do that has just turned: one turn is enough."""


class OpenActions:
    """What a policy sees when a unit acts: the battlefield, the unit, and its open actions by their words.

    Actions are listed one by one as somebody looks at them: those of all kinds only where a player is asked.
    """

    def __init__(self, table: Table, field: Battlefield, unit: str, kinds: tuple[ActionKind, ...]) -> None:
        self.field, self.unit = field, unit
        begun = actions.at_hand(table, field, unit)
        self._each_of = partial(actions.each, table, begun, unit)
        self._kinds = kinds
        self._unlisted: dict[ActionKind, Iterator[Action]] = {}
        self._words: dict[ActionKind, list[str]] = {}
        self._actions: dict[str, Action] = {}

    def __iter__(self) -> Iterator[str]:
        """Go through the words of all open actions, in the book's order."""
        for kind in self._kinds:
            yield from self._each(kind)

    def of(self, *kinds: ActionKind) -> dict[str, Action]:
        """Give the open actions of some kinds by their words, in the book's order."""
        return {words: self._actions[words] for kind in self._kinds if kind in kinds for words in self._each(kind)}

    @property
    def actions(self) -> dict[str, Action]:
        """All open actions by their words."""
        return self.of(*self._kinds)

    def action(self, words: str) -> Action:
        """Give an open action that is listed, by its words."""
        return self._actions[words]

    def option(self, words: str) -> Option:
        """Give what the words mean to players."""
        return actions.option(self.field, self.action(words), words)

    def _each(self, kind: ActionKind) -> Iterator[str]:
        if kind not in self._words:
            self._unlisted[kind], self._words[kind] = self._each_of(kind), []
        place, listed = 0, self._words[kind]
        while place < len(listed) or self._list_next(kind, listed):
            yield listed[place]
            place += 1

    def _list_next(self, kind: ActionKind, listed: list[str]) -> bool:
        for action in self._unlisted[kind]:
            words = _phrase(self.field, kind, action)
            self._actions[words] = action
            listed.append(words)
            return True
        return False


def open_actions(table: Table, field: Battlefield, unit: str, before: Action | None) -> OpenActions:
    """Give the actions that are open to the active unit, in the book's order; the last of them ends its turn."""
    return OpenActions(table, field, unit, AFTER_TURNING if isinstance(before, Turn) else actions.ACTION_KINDS)


def _phrase(field: Battlefield, kind: str, action: Action) -> str:
    words = actions.describe(field, action)
    return kind if words == kind else f"{kind} {words}"
