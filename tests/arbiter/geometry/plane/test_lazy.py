"""The search that prices legs late finds what one finds that prices all of them first."""

from math import dist, inf
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arbiter.geometry.plane.paths.lazy import arrivals
from arbiter.geometry.plane.shapes import Point

places = st.tuples(st.integers(0, 100), st.integers(0, 100))


class Leg(NamedTuple):
    cost: float
    height: int


def cheapest(start: Point, every: list[Point], extra: dict[tuple[Point, Point], float]) -> dict[Point, float]:
    """Price every leg, and let costs settle (Bellman and Ford)."""
    costs = {start: 0.0}
    for _ in every:
        for (a, b), more in extra.items():
            if a in costs:
                costs[b] = min(costs.get(b, inf), costs[a] + dist(a, b) + more)
    return costs


@given(places, st.lists(places, min_size=1, max_size=7, unique=True), st.data())
def test_every_place_comes_at_its_least_cost(start: Point, every: list[Point], data: st.DataObject) -> None:
    every = [at for at in every if at != start]
    extra = {
        (a, b): data.draw(st.integers(0, 90))
        for a in (start, *every)
        for b in every
        if a != b and data.draw(st.booleans())
    }
    at_most = data.draw(st.sampled_from((50.0, 200.0, inf)))

    def price(at: Point, _: int, to: Point) -> Leg | None:
        return Leg(dist(at, to) + extra[at, to], 0) if (at, to) in extra else None

    wanted = {at: cost for at, cost in cheapest(start, every, extra).items() if cost <= at_most}
    found = {one.at: one.cost for one in arrivals(start, 0, every, price, at_most=at_most)}
    assert found == pytest.approx(wanted)
    for goal in every:
        led = {one.at: one.cost for one in arrivals(start, 0, every, price, at_most=at_most, goal=goal)}
        assert led.get(goal) == pytest.approx(wanted.get(goal))


def test_only_legs_that_may_matter_are_priced() -> None:
    priced = []

    def price(at: Point, _: int, to: Point) -> Leg:
        priced.append(to)
        return Leg(dist(at, to), 0)

    places = [(0, 30), (30, 0), (10, 0), (40, 40)]
    ways = [one.at for one in arrivals((0, 0), 0, places, price, at_most=inf, goal=(10, 0))]
    assert ways[:2] == [(0, 0), (10, 0)]
    ways = []
    priced.clear()
    for one in arrivals((0, 0), 0, places, price, at_most=inf, goal=(10, 0)):
        if one.at == (10, 0):
            break
    assert priced == [(10, 0)]


@given(places, st.lists(places, min_size=1, max_size=7, unique=True), st.data())
def test_what_is_known_of_all_legs_at_once_spares_prices_and_changes_nothing(
    start: Point, every: list[Point], data: st.DataObject
) -> None:
    every = [at for at in every if at != start]
    extra = {(a, b): data.draw(st.sampled_from((0, 7, 90, None))) for a in (start, *every) for b in every if a != b}

    def price(at: Point, _: int, to: Point) -> Leg | None:
        more = extra[at, to]
        return None if more is None else Leg(dist(at, to) + more, 0)

    def least(at: Point, _: int, spots: NDArray[np.float64]) -> NDArray[np.float64]:
        to = [(int(x), int(y)) for x, y in spots.tolist()]
        more = {None: inf, 90: 45}
        return np.array([dist(at, spot) + more.get(extra[at, spot], 0) for spot in to])

    goal = data.draw(st.sampled_from([None, *every]))
    plain = {one.at: one.cost for one in arrivals(start, 0, every, price, at_most=150.0, goal=goal)}
    spared = {one.at: one.cost for one in arrivals(start, 0, every, price, at_most=150.0, goal=goal, least_of=least)}
    assert spared == pytest.approx(plain)


def test_heights_come_along() -> None:
    def price(at: Point, height: int, to: Point) -> Leg:
        return Leg(dist(at, to), height + 1)

    found = {one.at: (one.before, one.height) for one in arrivals((0, 0), 2, [(3, 0), (9, 0)], price, at_most=inf)}
    assert found[0, 0] == (None, 2)
    assert found[3, 0] == ((0, 0), 3)
