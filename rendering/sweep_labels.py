"""Short names of a sweep's varied values: the end of a pointer, and only the distinguishing part of its values."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from arbiter.simulation.statistics import Simulated
from arbiter.simulation.sweep import Axis
from rendering.simulation_view import display_name

MOST_LABEL = 40
"""Characters of the label of a value that is an object or a list."""


class ShortAxis(NamedTuple):
    """An axis as people read it: `att` with the values 4 and 5, if whole cards are varied that differ only in these."""

    title: str
    values: tuple[Any, ...]
    labels: list[str]


def short_axes(axes: Sequence[Axis]) -> list[ShortAxis]:
    """Give the axes of a sweep by short, distinct names."""
    places = [axis.place for axis in axes]
    short = [_short(axis, places) for axis in axes]
    titles = [axis.title for axis in short]
    return [
        axis if titles.count(axis.title) == 1 else axis._replace(title=place)
        for axis, place in zip(short, places, strict=True)
    ]


def _short(axis: Axis, places: Sequence[str]) -> ShortAxis:
    title, values = short_place(axis.place, places), axis.values
    if len(values) > 1 and all(isinstance(value, dict | list) for value in values):
        leaves = [dict(_leaves(value, ())) for value in values]
        inside = dict.fromkeys(place for leaf in leaves for place in leaf)
        differing = [place for place in inside if len({display_name(leaf.get(place)) for leaf in leaves}) > 1]
        if len(differing) == 1 and all(differing[0] in leaf for leaf in leaves):
            name = _name(differing[0])
            values = tuple(leaf[differing[0]] for leaf in leaves)
            return ShortAxis(name or title, values, list(map(_label, values)))
        labels = [", ".join(_leaf(place, leaf[place]) for place in differing if place in leaf) for leaf in leaves]
        if len(set(labels)) == len(labels) and all(0 < len(label) <= MOST_LABEL for label in labels):
            return ShortAxis(title, values, labels)
        ids = [value.get("id") if isinstance(value, dict) else None for value in values]
        if None not in ids and len(set(ids)) == len(ids):
            return ShortAxis(title, values, list(map(display_name, ids)))
    return ShortAxis(title, values, list(map(_label, values)))


def short_place(place: str, places: Sequence[str]) -> str:
    """Give the last name of a pointer, with earlier ones if another pointer has the same end."""
    parts = place.split("/")
    for many in range(1, len(parts)):
        end = parts[-many:]
        if sum(other.split("/")[-many:] == end for other in places) == 1 and not end[0].isdecimal():
            return "/".join(end).replace("~1", "/").replace("~0", "~")
    return place


def _label(value: Any) -> str:
    plain = isinstance(value, list | tuple) and not any(isinstance(part, dict | list | tuple) for part in value)
    return ", ".join(map(display_name, value)) if plain and value else display_name(value)


def _name(place: tuple[str, ...]) -> str | None:
    return next((part for part in reversed(place) if not part.isdecimal()), None)


def _leaf(place: tuple[str, ...], value: Any) -> str:
    name = _name(place)
    return _label(value) if name is None else f"{name}: {_label(value)}"


def _leaves(value: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    # A row of plain values is one value, such as a position.
    if not isinstance(value, dict | list) or (
        isinstance(value, list) and not any(isinstance(part, dict | list) for part in value)
    ):
        yield place, value
        return
    for name, part in value.items() if isinstance(value, dict) else enumerate(value):
        yield from _leaves(part, (*place, str(name)))


def point_labels(axes: Sequence[Axis]) -> list[list[str]]:
    """Give the short names of the values at each point of a sweep, in the order of its grid."""
    return [list(labels) for labels in product(*(axis.labels for axis in short_axes(axes)))]


def reference_label(result: Simulated[Any]) -> str:
    """Name the point that the others are compared with; by default the first."""
    labels = point_labels(result.axes)
    at = (label for point, label in zip(result.points, labels, strict=True) if point.values == result.reference)
    return ", ".join(next(at, labels[0]))
