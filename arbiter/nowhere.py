"""The position of a unit without a position in the scene: it is in play, but nothing can be measured from it."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from arbiter.fault import Fault, Faults, pointer

BOARD_MISSING = Fault(
    pointer("case", "scene", "board"),
    "board-missing",
    "this is measured on a board, and no fact stands for it",
    expected="a board, and a place for each unit on it",
    hint="`GET /v1/games/{game}` lists the questions that take `facts` instead",
)


class PlaceNeeded(Faults):
    """A measurement needs a unit without a position in the scene, and no fact replaces it."""

    def __init__(self) -> None:
        super().__init__([BOARD_MISSING])


class Nowhere:
    """The position of a unit in play without a position in the scene: nothing can be measured from it.

    In JSON it is null.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __iter__(self) -> Iterator[Any]:
        raise PlaceNeeded

    def __getitem__(self, index: int) -> Any:
        raise PlaceNeeded

    def __repr__(self) -> str:
        return self._name

    def __reduce__(self) -> str:
        return self._name


NOWHERE: Any = Nowhere("NOWHERE")
ELSEWHERE: Any = Nowhere("ELSEWHERE")
"""The position of a unit that has moved in this ruling from a position that is not in the scene."""


class Somewhere(Nowhere):
    """The position of one unit without a position in the scene: it differs from others, and cannot be measured.

    Another unit at the same position has an equal one. `title` is the name of the unit besides its id, `moved` the
    number of its moves.
    """

    __slots__ = ("moved", "of", "title")

    def __init__(self, of: str, title: str = "", moved: int = 0) -> None:
        self.of, self.title, self.moved = of, title, moved

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Somewhere) and (self.of, self.moved) == (other.of, other.moved)

    def __hash__(self) -> int:
        return hash((self.of, self.moved))

    def __repr__(self) -> str:
        return f"Somewhere({self.of!r})"

    def __reduce__(self) -> Any:
        return Somewhere, (self.of, self.title, self.moved)

    @property
    def elsewhere(self) -> "Somewhere":
        """The position of the unit after it has left this one."""
        return Somewhere(self.of, self.title, self.moved + 1)


class Unplaced:
    """The positions of several models in play without positions in the scene: only their number is known.

    `elsewhere` is true for models that have moved in this ruling. In JSON it is an empty list, as in a scene without
    positions.
    """

    __slots__ = ("elsewhere", "many")

    def __init__(self, many: int, elsewhere: bool) -> None:
        self.many, self.elsewhere = many, elsewhere

    def __len__(self) -> int:
        return self.many

    def __iter__(self) -> Iterator[Any]:
        raise PlaceNeeded

    def __getitem__(self, index: int) -> Any:
        raise PlaceNeeded

    def __repr__(self) -> str:
        return f"unplaced({self.many}, {self.elsewhere})"

    def __reduce__(self) -> Any:
        return unplaced, (self.many, self.elsewhere)


@lru_cache(maxsize=256)
def unplaced(many: int, elsewhere: bool = False) -> Any:
    """Give the positions of this many models without positions in the scene; equal numbers give equal values."""
    return Unplaced(many, elsewhere)
