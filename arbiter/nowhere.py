"""The place of a unit whose place is not in the scene: it is in play, but nothing can be measured from it."""

from collections.abc import Iterator
from typing import Any

from arbiter.fault import Fault, Faults, pointer

BOARD_MISSING = Fault(
    pointer("case", "scene", "board"),
    "board-missing",
    "this is measured on a board, and no fact stands for it",
    expected="a board, and a place for each unit on it",
)


class PlaceNeeded(Faults):
    """Something has to be measured from a unit whose place is not in the scene, and no fact stands for it."""

    def __init__(self) -> None:
        super().__init__([BOARD_MISSING])


class Nowhere:
    """The place of a unit that is in play, but whose place is not in the scene: nothing can be measured from it.

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
"""The place of a unit that has moved in this ruling from a place that is not in the scene."""
