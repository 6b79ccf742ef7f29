"""Shortest paths to an edge of the table: by hand, and never longer than to any place of the edge that is tried."""

from math import hypot, pi, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.geometry.plane.paths.edge import Edge, edge_distance, path_to_edge, square_to_edge
from arbiter.geometry.plane.paths.room import Round
from arbiter.geometry.plane.paths.shortest import Obstacles
from tests.effort import cases

TABLE = (90_000, 90_000)
HUT = ((10_000, 30_000), (37_000, 30_000), (37_000, 40_000), (10_000, 40_000))


@pytest.mark.parametrize(
    ("edge", "end", "length"),
    [
        ("west", (1_500, 20_000), 28_500),
        ("east", (88_500, 20_000), 58_500),
        ("south", (30_000, 1_500), 18_500),
        ("north", (30_000, 88_500), 68_500),
    ],
)
def test_without_obstacles_it_is_straight_ahead(edge: Edge, end: tuple[float, float], length: float) -> None:
    obstacles = Obstacles((), 1_500, TABLE)
    path = path_to_edge(obstacles, (30_000, 20_000), edge)
    assert path is not None
    assert (path.end, path.length) == (end, length)
    assert edge_distance(obstacles, (30_000, 20_000), edge) == length
    assert square_to_edge(obstacles, (30_000, 20_000), edge) == end


def test_it_bends_around_a_corner_and_runs_square_to_the_edge() -> None:
    """To the corner by the root of 9 - 2.25, around it by a twelfth of a circle, and 35.5 on: all by hand."""
    path = path_to_edge(Obstacles((HUT,), 1_500, TABLE), (40_000, 40_000), "west")
    assert path is not None
    assert path.end == pytest.approx((1_500, 41_500))
    assert path.length == pytest.approx(1000 * sqrt(6.75) + 1500 * pi / 6 + 35_500)


def test_it_bends_around_a_base() -> None:
    """Past a base in the way the path is symmetric; it ends where its last tangent is square to the edge."""
    path = path_to_edge(Obstacles((), 1_500, TABLE, (Round((30_000, 40_000), 1_500),)), (40_000, 40_000), "west")
    assert path is not None
    # From 10 cm away to a circle of 3: a tangent, then the angle between it and the west.
    assert path.length == pytest.approx(1000 * sqrt(91) + 3000 * (pi / 2 - 1.2661036727794992) + 28_500)
    assert sorted((path.end[1], 80_000 - path.end[1])) == pytest.approx([37_000, 43_000])


def test_shut_in_there_is_none() -> None:
    ring = (
        ((30_000, 30_000), (50_000, 30_000), (50_000, 31_000), (30_000, 31_000)),
        ((30_000, 49_000), (50_000, 49_000), (50_000, 50_000), (30_000, 50_000)),
        ((30_000, 31_000), (31_000, 31_000), (31_000, 49_000), (30_000, 49_000)),
        ((49_000, 31_000), (50_000, 31_000), (50_000, 49_000), (49_000, 49_000)),
    )
    assert path_to_edge(Obstacles(ring, 1_500, TABLE), (40_000, 40_000), "west") is None


def test_no_longer_than_allowed() -> None:
    obstacles = Obstacles((HUT,), 1_500, TABLE)
    assert path_to_edge(obstacles, (40_000, 40_000), "west", 38_000) is None


def test_what_reaches_the_edge_leaves_its_ends() -> None:
    """A wall along the whole edge but for its north: the path ends where the wall leaves off, touching its corner."""
    wall = ((0, 0), (10_000, 0), (10_000, 60_000), (0, 60_000))
    path = path_to_edge(Obstacles((wall,), 1_500, TABLE), (20_000, 50_000), "west")
    assert path is not None
    assert path.end == pytest.approx((1_500, 61_500))


@given(
    boxes=st.lists(
        st.tuples(st.integers(0, 70), st.integers(0, 70), st.integers(3, 20), st.integers(3, 20)),
        min_size=1,
        max_size=4,
    ),
    rounds=st.lists(st.tuples(st.integers(2, 88), st.integers(2, 88)), max_size=3),
    start=st.tuples(st.integers(2, 88), st.integers(2, 88)),
    edge=st.sampled_from(("north", "east", "south", "west")),
)
@settings(max_examples=cases(40), deadline=None)
def test_no_path_to_any_place_of_the_edge_is_shorter(
    boxes: list[tuple[int, int, int, int]], rounds: list[tuple[int, int]], start: tuple[int, int], edge: Edge
) -> None:
    outlines = tuple(
        tuple((1000 * u, 1000 * v) for u, v in ((x, y), (x + w, y), (x + w, y + d), (x, y + d))) for x, y, w, d in boxes
    )
    obstacles = Obstacles(outlines, 1_500, TABLE, tuple(Round((1000 * x, 1000 * y), 1_250) for x, y in rounds))
    here = (1000.0 * start[0], 1000.0 * start[1])
    found = path_to_edge(obstacles, here, edge)
    line = {"west": 1_500.0, "south": 1_500.0, "east": 88_500.0, "north": 88_500.0}[edge]
    for place in range(1_500, 88_501, 3_000):
        goal = (line, float(place)) if edge in ("west", "east") else (float(place), line)
        tried = obstacles.path(here, goal)
        if tried is not None:
            assert found is not None
            assert found.length <= tried.length + 1e-3
    if found is not None:
        assert found.length >= edge_distance(obstacles, here, edge) - 1e-6
        assert hypot(found.end[0] - here[0], found.end[1] - here[1]) <= found.length + 1e-6
