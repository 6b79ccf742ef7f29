"""Names, distances, offset schemes and lattice points of hexes."""

from collections import deque
from fractions import Fraction
from math import atan2, degrees, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.hex import coordinates as hexes
from arbiter.geometry.hex.coordinates import Orientation, Scheme

SCHEMES: tuple[Scheme, ...] = ("odd-r", "even-r", "odd-q", "even-q")
AXIAL = st.tuples(st.integers(-50, 50), st.integers(-50, 50))

# The neighbours of (column, row) as Red Blob Games' guide tabulates them, for even and odd rows or columns, put in the
# order E, NE, NW, W, SW, SE (pointy) or SE, NE, N, NW, SW, S (flat).
TABULATED: dict[Scheme, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = {
    "odd-r": (
        [(1, 0), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1)],
        [(1, 0), (1, -1), (0, -1), (-1, 0), (0, 1), (1, 1)],
    ),
    "even-r": (
        [(1, 0), (1, -1), (0, -1), (-1, 0), (0, 1), (1, 1)],
        [(1, 0), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1)],
    ),
    "odd-q": (
        [(1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (0, 1)],
        [(1, 1), (1, 0), (0, -1), (-1, 0), (-1, 1), (0, 1)],
    ),
    "even-q": (
        [(1, 1), (1, 0), (0, -1), (-1, 0), (-1, 1), (0, 1)],
        [(1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (0, 1)],
    ),
}


def drawn(point: tuple[Fraction, Fraction], orientation: Orientation) -> tuple[float, float]:
    q, r = float(point[0]), float(point[1])
    if orientation == "pointy":
        return sqrt(3) * (q + r / 2), 1.5 * r
    return 1.5 * q, sqrt(3) * (r + q / 2)


def test_the_six_directions_are_those_of_the_convention() -> None:
    assert hexes.DIRECTIONS == ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
    assert [hexes.neighbour((5, 7), d) for d in range(6)] == list(hexes.neighbours((5, 7)))
    assert [hexes.direction((5, 7), b) for b in hexes.neighbours((5, 7))] == list(range(6))


@pytest.mark.parametrize(("b", "expected"), [((0, 0), 0), ((3, 0), 3), ((2, 2), 4), ((-3, 5), 5), ((4, -4), 4)])
def test_distance_of_known_pairs(b: tuple[int, int], expected: int) -> None:
    assert hexes.distance((0, 0), b) == hexes.distance(b, (0, 0)) == expected


def test_distance_and_disc_are_what_walking_finds() -> None:
    found = {(2, -1): 0}
    queue = deque(found)
    while queue:
        a = queue.popleft()
        for q, r in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)):
            b = a[0] + q, a[1] + r
            if b not in found and found[a] < 5:
                found[b] = found[a] + 1
                queue.append(b)
    assert all(hexes.distance((2, -1), b) == steps for b, steps in found.items())
    for reach in range(6):
        disc = hexes.within((2, -1), reach)
        assert set(disc) == {b for b, steps in found.items() if steps <= reach}
        assert len(disc) == len(set(disc)) == 1 + 3 * reach * (reach + 1)


@given(AXIAL, AXIAL)
def test_adjacent_means_distance_one(a: tuple[int, int], b: tuple[int, int]) -> None:
    assert hexes.adjacent(a, b) == (hexes.distance(a, b) == 1)


def test_a_side_has_one_name() -> None:
    assert hexes.side((1, 0), (0, 0)) == hexes.side((0, 0), (1, 0)) == ((0, 0), (1, 0))
    for of, b in zip(hexes.sides_of((3, 4)), hexes.neighbours((3, 4)), strict=True):
        assert of == hexes.side(b, (3, 4))


@pytest.mark.parametrize("b", [(0, 0), (2, 0), (1, 1), (-1, -1)])
def test_hexes_apart_share_no_side(b: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="not adjacent"):
        hexes.side((0, 0), b)


