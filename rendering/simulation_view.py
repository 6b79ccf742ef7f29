"""A simulation's result as people read it: the order of metrics, their groups, and the names of values.

A metric of one unit is named `wounds of ann` or `ann is lost`; such metrics make one table for all units.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from arbiter.question import Counted
from arbiter.simulation.simulate import is_number
from arbiter.simulation.statistics import Metric, Point, Simulated
from arbiter.value import Value

Result = Simulated[Any] | Mapping[str, Any]
"""A simulation's result, as made or as read from JSON."""


class Group(Value, frozen=True):
    """The common name of several metrics, and the metric of each unit: `wounds of` with those of Ann and Bob."""

    title: str
    metrics: dict[str, str]


class Order(Value, frozen=True):
    """The names of the metrics in display order: the single ones with the leading first, then those of units."""

    classes: tuple[str, ...]
    numbers: tuple[str, ...]
    groups: tuple[Group, ...]
    leading: str | None

    @property
    def alone(self) -> tuple[str, ...]:
        """Give the metrics that belong to no unit: the one that ranks games, classes, then numbers."""
        first = (self.leading,) if self.leading is not None else ()
        return (*first, *(name for name in (*self.classes, *self.numbers) if name not in first))


def read(result: Result) -> Simulated[Any]:
    """Give the result as a value; raises `msgspec.ValidationError` for what is none."""
    return result if isinstance(result, Simulated) else msgspec.convert(result, Simulated[Any])


def order(result: Simulated[Any]) -> Order:
    """Decide the order of the metrics of a result, and which of them are shown together."""
    names = dict.fromkeys(metric.name for point in result.points for metric in point.metrics)
    groups: dict[str, dict[str, str]] = {}
    classes, numbers = [], []
    for name in names:
        shared, unit = _parts(name)
        if unit:
            groups.setdefault(shared, {})[unit] = name
        elif is_mean(result.points, name):
            numbers.append(name)
        else:
            classes.append(name)
    leading = result.ranked_by if result.ranked_by in (*classes, *numbers) else None
    return Order(
        tuple(classes), tuple(numbers), tuple(Group(title, of_units) for title, of_units in groups.items()), leading
    )


def _parts(name: str) -> tuple[str, str]:
    """Give the common name of a metric, and its unit, if it has one."""
    shared, sign, unit = name.partition(" of ")
    if sign:
        return f"{shared} of", unit
    unit, sign, shared = name.rpartition(" is ")
    return (f"is {shared}", unit) if sign else (name, "")


def is_mean(points: Iterable[Point], name: str) -> bool:
    """Decide whether a metric is numeric at all points, so that its mean is meaningful."""
    metrics = [metric for point in points if (metric := metric_of(point, name)) is not None]
    return bool(metrics) and all(is_number(share.value) for metric in metrics for share in metric.shares)


def metric_of(point: Point, name: str) -> Metric | None:
    """Give the metric of that name, if it was counted at this point."""
    return next((metric for metric in point.metrics if metric.name == name), None)


def values_of(points: Iterable[Point], name: str) -> tuple[Counted, ...]:
    """Give the values that a metric has at any of the points, the most frequent first."""
    games: dict[tuple[type, Counted], int] = {}
    for point in points:
        metric = metric_of(point, name)
        for share in metric.shares if metric is not None else ():
            key = (type(share.value), share.value)
            games[key] = games.get(key, 0) + share.games
    return tuple(value for _, value in sorted(games, key=lambda key: -games[key]))


SIDE_COLOURS = {
    "blue": 0,
    "red": 1,
    "green": 2,
    "purple": 3,
    "violet": 3,
    "gold": 4,
    "yellow": 4,
    "grey": 5,
    "black": 5,
}
"""Sides with the colour of their name, as an index of the series of a plot."""


def sides_of(result: Simulated[Any]) -> dict[str, int]:
    """Give the sides of a game, each with its own colour as an index of the series, the same in every plot of it."""
    names = sorted({metric.name for point in result.points for metric in point.metrics})
    sides = [name.removeprefix("margin of ") for name in names if name.startswith("margin of ")]
    colours = {side: SIDE_COLOURS[side] for side in sides if side in SIDE_COLOURS}
    free = (index for index in range(len(sides) + len(colours)) if index not in colours.values())
    return {side: colours[side] if side in colours else next(free) for side in sides}


def idle(point: Point) -> float | None:
    """Give the share of games with a round that changes nothing, if that is counted and above 0."""
    metric = next((each for each in point.metrics if each.name in ("idle rounds", "idle turns")), None)
    games = sum(share.games for share in metric.shares if share.value) if metric is not None else 0
    return games / (point.games - point.forbidden) if games else None


def display_name(value: Any) -> str:
    """Give the name of a value: names as they are, yes, no and none in words, anything else as JSON."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return msgspec.json.encode(value).decode()
