"""Grids: what a line enters and grazes, and what is behind a facing, by hand and against fractions and angles."""

from fractions import Fraction
from itertools import product
from math import atan2, degrees, sqrt
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.tile.grid import Grid, Rear, Tile
from tests.arbiter.geometry.tile import oracle

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
grids = st.sampled_from(Grid)
tiles = st.tuples(st.integers(-9, 9), st.integers(-9, 9))


def drawn(grid: Grid, offset: Tile) -> float:
    """The angle of an offset as drawn, counter-clockwise from the east, in degrees."""
    x, y = offset
    return degrees(atan2(-1.5 * y, sqrt(3) * (x + y / 2)) if grid is Grid.HEX else atan2(-y, x))


def apart(one: float, other: float) -> float:
    return abs((one - other + 180) % 360 - 180)


@pytest.mark.parametrize("grid", Grid)
def test_directions_go_round_evenly_from_the_east(grid: Grid) -> None:
    many = {"hex": 6, "square-4": 4, "square-8": 8}[grid.value]
    angles = [drawn(grid, step) % 360 for step in grid.directions]
    assert angles == pytest.approx([360 / many * k for k in range(many)])
    assert len(grid.direction_names) == many
    assert set(grid.neighbours((3, -2))) == set(oracle.around(grid.value, (3, -2)))
    for k, step in enumerate(grid.directions):
        assert grid.direction((4, 4), (4 + step[0], 4 + step[1])) == k
        assert apart(angles[grid.opposite(k)], angles[k]) == pytest.approx(180)
    assert not grid.adjacent((1, 1), (1, 1))
    assert grid.adjacent((1, 1), (2, 2)) == (grid is Grid.SQUARE_8)
    with pytest.raises(ValueError, match="not adjacent"):
        grid.direction((0, 0), (2, 0))
    for wrong in (-1, many):
        with pytest.raises(ValueError, match=f"has 0 to {many - 1}"):
            grid.opposite(wrong)


@given(grids, tiles, tiles)
def test_distance_is_the_fewest_steps(grid: Grid, a: Tile, b: Tile) -> None:
    far = grid.distance(a, b)
    assert far == grid.distance(b, a)
    assert (far == 0) == (a == b)
    assert (far == 1) == grid.adjacent(a, b)
    if far:
        assert min(grid.distance(other, b) for other in grid.neighbours(a)) == far - 1
    if far <= 6:
        assert b in grid.within(a, far)
        assert b not in grid.within(a, far - 1)


@given(grids, tiles)
def test_corners_are_those_of_the_polygon(grid: Grid, tile: Tile) -> None:
    assert set(grid.corners(tile)) == set(oracle.polygon(grid.value, tile))


@given(grids, tiles)
def test_a_line_enters_and_grazes_what_fractions_say(grid: Grid, offset: Tile) -> None:
    line = grid.contacts(offset)
    (x, y), name = offset, grid.value
    box = product(range(min(x, 0) - 1, max(x, 0) + 2), range(min(y, 0) - 1, max(y, 0) + 2))
    met = {tile: oracle.shared(name, (0, 0), offset, tile) for tile in box if offset != (0, 0)}
    found = {tile: shared for tile, shared in met.items() if shared and tile not in ((0, 0), offset)}
    inside = {tile: shared for tile, shared in found.items() if shared.inside}
    assert line.entered == tuple(sorted(inside, key=lambda tile: inside[tile].first))
    flanking = [tile for graze in line.grazes for tile in graze.flanks]
    assert sorted(flanking) == sorted(found.keys() - inside.keys())
    starts = []
    for graze in line.grazes:
        shared = [found[tile] for tile in graze.flanks]
        first, last, *_ = shared[0]
        starts.append(first)
        assert all(other[:2] == (first, last) for other in shared)
        assert sorted(other.hand for other in shared) in ([-1], [1], [-1, 1])
        assert graze.spots == tuple((share * x, share * y) for share in dict.fromkeys((first, last)))
    assert starts == sorted(starts)


@given(grids, tiles)
def test_a_line_meets_the_same_from_its_other_end(grid: Grid, offset: Tile) -> None:
    x, y = offset
    there, back = grid.contacts(offset), grid.contacts((-x, -y))
    assert there.entered == tuple((x + p, y + q) for p, q in reversed(back.entered))
    assert [set(graze.flanks) for graze in there.grazes] == [
        {(x + p, y + q) for p, q in graze.flanks} for graze in reversed(back.grazes)
    ]


