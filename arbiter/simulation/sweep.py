"""Sweeps: one question with other values at some places of its body, for odds as for simulations.

A place is a JSON Pointer into the body; every combination of the values of all places is a point.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Annotated, Any

from msgspec import Meta

from arbiter.fault import Fault, Faults, pointer
from arbiter.value import Value

MOST_AXES = 4
"""Places of the body that one sweep varies."""

MOST_POINTS = 100
"""Points of one sweep: the product of the numbers of values."""

VARIABLE = ("case", "policies", "readings")
"""Members of the body in which a sweep may vary something."""

LEFT_OUT = (("policies",), ("readings",), ("case", "given"))
"""Objects that hold what is varied, and may be left out of the body altogether."""

_BARE = re.compile("~(?![01])")
"""A ~ that escapes nothing, by which one place would have two names."""

Place = Annotated[str, Meta(min_length=2, max_length=300)]
Values = Annotated[tuple[Any, ...], Meta(min_length=1, max_length=MOST_POINTS)]
Vary = Annotated[dict[Place, Values], Meta(max_length=MOST_AXES)]


class Axis(Value, frozen=True):
    """What a sweep varies: a place of the body, and its values."""

    place: str
    values: tuple[Any, ...]


def axes(vary: Mapping[str, Sequence[Any]]) -> tuple[Axis, ...]:
    """Give what a sweep varies."""
    return tuple(Axis(place, tuple(values)) for place, values in vary.items())


def grid(vary: Mapping[str, Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Give the points of a sweep as values in the order of its axes, the last axis running fastest."""
    return list(product(*vary.values()))


def reference_of(vary: Mapping[str, Sequence[Any]], named: Mapping[str, Any]) -> int:
    """Give the index of the point of reference in the grid; raises `Faults` for values that no point takes."""
    faults = [
        Fault(
            pointer("reference", place),
            "no-such-point",
            f"{place!r} is not varied, or not to this value",
            seen=value,
            expected="a place of `vary` with one of its values",
        )
        for place, value in named.items()
        if place not in vary or _at(vary[place], value) is None
    ]
    if faults:
        raise Faults(faults)
    index = 0
    for place, values in vary.items():
        index = index * len(values) + (_at(values, named[place]) or 0 if place in named else 0)
    return index


def _at(values: Sequence[Any], value: Any) -> int | None:
    """Give where a value stands among others; yes is not 1."""
    return next((at for at, each in enumerate(values) if each == value and type(each) is type(value)), None)


def body_with(body: Mapping[str, Any], axes: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Give the body of a simulation with these values at these places; raises `Faults` for a place that is none.

    A place may name a member that the body leaves to its default, but what holds the member has to be there.
    """
    changed: Any = {name: part for name, part in body.items() if name not in ("vary", "reference")}
    faults = [_inside_another(axis, outer) for axis in axes for outer in axes if axis.startswith(f"{outer}/")]
    for axis, value in zip(axes, values, strict=True):
        try:
            changed = _change(changed, axis, value)
        except LookupError as lost:
            faults.append(
                Fault(
                    pointer("vary", axis),
                    "no-such-place",
                    f"there is no place {axis!r} in the body: {lost.args[0]}",
                    seen=axis,
                    expected="a JSON Pointer below " + ", ".join(f"/{name}" for name in VARIABLE),
                    hint="write out the objects and rows that hold what is varied",
                )
            )
    if faults:
        raise Faults(faults)
    whole: dict[str, Any] = changed
    return whole


def _inside_another(axis: str, outer: str) -> Fault:
    return Fault(
        pointer("vary", axis),
        "inside-another",
        f"{axis!r} lies inside {outer!r}, which is varied as a whole",
        seen=axis,
        expected="places of which none holds another",
        hint=f"vary the places inside {outer!r}, or write their values into the values of {outer!r}",
    )


def _change(body: Mapping[str, Any], axis: str, value: Any) -> Any:
    if _BARE.search(axis):
        raise LookupError("a ~ is written ~0, and a / within a name ~1")
    parts = [part.replace("~1", "/").replace("~0", "~") for part in axis.split("/")[1:]]
    if not axis.startswith("/") or parts[0] not in VARIABLE or len(parts) < 2:
        raise LookupError("it does not lead into the case, the policies or the readings")
    return _with(body, parts, 0, value)


def _with(holder: Any, parts: Sequence[str], depth: int, value: Any) -> Any:
    """Give what holds the place with the value there; only what lies on the way is copied, for scenes are large."""
    part, last = parts[depth], depth == len(parts) - 1
    if isinstance(holder, dict):
        if last:
            return {**holder, part: value}
        if part not in holder and tuple(parts[: depth + 1]) not in LEFT_OUT:
            raise LookupError(f"{pointer(*parts[: depth + 1])} is not there")
        return {**holder, part: _with(holder.get(part, {}), parts, depth + 1, value)}
    if isinstance(holder, list):
        row = _row(holder, part, parts[:depth])
        return [*holder[:row], value if last else _with(holder[row], parts, depth + 1, value), *holder[row + 1 :]]
    raise LookupError(
        f"{pointer(*parts[:depth])} holds neither members nor rows"
        if last
        else f"{pointer(*parts[: depth + 1])} is not there"
    )


def _row(rows: list[Any], part: str, before: Sequence[str]) -> int:
    # One row has one name, as RFC 6901 has it: were 0 also called 00, a sweep might vary it twice and never know.
    if part not in map(str, range(len(rows))):
        raise LookupError(f"{pointer(*before)} has {f'the rows 0 to {len(rows) - 1}' if rows else 'no rows'}")
    return int(part)
