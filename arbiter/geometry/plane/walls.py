"""Walls on the plane: lines without any become thin polygons, each simple and within the corners of a piece.

A line becomes a ribbon, half its thickness to either side, with its corners mitred. Where a ribbon would meet itself,
turn back sharply or have too many corners, it is cut in two. Consecutive ribbons extend past the point where they meet
by half the thickness, so that they overlap and no line of sight passes between them. A free end is not extended, so
that an opening next to it is not narrowed. All coordinates are whole thousandths; corners are rounded to the nearest.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import hypot

import shapely

from arbiter.geometry.plane.shapes import MOST_CORNERS, Point, cross, twice_area

Outline = tuple[Point, ...]
Size = tuple[int, int]


def ribbons(
    points: Sequence[Point], thickness: int, size: Size, joined: tuple[bool, bool] = (False, False)
) -> tuple[Outline, ...]:
    """Give the pieces of a wall along a line, as far as they lie on a map of that size.

    `joined` says for each end whether other lines end there, too.
    """
    stretches = list(_stretches(points))
    last = len(stretches) - 1
    return tuple(
        outline
        for place, stretch in enumerate(stretches)
        for outline in _cut(stretch, thickness / 2, size, (joined[0] or place > 0, joined[1] or place < last))
    )


def shape(corners: Sequence[Point], size: Size) -> tuple[Outline, ...] | None:
    """Give a closed shape as far as it lies on a map of that size; None where it is not simple, or has many corners."""
    outline = _tidied(corners)
    if not _is_simple(outline):
        return None
    inside = _clipped(outline, size)
    if not inside:
        return ()
    return (inside,) if _is_simple(inside) else None


def lies(points: Sequence[Point], size: Size) -> str:
    """Tell whether a line lies `inside` a map of that size, `across` its edge, or `outside`; on the edge is inside."""
    if all(0 <= x <= size[0] and 0 <= y <= size[1] for x, y in points):
        return "inside"
    return "across" if any(_meets(a, b, size) for a, b in pairwise(points)) else "outside"


def _meets(a: Point, b: Point, size: Size) -> bool:
    if any(max(a[k], b[k]) < 0 or min(a[k], b[k]) > size[k] for k in (0, 1)):
        return False
    hands = [cross(a, b, corner) for corner in ((0, 0), (size[0], 0), (0, size[1]), size)]
    return min(hands) <= 0 <= max(hands)


def _stretches(points: Sequence[Point]) -> Iterator[list[Point]]:
    """Give the line without needless points, split wherever it turns by more than a right angle."""
    stretch: list[Point] = []
    for point in points:
        if stretch and point == stretch[-1]:
            continue
        if len(stretch) > 1:
            (ax, ay), (bx, by) = stretch[-2:]
            onward = (bx - ax) * (point[0] - bx) + (by - ay) * (point[1] - by)
            if onward < 0:
                yield stretch
                stretch = stretch[-1:]
            elif cross(stretch[-2], stretch[-1], point) == 0:
                stretch.pop()
        stretch.append(point)
    if len(stretch) > 1:
        yield stretch


def _cut(points: list[Point], half: float, size: Size, joined: tuple[bool, bool]) -> Iterator[Outline]:
    sides = _sides(points, half, joined) if 2 * len(points) <= MOST_CORNERS else None
    if sides is not None:
        left, right = sides
        whole = _clipped((*left, *reversed(right)), size)
        if not whole:
            return
        if _is_simple(whole):
            yield whole
            return
    if len(points) > 2:
        middle = len(points) // 2
        yield from _cut(points[: middle + 1], half, size, (joined[0], True))
        yield from _cut(points[middle:], half, size, (True, joined[1]))


def _sides(points: list[Point], half: float, joined: tuple[bool, bool]) -> tuple[list[Point], list[Point]] | None:
    """Give both sides of a ribbon; None where a step is too short for its turns, so that a side would run back."""
    ways = []
    for (ax, ay), (bx, by) in pairwise(points):
        length = hypot(bx - ax, by - ay)
        ways.append(((bx - ax) / length, (by - ay) / length))
    middle = [(float(x), float(y)) for x, y in points]
    # The offset from the line to its left side at each corner; its negative leads to the right side.
    aside = [(-half * ways[0][1], half * ways[0][0])]
    for (u, v), (s, t) in pairwise(ways):
        reach = half / (1 + u * s + v * t)
        aside.append((-reach * (v + t), reach * (u + s)))
    aside.append((-half * ways[-1][1], half * ways[-1][0]))
    before, after = (half * more for more in joined)
    middle[0] = (middle[0][0] - before * ways[0][0], middle[0][1] - before * ways[0][1])
    middle[-1] = (middle[-1][0] + after * ways[-1][0], middle[-1][1] + after * ways[-1][1])
    left, right = (
        [(x + hand * along, y + hand * across) for (x, y), (along, across) in zip(middle, aside, strict=True)]
        for hand in (1, -1)
    )
    for side in (left, right):
        for (here, there), (u, v) in zip(pairwise(side), ways, strict=True):
            if (there[0] - here[0]) * u + (there[1] - here[1]) * v <= 0:
                return None
    return _rounded(left), _rounded(right)


def _rounded(side: Iterable[tuple[float, float]]) -> list[Point]:
    return [(round(x), round(y)) for x, y in side]


def _clipped(corners: Sequence[Point], size: Size) -> Outline:
    """Give the part of a polygon on the map, by Sutherland and Hodgman; nothing if it has no area."""
    kept = list(corners)
    for axis in (0, 1):
        for edge, sign in ((0, 1), (size[axis], -1)):
            kept = _half(kept, axis, edge, sign)
    return _tidied(kept)


def _half(corners: list[Point], axis: int, edge: int, sign: int) -> list[Point]:
    kept = []
    for before, here in zip(corners[-1:] + corners[:-1], corners, strict=True):
        was, is_ = sign * (before[axis] - edge), sign * (here[axis] - edge)
        if (was < 0 < is_) or (is_ < 0 < was):
            other = 1 - axis
            across = before[other] + round((here[other] - before[other]) * was / (was - is_))
            kept.append((edge, across) if axis == 0 else (across, edge))
        if is_ >= 0:
            kept.append(here)
    return kept


def _tidied(corners: Sequence[Point]) -> Outline:
    """Give an outline without corners that are repeated, lie on a straight side, or end a spike; () without area."""
    kept = list(corners)
    place = 0
    while len(kept) > 2 and place < len(kept):
        before, here, after = kept[place - 1], kept[place], kept[(place + 1) % len(kept)]
        if cross(before, here, after) == 0:
            del kept[place]
            place = max(place - 2, 0)
        else:
            place += 1
    return tuple(kept) if len(kept) > 2 and twice_area(kept) else ()


def _is_simple(outline: Outline) -> bool:
    return 3 <= len(outline) <= MOST_CORNERS and bool(shapely.is_valid(shapely.Polygon(outline)))
