"""Whether a line to a target of which nothing is visible grazes what is in its way. No rules stand here."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import isqrt

from msgspec.structs import replace

from arbiter.geometry.plane.glimpse import surely_sees
from arbiter.geometry.plane.shapes import Figure, Piece, Point, Spot
from arbiter.geometry.plane.witness import contacts, passed


def grazes(looker: Figure, target: Figure, blocking: Sequence[Piece], origin: str) -> bool:
    """Decide whether a line to a target of which nothing is visible touches what it passes without crossing it."""
    sides = _sides(looker, target) if origin == "body" else ()
    eyes = (looker, *(replace(looker, at=at) for at in sides))
    return any(_passes(eye, target, _sides(target, looker), blocking) for eye in eyes)


def is_barred(eye: Figure, target: Figure, blocking: Sequence[Piece]) -> bool:
    """Decide quickly whether each line to the top of a silhouette crosses something surely; False leaves it open.

    What is just as high as a level line is not crossed by it.
    """
    top = target.eye[2]
    crossed = [piece for piece in blocking if piece.height != top] if eye.eye[2] == top else blocking
    return surely_sees(eye, target, crossed) is False


def _sides(body: Figure, other: Figure) -> tuple[Point, ...]:
    """Give the two places on a figure's rim that lie square to the line to another, if they are whole thousandths."""
    dx, dy = other.at[0] - body.at[0], other.at[1] - body.at[1]
    length = isqrt(dx * dx + dy * dy)
    if not length or length * length != dx * dx + dy * dy:
        return ()
    across, along = Fraction(body.radius * dx, length), Fraction(body.radius * dy, length)
    if not across.denominator == along.denominator == 1:
        return ()
    x, y, u, v = *body.at, int(across), int(along)
    return (x - v, y + u), (x + v, y - u)


def _passes(looker: Figure, target: Figure, beside: Sequence[Point], blocking: Sequence[Piece]) -> bool:
    """Decide whether a line to some point of the target's upper edge crosses nothing, though nothing is visible.

    Such a line runs to the middle or to a side of the target, or past the corner of a piece.
    """
    at_x, at_y = target.at
    if looker.at == target.at:
        return False
    # The sides may lie beside the silhouette as it is seen from a side of the looker.
    ends = {(Fraction(a), Fraction(b)) for a, b in beside}
    if not is_barred(looker, target, blocking):
        ends |= {(Fraction(at_x), Fraction(at_y)), *_past_corners(looker, target, blocking)}
    top = target.elevation + target.height
    return any(_crosses_nothing(looker.eye, (*end, top), blocking) for end in ends)


def _past_corners(looker: Figure, target: Figure, blocking: Sequence[Piece]) -> Iterator[tuple[Fraction, Fraction]]:
    """Give the places of a target's silhouette to which lines run past the corners of pieces."""
    (x, y), (at_x, at_y) = looker.at, target.at
    dx, dy = at_x - x, at_y - y
    square = dx * dx + dy * dy
    for piece in blocking:
        for a, b in piece.outline:
            ahead, aside = dx * (a - x) + dy * (b - y), dx * (b - y) - dy * (a - x)
            if ahead > 0 and aside * aside * square <= (target.radius * ahead) ** 2:
                t = Fraction(aside, ahead)
                yield at_x - t * dy, at_y + t * dx


def _crosses_nothing(start: Spot, end: tuple[Fraction, Fraction, int], blocking: Sequence[Piece]) -> bool:
    touched = []
    for piece in blocking:
        crossed = contacts(start, end, piece)
        if any(contact.how == "through" for contact in crossed):
            return False
        touched.append((piece, crossed))
    return not passed(start, end, touched)
