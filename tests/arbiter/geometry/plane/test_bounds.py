"""Bounds of ways: held to dense sampling, and to a search over every leg."""

from itertools import pairwise
from math import dist

from hypothesis import assume, given
from hypothesis import strategies as st

from arbiter.geometry.plane.paths.bounds import cut_off, touching
from arbiter.geometry.plane.shapes import Point

SQUARE = ((0, 0), (4_000, 0), (4_000, 4_000), (0, 4_000))

places = st.tuples(st.integers(-9_000, 9_000), st.integers(-9_000, 9_000))


def test_a_line_that_crosses_an_outline_is_no_longer_for_touching_it() -> None:
    assert touching((-1_000, 2_000), (5_000, 2_000), SQUARE) == 6_000


def test_a_line_beside_an_outline_is_reflected_at_its_side_or_led_by_its_corner() -> None:
    # 3,000 above the upper side both, 8,000 apart: by the mirror, the hypotenuse of 8,000 and 6,000.
    assert touching((-2_000, 7_000), (6_000, 7_000), SQUARE) == 10_000
    # Beyond the corner (4,000, 4,000), 3,000 and 4,000 away from it each.
    assert touching((7_000, 8_000), (8_000, 7_000), SQUARE) == 10_000


@given(places, places)
def test_no_sampled_line_by_the_outline_is_shorter(start: Point, goal: Point) -> None:
    border = [
        (a[0] + (b[0] - a[0]) * part / 200, a[1] + (b[1] - a[1]) * part / 200)
        for a, b in pairwise((*SQUARE, SQUARE[0]))
        for part in range(201)
    ]
    least = min(dist(start, at) + dist(at, goal) for at in border)
    found = touching(start, goal, SQUARE)
    # Samples lie 20 apart, so that the best of them is at most 20 longer.
    assert found - 1e-6 <= least <= found + 20


def test_a_ring_of_circles_cuts_a_place_off_and_a_gap_in_it_does_not() -> None:
    around = [(10_000, 0), (7_071, 7_071), (0, 10_000), (-7_071, 7_071)]
    around += [(-x, -y) for x, y in around]
    nodes = [(12_000, 0), (3_000, 0), (0, 12_000)]
    # Neighbours in the ring are 7,654 apart.
    assert cut_off((20_000, 500), (0, 0), nodes, [(at, 4_000.0) for at in around])
    assert not cut_off((20_000, 500), (0, 0), nodes, [(at, 4_000.0) for at in around[1:]])
    assert not cut_off((20_000, 500), (0, 0), nodes, [])


@given(places, places, st.lists(places, max_size=6), st.lists(st.tuples(places, st.integers(100, 5_000)), max_size=5))
def test_what_is_cut_off_is_reached_by_no_legs(
    start: Point, goal: Point, nodes: list[Point], circles: list[tuple[Point, int]]
) -> None:
    # No leg leads from a place to itself.
    assume(start != goal)
    rounds = [(at, float(radius)) for at, radius in circles]
    known, queue = {goal}, [goal]
    while queue:
        at = queue.pop()
        for to in {start, *nodes} - known:
            if all(_apart(at, to, centre) >= radius for centre, radius in rounds):
                known.add(to)
                queue.append(to)
    # A leg that just touches a circle is for rounding to decide.
    gaps = (_apart(a, b, centre) - radius for a in known for b in {start, *nodes} for centre, radius in rounds)
    assume(all(abs(gap) > 1e-6 for gap in gaps))
    assert cut_off(start, goal, nodes, rounds) is (start not in known)


def _apart(a: Point, b: Point, at: Point) -> float:
    """Measure from a point to a segment, by cutting the segment to where it is nearest."""
    length = dist(a, b)
    if not length:
        return dist(a, at)
    along = ((at[0] - a[0]) * (b[0] - a[0]) + (at[1] - a[1]) * (b[1] - a[1])) / length
    along = min(max(along, 0.0), length)
    return dist((a[0] + (b[0] - a[0]) * along / length, a[1] + (b[1] - a[1]) * along / length), at)
