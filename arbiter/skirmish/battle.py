"""The frame of whole games: where one begins, and the transcript of how it goes."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

F = TypeVar("F")


@dataclass(frozen=True)
class BattleState(Generic[F]):
    """The battlefield on which a game begins, and how many rounds or turns are played at most."""

    field: F
    rounds: int


class Transcript(list[str]):
    """The lines of a game as they come: headings of rounds, and below them what each part of a round changes."""

    def entry(self, who: str, changes: Iterable[str], otherwise: str = "nothing changes") -> None:
        """Add what a unit or a phase changes, or the words for no change at all."""
        self.append(f"  {who}: {'; '.join(changes) or otherwise}")
