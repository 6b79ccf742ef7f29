"""The frame of the question `line-of-sight`: one observer, its targets or all of its enemies, and what lines meet."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from arbiter.fault import Faults
from arbiter.geometry.plane.shapes import PER_UNIT, Exact, ExactSpot, Figure, Piece
from arbiter.geometry.plane.view import hidden_spot
from arbiter.geometry.plane.witness import Grazes, How, witness
from arbiter.skirmish.battlefield import SkirmishBattlefield
from arbiter.skirmish.faults import case_pointer, own_targets
from arbiter.value import Value

Spot = tuple[float, float, float]
"""A place in the scene's unit: along, across and above the table."""


class Contact(Value, frozen=True):
    """A piece of terrain or a body that a line meets, and where.

    `how`: the line passes through it, runs along its side, touches a corner of it, or its top. `at` is the point, or
    both ends of the stretch, each along, across and above the table. `counts` says whether it blocks the line, or
    makes the target harder to hit where the line is free.
    """

    id: str
    how: How
    at: tuple[Spot, ...]
    counts: bool


def observed(
    field: SkirmishBattlefield[Any, Any, Any, Any], observer: str, targets: tuple[str, ...], message: str
) -> tuple[str, ...]:
    """Give the targets of an observer, all its enemies in play where none is named.

    Raises `Faults` with the message where the observer is among its targets.
    """
    if faults := tuple(own_targets(observer, targets, message, case_pointer("targets"))):
        raise Faults(faults)
    return targets or tuple(enemy.id for enemy in field.enemies(field.unit(observer)))


def contacts_of(start: ExactSpot, end: ExactSpot, pieces: Sequence[Piece], grazes: Grazes) -> tuple[Contact, ...]:
    """List what a line meets of some pieces, in order from its start; what stops it by a reading counts."""
    return tuple(
        Contact(met.piece, met.how, tuple(map(in_units, met.where)), met.counts)
        for met in witness(start, end, pieces, grazes).meetings
    )


def hiding(looker: Figure, target: Figure, pieces: Iterable[Piece], counting: Collection[str]) -> Iterator[Contact]:
    """List the pieces that hide a part of a target, each where the line to the middle of that part meets it.

    `counting` are the ids of those that count.
    """
    for piece in pieces:
        if (spot := hidden_spot(looker, target, piece)) is not None:
            first = witness(looker.eye, spot, (piece,)).meetings[0]
            yield Contact(piece.id, first.how, tuple(map(in_units, first.where)), piece.id in counting)


def in_units(spot: tuple[Exact, Exact, Exact]) -> Spot:
    """Give a place of the geometry in the scene's unit, rounded to thousandths."""
    x, y, z = (round(float(part)) / PER_UNIT for part in spot)
    return x, y, z
