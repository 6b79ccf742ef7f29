"""Parts of paths, and how near a path comes to a polygon: by hand, and by what is measured."""

from cmath import rect
from math import hypot, pi

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.geometry.plane.paths.moves import clipped, comes_nearer, nearest, straight
from arbiter.geometry.plane.paths.shortest import Leg, Path
from tests.effort import cases

BOX = ((10, 10), (20, 10), (20, 20), (10, 20))

# 10 to the east, then a quarter of a circle of 10 to the left around (10, 10), which ends at (20, 10).
BENT = Path(
    (0.0, 0.0),
    (20.0, 10.0),
    10 + 5 * pi,
    10 + 5 * pi,
    (Leg((0.0, 0.0), (10.0, 0.0), 10.0), Leg((10.0, 0.0), (20.0, 10.0), 5 * pi, (10.0, 10.0), 10.0, pi / 2)),
)


def test_a_part_of_a_path_keeps_its_legs_and_its_arc() -> None:
    part = clipped(BENT, 4, 10 + 2.5 * pi)
    assert part.length == pytest.approx(6 + 2.5 * pi)
    assert (part.start, part.legs[0].length) == ((4.0, 0.0), 6.0)
    assert part.legs[1].angle == pytest.approx(pi / 4)
    assert part.end == pytest.approx((10 + 10 * 0.5**0.5, 10 - 10 * 0.5**0.5))


def test_nothing_of_a_path_is_a_place_of_it() -> None:
    part = clipped(BENT, 7, 7)
    assert (part.start, part.end, part.length, part.legs) == ((7.0, 0.0), (7.0, 0.0), 0, ())


@pytest.mark.parametrize(
    ("path", "near"),
    [
        (straight((0.0, 0.0), (30.0, 0.0)), 10.0),
        (straight((0.0, 0.0), (5.0, 5.0)), hypot(5, 5)),
        (straight((0.0, 15.0), (30.0, 15.0)), 0.0),
        (straight((4.0, 15.0), (4.0, 15.0)), 6.0),
    ],
)
def test_how_near_a_straight_path_comes(path: Path, near: float) -> None:
    assert nearest(path, BOX) == pytest.approx(near)


def test_how_near_an_arc_comes() -> None:
    """The quarter of a circle around (10, 10) comes no nearer than its end, which is on the box's south side."""
    assert nearest(BENT, BOX) == pytest.approx(0.0)
    assert nearest(clipped(BENT, 0, 10 + 2.5 * pi), BOX) == pytest.approx(10 * 0.5**0.5, abs=0.01)


PLACES = st.integers(-30, 30)
# A square, a corner with a notch, and a pointed triangle, to be put anywhere and turned over.
SHAPES = st.sampled_from([((0, 0), (4, 0), (4, 4), (0, 4)), ((0, 0), (9, 0), (9, 3), (3, 3), (3, 9), (0, 9)), BOX[:3]])


@given(SHAPES, PLACES, PLACES, st.booleans(), PLACES, PLACES, st.integers(-6, 6), st.integers(5, 30), st.integers(1, 9))
@settings(max_examples=cases(1_000))
def test_what_is_not_measured_is_not_nearer(
    shape: tuple[tuple[int, int], ...],
    x: int,
    y: int,
    over: bool,
    to_x: int,
    to_y: int,
    angle: int,
    radius: int,
    least: int,
) -> None:
    corners = tuple((x + (b if over else a), y + (a if over else b)) for a, b in shape)
    bend, centre = complex(to_x, to_y), complex(to_x, to_y) + radius * 1j
    there = centre + (bend - centre) * rect(1.0, angle)
    arc = Leg((bend.real, bend.imag), (there.real, there.imag), radius * abs(angle), (centre.real, centre.imag))
    arc = replace(arc, radius=float(radius), angle=float(angle))
    for leg in (*straight((0.0, 0.0), arc.start).legs, *((arc,) if angle else ())):
        path = Path(leg.start, leg.end, leg.length, leg.length, (leg,))
        assert comes_nearer(path, corners, least) is (nearest(path, corners) < least)
