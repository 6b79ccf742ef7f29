"""The search for cheapest routes of straight legs that are expensive to price.

A leg costs at least its length, and often a better bound exists for all legs from a point together. So it is queued at
its lower bound, and priced only when no leg that may be cheaper is left: of a thousand legs a search prices some ten.
"""

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from arbiter.geometry.plane.shapes import Point


class Priced(Protocol):
    """The price of a leg, and the height at which it ends."""

    @property
    def cost(self) -> float: ...

    @property
    def height(self) -> int: ...


Price = Callable[[Point, int, Point], Priced | None]
"""Prices the leg from a point at a height to another point; None if it is forbidden."""

Least = Callable[[Point, int, NDArray[np.float64]], NDArray[np.float64]]
"""Gives lower bounds for the legs from a point at a height to some points; infinite for certainly forbidden ones.

It is no less than their lengths.
"""


class Arrival(NamedTuple):
    """A place on a cheapest way: the place before it, what the way costs up to there, and its height."""

    at: Point
    before: Point | None
    cost: float
    height: int


class _Legs:
    """The legs from a place to others, those first that are worth most, each with what the way by it costs at least."""

    def __init__(self, since: Arrival, order: Iterator[tuple[int, float]]) -> None:
        self.since, self.order = since, order


def arrivals(
    start: Point,
    height: int,
    places: Sequence[Point],
    price: Price,
    *,
    at_most: float,
    goal: Point | None = None,
    haste: float = 1.0,
    least_of: Least | None = None,
) -> Iterator[Arrival]:
    """Give the places that can be reached at a cost of at most `at_most`, each by its cheapest way.

    They come by their cost and, where there is a goal, what is left to it, counted `haste` times; the one that is the
    goal comes when nothing cheaper leads there, unless `haste` is more than 1.
    """
    spots = np.array(places, dtype=float).reshape(-1, 2)
    ahead = np.zeros(len(places)) if goal is None else np.hypot(*(spots - goal).T)
    numbers, done = count(), set[Point]()
    numbered, open_ = {place: number for number, place in enumerate(places)}, np.ones(len(places), dtype=bool)
    least: dict[Point, float] = {}
    queue: list[tuple[float, float, Point, int, Arrival | _Legs]] = []

    def wait(legs: _Legs) -> None:
        """Let the next leg of a place wait at what it costs at least."""
        for number, bound in legs.order:
            if places[number] not in done:
                rank = bound + haste * float(ahead[number])
                heappush(queue, (rank, bound, places[number], next(numbers), legs))
                return

    heappush(queue, (0.0, 0.0, start, next(numbers), Arrival(start, None, 0.0, height)))
    ahead_of = dict(zip(places, ahead.tolist(), strict=True))
    while queue:
        _, cost, at, _, waiting = heappop(queue)
        if isinstance(waiting, _Legs):
            since = waiting.since
            wait(waiting)
            if at in done or cost >= least.get(at, np.inf):
                continue
            leg = price(since.at, since.height, at)
            if leg is None or since.cost + leg.cost > at_most or since.cost + leg.cost >= least.get(at, np.inf):
                continue
            least[at] = total = since.cost + leg.cost
            arrival = Arrival(at, since.at, total, leg.height)
            heappush(queue, (total + haste * ahead_of[at], total, at, next(numbers), arrival))
        elif at not in done:
            done.add(at)
            if at in numbered:
                open_[numbered[at]] = False
            yield waiting
            lengths = np.hypot(*(spots - at).T)
            near = np.flatnonzero(open_ & (waiting.cost + lengths + ahead <= at_most))
            costs = lengths[near] if least_of is None else least_of(at, waiting.height, spots[near])
            near, costs = near[np.isfinite(costs)], costs[np.isfinite(costs)]
            bounds = waiting.cost + costs
            order = np.argsort(bounds + haste * ahead[near], kind="stable")
            wait(_Legs(waiting, zip(near[order].tolist(), bounds[order].tolist(), strict=True)))
