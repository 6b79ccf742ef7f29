"""Legs measured at once: what is said of one is true by dense sampling and by shapely."""

from math import dist
from typing import Any

import numpy as np
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

from arbiter.geometry.plane.paths.bounds import keeps_off
from arbiter.geometry.plane.paths.fan import MARGIN, Fan, circles, outlines
from arbiter.geometry.plane.paths.shortest import Leg, Path
from arbiter.geometry.plane.shapes import Point

places = st.tuples(st.integers(-9_000, 9_000), st.integers(-9_000, 9_000))
starts = st.lists(places, min_size=1, max_size=4)

NOTCHED: tuple[Point, ...] = ((0, 0), (6_000, 0), (6_000, 5_000), (3_000, 1_000), (0, 5_000))
KITE: tuple[Point, ...] = ((-5_000, -4_000), (-3_000, -6_000), (-1_000, -4_000))


def fan_of(begins: list[Point], ends: list[Point]) -> tuple[Fan, list[tuple[Point, Point]]]:
    """Give legs from one place to all ends, or, of as many starts as ends, each from its own."""
    pairs = list(zip(begins * len(ends) if len(begins) == 1 else begins, ends, strict=False))
    return Fan(np.array(begins, dtype=float), np.array([end for _, end in pairs], dtype=float)), pairs


@given(st.data())
def test_legs_lie_to_polygons_as_shapely_has_it(data: Any) -> None:
    begins = data.draw(starts)
    many = len(begins) if len(begins) > 1 else data.draw(st.integers(1, 4))
    ends = data.draw(st.lists(places, min_size=many, max_size=many))
    fan, pairs = fan_of(begins, ends)
    lies = fan.crosses(outlines((NOTCHED, KITE)), 800.0)
    for number, (start, end) in enumerate(pairs):
        line = shapely.LineString([start, end]) if start != end else shapely.Point(start)
        for place, polygon in enumerate((NOTCHED, KITE)):
            shape = shapely.Polygon(polygon)
            if lies.apart[number, place]:
                assert line.distance(shape) > 0
            if lies.through[number, place]:
                assert line.intersection(shape).length > 0
            if lies.brushing[number, place]:
                assert line.distance(shape) < 800


def test_what_is_said_of_plain_legs() -> None:
    fan, _ = fan_of([(-9_000, -5_000)], [(9_000, -5_000), (9_000, -7_000), (-7_000, -5_000), (9_000, 3_000)])
    lies = fan.crosses(outlines((NOTCHED, KITE)), 800.0)
    # At x = -3,000 the second leg is at -5,667, above the tip of the kite.
    assert lies.through[:, 1].tolist() == [True, True, False, False]
    # The way to (9,000, 3,000) leads through the notched piece, of which nothing is sure.
    assert lies.apart[3].tolist() == [False, True]
    assert lies.brushing[1].tolist() == [False, True]


@given(st.data())
def test_legs_enter_circles_that_samples_lie_in(data: Any) -> None:
    start, end, at = data.draw(places), data.draw(places), data.draw(places)
    radius, wider = float(data.draw(st.integers(1, 5_000))), float(data.draw(st.integers(0, 6_000)))
    assume(dist(start, end) > 100)
    fan, _ = fan_of([start], [end])
    samples = [
        (start[0] + (end[0] - start[0]) * part / 400, start[1] + (end[1] - start[1]) * part / 400)
        for part in range(401)
    ]
    away = [dist(sample, at) for sample in samples]
    (plain,) = fan.enters(circles([(at, radius, 0.0)]), 2.0).tolist()
    step = dist(start, end) / 400
    assert plain or min(away) >= radius - 1e-6
    assert not plain or min(away) < radius + step
    (both,) = fan.enters(circles([(at, radius, wider)]), 2.0).tolist()
    if both and not plain:
        nearest = away.index(min(away))
        assert away[0] > wider > min(away) - step
        assert dist(samples[nearest], end) > 2.0 - step
        assert nearest > 0


def test_a_leg_may_come_into_contact_and_not_go_on() -> None:
    fan, _ = fan_of([(0, 900)], [(3_000, 900), (5_002, 900), (8_000, 900)])
    into = fan.enters(circles([((5_000, 2_000), 1_000.0, 1_200.0)]), 2.0)
    # All pass the middle at 1,100; the second ends 2 past where it is nearest, and only the third leads on.
    assert into.tolist() == [False, False, True]


@given(places, places, st.floats(-6.0, 6.0), places, st.integers(1, 4_000))
def test_who_keeps_off_has_no_sample_in_a_circle(
    start: Point, centre: Point, angle: float, at: Point, radius: int
) -> None:
    assume(dist(start, centre) > 100 and abs(angle) > 0.1)
    round_ = dist(start, centre)
    arc = Leg(start, start, round_ * abs(angle), centre, round_, angle)
    arc = Leg(start, arc.at(arc.length), arc.length, centre, round_, angle)
    line = Leg(arc.end, (float(at[0]) + 9_000.0, float(at[1])), dist(arc.end, (at[0] + 9_000, at[1])))
    assume(line.length > MARGIN)
    path = Path(start, line.end, arc.length + line.length, 0.0, (arc, line))
    samples = [path.at(path.length * part / 500) for part in range(501)]
    if keeps_off(path, [((float(at[0]), float(at[1])), float(radius))]):
        assert min(dist(sample, at) for sample in samples) >= radius - 1e-6
