"""Sweeps: one question with different values at some pointers into its body, for odds and simulations.

Every combination of the values at all pointers is a point.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Annotated, Any

from msgspec import Meta

from arbiter.fault import Fault, Faults, pointer
from arbiter.value import Value

MOST_AXES = 4
"""Pointers into the body that one sweep varies."""

MOST_POINTS = 100
"""Points of one sweep: the product of the numbers of values."""

VARIABLE = ("case", "policies", "readings")
"""Members of the body whose contents a sweep may vary."""

LEFT_OUT = (("policies",), ("readings",), ("case", "given"))
"""Objects that contain varied members, and may be left out of the body."""

_BARE = re.compile("~(?![01])")
"""A ~ that escapes nothing, which would give one place two names."""

Place = Annotated[str, Meta(min_length=2, max_length=300)]
Values = Annotated[tuple[Any, ...], Meta(min_length=1, max_length=MOST_POINTS)]
Vary = Annotated[dict[Place, Values], Meta(max_length=MOST_AXES)]


class Axis(Value, frozen=True):
    """An axis of a sweep: a pointer into the body, and its values."""

    place: str
    values: tuple[Any, ...]


def axes(vary: Mapping[str, Sequence[Any]]) -> tuple[Axis, ...]:
    """Give the axes of a sweep."""
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
    """Give the index of a value among others; yes is not 1."""
    return next((at for at, each in enumerate(values) if each == value and type(each) is type(value)), None)


def body_with(body: Mapping[str, Any], axes: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Give the body of a simulation with these values at these pointers; raises `Faults` for an invalid pointer.

    A pointer may name a member that the body leaves out, but the object around the member has to be present.
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
    """Give a document with the value at a pointer; only containers on its path are copied: scenes are large."""
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
    # A row has one name, as in RFC 6901: if 0 were also called 00, a sweep might vary it twice.
    if part not in map(str, range(len(rows))):
        raise LookupError(f"{pointer(*before)} has {f'the rows 0 to {len(rows) - 1}' if rows else 'no rows'}")
    return int(part)
