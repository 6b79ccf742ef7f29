"""The frame of whole games: the initial state, the transcript, and the metrics for simulations."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

F = TypeVar("F")


@dataclass(frozen=True)
class BattleState(Generic[F]):
    """The battlefield on which a game begins, and the most rounds or turns that are played."""

    field: F
    rounds: int


class Transcript(list[str]):
    """The lines of a game in order: headings of rounds, and below them the changes of each part of a round.

    `starter` is the side that acts first, `idle_rounds` counts the rounds in which nothing changes.
    """

    starter: str | None = None
    idle_rounds: int = 0

    def begin(self, side: str | None) -> None:
        """Record whose turn it is; the first such side is the starter."""
        if self.starter is None:
            self.starter = side

    def end_round(self, changes: Iterable[str]) -> None:
        """Count a round without any change."""
        self.idle_rounds += not any(True for _ in changes)

    def entry(self, who: str, changes: Iterable[str], otherwise: str = "nothing changes") -> None:
        """Add the changes of a unit or a phase, or the words for no change."""
        self.append(f"  {who}: {'; '.join(changes) or otherwise}")


def margins(points: Mapping[str, int]) -> dict[str, int]:
    """Give the lead of each side over the best of the others, below zero if it is behind.

    Each is a metric of a simulation: `margin of red`. A side alone has no margin.
    """
    return {
        f"margin of {side}": own - max(other for each, other in points.items() if each != side)
        for side, own in points.items()
        if len(points) > 1
    }


def kills(killed: Iterable[str], sides: Iterable[str]) -> dict[str, int]:
    """Count, for each side, the killed units of other sides, from the sides of all killed units.

    Each is a metric of a simulation: `kills of red`. Units that fled are not counted.
    """
    of_side = list(killed)
    return {f"kills of {side}": sum(whose != side for whose in of_side) for side in sides}
