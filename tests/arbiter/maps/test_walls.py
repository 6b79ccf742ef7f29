"""Laws of walls: what was drawn is covered, nothing far from it is, and every piece is one that a table may hold."""

from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi, sin, sqrt
from random import Random
from typing import Any

import pytest
import shapely
from hypothesis import example, given
from hypothesis import strategies as st

from arbiter.geometry.plane.faults import piece_faults
from arbiter.geometry.plane.shapes import Piece, Point
from arbiter.geometry.plane.walls import lies, ribbons, shape
from arbiter.maps.drawing import Line
from arbiter.maps.importer import chain

SIZE = (20_000, 16_000)
FRAME = shapely.box(0, 0, *SIZE)
SEEDS = st.integers(0, 2**32)

ON_MAP = st.tuples(st.integers(0, 80).map(lambda k: 250 * k), st.integers(0, 64).map(lambda k: 250 * k))
NEAR_MAP = st.tuples(st.integers(-5_000, 25_000), st.integers(-5_000, 21_000))
LINES = st.lists(ON_MAP, min_size=2, max_size=40) | st.lists(NEAR_MAP, min_size=2, max_size=12)


def drawn(seed: int, most: int = 70) -> list[Point]:
    """A winding line with long and very short steps, as those of a cave's wall."""
    random = Random(seed)
    points, way = [(random.randrange(20_000), random.randrange(16_000))], random.uniform(0, 2 * pi)
    for _ in range(random.randrange(1, most)):
        way += random.choice((0, pi / 2, random.uniform(-1, 1), random.uniform(-pi, pi)))
        step = random.choice((3, 20, 60, 400, 3000))
        points.append((round(points[-1][0] + step * cos(way)), round(points[-1][1] + step * sin(way))))
    return points


def whole(outlines: Sequence[Sequence[Point]]) -> Any:
    return shapely.union_all([shapely.Polygon(outline) for outline in outlines])


def near(points: Sequence[Point], away: float) -> Any:
    """What is no further away from a line: leg by leg, for the buffer of a winding line is rounded by a hundredth."""
    legs = [shapely.LineString(leg) for leg in pairwise(points) if leg[0] != leg[1]]
    return shapely.union_all([leg.buffer(away, quad_segs=64) for leg in legs])


def assert_holds(points: list[Point], thickness: int) -> None:
    pieces = ribbons(points, thickness, SIZE)
    made = [Piece(str(number), outline, 1000) for number, outline in enumerate(pieces)]
    assert not [fault for fault in piece_faults(made, *SIZE) if fault.code != "too-many-pieces"]
    line = shapely.LineString(points)
    drawn_here = line.intersection(FRAME.buffer(-2))
    ground = whole(pieces)
    # Corners are rounded to whole thousandths, so a line may lie outside by less than one.
    assert drawn_here.is_empty or ground.buffer(1).covers(drawn_here)
    # A mitred corner of up to a right angle, and an overlapping end, is no further off than the root of 2.
    assert ground.is_empty or near(points, thickness / 2 * sqrt(2) + 2).covers(ground)


@given(LINES, st.sampled_from((10, 100, 333, 1000)))
@example([(0, 0), (20_000, 0), (20_000, 16_000), (0, 16_000), (0, 0)], 100)
@example([(5000, 5000), (9000, 5000), (5000, 5000)], 100)
@example([(5000, 5000), (9000, 5000), (5000, 5010)], 1000)
def test_walls_cover_what_was_drawn_and_no_more(points: list[Point], thickness: int) -> None:
    if len(set(points)) > 1:
        assert_holds(points, thickness)


@given(SEEDS, st.sampled_from((10, 100, 1000)))
@example(205, 1000)
@example(1099, 1000)
def test_so_do_winding_walls(seed: int, thickness: int) -> None:
    points = drawn(seed)
    if len(set(points)) > 1:
        assert_holds(points, thickness)


@given(SEEDS)
def test_pieces_of_one_wall_hang_together(seed: int) -> None:
    """Whatever is cut overlaps by an area: eroded by a thousandth, the wall is still one."""
    points = [(2000 + x % 16_000, 2000 + y % 12_000) for x, y in drawn(seed, 25)]
    if len(set(points)) > 1:
        assert whole(ribbons(points, 100, SIZE)).buffer(-2).geom_type == "Polygon"


def test_a_wall_of_many_corners_is_cut_in_pieces_of_few() -> None:
    teeth = [(100 + 200 * k, 8000 + 300 * (k % 2)) for k in range(90)]
    pieces = ribbons(teeth, 20, SIZE)
    assert 2 < len(pieces) <= 90
    assert max(map(len, pieces)) <= 64


@given(st.lists(NEAR_MAP, min_size=2, max_size=2))
def test_where_a_line_lies(points: list[Point]) -> None:
    line = shapely.LineString(points)
    inside, meets = FRAME.covers(line), FRAME.intersects(line)
    assert lies(points, SIZE) == ("inside" if inside else "across" if meets else "outside")


@given(st.lists(NEAR_MAP, min_size=3, max_size=9))
def test_a_shape_is_what_of_it_lies_on_the_map(corners: list[Point]) -> None:
    outline = shapely.Polygon(corners)
    found = shape(corners, SIZE)
    if found is None or not outline.is_valid:
        return
    area = outline.intersection(FRAME).area
    # Each of a few cuts is rounded by half a thousandth at either end of a side.
    assert sum(shapely.Polygon(one).area for one in found) == pytest.approx(area, abs=60_000)
    made = [Piece("shape", one, 1000) for one in found]
    assert not piece_faults(made, *SIZE)


def test_a_simple_shape_is_kept_as_it_is_and_a_crossed_one_is_none() -> None:
    square = ((1000, 1000), (3000, 1000), (3000, 3000), (1000, 3000))
    assert shape(square, SIZE) == (square,)
    assert shape([square[0], square[2], square[1], square[3]], SIZE) is None
    assert shape([(x + 30_000, y) for x, y in square], SIZE) == ()


@given(st.lists(st.tuples(ON_MAP, ON_MAP).filter(lambda ends: ends[0] != ends[1]), max_size=12), SEEDS)
def test_chains_are_the_same_lines(ends: list[tuple[Point, Point]], seed: int) -> None:
    lines = [Line(pair, sight=(seed >> place) % 2 == 0) for place, pair in enumerate(ends)]
    chains = chain(lines)

    def steps(of: Sequence[Line]) -> list[tuple[frozenset[Point], bool]]:
        found = [
            (frozenset(pair), line.sight) for line in of for pair in zip(line.points, line.points[1:], strict=False)
        ]
        return sorted(found, key=lambda step: (sorted(step[0]), step[1]))

    assert steps(chains) == steps(lines)


def test_four_sides_in_any_order_and_sense_are_one_chain() -> None:
    a, b, c, d = (1000, 1000), (5000, 1000), (5000, 4000), (1000, 4000)
    sides = [Line((a, b)), Line((d, c)), Line((a, d)), Line((c, b))]
    (ring,) = chain(sides)
    assert ring.points[0] == ring.points[-1]
    assert set(ring.points) == {a, b, c, d}
    assert len(chain([*sides, Line((b, (9000, 1000)))])) == 2
