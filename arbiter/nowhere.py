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


class Somewhere(Nowhere):
    """The place of one unit that has none in the scene: it is not that of any other, and nothing can be measured.

    Who else is there has the same place. `title` is the name of the unit beside its id, `moved` how often it has gone
    elsewhere.
    """

    __slots__ = ("moved", "of", "title")

    def __init__(self, of: str, title: str = "", moved: int = 0) -> None:
        self.of, self.title, self.moved = of, title, moved

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Somewhere) and (self.of, self.moved) == (other.of, other.moved)

    def __hash__(self) -> int:
        return hash((self.of, self.moved))

    @property
    def elsewhere(self) -> "Somewhere":
        """The place of the unit after it has left this one."""
        return Somewhere(self.of, self.title, self.moved + 1)

    def __repr__(self) -> str:
        return f"Somewhere({self.of!r})"

    def __reduce__(self) -> Any:
        return Somewhere, (self.of, self.title, self.moved)
