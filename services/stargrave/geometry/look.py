"""What one figure sees of another by the geometry alone, under each way of reading the text. No rules stand here.

A figure looks with `centre` from above the middle of its base, at its full height. With `body` it looks from there and
from sixteen places on the rim of its base at the same height, two of them square to the line to the target, and the
best view counts: the one that nothing blocks the most of, then the one that nothing obscures the most of. No lower
place on the body sees more, for every piece rises straight from the table. Between those places nothing is looked
through, so that a gap which only one more place would look through is missed. Lengths are thousandths of an inch.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import sqrt
from typing import Literal

from msgspec.structs import replace

from arbiter.caching import held_by_first
from arbiter.geometry.plane.barrier import are_cut_off, stands_aside
from arbiter.geometry.plane.estimate import Glance
from arbiter.geometry.plane.glimpse import sees
from arbiter.geometry.plane.roots import Share
from arbiter.geometry.plane.shapes import LARGEST, Figure, Piece, Spot
from arbiter.geometry.plane.view import hidden_share, silhouette
from arbiter.geometry.plane.witness import contacts, passed
from arbiter.value import Value
from services.stargrave.geometry import vantage
from services.stargrave.geometry.grazing import grazes
from services.stargrave.ground import Ground

LOOKS_KEPT = 256
"""Looks of which a ground remembers what is seen, between and cover, in each of two generations."""

OPTIONS, PLACES = 16, 32
"""Options of readings and places on a rim that a look remembers, in each of two generations."""

Glimpse = Literal["seen", "grazing", "hidden"]

# Eighths of a quarter turn, as parts along the way to the target and square to it.
_RIM = (
    (0.0, 1.0),
    (0.0, -1.0),
    (1.0, 0.0),
    (-1.0, 0.0),
    *(
        (before * ahead, beside * aside)
        for ahead, aside in ((0.7071, 0.7071), (0.3826, 0.9238), (0.9238, 0.3826))
        for before, beside in product((1, -1), repeat=2)
    ),
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


class Look:
    """A looker and a target, with all that may stand in the way; it remembers what is found out about it.

    `terrain` are the pieces that block or obscure near the line, `clouds` pieces that block besides, `bodies` the
    figures in between, `left_out` the ids of pieces that are taken to be away. The options of readings are `origin`
    for `sight-from` and `figures` for `figures-block-sight`. A target without an id is a point.
    """

    def __init__(
        self,
        ground: Ground,
        clouds: tuple[Piece, ...],
        looker: Figure,
        target: Figure,
        bodies: tuple[Figure, ...],
        left_out: tuple[str, ...],
    ) -> None:
        self.clouds, self.looker, self.target, self.bodies, self.left_out = clouds, looker, target, bodies, left_out
        self.terrain = vantage.between(ground, looker, target)
        self._from_centre = vantage.glance(ground, looker, target)

    @held_by_first(OPTIONS)
    def sighting(self, origin: str, figures: str) -> Sighting:
        """Work out what is seen of the target from the best place."""
        blocking, obscuring = self._in_the_way(figures)
        best = self.eye(origin, figures)
        glance = self.glance(best)
        grazing = not self._is_cut_off(figures) and not glance.sees(blocking) and self._grazes(origin, figures)
        return Sighting(
            best,
            self.target,
            tuple(piece for piece in blocking if glance.hides(piece)),
            tuple(piece for piece in obscuring if glance.hides(piece)),
            grazing,
        )

    @held_by_first(OPTIONS)
    def hiding(self, origin: str, figures: str) -> frozenset[str]:
        """Name the pieces and figures that hide a part of the target, blocking it or not, as `sighting` has it."""
        glance, in_the_way = self.glance(self.eye(origin, figures)), self._in_the_way(figures)
        return frozenset(piece.id for pieces in in_the_way for piece in pieces if glance.hides(piece))

    @held_by_first(OPTIONS)
    def eye(self, origin: str, figures: str) -> Figure:
        """Give the looker at the place from which it sees the most of the target, the first of equals."""
        if origin == "centre":
            return self.looker
        blocking, obscuring = self._in_the_way(figures)
        every = (*blocking, *obscuring)
        if self.glance(self.looker).hidden(every) == (0.0, 0.0):
            return self.looker
        if self.target.id and not self.sees(origin, figures):
            return self.looker
        return self._best_place(blocking, every)

    @held_by_first(OPTIONS)
    def sees(self, origin: str, figures: str) -> bool:
        """Decide whether anything of the target is seen at all, without looking for the best view.

        A point is seen by the line to itself.
        """
        if self._is_cut_off(figures):
            return False
        blocking, _ = self._in_the_way(figures)
        if not self.target.id:
            return "seen" in self._lines(origin, blocking)
        if self._from_centre.sees(blocking):
            return True
        return any(sees(eye, self.target, blocking) for eye in self._eyes(origin)[1:])

    @held_by_first(OPTIONS)
    def glimpsed(self, origin: str, figures: str) -> Glimpse:
        """Decide whether anything of the target is seen, and if not, whether a line to it grazes what is in its way."""
        if self.sees(origin, figures):
            return "seen"
        if self._is_cut_off(figures):
            return "hidden"
        if not self.target.id:
            lines = self._lines(origin, self._in_the_way(figures)[0])
            return "grazing" if "grazing" in lines else "hidden"
        return "grazing" if self._grazes(origin, figures) else "hidden"

    def glance(self, eye: Figure) -> Glance:
        """Give the look at the target from one eye."""
        return self._from_centre if eye is self.looker else self._from_rim(eye)

    @held_by_first(PLACES)
    def _from_rim(self, eye: Figure) -> Glance:
        return Glance(eye, self.target)

    def shares(self, seen: Sighting, digits: int) -> tuple[float, float]:
        """Give what share of the target nothing blocks, and what share nothing hides at all, rounded."""
        glance = self.glance(seen.looker)
        visible = glance.visible(seen.blocked_by, digits)
        return visible, glance.visible((*seen.blocked_by, *seen.dimmed_by), digits) if seen.dimmed_by else visible

    def hides(self, eye: Figure, pieces: tuple[Piece, ...], share: Fraction, *, in_plan: bool) -> bool:
        """Decide whether some pieces hide a share of the target from an eye, or more; more than nothing for 0.

        `in_plan` it is a share of the width of its base alone: a piece counts that hides any of the silhouette, and
        hides all that is behind it.
        """
        glance = self.glance(eye)
        if in_plan:
            pieces = tuple(replace(piece, height=LARGEST) for piece in pieces if glance.hides(piece))
        return glance.hides_at_least(share, pieces) if share else glance.hides(*pieces)

    @held_by_first(OPTIONS)
    def on_the_plan(self, how: str) -> frozenset[str]:
        """Name the pieces and figures that the line between the middles meets, or that reach into the strip."""
        pieces, (a, b) = (*self.terrain, *vantage.as_pieces(self.bodies)), (self.looker, self.target)
        if how == "centre-line":
            return frozenset(piece.id for piece in pieces if vantage.meets_line(piece, a.at, b.at))
        strip = vantage.strip(a, b)
        return frozenset(piece.id for piece in pieces if vantage.meets_strip(piece, strip))

    def _best_place(self, blocking: tuple[Piece, ...], every: tuple[Piece, ...]) -> Figure:
        """Give the looker at the first of its places from which it sees the most, past what blocks and past all."""
        glances: list[Glance] = []
        terrain, least = self._terrain_beside[0], 1.0
        for eye in self._eyes("body"):
            glance = self.glance(eye)
            # Of what blocks, the terrain alone may hide more than all does from a place before.
            if glance.least(terrain) > least:
                continue
            bounds = glance.hidden(blocking)
            if bounds == (0.0, 0.0) and glance.hidden(every) == (0.0, 0.0):
                # Nothing is better than to see all of it; before this place others may do so, just as well.
                before = (each for each in glances if each.least(blocking) == each.least(every) == 0)
                return next((each.looker for each in before if not each.hides(*every)), eye)
            least = least if bounds is None else min(least, bounds[1])
            glances.append(glance)
        return self._least_hidden(self._least_hidden(glances, blocking), every)[0].looker

    def _least_hidden(self, glances: Sequence[Glance], pieces: tuple[Piece, ...]) -> Sequence[Glance]:
        """Give those of some looks from which some pieces hide the least: by bounds, and exactly where they overlap."""
        about = [glance.hidden(pieces) or (0.0, 1.0) for glance in glances]
        least = min(high for _, high in about)
        best = [(glance, high) for glance, (low, high) in zip(glances, about, strict=True) if low <= least]
        if len(best) > 1 and any(high for _, high in best):
            shares = [glance.share(pieces) for glance, _ in best]
            smallest = min(shares)
            return [glance for (glance, _), share in zip(best, shares, strict=True) if share == smallest]
        return [glance for glance, _ in best]

    @held_by_first(OPTIONS)
    def _grazes(self, origin: str, figures: str) -> bool:
        return grazes(self.looker, self.target, self._in_the_way(figures)[0], origin)

    @held_by_first(OPTIONS)
    def _is_cut_off(self, figures: str) -> bool:
        """Decide quickly whether one of the pieces or figures that block cuts the two off; False leaves it open."""
        return are_cut_off(self.looker, self.target, self._in_the_way(figures)[0])

    @held_by_first(OPTIONS)
    def _in_the_way(self, figures: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
        """Give what blocks and what obscures near the line."""
        blocking, obscuring = self._terrain_beside
        if figures == "yes":
            return (*blocking, *self._bodies_beside), obscuring
        return blocking, (*obscuring, *self._bodies_beside)

    @cached_property
    def _terrain_beside(self) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
        """What blocks and what obscures near the line, without figures: few more pieces than stand in it."""
        beside = tuple(
            piece
            for piece in self.terrain
            if piece.id not in self.left_out and not stands_aside(piece, self.looker, self.target)
        )
        blocking = (*(piece for piece in beside if piece.sight == "blocks"), *self.clouds)
        return blocking, tuple(piece for piece in beside if piece.sight == "obscures")

    @cached_property
    def _bodies_beside(self) -> tuple[Piece, ...]:
        """The figures that may stand in a line."""
        bodies = vantage.as_pieces(vantage.near(self.bodies, self.looker, self.target))
        return tuple(piece for piece in bodies if not stands_aside(piece, self.looker, self.target))

    @held_by_first(OPTIONS)
    def _eyes(self, origin: str) -> tuple[Figure, ...]:
        """Give the looker at the places from which it looks."""
        return (self.looker, *(rim(self.looker, self.target) if origin == "body" else ()))

    def _lines(self, origin: str, blocking: Sequence[Piece]) -> set[Glimpse]:
        """Decide of the lines from all eyes to a point which of them pass, touch something, or are blocked."""
        end = (*self.target.at, self.target.elevation)
        return {_line_to(eye.eye, end, blocking) for eye in self._eyes(origin)}


look = held_by_first(LOOKS_KEPT)(Look)
"""Gives a look past the terrain of a ground."""


def _line_to(start: Spot, end: Spot, blocking: Sequence[Piece]) -> Glimpse:
    """Decide whether a line to a point passes by all that blocks, touches some of it, or is blocked.

    What the point itself lies on is touched at the very end of the line, and is not in its way.
    """
    touched = [(piece, contacts(start, end, piece)) for piece in blocking]
    if passed(start, end, touched):
        return "hidden"
    return "grazing" if any(contact.first < 1 for _, every in touched for contact in every) else "seen"


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
