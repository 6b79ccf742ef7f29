"""Contacts of lines of sight on open tables, for answers: in the scene's unit, from the exact geometry."""

from collections.abc import Sequence

from arbiter.geometry.plane.estimate import Glance
from arbiter.geometry.plane.shapes import PER_UNIT, Exact, ExactSpot, Piece
from arbiter.geometry.plane.witness import Grazes, contacts, passes_through, witness
from arbiter.skirmish.sight import Contact, Spot

CLOSE = 1e-6
"""Thousandths, far more than the error of floating coordinates: this close to a half, they are not rounded."""


def contacts_of(start: ExactSpot, end: ExactSpot, pieces: Sequence[Piece], grazes: Grazes) -> tuple[Contact, ...]:
    """List the contacts of a line with some pieces, in order from its start; those that stop it by a reading count."""
    return tuple(
        Contact(met.piece, met.how, tuple(map(in_units, met.where)), met.counts)
        for met in witness(start, end, pieces, grazes).meetings
    )


def contact_of(glance: Glance, piece: Piece, *, counts: bool = True) -> Contact | None:
    """Give the first contact with a piece of the line to the part that it hides of a target; None if that is empty."""
    eye, spot = glance.looker.eye, glance.hidden_spot(piece)
    if spot is None:
        return None
    stretch = passes_through(eye, spot, piece)
    ends = None if stretch is None else _about(eye, spot, stretch)
    if ends is not None:
        return Contact(piece.id, "through", ends, counts)
    met = contacts(eye, spot, piece)
    return Contact(piece.id, met[0].how, tuple(map(in_units, met[0].ends(eye, spot))), counts) if met else None


def _about(start: ExactSpot, end: ExactSpot, shares: tuple[float, float]) -> tuple[Spot, ...] | None:
    """Give points of a line in the scene's unit, by floating shares of it; None if they may be rounded wrongly."""
    line = [(float(a), float(b)) for a, b in zip(start, end, strict=True)]
    places = [[a + share * (b - a) for a, b in line] for share in shares]
    if any(abs(part % 1 - 0.5) < CLOSE for at in places for part in at):
        return None
    return tuple((round(x) / PER_UNIT, round(y) / PER_UNIT, round(z) / PER_UNIT) for x, y, z in places)


def in_units(spot: tuple[Exact, Exact, Exact]) -> Spot:
    """Give a point of the geometry in the scene's unit, rounded to thousandths."""
    x, y, z = (round(float(part)) / PER_UNIT for part in spot)
    return x, y, z
