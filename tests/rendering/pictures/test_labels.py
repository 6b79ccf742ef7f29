"""Where names stand: beside their units, on no line."""

import re
from math import hypot

from hypothesis import example, given
from hypothesis import strategies as st

from rendering.pictures.labels import Box, Labels, around
from rendering.pictures.pen import Pen

places = st.tuples(st.floats(0, 300), st.floats(0, 300))
FRAME = Box(-1_000, -1_000, 1_000, 1_000)


def box_of(labels: Labels, at: tuple[float, float]) -> Box | None:
    """Give where a name of one letter, 6.8 wide and 10 high, stands that is written beside a place."""
    pen = Pen()
    if not labels.draw(pen, "A", at, 0):
        return None
    found = re.search(r' x="([-.\d]+)" y="([-.\d]+)"', pen.written())
    assert found is not None
    x, y = map(float, found.groups())
    return Box(x - 3.4, y - 9, x + 3.4, y + 2)


@given(places, places, places)
@example((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
@example((0.0, 100.0), (300.0, 100.0), (150.0, 95.0))
@example((100.0, 0.0), (100.0, 300.0), (100.0, 150.0))
def test_a_name_goes_to_the_first_place_that_none_of_the_small_boxes_along_a_line_meets(
    start: tuple[float, float], end: tuple[float, float], at: tuple[float, float]
) -> None:
    steps = max(1, int(hypot(end[0] - start[0], end[1] - start[1]) / 8))
    small = [
        around((start[0] + (end[0] - start[0]) * k / steps, start[1] + (end[1] - start[1]) * k / steps), 2)
        for k in range(steps + 1)
    ]
    assert box_of(Labels(FRAME, (), [(start, end)]), at) == box_of(Labels(FRAME, small, ()), at)


def test_a_name_below_which_a_line_runs_stands_above_it() -> None:
    beside = box_of(Labels(FRAME, (), [((0, 110), (300, 110))]), (150, 100))
    assert beside is not None
    assert beside.bottom <= 108
