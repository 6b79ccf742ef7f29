"""What lines of sight on open tables meet, as answers have it: in the scene's unit, from the exact geometry."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from arbiter.geometry.plane.shapes import PER_UNIT, Exact, ExactSpot, Figure, Piece
from arbiter.geometry.plane.view import hidden_spot
from arbiter.geometry.plane.witness import Grazes, witness
from arbiter.skirmish.sight import Contact, Spot


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
