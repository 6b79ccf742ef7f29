"""What a question without a state of its own prepares: its case, and the battlefield on which the case is sound."""

from typing import Generic, NamedTuple, TypeVar

F = TypeVar("F")
C = TypeVar("C")


class Prepared(NamedTuple, Generic[F, C]):
    """The battlefield of a case, and the case itself."""

    field: F
    case: C
