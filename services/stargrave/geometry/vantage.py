"""What one figure sees of another by the geometry alone, under each way of reading the text. No rules stand here.

A figure looks with `centre` from above the middle of its base, at its full height. With `body` it looks from there and
from sixteen places on the rim of its base at the same height, two of them square to the line to the target, and the
best view counts: the one that nothing blocks the most of, then the one that nothing obscures the most of. No lower
place on the body sees more, for every piece rises straight from the table. Between those places nothing is looked
through, so that a gap which only one more place would look through is missed. Lengths are thousandths of an inch.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from typing import Literal

from msgspec.structs import replace

from arbiter.caching import held_by_first
from arbiter.geometry.plane.barrier import are_cut_off, stands_aside
from arbiter.geometry.plane.estimate import Glance
from arbiter.geometry.plane.glimpse import sees
from arbiter.geometry.plane.measure import in_contact
from arbiter.geometry.plane.roots import NOTHING, Share
from arbiter.geometry.plane.shapes import LARGEST, Figure, Piece, Point, Spot, cross, edges, standing, whereabouts
from arbiter.geometry.plane.sight import Screen
from arbiter.geometry.plane.view import hidden_share, silhouette
from arbiter.geometry.plane.witness import contacts, passed
from arbiter.value import Value
from services.stargrave.geometry.grazing import grazes
from services.stargrave.ground import Ground

From = Literal["body", "centre"]

CONTACT = 2
"""Thousandths up to which a point touches things: a place is a whole number of them, so that a little may be left."""

STRIPS_KEPT = 1_024
"""Pairs of figures of which a ground remembers the pieces between them, in each of two generations."""

SIGHTINGS_KEPT, GLIMPSES_KEPT, SHARES_KEPT = 256, 2_048, 512
"""Views of figures, glimpses and hidden shares that a ground remembers, in each of two generations."""

GLANCES_KEPT = 64
"""Looks at targets from one eye, and what stands in the way, that a ground remembers, in each of two generations."""

# Eighths of a quarter turn, as parts along the way to the target and square to it.
_RIM = (
    (0.0, 1.0),
    (0.0, -1.0),
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.7071, 0.7071),
    (0.7071, -0.7071),
    (-0.7071, 0.7071),
    (-0.7071, -0.7071),
    (0.3826, 0.9238),
    (0.3826, -0.9238),
    (-0.3826, 0.9238),
    (-0.3826, -0.9238),
    (0.9238, 0.3826),
    (0.9238, -0.3826),
    (-0.9238, 0.3826),
    (-0.9238, -0.3826),
)


class Sighting(Value, frozen=True):
    """What a looker sees of a target from its best place; its shares are worked out when they are asked for.

    `looker` stands at that place. `blocked_by`: the pieces that block a part of the target, `dimmed_by`: the pieces and
    figures that hide a part without blocking. `grazing`: nothing of it is visible, but a line to it passes that touches
    what it passes without crossing it.
    """

    looker: Figure
    target: Figure
    blocked_by: tuple[Piece, ...]
    dimmed_by: tuple[Piece, ...]
    grazing: bool

    @property
    def eye(self) -> Spot:
        """That place."""
        return self.looker.eye

    @property
    def visible(self) -> Share:
        """The share of the target that nothing blocks."""
        return hidden_share(self.looker, self.target, self.blocked_by).rest

    @property
    def clear(self) -> Share:
        """The share of the target that nothing hides at all."""
        return hidden_share(self.looker, self.target, (*self.blocked_by, *self.dimmed_by)).rest

    @property
    def hiding(self) -> tuple[str, ...]:
        """The ids of the pieces that block a part."""
        return tuple(piece.id for piece in self.blocked_by)

    @property
    def obscuring(self) -> tuple[str, ...]:
        """The ids of the pieces and figures that hide a part without blocking."""
        return tuple(piece.id for piece in self.dimmed_by)

    @property
    def ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The left and the right end of the target's silhouette, for drawing."""
        return silhouette(self.looker, self.target)


@held_by_first(1)
def screen(ground: Ground) -> Screen:
    """Give the pieces of a ground that block lines or obscure, prepared for many lines."""
    return Screen((*ground.blocking, *ground.obscuring))


@held_by_first(STRIPS_KEPT)
def between(ground: Ground, a: Figure, b: Figure) -> tuple[Piece, ...]:
    """List the pieces that block or obscure near the strip between two bases; a few more may be among them."""
    return screen(ground).beside_one(a.at, b.at, max(a.radius, b.radius))


