"""The shortest path of a round base to an edge of the table, past polygons and round obstacles.

A taut path ends square to the edge, or where an impassable obstacle reaches the edge. So the search covers the paths to
finitely many points of the edge: next to the start, next to every corner and every round obstacle, and where the free
room along the edge begins and ends. Lengths are thousandths of the table's unit.
"""

from collections.abc import Iterator
from math import hypot, inf, sqrt
from typing import Literal

from arbiter.geometry.plane.paths.shortest import Obstacles, Path, Point

Edge = Literal["north", "east", "south", "west"]

# What lies so near to a place of the edge has been tried with it.
SAME = 1e-6


def edge_distance(obstacles: Obstacles, at: Point, edge: Edge) -> float:
    """Give how far a base is from touching an edge of the table, as nothing were in the way; y runs to the north."""
    across, line = _line(obstacles, edge)
    return abs(line - at[across])


def square_to_edge(obstacles: Obstacles, at: Point, edge: Edge) -> Point:
    """Give the place straight ahead of another where a base touches an edge of the table."""
    across, line = _line(obstacles, edge)
    return (line, at[1]) if across == 0 else (at[0], line)


def path_to_edge(obstacles: Obstacles, start: Point, edge: Edge, at_most: float = inf) -> Path | None:
    """Find the shortest path to where a base touches an edge of the table; the first of equals along the edge.

    None if the start is not free, or every path is longer than `at_most`.
    """
    ahead = square_to_edge(obstacles, start, edge)
    if obstacles.clear(start, ahead) and obstacles.standing(ahead):
        return obstacles.path(start, ahead, at_most)
    across, line = _line(obstacles, edge)
    goals = [(line, place) if across == 0 else (place, line) for place in _places(obstacles, edge)]
    best: Path | None = None
    for away, goal in sorted((hypot(goal[0] - start[0], goal[1] - start[1]), goal) for goal in goals):
        most = at_most if best is None else best.length
        if away >= most:
            break
        found = obstacles.path(start, goal, most)
        if found is not None and (best is None or found.length < best.length - SAME):
            best = found
    return best


def _line(obstacles: Obstacles, edge: Edge) -> tuple[int, float]:
    """Give the coordinate that an edge bounds, and its value where a base touches the edge."""
    room = obstacles.room
    across = 0 if edge in ("east", "west") else 1
    return across, (room.low if edge in ("west", "south") else room.high)[across]


def _places(obstacles: Obstacles, edge: Edge) -> list[float]:
    """Give the places along an edge at which a shortest path may end, in order."""
    room = obstacles.room
    across, line = _line(obstacles, edge)
    low, high = room.low[1 - across], room.high[1 - across]
    found = [low, high]
    for corner in room.corners:
        beyond, along = (corner.at.real, corner.at.imag) if across == 0 else (corner.at.imag, corner.at.real)
        found += [along - corner.reach, along + corner.reach]
        rest = corner.reach**2 - (line - beyond) ** 2
        if rest > 0:
            found += [along - sqrt(rest), along + sqrt(rest)]
    for polygon in room.polygons:
        for a, b in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
            found += _beside(a, b, across, line, room.radius)
    ordered = sorted(place for place in found if low <= place <= high)
    return [place for number, place in enumerate(ordered) if not number or place - ordered[number - 1] > SAME]


def _beside(a: tuple[int, int], b: tuple[int, int], across: int, line: float, radius: int) -> Iterator[float]:
    """Give where the lines beside a side of a polygon, a radius away, meet the line of the edge."""
    ahead, aside = b[across] - a[across], b[1 - across] - a[1 - across]
    if not ahead:
        return
    length = hypot(ahead, aside)
    for hand in (radius, -radius):
        begins = a[across] - hand * aside / length, a[1 - across] + hand * ahead / length
        share = (line - begins[0]) / ahead
        if 0 <= share <= 1:
            yield begins[1] + share * aside
