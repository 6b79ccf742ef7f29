"""What most questions of skirmish games work on: the case as it was posted, with the battlefield of its scene."""

from dataclasses import dataclass
from typing import Generic, TypeVar

F = TypeVar("F")
C = TypeVar("C")


@dataclass(frozen=True)
class CaseState(Generic[F, C]):
    """A battlefield, and a sound case about it."""

    field: F
    case: C
