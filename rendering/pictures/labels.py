"""Names next to units, each at a free position: below its unit, above it, or at its side; otherwise left out."""

from collections.abc import Iterable, Iterator
from itertools import product
from math import hypot
from typing import NamedTuple

from arbiter.drawing import Point
from rendering.pictures.pen import Pen, cut, visible, width

SIZE = 10.0

CELL = 20.0
"""The side of the cells of the index for nearby boxes."""

SPACING, THICK = 8.0, 2.0
"""The distance of the points on a line that names avoid, and the radius around them."""


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
        """Decide whether two boxes overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def around(at: Point, r: float) -> Box:
    """Give the box around a disc."""
    return Box(at[0] - r, at[1] - r, at[0] + r, at[1] + r)


def _cells(box: Box) -> Iterator[tuple[int, int]]:
    """Give the cells that a box covers: boxes that overlap share one."""
    across = range(int(box.left // CELL), int(box.right // CELL) + 1)
    return product(across, range(int(box.top // CELL), int(box.bottom // CELL) + 1))


class _Trail(NamedTuple):
    """Small boxes along a line, from its start in this many steps, and their bounding box with a margin."""

    start: Point
    way: Point
    steps: int
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, box: Box) -> bool:
        """Decide whether a box overlaps one of the small boxes."""
        (x, y), (dx, dy), steps = self.start, self.way, self.steps
        # Only steps near the box, along the main axis of the line, can overlap it.
        at, run, low, high = (x, dx, box.left, box.right) if abs(dx) > abs(dy) else (y, dy, box.top, box.bottom)
        if run:
            ends = (low - 2 * THICK - at) * steps / run, (high + 2 * THICK - at) * steps / run
            near = range(max(0, int(min(ends))), min(steps, int(max(ends)) + 1) + 1)
        else:
            near = range(steps + 1)
        return any(
            box.left < x + dx * k / steps + THICK
            and x + dx * k / steps - THICK < box.right
            and box.top < y + dy * k / steps + THICK
            and y + dy * k / steps - THICK < box.bottom
            for k in near
        )


def _trail(start: Point, end: Point) -> _Trail:
    (x, y), (to_x, to_y) = start, end
    way, spare = (to_x - x, to_y - y), 2 * THICK
    steps = max(1, int(hypot(*way) / SPACING))
    low, high = (min(x, to_x) - spare, min(y, to_y) - spare), (max(x, to_x) + spare, max(y, to_y) + spare)
    return _Trail(start, way, steps, *low, *high)


class Labels:
    """Places names so that none covers another name, a unit, or a line."""

    def __init__(self, frame: Box, taken: Iterable[Box], lines: Iterable[tuple[Point, Point]]) -> None:
        self.frame = frame
        self._taken: dict[tuple[int, int], list[Box]] = {}
        for box in taken:
            self._take(box)
        self._trails = [_trail(start, end) for start, end in lines]

    def draw(self, pen: Pen, name: str, at: Point, gap: float, classes: str = "name f-ink s-floor") -> bool:
        """Draw a name next to a point, at least `gap` from it, if there is space; return whether there is."""
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
            if inside and self._is_free(box):
                self._take(box)
                pen.text((x, y), text, classes)
                return True
        return False

    def _take(self, box: Box) -> None:
        for cell in _cells(box):
            self._taken.setdefault(cell, []).append(box)

    def _is_free(self, box: Box) -> bool:
        if any(box.meets(other) for cell in _cells(box) for other in self._taken.get(cell, ())):
            return False
        left, top, right, bottom = box
        for trail in self._trails:
            apart = trail.left > right or trail.right < left or trail.top > bottom or trail.bottom < top
            if not apart and trail.meets(box):
                return False
        return True

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
