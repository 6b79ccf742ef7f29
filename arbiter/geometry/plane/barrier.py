"""Quick proofs about one piece and all lines between two bases: that it is in none, or that it stops all.

They are in plan and in floating-point numbers, with a margin. A piece stops every line where two of its corners lie one
to the left and one to the right of all lines, with the bases on either hand of the chord between these corners, and the
chord lies in the piece: because it is convex, or the chord is one of its edges. Then each line from base to base
crosses the chord within its ends, and so the inside of the piece.
"""

from collections.abc import Iterable
from math import hypot

from arbiter.geometry.plane.shapes import Figure, Piece, Point, is_convex

MARGIN = 2.0
"""Margin in thousandths: far more than the errors of floating-point numbers and of rounded points on a rim."""


def stands_aside(piece: Piece, a: Figure, b: Figure) -> bool:
    """Decide quickly whether no line in plan between two bases comes near a piece; False leaves it open."""
    ux, uy, length = _way(a, b)
    x, y = a.at
    wide, here = max(a.radius, b.radius) + MARGIN, ux * y - uy * x
    asides = [ux * d - uy * c for c, d in piece.outline]
    if min(asides) > here + wide or max(asides) < here - wide:
        return True
    alongs, here = [ux * c + uy * d for c, d in piece.outline], ux * x + uy * y
    return min(alongs) > here + length + b.radius + MARGIN or max(alongs) < here - a.radius - MARGIN


def are_cut_off(a: Figure, b: Figure, pieces: Iterable[Piece]) -> bool:
    """Decide quickly whether one of some pieces overtops two figures and cuts them off; False leaves it open."""
    top = max(a.eye[2], b.eye[2])
    return any(piece.height > top and cuts_off(piece, a, b) for piece in pieces)


def cuts_off(piece: Piece, a: Figure, b: Figure) -> bool:
    """Decide quickly whether every line on the plan between two bases crosses the inside of a piece.

    False leaves it open. Points within a thousandth of a base belong to it.
    """
    seen, length = _seen(a, b, piece.outline)
    asides = [aside for _, aside in seen]
    left, right, wide = max(asides), min(asides), max(a.radius, b.radius) + MARGIN
    if left <= wide or right >= -wide:
        return False
    one, other = asides.index(left), asides.index(right)
    if abs(one - other) not in (1, len(asides) - 1) and not is_convex(piece.outline):
        return False
    far, near = seen[one][0], seen[other][0]
    # How far the middles of the bases lie from the chord, to its left, times its length.
    chord, across = hypot(far - near, left - right), left - right
    here = near * across - right * (far - near)
    return here > (a.radius + MARGIN) * chord and here - length * across < -(b.radius + MARGIN) * chord


def _seen(a: Figure, b: Figure, outline: Iterable[Point]) -> tuple[list[tuple[float, float]], float]:
    """Give corners by how far along the way from one base to another they are and how far aside; and how long it is."""
    (x, y), (ux, uy, length) = a.at, _way(a, b)
    return [(ux * (c - x) + uy * (d - y), ux * (d - y) - uy * (c - x)) for c, d in outline], length


def _way(a: Figure, b: Figure) -> tuple[float, float, float]:
    """Give the direction from one base to another, and how far it is."""
    dx, dy = b.at[0] - a.at[0], b.at[1] - a.at[1]
    length = hypot(dx, dy)
    return (dx / length, dy / length, length) if length else (1.0, 0.0, 0.0)
