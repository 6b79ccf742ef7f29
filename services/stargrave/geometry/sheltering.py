"""What stands between a looker and a target and what covers the target, by every reading at once. No rules stand here.

Everything is worked out once for the same table, and looked up by the options of the readings.
"""

from fractions import Fraction
from typing import Literal, NamedTuple, cast

from arbiter.caching import held_by_first
from arbiter.geometry.plane.roots import NOTHING, Share
from arbiter.geometry.plane.shapes import Figure, Piece
from services.stargrave.geometry import vantage
from services.stargrave.geometry.vantage import Sighting
from services.stargrave.ground import Ground

Cover = Literal["none", "light", "heavy"]

HOWS = ("hiding", "centre-line", "corridor")
"""The options of the reading `intervening`."""

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)

LOOKS_KEPT = 128
"""Looks of which a ground remembers what is between and what covers, in each of two generations."""


_Asked = tuple[Ground, tuple[Piece, ...], Figure, Figure, tuple[Figure, ...], vantage.From, bool, tuple[str, ...]]


class Look(NamedTuple):
    """A looker and a target, with all that may stand in the way.

    `clouds` are pieces of smoke, `bodies` the figures in between, `left_out` the pieces that are taken to be away.
    """

    ground: Ground
    clouds: tuple[Piece, ...]
    looker: Figure
    target: Figure
    bodies: tuple[Figure, ...]
    left_out: tuple[str, ...]

    def from_(self, origin: str, figures: str) -> Sighting:
        """Give what is seen by the options of `sight-from` and `figures-block-sight`."""
        return vantage.sighting(*self._by(origin, figures))

    def eye(self, origin: str, figures: str) -> Figure:
        """Give the looker where by those options it looks from."""
        return vantage.best_eye(*self._by(origin, figures))

    def hiding(self, origin: str, figures: str) -> frozenset[str]:
        """Name what hides a part of the target by those options."""
        return vantage.hiding(*self._by(origin, figures))

    def sees(self, origin: str, figures: str) -> bool:
        """Check whether anything is seen by those options."""
        return vantage.seen(*self._by(origin, figures))

    def glimpsed(self, origin: str, figures: str) -> Literal["seen", "grazing", "hidden"]:
        """Check whether anything is seen by those options, or no more than a line that grazes."""
        return vantage.glimpsed(*self._by(origin, figures))

    def _by(self, origin: str, figures: str) -> _Asked:
        return (
            self.ground,
            self.clouds,
            self.looker,
            self.target,
            self.bodies,
            cast(vantage.From, origin),
            figures == "yes",
            self.left_out,
        )

    def terrain(self) -> tuple[Piece, ...]:
        """Give the pieces of terrain that block or obscure near the line."""
        return vantage.between(self.ground, self.looker, self.target)


def between(look: Look, how: str, origin: str, figures: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """List the pieces of terrain, and the figures, that lie between looker and target by the options of three readings.

    They are `intervening`, `sight-from` and `figures-block-sight`; the latter two matter for what is hidden alone.
    """
    ids = look.hiding(origin, figures) if how == "hiding" else _on_the_plan(*look, how)
    return (
        tuple(piece.id for piece in look.terrain() if piece.id in ids),
        tuple(body.id for body in look.bodies if body.id in ids),
    )


@held_by_first(LOOKS_KEPT)
def _on_the_plan(
    ground: Ground,
    clouds: tuple[Piece, ...],
    looker: Figure,
    target: Figure,
    bodies: tuple[Figure, ...],
    left_out: tuple[str, ...],
    how: str,
) -> frozenset[str]:
    """Name the pieces and figures that the line between the middles meets, or that reach into the strip."""
    pieces = (*vantage.between(ground, looker, target), *vantage.as_pieces(bodies))
    if how == "centre-line":
        return frozenset(piece.id for piece in pieces if vantage.meets_line(piece, looker.at, target.at))
    return frozenset(piece.id for piece in pieces if vantage.meets_strip(piece, looker, target))


class _Touched(NamedTuple):
    """What a target touches, what of that the looker touches, too, and what cover has been found to be by readings."""

    pieces: tuple[Piece, ...]
    by_both: frozenset[str]
    covers: dict[tuple[str, ...], Cover]
    helps: dict[tuple[str, ...], bool]


@held_by_first(LOOKS_KEPT)
def _touched(
    ground: Ground,
    clouds: tuple[Piece, ...],
    looker: Figure,
    target: Figure,
    bodies: tuple[Figure, ...],
    left_out: tuple[str, ...],
    around: tuple[Piece, ...],
) -> _Touched:
    terrain = [piece for piece in vantage.between(ground, looker, target) if vantage.touches(target, piece)]
    by_both = frozenset(piece.id for piece in terrain if vantage.touches(looker, piece))
    return _Touched((*terrain, *around), by_both, {}, {})


def shelter(look: Look, around: tuple[Piece, ...]) -> "Shelter":
    """Give what a target touches on the side of a looker; `around` are the figures that are cover for it."""
    return Shelter(look, _touched(*look, around))


class Shelter:
    """What a target touches on the side of a looker, and what cover that is by each reading.

    The ground holds what was found, and not the shelter, whose look refers to the ground.
    """

    def __init__(self, look: Look, covers: _Touched) -> None:
        self.look = look
        self.touched, self.by_both, self._covers, self._helps = covers

    def cover(self, part: str, share: str, together: str, both: str, origin: str, figures: str) -> Cover:
        """Give the cover by one option of each reading."""
        options = (part, share, together, both, origin, figures)
        if options not in self._covers:
            self._covers[options] = self._cover(*options)
        return self._covers[options]

    def helps(self, id_: str, *options: str) -> bool:
        """Check whether a piece that the target touches is cover, alone or as far as pieces are taken together."""
        asked = (id_, *options)
        if asked not in self._helps:
            self._helps[asked] = self._help(*asked)
        return self._helps[asked]

    def _sheltering(self, both: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
        """Give the pieces of solid cover, and those of solid and soft cover."""
        pieces = tuple(
            piece
            for piece in self.touched
            if piece.cover != "none" and not (both == "ignored" and piece.id in self.by_both)
        )
        return tuple(piece for piece in pieces if piece.cover == "solid"), pieces

    def _share(self, pieces: tuple[Piece, ...], share: str, together: str, origin: str, figures: str) -> Share:
        """Give what share of the target the pieces hide, all together or the best of them."""
        eye = self.look.eye(origin, figures).eye
        sets = [pieces] if together == "together" else [(piece,) for piece in pieces]
        shares = (
            vantage.hidden(self.look.ground, eye, self.look.target, each, in_plan=share == "width") for each in sets
        )
        return max(shares, default=NOTHING)

    def _cover(self, part: str, share: str, together: str, both: str, origin: str, figures: str) -> Cover:
        solids, every = self._sheltering(both)
        how = (share, together, origin, figures)
        by_solid = self._share(solids, *how)
        if by_solid >= HALF:
            return "heavy"
        return "light" if _is_part(by_solid, part) or self._share(every, *how) >= HALF else "none"

    def _help(self, id_: str, part: str, share: str, together: str, both: str, origin: str, figures: str) -> bool:
        solids, every = self._sheltering(both)
        how = (share, together, origin, figures)
        own = tuple(piece for piece in every if piece.id == id_)
        if own and own[0] in solids:
            return _is_part(self._share(own, *how), part)
        return bool(own) and self._share(every if together == "together" else own, *how) >= HALF


def _is_part(share: Share, part: str) -> bool:
    return share > NOTHING if part == "any" else share >= TENTH