def test_the_rim_of_two_hexes_is_all_but_the_side_between() -> None:
    rim = hexes.rim([(0, 0), (1, 0)])
    assert rim == {*hexes.sides_of((0, 0)), *hexes.sides_of((1, 0))} - {((0, 0), (1, 0))}
    assert len(rim) == 10


@given(AXIAL, st.integers(0, 5))
def test_corners_lie_between_their_sides(a: tuple[int, int], k: int) -> None:
    x, y = hexes.corner(a, k)
    around = hexes.hexes_around((x, y))
    assert set(around) == {a, hexes.neighbour(a, k), hexes.neighbour(a, (k + 1) % 6)}
    assert (sum(q for q, _ in around), sum(r for _, r in around)) == (x, y)  # a corner is the middle of three centres
    assert (x, y) in hexes.side_ends(hexes.side(a, hexes.neighbour(a, k)))
    assert (x, y) in hexes.side_ends(hexes.side(a, hexes.neighbour(a, (k + 1) % 6)))


@pytest.mark.parametrize("point", [(0, 0), (3, -3), (1, 0), (2, 1), (4, 0)])
def test_other_lattice_points_are_no_corners(point: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="not a corner"):
        hexes.hexes_around(point)


def test_axial_units_put_a_centre_on_its_own_hex() -> None:
    assert hexes.axial(hexes.centre((4, -7))) == (Fraction(4), Fraction(-7))
    assert hexes.axial(hexes.corner((0, 0), 5)) == (Fraction(1, 3), Fraction(1, 3))


@pytest.mark.parametrize("orientation", ["pointy", "flat"])
def test_names_are_where_the_drawing_puts_them(orientation: Orientation) -> None:
    pointy = orientation == "pointy"
    bearing = {"E": 0, "NE": 60, "NW": 120, "W": 180, "SW": 240, "SE": 300}
    upright = {"NE": 30, "N": 90, "NW": 150, "SW": 210, "S": 270, "SE": 330}
    for points, names, expected in (
        (
            [hexes.axial(hexes.centre(d)) for d in hexes.DIRECTIONS],
            hexes.DIRECTION_NAMES[orientation],
            bearing if pointy else upright,
        ),
    ):
        for point, name in zip(points, names, strict=True):
            x, y = drawn(point, orientation)
            assert degrees(atan2(-y, x)) % 360 == pytest.approx(expected[name], abs=1e-9)
    assert all(sum(v * v for v in drawn(hexes.axial(c), orientation)) == pytest.approx(1) for c in hexes.CORNERS)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("origin", [(0, 0), (3, 4), (4, 3), (-1, -2), (-2, -1), (-3, -3)])
def test_offset_neighbours_are_the_tabulated_ones(scheme: Scheme, origin: tuple[int, int]) -> None:
    column, row = origin
    table = TABULATED[scheme][(row if scheme.endswith("r") else column) % 2]
    a = hexes.from_offset(column, row, scheme)
    found = [hexes.to_offset(b, scheme) for b in hexes.neighbours(a)]
    assert found == [(column + c, row + r) for c, r in table]


@given(AXIAL, st.sampled_from(SCHEMES))
def test_offset_schemes_go_there_and_back(a: tuple[int, int], scheme: Scheme) -> None:
    assert hexes.from_offset(*hexes.to_offset(a, scheme), scheme) == a
    assert hexes.to_offset(hexes.from_offset(*a, scheme), scheme) == a


@pytest.mark.parametrize("scheme", SCHEMES)
def test_offset_origin_is_the_axial_origin(scheme: Scheme) -> None:
    assert hexes.from_offset(0, 0, scheme) == hexes.to_offset((0, 0), scheme) == (0, 0)


def test_an_unknown_scheme_is_named() -> None:
    with pytest.raises(ValueError, match="odd-z"):
        hexes.from_offset(0, 0, "odd-z")
    with pytest.raises(ValueError, match="odd-z"):
        hexes.to_offset((0, 0), "odd-z")
