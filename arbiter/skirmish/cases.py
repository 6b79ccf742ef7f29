"""What most questions work on: the battlefield of a case, and the case; and how a case is refused."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from arbiter.fault import Fault, Faults

F = TypeVar("F")
C = TypeVar("C")


@dataclass(frozen=True)
class CaseState(Generic[F, C]):
    """The battlefield, and the case that was posted, whose ids and places are sound."""

    field: F
    case: C


def refuse(faults: Iterable[Fault]) -> None:
    """Raise `Faults` with these, if there are any."""
    if every := tuple(faults):
        raise Faults(every)
