"""Lines of sight between models, fronts, and distances, by the geometry alone. This module holds no rules.

A model looks from its eye, above the middle of its base at its top. It sees another where some part of the other's
silhouette is hidden by nothing, or, looked at by its middle alone, where the line from the eye to it is free. In plan
everything that blocks is as high as can be. Lengths are thousandths of the scene's unit.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from msgspec.structs import replace

from arbiter.caching import held_by_first
from arbiter.geometry.plane.barrier import are_cut_off, stands_aside
from arbiter.geometry.plane.estimate import Glance
from arbiter.geometry.plane.glimpse import sees
from arbiter.geometry.plane.measure import Distance
from arbiter.geometry.plane.shapes import LARGEST, ExactSpot, Figure, Piece, standing
from arbiter.geometry.plane.witness import Grazes, stops
from arbiter.skirmish.lines import contact_of, contacts_of
from arbiter.skirmish.sight import Contact
from services.size_skirmish.ground import Ground

To = Literal["any-part", "centre"]
Heights = Literal["space", "plan"]
How = tuple[To, Grazes, Heights]
"""In which way somebody is seen: what of it, past what only touches the line, and whether heights count."""

FrontOf = Literal["centre", "any-part"]
Border = Literal["included", "excluded"]

STRIPS_KEPT = 128
"""Pairs of models of which a ground remembers what may stand between them and hide, in each of two generations."""

SIGHTS_KEPT = 512
"""Verdicts, and lines as they are drawn, that a ground remembers, each in two generations."""


class Drawn(NamedTuple):
    """A line as it is drawn, in thousandths, and what it meets, or what hides a part of what it leads to."""

    start: ExactSpot
    end: ExactSpot
    contacts: tuple[Contact, ...]


def distance(a: Figure, b: Figure, heights: Heights = "space") -> Distance:
    """Return how far two models are from each other, from the middle of one base to that of the other."""
    return Distance(Fraction(_squared(a, b, heights)))


def within(a: Figure, b: Figure, reach: int, heights: Heights) -> bool:
    """Decide whether two models are at most so far from each other, from middle to middle."""
    return _squared(a, b, heights) <= reach * reach


def _squared(a: Figure, b: Figure, heights: Heights) -> int:
    across, along = a.at[0] - b.at[0], a.at[1] - b.at[1]
    up = a.elevation - b.elevation if heights == "space" else 0
    return across * across + along * along + up * up


def ahead(body: Figure, target: Figure, of: FrontOf, border: Border) -> bool:
    """Decide whether another model lies in the front half of a model's surroundings, by its middle or any part of it.

    `border` says whether the line between the halves, which is 90 degrees off, belongs to the front.
    """
    if body.facing is None:
        raise ValueError(f"{body.id} faces nowhere")
    across, along = body.facing
    deep = (target.at[0] - body.at[0]) * across + (target.at[1] - body.at[1]) * along
    if deep > 0:
        return True
    reach = target.radius if of == "any-part" else 0
    # The base lies as deep behind the line as `deep` says, in parts of the length of the facing.
    left = reach * reach * (across * across + along * along) - deep * deep
    return left > 0 or (left == 0 and border == "included")


@held_by_first(SIGHTS_KEPT)
def free(
    ground: Ground, looker: Figure, target: Figure, bodies: tuple[Figure, ...], to: To, grazes: Grazes, heights: Heights
) -> bool:
    """Decide whether one model sees another on a ground, past the bodies of other models; remembered.

    `grazes` counts for lines alone: of a silhouette, what only touches something is no part.
    """
    top = max(looker.eye[2], target.eye[2])
    pieces = _between(ground, looker, target, bodies, heights)
    if heights == "space" and all(piece.height > top for piece in pieces):
        # What overtops both counts as it does on the plan.
        return free(ground, looker, target, bodies, to, grazes, "plan")
    if to == "any-part" and grazes == "touch":
        return free(ground, looker, target, bodies, to, "cross", heights)
    if are_cut_off(looker, target, pieces):
        return False
    if to == "any-part":
        return sees(looker, target, pieces)
    return not stops(looker.eye, (*target.at, target.elevation + target.height // 2), pieces, grazes)


@held_by_first(STRIPS_KEPT)
def _between(
    ground: Ground, looker: Figure, target: Figure, bodies: tuple[Figure, ...], heights: Heights
) -> tuple[Piece, ...]:
    """Return what blocks lines of sight, pieces and bodies, and may reach between two models, as high as it counts."""
    if heights == "plan":
        # There all is as high as can be.
        between = _between(ground, looker, target, bodies, "space")
        return tuple(replace(piece, height=LARGEST) for piece in between)
    pieces = (*ground.blocking_beside.along(target.radius, (looker.at, target.at)), *map(standing, bodies))
    return tuple(piece for piece in pieces if not stands_aside(piece, looker, target))


@held_by_first(STRIPS_KEPT)
def _glance(_: Ground, looker: Figure, target: Figure) -> Glance:
    return Glance(looker, target)


def blockers(
    ground: Ground, looker: Figure, target: Figure, bodies: tuple[Figure, ...], heights: Heights
) -> tuple[str, ...]:
    """List what hides a part of one model from another, pieces first and then models, by their ids."""
    pieces, glance = _between(ground, looker, target, bodies, heights), _glance(ground, looker, target)
    return tuple(piece.id for piece in pieces if glance.hides(piece))


@held_by_first(SIGHTS_KEPT)
def drawn(ground: Ground, looker: Figure, target: Figure, bodies: tuple[Figure, ...], how: How, is_free: bool) -> Drawn:
    """Give the line that shows whether one model sees another, and what hides a part of the other; remembered."""
    to, grazes, heights = how
    pieces = _between(ground, looker, target, bodies, heights)
    middle = (*target.at, target.elevation + target.height // 2)
    if to == "centre":
        return Drawn(looker.eye, middle, contacts_of(looker.eye, middle, pieces, grazes))
    glance = _glance(ground, looker, target)
    hiding = [piece for piece in pieces if glance.may_hide(piece)]
    met = [contact_of(glance, piece, counts=not is_free) for piece in hiding]
    return Drawn(looker.eye, glance.seen_spot(hiding) or middle, tuple(contact for contact in met if contact))


def between(a: Figure, b: Figure, bodies: Sequence[Figure]) -> tuple[Figure, ...]:
    """List the other models that may reach into the strip between two others."""
    (ax, ay), (bx, by), wide = a.at, b.at, max(a.radius, b.radius)
    left, right = (ax - wide, bx + wide) if ax < bx else (bx - wide, ax + wide)
    low, high = (ay - wide, by + wide) if ay < by else (by - wide, ay + wide)
    ends = a.id, b.id
    return tuple(
        [
            body
            for body in bodies
            if left - body.radius <= body.at[0] <= right + body.radius
            and low - body.radius <= body.at[1] <= high + body.radius
            and body.id not in ends
        ]
    )
