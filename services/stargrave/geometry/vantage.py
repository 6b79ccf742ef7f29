"""Where figures and pieces are to each other: who touches what, and what lies between two bases. No rules stand here.

Lengths are thousandths of an inch.
"""

from collections.abc import Iterable
from math import sqrt

from msgspec.structs import replace

from arbiter.caching import held_by_first
from arbiter.geometry.plane.estimate import Glance
from arbiter.geometry.plane.measure import are_within, in_contact, near_segment
from arbiter.geometry.plane.shapes import LARGEST, Figure, Piece, Point, edges, standing, whereabouts
from arbiter.geometry.plane.sight import Screen
from arbiter.geometry.plane.witness import contacts
from services.stargrave.ground import Ground

CONTACT = 2
"""Thousandths up to which a point touches things: a place is a whole number of them, so that a little may be left."""

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
    low, high = sorted((solid, other), key=lambda body: body.elevation)
    return are_within(solid, other, max(solid.slack, CONTACT)) and low.elevation + low.height >= high.elevation


@held_by_first(GLANCES_KEPT)
def glance(ground: Ground, looker: Figure, target: Figure) -> Glance:
    """Give the look at a target from above the middle of the looker's base, which the ground remembers."""
    return Glance(looker, target)


def near(bodies: Iterable[Figure], a: Figure, b: Figure) -> tuple[Figure, ...]:
    """List the figures that reach into the strip between two others; a few more may be among them."""
    wide = max(a.radius, b.radius)
    return tuple(
        body
        for body in bodies
        if body.id not in (a.id, b.id) and near_segment(body.at, a.at, b.at, wide + body.radius + 1)
    )


def as_pieces(bodies: Iterable[Figure]) -> tuple[Piece, ...]:
    """Give figures as what hides: solid prisms as high as they are."""
    return tuple(standing(body) for body in bodies)


def meets_line(piece: Piece, a: Point, b: Point) -> bool:
    """Decide whether the line between two points meets a piece on the plan."""
    return bool(contacts((*a, 0), (*b, 0), piece))


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
    if any(whereabouts(corner, corners) == "inside" for corner in piece.outline):
        return True
    tall = replace(piece, height=LARGEST)
    return any(contact.how == "through" for c, d in edges(corners) for contact in contacts((*c, 0), (*d, 0), tall))