def test_lines_over_hexes_by_hand() -> None:
    # Straight on, through the middles of sides: nothing is grazed.
    assert Grid.HEX.contacts((3, 0)).entered == ((1, 0), (2, 0))
    assert Grid.HEX.contacts((3, 0)).grazes == ()
    # Along the side between two hexes.
    (run,) = Grid.HEX.contacts((1, 1)).grazes
    assert set(run.flanks) == {(1, 0), (0, 1)}
    assert run.spots == ((THIRD, THIRD), (2 * THIRD, 2 * THIRD))
    assert Grid.HEX.contacts((1, 1)).entered == ()
    assert Grid.HEX.contacts((2, 2)).entered == ((1, 1),)
    # Through the corner (4/3, 1/3), where (1, 0), (2, 0) and (1, 1) meet, and through (8/3, 2/3) alike.
    line = Grid.HEX.contacts((4, 1))
    assert line.entered == ((1, 0), (2, 0), (2, 1), (3, 1))
    assert [(graze.flanks, graze.spots) for graze in line.grazes] == [
        (((1, 1),), ((4 * THIRD, THIRD),)),
        (((3, 0),), ((8 * THIRD, 2 * THIRD),)),
    ]


def test_lines_over_squares_by_hand() -> None:
    for grid in (Grid.SQUARE_4, Grid.SQUARE_8):
        (graze,) = grid.contacts((1, -1)).grazes
        assert set(graze.flanks) == {(1, 0), (0, -1)}
        assert graze.spots == ((HALF, -HALF),)
        (graze,) = grid.contacts((3, 1)).grazes
        assert set(graze.flanks) == {(2, 0), (1, 1)}
        assert graze.spots == ((3 * HALF, HALF),)


@pytest.mark.parametrize("grid", Grid)
def test_behind_is_what_angles_say(grid: Grid) -> None:
    """Angles of small offsets differ by far more than a float errs, unless they are equal: borders are behind."""
    width = 360 / len(grid.directions)
    reach = range(-7, 8)
    for facing, offset in product(range(len(grid.directions)), product(reach, reach)):
        off_rear = apart(drawn(grid, offset), drawn(grid, grid.directions[grid.opposite(facing)]))
        there = offset != (0, 0)
        assert grid.behind(facing, offset, "edge") == (there and off_rear <= width / 2 + 1e-9)
        assert grid.behind(facing, offset, "three") == (there and off_rear <= 3 * width / 2 + 1e-9)
        assert grid.behind(facing, offset, "half") == (there and off_rear < 90 - 1e-9)


@pytest.mark.parametrize(
    ("grid", "offset", "sectors"),
    [
        (Grid.HEX, (2, 0), (0,)),
        (Grid.HEX, (1, 1), (0, 5)),
        (Grid.HEX, (2, -1), (0, 1)),
        (Grid.HEX, (1000001, 1000000), (0,)),
        (Grid.SQUARE_4, (1, -1), (0, 1)),
        (Grid.SQUARE_4, (-3, 3), (2, 3)),
        (Grid.SQUARE_4, (-1000000, 1000001), (3,)),
        # The border of the eastern eighth rises by the root of 2, less 1: 5/12 and 29/70 are above it, 12/29 below.
        (Grid.SQUARE_8, (12, -5), (1,)),
        (Grid.SQUARE_8, (29, -12), (0,)),
        (Grid.SQUARE_8, (70, -29), (1,)),
        (Grid.SQUARE_8, (29, 12), (0,)),
        (Grid.SQUARE_8, (12, 29), (6,)),
        (Grid.SQUARE_8, (-12, -5), (3,)),
        *((grid, (0, 0), ()) for grid in Grid),
    ],
)
def test_sectors_by_hand(grid: Grid, offset: Tile, sectors: tuple[int, ...]) -> None:
    assert grid.sectors(offset) == sectors


@given(grids, tiles, st.data())
def test_what_is_behind_one_facing_is_before_the_other(grid: Grid, offset: Tile, data: st.DataObject) -> None:
    facing = data.draw(st.integers(0, len(grid.directions) - 1))
    for how in get_args(Rear):
        behind = grid.behind(facing, offset, how)
        assert behind == grid.behind(grid.opposite(facing), (-offset[0], -offset[1]), how)
        assert not (behind and how == "edge") or grid.behind(facing, offset, "three")
        assert not behind or how == "three" or not grid.behind(grid.opposite(facing), offset, how)


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="send edge, three or half"):
        Grid.HEX.behind(0, (1, 0), "beside")
    with pytest.raises(ValueError, match="has 0 to 3"):
        Grid.SQUARE_4.behind(4, (1, 0), "edge")
