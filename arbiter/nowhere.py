"""The place of a unit whose place is not in the scene: it is in play, but nothing can be measured from it."""

from collections.abc import Iterator
from typing import Any


class PlaceNeeded(Exception):
    """Something has to be measured from a unit whose place is not in the scene, and no fact stands for it."""


class Nowhere:
    """The place of a unit that is in play, but whose place is not in the scene: nothing can be measured from it.

    In JSON it is null.
    """

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        raise PlaceNeeded

    def __getitem__(self, index: int) -> Any:
        raise PlaceNeeded

    def __repr__(self) -> str:
        return "NOWHERE"

    def __reduce__(self) -> str:
        return "NOWHERE"


NOWHERE: Any = Nowhere()
