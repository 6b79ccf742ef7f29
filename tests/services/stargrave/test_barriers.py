"""What is said of many legs at once: nobody may take what is barred, and nothing costs less than it is said to."""

from math import inf
from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arbiter.geometry.plane.paths.fan import circles
from arbiter.geometry.plane.paths.moves import polyline
from arbiter.geometry.plane.shapes import floats
from services.stargrave.geometry.corners import barriers
from services.stargrave.geometry.ways import walked
from services.stargrave.rules.wayfinding import Search
from tests.effort import cases
from tests.services.stargrave.yard import empty, field_of, kel, on_the_ground, pieces, table, tenths

spots = st.tuples(tenths(10, 230), tenths(10, 230))


@st.composite
def searches(draw: st.DrawFn) -> Search:
    """Draw Kel on the ground of a yard, with a friend and two enemies."""
    others = [kel(draw(spots), id=id_, crew=crew) for id_, crew in (("ann", "red"), ("bob", "blue"), ("cy", "blue"))]
    field = field_of(empty(kel(draw(spots)), *others, pieces=draw(pieces())))
    search = Search(table(), field, field.figure("kel"))
    assume(on_the_ground(search))
    return search


@settings(max_examples=cases(40), deadline=None)
@given(searches(), st.data())
def test_no_leg_costs_less_than_all_at_once_are_said_to_cost(search: Search, data: Any) -> None:
    stages, nodes = search.stages, search.nodes
    assume(nodes)
    for at in (search.body.at, data.draw(st.sampled_from(nodes))):
        every = [node for node in nodes if node != at]
        least = stages.least(at, 0, np.array(every, dtype=float).reshape(-1, 2)).tolist()
        for node, bound in zip(every, least, strict=True):
            leg = stages.between(at, 0, node)
            assert leg is None or bound <= leg.cost + 1e-6


@settings(max_examples=cases(60), deadline=None)
@given(searches(), st.lists(spots, min_size=1, max_size=3))
def test_who_walks_a_barred_way_runs_into_something(search: Search, via: list[tuple[float, float]]) -> None:
    corners = [search.body.at, *((round(x * 1_000), round(y * 1_000)) for x, y in via)]
    path = polyline([*map(floats, corners)])
    assume(path.legs)
    legs = [(*leg.start, *leg.end) for leg in path.legs]
    open_ = barriers(search.field.ground).open_ways([legs], search.body.radius, circles(()), inf)
    assert open_ or walked(search.field.ground, path, search.body).against
