"""Names beside units, each at a free place: below its unit, above it, or beside; one that has none is left out."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from arbiter.drawing import Point
from rendering.pictures.pen import Pen, cut, visible, width

SIZE = 10.0

ROW = 16.0
"""The height of the rows by which it is remembered what is taken: a name is compared with what is in its rows alone."""


class Box(NamedTuple):
    """A rectangle in a picture."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, at: Point) -> bool:
        """Decide whether a point lies inside."""
        return self.left <= at[0] <= self.right and self.top <= at[1] <= self.bottom

    def meets(self, other: "Box") -> bool:
        """Decide whether two boxes have something in common."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def around(at: Point, r: float) -> Box:
    """Give the box around a disc."""
    return Box(at[0] - r, at[1] - r, at[0] + r, at[1] + r)


class Labels:
    """Places names, of which none covers another one, or a unit."""

    def __init__(self, frame: Box, taken: Iterable[Box]) -> None:
        self.frame = frame
        self._rows: dict[int, list[Box]] = defaultdict(list)
        for box in taken:
            self._take(box)

    def _take(self, box: Box) -> None:
        for row in _rows(box):
            self._rows[row].append(box)

    def draw(self, pen: Pen, name: str, at: Point, gap: float, classes: str = "name f-ink s-floor") -> bool:
        """Draw a name beside a place, at least `gap` from it, if there is room; return whether there is."""
        text = cut(visible(name))
        half = width(text, SIZE) / 2
        for x, y in self._places(at, gap, half):
            box = Box(x - half, y - SIZE + 1, x + half, y + 2)
            inside = (
                self.frame.left <= box.left
                and box.right <= self.frame.right
                and self.frame.top <= box.top
                and box.bottom <= self.frame.bottom
            )
            if inside and not any(box.meets(other) for row in _rows(box) for other in self._rows[row]):
                self._take(box)
                pen.text((x, y), text, classes)
                return True
        return False

    def _places(self, at: Point, gap: float, half: float) -> tuple[Point, ...]:
        x, y = at
        below, above = y + gap + SIZE, y - gap - 2
        return (
            (x, below),
            (x, above),
            (x + gap + half + 2, y + 3),
            (x - gap - half - 2, y + 3),
            (x + half * 0.8, below),
            (x - half * 0.8, below),
            (x + half * 0.8, above),
            (x - half * 0.8, above),
        )


def _rows(box: Box) -> range:
    return range(int(box.top // ROW), int(box.bottom // ROW) + 1)
