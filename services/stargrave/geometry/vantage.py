"""Where figures and pieces are to each other: who touches what, and what lies between two bases. No rules stand here.

Lengths are thousandths of an inch.
"""

from collections.abc import Iterable
from math import sqrt

from msgspec.structs import replace

from arbiter.caching import held_by_first
from arbiter.geometry.plane.estimate import Glance
from arbiter.geometry.plane.measure import in_contact
from arbiter.geometry.plane.shapes import LARGEST, Figure, Piece, Point, cross, edges, standing, whereabouts
from arbiter.geometry.plane.sight import Screen
from arbiter.geometry.plane.witness import contacts
from services.stargrave.ground import Ground

CONTACT = 2
"""Thousandths up to which a point touches things: a place is a whole number of them, so that a little may be left."""

FEW = 4
"""About so many corners of a piece are tried before all of them."""

STRIPS_KEPT = 1_024
"""Pairs of figures of which a ground remembers what is between them, in each of two generations."""

GLANCES_KEPT = 256
"""Pairs of figures of which a ground remembers about what hides one from the other, in each of two generations."""


@held_by_first(1)
def screen(ground: Ground) -> Screen:
    """Give the pieces of a ground that block lines or obscure, prepared for many lines."""
    return Screen((*ground.blocking, *ground.obscuring))


@held_by_first(STRIPS_KEPT)
def between(ground: Ground, a: Figure, b: Figure) -> tuple[Piece, ...]:
    """List the pieces that block or obscure near the strip between two bases; a few more may be among them."""
    return screen(ground).beside_one(a.at, b.at, max(a.radius, b.radius))


@held_by_first(STRIPS_KEPT)
def touched(ground: Ground, solid: Figure, other: Figure) -> tuple[str, ...]:
    """Give the pieces between two figures that block or obscure and that the first is in contact with."""
    return tuple(piece.id for piece in between(ground, solid, other) if touches(solid, piece))


def touches(solid: Figure, piece: Piece) -> bool:
    """Decide whether a figure is in contact with a piece: beside it, in it or on top of it."""
    return piece.height >= solid.elevation and in_contact(solid, piece, max(solid.slack, CONTACT))


def in_touch(solid: Figure, other: Figure) -> bool:
    """Decide whether two figures touch: their bases in plan, and their bodies in height."""
    apart = (solid.at[0] - other.at[0]) ** 2 + (solid.at[1] - other.at[1]) ** 2
    reach = solid.radius + other.radius + max(solid.slack, CONTACT)
    low, high = (solid, other) if solid.elevation <= other.elevation else (other, solid)
    return apart <= reach**2 and low.elevation + low.height >= high.elevation


@held_by_first(GLANCES_KEPT)
def glance(ground: Ground, looker: Figure, target: Figure) -> Glance:
    """Give the look at a target from above the middle of the looker's base, which the ground remembers."""
    return Glance(looker, target)


def near(bodies: Iterable[Figure], a: Figure, b: Figure) -> tuple[Figure, ...]:
    """List the figures that reach into the strip between two others; a few more may be among them."""
    wide = max(a.radius, b.radius)
    return tuple(
        body for body in bodies if body.id not in (a.id, b.id) and _is_near(body.at, a.at, b.at, wide + body.radius + 1)
    )


def _is_near(point: Point, a: Point, b: Point, reach: int) -> bool:
    """Decide whether a point is within reach of the line between two others."""
    dx, dy, x, y = b[0] - a[0], b[1] - a[1], point[0] - a[0], point[1] - a[1]
    along, square = x * dx + y * dy, dx * dx + dy * dy
    if along <= 0 or not square:
        return x * x + y * y <= reach * reach
    if along >= square:
        return (point[0] - b[0]) ** 2 + (point[1] - b[1]) ** 2 <= reach * reach
    return (x * dy - y * dx) ** 2 <= reach * reach * square


def as_pieces(bodies: Iterable[Figure]) -> tuple[Piece, ...]:
    """Give figures as what hides: solid prisms as high as they are."""
    return tuple(standing(body) for body in bodies)


def meets_line(piece: Piece, a: Point, b: Point) -> bool:
    """Decide whether the line between two points meets a piece on the plan."""
    hands = _hands(piece, a, b)
    if min(hands) > 0 or max(hands) < 0:
        return False
    if _cuts(piece, (a, b), hands):
        return True
    # Else it meets a corner between its ends, or one of its ends is in the piece.
    return (
        any(
            not hand and (x - a[0]) * (x - b[0]) + (y - a[1]) * (y - b[1]) <= 0
            for (x, y), hand in zip(piece.outline, hands, strict=True)
        )
        or whereabouts(a, piece.outline) != "outside"
        or whereabouts(b, piece.outline) != "outside"
    )


def strip(a: Figure, b: Figure) -> tuple[Point, ...]:
    """Give the corners of the strip between two bases on the plan, clockwise, at whole thousandths.

    It runs from the width of one base to the width of the other; between bases around the same middle there is none.
    """
    dx, dy = b.at[0] - a.at[0], b.at[1] - a.at[1]
    length = sqrt(dx * dx + dy * dy)
    if not length:
        return ()
    return tuple(
        (round(of.at[0] - side * of.radius * dy / length), round(of.at[1] + side * of.radius * dx / length))
        for of, side in ((a, 1), (b, 1), (b, -1), (a, -1))
    )


def meets_strip(piece: Piece, corners: tuple[Point, ...]) -> bool:
    """Decide whether a piece reaches into a strip; to touch its side is not enough."""
    if not corners:
        return False
    sides = edges(corners)
    # Rounded corners of tiny bases may lie on the wrong hand of each other.
    convex = all(cross(c, d, corners[place - 2]) < 0 for place, (c, d) in enumerate(sides))
    # Of what stands in the strip, one of a few corners most often does.
    few = piece.outline[:: max(1, len(piece.outline) // FEW)]
    if convex and any(all(cross(c, d, corner) < 0 for c, d in sides) for corner in few):
        return True
    hands = []
    for c, d in sides:
        hands.append(_hands(piece, c, d))
        if convex and min(hands[-1]) >= 0:
            return False
    if convex and any(max(of_corner) < 0 for of_corner in zip(*hands, strict=True)):
        return True
    if not convex and any(whereabouts(corner, corners) == "inside" for corner in piece.outline):
        return True
    if any(_cuts(piece, side, of_side) for side, of_side in zip(sides, hands, strict=True)):
        return True
    tall = replace(piece, height=LARGEST)
    return any(contact.how == "through" for c, d in sides for contact in contacts((*c, 0), (*d, 0), tall))


def _hands(piece: Piece, a: Point, b: Point) -> list[int]:
    """Tell on which hand of the line from a to b the corners of a piece lie, as `cross` does."""
    (left, low), dx, dy = a, b[0] - a[0], b[1] - a[1]
    return [dx * (y - low) - dy * (x - left) for x, y in piece.outline]


def _cuts(piece: Piece, line: tuple[Point, Point], hands: list[int]) -> bool:
    """Decide whether a line cuts an edge of a piece, each with an end on either hand of the other.

    `hands` say on which hand of the line the corners of the piece lie.
    """
    a, b = line
    return any(
        hand * next_hand < 0 and cross(c, d, a) * cross(c, d, b) < 0
        for (c, d), hand, next_hand in zip(edges(piece.outline), hands, (*hands[1:], hands[0]), strict=True)
    )