@held_by_first(SIGHTINGS_KEPT)
def sighting(
    ground: Ground,
    more: tuple[Piece, ...],
    looker: Figure,
    target: Figure,
    bodies: tuple[Figure, ...],
    origin: From,
    bodies_block: bool,
    left_out: tuple[str, ...],
) -> Sighting:
    """Work out what a looker sees of a target.

    `more` are pieces that block besides the ground's own, `bodies` the other figures on the table, `left_out` the ids
    of pieces that are taken to be away.
    """
    blocking, obscuring = _in_the_way(ground, more, looker, target, bodies, bodies_block, left_out)
    best = best_eye(ground, more, looker, target, bodies, origin, bodies_block, left_out)
    look = glance(ground, best, target)
    cut_off = are_cut_off(looker, target, blocking)
    grazing = not cut_off and not sees(best, target, blocking) and grazes(looker, target, blocking, origin)
    return Sighting(
        best,
        target,
        tuple(piece for piece in blocking if look.hides(piece)),
        tuple(piece for piece in obscuring if look.hides(piece)),
        grazing,
    )


def shares(ground: Ground, sighting: Sighting, digits: int) -> tuple[float, float]:
    """Give what share of a target nothing blocks, and what share nothing hides at all, rounded."""
    look = glance(ground, sighting.looker, sighting.target)
    visible = look.visible(sighting.blocked_by, digits)
    if not sighting.dimmed_by:
        return visible, visible
    return visible, look.visible((*sighting.blocked_by, *sighting.dimmed_by), digits)


@held_by_first(SIGHTINGS_KEPT)
def hiding(
    ground: Ground,
    more: tuple[Piece, ...],
    looker: Figure,
    target: Figure,
    bodies: tuple[Figure, ...],
    origin: From,
    bodies_block: bool,
    left_out: tuple[str, ...],
) -> frozenset[str]:
    """Name the pieces and figures that hide a part of a target, blocking it or not, as `sighting` has it."""
    best = best_eye(ground, more, looker, target, bodies, origin, bodies_block, left_out)
    blocking, obscuring = _in_the_way(ground, more, looker, target, bodies, bodies_block, left_out)
    look = glance(ground, best, target)
    return frozenset(piece.id for piece in (*blocking, *obscuring) if look.hides(piece))


@held_by_first(SIGHTINGS_KEPT)
def best_eye(
    ground: Ground,
    more: tuple[Piece, ...],
    looker: Figure,
    target: Figure,
    bodies: tuple[Figure, ...],
    origin: From,
    bodies_block: bool,
    left_out: tuple[str, ...],
) -> Figure:
    """Give the looker at the place from which it sees the most of a target, the first of equals."""
    if origin == "centre":
        return looker
    blocking, obscuring = _in_the_way(ground, more, looker, target, bodies, bodies_block, left_out)
    every = (*blocking, *obscuring)
    if glance(ground, looker, target).hidden(every) == (0.0, 0.0):
        return looker
    if target.id and not seen(ground, more, looker, target, bodies, origin, bodies_block, left_out):
        return looker
    return _best_place(ground, looker, target, blocking, every)


@held_by_first(GLANCES_KEPT)
def _best_place(
    ground: Ground, looker: Figure, target: Figure, blocking: tuple[Piece, ...], every: tuple[Piece, ...]
) -> Figure:
    """Give the looker at the first of those places from which it sees the most, past what blocks and past all."""
    looks: list[Glance] = []
    open_: list[Glance] = []
    for eye in _eyes(looker, target, "body"):
        look = glance(ground, eye, target)
        bounds = look.hidden(every)
        if bounds == (0.0, 0.0):
            # Nothing is better than to see all of it; before this place others may do so, just as well.
            whole = (each.looker for each in open_ if not _hidden_from(ground, each.looker, target, every) > NOTHING)
            return next(whole, eye)
        looks.append(look)
        if bounds is None or not bounds[0]:
            open_.append(look)
    for pieces in (blocking, every):
        about = [look.hidden(pieces) or (0.0, 1.0) for look in looks]
        least = min(high for _, high in about)
        looks = [look for look, (low, _) in zip(looks, about, strict=True) if low <= least]
        if len(looks) == 1:
            break
        if any(high for low, high in about if low <= least):
            eyes = (look.looker for look in looks)
            return max(eyes, key=lambda eye: _shares(ground, eye, target, blocking, every))
    return looks[0].looker


