"""The place of a unit whose place is not in the scene: it is in play, but nothing can be measured from it."""

from collections.abc import Iterator
from functools import lru_cache
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


class Unplaced:
    """The places of several models that are in play, but whose places are not in the scene: only how many there are.

    In JSON it is an empty list, as a scene without places has it.
    """

    __slots__ = ("many",)

    def __init__(self, many: int) -> None:
        self.many = many

    def __len__(self) -> int:
        return self.many

    def __iter__(self) -> Iterator[Any]:
        raise PlaceNeeded

    def __getitem__(self, index: int) -> Any:
        raise PlaceNeeded

    def __repr__(self) -> str:
        return f"unplaced({self.many})"

    def __reduce__(self) -> Any:
        return unplaced, (self.many,)


@lru_cache(maxsize=64)
def unplaced(many: int) -> Any:
    """Give the places of so many models whose places are not in the scene; those of equally many are the same."""
    return Unplaced(many)
