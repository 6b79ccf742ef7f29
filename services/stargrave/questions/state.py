"""A question as it is decided where it needs no more than the table and what was asked."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from services.stargrave.battlefield import Battlefield

C = TypeVar("C")


@dataclass(frozen=True)
class State(Generic[C]):
    """The battlefield and the case, every id in it known."""

    field: Battlefield
    case: C
