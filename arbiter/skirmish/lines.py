"""What lines of sight on open tables meet, as answers have it: in the scene's unit, from the exact geometry."""

from collections.abc import Collection, Sequence

from arbiter.geometry.plane.barrier import stands_aside
from arbiter.geometry.plane.estimate import Glance
from arbiter.geometry.plane.shapes import PER_UNIT, Exact, ExactSpot, Figure, Piece
from arbiter.geometry.plane.strips import Doubtful, places
from arbiter.geometry.plane.view import spots
from arbiter.geometry.plane.witness import Grazes, contacts, witness
from arbiter.skirmish.sight import Contact, Spot


def contacts_of(start: ExactSpot, end: ExactSpot, pieces: Sequence[Piece], grazes: Grazes) -> tuple[Contact, ...]:
    """List what a line meets of some pieces, in order from its start; what stops it by a reading counts."""
    return tuple(
        Contact(met.piece, met.how, tuple(map(in_units, met.where)), met.counts)
        for met in witness(start, end, pieces, grazes).meetings
    )


def hiding(
    looker: Figure, target: Figure, pieces: Sequence[Piece], counting: Collection[str]
) -> tuple[ExactSpot | None, tuple[Contact, ...]]:
    """Give a place of a target that no piece hides, and where the line to what a piece hides meets that piece.

    `counting` are the ids of those pieces that count.
    """
    glance = Glance(looker, target)
    hiding_some = [piece for piece in pieces if not stands_aside(piece, looker, target) and glance.may_hide(piece)]
    try:
        at, stretches = places(glance, hiding_some)
    except Doubtful:
        return _hiding(looker, target, hiding_some, counting)
    return at, tuple(
        Contact(piece.id, "through", tuple(map(in_units, ends)), piece.id in counting) for piece, ends in stretches
    )


def _hiding(
    looker: Figure, target: Figure, hiding_some: Sequence[Piece], counting: Collection[str]
) -> tuple[ExactSpot | None, tuple[Contact, ...]]:
    seen, hidden = spots(looker, target, hiding_some)
    return seen, tuple(
        Contact(piece.id, first.how, tuple(map(in_units, first.ends(looker.eye, spot))), piece.id in counting)
        for piece, spot in hidden
        for first in contacts(looker.eye, spot, piece)[:1]
    )


def in_units(spot: tuple[Exact, Exact, Exact]) -> Spot:
    """Give a place of the geometry in the scene's unit, rounded to thousandths."""
    x, y, z = (round(float(part)) / PER_UNIT for part in spot)
    return x, y, z
