from itertools import combinations
from math import dist, inf, sqrt
from random import Random

import mpmath
import numpy as np
import pytest
import shapely
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from arbiter.geometry.plane.paths.room import Polygon
from arbiter.geometry.plane.paths.rough import cheapest
from arbiter.geometry.plane.paths.shortest import Obstacles, Path

TABLE = (12_000, 12_000)


def box(left: int, low: int, right: int, high: int) -> Polygon:
    return (left, low), (right, low), (right, high), (left, high)


def price(path: Path, rough: list[Polygon], factor: float) -> float:
    """What a path costs, by short pieces of it; a path along the border is not inside, whatever rounding says."""
    ground = shapely.union_all([shapely.Polygon(piece) for piece in rough]).buffer(-0.001)
    shapely.prepare(ground)
    ends = np.linspace(0, path.length, 20_001)
    middles = [path.at(along) for along in (ends[1:] + ends[:-1]) / 2]
    return path.length * (1 + (factor - 1) * float(shapely.contains(ground, shapely.points(middles)).mean()))


@pytest.mark.parametrize("wanted", [10.0, 0.1, 0.001])
def test_a_strip_is_crossed_by_the_law_of_refraction(wanted: float) -> None:
    # A strip from edge to edge of the table, 2000 wide: 5000 of even ground, 2000 of rough, and 6000 to go aside.
    path = cheapest(
        Obstacles([], 500, TABLE), [box(4000, 0, 6000, 12_000)], 2, (1000, 1000), (8000, 7000), wanted=wanted
    )
    assert path is not None
    with mpmath.workdps(30):
        # The sine of the angle inside is half of that outside.
        outside = mpmath.findroot(
            lambda s: 5000 * s / mpmath.sqrt(1 - s**2) + 2000 * (s / 2) / mpmath.sqrt(1 - s**2 / 4) - 6000,
            (0.01, 0.99),
            solver="bisect",
        )
        true = float(5000 / mpmath.sqrt(1 - outside**2) + 2 * 2000 / mpmath.sqrt(1 - outside**2 / 4))
    assert path.error <= wanted * 1.01
    assert path.cost - path.error <= true <= path.cost + 1e-6


def test_straight_through_is_priced_by_what_lies_on_the_way() -> None:
    path = cheapest(Obstacles([], 500, TABLE), [box(4000, 0, 6000, 12_000)], 2, (1000, 5000), (9000, 5000))
    assert path is not None
    assert (path.length, path.cost) == (8000, 10_000)
    assert path.error <= 1.01


def test_a_detour_that_costs_less_is_taken() -> None:
    # Through is 2000 + 2 * 4000; the corners of the upper side lie 1000 before start and goal and 500 above them.
    path = cheapest(Obstacles([], 500, TABLE), [box(3000, 2000, 7000, 6500)], 2, (2000, 6000), (8000, 6000), wanted=150)
    assert path is not None
    true = 2 * sqrt(1000**2 + 500**2) + 4000
    assert path.cost - path.error <= true <= path.cost + 1e-6
    assert path.error <= 150.01
    # The error is what the lower bound falls short: the path itself bends at the corners.
    assert path.cost <= true + 1e-6


def test_running_along_the_border_is_even_ground() -> None:
    path = cheapest(Obstacles([], 500, TABLE), [box(2000, 2000, 8000, 5000)], 2, (1000, 5000), (9000, 5000))
    assert path is not None
    assert (path.cost, path.error) == (8000, 0)


def test_rough_pieces_that_overlap_count_once() -> None:
    once = [box(4000, 0, 6000, 12_000)]
    twice = [box(4000, 0, 5500, 12_000), box(5000, 0, 6000, 12_000)]
    obstacles = Obstacles([], 500, TABLE)
    one, other = (cheapest(obstacles, rough, 2, (1000, 1000), (8000, 7000), wanted=0.01) for rough in (once, twice))
    assert one is not None
    assert other is not None
    assert abs(one.cost - other.cost) <= one.error + other.error


