"""The frame of whole games: where one begins, the transcript of how it goes, and what a simulation counts of all."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

F = TypeVar("F")


@dataclass(frozen=True)
class BattleState(Generic[F]):
    """The battlefield on which a game begins, and how many rounds or turns are played at most."""

    field: F
    rounds: int


class Transcript(list[str]):
    """The lines of a game as they come: headings of rounds, and below them what each part of a round changes.

    `starter` is the side that acts first, `idle_rounds` counts the rounds in which nothing changes.
    """

    starter: str | None = None
    idle_rounds: int = 0

    def begin(self, side: str | None) -> None:
        """Note whose turn it is; the first such side is the starter."""
        if self.starter is None:
            self.starter = side

    def end_round(self, changes: Iterable[str]) -> None:
        """Count a round without any change."""
        self.idle_rounds += not any(True for _ in changes)

    def entry(self, who: str, changes: Iterable[str], otherwise: str = "nothing changes") -> None:
        """Add what a unit or a phase changes, or the words for no change at all."""
        self.append(f"  {who}: {'; '.join(changes) or otherwise}")


def margins(points: Mapping[str, int]) -> dict[str, int]:
    """Give by how much each side is ahead of the best of the others, below zero where it is behind.

    Each is a metric of a simulation: `margin of red`. A side alone has no margin.
    """
    return {
        f"margin of {side}": own - max(other for each, other in points.items() if each != side)
        for side, own in points.items()
        if len(points) > 1
    }


def kills(killed: Iterable[str], sides: Iterable[str]) -> dict[str, int]:
    """Give how many units of other sides than each were killed, from the sides of all the killed.

    Each is a metric of a simulation: `kills of red`. Units that fled are none of them.
    """
    of_side = list(killed)
    return {f"kills of {side}": sum(whose != side for whose in of_side) for side in sides}
