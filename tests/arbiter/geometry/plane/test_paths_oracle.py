"""A second, slow way to shortest paths of a round base, which shares no code with the library, and its own test.

Every tangent that two circles have is tried against every piece, whether a taut path could use it or not, and every
circle is walked in both directions from tangent point to tangent point. Distances are shapely's, tangents trigonometry,
shortest ways scipy's.
"""

from collections.abc import Sequence
from math import acos, atan2, cos, hypot, inf, pi, sin, sqrt, tau

import numpy as np
import shapely
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

Point = tuple[float, float]
Circle = tuple[float, float, float]
SLACK = 1e-6


class Oracle:
    def __init__(
        self,
        polygons: Sequence[Sequence[tuple[int, int]]],
        radius: int,
        table: tuple[int, int],
        rounds: Sequence[tuple[int, int, int]] = (),
    ) -> None:
        self.polygons = shapely.union_all([shapely.Polygon(p) for p in polygons])
        self.radius = radius
        self.inner = shapely.box(radius - SLACK, radius - SLACK, table[0] - radius + SLACK, table[1] - radius + SLACK)
        self.rounds = [(shapely.Point(x, y), radius + r) for x, y, r in rounds]
        self.circles: list[Circle] = [(x, y, float(radius)) for x, y in sorted({c for p in polygons for c in p})]
        self.circles += [(x, y, float(radius + r)) for x, y, r in rounds]

    def free(self, shapes: np.ndarray, slack: float = SLACK) -> np.ndarray:
        found = shapely.covers(self.inner, shapes)
        if not self.polygons.is_empty:
            found &= shapely.distance(shapes, self.polygons) >= self.radius - slack
        for centre, reach in self.rounds:
            found &= shapely.distance(shapes, centre) >= reach - slack
        return np.asarray(found)

    def length(self, start: Point, goal: Point) -> float:
        if not self.free(shapely.points([start, goal]), 0.0).all():
            return inf
        circles = [(*start, 0.0), (*goal, 0.0), *self.circles]
        pairs = [
            ((i, a), (j, b))
            for j, two in enumerate(circles)
            for i, one in enumerate(circles[:j])
            for a, b in tangents(one, two)
        ]
        lines = shapely.linestrings([[place(circles[i], a), place(circles[j], b)] for (i, a), (j, b) in pairs])
        kept = [pair for pair, free in zip(pairs, self.free(lines), strict=True) if free]
        nodes = {node: at for at, node in enumerate(sorted({node for pair in kept for node in pair}))}
        links = [
            (nodes[one], nodes[two], distance(place(circles[one[0]], one[1]), place(circles[two[0]], two[1])))
            for one, two in kept
        ]
        for number, circle in enumerate(circles):
            angles = sorted(angle for of, angle in nodes if of == number)
            if circle[2] and len(angles) > 1:
                ends = list(zip(angles, [*angles[1:], angles[0] + tau], strict=True))
                samples = np.array([np.linspace(a, b, 41) for a, b in ends])
                spots = shapely.points(circle[0] + circle[2] * np.cos(samples), circle[1] + circle[2] * np.sin(samples))
                for (a, b), free in zip(ends, self.free(spots).all(axis=1), strict=True):
                    if free:
                        to = angles[0] if b > angles[-1] else b
                        links.append((nodes[number, a], nodes[number, to], circle[2] * (b - a)))
        here, there = (0, 0.0), (1, 0.0)
        if here not in nodes or there not in nodes:
            return inf
        a, b, far = zip(*links, strict=True)
        # What is no way at all for scipy, a leg of no length, is a very short one here.
        lengths = np.maximum(np.array(far), 1e-12)
        best: dict[tuple[int, int], float] = {}
        for i, j, cost in zip(a, b, lengths.tolist(), strict=True):
            best[i, j] = min(best.get((i, j), inf), cost)
        rows, columns = np.array(list(best)).T
        graph = csr_array((np.array(list(best.values())), (rows, columns)), shape=(len(nodes), len(nodes)))
        return float(dijkstra(graph, directed=False, indices=nodes[here])[nodes[there]])


def tangents(one: Circle, two: Circle) -> list[tuple[float, float]]:
    """The angles at which lines touch both circles; a point is a circle without radius, touched at angle 0."""
    (ax, ay, ar), (bx, by, br) = one, two
    far, towards = hypot(bx - ax, by - ay), atan2(by - ay, bx - ax)
    if far == 0:
        return []
    found = set()
    for side in (1, -1):
        for inner in (False, True):
            cosine = (ar + br if inner else ar - br) / far
            if abs(cosine) <= 1 + 1e-12:
                angle = towards + side * acos(min(max(cosine, -1.0), 1.0))
                found.add((0.0 if not ar else angle % tau, 0.0 if not br else (angle + pi if inner else angle) % tau))
    return sorted(found)


def place(circle: Circle, angle: float) -> Point:
    x, y, radius = circle
    return x + radius * cos(angle), y + radius * sin(angle)


def distance(a: Point, b: Point) -> float:
    return hypot(b[0] - a[0], b[1] - a[1])


def test_the_oracle_goes_around_one_corner_as_the_formula_says() -> None:
    # A wall from the lower edge up to (5000, 4000), a thousandth thick: two legs and the angle that they leave over.
    wall = [(5000, 0), (5001, 0), (5000, 4000)]
    legs = 2 * sqrt(1000**2 + 1000**2 - 500**2)
    angle = tau - pi / 2 - 2 * acos(500 / sqrt(2_000_000))
    # The base goes over the top: from below left to below right of the corner.
    assert abs(Oracle([wall], 500, (10000, 10000)).length((4000, 3000), (6000, 3000)) - legs - 500 * angle) < 1e-6


def test_the_oracle_finds_no_way_through_a_wall() -> None:
    assert (
        Oracle([[(5000, 0), (5100, 0), (5100, 10000), (5000, 10000)]], 500, (10000, 10000)).length(
            (1000, 1000), (9000, 1000)
        )
        == inf
    )
