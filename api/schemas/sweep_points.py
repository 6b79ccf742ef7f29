"""The points of a posted sweep: its body with the values of each point, with every fault at its place."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, TypeVar

import msgspec

from api.schemas import codec
from api.schemas.field_errors import MOST_FAULTS, shorten
from arbiter.fault import Fault, Faults, pointer
from arbiter.simulation.sweep import MOST_POINTS, body_with, grid

T = TypeVar("T")

DEEPEST_VARIED = 200
"""How deep a varied value may nest: copying it takes two steps for each level."""

SHOWN_CHARACTERS = 40
"""Characters of a value that is named in a fault."""


def count_points(vary: Mapping[str, Sequence[Any]]) -> int:
    """Count the points of a sweep; raises `Faults` for too many."""
    count = prod(len(values) for values in vary.values())
    if count > MOST_POINTS:
        raise Faults.one(
            pointer("vary"),
            "too-many-points",
            f"the sweep has {count:,} points",
            seen=count,
            expected=f"at most {MOST_POINTS} combinations of values",
            hint="take fewer values, or sweep in parts",
        )
    return count


def read_points(
    body_type: Any, body: Mapping[str, Any], vary: Mapping[str, Sequence[Any]], make: Callable[[Any], T]
) -> list[T]:
    """Read the body at every point and make a value of it; the faults of all points are reported once, together."""
    points: list[T] = []
    found: dict[bytes, tuple[Fault, list[tuple[int, ...]]]] = {}
    picks = grid({place: range(len(values)) for place, values in vary.items()})
    for picked in picks:
        values = [options[index] for options, index in zip(vary.values(), picked, strict=True)]
        try:
            points.append(make(codec.decode_object(body_type, body_with(body, tuple(vary), values))))
        except Faults as faults:
            for fault in faults.faults:
                fault = _at_its_value(fault, vary, picked)
                found.setdefault(codec.encode(fault), (fault, []))[1].append(picked)
            if len(found) > MOST_FAULTS:
                break
    if found:
        raise Faults(_describe(fault, vary, at, len(picks)) for fault, at in found.values())
    return points


def _at_its_value(fault: Fault, vary: Mapping[str, Sequence[Any]], picked: tuple[int, ...]) -> Fault:
    """Move a fault of a value that the sweep inserted to that value below `vary`."""
    for place, index in zip(vary, picked, strict=True):
        if fault.pointer == place or fault.pointer.startswith(f"{place}/"):
            rest = fault.pointer.removeprefix(place)
            return msgspec.structs.replace(fault, pointer=pointer("vary", place, index) + rest)
    return fault


def _describe(fault: Fault, vary: Mapping[str, Sequence[Any]], picks: Sequence[tuple[int, ...]], points: int) -> Fault:
    """Add to a fault that is not at all points the values of the first point with it."""
    # A fault at every point is the body's own, and a fault below `vary` already names its place.
    if len(picks) == points or fault.pointer.startswith("/vary"):
        return fault
    values = ", ".join(
        f"{place} is {shorten(msgspec.json.encode(options[index]).decode(), SHOWN_CHARACTERS)}"
        for (place, options), index in zip(vary.items(), picks[0], strict=True)
    )
    others = f" (and at {len(picks) - 1} more of {points} points)" if len(picks) > 1 else ""
    where = pointer("vary") if len(vary) > 1 else pointer("vary", *vary, picks[0][0])
    message = f"{fault.pointer or '/'}: {fault.message}, where {values}{others}"
    return msgspec.structs.replace(fault, pointer=where, message=message)
