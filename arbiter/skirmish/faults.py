"""Faults of scenes and cases that are the same in every game, each with its pointer and the allowed values.

`where` is always the JSON Pointer to the faulty member.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from rapidfuzz import process
from rapidfuzz.distance import OSA

from arbiter.fault import Fault, pointer

SCENE = pointer("case", "scene")
"""The pointer to the scene of a case."""

MOST_LISTED = 40
MOST_NEAREST = 3
MOST_LETTERS_WRONG = 2


class _Posted(Protocol):
    """A posted unit."""

    @property
    def id(self) -> str: ...
    @property
    def side(self) -> str: ...


U = TypeVar("U", bound=_Posted)


def case_pointer(*parts: str | int) -> str:
    """Give the pointer to a member of the case; a part may be a path of several, as in `targets/2`."""
    return pointer("case", *(name for part in parts for name in str(part).split("/") if name))


def unknown_id(kind: str, id_: str, where: str, ids: Collection[str]) -> Iterator[Fault]:
    """Find an id that is not one of `ids`; the hint gives those with nearly the same letters."""
    if id_ not in ids:
        listed = list(ids)
        none = f"{'an' if kind[0] in 'aeio' else 'a'} {kind} of the scene, which has none"
        asked = f"one of {', '.join(listed[:MOST_LISTED])}" if listed else none
        code = f"unknown-{kind.replace(' ', '-')}"
        yield Fault(where, code, f"there is no {kind} {id_!r}", id_, asked, _nearest(id_, listed))


def unknown_ids(kind: str, ids: Iterable[str], where: str, among: Collection[str]) -> Iterator[Fault]:
    """Find every id of a list that is not one of `among`."""
    for index, id_ in enumerate(ids):
        yield from unknown_id(kind, id_, f"{where}/{index}", among)


def repeated_ids(rows: Iterable[Any], where: str, kind: str) -> Iterator[Fault]:
    """Find rows with the id of an earlier row of the list; `where` points to the list."""
    seen: set[str] = set()
    for index, row in enumerate(rows):
        if row.id in seen:
            message = f"the {kind} {str(row.id)!r} appears twice"
            yield Fault(f"{where}/{index}/id", "repeated-id", message, row.id, "an id of its own")
        seen.add(row.id)


def own_targets(actor: str, targets: Iterable[str], message: str, where: str) -> Iterator[Fault]:
    """Find the actor itself among its targets; `where` points to the list of targets."""
    for index, target in enumerate(targets):
        if target == actor:
            yield Fault(f"{where}/{index}", "itself", message, target, "another one")


def order_faults(order: Sequence[str], among: Collection[str], where: str, kind: str) -> Iterator[Fault]:
    """Find an order of sides or crews that does not name each of them once; an empty order is undecided, and valid."""
    if order and sorted(order) != sorted(among):
        yield Fault(
            where,
            "order",
            f"the order does not name each {kind} once",
            list(order),
            f"the {kind}s {', '.join(among)}, each once",
            "leave it out before the order is decided",
        )


def active_faults(
    active: str | None, units: Sequence[U], turn: str | None, wrong: Callable[[U], str | None], expected: str
) -> Iterator[Fault]:
    """Find an active unit that does not exist, cannot be active, or is not of the side whose turn it is.

    `wrong` gives the game's own reason why a unit cannot be active.
    """
    if active is None:
        return
    where = f"{SCENE}/active"
    unit = next((unit for unit in units if unit.id == active), None)
    if unit is None:
        yield from unknown_id("unit", active, where, [each.id for each in units])
        return
    message = wrong(unit)
    if message is None and turn is not None and turn != unit.side:
        message = f"{unit.id} is of the side {unit.side}, but it is the turn of {turn}"
    if message is not None:
        yield Fault(where, "active", message, active, expected)


def _nearest(id_: str, ids: Sequence[str]) -> str:
    """Name the ids that differ from one in few letters."""
    scorer = OSA.distance
    near = process.extract(id_[:60], ids, scorer=scorer, score_cutoff=MOST_LETTERS_WRONG, limit=MOST_NEAREST)
    return f"did you mean {' or '.join(repr(name) for name, *_ in near)}?" if near else ""
