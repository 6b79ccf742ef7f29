"""The state of a question that needs only the battlefield and its case."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from services.stargrave.battlefield import Battlefield

C = TypeVar("C")


@dataclass(frozen=True)
class State(Generic[C]):
    """The battlefield and the case; every id in the case exists."""

    field: Battlefield
    case: C
