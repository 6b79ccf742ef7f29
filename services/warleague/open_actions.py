"""The actions that are open to a unit in a battle, in the words by which its player chooses."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from arbiter.option import LazyOptions, Option
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.rules import actions
from services.warleague.rules.actions import Action, ActionKind, Turn

MOST_ACTIONS = 60
"""More than action points pay for; a bound, so that a turn ends even where actions cost nothing."""


class OpenActions(LazyOptions):
    """What a policy sees when a unit acts: the battlefield, the unit, and its open actions by their words.

    Actions of a kind are listed when somebody looks at them: those of all kinds only where a player is asked.
    """

    def __init__(self, table: Table, field: Battlefield, unit: str, kinds: tuple[ActionKind, ...]) -> None:
        self.field, self.unit = field, unit
        self._kinds = kinds
        self._listed: dict[str, dict[str, Action]] = {kind: {} for kind in kinds}
        begun = actions.at_hand(table, field, unit)
        self._unlisted = {kind: actions.each(table, begun, unit, kind) for kind in kinds}

    def of(self, *kinds: ActionKind) -> dict[str, Action]:
        """Give the open actions of some kinds by their words, in the book's order."""
        return {words: action for kind in self._kinds if kind in kinds for words, action in self._of(kind).items()}

    def _of(self, kind: ActionKind) -> dict[str, Action]:
        for _ in self._more(kind):
            pass
        return self._listed[kind]

    def _more(self, kind: ActionKind) -> Iterator[str]:
        """List the actions of a kind that nobody has looked at so far."""
        for action in self._unlisted[kind]:
            words = _phrase(self.field, kind, action)
            self._listed[kind][words] = action
            yield words

    @property
    def actions(self) -> dict[str, Action]:
        """All open actions by their words."""
        return self.of(*self._kinds)

    def action(self, words: str) -> Action:
        """Give the open action of these words; KeyError where it is none."""
        for listed in self._listed.values():
            if words in listed:
                return listed[words]
        return self.actions[words]

    def option(self, words: str) -> Option:
        """Give what the words mean to players."""
        return actions.option(self.field, self.action(words), words)

    def __iter__(self) -> Iterator[str]:
        for kind in self._kinds:
            yield from tuple(self._listed[kind])
            yield from self._more(kind)

    def __getitem__(self, index: Any) -> Any:
        return next(islice(self, index, None)) if index == 0 else tuple(self)[index]

    def __len__(self) -> int:
        return sum(len(self._of(kind)) for kind in self._kinds)

    def __contains__(self, words: object) -> bool:
        try:
            return bool(self.action(str(words)))
        except KeyError:
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
