"""Odds of part of an answer, and tables of odds: one law for each point of a sweep."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import defstruct
from msgspec.structs import fields as fields_of
from msgspec.structs import replace

from arbiter.asking.ask_faults import unknown_name
from arbiter.fault import Fault, pointer
from arbiter.ruling import Odds, OddsPoint
from arbiter.simulation.sweep import axes, grid

PARTS_KEPT = 64
"""Types of parts that a process caches."""

EVERY = "*"
"""Names all fields of an answer."""


def unknown_fields(answer: type, fields: Sequence[str]) -> list[Fault]:
    """Give a fault for every field that the answer does not have."""
    known = {EVERY, *(field.encode_name for field in fields_of(answer))}
    return [
        unknown_name("field", pointer("fields", index), field, known)
        for index, field in enumerate(fields)
        if field not in known
    ]


def law_fields(fields: tuple[str, ...], ends: tuple[str, ...]) -> tuple[str, ...]:
    """Decide which fields of an answer the law is for: the named ones, or those of its outcome; none means all."""
    return () if EVERY in fields else fields or ends


def projection(answer: type, fields: Sequence[str]) -> Callable[[Any], Any]:
    """Give the function that reduces an answer to these fields; without any, it is the identity."""
    if not fields:
        return lambda whole: whole
    names = {field.encode_name: field.name for field in fields_of(answer)}
    parts = tuple(names[name] for name in dict.fromkeys(fields))
    part_of = _part(parts)
    return lambda whole: part_of(*[getattr(whole, name) for name in parts])


@lru_cache(maxsize=PARTS_KEPT)
def _part(names: tuple[str, ...]) -> Callable[..., Any]:
    """Give the type of the part of an answer with these fields; parts are compared like whole answers."""
    return defstruct("Part", [(name, Any) for name in names], frozen=True)


def table_of(vary: Mapping[str, Sequence[Any]], laws: Sequence[Odds[Any]]) -> Odds[Any]:
    """Combine the laws of all points of a grid, in its order, into one answer."""
    points = tuple(
        OddsPoint(
            values=dict(zip(vary, values, strict=True)),
            allowed=law.allowed,
            outcomes=law.outcomes,
            marginals=law.marginals,
            reasons=law.reasons,
            paths=law.paths,
            policies=law.policies,
            readings=law.readings,
            best=law.best,
            status=law.status,
            needs=law.needs,
            facts=law.facts,
        )
        for values, law in zip(grid(vary), laws, strict=True)
    )
    return replace(
        laws[0],
        allowed=any(law.allowed for law in laws),
        outcomes=(),
        marginals=(),
        reasons=(),
        paths=sum(law.paths for law in laws),
        policies={},
        readings=(),
        best=None,
        status="ruled",
        needs=None,
        facts=(),
        axes=axes(vary),
        points=points,
    )