@held_by_first(GLANCES_KEPT)
def glance(ground: Ground, eye: Figure, target: Figure) -> Glance:
    """Give the look at a target from one eye."""
    return Glance(eye, target)


@held_by_first(GLIMPSES_KEPT)
def seen(
    ground: Ground,
    more: tuple[Piece, ...],
    looker: Figure,
    target: Figure,
    bodies: tuple[Figure, ...],
    origin: From,
    bodies_block: bool,
    left_out: tuple[str, ...],
) -> bool:
    """Decide whether anything of a target is seen at all, as `sighting` has it, without looking for the best view.

    A target without an id is a point, which is seen by the line to itself.
    """
    blocking, _ = _in_the_way(ground, more, looker, target, bodies, bodies_block, left_out)
    if are_cut_off(looker, target, blocking):
        return False
    if not target.id:
        return "seen" in _lines_to(looker, target, blocking, origin)
    return any(sees(eye, target, blocking) for eye in _eyes(looker, target, origin))


@held_by_first(GLIMPSES_KEPT)
def glimpsed(
    ground: Ground,
    more: tuple[Piece, ...],
    looker: Figure,
    target: Figure,
    bodies: tuple[Figure, ...],
    origin: From,
    bodies_block: bool,
    left_out: tuple[str, ...],
) -> Literal["seen", "grazing", "hidden"]:
    """Decide whether anything of a target is seen, and if not, whether a line to it grazes what is in its way."""
    if seen(ground, more, looker, target, bodies, origin, bodies_block, left_out):
        return "seen"
    blocking, _ = _in_the_way(ground, more, looker, target, bodies, bodies_block, left_out)
    if are_cut_off(looker, target, blocking):
        return "hidden"
    if not target.id:
        return "grazing" if "grazing" in _lines_to(looker, target, blocking, origin) else "hidden"
    return "grazing" if grazes(looker, target, blocking, origin) else "hidden"


@held_by_first(STRIPS_KEPT)
def _beside(ground: Ground, looker: Figure, target: Figure) -> tuple[Piece, ...]:
    """List the pieces that may stand in a line from a looker to a target: few more than those that do."""
    return tuple(piece for piece in between(ground, looker, target) if not stands_aside(piece, looker, target))


def _eyes(looker: Figure, target: Figure, origin: From) -> Iterator[Figure]:
    """Give a figure at the places from which it looks."""
    yield looker
    if origin == "body":
        yield from rim(looker, target)


def _lines_to(looker: Figure, target: Figure, blocking: Sequence[Piece], origin: From) -> set[str]:
    """Tell of the lines from all eyes to a point which of them pass, touch something, or are blocked."""
    return {_line_to(eye.eye, (*target.at, target.elevation), blocking) for eye in _eyes(looker, target, origin)}


def _line_to(start: Spot, end: Spot, blocking: Sequence[Piece]) -> Literal["seen", "grazing", "hidden"]:
    """Decide whether a line to a point passes by all that blocks, touches some of it, or is blocked.

    What the point itself lies on is touched at the very end of the line, and is not in its way.
    """
    touched = [(piece, contacts(start, end, piece)) for piece in blocking]
    if passed(start, end, touched):
        return "hidden"
    return "grazing" if any(contact.first < 1 for _, every in touched for contact in every) else "seen"