def test_even_ground_is_the_shortest_path() -> None:
    obstacles = Obstacles([box(4000, 0, 5000, 8000)], 500, TABLE)
    shortest = obstacles.path((1000, 1000), (9000, 1000))
    assert cheapest(obstacles, [], 2, (1000, 1000), (9000, 1000)) == shortest
    same = cheapest(obstacles, [box(4000, 7000, 9000, 11_000)], 1, (1000, 1000), (9000, 1000))
    assert same is not None
    assert (same.cost, same.error) == (shortest and shortest.length, 0)


def test_no_way_is_none_and_nonsense_an_error() -> None:
    walled = Obstacles([box(4000, 0, 5000, 12_000)], 500, TABLE)
    assert cheapest(walled, [box(0, 0, 3000, 3000)], 2, (1000, 1000), (9000, 1000)) is None
    with pytest.raises(ValueError, match="costs no less"):
        cheapest(walled, [], 0.5, (1000, 1000), (2000, 1000))
    with pytest.raises(ValueError, match="above zero"):
        cheapest(walled, [], 2, (1000, 1000), (2000, 1000), wanted=0)


def over_many_points(
    polygons: list[Polygon],
    rough: list[Polygon],
    factor: float,
    radius: int,
    start: tuple[int, int],
    goal: tuple[int, int],
) -> float:
    """A real path from above, its own way: over many points on the borders and just beside the obstacles."""
    ground = shapely.union_all([shapely.Polygon(piece) for piece in rough])
    walls = shapely.union_all([shapely.Polygon(piece) for piece in polygons])
    border = shapely.boundary(ground)
    spots = [shapely.line_interpolate_point(border, along) for along in np.arange(0, border.length, 230)]
    if polygons:
        spots += [
            shapely.Point(at) for at in shapely.get_coordinates(shapely.buffer(walls, radius * 1.01, quad_segs=6))
        ]
    spots = [spot for spot in spots if walls.is_empty or walls.distance(spot) >= radius]
    points = np.array([shapely.Point(start), shapely.Point(goal), *spots])
    pairs = np.array(list(combinations(range(len(points)), 2)))
    at = shapely.get_coordinates(points)
    lines = shapely.linestrings(at[pairs])
    if polygons:
        kept = shapely.distance(lines, walls) >= radius
        pairs, lines = pairs[kept], lines[kept]
    cost = shapely.length(lines) + (factor - 1) * shapely.length(shapely.intersection(lines, ground))
    used = cost > 0
    graph = csr_array((cost[used], (pairs[used, 0], pairs[used, 1])), shape=(len(points), len(points)))
    return float(dijkstra(graph, directed=False, indices=0)[1])


def test_the_bound_holds_against_ways_over_many_points() -> None:
    random = Random(5)
    compared = tight = 0
    while compared < 8:
        corners = [(random.randrange(2500, 9500), random.randrange(1000, 11_000)) for _ in range(random.choice([3, 4]))]
        left, low = random.randrange(2500, 7000), random.randrange(500, 8000)
        rough = [tuple(corners), box(left, low, left + random.randrange(500, 3000), low + random.randrange(500, 4000))]
        wall = box(*(at := (random.randrange(2000, 8000), random.randrange(1000, 9000))), at[0] + 700, at[1] + 1500)
        polygons = random.choice([[], [wall]])
        start, goal = (1000, random.randrange(1000, 11_000)), (11_000, random.randrange(1000, 11_000))
        if not shapely.Polygon(corners).is_valid or shapely.Polygon(corners).area < 1e6:
            continue
        obstacles, factor = Obstacles(polygons, 400, TABLE), random.choice([1.5, 2.0, 3.0])
        path = cheapest(obstacles, rough, factor, start, goal, wanted=20, budget=70)
        if path is None:
            continue
        compared += 1
        other = over_many_points(polygons, rough, factor, 400, start, goal)
        assert path.cost - path.error <= other + 1e-6
        tight += path.error <= 20.01
        assert abs(price(path, rough, factor) - path.cost) <= path.length / 2000
        assert all(obstacles.free(path.at(path.length * part / 200)) for part in range(201))
        assert path.cost >= dist(start, goal)
        assert other < inf
    assert tight >= 3
