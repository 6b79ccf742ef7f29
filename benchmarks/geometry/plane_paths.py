"""Shortest paths of a base of radius 0.5 inch over a table of 48 by 48 inches: ours and extremitypathfinder.

The peer moves a point among polygons, so the pieces are grown for it in advance, with arcs cut into chords; that time
is not counted. Each additional chord makes it slower and more accurate. By default it gets the minimum, one a quarter
of a circle, which makes its paths too short and some gaps too wide; a number after the name of this script sets more.
It requires a numpy before 2, so it is not among the packages of this project; it runs if it is installed. There are 40
bent queries of 3 to 12 inches.
"""

import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from math import cos, dist, hypot, pi, sin
from random import Random

import shapely

from arbiter.geometry.plane.paths.reach import Reach
from arbiter.geometry.plane.paths.room import Polygon, Whole
from arbiter.geometry.plane.paths.shortest import Obstacles
from benchmarks.measure import Row, side_by_side, table, timed

RADIUS = 500
SIZE = 48_000
QUERIES = 40
PEER = "extremitypathfinder"


def random_pieces(seed: int, count: int) -> list[Polygon]:
    """Scatter convex pieces, each of 3 to 7 corners on a circle of 0.4 to 1.4 inches, that do not overlap."""
    random = Random(seed)
    found: list[Polygon] = []
    circles: list[tuple[float, float, float]] = []
    while len(found) < count:
        size = random.uniform(400, 1400)
        x, y = (random.uniform(size + 100, SIZE - size - 100) for _ in "xy")
        if any(hypot(x - a, y - b) < size + other + 60 for a, b, other in circles):
            continue
        angles = sorted(random.uniform(0, 2 * pi) for _ in range(random.randint(3, 7)))
        piece = tuple((round(x + size * cos(angle)), round(y + size * sin(angle))) for angle in angles)
        if len(set(piece)) == len(piece) and shapely.Polygon(piece).area > 1000:
            found.append(piece)
            circles.append((x, y, size))
    return found


def bent_queries(obstacles: Obstacles, seed: int = 3) -> list[tuple[Whole, Whole]]:
    """Draw starts and goals that do not see each other."""
    random = Random(seed)
    found: list[tuple[Whole, Whole]] = []
    while len(found) < QUERIES:
        a = random.randrange(1000, SIZE - 1000), random.randrange(1000, SIZE - 1000)
        angle, far = random.uniform(0, 2 * pi), random.uniform(3000, 12_000)
        b = round(a[0] + far * cos(angle)), round(a[1] + far * sin(angle))
        if obstacles.free(a) and obstacles.free(b) and not obstacles.clear(a, b):
            found.append((a, b))
    return found


def peer_of(pieces: list[Polygon], chords: int) -> tuple[Callable[[Whole, Whole], float], float]:
    """Build the peer's environment: give its function for path lengths, and the seconds of the build."""
    from extremitypathfinder import PolygonEnvironment

    grown = shapely.union_all([shapely.Polygon(piece).buffer(RADIUS, quad_segs=chords) for piece in pieces])
    holes = [list(shapely.orient_polygons(part).exterior.coords)[:0:-1] for part in shapely.get_parts(grown)]
    # Its border must not touch the holes; no shortest path of these queries goes there.
    border = [(-3000, -3000), (SIZE + 3000, -3000), (SIZE + 3000, SIZE + 3000), (-3000, SIZE + 3000)]
    environment = PolygonEnvironment()
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        environment.store(border, holes, validate=False)
    took = time.perf_counter() - start
    return lambda a, b: environment.find_shortest_path(a, b, verify=False)[1], took


def rows(chords: int = 1) -> list[Row]:
    found = []
    for count in (40, 200):
        pieces = random_pieces(1, count)
        obstacles = Obstacles(pieces, RADIUS, (SIZE, SIZE))
        queries = bent_queries(obstacles)
        paths = [obstacles.path(a, b) for a, b in queries]
        lengths = [path.length if path else 0.0 for path in paths]
        if any(far < dist(a, b) for far, (a, b) in zip(lengths, queries, strict=True)):
            raise AssertionError("a path is missing, or shorter than the straight line")

        def build(pieces: list[Polygon] = pieces) -> Obstacles:
            return Obstacles(pieces, RADIUS, (SIZE, SIZE))

        def fresh(pieces: list[Polygon] = pieces, queries: list[tuple[Whole, Whole]] = queries) -> None:
            built = Obstacles(pieces, RADIUS, (SIZE, SIZE))
            for a, b in queries:
                built.path(a, b)

        def known(obstacles: Obstacles = obstacles, queries: list[tuple[Whole, Whole]] = queries) -> None:
            for a, b in queries:
                obstacles.path(a, b)

        took = side_by_side({"build": build, "fresh": fresh, "known": known})
        each = took["known"] / QUERIES
        first = (took["fresh"] - took["build"]) / QUERIES
        what = f"among {count} pieces"
        wanted = 200 if count == 200 else None
        if find_spec("extremitypathfinder") is None:
            found += [
                timed(f"paths {what}, built ({PEER} is not installed)", took["build"]),
                timed(f"paths {what}, a query", each),
                timed(f"paths {what}, a query at a table's first questions", first),
            ]
        else:
            theirs, built = peer_of(pieces, chords)
            start = time.perf_counter()
            found_by_peer = [theirs(a, b) for a, b in queries]
            asked = (time.perf_counter() - start) / QUERIES
            short = max((ours - its) / ours for ours, its in zip(lengths, found_by_peer, strict=True))
            found += [
                timed(f"paths {what}, built", took["build"], PEER, built, at_least=wanted),
                timed(f"paths {what}, a query", each, PEER, asked, at_least=wanted and 500),
                timed(f"paths {what}, a query at a table's first questions", first, PEER, asked),
                Row(f"paths {what}, shorter than a legal path by at most", "0", f"{100 * short:.3g} % {PEER}"),
            ]
        reaches = [Reach(obstacles, a, 6000) for a, _ in queries[:8]]
        took = side_by_side(
            {
                "reach": lambda o=obstacles, q=queries: [Reach(o, a, 6000) for a, _ in q[:8]],
                "area": lambda r=reaches: [reach.area() for reach in r],
                "samples": lambda r=reaches: [reach.samples(500) for reach in r],
            },
            rounds=3,
        )
        spots = sum(len(reach.samples(500)) for reach in reaches) / len(reaches)
        found += [
            timed(f"reach of 6 inches {what}, costs of all places", took["reach"] / 8),
            timed(f"reach of 6 inches {what}, drawn as polygons", took["area"] / 8),
            timed(f"reach of 6 inches {what}, {spots:.0f} samples half an inch apart", took["samples"] / 8),
        ]
    return found


if __name__ == "__main__":
    print(table(rows(int(sys.argv[1]) if len(sys.argv) > 1 else 1)))
