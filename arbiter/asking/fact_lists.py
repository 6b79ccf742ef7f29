"""Facts that list units: who can be in an answer about some units, and what is wrong with a given list."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from arbiter.asking.fact_faults import not_among, unknown_unit
from arbiter.asking.fact_kinds import Kind, Units
from arbiter.fault import Fault, pointer

Among = Callable[..., Iterable[str]]
"""Gives the units that can be in the answer to a fact, of a battlefield and the ids that it is about."""


class Listed(Protocol):
    """A battlefield, as far as lists of units need it."""

    @property
    def by_id(self) -> Mapping[str, Any]:
        """All units of the scene."""


def listable(among: Among | None, field: Listed, ids: Collection[str]) -> tuple[str, ...]:
    """Give who can be in an answer about some units: by default everybody but these."""
    found = field.by_id if among is None else among(field, *ids)
    return tuple(id_ for id_ in found if id_ not in ids)


def unlistable(key: str, value: Sequence[str], question: str, field: Listed, may: Collection[str]) -> Iterator[Fault]:
    """Find ids in a given list that no unit has, and those of units that cannot be in it."""
    for index, id_ in enumerate(value):
        place = pointer("case", "given", key, index)
        if id_ not in field.by_id:
            yield unknown_unit(place, id_, field.by_id)
        elif id_ not in may:
            yield not_among(place, id_, question, may)


def samples(kind: Kind, may: Sequence[str]) -> tuple[Any, ...]:
    """Give values to try, the usual one first: of units nobody, all who can be listed, and the first and last alone."""
    if not isinstance(kind, Units):
        return kind.samples
    return tuple(dict.fromkeys((*kind.samples, tuple(may), tuple(may[:1]), tuple(may[-1:]))))
