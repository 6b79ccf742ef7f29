"""What lines of sight on open tables meet, as answers have it: in the scene's unit, from the exact geometry."""

from collections.abc import Sequence

from arbiter.geometry.plane.estimate import Glance
from arbiter.geometry.plane.shapes import PER_UNIT, Exact, ExactSpot, Piece
from arbiter.geometry.plane.witness import Grazes, contacts, witness
from arbiter.skirmish.sight import Contact, Spot


def contacts_of(start: ExactSpot, end: ExactSpot, pieces: Sequence[Piece], grazes: Grazes) -> tuple[Contact, ...]:
    """List what a line meets of some pieces, in order from its start; what stops it by a reading counts."""
    return tuple(
        Contact(met.piece, met.how, tuple(map(in_units, met.where)), met.counts)
        for met in witness(start, end, pieces, grazes).meetings
    )


def contact_of(glance: Glance, piece: Piece, *, counts: bool = True) -> Contact | None:
    """Give where the line to what a piece hides of a target first meets that piece; None if it hides nothing."""
    spot = glance.hidden_spot(piece)
    met = () if spot is None else contacts(glance.looker.eye, spot, piece)
    if spot is None or not met:
        return None
    return Contact(piece.id, met[0].how, tuple(map(in_units, met[0].ends(glance.looker.eye, spot))), counts)


def in_units(spot: tuple[Exact, Exact, Exact]) -> Spot:
    """Give a place of the geometry in the scene's unit, rounded to thousandths."""
    x, y, z = (round(float(part)) / PER_UNIT for part in spot)
    return x, y, z
