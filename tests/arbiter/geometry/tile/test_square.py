"""Squares: neighbours, distances, corners and lines, by hand and against another way of counting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.tile import square
from arbiter.geometry.tile.square import Square

tiles = st.tuples(st.integers(-9, 9), st.integers(-9, 9))


def test_directions_go_round_counter_clockwise_from_the_east() -> None:
    assert dict(zip(square.DIRECTION_NAMES4, square.DIRECTIONS4, strict=True)) == {
        "E": (1, 0),
        "N": (0, -1),
        "W": (-1, 0),
        "S": (0, 1),
    }
    assert dict(zip(square.DIRECTION_NAMES8, square.DIRECTIONS8, strict=True)) == {
        "E": (1, 0),
        "NE": (1, -1),
        "N": (0, -1),
        "NW": (-1, -1),
        "W": (-1, 0),
        "SW": (-1, 1),
        "S": (0, 1),
        "SE": (1, 1),
    }


@given(tiles, st.integers(0, 5))
def test_what_is_within_some_steps_is_what_so_many_steps_find(centre: Square, steps: int) -> None:
    for neighbours, within, distance in (
        (square.neighbours4, square.within4, square.distance4),
        (square.neighbours8, square.within8, square.distance8),
    ):
        found = {centre: 0}
        for step in range(1, steps + 1):
            for tile in [*found]:
                for other in neighbours(tile):
                    found.setdefault(other, step)
        named = within(centre, steps)
        assert len(named) == len(set(named))
        assert {tile: distance(centre, tile) for tile in named} == found
        assert list(named) == sorted(named, key=lambda tile: (tile[1], tile[0]))


@given(tiles)
def test_neighbours_are_in_the_order_of_the_directions(a: Square) -> None:
    assert square.neighbours4(a) == tuple((a[0] + x, a[1] + y) for x, y in square.DIRECTIONS4)
    assert square.neighbours8(a) == tuple((a[0] + x, a[1] + y) for x, y in square.DIRECTIONS8)


def test_a_corner_lies_between_two_sides() -> None:
    for k, (x, y) in enumerate(square.CORNERS):
        (ax, ay), (bx, by) = square.DIRECTIONS4[k], square.DIRECTIONS4[(k + 1) % 4]
        assert (x, y) == (ax + bx, ay + by)


@pytest.mark.parametrize(
    ("offset", "entered", "through"),
    [
        ((0, 0), (), ()),
        ((1, 0), (), ()),
        ((0, -3), ((0, -1), (0, -2)), ()),
        ((1, 1), (), ((1, 1),)),
        ((-2, 2), ((-1, 1),), ((-1, 1), (-3, 3))),
        ((1, 2), ((0, 1), (1, 1)), ()),
        ((3, 1), ((1, 0), (2, 1)), ((3, 1),)),
        ((1, -3), ((0, -1), (1, -2)), ((1, -3),)),
        ((4, 2), ((1, 0), (1, 1), (2, 1), (3, 1), (3, 2)), ()),
        ((5, 3), ((1, 0), (1, 1), (2, 1), (3, 2), (4, 2), (4, 3)), ((5, 3),)),
    ],
)
def test_lines_by_hand(offset: Square, entered: tuple[Square, ...], through: tuple[Square, ...]) -> None:
    assert square.line(*offset) == (entered, through)