@held_by_first(GLANCES_KEPT)
def _in_the_way(
    ground: Ground,
    more: tuple[Piece, ...],
    looker: Figure,
    target: Figure,
    bodies: tuple[Figure, ...],
    bodies_block: bool,
    left_out: tuple[str, ...],
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Give what blocks and what obscures near the line."""
    pieces = [piece for piece in _beside(ground, looker, target) if piece.id not in left_out]
    blocking = [*(piece for piece in pieces if piece.sight == "blocks"), *more]
    obscuring = [piece for piece in pieces if piece.sight == "obscures"]
    figures = (piece for piece in as_pieces(near(bodies, looker, target)) if not stands_aside(piece, looker, target))
    (blocking if bodies_block else obscuring).extend(figures)
    return tuple(blocking), tuple(obscuring)


def _shares(
    ground: Ground, eye: Figure, target: Figure, blocking: tuple[Piece, ...], every: tuple[Piece, ...]
) -> tuple[Share, Share]:
    """Give which share of a target nothing blocks, and which nothing hides."""
    visible = _hidden_from(ground, eye, target, blocking).rest
    if len(every) == len(blocking) or visible == NOTHING:
        return visible, visible
    return visible, _hidden_from(ground, eye, target, every).rest


@held_by_first(SHARES_KEPT)
def _hidden_from(ground: Ground, eye: Figure, target: Figure, pieces: tuple[Piece, ...]) -> Share:
    return hidden_share(eye, target, pieces)


def rim(looker: Figure, target: Figure) -> Iterator[Figure]:
    """Give a figure at places on the rim of its own base, to look from."""
    dx, dy = target.at[0] - looker.at[0], target.at[1] - looker.at[1]
    length = sqrt(dx * dx + dy * dy)
    if not length:
        return
    x, y = looker.at
    across, along = looker.radius * dx / length, looker.radius * dy / length
    for ahead, aside in _RIM:
        at = round(x + ahead * across - aside * along), round(y + ahead * along + aside * across)
        yield replace(looker, at=at)


def touches(solid: Figure, piece: Piece) -> bool:
    """Decide whether a figure is in contact with a piece: beside it, in it or on top of it."""
    return piece.height >= solid.elevation and in_contact(solid, piece, max(solid.slack, CONTACT))


def in_touch(solid: Figure, other: Figure) -> bool:
    """Decide whether two figures touch: their bases in plan, and their bodies in height."""
    apart = (solid.at[0] - other.at[0]) ** 2 + (solid.at[1] - other.at[1]) ** 2
    reach = solid.radius + other.radius + max(solid.slack, CONTACT)
    low, high = (solid, other) if solid.elevation <= other.elevation else (other, solid)
    return apart <= reach**2 and low.elevation + low.height >= high.elevation


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


def hidden(ground: Ground, eye: Spot, target: Figure, pieces: tuple[Piece, ...], *, in_plan: bool) -> Share:
    """Work out what share of a target some pieces hide from an eye; `in_plan` of the width of its base alone.

    In plan a piece counts that hides any of the silhouette, and hides all that is behind it.
    """
    return _hidden(ground, eye, target, pieces, in_plan)


@held_by_first(SHARES_KEPT)
def _hidden(ground: Ground, eye: Spot, target: Figure, pieces: tuple[Piece, ...], in_plan: bool) -> Share:
    looker = Figure("", eye[:2], 1, max(1, eye[2]))
    if in_plan:
        hiding = [piece for piece in pieces if hidden_share(looker, target, (piece,)) > 0]
        pieces = tuple(replace(piece, height=LARGEST) for piece in hiding)
    return hidden_share(looker, target, pieces)


def meets_line(piece: Piece, a: Point, b: Point) -> bool:
    """Decide whether the line between two points meets a piece on the plan."""
    hands = [cross(a, b, corner) for corner in piece.outline]
    if min(hands) > 0 or max(hands) < 0:
        return False
    if whereabouts(a, piece.outline) != "outside" or whereabouts(b, piece.outline) != "outside":
        return True
    # The line begins and ends outside: it meets a corner between its ends, or has an edge's ends on either hand.
    return any(
        (not hand and (c[0] - a[0]) * (c[0] - b[0]) + (c[1] - a[1]) * (c[1] - b[1]) <= 0)
        or (hand * next_hand < 0 and cross(c, d, a) * cross(c, d, b) < 0)
        for (c, d), hand, next_hand in zip(edges(piece.outline), hands, (*hands[1:], hands[0]), strict=True)
    )


def meets_strip(piece: Piece, a: Figure, b: Figure) -> bool:
    """Decide whether a piece reaches into the strip between two bases on the plan; to touch its side is not enough.

    The strip runs from the width of one base to the width of the other, with its corners at whole thousandths.
    """
    dx, dy = b.at[0] - a.at[0], b.at[1] - a.at[1]
    length = sqrt(dx * dx + dy * dy)
    if not length:
        return False
    sides = tuple(
        (round(of.at[0] - side * of.radius * dy / length), round(of.at[1] + side * of.radius * dx / length))
        for of, side in ((a, 1), (b, 1), (b, -1), (a, -1))
    )
    if any(whereabouts(corner, sides) == "inside" for corner in piece.outline):
        return True
    tall = replace(piece, height=LARGEST)
    return any(
        contact.how == "through" for start, end in edges(sides) for contact in contacts((*start, 0), (*end, 0), tall)
    )
